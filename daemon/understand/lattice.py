"""All parts of a command that can be found anywhere in a text, each by itself: what the reader's rows are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from daemon.understand.combining import Trials
from daemon.understand.lexicon import WordClass
from daemon.understand.matchers import Node, Run, Terminal
from daemon.understand.openings import END, PLACES
from daemon.understand.parser import Parser
from daemon.understand.sorts import CLAUSE, CORRECTION, FILLER, LEADING, LEFT_OVER, NOTHING, STRANGER, TALK, WITH

_BEFORE_A_CLAUSE = frozenset({"comma", "joint", TALK})
_TAKING_BACK = frozenset({CORRECTION, NOTHING})
_SAYING = frozenset({CORRECTION, NOTHING, "joint", "comma"})
"""What is never passed over, though a filler has the same words."""
_LEADS = LEADING | {"joint"}
"""Behind which stands what nobody knows, and something is done to."""
_NAMED = "named"
"""The cost of a whole command about a name that nobody knows, or when something happens that nobody knows."""


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
        rules: Sort of part -> the rule that matches it; `clause`: that of a command that the grammar reads as a whole.
        telling: The rule of how people begin to tell something.
        costs: What each sort costs.
        fillers: What means nothing wherever it stands.
        passed: What may stand in no part.
    """

    def __init__(
        self,
        parser: Parser,
        rules: Mapping[str, str],
        telling: str,
        costs: Mapping[str, float],
        fillers: Iterable[str],
        passed: Passed,
    ) -> None:
        self._parser = parser
        self._sorts = {rule: sort for sort, rule in rules.items() if sort != CLAUSE}
        self._parts = parser.begun(rule for rule, sort in self._sorts.items() if sort not in (*WITH, STRANGER))
        self._strangers = parser.begun(rule for rule, sort in self._sorts.items() if sort == STRANGER)
        groups = dict.fromkeys(WITH[sort] for sort in self._sorts.values() if sort in WITH)
        self._beside = [
            (others, parser.begun(rule for rule, sort in self._sorts.items() if WITH.get(sort) == others))
            for others in groups
        ]
        """What is only looked for where one of these other sorts was found."""
        self._commands = parser.begun([rules[CLAUSE]] if CLAUSE in rules else [])
        self._telling = parser.begun(parser.known([telling]))
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
        starts = {part.end for part in said if part.sort in _BEFORE_A_CLAUSE}
        # "Scratch that, open it" begins nothing new where something was said before.
        starts = {place for place in starts if _TAKING_BACK.isdisjoint(part.sort for part in begun[place])}
        starts.add(places[0])
        while starts:
            commands = list(self._clauses(run, sorted(starts - {len(text)}), ends))
            for part in commands:
                begun[part.start].append(part)
            starts = {part.end for part in commands if all(other.sort != CLAUSE for other in begun[part.end])} - starts
        closed = text + END
        marked = {part.end for part in said if part.sort == "mark"}  # 把那个: no hesitation, but what it is done to
        for place in places:
            if any(part.sort in _SAYING for part in begun[place]):
                continue
            if place not in marked and (end := self._fillers.match(closed, place)) > 0:
                begun[place].append(Part(FILLER, place, ends[end], (), self._costs[FILLER]))
            verb = any(part.sort in LEADING for part in begun[place])
            if (left := self._passed.part(closed, place, ends[place + 1], verb=verb)) is not None:
                begun[place].append(left)
        return begun

    def told(self, text: str, places: Iterable[int]) -> dict[int, Node]:
        """Where somebody may begin to tell something, and that beginning."""
        begun = self._parser.found(self._telling, self._parser.begin(text), sorted(places)[:-1])
        return {node.start: node for node in begun}

    def aside(self, start: int, end: int, topic: Part | None) -> Part:
        """Talk, as a part; where it tells of something that the rest leans on, it is that."""
        cost = self._costs[TALK]
        if topic is None:
            return Part(TALK, start, end, (), cost)
        return Part(topic.sort, start, end, topic.nodes, cost + topic.cost)

    def _said(self, parts: Trials, run: Run, places: Sequence[int], ends: Sequence[int]) -> Iterator[Part]:
        for node in self._parser.found(parts, run, places):
            sort = self._sorts[node.rule]
            yield Part(sort, node.start, ends[node.end], node.children, self._costs[sort])

    def _clauses(self, run: Run, places: Iterable[int], ends: Sequence[int]) -> Iterator[Part]:
        for node in self._parser.found(self._commands, run, places):
            cost = self._costs[_NAMED if has_free_name(node, "Beyond") else CLAUSE]
            yield Part(CLAUSE, node.start, ends[node.end], node.children, cost)


def has_free_name(node: Node, *others: str) -> bool:
    """Whether words that nobody knows are taken for a name in it; or for another part that is called so."""
    return any(child.rule.startswith(("Span", *others)) or has_free_name(child, *others) for child in node.children)


def _ends(text: str, places: Sequence[int]) -> list[int]:
    """For each place in the text, the first at or behind it where a word can begin; its end where none can."""
    out = [len(text)] * (len(text) + 2)
    known = set(places)
    for index in range(len(text) - 1, -1, -1):
        out[index] = index if index in known else out[index + 1]
    return out
