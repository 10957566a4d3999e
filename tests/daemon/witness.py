"""An independent client of the broker: it shares no code of ours with the daemon's connection, and runs in a thread."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

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

    def hear(self, topic: str, payload: str) -> None:
        self.seen.append((topic, payload))
        self._news.set()


@contextlib.asynccontextmanager
async def witness(broker: Mosquitto) -> AsyncIterator[Witness]:
    """Listens over TLS until the block, or the broker, ends."""
    found, loop, listening = Witness(), asyncio.get_running_loop(), asyncio.Event()

    def hear(_client: paho.Client, _data: object, message: paho.MQTTMessage) -> None:
        loop.call_soon_threadsafe(found.hear, message.topic, message.payload.decode())

    def begun(*_: object) -> None:
        loop.call_soon_threadsafe(listening.set)

    client = paho.Client(CallbackAPIVersion.VERSION2, reconnect_on_failure=False)
    client.on_message = hear
    client.on_subscribe = begun
    client.username_pw_set(USER, PASSWORD)
    client.tls_set(ca_certs=str(broker.ca))
    await asyncio.to_thread(client.connect, "localhost", broker.tls_port)
    client.subscribe("#")
    client.loop_start()
    try:
        async with asyncio.timeout(SOON_S):
            await listening.wait()
        yield found
    finally:
        client.disconnect()
        await asyncio.to_thread(client.loop_stop)
