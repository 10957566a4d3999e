"""What becomes of a door that was on its way when that was told. Time is virtual."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from daemon.act.follower import Follower
from daemon.act.reader import Patience
from daemon.core.entities import Value
from daemon.core.outcomes import Outcome, Write
from daemon.mqtt.bus import Publication
from tests.act.world import Home, device, run

CLOSE = Write("door", "state", "closed", "close")


class Door:
    """A garage door that is at `places[n]` percent n seconds after it was told to close."""

    def __init__(self, home: Home, places: Sequence[float], *, answers: bool = True, pushes: bool = True) -> None:
        self.places = list(places)
        self.answers, self.pushes = answers, pushes
        self._home = home
        self._told_at: float | None = None
        home.bus.on_publish.append(self._hear)

    def _place(self) -> float:
        if self._told_at is None:
            return self.places[0]
        passed = asyncio.get_running_loop().time() - self._told_at
        return self.places[min(int(passed), len(self.places) - 1)]

    def _say(self) -> None:
        place = self._place()
        self._home.bus.deliver("zigbee2mqtt/door", {"state": "OPEN" if place else "CLOSE", "position": place})

    def _hear(self, publication: Publication) -> None:
        loop = asyncio.get_running_loop()
        if publication.topic.endswith("/get"):
            if self.answers:
                loop.call_later(0.1, self._say)
        elif self._told_at is None and b"CLOSE" in publication.payload:
            self._told_at = loop.time()
            for second in range(1, len(self.places) + 1 if self.pushes else 0):
                loop.call_later(second + 0.01, self._say)


def follow(
    places: Sequence[float], then: Callable[[Home, Door], Any] | None = None, **door: Any
) -> tuple[Outcome, Outcome | None]:
    async def main() -> tuple[Outcome, Outcome | None]:
        home = await Home.of(device("door", "open_close", "position", kind="garage_door"))
        behind = Door(home, places, **door)
        follower = Follower(home.states, home.reader, home.registry, home.executor.acts)
        [outcome] = await home.executor.execute([CLOSE])
        assert follower.concerned(outcome)
        if then is not None:
            asyncio.get_running_loop().call_later(2, then, home, behind)
        return outcome, await follower.to_the_end(outcome)

    return run(main)


@pytest.mark.parametrize("pushes", [True, False])
@pytest.mark.parametrize(
    ("places", "first", "status", "reason", "value"),
    [
        pytest.param([*range(100, 0, -10), 0], "done moving", "done", "", 0, id="it arrives"),
        pytest.param([100, 90, 80, 70, 60, 60], "done moving", "failed", "halfway", 60, id="it stops half-way"),
        pytest.param([100, 80, 60, 70, 80, 100], "done moving", "failed", "halfway", 100, id="it goes back"),
        pytest.param([100] * 14 + [50, 20, 0], "failed disagrees", "done", "", 0, id="it starts late"),
        pytest.param([100], "failed disagrees", "failed", "disagrees", 100, id="it never starts"),
        pytest.param([100, 60, 20, 3, 3], "done moving", "done", "", 3, id="its own end is nearly shut"),
    ],
)
def test_the_end_of_the_way(
    places: list[float], first: str, status: str, reason: str, value: Value, *, pushes: bool
) -> None:
    outcome, end = follow(places, pushes=pushes)
    assert f"{outcome.status} {outcome.reason}".strip() == first
    assert end is not None
    assert (end.status, end.reason) == (status, reason)
    assert end.evidence is not None
    assert end.evidence.value == value
    assert end.published == ()


def test_who_falls_silent_on_the_way_is_not_known_to_have_arrived() -> None:
    def silence(_: Home, door: Door) -> None:
        door.answers = False

    outcome, end = follow([100, 90, 80, *[70] * 100], silence, pushes=False)
    assert (outcome.status, outcome.reason) == ("done", "moving")
    assert end is not None
    assert (end.status, end.reason) == ("unconfirmed", "no_answer")


def test_a_newer_act_ends_the_interest_in_the_older() -> None:
    def stop(home: Home, _: Door) -> None:
        task = asyncio.ensure_future(home.executor.execute([Write("door", "command", "stop", "stop")]))
        task.add_done_callback(lambda done: done.result())

    _, end = follow([*range(100, 0, -5), 0], stop)
    assert end is None


@pytest.mark.parametrize(
    ("answers", "first", "status", "reason"),
    [
        (["UNLOCK", "UNLOCK", "LOCK"], "done ", None, None),
        (["UNLOCK"], "failed disagrees", "failed", "disagrees"),
        ([*["UNLOCK"] * 12, "LOCK"], "failed disagrees", "done", ""),
    ],
)
def test_a_bolt_takes_its_time(answers: list[str], first: str, status: str | None, reason: str | None) -> None:
    async def main() -> tuple[Outcome, Outcome | None]:
        home = await Home.of(device("bolt", "lock", kind="lock"))
        left = list(answers)

        def hear(publication: Publication) -> None:
            if publication.topic.endswith("/get"):
                state = left.pop(0) if len(left) > 1 else left[0]
                asyncio.get_running_loop().call_later(0.1, home.bus.deliver, "zigbee2mqtt/bolt", {"state": state})

        home.bus.on_publish.append(hear)
        follower = Follower(home.states, home.reader, home.registry, home.executor.acts, Patience())
        [outcome] = await home.executor.execute([Write("bolt", "state", "locked", "lock")])
        concerned = follower.concerned(outcome)
        assert concerned is (status is not None)
        return outcome, await follower.to_the_end(outcome) if concerned else None

    outcome, end = run(main)
    assert f"{outcome.status} {outcome.reason}" == first
    assert (end.status, end.reason) == (status, reason) if end is not None else status is None
