"""What counts as the wished state: a row for each pair of a wish and a state, per kind of device."""

import pytest

from daemon.core.entities import Capability, CapabilityName, Entity, Value
from daemon.home.verbs import ACTIONS, FULFILLED, at_end, fulfilling, fulfils

_STATES = (
    *("on", "off", "playing", "paused", "idle", "stopped", "cleaning", "mowing", "running", "returning", "docked"),
    *("open", "closed", "opening", "closing", "locked", "unlocked", "locking", "jammed", "error", "unknown"),
)
KINDS: dict[str, tuple[CapabilityName, ...]] = {
    "lamp": ("on_off",),
    "player": ("on_off", "media_transport", "volume"),
    "vacuum": ("start_stop", "dock"),
    "machine": ("on_off", "start_stop"),
    "cover": ("open_close",),
    "lock": ("lock",),
}
TABLE: dict[tuple[str, str], set[str]] = {
    ("lamp", "on"): {"on"},
    ("lamp", "off"): {"off"},
    ("player", "on"): {"on", "playing", "paused", "idle"},
    ("player", "off"): {"off"},
    ("player", "play"): {"playing"},
    ("player", "pause"): {"paused"},
    ("player", "stop"): {"stopped", "idle", "off", "paused"},
    ("vacuum", "start"): {"cleaning", "mowing", "on", "running"},
    ("vacuum", "resume"): {"cleaning", "mowing", "on", "running"},
    ("vacuum", "pause"): {"paused"},
    ("vacuum", "stop"): {"stopped", "idle", "off", "docked"},
    ("vacuum", "dock"): {"returning", "docked"},
    ("machine", "on"): {"on", "running", "cleaning", "mowing"},
    ("machine", "off"): {"off"},
    ("cover", "open"): {"open"},
    ("cover", "closed"): {"closed"},
    ("lock", "locked"): {"locked"},
    ("lock", "unlocked"): {"unlocked"},
}


def _device(kind: str) -> Entity:
    able = tuple(Capability(name, "volume" if name == "volume" else "state") for name in KINDS[kind])
    return Entity(kind, "device", (kind,), type=kind, capabilities=able)


@pytest.mark.parametrize("state", _STATES)
@pytest.mark.parametrize(("kind", "wish"), TABLE)
def test_each_pair(kind: str, wish: str, state: str) -> None:
    assert fulfils(_device(kind), wish, state) is (state in TABLE[kind, wish])
    assert fulfils(_device(kind), wish, state.upper()) is (state in TABLE[kind, wish])


@pytest.mark.parametrize(
    ("wish", "position", "there"),
    [("open", 100, True), ("open", 98, True), ("open", 96, False), ("open", 8, False), ("open", 0, False),
     ("closed", 0, True), ("closed", 1, True), ("closed", 2, False), ("closed", 8, False)],
)  # fmt: skip
def test_part_way_is_not_open(wish: str, position: float, there: bool) -> None:  # noqa: FBT001 - a column
    assert at_end(wish, position) is there


def test_every_command_of_the_verbs_has_its_row() -> None:
    commands: set[tuple[CapabilityName, Value]] = {
        (member.capability, member.value)
        for ways in ACTIONS.values()
        for member in ways
        if member.attribute == "command"
    }
    assert commands - FULFILLED.keys() == set()


def test_what_no_state_tells_is_never_fulfilled() -> None:
    assert fulfilling(_device("player"), "next") == ()
