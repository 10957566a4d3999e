"""Notices when what a rule waits for happens: a change that was seen live, from what was known before."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from msgspec import Struct

from daemon.act.facts import Test, evaluate, fact, needs, telling, together
from daemon.act.reader import Reader
from daemon.act.states import Sighting, States
from daemon.core.ir import Condition
from daemon.core.outcomes import Observation
from daemon.home import events
from daemon.home.registry import Registry
from daemon.schedule.agenda import Agenda
from daemon.schedule.entries import Entry

_REST_S = 1.0
"""Between two firings of one rule: two conditions that come true at once are one occasion."""
_SETTLING_S = 5.0
"""After a connection was lost, what devices say first tells what happened meanwhile."""
_OWN_S = 3.0
"""So long after a rule's act, what its devices show is its own doing."""
_WITHIN_S, _MOST = 60.0, 10
"""A rule that would fire more often than so in so many seconds goes round in circles."""

Which = tuple[int, str | None]
"""A condition by its index; with the device where each one counts by itself."""


@dataclass(slots=True)
class _Watch:
    """One rule that waits. Moments are monotonic."""

    entry: Entry
    known: dict[tuple[int, str], bool | None] = field(default_factory=dict)
    """(index of the condition, device) -> whether the device says so."""
    holds: dict[Which, float] = field(default_factory=dict)
    """What has come true and must stay so until this moment."""
    fired: list[float] = field(default_factory=list)
    acted: float = -math.inf
    """When it, or what it had planned, was last at work; infinite while it is."""
    busy: bool = False
    watched: set[tuple[int, str, str]] = field(default_factory=set)
    """(index of the condition, device, attribute of it that tells)."""


class Occasion(Struct, frozen=True):
    """What a rule waited for has happened."""

    entry: Entry
    which: Which
    observation: Observation | None
    """What showed it; None where it had to stay so for a while."""


@dataclass(slots=True)
class Edges:
    """Watches for every rule of an agenda. One event loop, not thread-safe.

    A change counts where the value before was known and the new one came live. What a broker retained, the first thing
    heard of a device, the echo of a command, and everything from before a lost connection only tell how things stood.
    """

    _agenda: Agenda
    _registry: Registry
    _states: States
    _reader: Reader
    wake: Callable[[], None] = lambda: None
    """Called when something is ready for `due`."""
    _watches: dict[int, _Watch] = field(default_factory=dict, init=False)
    _ready: list[Occasion] = field(default_factory=list, init=False)
    _ends: list[Callable[[], None]] = field(default_factory=list, init=False)
    _quiet_until: float = field(default=-math.inf, init=False)

    def start(self) -> None:
        """Begins to watch."""
        self._ends = [self._agenda.on_change(self.follow), self._states.on_change(self._see)]
        self.follow()

    def stop(self) -> None:
        """Watches no more."""
        for end in self._ends:
            end()
        self._ends = []

    def connection(self, up: bool) -> None:  # noqa: FBT001 - the bus calls it so
        """The connection is there again, or lost: then how things stood is not known any more."""
        if up:
            self._quiet_until = self._agenda.clock.monotonic() + _SETTLING_S
            return
        self._quiet_until = math.inf
        self._ready.clear()
        for watch in self._watches.values():
            watch.known.clear()
            watch.holds.clear()

    def wait_s(self) -> float:
        """Seconds until something that must stay so for a while has done so; infinite where nothing must."""
        ends = [end for watch in self._watches.values() for end in watch.holds.values()]
        return max(0.0, min(ends) - self._agenda.clock.monotonic()) if ends else float("inf")

    async def due(self) -> tuple[list[Entry], list[Entry]]:
        """The rules that are to be carried out now, and those that would be so too often; both only once."""
        now = self._agenda.clock.monotonic()
        ready, self._ready = self._ready, []
        for watch in self._watches.values():
            for which in [item for item, end in watch.holds.items() if end <= now]:
                del watch.holds[which]
                ready.append(Occasion(watch.entry, which, None))
        firing: list[Entry] = []
        too_often: list[Entry] = []
        for occasion in ready:
            watch_of = self._watches.get(occasion.entry.id)
            if watch_of is None or watch_of.busy or (watch_of.fired and now - watch_of.fired[-1] < _REST_S):
                continue
            if not await self._whole(watch_of, occasion):
                continue
            watch_of.fired = [item for item in watch_of.fired if now - item < _WITHIN_S]
            if len(watch_of.fired) >= _MOST and not _by_hand(occasion):
                too_often.append(watch_of.entry)
                continue
            watch_of.fired.append(now)
            watch_of.busy = True
            firing.append(watch_of.entry)
        return firing, too_often

    def done(self, number: int) -> None:
        """A rule that was due has been carried out."""
        if (watch := self._watches.get(number)) is not None:
            watch.busy = False
            watch.fired = [*watch.fired[:-1], self._agenda.clock.monotonic()] if watch.fired else []
            watch.acted = self._agenda.clock.monotonic()

    @contextlib.contextmanager
    def own(self, number: int | None) -> Iterator[None]:
        """What the block does was planned by this rule: no more of a change than its own act."""
        if (watch := self._watches.get(number or 0)) is not None:
            watch.acted = math.inf
        try:
            yield
        finally:
            if watch is not None:
                watch.acted = self._agenda.clock.monotonic()

    async def _whole(self, watch: _Watch, occasion: Occasion) -> bool:
        """Whether all of the conditions hold, read freshly; what has just been seen needs no second look."""
        clause, (index, _) = watch.entry.clause, occasion.which
        if clause.condition_join == "or" or len(clause.conditions) == 1:
            return True
        others = [
            Test(condition, ids)
            for number, (condition, ids) in enumerate(zip(clause.conditions, watch.entry.watched, strict=True))
            if number != index
        ]
        observed = await self._reader.read(needs(others, self._registry))
        return evaluate(others, "and", observed, self._registry).holds is True

    def follow(self) -> None:
        """Watches for what is kept now, in the home as it is now."""
        rules = {item.id: item for item in self._agenda.entries if item.watches}
        for gone in self._watches.keys() - rules.keys():
            del self._watches[gone]
        for number, entry in rules.items():
            watch = self._watches.setdefault(number, _Watch(entry))
            watch.entry = entry
            self._learn(watch)

    def _learn(self, watch: _Watch) -> None:
        """How things stand with what is watched from now on; what is so already, and freshly known, may stay so."""
        watched, watch.watched = watch.watched, set(_pairs(watch.entry, self._registry))
        for index, entity, _ in watched - watch.watched:
            watch.known.pop((index, entity), None)
            watch.holds.pop((index, entity), None)
        for index, entity, attribute in watch.watched - watched:
            sighting = self._states.sighting(entity, attribute)
            if sighting is not None and not sighting.echo:
                watch.known[index, entity] = self._says(watch.entry.clause.conditions[index], sighting)
            fresh = self._states.seen(entity, attribute).fresh
            which = _which(index, entity, watch.entry.clause.conditions[index])
            length = watch.entry.clause.conditions[index].for_s
            if length is not None and fresh and self._verdict(watch, which):
                watch.holds.setdefault(which, self._agenda.clock.monotonic() + length)

    def _see(self, sighting: Sighting) -> None:
        if sighting.echo:
            return
        for watch in self._watches.values():
            for index, entity, attribute in tuple(watch.watched):
                if (entity, attribute) == (sighting.entity, sighting.attribute):
                    self._weigh(watch, index, sighting)

    def _weigh(self, watch: _Watch, index: int, sighting: Sighting) -> None:
        condition = watch.entry.clause.conditions[index]
        if sighting.attribute == events.NAME:
            self._happens(watch, index, condition, sighting)
            return
        which = _which(index, sighting.entity, condition)
        before = self._verdict(watch, which)
        watch.known[index, sighting.entity] = self._says(condition, sighting)
        after = self._verdict(watch, which)
        if after is not True:
            watch.holds.pop(which, None)
            return
        # What lasts until something is so ends with the first that tells it is, whatever was thought before.
        if (before is not False and watch.entry.sort == "rule") or self._is_old(watch, sighting):
            return
        if condition.for_s is not None:
            watch.holds.setdefault(which, self._agenda.clock.monotonic() + condition.for_s)
        else:
            self._ready.append(Occasion(watch.entry, which, self._states.observation(sighting)))
        self.wake()

    def _happens(self, watch: _Watch, index: int, condition: Condition, sighting: Sighting) -> None:
        """What is told of a moment counts by itself: nothing was so before, and nothing is so after it."""
        entity = self._registry.get(sighting.entity)
        able = entity.capability(events.NAME) if entity is not None else None
        wanted = able is not None and sighting.value in events.meant(condition, able.options)
        if wanted and not self._is_old(watch, sighting):
            self._ready.append(Occasion(watch.entry, (index, sighting.entity), self._states.observation(sighting)))
            self.wake()

    def _is_old(self, watch: _Watch, sighting: Sighting) -> bool:
        """Whether it tells of before, or of what the rule itself has done."""
        settling = self._agenda.clock.monotonic() < self._quiet_until
        return sighting.retained or settling or self._own(watch, sighting)

    def _own(self, watch: _Watch, sighting: Sighting) -> bool:
        """Whether it shows what the rule itself has just done."""
        if sighting.entity not in watch.entry.entities:
            return False
        return watch.busy or self._agenda.clock.monotonic() - watch.acted < _OWN_S

    def _verdict(self, watch: _Watch, which: Which) -> bool | None:
        index, entity = which
        condition, ids = watch.entry.clause.conditions[index], watch.entry.watched[index]
        if entity is not None:
            return watch.known.get((index, entity))
        target = condition.target
        answers = [watch.known.get((index, item)) for item in ids if item in self._registry]
        holds = together(target.quantifier, target.count, answers)
        return holds if holds is None else holds != condition.negated

    def _says(self, condition: Condition, sighting: Sighting) -> bool | None:
        entity = self._registry.get(sighting.entity)
        if entity is None:
            return None
        seen = Observation(sighting.entity, sighting.attribute, sighting.value, "push", 0.0)
        found = fact(condition, entity, {(sighting.entity, sighting.attribute): seen})
        return found.holds if found is not None else None


def _which(index: int, entity: str, condition: Condition) -> Which:
    """Of "a window opens", each window counts; of "all windows are closed" and "nobody is home", all together."""
    each = condition.target.quantifier in ("any", "one") and not condition.negated
    return (index, entity if each else None)


def _by_hand(occasion: Occasion) -> bool:
    """Whether somebody did it, as often as he likes."""
    return occasion.entry.clause.conditions[occasion.which[0]].attribute == events.NAME


def _pairs(entry: Entry, registry: Registry) -> Iterable[tuple[int, str, str]]:
    """Index of the condition, device, and the attribute of it that tells."""
    for index, (condition, ids) in enumerate(zip(entry.clause.conditions, entry.watched, strict=True)):
        for item in ids:
            entity = registry.get(item)
            able = telling(entity, condition.attribute, condition.value) if entity is not None else None
            if able is not None:
                yield index, item, able.attribute
