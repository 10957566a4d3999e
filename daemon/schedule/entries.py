"""What is kept: one command for later, or one timer, with all that is needed to carry it out after a restart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from daemon.core.errors import IRError
from daemon.core.ir import Order, Program, Prohibition, Timer, When, validate
from daemon.core.values import replace, to_dict

VERSION = 1
"""Of the form in which entries are stored."""

Sort = Literal["time", "end", "rule", "timer", "ban"]
"""`time`: at a moment, once or again and again. `end`: takes back what was to last so long. `rule`: when something
happens. `timer`: rings. `ban`: is never to be done, by whomever; `watched` is what its conditions are about."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who said what, where, when."""

    said: str
    lang: str
    satellite: str
    made: float
    """Seconds since the epoch."""
    area: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
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
        origin = Origin(**kept["origin"])
        program = validate(_migrated(kept["program"])) if "program" in kept else None
        entry = Entry(
            number,
            kept["sort"],
            origin,
            due,
            program,
            them=_ids(kept, "them"),
            entities=_ids(kept, "entities"),
            confirmed=_ids(kept, "confirmed"),
            watched=tuple(tuple(str(one) for one in item) for item in kept.get("watched", ())),
            fired=kept.get("fired"),
            name=kept.get("name"),
            seconds=float(kept.get("seconds", 0.0)),
            left=kept.get("left"),
            reminds=kept.get("reminds"),
            of=kept.get("of"),
            spared=tuple(str(item) for item in kept.get("spared", ())),
            despite=tuple(int(item) for item in kept.get("despite", ())),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise IRError(f"not an entry: {error}") from None
    orders = () if program is None else tuple(isinstance(item, Order | Prohibition | Timer) for item in program.clauses)
    if orders != (() if entry.sort == "timer" else (True,)):
        raise IRError("not an entry: it has no command")
    return _ended(entry)


def _migrated(program: dict[str, Any]) -> dict[str, Any]:
    """A program as it is written now: once, scenes and what is done again and again were no `act`."""
    clauses = [
        {**item, "intent": "act"} if item["intent"] in ("scene", "rule") else item for item in program["clauses"]
    ]
    return {**program, "clauses": clauses}


def _ended(entry: Entry) -> Entry:
    """An end as it should have been stored: it has none of its own.

    Before, each end made another one, and so on. At which of them it stood, nobody can tell: it is done once more,
    unless that needs a yes; what was agreed to once was not agreed to be done each time.
    """
    when = entry.clause.when if entry.sort == "end" else None
    if entry.program is None or when is None or (when.duration_s is None and when.until is None):
        return entry
    last = When(delay_s=when.duration_s) if when.duration_s is not None else None
    program = replace(entry.program, clauses=(replace(entry.clause, when=last),))
    return replace(entry, program=program, confirmed=())


def _ids(kept: dict[str, Any], name: str) -> tuple[str, ...]:
    return tuple(str(item) for item in kept.get(name, ()))
