"""What `Executor` says of devices that tell the truth, and of those that do not. Time is virtual."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from daemon.act.executor import Executor
from daemon.act.reader import Patience
from daemon.core.entities import Capability, Entity
from daemon.core.errors import BrokerRefused
from daemon.core.outcomes import Outcome, Write
from daemon.mqtt.bus import Publication
from daemon.mqtt.dialects import Change
from daemon.mqtt.dialects.zigbee2mqtt import Zigbee2Mqtt
from tests.act.world import Bridge, Home, device, run

ON = Write("lamp", "state", "on", "turn_on")
OFF = Write("lamp", "state", "off", "turn_off")


def turn_on(lamp: Entity | None = None, before: str = "OFF", **bridge: Any) -> tuple[Outcome, Bridge]:
    async def main() -> tuple[Outcome, Bridge]:
        entity = lamp or device()
        home = await Home.of(entity)
        home.bus.deliver("zigbee2mqtt/lamp", {"state": before}, retained=True)
        behind = Bridge(home.bus, "zigbee2mqtt/lamp", **({"truth": {"state": before}} | bridge))
        [outcome] = await home.executor.execute([ON])
        return outcome, behind

    return run(main)


@pytest.mark.parametrize(
    ("bridge", "status", "reason", "value"),
    [
        pytest.param({}, "done", "", "on", id="honest"),
        pytest.param({"old_first": True}, "done", "", "on", id="the old state comes first"),
        pytest.param({"obeys_s": [None]}, "failed", "disagrees", "off", id="echoes, and stays as it was"),
        pytest.param({"obeys_s": [None], "old_first": True}, "failed", "disagrees", "off", id="old, echo, then truth"),
        pytest.param({"obeys_s": [None], "echo_s": None}, "failed", "disagrees", "off", id="no echo, stays"),
        pytest.param(
            {"obeys_s": [None], "echo_s": 0.28}, "failed", "disagrees", "off", id="echo between get and reply"
        ),
        pytest.param({"obeys_s": [None], "echo_s": 0.6}, "failed", "disagrees", "off", id="a late echo"),
        pytest.param({"echo_s": None}, "done", "", "on", id="no echo at all"),
        pytest.param({"obeys_s": [None, 0.05]}, "done", "", "on", id="obeys the second set"),
        pytest.param({"obeys_s": [1.9]}, "done", "", "on", id="slow to obey"),
        pytest.param({"answers_s": 0.9, "obeys_s": [0.5]}, "done", "", "on", id="slow to answer"),
        pytest.param({"answers_s": None}, "unconfirmed", "no_answer", "on", id="echoes, never answers"),
        pytest.param({"answers_s": None, "echo_s": None}, "unconfirmed", "no_answer", "off", id="says nothing"),
        pytest.param({"answers_s": 5.0}, "unconfirmed", "no_answer", "on", id="answers after the deadline"),
    ],
)
def test_a_device_that_lies_or_not(bridge: dict[str, Any], status: str, reason: str, value: str) -> None:
    outcome, _ = turn_on(**bridge)
    assert (outcome.status, outcome.reason) == (status, reason)
    assert outcome.evidence is not None
    assert outcome.evidence.value == value
    assert outcome.evidence.source == ("stale" if status == "unconfirmed" else "reply")
    assert outcome.sent


def test_a_bridge_that_believes_it_is_on_already_proves_nothing() -> None:
    outcome, _ = turn_on(truth={"state": "OFF"}, cache={"state": "ON"}, before="ON", old_first=True, obeys_s=[None])
    assert outcome.status == "failed"


def test_a_bridge_that_repeats_itself_proves_nothing() -> None:
    async def main() -> Outcome:
        home = await Home.of(device())
        bridge = Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "OFF"}, obeys_s=[None])
        bridge.tell()

        def repeat(publication: Publication) -> None:
            if publication.topic.endswith("/set"):
                for _ in range(5):
                    asyncio.get_running_loop().call_later(bridge.echo_s or 0, bridge.publish)

        home.bus.on_publish.append(repeat)
        [outcome] = await home.executor.execute([ON])
        assert bridge.sets == 2
        return outcome

    assert run(main).status == "failed"


def test_an_honest_device_is_asked_twice_and_told_once() -> None:
    outcome, behind = turn_on()
    assert (behind.sets, behind.gets) == (1, 2)
    assert (outcome.attempts, outcome.published) == (1, (("zigbee2mqtt/lamp/set", '{"state":"ON"}'),))


def test_a_set_is_repeated_once_and_no_more() -> None:
    outcome, behind = turn_on(obeys_s=[None])
    assert behind.sets == outcome.attempts == 2


def test_a_device_that_is_on_is_told_again_and_it_is_said() -> None:
    async def main() -> Outcome:
        home = await Home.of(device())
        bridge = Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "ON"})
        bridge.tell(state="ON")
        [outcome] = await home.executor.execute([ON])
        assert bridge.sets == 1
        return outcome

    outcome = run(main)
    assert (outcome.status, outcome.reason) == ("done", "already")


def test_a_device_that_cannot_be_asked_is_not_confirmed_by_its_echo() -> None:
    outcome, behind = turn_on(device("lamp", Capability("on_off", "state", gettable=False)))
    assert (outcome.status, outcome.reason, behind.gets) == ("unconfirmed", "cannot_ask", 0)


def test_a_device_that_speaks_for_itself_is_believed() -> None:
    honest = device("lamp", Capability("on_off", "state", gettable=False), optimistic=False)
    outcome, _ = turn_on(honest, echo_s=0.1)
    assert (outcome.status, outcome.reason) == ("done", "")


@pytest.mark.parametrize(
    ("after_s", "status", "reason"), [(0.9, "failed", "disagrees"), (0.4, "unconfirmed", "cannot_ask")]
)
def test_a_device_that_cannot_be_asked_and_contradicts_has_failed(after_s: float, status: str, reason: str) -> None:
    """What comes on the heels of the echo may be how it was before."""

    async def main() -> Outcome:
        home = await Home.of(device("lamp", Capability("on_off", "state", gettable=False)))
        bridge = Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "OFF"}, obeys_s=[None])
        home.bus.deliver("zigbee2mqtt/lamp", {"state": "OFF"})
        asyncio.get_running_loop().call_later(after_s, bridge.tell)
        [outcome] = await home.executor.execute([ON])
        return outcome

    outcome = run(main)
    assert (outcome.status, outcome.reason) == (status, reason)


def test_a_device_that_is_offline_is_left_alone() -> None:
    async def main() -> tuple[Outcome, int]:
        home = await Home.of(device())
        home.bus.deliver("zigbee2mqtt/lamp/availability", {"state": "offline"}, retained=True)
        [outcome] = await home.executor.execute([ON])
        return outcome, len(home.bus.published)

    outcome, published = run(main)
    assert (outcome.status, outcome.reason, outcome.sent, published) == ("refused", "offline", False, 0)


def test_retained_lies_and_other_devices_prove_nothing() -> None:
    async def main() -> Outcome:
        home = await Home.of(device(), device("other"))
        Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "OFF"}, obeys_s=[None], answers_s=None, echo_s=None)
        loop = asyncio.get_running_loop()
        for at in range(1, 30):
            loop.call_later(at / 10, lambda: home.bus.deliver("zigbee2mqtt/lamp", {"state": "ON"}, retained=True))
            loop.call_later(at / 10, lambda: home.bus.deliver("zigbee2mqtt/other", {"state": "ON"}))
        [outcome] = await home.executor.execute([ON])
        return outcome

    assert run(main).status == "unconfirmed"


def test_no_broker_no_act_and_nothing_later() -> None:
    async def main() -> tuple[tuple[Outcome, ...], int]:
        home = await Home.of(device())
        home.bus.connected = False
        outcomes = await home.executor.execute([ON, OFF])
        home.bus.connected = True
        await asyncio.sleep(60)
        return outcomes, len(home.bus.published)

    outcomes, published = run(main)
    assert [(item.status, item.reason, item.sent) for item in outcomes] == [("refused", "broker_away", False)] * 2
    assert published == 0


@pytest.mark.parametrize("when", ["in the set", "in the get", "while waiting"])
def test_a_connection_lost_in_mid_command_leaves_it_unconfirmed(when: str) -> None:
    async def main() -> tuple[Outcome, int]:
        home = await Home.of(device())
        bridge = Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "OFF"}, answers_s=None)
        home.bus.broken = when == "in the set"
        loop = asyncio.get_running_loop()
        if when == "in the get":
            loop.call_later(0.01, home.bus.breaks)
        elif when == "while waiting":
            loop.call_later(1.0, home.bus.lose)
        [outcome] = await home.executor.execute([ON])
        before = loop.time()
        home.bus.connected, home.bus.broken = True, False
        await asyncio.sleep(60)
        assert before < 1.1
        return outcome, bridge.sets

    outcome, sets = run(main)
    assert (outcome.status, outcome.reason, outcome.sent) == ("unconfirmed", "connection_lost", True)
    assert sets == (0 if when == "in the set" else 1)


def test_a_newer_command_is_not_undone_by_the_repetition_of_an_older_one() -> None:
    async def main() -> tuple[Outcome, Outcome, Bridge]:
        home = await Home.of(device())
        bridge = Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "OFF"}, obeys_s=[None, 0.04])
        first = asyncio.create_task(home.executor.execute([ON]))
        await asyncio.sleep(0.5)
        [second] = await home.executor.execute([OFF])
        [older] = await first
        return older, second, bridge

    older, second, bridge = run(main)
    assert second.status == "done"
    assert (older.status, older.reason) == ("unconfirmed", "superseded")
    assert bridge.sets == 2


def test_who_wishes_again_what_was_wished_before_another_wish_settles_nothing_for_the_first() -> None:
    """On, off and on again: the first is superseded, though the last wishes the same."""

    async def main() -> tuple[Outcome, ...]:
        home = await Home.of(device())
        Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "OFF"}, obeys_s=[0.04, 0.04, 5.0])

        async def wish(state: str, after_s: float) -> Outcome:
            await asyncio.sleep(after_s)
            [outcome] = await home.executor.execute([Write("lamp", "state", state, f"turn_{state}")])
            return outcome

        return tuple(await asyncio.gather(wish("on", 0), wish("off", 0.3), wish("on", 2.9), wish("on", 3.0)))

    first, _, again, last = run(main)
    assert (first.status, first.reason) == ("unconfirmed", "superseded")
    assert "superseded" not in (again.reason, last.reason)


def test_commands_without_a_state_are_sent_once_and_not_called_done() -> None:
    async def main() -> tuple[Outcome, Bridge]:
        tv = device("tv", Capability("on_off", "state"), Capability("media_transport", "state"), kind="tv")
        plain = Entity(**{name: getattr(tv, name) for name in tv.__slots__} | {"address": _plain("tv")})
        home = await Home.of(plain)
        bridge = Bridge(home.bus, "home/tv", {"state": "playing"}, answers_s=None)
        [outcome] = await home.executor.execute([Write("tv", "command", "next", "next")])
        return outcome, bridge

    outcome, bridge = run(main)
    assert (outcome.status, outcome.reason, bridge.sets) == ("unconfirmed", "sent", 1)


def _plain(entity: str) -> Any:
    from daemon.core.entities import Address

    return Address("plain", f"home/{entity}")


def test_unknown_unexposed_and_unable_devices_get_nothing() -> None:
    async def main() -> list[tuple[str, str]]:
        hidden = device("hidden")
        hidden = Entity(**{name: getattr(hidden, name) for name in hidden.__slots__} | {"exposed": False})
        home = await Home.of(device(), hidden)
        outcomes = await home.executor.execute(
            [
                Write("ghost", "state", "on", "turn_on"),
                Write("hidden", "state", "on", "turn_on"),
                Write("lamp", "position", 50, "set"),
            ]
        )
        assert home.bus.published == []
        return [(item.status, item.reason) for item in outcomes]

    assert run(main) == [("not_found", "gone"), ("refused", "not_controllable"), ("refused", "unsupported")]


@pytest.mark.parametrize(
    ("positions", "status", "reason"),
    [
        ([0, 3, 12], "done", "moving"),
        ([0, 0, 0], "failed", "disagrees"),
        ([40, 30, 20], "failed", "disagrees"),
        ([100], "done", ""),
    ],
)
def test_a_cover_is_judged_by_the_way_it_goes(positions: list[int], status: str, reason: str) -> None:
    async def main() -> Outcome:
        cover = device("door", "open_close", "position", kind="garage_door")
        home = await Home.of(cover)
        left = list(positions)

        def answer() -> None:
            position = left.pop(0) if len(left) > 1 else left[0]
            home.bus.deliver("zigbee2mqtt/door", {"state": "OPEN" if position else "CLOSE", "position": position})

        def hear(publication: Any) -> None:
            loop = asyncio.get_running_loop()
            if publication.topic.endswith("/get"):
                loop.call_later(0.1, answer)
            else:
                loop.call_later(0.01, lambda: home.bus.deliver("zigbee2mqtt/door", {"state": "OPEN", "position": 0}))

        home.bus.on_publish.append(hear)
        [outcome] = await home.executor.execute([Write("door", "position", 100, "open")])
        return outcome

    outcome = run(main)
    assert (outcome.status, outcome.reason) == (status, reason)


def test_dimming_that_takes_its_time_is_waited_for() -> None:
    async def main() -> tuple[Outcome, float]:
        home = await Home.of(device("lamp", "on_off", "brightness"))
        bridge = Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "ON", "brightness": 254}, obeys_s=[None])
        loop = asyncio.get_running_loop()
        for step in range(1, 11):
            loop.call_later(step * 0.5, bridge.truth.update, {"brightness": 254 - step * 20})
        [outcome] = await home.executor.execute([Write("lamp", "brightness", 21, "set")])
        assert bridge.sets == 1
        return outcome, loop.time()

    outcome, seconds = run(main)
    assert (outcome.status, outcome.reason) == ("done", "")
    assert 4.5 < seconds < Patience().slow_s


def test_many_devices_share_one_deadline_and_keep_their_order() -> None:
    async def main() -> tuple[list[str], float]:
        lamps = [device(f"lamp{index}") for index in range(40)]
        home = await Home.of(*lamps)
        for index, lamp in enumerate(lamps):
            Bridge(home.bus, f"zigbee2mqtt/{lamp.id}", {"state": "OFF"}, answers_s=None if index % 7 == 0 else 0.2)
        outcomes = await home.executor.execute([Write(lamp.id, "state", "on", "turn_on") for lamp in lamps])
        assert [item.write.entity for item in outcomes] == [lamp.id for lamp in lamps]
        return [item.status for item in outcomes], asyncio.get_running_loop().time()

    statuses, seconds = run(main)
    assert statuses == ["unconfirmed" if index % 7 == 0 else "done" for index in range(40)]
    assert seconds < Patience().deadline_s + 0.2


def test_stopping_is_proven_by_staying() -> None:
    async def main(speed: int) -> Outcome:
        home = await Home.of(device("door", "open_close", "position", kind="garage_door"))
        bridge = Bridge(home.bus, "zigbee2mqtt/door", {"state": "OPEN", "position": 40}, echo_s=None, obeys_s=[None])
        loop = asyncio.get_running_loop()
        for step in range(1, 40):
            loop.call_later(step * 0.1, bridge.truth.update, {"position": 40 + step * speed})
        [outcome] = await home.executor.execute([Write("door", "command", "stop", "stop")])
        assert bridge.sets == 1
        return outcome

    still, moving = run(lambda: main(0)), run(lambda: main(1))
    assert (still.status, still.reason) == ("done", "")
    assert (moving.status, moving.reason) == ("failed", "disagrees")


class _OneByOne(Zigbee2Mqtt):
    """A dialect that needs a message for each write."""

    def encode(self, entity: Entity, writes: Sequence[Change]) -> tuple[Publication, ...]:
        return tuple(publication for write in writes for publication in super(_OneByOne, self).encode(entity, [write]))


@pytest.mark.parametrize(("refused", "statuses"), [(1, ["refused", "refused"]), (2, ["done", "failed"])])
def test_what_has_gone_out_is_never_called_refused(refused: int, statuses: list[str]) -> None:
    async def main() -> tuple[Outcome, ...]:
        home = await Home.of(device("lamp", "on_off", "brightness"))
        Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "OFF", "brightness": 10})
        sets = 0

        def refuse(publication: Publication) -> None:
            nonlocal sets
            if publication.topic.endswith("/set"):
                sets += 1
                if sets == refused or b"brightness" in publication.payload:
                    raise BrokerRefused("no such topic")

        home.bus.on_publish.insert(0, refuse)
        executor = Executor(home.bus, home.registry, {"zigbee2mqtt": _OneByOne()}, home.states)
        return await executor.execute([ON, Write("lamp", "brightness", 60, "set")])

    outcomes = run(main)
    assert [item.status for item in outcomes] == statuses
    assert [item.sent for item in outcomes] == [refused == 2] * 2


def test_an_alarm_that_waits_until_all_have_left_is_being_armed() -> None:
    alarm = device("lamp", Capability("arm", "state", options=("armed_away", "disarmed")), kind="alarm")
    wish = Write("lamp", "state", "armed_away", "arm")

    async def main() -> list[Outcome]:
        found: list[Outcome] = []
        for says in ("arming", "disarmed"):
            home = await Home.of(alarm)
            Bridge(home.bus, "zigbee2mqtt/lamp", truth={"state": "disarmed"}, echo_s=None, obeys_s=[None],
                   becomes=[(0.3, {"state": says})])  # fmt: skip
            found += await home.executor.execute([wish])
        return found

    armed, not_armed = run(main)
    assert (armed.status, armed.reason) == ("done", "moving")
    assert not_armed.status == "failed"
