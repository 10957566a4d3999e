"""When what was wished of a device has come true: the states that fulfil it, per capability.

The one place that knows that a player which is idle is on but does not play, and that a vacuum in its dock has obeyed
"go home". A wish that does not stand here is fulfilled by a state of the same word, and by no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daemon.core.entities import CapabilityName, Entity, Value

SWITCHING: Final[frozenset[str]] = frozenset({"brightness", "position", "speed"})
"""Levels that switch a device on, or move it, by themselves ("the lamp at 30 %", "the blinds halfway")."""

_PLAYER_ON: Final = ("on", "playing", "paused", "idle")
_AT_WORK: Final = ("cleaning", "mowing", "on", "running")

FULFILLED: Final[Mapping[tuple[CapabilityName, str], tuple[str, ...]]] = {
    ("on_off", "on"): ("on",),
    # A player, and what runs a program, say what they do rather than that they are on.
    ("media_transport", "on"): _PLAYER_ON,
    ("media_select", "on"): _PLAYER_ON,
    ("play_media", "on"): _PLAYER_ON,
    ("volume", "on"): _PLAYER_ON,
    ("media_transport", "play"): ("playing",),
    ("media_transport", "pause"): ("paused",),
    # Many players know no other end of playing than a pause.
    ("media_transport", "stop"): ("idle", "stopped", "off", "paused"),
    ("start_stop", "on"): _AT_WORK,
    ("start_stop", "start"): _AT_WORK,
    ("start_stop", "resume"): _AT_WORK,
    ("start_stop", "pause"): ("paused",),
    ("start_stop", "stop"): ("idle", "stopped", "off", "docked"),
    ("dock", "dock"): ("returning", "docked"),
    # Where it has a position, that tells whether it stands still.
    ("open_close", "stop"): ("stopped", "open", "closed"),
    ("media_transport", "next"): (),
    ("media_transport", "previous"): (),
    ("activate", "activate"): (),
}
"""(capability, the state or command that is wished) -> the states that fulfil it, what it says first; empty: none."""

_ENDS: Final[Mapping[str, float]] = {"open": 100.0, "closed": 0.0}
_SLACK: Final[Mapping[str, float]] = {"open": 3.0, "closed": 1.0}
"""Percent: a cover may lack this of being open for all that anybody sees; a door that is ajar is not closed."""


def fulfilling(entity: Entity, wish: Value) -> tuple[str, ...]:
    """The states of this device that fulfil a wished state or command; none where no state tells."""
    word = word_of(wish)
    known = [FULFILLED[able.name, word] for able in entity.capabilities if (able.name, word) in FULFILLED]
    return tuple(dict.fromkeys(state for states in known for state in states)) if known else (word,)


def fulfils(entity: Entity, wish: Value, state: Value) -> bool:
    """Whether a device in this state is as was wished."""
    return word_of(state) in fulfilling(entity, wish)


def end_of(entity: Entity, state: Value) -> float | None:
    """The position at which a cover is in a wished state: open is all the way. None for anything else."""
    moves = entity.capability("open_close") is not None or entity.capability("position") is not None
    return _ENDS.get(str(state)) if moves else None


def at_end(state: Value, position: float) -> bool:
    """Whether a cover at this position (percent) is open, or closed, as was wished."""
    return abs(_ENDS[str(state)] - position) <= _SLACK[str(state)]


def word_of(value: Value) -> str:
    """A state as a word, however a device writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    word = str(value).strip().casefold()
    return {"true": "on", "false": "off"}.get(word, word)
