"""Numbers that share a name: "spots 1 and 2" are "spot 1" and "spot 2", where the home has things so called."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from daemon.system.naming import singular

_TOKEN = re.compile(r"[a-z]+|[0-9]+|[^\sa-z0-9]")
_COMMA = ","
_LONGEST = 4
"""Words before the number, at most."""


def spelt_out(text: str, joints: Mapping[str, str], is_name: Callable[[str], bool]) -> str:
    """The text with each number that shares a name with the one before given that name again.

    Only where the home has a thing of the first name; the others need not be there after a plural ("spots 1 and 9"),
    but must be after a singular, where the number may be anything: "lamp 1 and 30".

    Args:
        text: Normalized.
        joints: Words that join the parts of a list, as a comma does, and the first such word of the same language.
        is_name: Whether something in the home is called so.
    """
    for joint in joints:
        if joint in text:
            break
    else:
        if _COMMA not in text:
            return text
    found = list(_TOKEN.finditer(text))
    words = [token[0] for token in found]
    out, end, at = [], 0, 1
    while at < len(words):
        run = _run(words, at, joints, is_name)
        if run is None:
            at += 1
            continue
        start, last, names = run
        out += [text[end : found[start].start()], _joint(names[0], words[start:last], joints).join(names)]
        end = found[last].end()
        at = last + 1
    return "".join([*out, text[end:]])


def _run(
    words: list[str], at: int, joints: Mapping[str, str], is_name: Callable[[str], bool]
) -> tuple[int, int, list[str]] | None:
    """The list of numbers that begins here: where its name begins, where it ends, and all its names."""
    for length in range(min(_LONGEST, at), 0, -1):
        before = words[at - length : at]
        for stem, plural in _stems(before):
            name = _named(stem, words[at])
            if not is_name(name):
                continue
            names, last = [name], at
            while (number := _next(words, last, joints)) is not None:
                other = _named(stem, words[number])
                if other in names or not (is_name(other) or (plural and words[number].isdigit())):
                    break
                names.append(other)
                last = number
            if len(names) > 1:
                return at - length, last, names
    return None


def _joint(name: str, said: list[str], joints: Mapping[str, str]) -> str:
    """What joins such names: of the words in their script, that of the language that was said, else the first."""
    latin = name.isascii()
    fitting = [joint for joint in dict.fromkeys(joints.values()) if joint.isascii() == latin]
    heard = [joints[word] for word in said if word in joints]
    joint = next((joint for joint in fitting if joint in heard), fitting[0] if fitting else _COMMA)
    return f" {joint} " if latin else joint


def _next(words: list[str], at: int, joints: Mapping[str, str]) -> int | None:
    """Where the next number of a list may stand."""
    place = at + 1
    while place < len(words) and (words[place] == _COMMA or words[place] in joints):
        place += 1
    return place if place < len(words) and place > at + 1 else None


def _stems(words: list[str]) -> list[tuple[list[str], bool]]:
    """The words before the number, in the singular, and whether that was a plural."""
    last = words[-1]
    one = singular(last) if last.isascii() else last
    if one not in ("", last):
        return [([*words[:-1], one], True), (words, False)]
    return [(words, False)]


def _named(stem: list[str], number: str) -> str:
    return " ".join([*stem, number]) if stem[-1].isascii() else "".join([*stem, number])
