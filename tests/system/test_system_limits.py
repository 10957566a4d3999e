"""What is cut off is said, once."""

import asyncio
import json
import logging
from collections.abc import Callable, Iterator

import pytest

from daemon.act import states
from daemon.core.entities import Capability
from daemon.discovery import find, tasmota, watch
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.discovery.homeassistant import source as announced
from daemon.discovery.tasmota import TasmotaSource
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.discovery.zigbee2mqtt import source as listed
from daemon.home.config import HomeConfig
from daemon.home.registry import Registry
from daemon.mqtt.bus import Message
from daemon.simulate.memory import MemoryBroker
from daemon.system.worker import Limit
from tests.act.world import Home, device, run


def message(topic: str, content: object) -> Message:
    return Message(topic, json.dumps(content).encode(), retained=True, at=0.0, sequence=1)


def switches(count: int) -> Iterator[Message]:
    for number in range(count):
        yield message(
            f"homeassistant/switch/s{number}/config", {"command_topic": f"s{number}/set", "name": f"S{number}"}
        )


def announce(count: int) -> None:
    source = HomeAssistantSource()
    for item in switches(count):
        source.take(item)
    assert len(list(source.finds())) <= 5


def announce_one(count: int) -> None:
    components = {f"c{number}": {"p": "switch", "command_topic": f"c{number}/set"} for number in range(count)}
    HomeAssistantSource().take(message("homeassistant/device/d/config", {"dev": {"ids": ["d"]}, "cmps": components}))


def announce_nonsense(count: int) -> None:
    source = HomeAssistantSource()
    for number in range(count):
        source.take(message(f"homeassistant/switch/s{number}/config", []))
    assert len(source.problems()) <= 5


def list_devices(count: int) -> None:
    source = Zigbee2MqttSource()
    devices = [{"ieee_address": f"0x{number}", "friendly_name": f"d{number}"} for number in range(count)]
    for _ in range(2):
        source.take(message("zigbee2mqtt/bridge/devices", devices))


def tell_of_tasmota(count: int) -> None:
    source = TasmotaSource()
    for number in range(count):
        source.take(message(f"tasmota/discovery/{number:012X}/config", {"t": "x"}))


def news(count: int) -> None:
    async def main() -> None:
        broker = MemoryBroker()
        home = HomeConfig(())
        source = HomeAssistantSource()
        following = watch.Watch(broker.connect(), home, Registry(()), [source], lambda: asyncio.sleep(0))
        hear = following._listener(0)
        for item in switches(count):
            hear(item)

    asyncio.run(main())


def tell_much(count: int) -> None:
    async def main() -> None:
        names = [f"value_{number}" for number in range(count)]
        home = await Home.of(device("lamp", *(Capability("value", name) for name in names)))
        home.bus.deliver("zigbee2mqtt/lamp", dict.fromkeys(names, 1))
        assert sum(home.states.value("lamp", name) is not None for name in names) == 5

    run(main)


@pytest.mark.parametrize(
    ("do", "module", "limit", "said"),
    [
        (announce, announced, "_MAX_ALL", "only the first 5 things"),
        (announce_one, announced, "_MAX_COMPONENTS", "only the first 5 things are used: homeassistant/device/d"),
        (announce_nonsense, find, "_MOST_PROBLEMS", "only the first 5 are listed"),
        (list_devices, listed, "_MAX_DEVICES", "only the first 5 of the 9 devices of zigbee2mqtt"),
        (tell_of_tasmota, tasmota, "_MAX_DEVICES", "only the first 5 devices that speak Tasmota"),
        (tell_much, states, "_MOST_ATTRIBUTES", "only 5 values are known: lamp tells more"),
        (news, watch, "_MOST_NEWS", "more than 5 announcements"),
    ],
)
def test_a_limit_that_cuts_says_so_once(
    do: Callable[[int], None],
    module: object,
    limit: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(module, limit, 5)
    do(5)
    assert caplog.text == ""
    do(9)
    assert [item.levelno for item in caplog.records] == [logging.WARNING]
    assert said in caplog.text


def test_each_limit_speaks_for_itself(caplog: pytest.LogCaptureFixture) -> None:
    one, other = (Limit(logging.getLogger("test"), f"{name}: %d") for name in ("one", "other"))
    for _ in range(3):
        one.cuts(1)
    other.cuts(2)
    assert [item.getMessage() for item in caplog.records] == ["one: 1", "other: 2"]


def test_what_announces_itself_is_bounded_in_bytes_too(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    items = list(switches(9))
    monkeypatch.setattr(announced, "_MAX_BYTES", sum(len(item.payload) for item in items[:5]))
    source = HomeAssistantSource()
    for item in items:
        source.take(item)
    assert len(list(source.finds())) == 5
    assert caplog.text.count("bytes of what announces itself") == 1
    # What is taken back makes room for another.
    source.take(Message(items[0].topic, b"", retained=False, at=0.0, sequence=10))
    source.take(items[8])
    assert len(list(source.finds())) == 5


def test_a_device_does_not_grow_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announced, "_MAX_ALL", 5)
    source = HomeAssistantSource()
    for count in (1, 9):
        components = {f"c{number}": {"p": "switch", "command_topic": f"c{number}/set"} for number in range(count)}
        source.take(message("homeassistant/device/d/config", {"dev": {"ids": ["d"]}, "cmps": components}))
    assert len(list(source.finds())) == 1
