"""What each verb may come to, of whatever a device can do: the clusters of `daemon.home.actions`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from daemon.core.entities import CapabilityName, Value


@dataclass(frozen=True, slots=True)
class Member:
    """One way to carry out a verb: write `value` to `attribute` through `capability`.

    The value "toggle" stands for the opposite of a fresh reading.
    """

    capability: CapabilityName
    attribute: str
    value: Value
    types: frozenset[str] = frozenset()
    """Only for these types of device; empty: for all."""


_OPENABLE: Final = frozenset({"valve"})
_ROVERS: Final = frozenset({"vacuum", "lawn_mower"})
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
        Member("dock", "command", "dock", _ROVERS),
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
    ),
    "resume": (Member("media_transport", "command", "play"), Member("start_stop", "command", "resume")),
    "next": (Member("media_transport", "command", "next"),),
    "previous": (Member("media_transport", "command", "previous"),),
    "mute": (Member("mute", "muted", value=True),),
    "unmute": (Member("mute", "muted", value=False),),
    "dock": (Member("dock", "command", "dock"),),
}
"""Verb -> its members. `set`, `increase` and `decrease` go by their parameter, `query` by what is asked."""
