"""All parts of a command that can be found anywhere in a text, each by itself; and the cheapest rows of them.

In a row every word of the text is in exactly one part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from msgspec import Struct

from daemon.understand.combining import Trials
from daemon.understand.lexicon import WordClass
from daemon.understand.matchers import Node, Run, Terminal
from daemon.understand.openings import PLACES
from daemon.understand.parser import Parser
from daemon.understand.sorts import (
    ASKED,
    ASKING,
    CORRECTION,
    FILLER,
    GAPS,
    LEADING,
    LEFT_OVER,
    NOTHING,
    STRANGER,
    TALK,
    WITH,
)

_SAYING = frozenset({CORRECTION, NOTHING, "joint", "comma"})
"""What is never passed over, though a filler has the same words."""
_LEADS = LEADING | {"joint"}
"""Behind which stands what nobody knows, and something is done to."""
_TOLD = "told"
"""The cost of a time that nobody knows, at which something happens."""


class Part(Struct, frozen=True, gc=False):
    """What a part rule, a filler or a word that nothing is made of has matched: `text[start:end]`."""

    sort: str
    start: int
    end: int
    nodes: tuple[Node, ...]
    """What it says, as the grammar would have said it."""
    cost: float

    def covers(self, place: int) -> bool:
        """Whether the text at a place is in it."""
        return self.start <= place < self.end


Lattice = Mapping[int, Sequence[Part]]
"""The parts of a text by the place at which they begin; every place where a word can begin, and the end, is there."""


class Left(Struct, frozen=True):
    """What a word costs that stands in no part."""

    word: float
    small: float
    """The same of one that says little about anything."""


class Passed(Struct, frozen=True):
    """What may stand in no part."""

    cost: Left
    small: WordClass
    """What says little."""
    never: Sequence[Terminal]
    """What may not: it could have changed what was meant."""

    def part(self, closed: str, place: int, after: int, *, verb: bool) -> Part | None:
        """The word there, as one that is left over; None where it may not be. A `verb` never says little."""
        if not verb and self.small.match(closed, place) > 0:
            return Part(LEFT_OVER, place, after, (), self.cost.small)
        if any(words.match(closed, place) > 0 for words in self.never):
            return None
        return Part(LEFT_OVER, place, after, (), self.cost.word)


class Finder:
    """Finds the parts of one language. Safe to use from any thread.

    Args:
        parser: The grammar of all languages.
        rules: Sort of part -> the rule that matches it.
        telling: The rule of how people begin to tell something.
        timing: The rule of what is told of a time.
        dating: That of what is told of a day.
        costs: What each sort costs.
        fillers: What means nothing wherever it stands.
        passed: What may stand in no part.
    """

    def __init__(
        self,
        parser: Parser,
        rules: Mapping[str, str],
        telling: str,
        timing: str,
        dating: str,
        costs: Mapping[str, float],
        fillers: Iterable[str],
        passed: Passed,
    ) -> None:
        self._parser = parser
        self._sorts = {rule: sort for sort, rule in rules.items()}
        self._parts = parser.begun(rule for rule, sort in self._sorts.items() if sort not in (*WITH, STRANGER))
        self._strangers = parser.begun(rule for rule, sort in self._sorts.items() if sort == STRANGER)
        groups = dict.fromkeys(WITH[sort] for sort in self._sorts.values() if sort in WITH)
        self._beside = [
            (others, parser.begun(rule for rule, sort in self._sorts.items() if WITH.get(sort) == others))
            for others in groups
        ]
        """What is only looked for where one of these other sorts was found."""
        self._telling = parser.begun(parser.known([telling]))
        self._timing, self._dating = (parser.begun(parser.known([rule])) for rule in (timing, dating))
        self._costs = costs
        self._fillers = WordClass(dict.fromkeys(fillers, ""))
        self._passed = passed

    def found(self, text: str) -> dict[int, list[Part]]:
        """The lattice of a text, which is not empty."""
        places = [found.start() for found in PLACES.finditer(text)]
        ends = _ends(text, places)
        begun: dict[int, list[Part]] = {place: [] for place in (*places, len(text))}
        run = self._parser.begin(text)
        said = list(self._said(self._parts, run, places, ends))
        sorts = {part.sort for part in said}
        led = {part.end for part in said if part.sort in _LEADS} | {part.start for part in said if part.sort == "mark"}
        said += self._said(self._strangers, run, sorted(led - {len(text)}), ends)
        for others, parts in self._beside:
            if not others.isdisjoint(sorts):
                said += self._said(parts, run, places, ends)
        for part in said:
            begun[part.start].append(part)
        marked = {part.end for part in said if part.sort == "mark"}  # 把那个: no hesitation, but what it is done to
        for place in places:
            if any(part.sort in _SAYING for part in begun[place]):
                continue
            if place not in marked and (end := self._fillers.match(run.closed, place)) > 0:
                begun[place].append(Part(FILLER, place, ends[end], (), self._costs[FILLER]))
            verb = any(part.sort in LEADING for part in begun[place])
            if (left := self._passed.part(run.closed, place, ends[place + 1], verb=verb)) is not None:
                begun[place].append(left)
        return begun

    def told(self, text: str, places: Iterable[int]) -> dict[int, Node]:
        """Where somebody may begin to tell something, and that beginning."""
        begun = self._parser.found(self._telling, self._parser.begin(text), sorted(places)[:-1])
        return {node.start: node for node in begun}

    def times(self, text: str) -> tuple[Node, ...]:
        """What the text tells of times, wherever it does."""
        return self._anywhere(text, self._timing)

    def days(self, text: str) -> tuple[Node, ...]:
        """What the text tells of days and parts of them, wherever it does."""
        return self._anywhere(text, self._dating)

    def _anywhere(self, text: str, rules: Trials) -> tuple[Node, ...]:
        places = (found.start() for found in PLACES.finditer(text))
        found = self._parser.found(rules, self._parser.begin(text), places)
        return tuple(node for timed in found for node in timed.children)

    def aside(self, start: int, end: int, topic: Part | None) -> Part:
        """Talk, as a part; where it tells of something that the rest leans on, it is that."""
        cost = self._costs[TALK]
        if topic is None:
            return Part(TALK, start, end, (), cost)
        return Part(topic.sort, start, end, topic.nodes, cost + topic.cost)

    def _said(self, parts: Trials, run: Run, places: Sequence[int], ends: Sequence[int]) -> Iterator[Part]:
        for node in self._parser.found(parts, run, places):
            sort = self._sorts[node.rule]
            cost = self._costs[_TOLD if sort == "when" and _is_beyond(node) else sort]
            yield Part(sort, node.start, ends[node.end], node.children, cost)


def _is_beyond(node: Node) -> bool:
    """Whether it says when something happens that nobody knows."""
    return any(child.rule.startswith("Beyond") or _is_beyond(child) for child in node.children)


def _ends(text: str, places: Sequence[int]) -> list[int]:
    """For each place in the text, the first at or behind it where a word can begin; its end where none can."""
    out = [len(text)] * (len(text) + 2)
    known = set(places)
    for index in range(len(text) - 1, -1, -1):
        out[index] = index if index in known else out[index + 1]
    return out


_MOST = 16
"""How many rows are kept to each place: of those that ask something, and of those that do not."""
_MANY = 8
"""Rows to a comma from which on those are preferred that say something as far as there."""
_UNLIKELY = 1.0
"""How far the others are behind."""
_LONGEST = 10
"""Parts that may wait for what makes a command of them."""
_ENDLESS = 40
"""Parts; so many say nothing, and take long to say it."""
_BETWEEN = GAPS.keys() - {"mark", "begs"}
_ASKS = ASKING | ASKED


class Row(Struct, frozen=True):
    """Parts side by side, from the first word to the last."""

    cost: float
    parts: tuple[Part, ...]
    asks: bool = False
    """Whether a part of it is one of a question."""
    said: int = 0
    """How many of the parts are of commands that are whole."""
    unsaid: int = 0
    """How often something before them was none."""

    @property
    def rank(self) -> float:
        """What it seems to cost as long as it has no end."""
        return self.cost + self.unsaid * _UNLIKELY


def cover(lattice: Lattice, says: Callable[[tuple[Part, ...]], bool]) -> list[Row]:
    """The rows that cover a text, the cheapest first; none where a word is in no part and may not be left over.

    Args:
        lattice: The parts.
        says: Whether parts are of whole commands. Of many rows, those are kept first that are so from comma to comma:
            what may be three things in each of ten commands would else leave no row that is right in all.
    """
    known: dict[tuple[int, ...], bool] = {}

    def says_once(parts: tuple[Part, ...]) -> bool:
        key = tuple(map(id, parts))
        if key not in known:
            known[key] = says(parts)
        return known[key]

    places = sorted(lattice)
    reached: dict[int, list[Row]] = {place: [] for place in places}
    reached[places[0]] = [Row(0.0, ())]
    for place in places:
        rows = sorted(reached[place], key=attrgetter("rank"))
        if len(rows) >= _MANY and any(row.parts[-1].sort in _BETWEEN for row in rows):
            rows = sorted((_told(row, says_once) for row in rows[: 2 * _MOST]), key=attrgetter("rank"))
        if len(rows) > _MOST:  # "open" and "get" may ask and order: neither crowds out the other
            asking, ordering = ([row for row in rows if row.asks is asks][:_MOST] for asks in (True, False))
            rows = sorted((*asking, *ordering), key=attrgetter("rank"))
        reached[place] = rows
        for part in lattice[place]:
            asks = part.sort in _ASKS
            reached[part.end] += [
                Row(row.cost + part.cost, (*row.parts, part), asks or row.asks, row.said, row.unsaid) for row in rows
            ]
    return sorted(reached[places[-1]], key=attrgetter("cost"))


def _told(row: Row, says: Callable[[tuple[Part, ...]], bool]) -> Row:
    """The row, knowing how much of it says something up to the gap that it ends with."""
    if row.parts[-1].sort not in _BETWEEN:
        return row
    parts = row.parts[row.said : -1]
    corrects = any(part.sort == CORRECTION for part in parts)  # what was said before it
    if not parts or (len(parts) <= _ENDLESS and says(row.parts[:-1] if corrects else parts)):
        return Row(row.cost, row.parts, row.asks, len(row.parts), row.unsaid)
    given_up = len(parts) > _LONGEST
    return Row(row.cost, row.parts, row.asks, len(row.parts) if given_up else row.said, row.unsaid + 1)


def stuck(lattice: Lattice) -> int | None:
    """The furthest place that rows come to, where none comes to the end."""
    places = sorted(lattice)
    reached = {places[0]}
    for place in places:
        if place in reached:
            reached.update(part.end for part in lattice[place])
    return max(reached) if places[-1] not in reached else None
