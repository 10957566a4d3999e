"""What each part of a grammar can begin with, what it needs, and how much the opening of a text alone tells of it.

Lets a choice try only what can still fit. All answers are masks of openings (`Openings`). "Can" errs on the side of
yes, "surely" on the side of no.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from daemon.understand.openings import ANY, END, Openings, Room, Table, opening, pieces, size
from daemon.understand.peg import AnyOrder, Choice, Expression, Literal, Look, OneOf, Ref, Repeat, Sequence

if TYPE_CHECKING:
    from daemon.understand.matchers import Terminal


_NO_NEEDS: frozenset[int] = frozenset()
_WORD_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


class Beginning(NamedTuple):
    """Where an expression can match: reading something, or nothing at all (it may then be a look at what follows)."""

    reading: int
    empty: int


class Firsts:
    """The openings of the expressions of one grammar, found when they are asked for.

    Args:
        rules: The grammar; every rule that is used is among them or among the terminals, and none begins with itself.
        terminals: Rules from outside of it.
        openings: All that there are.
    """

    def __init__(self, rules: Mapping[str, Expression], terminals: Mapping[str, Terminal], openings: Openings) -> None:
        self._rules = rules
        self._openings = openings
        self._of: dict[int, Beginning] = {}  # by identity: the rules live as long as this
        self._same: dict[int, int] = {}  # of thirty thousand masks a quarter differ, of half a kilobyte each
        self._begun_so: dict[str, int] = {}
        self._end = openings.bits[END]
        self._terminals = {name: self._mask(terminal.first) for name, terminal in terminals.items()}
        self._known = {name: Beginning(mask, 0) for name, mask in self._terminals.items()}
        self._sure: dict[str, int] = dict.fromkeys(terminals, 0)
        self._always: dict[str, bool] = dict.fromkeys(terminals, False)
        self._known_needs = {
            name: _NO_NEEDS if terminal.first is None else frozenset({self._terminals[name]})
            for name, terminal in terminals.items()
        }
        self._needs_of: dict[int, frozenset[int]] = {}

    def can_begin(self, expression: Expression) -> int:
        """Where a match is possible."""
        reading, empty = self.beginning(expression)
        return self._once(reading | empty) if reading and empty else reading or empty

    def beginning(self, expression: Expression) -> Beginning:
        """Where a match is possible, apart by whether it reads anything."""
        known = self._of.get(id(expression))
        if known is None:
            reading, empty = self._beginning(expression)
            known = self._of[id(expression)] = Beginning(self._once(reading), self._once(empty))
        return known

    def _once(self, mask: int) -> int:
        return self._same.setdefault(mask, mask)

    def _beginning(self, expression: Expression) -> Beginning:
        # Thousands of them are asked for by the first sentences: a `match` takes twice as long.
        if isinstance(expression, Literal):
            text = expression.text
            return Beginning(self._begun(text), 0) if text else Beginning(0, ANY)
        if isinstance(expression, Sequence):
            return self._beginning_of_all(expression.items)
        if isinstance(expression, Ref):
            return self._rule(expression.rule)
        if isinstance(expression, Choice):
            return self._beginning_of_any(expression.items)
        if isinstance(expression, Repeat):
            reading, empty = self.beginning(expression.item)
            return Beginning(reading, empty if expression.low else ANY)
        if isinstance(expression, AnyOrder):
            return Beginning(self._beginning_of_any(expression.items).reading, 0)
        if isinstance(expression, Look):
            can = self.can_begin(expression.item)
            return Beginning(0, ~self.surely(expression.item) if expression.negated else can)
        return Beginning(self._characters(expression), 0)

    def _beginning_of_all(self, items: tuple[Expression, ...]) -> Beginning:
        first = self.beginning(items[0])
        reading, empty = first
        for item in items[1:]:
            if not empty:
                break
            first = self.beginning(item)
            reading |= empty & first.reading
            empty &= first.empty
        return Beginning(reading, empty)

    def _beginning_of_any(self, items: tuple[Expression, ...]) -> Beginning:
        reading = empty = 0
        for item in items:
            if isinstance(item, Literal) and item.text:  # most are
                reading |= self._begun(item.text)
                continue
            first = self.beginning(item)
            reading |= first.reading
            empty |= first.empty
        return Beginning(reading, empty)

    def _begun(self, text: str) -> int:
        """Where a literal can begin."""
        mask = self._begun_so.get(text)
        if mask is None:
            mask = self._begun_so[text] = self._openings.mask((opening(text),))
        return mask

    def surely(self, expression: Expression) -> int:
        """Openings at which it matches, whatever follows."""
        match expression:
            case Literal(text):
                return self.can_begin(expression) if not text or _told(text) else 0
            case OneOf():
                return self._characters(expression)
            case Ref(name):
                if name not in self._sure:
                    self._sure[name] = 0  # while it is looked for: a rule that uses itself
                    self._sure[name] = self.surely(self._rules[name])
                return self._sure[name]
            case Choice(items):
                return reduce(or_, map(self.surely, items), 0)
            case Sequence(items):
                first, *rest = items
                while rest and self._surely_always(first) and not self.beginning(first).reading:
                    first, *rest = rest
                return self.surely(first) if all(map(self._surely_always, rest)) else 0
            case Repeat():
                return self.surely(expression.item) if expression.low else ANY
            case _:
                return 0

    def needs(self, expression: Expression) -> frozenset[int]:
        """Masks of each of which one opening at least stands in every text that it matches."""
        known = self._needs_of.get(id(expression))
        if known is None:
            known = self._needs_of[id(expression)] = self._found_needs(expression)
        return known

    def _found_needs(self, expression: Expression) -> frozenset[int]:
        match expression:
            case Literal(text):
                return frozenset(self._openings.mask((said,)) for said in pieces(text))
            case OneOf():
                return _NO_NEEDS if expression.negated else frozenset({self._characters(expression)})
            case Ref(name):
                return self._needs_of_rule(name)
            case Repeat():
                return self.needs(expression.item) if expression.low else _NO_NEEDS
            case Look():
                return _NO_NEEDS if expression.negated else self.needs(expression.item)
            case Choice(items):
                return self._needs_of_any(items)
            case Sequence(items):
                return _NO_NEEDS.union(*map(self.needs, items))
            case AnyOrder():
                return self.needs(expression.least)

    def _needs_of_any(self, items: tuple[Expression, ...]) -> frozenset[int]:
        """What all of them need, and one of what each of them needs."""
        together = 0
        common: frozenset[int] | None = None
        for item in items:
            # Most items are literals, and there are thousands of them.
            if isinstance(item, Literal):
                needed, needs = self.beginning(item).reading, None
            else:
                needs = self.needs(item)
                needed = min(needs, key=int.bit_count, default=0)
            if not needed:
                return _NO_NEEDS
            together |= needed
            mine = frozenset({needed}) if needs is None else needs
            common = mine if common is None else common & mine
        return frozenset({together}) | (common or _NO_NEEDS)

    def _needs_of_rule(self, name: str) -> frozenset[int]:
        if name not in self._known_needs:
            self._known_needs[name] = _NO_NEEDS  # while it is looked for: a rule that uses itself
            self._known_needs[name] = self.needs(self._rules[name])
        return self._known_needs[name]

    def _rule(self, name: str) -> Beginning:
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = self.beginning(self._rules[name])
        return found

    def _surely_always(self, expression: Expression) -> bool:
        """Whether it matches everywhere: what is optional, and marks."""
        match expression:
            case Literal(text):
                return not text
            case Ref(name):
                if name not in self._always:
                    self._always[name] = False  # while it is looked for: a rule that uses itself
                    self._always[name] = self._surely_always(self._rules[name])
                return self._always[name]
            case Repeat():
                return not expression.low or self._surely_always(expression.item)
            case Choice():
                return any(map(self._surely_always, expression.items))
            case Sequence():
                return all(map(self._surely_always, expression.items))
            case _:
                return False

    def _characters(self, one: OneOf) -> int:
        mask = self._openings.mask(one.characters - {END})
        return ~mask & ~self._end if one.negated else mask

    def _mask(self, first: frozenset[str] | None) -> int:
        return ~self._end if first is None else self._openings.mask(first)


def _told(text: str) -> bool:
    """Whether the opening at a place tells that this literal stands there: one whole word, or so few characters."""
    if size(opening(text)) < len(text):
        return False
    return (text[0].isascii() and text[0].isalpha()) or _WORD_CHARACTERS.isdisjoint(text)


def makes_node(rule: str) -> bool:
    """Whether what this rule matches stands in the tree."""
    return rule[0].isupper() or "__" in rule


class Sizes:
    """The sizes of the sure matches of the expressions of one grammar.

    Args:
        rules: The grammar.
        openings: All that there are.
        firsts: What its expressions begin with.
        room: For what it remembers.
    """

    def __init__(self, rules: Mapping[str, Expression], openings: Openings, firsts: Firsts, room: Room) -> None:
        self._rules = rules
        self._openings = openings
        self._firsts = firsts
        self._telling: dict[str, bool] = {}
        self._known: Table[tuple[str, str], int | None] = room.shared(Table(self._of_rule, room))

    def tells(self, expression: Expression) -> bool:
        """Whether there may be an opening that tells its size. Most have none."""
        match expression:
            case Literal() | OneOf():
                return self._firsts.surely(expression) != 0
            case Ref(name):
                if name not in self._telling:
                    self._telling[name] = True  # while it is looked for: a rule that uses itself
                    sized = name in self._rules and not makes_node(name)
                    self._telling[name] = sized and self.tells(self._rules[name])
                return self._telling[name]
            case Choice(items):
                return any(map(self.tells, items))
            case Sequence(items):
                return all(map(self.tells, items))
            case Repeat(item, low, many):
                return not low or (not many and self.tells(item))
            case Look():
                return True
            case AnyOrder():
                return False

    def of(self, expression: Expression, said: str) -> int | None:
        """How many characters it surely matches where a text begins so, without making a node; None if in doubt.

        A space before them counts for nothing. 0 is a match of nothing.
        """
        bit = self._openings.bits[said]
        match expression:
            case Literal() | OneOf():
                length = len(expression.text) if isinstance(expression, Literal) else 1
                return length if self._firsts.surely(expression) & bit else None
            case Ref(name):
                return self._known[name, said] if self.tells(expression) else None
            case Choice(items):
                return self._of_first(items, said) if self._firsts.can_begin(expression) & bit else None
            case Sequence(items):
                return self._of_all(items, said)
            case Repeat(item, low, many):
                nothing = not low and not self._firsts.can_begin(item) & bit
                return 0 if nothing else None if many else self.of(item, said)
            case Look(item, negated):
                sure = self._firsts.surely(item) & bit or self.of(item, said) is not None
                return 0 if (not self._firsts.can_begin(item) & bit if negated else sure) else None
            case AnyOrder():
                return None

    def _of_rule(self, asked: tuple[str, str]) -> int | None:
        name, said = asked
        return self.of(self._rules[name], said)

    def _of_first(self, items: tuple[Expression, ...], said: str) -> int | None:
        """That of the first that can match at all."""
        bit = self._openings.bits[said]
        first = next((item for item in items if self._firsts.can_begin(item) & bit), None)
        return self.of(first, said) if first is not None else None

    def _of_all(self, items: tuple[Expression, ...], said: str) -> int | None:
        """As long as nothing is matched, the opening stays the same."""
        told = all(self.of(item, said) == 0 for item in items[:-1])
        return self.of(items[-1], said) if told else None
