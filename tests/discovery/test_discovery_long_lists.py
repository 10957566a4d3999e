"""Lists of a thousand devices: read beside the event loop, each device only when it has changed."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.entities import Entity
from daemon.discovery.find import Find
from daemon.discovery.watch import Watch
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource, source
from daemon.discovery.zigbee2mqtt.device import learn
from daemon.discovery.zigbee2mqtt.source import items
from daemon.home.config import HomeConfig
from daemon.home.registry import Registry
from daemon.mqtt.bus import Message, Publication
from daemon.simulate.memory import MemoryBroker
from tests.brokers import SOON_S

LIGHT = [{"type": "light", "features": [{"type": "binary", "name": "state", "property": "state", "access": 7,
                                         "value_on": "ON", "value_off": "OFF"}]}]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def device(number: int, name: str) -> dict[str, Any]:
    return {
        "ieee_address": f"0x{number:016x}",
        "type": "Router",
        "friendly_name": name,
        "supported": True,
        "definition": {"model": "m", "vendor": "v", "description": "a lamp", "exposes": LIGHT},
    }


def told(*devices: dict[str, Any]) -> Message:
    return Message("zigbee2mqtt/bridge/devices", json.dumps(devices).encode(), retained=True, at=0, sequence=1)


@given(st.lists(st.dictionaries(st.text(), JSON, max_size=3)), st.sampled_from([None, 1]), st.booleans())
def test_a_list_is_read_as_json_says(content: list[Any], indent: int | None, ascii_only: bool) -> None:  # noqa: FBT001
    text = json.dumps(content, indent=indent, ensure_ascii=ascii_only)
    read = items(text.encode(errors="surrogatepass") if ascii_only else text.encode(errors="replace"))
    assert read is not None
    assert len(read) == len(content)
    if ascii_only:
        assert [item.content for item in read] == content


@pytest.mark.parametrize(
    "payload",
    ["{}", "[", "[{}", "[{},]", "[{} {}]", "[{}] x", "[1]", "[{}, 1]", "null", "[,]", "\ufeff[]", "[" * 100_000],
)
def test_what_is_no_list_of_objects(payload: str) -> None:
    assert items(payload.encode()) is None


def test_bytes_that_are_no_text() -> None:
    assert items(b'[{"a": "\xff"}]') is None
    assert items(b"") == items(b" ") == ()


def test_only_what_has_changed_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def counting(device: Mapping[str, Any], base: str) -> Any:
        looked.append(device["friendly_name"])
        return learn(device, base)

    monkeypatch.setattr(source, "learn", counting)
    found = Zigbee2MqttSource()
    found.take(told(device(1, "one"), device(2, "two"), device(3, "three")))
    assert looked == ["one", "two", "three"]
    found.take(told(device(3, "three"), device(2, "zwei"), device(4, "four")))
    assert looked[3:] == ["zwei", "four"]
    assert [find.entity.names for find in found.finds()] == [("three",), ("zwei",), ("four",)]
    found.take(told(device(1, "one")))
    assert looked[5:] == ["one"], "what was gone is not remembered"


class Waiting:
    """A source that, while it reads something long, waits for somebody on the event loop to wake it."""

    def __init__(self) -> None:
        self.version = 0
        self.reading = threading.Event()
        self.go_on = threading.Event()
        self.woken = True

    def filters(self) -> tuple[str, ...]:
        return ("list",)

    def take(self, message: Message) -> None:
        self.version += 1
        if len(message.payload) > 1000:
            self.reading.set()
            self.woken = self.go_on.wait(SOON_S)

    def finds(self) -> Iterable[Find]:
        yield Find(Entity(id=f"thing{self.version}", kind="device", names=("Thing",)))

    def problems(self) -> Mapping[str, str]:
        return {"list": "something"}


async def test_the_house_goes_on_while_a_long_list_is_read() -> None:
    broker, waiting, registry = MemoryBroker(), Waiting(), Registry(())
    changed = asyncio.Event()

    async def follow() -> None:
        changed.set()

    watch = Watch(broker.connect(), HomeConfig(()), registry, [waiting], follow)
    await watch.start()
    await broker.connect().publish(Publication("list", b"x" * 5_000_000))
    async with asyncio.timeout(SOON_S):
        while not waiting.reading.is_set():  # noqa: ASYNC110 - set by a thread
            await asyncio.sleep(0.01)
        # Were the list read on the event loop, nobody could say this.
        waiting.go_on.set()
        await changed.wait()
    assert waiting.woken
    assert "thing1" in registry
    assert watch.problems == {"list": "something"}
    await watch.stop()


async def test_of_many_messages_on_a_topic_the_last_one_counts() -> None:
    broker, registry = MemoryBroker(), Registry(())
    source = Zigbee2MqttSource()

    async def follow() -> None:
        pass

    watch = Watch(broker.connect(), HomeConfig(()), registry, [source], follow)
    await watch.start()
    outside = broker.connect()
    for number in range(100):
        payload = told(device(1, f"name {number}")).payload
        await outside.publish(Publication("zigbee2mqtt/bridge/devices", payload))
    await watch.settled(5)
    assert [item.names for item in registry.devices] == [("name 99",)]
    assert source.version == 1, "the others were not even read"
    await watch.stop()
