"""The home's own names, found in a text before it is parsed, so that no word of a name is taken for a word of grammar.

Each name that is found is replaced by one private character; what kind of thing it names decides its block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from daemon.core.ir import Kind
from daemon.system.languages import owning, plurals
from daemon.understand.matchers import WORD
from daemon.understand.normalize import plain_text

Role = Literal["device", "area", "floor", "group", "row", "scene", "person", "setting", "option", "input"]
"""What a name names; a row is the first of several that are told apart by their numbers: "desks 14" and 15.
A setting is of some device here ("child lock"), an option what that can be set to; an input is of a player."""

ROLES: tuple[Role, ...] = ("area", "floor", "group", "device", "row", "scene", "person", "setting", "option", "input")
"""Which one is meant first where a name has several."""

OWN: frozenset[Role] = frozenset({"setting", "option", "input"})
"""What is no thing, but a word for what is set of one, or for what it is set to."""

Nearby = Callable[[str, int], tuple[str, ...]]
"""Names of at most so many things that a text may be about, one of each, best first. It may block."""

_BLOCK = 48
"""Names of one role in one sentence; more of them are left as they are."""
_BASE = 0xE000
_PLACES = re.compile(r"[a-z0-9]+|[^a-z0-9 ]")
"""Where a name can begin, and what tells its length there: its first word, or a character of another script."""


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A name of the home, as written there; one thing may have several, and several things the same one."""

    text: str
    role: Role
    meaning: str = ""
    """What a setting is in the IR; of an option, the settings that can be set to it."""
    common: bool = False
    """Of a setting: whether everybody calls it so, so that it counts though it may mean something else, too."""


class Mention(NamedTuple):
    """A name that was found: `text` as normalized, `roles` best first."""

    text: str
    roles: tuple[Role, ...]
    start: int
    end: int


_START = attrgetter("start")
_ROW: tuple[Role, ...] = ("row",)


class Spotted(Struct, frozen=True):
    """A text with its names replaced. `mentions` by their private character."""

    text: str
    mentions: dict[str, Mention]

    def restore(self, part: str) -> str:
        """A part of `text` with the names back in it."""
        for character, mention in self.mentions.items():
            if character in part:
                part = part.replace(character, mention.text)
        return part


class NameTable:
    """All the names of a home. Immutable; made anew when the home changes.

    Args:
        names: In any order; later duplicates only add roles.
        spellings: Other ways to write a name that mean the same ("room one", "room 1").
        goes_on: Whether the number that ends a part of a text goes on behind it: "desk fifty" in "desk fifty one".
        nearby: For the models.
    """

    def __init__(
        self,
        names: Iterable[NamedThing] = (),
        spellings: Callable[[str], Iterable[str]] = lambda _name: (),
        goes_on: Callable[[str, int, int], bool] = lambda _text, _start, _end: False,
        nearby: Nearby = lambda _text, _most: (),
    ) -> None:
        self.nearby = nearby
        self._goes_on = goes_on
        self.hints: dict[str, tuple[Kind | None, tuple[str, ...]]] = {}
        """What its names tell of the kind and the area, kept from when it was first looked for."""
        roles: dict[str, set[Role]] = {}
        self._canonical: dict[str, str] = {}
        called = {name: plain for name in names if (plain := plain_text(name.text))}
        for name, plain in called.items():
            roles.setdefault(plain, set()).add(name.role)
        settings = [(plain, name.meaning) for name, plain in called.items() if name.role == "setting"]
        self.meanings: dict[str, str] = dict(reversed(settings))
        """What the names of settings, normalized, are in the IR."""
        self.common = {plain for name, plain in called.items() if name.role == "setting" and name.common}
        """The names of settings that everybody knows."""
        self.options = {
            plain: frozenset(name.meaning.split()) for name, plain in called.items() if name.role == "option"
        }
        """What settings, as they are in the IR, can be set to these words, normalized."""
        for plain in roles:
            self._canonical[plain] = plain
        for plain in roles:
            for other in spellings(plain):
                self._canonical.setdefault(other, plain)
        self._roles = {plain: tuple(role for role in ROLES if role in has) for plain, has in roles.items()}
        rows = {row: (plain, _ROW) for text, plain in self._canonical.items() for row in _rows(text, plain)}
        self._called = rows | {text: (plain, self._roles[plain]) for text, plain in self._canonical.items()}
        lengths: dict[str, set[int]] = {}
        for text in self._called:
            begins = _PLACES.findall(text)[0]
            lengths.setdefault(begins, set()).add(len(text))
            if begins == text and text[-1] in WORD:  # "the kitchens light"
                for ending in owning():
                    lengths.setdefault(f"{begins}{ending}", set()).add(len(text))
        self._lengths = {begins: tuple(sorted(sizes, reverse=True)) for begins, sizes in lengths.items()}

    @property
    def texts(self) -> Collection[str]:
        """The names as normalized, each once."""
        return self._roles.keys()

    def roles(self, name: str) -> tuple[Role, ...]:
        """What thing this name (normalized) names, best first; empty where it is no name of one."""
        canonical = self._canonical.get(name)
        roles = self._roles[canonical] if canonical is not None else ()
        return roles if OWN.isdisjoint(roles) else tuple(role for role in roles if role not in OWN)

    def find(self, text: str, owned: Callable[[int], bool] = lambda _at: False) -> list[Mention]:
        """Every name in a normalized text, in its order, overlaps and all.

        Args:
            text: What was said.
            owned: Whether what begins at a place can belong to a thing ("speed"): before it a name may have an "s",
                which was "'s".
        """
        found = []
        size, lengths, called, behind = len(text), self._lengths, self._called, 0
        for place in _PLACES.findall(text):
            start = text.index(place, behind)
            behind = start + len(place)
            sizes = lengths.get(place)
            if sizes is None:
                continue
            for length in sizes:
                end = start + length
                meant = called.get(text[start:end]) if end <= size else None
                if meant is None:
                    continue
                name, roles = meant
                if end < size:
                    if self._goes_on(text, start, end):
                        continue
                    if text[end] in WORD and text[end - 1] in WORD:
                        # "the living room's lights" has lost its apostrophe.
                        longer = next((len(one) for one in owning() if text.startswith(one, end)), 0)
                        if not longer or text[end + longer : end + longer + 1] not in ("", " "):
                            continue
                        if not (roles[0] in ("area", "floor", "person") or owned(end + longer + 1)):
                            continue
                        end += longer
                found.append(Mention(name, roles, start, end))
        return found

    @staticmethod
    def replace(text: str, found: list[Mention]) -> Spotted:
        """The text with these names replaced, the longest first; what overlaps one that is taken is left."""
        if len(found) > 1:
            found = _apart(found)
        return _replaced(text, found)


def _rows(text: str, plain: str) -> Iterator[str]:
    """What several of whom this is one are called together: "desks 14" of "desk 14", however its number is written."""
    stem, _, number = plain.rpartition(" ")
    if number.isdecimal() and text.startswith(f"{stem} "):
        yield from (f"{several}{text.removeprefix(stem)}" for several in plurals(stem))


def character(role: Role, index: int) -> str:
    """The private character of the `index`-th mention with this role."""
    return chr(_BASE + ROLES.index(role) * _BLOCK + index)


class RoleClass:
    """A terminal: a mention with this role, whatever its name."""

    def __init__(self, role: Role) -> None:
        self.first: frozenset[str] | None = frozenset(character(role, index) for index in range(_BLOCK))

    def match(self, text: str, at: int) -> int:
        """One character, or -1."""
        assert self.first is not None
        return at + 1 if text[at] in self.first else -1


def _apart(found: list[Mention]) -> list[Mention]:
    """The mentions in their order, less those that overlap a longer one, or as long a one that comes first."""
    taken: list[Mention] = []
    for mention in sorted(found, key=lambda item: (item.start - item.end, item.start)):
        for other in taken:
            if mention.start < other.end and other.start < mention.end:
                break
        else:
            taken.append(mention)
    taken.sort(key=_START)
    return taken


def _replaced(text: str, mentions: list[Mention]) -> Spotted:
    parts: list[str] = []
    by_character: dict[str, Mention] = {}
    at = 0
    counts: dict[Role, int] = {}
    marks: dict[tuple[str, tuple[Role, ...]], str] = {}  # who says a name twice says the same
    for mention in mentions:
        role, meant = mention.roles[0], (mention.text, mention.roles)
        index = counts.get(role, 0)
        if meant not in marks and index >= _BLOCK:
            continue
        if meant not in marks:
            marks[meant], counts[role] = character(role, index), index + 1
        mark = marks[meant]
        by_character.setdefault(mark, mention)
        parts += [text[at : mention.start], mark]
        at = mention.end
    return Spotted("".join([*parts, text[at:]]), by_character)


NAMELESS: Final = NameTable()
"""Where no name counts."""
