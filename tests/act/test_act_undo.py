"""The way back from an act."""

import asyncio

import pytest

from daemon.act.planner import undo
from daemon.core.entities import Value
from daemon.core.outcomes import Observation, Outcome, Status, WayBack, Write
from daemon.core.values import replace
from daemon.home.registry import Registry
from tests.act.world import Bridge, Home, device, run

HOME = Registry(
    [
        device("lamp", "on_off", "brightness", "color"),
        device("door", "lock", kind="lock"),
        device("blind", "open_close", "position", kind="blind"),
        device("ac", "on_off", "temperature", kind="air_conditioner"),
    ]
)


def outcome(write: Write, status: Status = "done", sent: bool = True, **before: Value) -> Outcome:  # noqa: FBT001, FBT002 - a fixture
    known = tuple(Observation(write.entity, name, value, "stale", 90.0) for name, value in before.items())
    return Outcome(write, status, sent=sent, before=known)


DIM = Write("lamp", "brightness", 20, "set", unit="%")
RED = Write("lamp", "color", "#ff0000", "set")
COOL = Write("ac", "temperature", 20, "set", unit="C")


def halfway(before: float, seen: float) -> Outcome:
    """One that was to be dimmed and says something else."""
    failed = outcome(DIM, "failed", brightness=before, state="on")
    return replace(failed, evidence=Observation("lamp", "brightness", seen, "reply", 0.0))


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        ([outcome(Write("lamp", "state", "on", "turn_on"), state="off")], [("state", "off", "turn_off")]),
        ([outcome(Write("lamp", "state", "off", "turn_off"), state="on")], [("state", "on", "turn_on")]),
        ([outcome(DIM, brightness=80, state="on")], [("brightness", 80, "set")]),
        ([outcome(DIM, brightness=80, state="off")], [("state", "off", "turn_off")]),
        ([outcome(DIM, brightness=20, state="on")], []),
        ([outcome(Write("lamp", "state", "on", "turn_on"), state="on")], []),
        ([outcome(DIM, "refused", sent=False, brightness=80, state="on")], []),
        ([outcome(DIM, "failed", brightness=80, state="on")], []),
        ([outcome(RED, color="#00ff00", state="on")], [("color", "#00ff00", "set")]),
        ([outcome(RED, color="#00ff00", state="off")], [("color", "#00ff00", "set"), ("state", "off", "turn_off")]),
        ([outcome(RED, state="off")], [("state", "off", "turn_off")]),
        ([outcome(COOL, temperature=26, state="off")], [("temperature", 26, "set"), ("state", "off", "turn_off")]),
        ([outcome(Write("blind", "state", "open", "open"), state="open", position=8)], [("position", 8, "set")]),
        ([outcome(Write("blind", "state", "open", "open"), state="open", position=100)], []),
        ([outcome(Write("blind", "state", "open", "open"), state="closed")], [("state", "closed", "close")]),
        ([halfway(80, 50)], [("brightness", 80, "set")]),
        ([halfway(80, 80)], []),
        (
            [
                outcome(Write("lamp", "state", "on", "turn_on"), state="off", brightness=80),
                outcome(DIM, state="off", brightness=80),
            ],
            [("state", "off", "turn_off")],
        ),
    ],
)
def test_the_way_back(done: list[Outcome], expected: list[tuple[str, Value, str]]) -> None:
    found = undo(done, HOME)
    assert [(item.attribute, item.value, item.action) for item in found.writes] == expected
    assert found.risky == ()


def test_unlocking_again_needs_a_yes() -> None:
    found = undo([outcome(Write("door", "state", "locked", "lock"), state="unlocked")], HOME)
    assert [item.value for item in found.writes] == ["unlocked"]
    assert found.risky == ("door",)


def test_what_was_never_known_cannot_be_put_back() -> None:
    assert undo([outcome(DIM)], HOME) == WayBack((), (), ("lamp",))


def test_there_and_back() -> None:
    async def main() -> tuple[str, dict[str, object]]:
        home = await Home.of(device("lamp", "on_off", "brightness"))
        bridge = Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "ON", "brightness": 127})
        bridge.tell()
        await asyncio.sleep(120)
        first = await home.executor.execute([DIM])
        [back] = await home.executor.execute(undo(first, home.registry).writes)
        return back.status, bridge.truth

    assert run(main) == ("done", {"state": "ON", "brightness": 127})
