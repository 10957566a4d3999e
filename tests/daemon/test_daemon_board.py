"""The lists on the broker: retained, told to Home Assistant, and gone when they are dropped."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

import pytest

from daemon.commands.board import Board, known_as
from daemon.home.config import Interface
from daemon.lists.lists import Lists
from daemon.mqtt.settings import Broker
from daemon.simulate.broker import EmbeddedBroker
from tests.brokers import Inbox, connected, eventually

HOSTILE = "{{ states('x') }}/+/#"


@contextlib.asynccontextmanager
async def shown(broker: Broker, lists: Lists, interface: Interface) -> AsyncIterator[Inbox]:
    async with connected(broker) as bus, connected(broker) as other:
        inbox = Inbox()
        await other.subscribe("#", inbox)
        board = asyncio.create_task(Board(bus, interface, lists, lambda name: f"{name} list", "hearken/status").serve())
        try:
            yield inbox
        finally:
            board.cancel()
            await asyncio.gather(board, return_exceptions=True)


@pytest.fixture
async def broker() -> AsyncIterator[Broker]:
    async with EmbeddedBroker() as embedded:
        yield Broker(port=embedded.port)


def last(inbox: Inbox, topic: str) -> bytes | None:
    return next((item.payload for item in reversed(inbox.messages) if item.topic == topic), None)


async def test_a_list_is_retained_as_it_is_now(broker: Broker) -> None:
    lists = Lists()
    async with shown(broker, lists, Interface()) as inbox:
        await eventually(lambda: last(inbox, "hearken/lists/todo") is not None)
        await lists.add("shopping", ["milk", "鸡蛋"])
        wanted = {"name": "shopping", "open": 2, "items": ["milk", "鸡蛋"]}
        await eventually(lambda: json.loads(last(inbox, "hearken/lists/shopping") or b"{}") == wanted)
    async with connected(broker) as late:
        kept = Inbox()
        await late.subscribe("hearken/lists/shopping", kept)
        await kept.count(1)
        assert kept.messages[0].retained
        assert json.loads(kept.payloads[0]) == wanted


async def test_home_assistant_is_told_of_each_and_that_one_is_gone(broker: Broker) -> None:
    lists = Lists()
    await lists.add(HOSTILE, ["tent"])
    config, state = (
        f"homeassistant/sensor/hearken_list_{known_as(HOSTILE)}/config",
        f"hearken/lists/{known_as(HOSTILE)}",
    )
    async with shown(broker, lists, Interface()) as inbox:
        await eventually(lambda: bool(last(inbox, state)))
        entry = json.loads(last(inbox, config) or b"")
        assert entry["state_topic"] == entry["json_attributes_topic"] == state
        assert [key for key, value in entry.items() if HOSTILE in str(value)] == ["name"]
        assert known_as(HOSTILE).isalnum()
        await lists.clear(HOSTILE, drop=True)
        await eventually(lambda: last(inbox, config) == b"" and last(inbox, state) == b"")


async def test_home_assistant_is_told_nothing_where_it_is_not_to(broker: Broker) -> None:
    lists = Lists()
    async with shown(broker, lists, Interface(prefix="ours", announce=None)) as inbox:
        await eventually(lambda: last(inbox, "ours/lists/shopping") is not None)
        assert not any(item.topic.startswith("homeassistant") for item in inbox.messages)
