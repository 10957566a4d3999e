"""An independent client of the broker: it shares no code with the daemon's connection."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import aiomqtt

from tests.brokers import PASSWORD, USER, Mosquitto
from tests.daemon.processes import SOON_S


@dataclass
class Witness:
    """Everything that goes over a broker, in order, as (topic, payload)."""

    seen: list[tuple[str, str]] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def sets(self) -> list[tuple[str, str]]:
        """The commands to devices."""
        return [(topic, payload) for topic, payload in self.seen if topic.endswith("/set")]

    def last(self, topic: str) -> str | None:
        return next((payload for name, payload in reversed(self.seen) if name == topic), None)

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(SOON_S):
            while not holds():
                self._news.clear()
                await self._news.wait()

    async def listen(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            self.seen.append((message.topic.value, message.payload.decode()))
            self._news.set()


@contextlib.asynccontextmanager
async def witness(broker: Mosquitto) -> AsyncIterator[Witness]:
    """Listens over TLS until the block, or the broker, ends."""
    tls = aiomqtt.TLSParameters(ca_certs=str(broker.ca))
    async with contextlib.AsyncExitStack() as stack:
        client = aiomqtt.Client("localhost", broker.tls_port, username=USER, password=PASSWORD, tls_params=tls)
        await client.__aenter__()
        # A broker that was killed is left without a goodbye.
        stack.push_async_callback(_leave, client)
        await client.subscribe("#")
        found = Witness()
        task = asyncio.create_task(found.listen(client))
        stack.push_async_callback(_end, task)
        yield found


async def _leave(client: aiomqtt.Client) -> None:
    with contextlib.suppress(aiomqtt.MqttError):
        await client.__aexit__(None, None, None)


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, aiomqtt.MqttError):
        await task
