"""What is said once more in a breath of its own, so as to be heard: "the lamp, the hall lamp, on, on"."""

from __future__ import annotations

from collections.abc import Callable

from daemon.understand.matchers import WORD, Terminal
from daemon.understand.openings import END, PLACES

_COMMA = ", "
_UNIT = 4
"""Characters; what stands behind a number and is longer is no unit."""
_MOST = 3
"""Words, or Chinese characters; what is longer is a command of its own."""


class Echoes:
    """Leaves out what is said twice between commas. What stands there is a request less its end, or more of one.

    Args:
        numbers: Which texts are numbers.
        bare: A text between commas less what means nothing there: "twenty then".
    """

    def __init__(self, numbers: Terminal, bare: Callable[[str], str]) -> None:
        self._numbers = numbers
        self._bare = bare

    def __call__(self, text: str, restore: Callable[[str], str]) -> str:
        """The text without them; `restore` puts the names back that are hidden in it."""
        said, kept = text.split(_COMMA), list[tuple[str, str]]()
        if len(set(said)) == 1:
            return text  # "next, next" is twice
        for one in said:
            bare = self._bare(one)
            if kept and _is_short(bare) and self._is_again(kept[-1][1], bare, restore):
                continue
            if len(kept) == 1 and _is_short(kept[0][1]) and _is_more(bare, kept[0][1], restore):
                kept.pop()  # "the lamp, the hall lamp": the second says which
            kept.append((one, bare))
        return _COMMA.join(one for one, _ in kept) if len(kept) < len(said) else text

    def _is_again(self, before: str, bare: str, restore: Callable[[str], str]) -> bool:
        return _says_end(before, bare, restore) or self._is_number_of(before, bare)

    def _is_number_of(self, before: str, bare: str) -> bool:
        """Whether it is the last number that was said before: "to 27 degrees, 27"."""
        at = before.rfind(bare)
        if at < 0 or not self._is_number(bare + END, 0, len(bare)):
            return False
        end = at + len(bare)
        begins = any(self._is_number(before + END, start, end) for start in range(at))
        return not begins and self._is_number(before + END, at, end) and len(before) - end <= _UNIT

    def _is_number(self, text: str, start: int, end: int) -> bool:
        return self._numbers.match(text, start) == end


def _is_short(said: str) -> bool:
    return len(PLACES.findall(said)) <= _MOST


def _is_more(text: str, said: str, restore: Callable[[str], str]) -> bool:
    """Whether a text is another with something before or behind it."""
    goes_on = text.startswith(said) and not (text[len(said) : len(said) + 1] in WORD and said[-1:] in WORD)
    return bool(said) and (goes_on or _says_end(text, said, restore))


def _says_end(text: str, end: str, restore: Callable[[str], str]) -> bool:
    """Whether a text ends so; "lamp" is no end of "the desk lamp" where something here is called nothing but that."""
    return _ends(text, end) or (restore(end) == end and _ends(restore(text), end))


def _ends(text: str, end: str) -> bool:
    """Whether a text ends with whole words, or is nothing but these."""
    at = len(text) - len(end)
    return bool(end) and text.endswith(end) and (at == 0 or text[at] not in WORD or text[at - 1] not in WORD)
