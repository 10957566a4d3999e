"""Talk beside a command: what stands apart in a sentence and orders nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise

from msgspec import Struct

from daemon.understand.lattice import Lattice, Part
from daemon.understand.lexicon import WordClass
from daemon.understand.matchers import Node, Terminal
from daemon.understand.openings import END
from daemon.understand.sorts import CORRECTION, FILLER, LEADING, NOTHING, SWITCHING

_ORDERING = frozenset({CORRECTION, NOTHING, "sole", "listed", "spared"})
"""What no talk has."""
_SAYING = frozenset({"sole", "finds"})
"""What is a command or a question by itself."""
_BEFORE = frozenset({"joint", "if", FILLER})
"""What stands before what is to be done, and says nothing of it."""
_NAMING = frozenset({"target", "place"})
_TELLING = frozenset({"target", "level", "value", "limit", "more", "attribute"})
"""What talk has none of that begins in no way of its own."""
_SEVERAL = frozenset({"target", "every"})
_PLURAL = frozenset({"KINDS", "NAMEKINDS", "quantifier__all"})
_WISHED = "wished__yes"
"""Marks what begins a wish for how something is to be; what is told behind it is wished too."""
_WHOLE = "said__whole"
"""Marks a beginning that is all that is told: "the kids are asleep"."""
_ABOUT = "about__place"
"""Marks a beginning that tells where somebody wants something."""
_TOLD = "told__yes"
"""Marks what leans on a time that was told before."""
_PAST = "past__yes"
"""Marks what tells how long something took, or has been so: no length of time of any command."""
_NAMELESS = "names__nothing"
_IT = "reference__it"
_THERE = "reference__there"
_SHORTEST = 2
"""Places; a single word is no remark."""
_NAME = 8
"""Places; what is longer is no name with a word that switches."""


class Aside(Struct, frozen=True):
    """Where talk begins and ends, and what the rest leans on: "the lamp is flickering, turn it off"."""

    start: int
    end: int
    topic: Part | None = None


class Asides(Struct, frozen=True):
    """Knows talk by how it begins and by its words; all classes are of the lexicon."""

    openers: WordClass
    """Begin talk about somebody, whatever stands in them."""
    reasons: WordClass
    """Begin a reason, wherever they stand; it may say when."""
    so: WordClass
    """Begin what comes of it."""
    closing: WordClass
    """End what is told."""
    takes_back: WordClass
    """Takes back what is said beside it."""
    bends: WordClass
    """Turns what is named beside it, or makes it depend on something."""
    points: WordClass
    """Points at something, or asks."""
    vague: WordClass
    """Names nothing that one could mean: "I left my things in the hall"."""
    hazards: Sequence[Terminal]
    """Say something that may be meant for a home."""
    names: Sequence[Terminal]
    """Those of them that name something there."""
    places: Sequence[Terminal]
    things: Sequence[Terminal]
    """Names of things, which stand where they stand."""
    numbers: Terminal

    def found(self, text: str, lattice: Lattice, told: Mapping[int, Node]) -> Iterator[Aside]:
        """Where talk begins and ends: between commas, or from a "because", up to a "so".

        Args:
            text: Normalized.
            lattice: Its parts.
            told: Where somebody may begin to tell something, and that beginning.
        """
        closed = text + END
        places = sorted(lattice)[:-1]
        commas = {place for place in places if closed[place] == ","}
        sos = {place for place in places if self.so.match(closed, place) > 0}
        over = {after for before, after in pairwise(places) if self.closing.match(closed, before) > 0}
        reasons = [place for place in places if self.reasons.match(closed, place) > 0]
        apart = [after for before, after in pairwise(places) if before in commas or (before in sos and after in told)]
        ordering = [place for place in places if self._orders(closed, place, lattice)]
        timing = {place for place in places if any(part.sort == "when" for part in lattice[place])}
        ordering_or_timing = sorted(timing.union(ordering)) if timing else ordering
        number = cache(partial(self.numbers.match, closed))
        leaning = max((at for at in timing if any(map(_leans, lattice[at]))), default=-1)
        untimed = _outside_of_times(ordering, lattice) if leaning >= 0 else ordering
        for start in dict.fromkeys((places[0], *apart, *reasons)):
            opened = self.openers.match(closed, start)
            if start in told and _has(_PAST, told[start].children):
                yield self._past(closed, start, told[start].end, places, lattice)
                continue
            ends = [place for place in places if place > start and place in commas][:1] or [len(text)]
            over_so = [place for place in places if place in sos or (start in told and place in over)]
            ends += _ends_before(start, ends[0], told.get(start), over_so, opened=opened > 0 or start in reasons)
            for end in dict.fromkeys(ends):
                first, behind = bisect_left(places, start), bisect_left(places, end)
                if behind - first < _SHORTEST or _is_said(lattice, start, end):
                    continue
                # "Dinner is at eight, ten minutes before that ...": the time is told for the other's sake.
                if end <= leaning and _none(untimed, max(start, opened), end):
                    yield Aside(start, end)
                    continue
                alone = not (opened > 0 or start in told or end in over)
                if _counts(closed, start, end, number) or (alone and _switches(lattice, places[first:behind], end)):
                    continue
                barred = ordering if start in reasons else ordering_or_timing
                if _none(barred, max(start, opened), end):
                    yield Aside(start, end)
                elif start in told:
                    inside, rest = places[first:behind], places[:first] + places[behind:]
                    yield from self._told(closed, Aside(start, end), told[start], inside, rest, lattice)

    def _past(self, closed: str, start: int, end: int, places: Sequence[int], lattice: Lattice) -> Aside:
        """What tells how long something took; the one thing that it names is "it" behind it."""
        end = next((place for place in places if place >= end), len(closed) - len(END))
        inside = [place for place in places if start <= place < end]
        parts = [part for place in inside for part in lattice[place] if part.end <= end]
        named = _any((*self.names, *self.places), closed, (at for at in places if at < start or at >= end))
        return Aside(start, end, None if named else _only_named(parts))

    def _orders(self, closed: str, place: int, lattice: Lattice) -> bool:
        """Whether something there may be meant for a home."""
        if any(part.sort in _TELLING or part.sort in _ORDERING for part in lattice[place]):
            return True
        if any(
            part.sort == "way" and any(after.sort == "amount" for after in lattice[part.end]) for part in lattice[place]
        ):
            return True  # 降一点
        return _any((self.takes_back, self.bends, self.points, *self.hazards), closed, [place])

    def _told(
        self, closed: str, aside: Aside, opening: Node, inside: Sequence[int], outside: Sequence[int], lattice: Lattice
    ) -> Iterator[Aside]:
        """What tells how things are; it may name them, as long as nothing else leans on that."""
        behind = [place for place in inside if place >= opening.end]
        inside = behind if _has(_NAMELESS, opening.children) else inside
        inside = [place for place in inside if self.vague.match(closed, place) <= 0]
        parts = [part for place in inside for part in lattice[place] if part.end <= aside.end]
        parts = [part for part in parts if part.start > aside.start or not _says(_IT, part)]  # "it smells in here"
        sorts = {part.sort for part in parts}
        timed = "when" in sorts and _any([self.numbers], closed, inside)
        # "We're about to start the film" orders nothing; "I mean the lamp" corrects.
        told = [part for part in parts if part.start >= opening.end or part.sort not in LEADING | {"sole"}]
        said = {part.sort for part in _not_of_a_name(told, parts)}
        if timed or said & _ORDERING or _any([self.takes_back], closed, inside):
            return
        if sorts & _NAMING or _any(self.names, closed, inside):
            if (
                any(part.sort in LEADING for part in told)  # what nobody says of a thing who doesn't want it done
                or _any([self.bends], closed, behind)
                or any(_has(_WISHED, part.nodes) for at in outside if at < aside.start for part in lattice[at])
            ):
                return
            about = _has(_ABOUT, opening.children) or any(_says(_THERE, part) for at in outside for part in lattice[at])
            about = about and "target" not in sorts
            topic = self._topic(closed, parts, inside, outside, about=about)
            if topic is not None:
                yield Aside(aside.start, aside.end, topic)
                return
            if _any([self.points], closed, outside) or (not about and _has_several(lattice, outside)):
                return
            if _any(self.places, closed, inside) and not _any((*self.places, *self.things), closed, outside):
                return
        yield aside

    def _topic(
        self, closed: str, parts: Sequence[Part], inside: Sequence[int], outside: Sequence[int], *, about: bool
    ) -> Part | None:
        """What is told of and the rest leans on: a place where none is said beside it, or the thing that is "it"."""
        places = [part for part in parts if part.sort == "place"]
        if places and about:
            return None if _any(self.places, closed, outside) else max(places, key=_length)
        topic = _only_named(parts) if _any([self.points], closed, outside) else None
        if topic is None or _any(self.places, closed, (place for place in inside if not topic.covers(place))):
            return None
        return topic


def _ends_before(start: int, last: int, told: Node | None, over: Sequence[int], *, opened: bool) -> list[int]:
    """Where talk may end before its comma: where it says so, or with its beginning, if that is all of it."""
    ends = [place for place in over if start < place < last][:1] if opened else []
    if told is None:
        return ends
    ends += [place for place in over if told.end < place < last]
    return [*ends, told.end] if _has(_WHOLE, told.children) else ends


def _none(barred: Sequence[int], start: int, end: int) -> bool:
    """Whether none of these places, in their order, is there."""
    at = bisect_left(barred, start)
    return at == len(barred) or barred[at] >= end


def _counts(closed: str, start: int, end: int, number: Callable[[int], int]) -> bool:
    """Whether it is hardly more than a number: "volume 30, 20", "spin 800"; where one ends, `number` tells."""
    said = closed[start:end].strip()
    begins = (at for at in range(start, end) if at == start or closed[at - 1] == " " or not closed[at].isascii())
    found = [(at, stop) for at in begins if (stop := number(at)) > at]
    last = " " in said and len(said.split()) == _SHORTEST and any(stop == start + len(said) for _, stop in found)
    return last or any((stop - at) * 2 >= len(said) for at, stop in found)  # 还是二十七吧


def _switches(lattice: Lattice, places: Sequence[int], end: int) -> bool:
    """Whether it says no more than a name, whatever that is of, and that it be switched: "router off", 鱼缸泵关掉."""
    ends = (part for place in places[1:] for part in lattice[place] if part.end == end)
    return len(places) <= _NAME and any(part.sort in SWITCHING or part.sort == "particle" for part in ends)


def _leans(part: Part) -> bool:
    """Whether it is a time that is said by another that was told."""
    said = (child for node in part.nodes for child in node.children)
    return part.sort == "when" and any(_has(_TOLD, child.children) for child in said)


def _outside_of_times(places: Sequence[int], lattice: Lattice) -> list[int]:
    """Those of these places where no time is said."""
    times = [part for parts in lattice.values() for part in parts if part.sort == "when" and not _leans(part)]
    return [place for place in places if not any(part.covers(place) for part in times)]


def _is_said(lattice: Lattice, start: int, end: int) -> bool:
    """Whether nothing stands there but what is to be done or told, be it next or if: 然后关掉, 开着就关掉, 把饭煮上."""
    whole = [part for part in lattice[start] if part.end == end]
    days = any(child.rule.startswith("Day") for part in whole for node in part.nodes for child in node.children)
    if days or any(part.sort == "mark" for part in lattice[start]) or any(part.sort in _SAYING for part in whole):
        return True
    begun = {start}
    for place in sorted(place for place in lattice if start <= place < end):
        if place in begun:
            begun |= {part.end for part in lattice[place] if part.sort in _BEFORE}
    return any(
        part.sort in SWITCHING and part.end == end for place in begun - {start} for part in lattice.get(place, ())
    )


def _any(words: Iterable[Terminal], closed: str, places: Iterable[int]) -> bool:
    words = tuple(words)
    return any(item.match(closed, place) > 0 for place in places for item in words)


def _has(mark: str, nodes: Iterable[Node]) -> bool:
    return any(node.rule == mark for node in nodes)


def _has_several(lattice: Lattice, places: Iterable[int]) -> bool:
    """Whether there is more than one thing there, of which the one that was named may be meant to be left alone."""
    end = 0
    for place in places:
        parts = [part for part in lattice[place] if part.sort in _SEVERAL and place >= end]
        for part in parts:
            said = {child.rule for node in part.nodes for child in node.children}
            if part.sort == "every" or (said & _PLURAL and "AREA" not in said and part.end == max(map(_end, parts))):
                return True
        end = max([end, *map(_end, parts)])
    return False


def _only_named(parts: Sequence[Part]) -> Part | None:
    """The one thing that is named; None where there are others."""
    named = [part for part in parts if part.sort == "target"]
    longest = max(named, key=_length, default=None)
    if longest is None or any(not longest.covers(part.start) for part in named):
        return None
    return longest


def _not_of_a_name(told: Iterable[Part], parts: Iterable[Part]) -> Iterator[Part]:
    """Those that stand inside of no name: "scared of the vacuum" vacuums nothing. Both in the order of their starts."""
    names = [part for part in parts if part.sort == "target"]
    at = end = 0
    for part in told:
        while at < len(names) and names[at].start < part.start:
            at, end = at + 1, max(end, names[at].end)
        if end <= part.start:
            yield part


def _says(mark: str, part: Part) -> bool:
    return any(_has(mark, node.children) for node in part.nodes)


def _end(part: Part) -> int:
    return part.end


def _length(part: Part) -> int:
    return part.end - part.start
