"""What a plan is: what would be sent, and what stands in the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from daemon.core.entities import Value
from daemon.core.ir import Unit
from daemon.core.outcomes import Observation, Write

Observed = Mapping[tuple[str, str], Observation]
"""(entity id, attribute) -> its reading."""
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


@dataclass(frozen=True, slots=True)
class Problem:
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
    other: Unit | None = None
    """The unit in which it would be plausible."""


@dataclass(frozen=True, slots=True)
class Ban:
    """What must not be done to one device: nothing at all, or not this."""

    entity: str
    attribute: str | None = None
    """None: it is to be left alone altogether."""
    value: Value | None = None
    """None: the attribute is not to be changed to anything."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What one clause comes to.

    Where a device cannot do what was asked, nothing is planned at all; where merely a value is not known, or there is
    nothing to dim because it is off, the others still go on.
    """

    writes: tuple[Write, ...]
    problems: tuple[Problem, ...] = ()
    spared: tuple[str, ...] = ()
    """Whom the writes would have been about, and who is left alone because of a ban."""
