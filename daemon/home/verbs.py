"""What each verb may come to, of whatever a device can do, and which states fulfil it: by capability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from daemon.core.entities import CapabilityName, Entity, Value


class Member(Struct, frozen=True):
    """One way to carry out a verb: write `value` to `attribute` through `capability`.

    The value "toggle" stands for the opposite of a fresh reading.
    """

    capability: CapabilityName
    attribute: str
    value: Value
    types: frozenset[str] = frozenset()
    """Only for these types of device; empty: for all."""


_OPENABLE: Final = frozenset({"valve"})
ROVERS: Final = frozenset({"vacuum", "lawn_mower"})
_PLAIN_MACHINES: Final = frozenset(
    {"fan", "appliance", "humidifier", "dehumidifier", "air_purifier", "heater", "switch", "plug"}
)

ACTIONS: Final[Mapping[str, tuple[Member, ...]]] = {
    "turn_on": (
        Member("on_off", "state", "on"),
        Member("activate", "command", "activate"),
        Member("start_stop", "command", "start"),
        Member("open_close", "state", "open", _OPENABLE),
        Member("arm", "state", "armed"),
    ),
    "turn_off": (
        Member("on_off", "state", "off"),
        Member("arm", "state", "disarmed"),
        Member("start_stop", "command", "stop"),
        Member("open_close", "state", "closed", _OPENABLE),
    ),
    "toggle": (Member("on_off", "state", "toggle"), Member("open_close", "state", "toggle")),
    "open": (
        Member("open_close", "state", "open"),
        Member("lock", "state", "unlocked"),
        Member("on_off", "state", "on"),
        Member("activate", "command", "activate"),
        Member("start_stop", "command", "start"),
    ),
    "close": (
        Member("open_close", "state", "closed"),
        Member("lock", "state", "locked"),
        Member("on_off", "state", "off"),
        Member("start_stop", "command", "stop"),
    ),
    "stop": (
        Member("media_transport", "command", "stop"),
        Member("open_close", "command", "stop"),
        # As in Home Assistant, one that is told to stop goes home; it does not stay where people walk.
        Member("dock", "command", "dock", ROVERS),
        Member("start_stop", "command", "stop"),
        Member("on_off", "state", "off", _PLAIN_MACHINES),
    ),
    "lock": (Member("lock", "state", "locked"),),
    "unlock": (Member("lock", "state", "unlocked"),),
    "arm": (Member("arm", "state", "armed"),),
    "disarm": (Member("arm", "state", "disarmed"),),
    "activate": (Member("activate", "command", "activate"), Member("on_off", "state", "on")),
    "start": (
        Member("start_stop", "command", "start"),
        Member("media_transport", "command", "play"),
        Member("activate", "command", "activate"),
        Member("open_close", "state", "open", _OPENABLE),
        Member("on_off", "state", "on"),
    ),
    "pause": (
        Member("media_transport", "command", "pause"),
        Member("start_stop", "command", "pause"),
        Member("open_close", "command", "stop"),
        Member("on_off", "state", "off", _PLAIN_MACHINES),
    ),
    "resume": (Member("media_transport", "command", "play"), Member("start_stop", "command", "resume")),
    "next": (Member("media_transport", "command", "next"),),
    "previous": (Member("media_transport", "command", "previous"),),
    "mute": (Member("mute", "muted", value=True),),
    "unmute": (Member("mute", "muted", value=False),),
    "dock": (Member("dock", "command", "dock"),),
}
"""Verb -> its members. `set`, `increase` and `decrease` go by their parameter, `query` by what is asked."""


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
