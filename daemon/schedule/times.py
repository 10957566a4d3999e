"""When a command is to be carried out, what ends it, what stands against keeping it; ends that an undo brings back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple
from weakref import ref

from daemon.core.ir import Clause, Hours, Order, Program, Timer, When
from daemon.core.messages import Due, Message, Names, say
from daemon.core.outcomes import Outcome
from daemon.core.values import replace
from daemon.core.vocabulary import WEEK
from daemon.home.actions import risk_of
from daemon.home.registry import Registry
from daemon.schedule.agenda import Agenda
from daemon.schedule.endings import BACK, CALMS, Ending, Kept, worked
from daemon.schedule.entries import Entry, Happens, ToDo
from daemon.schedule.moments import Clock, Doubt, Moments


class Times:
    """Knows the times of one home."""

    def __init__(self, agenda: Agenda, moments: Moments, registry: Registry) -> None:
        self._agenda = agenda
        self._moments = moments
        self._registry = registry

    def doubt(self, when: When) -> str | None:
        """What stands against keeping a command for this time: the end of a key `later.*`; None where nothing does."""
        if self._agenda.full:
            return "full"
        now = self._agenda.clock.wall()
        if when.repeating and (hours := dated(when, self._agenda.clock).hours) is not None:
            if self._moments.within(hours, now) is None:
                return "no_location"
            if self._moments.over(hours):
                return "past"
        start = now if when.repeating else self._moments.first(when)
        if isinstance(start, Doubt):
            return start.reason
        end = self._moments.end(when, start)
        return end.reason if isinstance(end, Doubt) else None

    def risky_end(self, clause: Clause, entities: Sequence[str]) -> tuple[str, ...]:
        """The devices for which what ends the command needs a yes of its own: "lock the door for an hour"."""
        if not ends(clause.when):
            return ()
        back, level = "disarm" if clause.action == "arm" else BACK.get(clause.action or ""), None
        if back is None and clause.parameter is not None:
            # Nobody knows yet where it stands: what goes back to a position may open.
            back, level = "set", replace(clause.parameter, op="set", value=None)
        return tuple(item for item in entities if back and risk_of(self._registry[item], back, level) == "confirm")

    def calms(self, entry: Entry) -> bool:
        """Whether it ends something in a way that harms nobody, however late: off, closed, locked."""
        if entry.sort != "end" or entry.order.action not in CALMS:
            return False
        known = self._registry.present(entry.them)
        return all(risk_of(item, entry.order.action, None) != "confirm" for item in known)

    def over(self, entry: Entry, due: float, now: float) -> bool:
        """Whether what was to begin at `due` would have ended already."""
        when = entry.clause.when
        until = self._moments.end(when, due) if when is not None and when.until is not None else None
        return isinstance(until, float) and until <= now


def begins(when: When) -> bool:
    """Whether a command is for later, rather than for now and only so long."""
    moment = when.delay_s is not None or when.time or when.days or when.day_offset is not None
    return bool(when.repeating or moment or when.vague or when.beyond)


def waits(clause: Clause) -> bool:
    """Whether it is a reminder for more than one moment: it waits for something to happen, or comes on several days."""
    when = clause.when
    if not isinstance(clause, Timer) or clause.op != "start" or clause.reminds is None or when is None:
        return False
    return bool(clause.conditions or when.repeating or when.beyond or (when.days and not when.once))


def ends(when: When | None) -> bool:
    """Whether a command is to last only so long."""
    return when is not None and (when.duration_s is not None or when.until is not None or when.until_so)


def now_of(when: When | None) -> When | None:
    """What is left of a time once its moment has come: how long it is to last, or a delay after what happened."""
    if when is None:
        return None
    rest = When(duration_s=when.duration_s, until=when.until, until_twelve=when.until_twelve, until_so=when.until_so)
    rest = replace(when, repeating=False, every=False, hours=None) if when.repeating else rest
    return rest if rest != When() else None


def as_now(program: Program) -> Program:
    """A kept program as it is carried out when its moment has come: what has happened is no condition any more."""
    clause = program.clauses[0]
    happened = clause.when is not None and clause.when.repeating
    now = replace(clause, when=now_of(clause.when), conditions=() if happened else clause.conditions)
    return replace(program, clauses=(now,))


_MOST: Final = 256


class Gone(NamedTuple):
    """An end of one device, and the act that did away with it: None once no conversation can take it back any more."""

    outcome: Callable[[], Outcome | None]
    due: float
    entry: Entry


class DoneAway:
    """Remembers the latest of them. One event loop."""

    def __init__(self) -> None:
        self._gone: deque[Gone] = deque(maxlen=_MOST)

    def __len__(self) -> int:
        return len(self._gone)

    def note(self, outcomes: Sequence[Outcome], kept: Kept, gone: Mapping[int, Collection[str]]) -> None:
        """These outcomes did away with these of what was kept, for these devices."""
        self._gone = deque((item for item in self._gone if item.outcome() is not None), _MOST)
        for due, entry in kept:
            for device in gone.get(entry.id, ()):
                outcome = next(item for item in reversed(outcomes) if item.write.entity == device)
                end = replace(entry, due=entry.due and due, them=(device,), entities=(device,))
                self._gone.append(Gone(ref(outcome), due, end))

    def taken(self, undone: Sequence[Outcome], devices: Collection[str]) -> list[Gone]:
        """What these outcomes did away with for these devices, which are put back now; it is forgotten."""
        found = [
            item
            for item in self._gone
            if item.entry.them[0] in devices and any(item.outcome() is outcome for outcome in undone)
        ]
        self._gone = deque((item for item in self._gone if item not in found), _MOST)
        return found


def day_of(when: When, clock: Clock) -> date:
    """The day that is said, the next of its name: tomorrow, on Friday."""
    today = clock.today(clock.wall())
    if when.days:
        return min(
            today + timedelta(days=ahead) for ahead in range(len(WEEK)) if _named(today + timedelta(days=ahead), when)
        )
    return today + timedelta(days=when.day_offset or 0)


def dated(when: When, clock: Clock) -> When:
    """What waits for something on certain days only, with these among its hours: the next such day by its date."""
    if not when.repeating or not (when.days or when.day_offset is not None):
        return when
    days = (day_of(when, clock).isoformat(),) if when.once or not when.days else when.days
    hours = replace(when.hours or Hours(), days=days)
    return replace(when, hours=hours, days=(), once=False, week=None, day_offset=None, daytime=None)


def comes_on(when: When | None, day: date) -> bool:
    """Whether what stands may come on this day."""
    return when is not None and _named(day, when)


def _named(day: date, when: When) -> bool:
    return "daily" in when.days or WEEK[day.weekday()] in when.days


def ending_so(order: Order, when: When | None, so: Clause) -> Order:
    """What ends an act, at its time or on the conditions of another clause."""
    return replace(order, when=when, conditions=so.conditions, condition_join=so.condition_join)


def end_of(entry: Entry, due: Due, so: Clause | None = None) -> Message:
    """When an end comes: at its moment, or as soon as what it waits for is so."""
    if not entry.watched:
        return due
    return say("when.so", what=Happens.of(so or entry.clause, entry.watched))


def told_end(found: Ending, outcomes: Sequence[Outcome], when: Message) -> list[Message]:
    """What is said about the end of an act."""
    did = dict.fromkeys(item.write.entity for item in outcomes if worked(item))
    back = {device for devices in found.backs.values() for device in devices}
    done = Names(tuple(item for item in did if item in back or not back), located=True)
    parts: list[Message] = []
    if found.backs:
        first = next(iter(found.backs))
        if first.action in BACK.values() and len(found.backs) == 1:
            parts.append(say("later.until", when=when, act=ToDo(first, done.entities)))
        else:
            parts.append(say("later.back", when=when, names=done))
    elif not found.unknown:
        parts.append(say("later.same", names=done))
    if found.unknown:
        parts.append(say("later.no_back", names=Names(found.unknown, located=True)))
    return parts
