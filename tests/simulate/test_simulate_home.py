"""The simulated home lies as real bridges do, and knows the truth."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from daemon.core.entities import Address, Capability, CapabilityName, Entity, Value
from daemon.home.config import Behaviour, SimulatedDevice, Simulation
from daemon.mqtt.bus import Bus, Message, Publication
from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from daemon.simulate.actor import Timing
from daemon.simulate.broker import EmbeddedBroker
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from tests.brokers import SOON_S, Inbox, eventually

LIGHT = {"on_off": "state", "brightness": "brightness", "color": "color", "color_temp": "color_temp"}
COVER = {"open_close": "state", "position": "position"}


def thing(name: str, capabilities: Mapping[str, str], **more: Any) -> Entity:
    found = tuple(Capability(_name(key), attribute) for key, attribute in capabilities.items())
    address = Address(more.pop("dialect", "zigbee2mqtt"), f"zigbee2mqtt/{name}")
    return Entity(name, more.pop("kind", "device"), (name,), capabilities=found, address=address, **more)


def _name(key: str) -> CapabilityName:
    return key  # type: ignore[return-value]


@dataclass
class Stage:
    home: SimulatedHome
    bus: Bus
    inbox: Inbox

    async def set(self, name: str, **payload: Any) -> None:
        await self.bus.publish(Publication(f"zigbee2mqtt/{name}/set", json.dumps(payload).encode()))

    async def get(self, name: str) -> None:
        await self.bus.publish(Publication(f"zigbee2mqtt/{name}/get", b'{"state":""}'))

    def said(self, name: str, *keys: str, live: bool = True) -> list[Any]:
        """What was published of a device, only these keys."""
        found = [m for m in self.inbox.messages if m.topic == f"zigbee2mqtt/{name}" and m.retained != live]
        payloads = [json.loads(message.payload) for message in found]
        return [payload[keys[0]] if len(keys) == 1 else {key: payload[key] for key in keys} for payload in payloads]


@pytest.fixture(params=["memory", "embedded"])
async def bus_pair(request: pytest.FixtureRequest) -> AsyncIterator[tuple[Bus, Bus]]:
    if request.param == "memory":
        broker = MemoryBroker()
        yield broker.connect(), broker.connect()
        return
    async with (
        EmbeddedBroker() as embedded,
        Connection(Broker(port=embedded.port, status_topic=None)) as one,
        Connection(Broker(port=embedded.port, status_topic=None)) as two,
    ):
        await one.ready(SOON_S)
        await two.ready(SOON_S)
        yield one, two


@asynccontextmanager
async def playing(
    buses: tuple[Bus, Bus],
    *entities: Entity,
    scripts: Mapping[str, SimulatedDevice] | None = None,
    timing: Timing | None = None,
    latency_ms: float = 0.0,
    jitter_ms: float = 0.0,
) -> AsyncIterator[Stage]:
    async with AsyncExitStack() as stack:
        simulation = Simulation(latency_ms, jitter_ms, devices=dict(scripts or {}))
        home = await stack.enter_async_context(SimulatedHome(buses[0], entities, simulation, timing))
        inbox = Inbox()
        await buses[1].subscribe("zigbee2mqtt/#", inbox)
        told = len(entities) * 2
        await inbox.count(told)
        yield Stage(home, buses[1], inbox)


def script(behaviour: Behaviour = "normal", **state: Value) -> SimulatedDevice:
    return SimulatedDevice(behaviour, state)


async def test_everything_is_retained_at_the_start(bus_pair: tuple[Bus, Bus]) -> None:
    scripts = {"lamp": script(state="on", brightness=50), "gone": script("offline")}
    async with playing(bus_pair, thing("lamp", LIGHT), thing("gone", {"on_off": "state"}), scripts=scripts) as stage:
        assert all(message.retained for message in stage.inbox.messages)
        assert stage.said("lamp", "state", "brightness", live=False) == [{"state": "ON", "brightness": 127}]
        presence = {m.topic: json.loads(m.payload) for m in stage.inbox.messages if m.topic.endswith("availability")}
        assert presence == {
            "zigbee2mqtt/lamp/availability": {"state": "online"},
            "zigbee2mqtt/gone/availability": {"state": "offline"},
        }
        assert stage.home.truth("lamp")["brightness"] == 50


async def test_a_set_is_answered_with_the_old_state_and_then_with_the_wish(bus_pair: tuple[Bus, Bus]) -> None:
    async with playing(bus_pair, thing("lamp", LIGHT), latency_ms=1, jitter_ms=1) as stage:
        await stage.set("lamp", state="ON", brightness=127)
        await eventually(lambda: len(stage.said("lamp", "state")) == 2)
        assert stage.said("lamp", "state") == ["OFF", "ON"]
        assert stage.home.truth("lamp")["state"] == "on"
        assert list(stage.home.received) == [("lamp", {"state": "on", "brightness": 50})]


async def test_a_stuck_device_says_yes_and_a_get_tells_the_truth(bus_pair: tuple[Bus, Bus]) -> None:
    async with playing(bus_pair, thing("lamp", LIGHT), scripts={"lamp": script("stuck", state="off")}) as stage:
        await stage.set("lamp", state="ON")
        await eventually(lambda: len(stage.said("lamp", "state")) == 2)
        await stage.get("lamp")
        await eventually(lambda: len(stage.said("lamp", "state")) == 3)
        assert stage.said("lamp", "state") == ["OFF", "ON", "OFF"]
        assert stage.home.truth("lamp")["state"] == "off"


async def test_devices_that_are_offline_or_asleep_answer_nothing(bus_pair: tuple[Bus, Bus]) -> None:
    scripts = {"gone": script("offline"), "asleep": script("sleepy"), "awake": script()}
    things = [thing(name, {"on_off": "state"}) for name in scripts]
    async with playing(bus_pair, *things, scripts=scripts) as stage:
        for name in scripts:
            await stage.set(name, state="ON")
            await stage.get(name)
        await eventually(lambda: len(stage.said("awake", "state")) == 3)
        assert stage.said("gone", "state") == []
        assert stage.said("asleep", "state") == []
        assert stage.home.truth("gone")["state"] == "off"


async def test_a_sleepy_device_obeys_when_it_wakes(bus_pair: tuple[Bus, Bus]) -> None:
    timing = Timing(nap_s=0.02)
    async with playing(
        bus_pair, thing("trv", {"on_off": "state"}), scripts={"trv": script("sleepy")}, timing=timing
    ) as stage:
        await stage.set("trv", state="ON")
        await eventually(lambda: "ON" in stage.said("trv", "state"))
        assert stage.home.truth("trv")["state"] == "on"


async def test_a_late_device_answers_late(bus_pair: tuple[Bus, Bus]) -> None:
    things = (thing("late", {"on_off": "state"}), thing("quick", {"on_off": "state"}))
    async with playing(bus_pair, *things, scripts={"late": script("late")}, timing=Timing(late_s=0.05)) as stage:
        await stage.set("late", state="ON")
        await stage.set("quick", state="ON")
        await eventually(lambda: len(stage.said("quick", "state")) == 2)
        assert stage.said("late", "state") == ["OFF"]
        await eventually(lambda: stage.said("late", "state") == ["OFF", "ON"])


async def test_a_cover_travels_and_tells_where_it_is(bus_pair: tuple[Bus, Bus]) -> None:
    timing = Timing(travel_s=0.05, steps=5)
    async with playing(bus_pair, thing("curtain", COVER), timing=timing) as stage:
        await stage.set("curtain", state="OPEN")
        await eventually(lambda: stage.home.truth("curtain") == {"state": "open", "position": 100})
        await eventually(lambda: stage.said("curtain", "position")[2:][-1:] == [100])
        # The old place, the echo of the wish, and then the truth.
        assert stage.said("curtain", "position") == [0, 100, 20, 40, 60, 80, 100]
        way = [item for item in stage.said("curtain", "position", "moving") if 0 < item["position"] < 100]
        assert {item["moving"] for item in way} == {"UP"}
        assert stage.said("curtain", "moving")[-1] == "STOP"


async def test_a_cover_can_be_stopped_and_turned_round(bus_pair: tuple[Bus, Bus]) -> None:
    timing = Timing(travel_s=0.5, steps=50)
    async with playing(bus_pair, thing("curtain", COVER), timing=timing) as stage:
        await stage.set("curtain", position=80)
        await eventually(lambda: float(stage.home.truth("curtain")["position"]) >= 10)
        await stage.set("curtain", state="STOP")
        await eventually(lambda: stage.home.truth("curtain")["state"] == "open")
        here = stage.home.truth("curtain")["position"]
        assert 10 <= float(here) < 80
        await stage.set("curtain", state="CLOSE")
        await eventually(lambda: stage.home.truth("curtain") == {"state": "closed", "position": 0})


async def test_what_happens_by_hand_is_reported(bus_pair: tuple[Bus, Bus]) -> None:
    door = thing("door", {"read": "contact"})
    async with playing(bus_pair, door, scripts={"door": script("sleepy")}) as stage:
        await stage.home.place("door", {"contact": "on"})
        await eventually(lambda: stage.said("door", "contact") == [False])
        assert stage.home.truth("door") == {"contact": "on"}


async def test_a_group_and_its_members_follow_each_other(bus_pair: tuple[Bus, Bus]) -> None:
    lamps = [thing(name, LIGHT) for name in ("a", "b")]
    group = thing("group", {"on_off": "state"}, kind="group", members=("a", "b"))
    async with playing(bus_pair, *lamps, group) as stage:
        await stage.set("group", state="ON")
        await eventually(lambda: "ON" in stage.said("a", "state") and "ON" in stage.said("group", "state"))
        assert [stage.home.truth(name)["state"] for name in ("a", "b", "group")] == ["on", "on", "on"]
        await stage.set("a", state="OFF")
        await eventually(lambda: stage.home.truth("a")["state"] == "off")
        await stage.get("group")
        await eventually(lambda: stage.said("group", "state")[-2:] == ["ON", "ON"])
        assert stage.home.truth("group")["state"] == "on"
        await stage.set("b", state="OFF")
        await eventually(lambda: stage.home.truth("group")["state"] == "off")


async def test_a_white_and_a_colour_replace_each_other(bus_pair: tuple[Bus, Bus]) -> None:
    async with playing(bus_pair, thing("lamp", LIGHT)) as stage:
        await stage.set("lamp", color={"hex": "#ff0000"})
        await eventually(lambda: stage.home.truth("lamp").get("color") == "#ff0000")
        assert "color_temp" not in stage.home.truth("lamp")
        await stage.set("lamp", color_temp=250)
        await eventually(lambda: stage.home.truth("lamp").get("color_temp") == 4000)
        assert "color" not in stage.home.truth("lamp")


@pytest.mark.parametrize("payload", [b"", b"ON", b"[]", b"{}", b'{"state":"SIDEWAYS"}', b"\xff", b'{"other":1}'])
async def test_nonsense_changes_nothing(payload: bytes) -> None:
    broker = MemoryBroker()
    async with playing((broker.connect(), broker.connect()), thing("lamp", LIGHT)) as stage:
        before = stage.home.truth("lamp")
        await stage.bus.publish(Publication("zigbee2mqtt/lamp/set", payload))
        await stage.home.settled()
        assert stage.home.truth("lamp") == before
        assert stage.said("lamp", "state") == []


async def test_a_retained_command_is_not_obeyed() -> None:
    broker = MemoryBroker()
    other = broker.connect()
    await other.publish(Publication("zigbee2mqtt/lamp/set", b'{"state":"ON"}', retain=True))
    async with SimulatedHome(broker.connect(), [thing("lamp", LIGHT)]) as home:
        assert home.truth("lamp")["state"] == "off"


async def test_the_same_seed_gives_the_same_evening() -> None:
    async def evening() -> list[bytes]:
        broker = MemoryBroker()
        heard: list[bytes] = []
        simulation = Simulation(latency_ms=0.0, jitter_ms=2.0, seed=7)
        async with SimulatedHome(broker.connect(), [thing("lamp", LIGHT)], simulation) as home:
            bus = broker.connect()
            await bus.subscribe("zigbee2mqtt/lamp", lambda message: heard.append(message.payload))
            for number in range(5):
                await bus.publish(Publication("zigbee2mqtt/lamp/set", json.dumps({"brightness": number * 50}).encode()))
            await home.settled()
        return heard

    one, two = await evening(), await evening()
    assert one == two
    assert len(one) == 11


async def test_after_the_broker_came_back_everything_is_told_again() -> None:
    broker = MemoryBroker()
    heard: list[Message] = []
    async with SimulatedHome(broker.connect(), [thing("lamp", LIGHT)]) as home:
        await broker.connect().subscribe("zigbee2mqtt/lamp", heard.append)
        broker.go_down()
        await home.place("lamp", {"state": "on"})
        broker.come_up()
        await home.settled()
        live = [message for message in heard if not message.retained]
        assert json.loads(live[-1].payload)["state"] == "ON"


async def test_it_leaves_nothing_running() -> None:
    broker = MemoryBroker()
    home = SimulatedHome(broker.connect(), [thing("lamp", COVER)], timing=Timing(travel_s=60))
    async with home:
        await broker.connect().publish(Publication("zigbee2mqtt/lamp/set", b'{"state":"OPEN"}'))
        await home.settled()
        assert home._timers
    assert not home._timers
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_an_unknown_device_is_a_key_error() -> None:
    home = SimulatedHome(MemoryBroker().connect(), [])
    with pytest.raises(KeyError):
        home.truth("nobody")
    with pytest.raises(KeyError):
        await home.place("nobody", {"state": "on"})
