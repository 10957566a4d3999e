"""What MQTT 5 adds: nothing is kept for us, and nothing that we said is handed on late."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from daemon.core.errors import BrokerUnavailable
from daemon.mqtt.bus import Publication
from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from tests.brokers import PASSWORD, QUICK, SOON_S, USER, Inbox, Mosquitto, connected, eventually

CONNACK_OF_TWO = b"\x20\x06\x00\x00\x03\x21\x00\x02"
"""CONNACK of MQTT 5 with a Receive Maximum of 2."""


async def test_what_we_say_expires_and_what_is_kept_does_not(mosquitto: Mosquitto) -> None:
    seen: dict[str, int | None] = {}
    witness = paho.Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
    listening = threading.Event()

    def hear(_client: paho.Client, _data: object, message: paho.MQTTMessage) -> None:
        seen[message.topic] = getattr(message.properties, "MessageExpiryInterval", None)

    witness.on_message = hear
    witness.on_subscribe = lambda *_: listening.set()
    witness.username_pw_set(USER, PASSWORD)
    witness.connect("127.0.0.1", mosquitto.port)
    witness.subscribe("a/#")
    witness.loop_start()
    try:
        assert await asyncio.to_thread(listening.wait, SOON_S)
        async with connected(mosquitto.broker(protocol="5", expiry_s=7)) as bus:
            await bus.publish(Publication("a/lamp/set", b"ON"))
            await bus.publish(Publication("a/kept", b"1", retain=True))
            await eventually(lambda: len(seen) > 1)
    finally:
        await asyncio.to_thread(witness.loop_stop)
        witness.disconnect()
    assert list(seen) == ["a/lamp/set", "a/kept"]
    expires = seen["a/lamp/set"]
    assert expires is not None
    assert 0 < expires <= 7
    assert seen["a/kept"] is None


async def test_what_arrives_with_an_expiry_is_taken(mosquitto: Mosquitto) -> None:
    async with connected(mosquitto.broker(protocol="5")) as one, connected(mosquitto.broker(protocol="5")) as two:
        inbox = Inbox()
        await two.subscribe("a", inbox)
        await one.publish(Publication("a", b"said now"))
        assert [message.payload for message in await inbox.count(1)] == [b"said now"]


class Script:
    """Accepts clients of MQTT 5, takes two messages at once from each, and acknowledges when it is told to."""

    def __init__(self) -> None:
        self.connects: list[bytes] = []
        self.published = 0
        self.acknowledge = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                kind = (await reader.readexactly(1))[0] >> 4
                body = await reader.readexactly((await reader.readexactly(1))[0])
                if kind == 1:
                    self.connects.append(body)
                    writer.write(CONNACK_OF_TWO)
                elif kind == 3:
                    self.published += 1
                    await self.acknowledge.wait()
                    # The topic has one letter: its length, itself, then the packet's identifier.
                    writer.write(b"\x40\x02" + body[3:5])
                elif kind == 10:
                    writer.write(b"\xb0\x04" + body[:2] + b"\x00\x00")
                await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def served(script: Script) -> AsyncIterator[Connection]:
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        async with Connection(Broker(port=port, protocol="5", status_topic=None), backoff=QUICK) as bus:
            await bus.ready(SOON_S)
            yield bus


async def test_a_session_begins_with_nothing_and_ends_with_the_connection() -> None:
    script = Script()
    async with served(script):
        pass
    [connect] = script.connects
    # Protocol name (6), level (1), flags (1), keep alive (2), then the properties.
    assert connect[:7] == b"\x00\x04MQTT\x05"
    assert connect[7] & 0x02, "clean start"
    assert connect[10:16] == b"\x05\x11\x00\x00\x00\x00", "session expiry interval of 0"


async def test_no_more_at_once_than_the_broker_takes() -> None:
    script = Script()
    async with served(script) as bus:
        sending = [asyncio.create_task(bus.publish(Publication("a", b""))) for _ in range(5)]
        await eventually(lambda: script.published > 0)
        assert bus._client is not None
        assert bus._client.in_flight == 2
        await asyncio.sleep(0.05)
        assert script.published <= 2
        script.acknowledge.set()
        await asyncio.gather(*sending)
        assert script.published == 5


async def test_who_waits_for_a_turn_learns_that_the_connection_is_gone() -> None:
    script = Script()
    async with served(script) as bus:
        sending = [asyncio.create_task(bus.publish(Publication("a", b""))) for _ in range(5)]
        await eventually(lambda: script.published > 0)
        assert bus._client is not None
        bus._client.abandon()
        results = await asyncio.gather(*sending, return_exceptions=True)
        script.acknowledge.set()
    assert all(isinstance(result, BrokerUnavailable) for result in results)
    assert script.published <= 2


@pytest.mark.parametrize("protocol", ["3.1.1", "5"])
async def test_a_broker_keeps_nothing_for_us_while_we_are_away(mosquitto: Mosquitto, protocol: str) -> None:
    async with connected(mosquitto.broker(status_topic=None)) as other:
        bus = Connection(mosquitto.broker(protocol=protocol), backoff=QUICK)
        inbox = Inbox()
        await bus.subscribe("a", inbox)
        await bus.start()
        await bus.ready(SOON_S)
        await other.publish(Publication("a", b"before"))
        await inbox.count(1)
        await bus.stop()
        await other.publish(Publication("a", b"while away"))
        await bus.start()
        await bus.ready(SOON_S)
        await other.publish(Publication("a", b"after"))
        await inbox.count(2)
        await bus.stop()
    assert inbox.payloads == [b"before", b"after"]
