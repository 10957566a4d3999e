"""What was asked of the home, what would be sent and what stands in the way; what was sent, and what was seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from daemon.core.entities import Value
from daemon.core.messages import Message

Status = Literal["done", "unconfirmed", "failed", "not_found", "refused"]
Source = Literal["reply", "push", "stale", "none"]


class Write(Struct, frozen=True):
    """One absolute change of one device."""

    entity: str
    attribute: str
    value: Value
    action: str
    """The action word that led here ("turn_on", "increase", ...), for the reply and the result."""
    delta: float | None = None
    """By how much, where the command was relative; `value` is absolute all the same."""
    unit: str | None = None
    clamped: bool = False
    """The wish lay outside the range; `value` is the nearest possible."""
    before: Value | None = None
    """What a fresh read said before, where there was one; undo needs it."""


class Held(Struct, frozen=True):
    """For how long a value has been as it is, in seconds; at least so long, where it is not `exact`."""

    seconds: float
    exact: bool


class Observation(Struct, frozen=True):
    """A value of one attribute of one device, and how it is known.

    `source`: `reply` to an active get, `push` seen live within the device's max age, `stale` (retained or older),
    `none` (never seen; `value` is None). `age_s` is seconds since arrival, infinite for retained or never.
    """

    entity: str
    attribute: str
    value: Value | None
    source: Source
    age_s: float
    topic: str = ""
    sequence: int = 0
    held: Held | None = None
    """For how long it has been so, as far as it was watched."""
    away: bool = False
    """Whether the device says that it can't be reached: how it was then, nobody calls how it is."""

    @property
    def fresh(self) -> bool:
        """Whether a decision may rest on it."""
        return self.source in ("reply", "push")


class Outcome(Struct, frozen=True, weakref=True):
    """What became of one write."""

    write: Write
    status: Status
    reason: str = ""
    """A key of the reply tables: "already", "moving" (a cover on its way), "no_answer",
    "cannot_ask", "sent" (nothing could show it: "next"), "offline", "connection_lost", "superseded" (by a newer
    command), "disagrees", "broker_away", "not_controllable", "unsupported",
    "template_late" (a template of the device took too long, so nothing was sent), "gone"."""
    evidence: Observation | None = None
    sent: bool = False
    attempts: int = 0
    published: tuple[tuple[str, str], ...] = ()
    """Topic and payload of every set that went out for the device."""
    before: tuple[Observation, ...] = ()
    """What was last known, however old, of the attribute and of the device's state before the set, for undo."""


class WayBack(Struct, frozen=True):
    """What would put things back. `risky` devices need a yes first; `unknown` ones are not known well enough."""

    writes: tuple[Write, ...]
    risky: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


Observed = Mapping[tuple[str, str], Observation]
"""(entity id, attribute) -> its reading."""


def fresh(observed: Observed, entity: str, attribute: str) -> Value | None:
    """The value of what was read freshly; None where nothing was."""
    seen = observed.get((entity, attribute))
    return seen.value if seen is not None and seen.fresh else None


Reason = Literal[
    "unsupported",
    "out_of_range",
    "no_option",
    "no_value",
    "missing_value",
    "which_way",
    "wants_code",
    "is_off",
    "above_already",
    "below_already",
    "implausible",
]


class Problem(Struct, frozen=True):
    """Why a device cannot do what was asked. `reason` is a key of the reply tables."""

    entity: str
    reason: Reason
    attribute: str = "state"
    low: float | None = None
    high: float | None = None
    unit: str | None = None
    """Of `low`, `high` and a numeric `nearest`."""
    nearest: float | str | None = None
    """What comes closest to the wish and would be possible."""
    options: tuple[str, ...] = ()
    said: float | None = None
    """Of what is implausible, what was said, in `unit`."""


class Ban(Struct, frozen=True):
    """What must not be done to one device: nothing at all, or not this."""

    entity: str
    attribute: str | None = None
    """None: it is to be left alone altogether."""
    value: Value | None = None
    """None: the attribute is not to be changed to anything."""
    why: Message | None = None
    """What was forbidden for good, where that is the reason."""


class Plan(Struct, frozen=True):
    """What one clause comes to.

    Where a device cannot do what was asked, nothing is planned at all; where merely a value is not known, or there is
    nothing to dim because it is off, the others still go on.
    """

    writes: tuple[Write, ...]
    problems: tuple[Problem, ...] = ()
    broken: tuple[Ban, ...] = ()
    """The bans that would have been broken: whom they are about is left alone."""

    @property
    def spared(self) -> tuple[str, ...]:
        """Whom the writes would have been about, and who is left alone because of a ban."""
        return tuple(dict.fromkeys(ban.entity for ban in self.broken))
