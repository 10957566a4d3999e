"""What a model may write of one utterance, as a grammar for llama.cpp: the text of a draft (see `draft`).

Meanings and kinds are closed sets; each meaning has its slots in their order, those that it needs without exception.
The words for a slot are whole words of the utterance, in a row; for a number or a colour only such as say one.

    root ::= "<" ("nothing>" | "unsure>" | c ("<" f)? ("<two><" c)?)
    c ::= ("turn_on>" | "turn_off>") target? room? | ("brightness_to>") target? room? n | ...
    target ::= "<target>" (s0 | s1 | s2) kind?
    s0 ::= " turn" s1?
    s1 ::= " on" s2?
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import Struct

from daemon.compiler.draft import led, pieces
from daemon.compiler.filling import Filling
from daemon.compiler.meanings import AND, NOTHING, NOUNS, SLOTS, UNSURE, Meaning, Meanings
from daemon.core.ir import KINDS

_LONGEST_VALUE: Final = 8
"""Words, or characters, that say a number or a colour."""
_FOREIGN: Final = re.compile(r"[<>\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_CLOSED: Final = ("n", "color")
"""Slots whose words must say something that the daemon knows, and are few."""
_KINDS: Final = " | ".join(f'"{kind}>"' for kind in sorted(KINDS))


class Refused(Struct, frozen=True):
    """What a draft may not say again: a meaning, or these words for a slot of whatever meaning."""

    name: str
    """The meaning or the slot."""
    words: str | None = None
    """None: a meaning."""
    why: str = ""
    """In one line, for a model that can make something of it."""


class DraftGrammar:
    """Makes grammars; `filling` reads numbers and colours."""

    def __init__(self, meanings: Meanings, filling: Filling) -> None:
        self._commands = tuple(meanings.commands)
        self._frames = tuple(meanings.frames)
        self._filling = filling

    def text(self, said: str, refused: AbstractSet[Refused] = frozenset()) -> str:
        """The grammar of what may be written of a normalized utterance, less what was refused; `root` is its root."""
        units = _units(said)
        rules = {f"s{at}": _goes_on(units, at) for at in range(len(units))}
        for slot in SLOTS:
            without = {item.words for item in refused if item.name == slot and item.words is not None}
            words = self._closed(slot, units, without) if slot in _CLOSED else _open(units, without)
            if words:
                rules[slot] = f'"<{slot}>" ({words})' + (" kind?" if slot in NOUNS else "")
        gone = {item.name for item in refused if item.words is None}
        commands, frames = (
            _written((item for item in every if item.id not in gone), rules) for every in (self._commands, self._frames)
        )
        root = [f'"{NOTHING}>"', f'"{UNSURE}>"']
        if commands:
            framed = ' ("<" f)?' if frames else ""
            root.append(f'c{framed} ("<{AND}><" c)?')
        rules |= {"c": commands, "f": frames, "kind": f'"<is:" ({_KINDS})', "root": f'"<" ({" | ".join(root)})'}
        return "".join(f"{name} ::= {body}\n" for name, body in rules.items() if body)

    def _closed(self, slot: str, units: Sequence[_Unit], without: AbstractSet[str]) -> str:
        """The words that say a number, less its unit, or a colour."""
        found = {}
        for at in range(len(units)):
            for end in _ends(units, at)[:_LONGEST_VALUE]:
                words = _spoken(units, at, end)
                bare = words.strip()
                value = self._filling.numeral(bare) if slot == "n" else self._filling.value(slot, bare) and bare
                if value and value not in without:
                    found[at, end] = _quoted(words[: len(words) - len(bare)] + value)
        return " | ".join(sorted({text for row, text in found.items() if not _cut(row, found, units)}))


def plain(said: str) -> str:
    """An utterance as a model gets it: without what could be taken for a closed word."""
    return "".join(" " if _FOREIGN.match(character) else character for character in said)


class _Unit(Struct, frozen=True):
    """A word, or a character of Chinese, with the space before it; `apart` from what stands before it."""

    text: str
    apart: bool


def _units(said: str) -> list[_Unit]:
    text = plain(said)
    units: list[_Unit] = []
    done = 0
    for start, end in pieces(text):
        before = led(text)[:1] if not start else text[start - 1]
        units.append(
            _Unit((" " if before == " " else "") + text[start:end], _FOREIGN.search(said, done, start) is not None)
        )
        done = end
    return units


def _ends(units: Sequence[_Unit], at: int) -> range:
    """Where a row of words that begins here may end (exclusive)."""
    end = at + 1
    while end < len(units) and not units[end].apart:
        end += 1
    return range(at + 1, end + 1)


def _spoken(units: Sequence[_Unit], at: int, end: int) -> str:
    return "".join(unit.text for unit in units[at:end])


def _cut(row: tuple[int, int], rows: Container[tuple[int, int]], units: Sequence[_Unit]) -> bool:
    """Whether a row is a part of another to which it is joined without a space: 十 in 三十."""
    at, end = row
    first, last = at, end
    while first > 0 and not units[first].text.startswith(" ") and not units[first].apart:
        first -= 1
    while last < len(units) and not units[last].text.startswith(" ") and not units[last].apart:
        last += 1
    wider = ((low, high) for low in range(first, at + 1) for high in range(end, last + 1))
    return any(other in rows for other in wider if other != row)


def _goes_on(units: Sequence[_Unit], at: int) -> str:
    """A word, and what may follow it."""
    following = f" s{at + 1}?" if at + 1 < len(units) and not units[at + 1].apart else ""
    return _quoted(units[at].text) + following


def _open(units: Sequence[_Unit], without: AbstractSet[str]) -> str:
    """Any words in a row, less those that were refused."""
    starts = []
    for at in range(len(units)):
        rows = [_spoken(units, at, end) for end in _ends(units, at)] if without else []
        kept = [_quoted(row) for row in rows if row.strip() not in without]
        starts += kept if len(kept) < len(rows) else [f"s{at}"]
    return " | ".join(starts)


def _written(meanings: Iterable[Meaning], ways: Container[str]) -> str:
    """How meanings are written, those with the same slots together; `ways` has the slots that can be filled."""
    alike: dict[str, list[str]] = {}
    for item in meanings:
        if (slots := _slots(item, ways)) is not None:
            alike.setdefault(slots, []).append(f'"{item.id}>"')
    return " | ".join(f"({' | '.join(names)}){slots}" for slots, names in alike.items())


def _slots(meaning: Meaning, ways: Container[str]) -> str | None:
    """The slots of a meaning; None where one that it needs cannot be filled."""
    here = [slot for slot in meaning.slots if slot in ways]
    either = [slot for slot in here if slot in meaning.either]
    if not meaning.needed <= set(here) or (meaning.either and not either):
        return None
    parts = [slot if slot in meaning.needed else f"{slot}?" for slot in here if slot not in meaning.either]
    parts += [f"({' | '.join(either)})"] if either else []
    return "".join(f" {part}" for part in parts)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
