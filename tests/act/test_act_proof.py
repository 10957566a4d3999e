"""What bridges say that is no proof, and what is proof all the same. Time is virtual.

Every story is told of a device that does not do what it is told, and must not end as "done"; and of one that does.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from daemon.act.follower import Follower
from daemon.act.reader import Patience
from daemon.core.entities import Address, Capability, Entity
from daemon.core.outcomes import Outcome, Write
from daemon.mqtt.bus import Publication
from tests.act.world import Bridge, Home, device, run

ON = Write("lamp", "state", "on", "turn_on")
LAMP = "zigbee2mqtt/lamp"


def turn_on(says: Sequence[tuple[float, str]], *, after: str = "get", **bridge: Any) -> Outcome:
    """Turns a lamp on of which somebody says these states, so many seconds after each get, or after the set."""

    async def main() -> Outcome:
        home = await Home.of(device())
        home.bus.deliver(LAMP, {"state": "OFF"}, retained=True)
        Bridge(home.bus, LAMP, {"state": "OFF"}, **bridge)

        def repeat(publication: Publication) -> None:
            if publication.topic == f"{LAMP}/{after}":
                for delay, state in says:
                    asyncio.get_running_loop().call_later(delay, partial(home.bus.deliver, LAMP, {"state": state}))

        home.bus.on_publish.append(repeat)
        [outcome] = await home.executor.execute([ON])
        return outcome

    return run(main)


@pytest.mark.parametrize("obeys", [False, True])
@pytest.mark.parametrize("answers_s", [0.02, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("repeats_s", [0.001, 0.015, 0.08, 0.25])
def test_a_bridge_that_repeats_the_wish_before_the_truth(repeats_s: float, answers_s: float, *, obeys: bool) -> None:
    outcome = turn_on([(repeats_s, "ON")], obeys_s=[0.04 if obeys else None], answers_s=answers_s)
    assert outcome.status == ("done" if obeys else "failed")


@pytest.mark.parametrize(("answers_s", "status"), [(0.05, "failed"), (0.5, "failed"), (None, "unconfirmed")])
@pytest.mark.parametrize("again_s", [0.06, 0.07, 0.1, 0.2, 0.3])
def test_an_echo_that_comes_twice(again_s: float, answers_s: float | None, status: str) -> None:
    outcome = turn_on([(again_s, "ON")], after="set", obeys_s=[None], answers_s=answers_s)
    assert outcome.status == status


@pytest.mark.parametrize("late_s", [0.005, 0.1, 0.4])
def test_the_old_state_after_the_new_one_is_no_failure(late_s: float) -> None:
    assert turn_on([(late_s, "OFF")], after="set").status == "done"


def test_half_an_answer_is_none() -> None:
    async def main() -> Outcome:
        home = await Home.of(device("lamp", "on_off", "brightness"))
        Bridge(home.bus, LAMP, {"brightness": 254}, echo_s=None, obeys_s=[None])
        [outcome] = await home.executor.execute([ON])
        return outcome

    assert run(main).status == "unconfirmed"


def test_who_was_caught_is_believed_only_when_every_answer_had_its_time() -> None:
    async def main() -> tuple[list[str], float]:
        home = await Home.of(device())
        bridge = Bridge(home.bus, LAMP, {"state": "OFF"}, obeys_s=[None], answers_s=0.4)

        def repeat(publication: Publication) -> None:
            if publication.topic.endswith("/get"):
                asyncio.get_running_loop().call_later(0.01, partial(home.bus.deliver, LAMP, {"state": "ON"}))

        home.bus.on_publish.append(repeat)
        clock = asyncio.get_running_loop().time
        first = await home.executor.execute([ON])
        bridge.answers_s, bridge.sets = 1.5, 0
        second = await home.executor.execute([ON])
        bridge.obeys_s, bridge.sets = [0.04], 0
        started = clock()
        third = await home.executor.execute([ON])
        return [item.status for item in (*first, *second, *third)], clock() - started

    statuses, seconds = run(main)
    assert statuses == ["failed", "failed", "done"]
    assert seconds >= Patience().deadline_s


def test_an_honest_device_is_believed_soon() -> None:
    async def main() -> float:
        home = await Home.of(device())
        Bridge(home.bus, LAMP, {"state": "OFF"})
        await home.executor.execute([ON])
        return asyncio.get_running_loop().time()

    assert run(main) < Patience().settle_s + 0.15


def blind(*, gettable: bool = True) -> Entity:
    able = (
        Capability("open_close", "state", gettable=gettable),
        Capability("position", "position", minimum=0, maximum=100, unit="%", gettable=gettable),
    )
    address = Address("zigbee2mqtt", "zigbee2mqtt/blind")
    return Entity("blind", "device", ("blind",), type="blind", capabilities=able, address=address)


@pytest.mark.parametrize(("truth", "status", "reason"), [(8, "failed", "disagrees"), (100, "done", "already")])
def test_a_blind_that_is_open_a_little_is_not_open(truth: int, status: str, reason: str) -> None:
    async def main() -> tuple[Outcome, int]:
        home = await Home.of(blind())
        bridge = Bridge(home.bus, "zigbee2mqtt/blind", {"state": "OPEN", "position": truth}, obeys_s=[None])
        bridge.tell()
        [outcome] = await home.executor.execute([Write("blind", "state", "open", "open")])
        return outcome, bridge.sets

    outcome, sets = run(main)
    assert (outcome.status, outcome.reason) == (status, reason)
    assert outcome.evidence is not None
    assert (outcome.evidence.attribute, outcome.evidence.value) == ("position", truth)
    assert sets == (2 if status == "failed" else 1)


def test_a_blind_without_a_position_is_open_when_it_says_so() -> None:
    async def main() -> Outcome:
        home = await Home.of(device("blind", "open_close", kind="blind"))
        Bridge(home.bus, "zigbee2mqtt/blind", {"state": "CLOSE"})
        [outcome] = await home.executor.execute([Write("blind", "state", "open", "open")])
        return outcome

    assert run(main).status == "done"


@pytest.mark.parametrize("gettable", [True, False])
@pytest.mark.parametrize(
    ("write", "places"),
    [
        (Write("blind", "state", "closed", "close"), [80, 60, 40, 20, 0]),
        (Write("blind", "state", "open", "open"), [20, 40, 60, 80, 100]),
        (Write("blind", "position", 40, "set"), [80, 60, 40]),
    ],
)
def test_a_battery_blind_that_tells_its_way_and_answers_nothing(
    write: Write, places: list[int], *, gettable: bool
) -> None:
    async def main() -> tuple[Outcome, Outcome | None]:
        home = await Home.of(blind(gettable=gettable))
        told: list[str] = []

        def hear(publication: Publication) -> None:
            if publication.topic.endswith("/set") and not told:
                told.append(publication.topic)
                for second, place in enumerate(places, 1):
                    said = {"state": "OPEN" if place else "CLOSE", "position": place}
                    asyncio.get_running_loop().call_later(second, partial(home.bus.deliver, "zigbee2mqtt/blind", said))

        home.bus.on_publish.append(hear)
        [outcome] = await home.executor.execute([write])
        follower = Follower(home.states, home.reader, home.registry, home.executor.acts)
        return outcome, await follower.to_the_end(outcome)

    outcome, end = run(main)
    assert (outcome.status, outcome.reason) == ("done", "moving")
    # Nothing but an arrival that was to be expected, or nothing at all: nobody is told a second time.
    assert end is not None
    assert end.reason in ("", outcome.reason)


def test_a_bolt_whose_bridge_repeats_the_wish_is_not_called_locked_afterwards() -> None:
    async def main() -> tuple[Outcome, Outcome | None]:
        home = await Home.of(device("bolt", "lock", kind="lock"))
        Bridge(home.bus, "zigbee2mqtt/bolt", {"state": "UNLOCK"}, obeys_s=[None], answers_s=0.5)

        def repeat(publication: Publication) -> None:
            if publication.topic.endswith("/get"):
                said = {"state": "LOCK"}
                asyncio.get_running_loop().call_later(0.02, partial(home.bus.deliver, "zigbee2mqtt/bolt", said))

        home.bus.on_publish.append(repeat)
        [outcome] = await home.executor.execute([Write("bolt", "state", "locked", "lock")])
        follower = Follower(home.states, home.reader, home.registry, home.executor.acts)
        return outcome, await follower.to_the_end(outcome)

    outcome, end = run(main)
    assert outcome.status == "failed"
    assert end is not None
    assert end.status == "failed"


PLAYER = (Capability("on_off", "state"), Capability("media_transport", "state"))
ROVER = (Capability("start_stop", "state"), Capability("dock", "state"))


@pytest.mark.parametrize(
    ("able", "command", "stays", "status"),
    [
        (PLAYER, "play", "idle", "failed"),
        (PLAYER, "play", "paused", "failed"),
        (PLAYER, "play", "on", "failed"),
        (PLAYER, "play", "playing", "done"),
        (PLAYER, "pause", "playing", "failed"),
        (PLAYER, "pause", "idle", "failed"),
        (PLAYER, "stop", "paused", "done"),
        (PLAYER, "stop", "playing", "failed"),
        (PLAYER, "stop", "idle", "done"),
        (ROVER, "start", "idle", "failed"),
        (ROVER, "start", "paused", "failed"),
        (ROVER, "resume", "paused", "failed"),
        (ROVER, "start", "cleaning", "done"),
        (ROVER, "dock", "cleaning", "failed"),
        (ROVER, "dock", "returning", "done"),
    ],
)
def test_a_command_is_proven_by_its_own_state(
    able: tuple[Capability, ...], command: str, stays: str, status: str
) -> None:
    async def main() -> Outcome:
        entity = Entity("it", "device", ("it",), type="tv", capabilities=able, address=Address("plain", "home/it"))
        home = await Home.of(entity)
        Bridge(home.bus, "home/it", {"state": stays}, echo_s=None, obeys_s=[None])
        [outcome] = await home.executor.execute([Write("it", "command", command, command)])
        return outcome

    assert run(main).status == status
