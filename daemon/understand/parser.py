"""Runs a grammar over a text: packrat parsing to a tree of nodes.

Two things differ from a character grammar, so that a grammar of sentences stays readable: spaces before a terminal are
skipped, and a literal that begins or ends in a Latin letter does so at a word's edge ("on" is not in "one").
Each rule whose name begins with a capital, or contains `__`, makes a node; other rules are helpers.

What a place can begin with decides what is compiled and tried there: a sentence costs what its words can mean, not what
the grammar holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary
from weakref import ref as weakly

from daemon.core.errors import ConfigError
from daemon.understand import combining, matchers
from daemon.understand.combining import Fitting, Options, Step, Trials
from daemon.understand.first import Firsts, Sizes, makes_node
from daemon.understand.matchers import Matcher, Node, Run, Terminal
from daemon.understand.openings import END, Needs, Openings, Room, Table, pieces
from daemon.understand.peg import (
    AnyOrder,
    Choice,
    Expression,
    Literal,
    Look,
    OneOf,
    Ref,
    Repeat,
    Sequence,
    Survey,
    survey,
)
from daemon.understand.supposing import refuse_circles

_NOTHING = Literal("")
MOST_HELD = 60_000
"""Entries of its tables: some hundred quite different sentences take them all. What went is soon made again."""
_COMPILED = 4
"""What an alternative takes that is compiled, in entries."""


class Parser:
    """Compiles what is needed when it is first needed; `parse` may be called from any thread.

    Args:
        rules: The grammar.
        terminals: Rules from outside of it.
        where: The file of each rule, for errors.
        most: Entries of its tables.

    Raises:
        ConfigError: a rule is used and never defined, or begins with itself.
    """

    def __init__(
        self,
        rules: Mapping[str, Expression],
        terminals: Mapping[str, Terminal],
        where: Mapping[str, Path],
        most: int = MOST_HELD,
    ) -> None:
        self._rules = rules
        self._terminals = terminals
        self.survey = survey(rules)
        """What stands in the grammar."""
        for name, ref in self.survey.uses:
            if ref.rule not in rules and ref.rule not in terminals:
                raise ConfigError(
                    where[name], ref.line, name, f"{ref.rule} is not defined", "define it, or correct the name"
                )
        refuse_circles(rules, where)
        self._uses = Counter(ref.rule for _, ref in self.survey.uses)
        self.room = Room(most)
        """What its tables take."""
        self._openings = Openings(_known(self.survey, terminals))
        self._firsts = Firsts(rules, terminals, self._openings)
        self._indices = {name: index for index, name in enumerate(rules)}
        self._needs = Needs(self._openings)
        self._sizes = Sizes(rules, self._openings, self._firsts, self.room)
        self._asked: dict[str, Matcher] = {}
        self._compiled: WeakValueDictionary[str, Matcher] = WeakValueDictionary()

    def known(self, rules: Iterable[str]) -> tuple[str, ...]:
        """Those of these rules that there are."""
        return tuple(rule for rule in rules if rule in self._rules)

    def parse(self, rule: str, text: str) -> Node | None:
        """The tree of the whole `text` (lower case, single spaces, no `END`); None where it does not fit.

        Nor does what is nested so deep (dozens of corrections, one inside the other) that the stack is not enough.
        """
        nodes: list[Node] = []
        matcher = self._asked.get(rule) or self._asked.setdefault(rule, self._rule(rule))
        end = _matched(matcher, 0, nodes, self.begin(text))
        if end < 0 or text[end:].strip():
            return None
        return Node(rule, 0, end, tuple(nodes))

    def begun(self, rules: Iterable[str]) -> Trials:
        """What of these rules can match at a place, each as a node of its own: for `found`."""
        refs = [Ref(rule, 0) for rule in rules]
        named = [
            _Alternative(ref, self._firsts.beginning(ref).reading, combining.node(ref.rule, self._rule(ref.rule)))
            for ref in refs
        ]
        return self.room.shared(Table(partial(self.fits, named), self.room))

    def begin(self, text: str) -> Run:
        """What is known of a text before it is parsed, and of its parts once they were."""
        openings = self._openings.of(text + END)
        return Run(text + END, openings, self._needs.lacking(set(openings)))

    def found(self, begun: Trials, run: Run, places: Iterable[int]) -> Iterator[Node]:
        """What each of these rules matches at each of these places of a text, as a node that is called as the rule.

        What is nested too deep is not found, as by `parse`.
        """
        openings, lacking = run.openings, run.lacking
        for place in places:
            for needs, matcher in begun[openings[place]]:
                nodes: list[Node] = []
                if not needs & lacking and _matched(matcher, place, nodes, run) > place:
                    yield nodes[0]

    def _rule(self, name: str) -> Matcher:
        made = self._compiled.get(name)
        if made is None:
            made = self._compiled[name] = self._made(name)
        return made

    def _made(self, name: str) -> Matcher:
        if name in self._terminals:
            return matchers.terminal(name, self._terminals[name], makes_node=makes_node(name))
        expression = self._rules[name]
        node = name if makes_node(name) else None
        if node is not None and expression == _NOTHING:
            return matchers.mark(node)
        if self._uses[name] > 1 and self._worth_a_memo(expression):
            return combining.memoised(self._trials(expression), self._indices[name], len(self._indices), node)
        matcher = self._expression(expression)
        return combining.node(node, matcher) if node is not None else matcher

    def _expression(self, expression: Expression) -> Matcher:
        match expression:
            case Literal(text):
                return matchers.literal(text)
            case OneOf():
                return matchers.anything if expression.negated else matchers.one_of(expression.characters)
            case Ref(name):
                return self._rule(name)
            case Sequence(items):
                return combining.sequence(map(self._step, items))
            case Choice():
                return combining.choice(self._options(expression))
            case Repeat(item, low, many):
                options = self._options(item)
                return (
                    combining.repeat(combining.choice(options), low) if many else combining.choice(options, must=False)
                )
            case Look():
                return self._look(expression)
            case AnyOrder(items, frames):
                return combining.any_order([self._options(item) for item in items], frames)

    def _step(self, expression: Expression) -> Step:
        """An item of a sequence."""
        if isinstance(expression, Repeat) and not expression.low and not expression.many:
            return self._options(expression.item), False
        return self._options(expression), True

    def _look(self, look: Look) -> Matcher:
        item = look.item
        if look.negated and isinstance(item, OneOf) and item.negated:
            return matchers.end_of_text
        return combining.look(self._expression(item), negated=look.negated)

    def _options(self, expression: Expression) -> Options:
        """As `_trials`, or how much is matched where nothing has to be tried."""
        trying = _Trying(self, expression)
        sized = self._sizes.tells(expression)
        return self.room.shared(Table(trying.sized if sized else trying.fitting, self.room))

    def _trials(self, expression: Expression) -> Trials:
        """What of an expression can fit where."""
        return self.room.shared(Table(_Trying(self, expression).fitting, self.room))

    def fits(self, alternatives: Iterable[_Alternative], said: str) -> Fitting:
        """What of these can fit where a text begins so."""
        bit = self._openings.bits[said]
        return self.room.same(tuple(self._fitting(item, bit) for item in alternatives if item.openings & bit))

    def alternatives(self, expression: Expression) -> tuple[_Alternative, ...]:
        """What an expression is a choice between."""
        return tuple(_Alternative(item, self._firsts.can_begin(item)) for item in self._alternatives(expression))

    def can_begin(self, expression: Expression, said: str) -> bool:
        """Whether it can match where a text begins so."""
        return self._firsts.can_begin(expression) & self._openings.bits[said] != 0

    def size(self, expression: Expression, said: str) -> int | None:
        """How much it surely matches where a text begins so; None if in doubt."""
        return self._sizes.of(expression, said)

    def _alternatives(self, expression: Expression) -> Iterator[Expression]:
        """What a choice is between, with the choices in its place that are only made here."""
        match expression:
            case Choice(items):
                for item in items:
                    yield from self._alternatives(item)
            case Ref(name) if name in self._rules and self._uses[name] == 1 and not makes_node(name):
                yield from self._alternatives(self._rules[name])
            case _:
                yield expression

    def _fitting(self, item: _Alternative, bit: int) -> tuple[int, Matcher]:
        """What an alternative needs besides this opening, and its matcher."""
        matcher = item.matcher or item.compiled()
        if matcher is None:
            matcher = self._expression(item.expression)
            item.compiled = weakly(matcher)
            self.room.take(_COMPILED)
        needs = self._firsts.needs(item.expression) if isinstance(item.expression, Sequence | Ref | AnyOrder) else ()
        return self._needs.of(need for need in needs if not need & bit), matcher

    def _worth_a_memo(self, expression: Expression) -> bool:
        """Whether matching it takes longer than remembering it: where it leads to other rules than marks."""
        match expression:
            case Ref(name):
                return name in self._rules and self._rules[name] != _NOTHING
            case Sequence(items) | Choice(items) | AnyOrder(items):
                return any(map(self._worth_a_memo, items))
            case Repeat(item) | Look(item):
                return self._worth_a_memo(item)
            case _:
                return False


class _Trying:
    """What of one expression can fit where a text begins so; most can hardly anywhere."""

    __slots__ = ("_alternatives", "_expression", "_parser")

    def __init__(self, parser: Parser, expression: Expression) -> None:
        self._parser = parser
        self._expression = expression
        self._alternatives: tuple[_Alternative, ...] | None = None

    def fitting(self, said: str) -> Fitting:
        """What is to be tried."""
        if not self._parser.can_begin(self._expression, said):
            return ()
        if self._alternatives is None:
            self._alternatives = self._parser.alternatives(self._expression)
        return self._parser.fits(self._alternatives, said)

    def sized(self, said: str) -> int | Fitting:
        """The same, or how much is matched where nothing has to be tried."""
        length = self._parser.size(self._expression, said) if self._parser.can_begin(self._expression, said) else None
        return self.fitting(said) if length is None else length


class _Alternative:
    """One of the things that may come at a place, compiled when it is first tried, and as long as it is held.

    A `matcher` that is given stays.
    """

    __slots__ = ("compiled", "expression", "matcher", "openings")

    def __init__(self, expression: Expression, openings: int, matcher: Matcher | None = None) -> None:
        self.expression = expression
        self.openings = openings
        self.matcher = matcher
        self.compiled: Callable[[], Matcher | None] = _not_yet


def _not_yet() -> None:
    """Nothing is compiled."""


def _matched(matcher: Matcher, place: int, nodes: list[Node], run: Run) -> int:
    try:
        return matcher(run.closed, place, nodes, run)
    except RecursionError:
        return -1


def _known(found: Survey, terminals: Mapping[str, Terminal]) -> set[str]:
    """Every opening in a grammar, of what anything begins with or goes on with."""
    known = set(found.characters)
    for text in found.literals:
        known.update(pieces(text))
    return known.union(*(terminal.first for terminal in terminals.values() if terminal.first))
