"""Brokers that take a message and say nothing, or hang up: what was not acknowledged is never sent again."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import pytest

from daemon.core.errors import BrokerUnavailable
from daemon.mqtt.bus import Publication
from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from tests.brokers import QUICK, SOON_S, Changes, eventually

CONNECT, CONNACK, PUBLISH, UNSUBSCRIBE = 1, b"\x20\x02\x00\x00", 3, 10


class Script:
    """Speaks enough MQTT 3.1.1 to accept a client, then does what the test says on each PUBLISH."""

    def __init__(self, on_publish: Callable[[asyncio.StreamWriter], None]) -> None:
        self.published: list[bytes] = []
        self.connections = 0
        self.awake = True
        """Whether it gives a sign of life."""
        self._on_publish = on_publish

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                kind, body = await self._packet(reader)
                if kind == CONNECT:
                    self.connections += 1
                    writer.write(CONNACK)
                elif kind == PUBLISH:
                    self.published.append(body)
                    self._on_publish(writer)
                elif kind == UNSUBSCRIBE and self.awake:
                    writer.write(b"\xb0\x02" + body[:2])
                await writer.drain()
        writer.close()

    async def _packet(self, reader: asyncio.StreamReader) -> tuple[int, bytes]:
        kind = (await reader.readexactly(1))[0] >> 4
        length = (await reader.readexactly(1))[0]
        assert length < 128
        return kind, await reader.readexactly(length)


@contextlib.asynccontextmanager
async def served(script: Script, ack_timeout_s: float = 0.2) -> AsyncIterator[Connection]:
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    async with server:
        # Without a status topic, the only message is the one that the test publishes.
        broker = Broker(port=server.sockets[0].getsockname()[1], status_topic=None, ack_timeout_s=ack_timeout_s)
        async with Connection(broker, backoff=QUICK) as bus:
            await bus.ready(SOON_S)
            yield bus


async def test_a_message_that_is_not_acknowledged_fails_and_is_not_repeated() -> None:
    script = Script(lambda _: None)
    async with served(script) as bus:
        changes = Changes(bus)
        with pytest.raises(BrokerUnavailable, match="did not acknowledge a message; the connection was cut"):
            await bus.publish(Publication("a", b"1"))
        await changes.last(up=True, after=1)
        await eventually(lambda: script.connections == 2)
        assert len(script.published) == 1
        with pytest.raises(BrokerUnavailable):
            await bus.publish(Publication("a", b"2"))
    assert [body[-1:] for body in script.published] == [b"1", b"2"]


async def test_a_connection_that_breaks_before_the_answer_fails_at_once() -> None:
    script = Script(lambda writer: writer.close())
    async with served(script) as bus:
        changes = Changes(bus)
        with pytest.raises(BrokerUnavailable):
            await bus.publish(Publication("a", b"1"))
        await changes.last(up=True, after=1)
    assert len(script.published) == 1


async def test_a_caller_that_gives_up_leaves_nothing_behind() -> None:
    script = Script(lambda _: None)
    async with served(script) as bus:
        # All slots are taken by messages that nobody acknowledges; the last one never gets its turn.
        waiting = [asyncio.create_task(bus.publish(Publication("a", b"%d" % number))) for number in range(20)]
        await eventually(lambda: len(script.published) == 20)
        late = asyncio.create_task(bus.publish(Publication("a", b"late")))
        await asyncio.sleep(0)
        late.cancel()
        results = await asyncio.gather(*waiting, late, return_exceptions=True)
        changes = Changes(bus)
        await changes.last(up=True)
    assert all(isinstance(result, BrokerUnavailable) for result in results[:-1])
    assert isinstance(results[-1], asyncio.CancelledError)
    assert len(script.published) == 20


async def test_a_broker_that_talks_has_only_not_come_to_the_answer_yet() -> None:
    talking: list[asyncio.Task[None]] = []

    async def talk(writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + 1.3  # of time, not of messages: a busy machine is slow to write them
        while loop.time() < until:
            writer.write(b"\x30\x04\x00\x01bx")
            await asyncio.sleep(0.05)
        writer.write(b"\x40\x02\x00\x01")

    script = Script(lambda writer: talking.append(asyncio.create_task(talk(writer))))
    async with served(script, ack_timeout_s=1.0) as bus:
        changes = Changes(bus)
        await bus.publish(Publication("a", b"1"))
        await asyncio.gather(*talking)
        assert changes.seen == []
