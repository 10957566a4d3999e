"""The embedded broker: amqtt on the loopback interface, for a daemon that has no other."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Self

from daemon.core.errors import BrokerUnavailable

if TYPE_CHECKING:
    from amqtt.broker import Broker as Amqtt

_log = logging.getLogger(__name__)

HOST = "127.0.0.1"
_STOP_S = 5.0
_PORTS = range(20_000, 32_000)
_LOGGERS = ("amqtt", "transitions")


class EmbeddedBroker:
    """An MQTT 3.1.1 broker in this process. Anyone on this machine may use it, nobody else can reach it.

    `port` is a free one that it finds when it first starts.
    """

    def __init__(self) -> None:
        self.port = 0
        self._broker: Amqtt | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        """Listens.

        Raises:
            BrokerUnavailable: the port is taken, or none is free.
        """
        # Slow to import, and not needed where a real broker is configured.
        from amqtt.broker import Broker
        from amqtt.errors import AMQTTError

        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self.port = self.port or free_port()

        broker = Broker(
            {
                "listeners": {"default": {"type": "tcp", "bind": f"{HOST}:{self.port}"}},
                "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
            }
        )
        broker.stream_connected = self._closing(broker.stream_connected)
        try:
            await broker.start()
        except (AMQTTError, OSError):
            raise BrokerUnavailable(
                f"the embedded broker cannot listen on {HOST}:{self.port}; is another one running there?"
            ) from None
        self._broker = broker

    async def stop(self) -> None:
        """Ends all connections, and forgets everything that was retained."""
        broker, self._broker = self._broker, None
        if broker is not None:
            async with asyncio.timeout(_STOP_S):
                await broker.shutdown()
            for writer in self._writers:
                writer.close()

    def _closing(self, serve: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        """`serve`, and the socket closed after it: amqtt leaves those that it turns away to the collector."""

        async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str) -> None:
            self._writers.add(writer)
            try:
                await serve(reader, writer, listener_name)
            except Exception:  # noqa: BLE001 - amqtt stumbles over clients that it turns away and that are gone
                _log.debug("a client of the embedded broker was not served", exc_info=True)
            finally:
                self._writers.discard(writer)
                writer.close()

        return served

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


def free_port() -> int:
    """A TCP port of the loopback interface where nothing listens.

    It is none of those that systems give to who calls others (32768 and above): such a port may be taken again before
    it is listened to, and who calls it in vain may reach itself.
    """
    # Not by the seed of a test: two of them would take the same.
    for port in random.SystemRandom().sample(_PORTS, len(_PORTS)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((HOST, port))
            return port
    raise BrokerUnavailable(f"no port of {HOST} from {_PORTS[0]} to {_PORTS[-1]} is free")
