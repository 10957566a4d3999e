"""What is kept, one command or timer, with all that carries it out after a restart; what there is to say of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from msgspec import Struct, ValidationError

from daemon.core.errors import IRError
from daemon.core.ir import Clause, Condition, Order, Program, Prohibition, Timer, validate
from daemon.core.messages import Message
from daemon.core.values import converted, replace, to_dict
from daemon.home.verbs import SWITCHING
from daemon.system.languages import LANGS

VERSION = 1
"""Of the form in which entries are stored."""
_NEVER = 1e11
"""Seconds; no clock of today comes there."""

Sort = Literal["time", "end", "rule", "timer", "ban"]
"""`time`: at a moment, once or again and again. `end`: takes back what was to last so long. `rule`: when something
happens. `timer`: rings. `ban`: is never to be done, by whomever; `watched` is what its conditions are about."""


class Origin(Struct, frozen=True, forbid_unknown_fields=True):
    """Who said what, where, when."""

    said: str
    lang: str
    satellite: str
    made: float
    """Seconds since the epoch."""
    area: str | None = None
    speaker: str | None = None


class Entry(Struct, frozen=True):
    """One thing kept for later. Moments are seconds since the epoch."""

    id: int
    """Counts up from 1; what `later cancel` takes."""
    sort: Sort
    origin: Origin
    due: float | None = None
    """None: it waits for something to happen, or is a paused timer."""
    program: Program | None = None
    """One clause as it was said, with its time and conditions; None for a timer."""
    them: tuple[str, ...] = ()
    """The devices that a "them" in the clause stands for."""
    entities: tuple[str, ...] = ()
    """What it was said to be about when it was made."""
    confirmed: tuple[str, ...] = ()
    """What a yes was given for when it was made."""
    watched: tuple[tuple[str, ...], ...] = ()
    """For each condition of the clause, whom it was about when it was made."""
    fired: float | None = None
    """When it was last carried out."""
    name: str | None = None
    """Of a timer."""
    seconds: float = 0.0
    """A timer's whole length."""
    left: float | None = None
    """What is left of a paused timer."""
    reminds: str | None = None
    """A reminder: of what, empty where nobody said so. As a timer its length is 0 where it is one for a time of the
    clock; one that waits for something to happen, or comes on several days, is a `rule` or a `time`."""
    of: int | None = None
    """The id of the plan that made it, where nobody said it just then."""
    spared: tuple[str, ...] = ()
    """The days on which what stands is left out, as ISO dates."""
    despite: tuple[int, ...] = ()
    """The ids of the prohibitions against which a yes was given when it was made."""

    @property
    def clause(self) -> Order | Prohibition | Timer:
        """The command, or what somebody is to be reminded of; only where there is one."""
        assert self.program is not None
        [order] = self.program.clauses
        assert isinstance(order, Order | Prohibition | Timer)
        return order

    @property
    def order(self) -> Order:
        """The command, where it is one to be carried out."""
        order = self.clause
        assert isinstance(order, Order)
        return order

    @property
    def standing(self) -> bool:
        """Whether it stays after it was carried out."""
        if self.sort == "ban":
            return True
        when = self.program.clauses[0].when if self.program is not None else None
        if when is None or self.sort in ("end", "timer"):
            return False
        return when.every if self.sort == "rule" else bool(when.days) and not when.once

    @property
    def watches(self) -> bool:
        """Whether it waits for something to happen: a rule, and the end of what lasts until something is so."""
        return self.sort == "rule" or (self.sort == "end" and bool(self.watched))

    @property
    def elapsing(self) -> bool:
        """Whether it is about so much time going by, whatever the clock on the wall is set to."""
        if self.sort == "timer":
            return self.reminds is None or self.seconds > 0
        when = self.program.clauses[0].when if self.program is not None else None
        return when is not None and when.delay_s is not None


def to_json(entry: Entry) -> dict[str, Any]:
    """What is stored of an entry; its id and its due moment have columns of their own."""
    kept = to_dict(entry)
    return {"version": VERSION} | {name: value for name, value in kept.items() if name not in ("id", "due")}


def from_json(number: int, due: float | None, kept: object) -> Entry:
    """An entry as it was stored.

    Raises:
        IRError: it is none, or one of a newer version.
    """
    if not isinstance(kept, dict) or kept.get("version") != VERSION:
        raise IRError("not an entry of this version")
    try:
        said = {"program": to_dict(validate(_migrated(kept["program"])))} if "program" in kept else {}
        entry = converted({**kept, **said, "id": number, "due": due}, Entry)
    except (KeyError, TypeError, ValidationError) as error:
        raise IRError(f"not an entry: {error}") from None
    program = entry.program
    moments = (entry.due, entry.fired, entry.left, entry.seconds, entry.origin.made)
    if entry.origin.lang not in LANGS or not all(at is None or abs(at) < _NEVER for at in moments):
        raise IRError("not an entry: it is of no language, or no time")
    orders = () if program is None else tuple(isinstance(item, Order | Prohibition | Timer) for item in program.clauses)
    if orders != (() if entry.sort == "timer" else (True,)):
        raise IRError("not an entry: it has no command")
    return entry


def _migrated(program: dict[str, Any]) -> dict[str, Any]:
    """A program as it is written now: once, scenes and what is done again and again were no `act`."""
    clauses = [
        {**item, "intent": "act"} if item["intent"] in ("scene", "rule") else item for item in program["clauses"]
    ]
    return {**program, "clauses": clauses}


_ABSOLUTE = frozenset({"set", "max", "min"})
_OFF = frozenset({"turn_off", "close"})
_TRACKS = {
    "mute": "mute",
    "unmute": "mute",
    "pause": "command",
    "resume": "command",
    "start": "command",
    "stop": "command",
    "dock": "command",
}
_WATCHES = frozenset({"arm", "disarm"})
"""Whatever way an alarm is armed, that is its state."""


def track(clause: Clause) -> str:
    """The attribute that a command changes; "state" for what switches, opens or locks."""
    if clause.parameter is not None and clause.action not in _WATCHES:
        return clause.parameter.attribute
    return _TRACKS.get(clause.action or "", "state")


def left_over(entries: Sequence[Entry]) -> dict[int, tuple[str, ...]]:
    """Of commands that are done one after the other, by id: the devices for which none that follows undoes them.

    An end is done all the same before what is to last only so long itself: that goes back to how it is then.
    """
    return {
        entry.id: tuple(
            item
            for item in entry.entities
            if not any(item in later.entities and _undone(entry, later) for later in entries[at + 1 :])
        )
        for at, entry in enumerate(entries)
    }


def without(entry: Entry, gone: Iterable[str]) -> Entry:
    """The entry for fewer devices."""
    left = tuple(item for item in entry.them if item not in set(gone))
    return replace(entry, them=left, entities=left)


def _undone(entry: Entry, later: Entry) -> bool:
    when = later.clause.when
    lasts = when is not None and (when.duration_s is not None or when.until is not None)
    return _overrules(later.clause, entry.clause) and not (lasts and entry.sort == "end")


def _overrules(later: Clause, earlier: Clause) -> bool:
    """Whether nothing is left of the earlier one; not where the later one depends on how things are then."""
    if later.conditions or later.action == "toggle" or any(item.state for item in later.targets):
        return False
    if later.parameter is not None and later.parameter.op not in _ABSOLUTE:
        return False
    mine, others = track(later), track(earlier)
    if mine == "state" and others in SWITCHING:
        return later.action in _OFF
    return mine == others or (mine in SWITCHING and earlier.action in _OFF)


class Kept(Message, frozen=True):
    """What is kept: a sentence each ("sentences"), or a few words each, as "names" or as "choices"."""

    entries: tuple[Entry, ...]
    how: str = "sentences"


class TimerName(Message, frozen=True):
    """What a timer or a reminder is called."""

    entry: Entry


class AboutTimer(Message, frozen=True):
    """A sentence about a timer, with what is left of it."""

    key: str
    entry: Entry
    rang: float | None = None
    """When it rang, where nobody was here to hear it."""


class ToDo(Message, frozen=True):
    """What is to be done, in words: "turn off Hall light"."""

    clause: Clause
    entities: tuple[str, ...]


class Forbidden(Message, frozen=True):
    """That this was forbidden for good; and whether nobody knows if it holds just now."""

    entry: Entry
    unknown: bool = False


class Happens(Message, frozen=True):
    """What has to happen: "Front door opens"; or, where it is `so`, how it is then: "Front door is open"."""

    conditions: tuple[Condition, ...]
    join: str
    watched: tuple[tuple[str, ...], ...]
    so: bool = False

    @classmethod
    def of(cls, clause: Clause, watched: tuple[tuple[str, ...], ...], *, so: bool = False) -> Happens:
        """What a clause waits for."""
        return cls(clause.conditions, clause.condition_join, watched, so)
