"""What was sent over a connection that broke is read again when it is back. Time is virtual."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from daemon.act.follower import Follower, Regained
from daemon.act.reader import Patience
from daemon.core.entities import Entity, Value
from daemon.core.outcomes import Outcome, Write
from tests.act.world import Bridge, Home, device, run

LAMP = device("thing")
LOCK = device("thing", "lock", kind="lock")
SHUTTER = device("thing", "open_close", "position", kind="shutter")
PLAYER = device("thing", "media_transport", kind="speaker")
ON = Write("thing", "state", "on", "turn_on")
UNLOCK = Write("thing", "state", "unlocked", "unlock")
PLAY = Write("thing", "command", "play", "play")
NEXT = Write("thing", "command", "next", "next")
OPEN = Write("thing", "state", "open", "open")
AWAY_S = 7.0

Then = Callable[[Home, Bridge], None]


def tell(after_s: float = 1.0, **truth: Any) -> Then:
    """The set arrives so long after the connection is back."""
    return lambda _, bridge: _later(AWAY_S + after_s, lambda: bridge.tell(**truth))


def _later(seconds: float, do: Callable[[], Any]) -> None:
    asyncio.get_running_loop().call_later(seconds, do)


def journey(_: Home, bridge: Bridge) -> None:
    """A shutter that begins to open then."""
    for second in range(11):
        _later(AWAY_S + 1 + second, partial(bridge.tell, state="OPEN", position=10 * second))


def lost(entity: Entity, write: Write, then: Then | None, **bridge: Any) -> tuple[Outcome, Outcome | None, float]:
    """The reply, what is told after it, and how long after the connection was back."""

    async def main() -> tuple[Outcome, Outcome | None, float]:
        home = await Home.of(entity)
        behind = Bridge(home.bus, "zigbee2mqtt/thing", **bridge)
        parts = (home.states, home.reader, home.registry, home.executor.acts)
        regained = Regained(home.bus, *parts, Follower(*parts))
        home.bus.breaks()
        [outcome] = await home.executor.execute([write])
        assert regained.concerned(outcome)
        _later(AWAY_S, home.bus.regain)
        if then is not None:
            then(home, behind)
        begun = asyncio.get_running_loop().time()
        end = await regained.to_the_end(outcome)
        return outcome, end, asyncio.get_running_loop().time() - begun - AWAY_S

    return run(main)


@pytest.mark.parametrize(
    ("entity", "write", "truth", "then", "status", "reason", "value"),
    [
        pytest.param(LAMP, ON, {"state": "OFF"}, tell(state="ON"), "done", "", "on", id="a lamp goes on after all"),
        pytest.param(LAMP, ON, {"state": "ON"}, None, "done", "", "on", id="it arrived before"),
        pytest.param(LAMP, ON, {"state": "OFF"}, None, "failed", "disagrees", "off", id="it never arrives"),
        pytest.param(LOCK, UNLOCK, {"state": "LOCK"}, tell(6.0, state="UNLOCK"), "done", "", "unlocked", id="a lock"),
        pytest.param(LOCK, UNLOCK, {"state": "LOCK"}, None, "failed", "disagrees", "locked", id="a lock stays"),
        pytest.param(
            SHUTTER,
            OPEN,
            {"state": "CLOSE", "position": 0},
            journey,
            "done",
            "",
            100,
            id="a shutter opens after all",
        ),
        pytest.param(
            SHUTTER, OPEN, {"state": "CLOSE", "position": 0}, None, "failed", "halfway", 0, id="a shutter stays"
        ),
    ],
)
def test_what_became_of_it(
    entity: Entity, write: Write, truth: dict[str, Any], then: Then | None, status: str, reason: str, value: Value
) -> None:
    outcome, end, _ = lost(entity, write, then, truth=truth)
    assert (outcome.status, outcome.reason) == ("unconfirmed", "connection_lost")
    assert end is not None
    assert (end.status, end.reason) == (status, reason)
    assert end.evidence is not None
    assert end.evidence.value == value
    assert end.published == ()


def test_what_is_so_is_told_at_once_and_what_is_not_when_it_can_no_longer_be_expected() -> None:
    _, _, soon = lost(LAMP, ON, None, truth={"state": "ON"})
    _, _, late = lost(LAMP, ON, None, truth={"state": "OFF"})
    assert soon < 3 < Patience().late_s <= late


def test_who_does_not_answer_is_not_spoken_of_again() -> None:
    _, end, _ = lost(LAMP, ON, None, truth={"state": "ON"}, answers_s=None)
    assert end is None


def test_a_newer_act_ends_the_interest() -> None:
    def again(home: Home, _: Bridge) -> None:
        async def act() -> None:
            await home.executor.execute([Write("thing", "state", "off", "turn_off")])

        _later(AWAY_S + 2, lambda: tasks.append(asyncio.ensure_future(act())))

    tasks: list[asyncio.Future[None]] = []
    _, end, _ = lost(LAMP, ON, again, truth={"state": "OFF"})
    assert end is None


@pytest.mark.parametrize(
    ("write", "state", "status"),
    [(PLAY, "playing", "done"), (PLAY, "idle", "failed"), (NEXT, "playing", None)],
)
def test_a_command_is_seen_by_the_state_that_fulfils_it(write: Write, state: str, status: str | None) -> None:
    async def main() -> Outcome | None:
        home = await Home.of(PLAYER)
        Bridge(home.bus, "zigbee2mqtt/thing", truth={"state": state})
        parts = (home.states, home.reader, home.registry, home.executor.acts)
        regained = Regained(home.bus, *parts, Follower(*parts))
        outcome = Outcome(write, "unconfirmed", "connection_lost", sent=True)
        return await regained.to_the_end(outcome) if regained.concerned(outcome) else None

    end = run(main)
    assert (end.status if end is not None else None) == status
