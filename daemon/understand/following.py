"""What can come second, where an expression of a grammar matches at some opening: "on" or "off", behind "turn"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from daemon.understand.first import Firsts
from daemon.understand.openings import ANY, Openings, Room, Table, opening, size
from daemon.understand.peg import Choice, Expression, Literal, Ref, Repeat, Sequence


class After(NamedTuple):
    """What can follow the first opening of a match: inside of the match, or behind it where it ends there."""

    inside: int
    behind: int


_ALL = After(ANY, ANY)
_NOTHING = After(0, 0)


class Follows:
    """The second openings of the expressions of one grammar; never too few.

    Args:
        rules: The grammar.
        openings: All that there are.
        firsts: What its expressions begin with.
        words: Of the rules from outside of it, those that are lists of words.
        room: For what it remembers.
    """

    def __init__(
        self,
        rules: Mapping[str, Expression],
        openings: Openings,
        firsts: Firsts,
        words: Mapping[str, Iterable[str]],
        room: Room,
    ) -> None:
        self._rules = rules
        self._openings = openings
        self._firsts = firsts
        self._words = {name: _by_first(found) for name, found in words.items()}
        self._room = room
        self._after: Table[tuple[str, str], After] = room.shared(Table(self._after_known, room))
        self._choices: dict[int, list[tuple[int, Expression]]] = {}  # by identity, as the rules live as long

    def of(self, expression: Expression, said: str) -> int:
        """The mask of the second openings with which a match is possible whose first opening is `said`."""
        if self._firsts.beginning(expression).empty & self._openings.bits[said]:
            return ANY
        inside, behind = self._after_in(expression, said)
        return self._room.same(inside | behind)

    def _after_in(self, expression: Expression, said: str) -> After:
        """What can follow `said` in an expression that can begin with it."""
        match expression:
            case Literal(text):
                return self._after_literal(text, said)
            case Ref(name):
                return self._after[name, said]
            case Choice():
                return self._after_choice(expression, said)
            case Sequence(items):
                return self._after_sequence(items, said)
            case Repeat(item):
                inside, behind = self._after_in(item, said)
                return After(inside | (behind & self._firsts.beginning(item).reading), behind)
            case _:
                return _ALL

    def _after_literal(self, text: str, said: str) -> After:
        rest = text[size(said) :].lstrip(" ")
        if rest:
            return After(self._openings.mask((opening(rest),)), 0)
        return After(0, ANY) if len(text) == size(said) else _ALL

    def _after_known(self, asked: tuple[str, str]) -> After:
        """Of a rule, behind an opening."""
        name, said = asked
        rule = self._rules.get(name)
        inside, behind = self._after_in(rule, said) if rule is not None else self._after_word(name, said)
        return After(self._room.same(inside), self._room.same(behind))

    def _after_word(self, name: str, said: str) -> After:
        if name not in self._words:
            return _ALL
        inside, behind = _NOTHING
        for word in self._words[name].get(said[0], ()):
            if opening(word) == said or not said.endswith(" "):
                after = self._after_literal(word, said)
                inside |= after.inside
                behind |= after.behind
        return After(inside, behind)

    def _after_choice(self, choice: Choice, said: str) -> After:
        known = self._choices.get(id(choice))
        if known is None:
            known = [(self._firsts.beginning(item).reading, item) for item in choice.items]
            self._choices[id(choice)] = known
        bit = self._openings.bits[said]
        inside, behind = _NOTHING
        for reading, item in known:
            if reading & bit:
                after = self._after_in(item, said)
                inside |= after.inside
                behind |= after.behind
                if inside == ANY:
                    break
        return After(inside, behind)

    def _after_sequence(self, items: tuple[Expression, ...], said: str) -> After:
        bit = self._openings.bits[said]
        inside, behind = _NOTHING
        at_start = True
        for item in items:
            first = self._firsts.beginning(item)
            inside |= behind & first.reading
            behind &= first.empty
            if at_start and first.reading & bit:
                after = self._after_in(item, said)
                inside |= after.inside
                behind |= after.behind
            at_start = at_start and bool(first.empty & bit)
            if inside == ANY or not (at_start or behind):
                break
        return After(inside, behind)


def _by_first(words: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[0], []).append(word)
    return found
