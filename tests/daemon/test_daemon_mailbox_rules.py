"""The mailbox alone: what is late, said twice, too much, or breaks."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from daemon.commands.mailbox import Mailbox
from daemon.home.config import Interface
from daemon.mqtt.bus import Publication
from daemon.simulate.memory import MemoryBroker, MemoryBus
from tests.brokers import Inbox, eventually


class Hall:
    """A mailbox in memory, one satellite, and a handler that the test holds back."""

    def __init__(self, interface: Interface) -> None:
        broker = MemoryBroker()
        self.late_by = 0.0
        self.handled: list[dict[str, Any]] = []
        self.go = asyncio.Event()
        self.go.set()
        self.heard = Inbox()
        self.outside: MemoryBus = broker.connect()
        bus = broker.connect()
        self.mailbox = Mailbox(bus, interface, ["hall"], self.handle, "hearken/status", clock=self.now)

    def now(self) -> float:
        return asyncio.get_running_loop().time() + self.late_by

    async def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        self.handled.append(request)
        await self.go.wait()
        if request["text"] == "break":
            raise ZeroDivisionError
        return {"reply": f"did {request['text']}"}

    async def write(self, payload: object, satellite: str = "hall") -> None:
        text = payload if isinstance(payload, str) else json.dumps(payload)
        await self.outside.publish(Publication(f"hearken/{satellite}/text", text.encode()))

    async def replies(self, number: int) -> list[dict[str, Any]]:
        await self.heard.count(number)
        return [json.loads(payload) for payload in self.heard.payloads]


@contextlib.asynccontextmanager
async def hall(**interface: Any) -> AsyncIterator[Hall]:
    made = Hall(Interface(announce=None, **interface))
    await made.outside.subscribe("hearken/+/reply", made.heard)
    await made.mailbox.start()
    serving = asyncio.create_task(made.mailbox.serve())
    yield made
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)


async def test_the_same_message_twice_is_acted_on_once() -> None:
    """At QoS 1, who saw no acknowledgement sends again what had arrived."""
    async with hall() as made:
        for payload in ({"text": "brighter", "id": 7}, {"text": "brighter", "id": 7}, {"text": "brighter", "id": 8}):
            await made.write(payload)
        await made.write("brighter")
        await made.write("brighter")
        replies = await made.replies(4)
        assert [reply.get("id") for reply in replies] == ["7", "8", None, None]
        assert len(made.handled) == 4


async def test_an_id_belongs_to_its_satellite() -> None:
    async with hall(anybody=True) as made:
        for satellite in ("hall", "attic"):
            await made.write({"text": "brighter", "id": "one"}, satellite)
        await made.replies(2)
        assert [request["satellite"] for request in made.handled] == ["hall", "attic"]


async def test_what_has_waited_too_long_is_not_acted_on() -> None:
    async with hall() as made:
        made.go.clear()
        await made.write("first")
        await asyncio.sleep(0)
        await made.write("second")
        made.late_by = 11.0
        made.go.set()
        first, second = await made.replies(2)
        assert first == {"reply": "did first"}
        assert "waited too long" in second["error"]
        assert [request["text"] for request in made.handled] == ["first"]


async def test_a_turn_that_breaks_is_answered_and_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async with hall() as made:
        await made.write("break")
        await made.write("go on")
        broken, fine = await made.replies(2)
        assert "could not be answered" in broken["error"]
        assert fine == {"reply": "did go on"}
    assert [record.levelname for record in caplog.records] == ["ERROR"]


async def test_a_satellite_that_floods_is_cut_short_with_one_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with hall() as made:
        made.go.clear()
        for number in range(200):
            await made.write(str(number))
        made.go.set()
        await eventually(lambda: not made.mailbox._busy)
        replies = await made.replies(1)
        assert 2 <= len(replies) < 20
        assert len(made.handled) == len(replies)
        await made.write("afterwards")
        assert (await made.replies(len(replies) + 1))[-1] == {"reply": "did afterwards"}
    assert len([record for record in caplog.records if "faster than" in record.message]) == 1


@pytest.mark.parametrize("payload", [b"", b"\xff\xfe", b'{"text": ', b"[" * 5000, b'{"text": {"a": 1}}', b'{"id": []}'])
async def test_any_bytes_are_a_request_or_nothing(payload: bytes) -> None:
    async with hall() as made:
        await made.outside.publish(Publication("hearken/hall/text", payload))
        await made.write("afterwards")
        replies = await made.replies(2 if payload else 1)
        assert replies[-1] == {"reply": "did afterwards"}
