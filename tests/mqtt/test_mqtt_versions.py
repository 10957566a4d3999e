"""The version of MQTT is found out where the home file does not say it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from daemon.simulate.broker import EmbeddedBroker
from tests.brokers import QUICK, SOON_S, Mosquitto, connected, eventually

OLD = b"\x20\x02\x00\x01"
"""CONNACK of MQTT 3.1.1: unacceptable protocol version."""
ACCEPTED = b"\x20\x02\x00\x00"
LEVEL = {4: "3.1.1", 5: "5"}


class Script:
    """Answers CONNECT of MQTT 3.1.1, and one of MQTT 5 with what the test says; None: it hangs up."""

    def __init__(self, to_five: bytes | None) -> None:
        self.asked: list[str] = []
        self._to_five = to_five

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                kind = (await reader.readexactly(1))[0] >> 4
                body = await reader.readexactly((await reader.readexactly(1))[0])
                if kind != 1:
                    continue
                self.asked.append(LEVEL[body[6]])
                answer = self._to_five if body[6] == 5 else ACCEPTED
                if answer is None:
                    break
                writer.write(answer)
        writer.close()


@contextlib.asynccontextmanager
async def served(script: Script) -> AsyncIterator[Connection]:
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        broker = Broker(port=port, protocol=None, status_topic=None, connect_timeout_s=2.0)
        async with Connection(broker, backoff=QUICK) as bus:
            await bus.ready(SOON_S)
            yield bus


async def test_five_where_the_broker_speaks_it(mosquitto: Mosquitto) -> None:
    async with connected(mosquitto.broker(protocol=None)) as bus:
        assert bus._client is not None
        assert bus._client.fleeting is not None


async def test_the_older_one_where_the_broker_does_not_know_what_to_make_of_five() -> None:
    async with (
        EmbeddedBroker() as embedded,
        connected(Broker(port=embedded.port, protocol=None, connect_timeout_s=2.0)) as bus,
    ):
        assert bus._client is not None
        assert bus._client.fleeting is None


@pytest.mark.parametrize("to_five", [OLD, None, b""], ids=["it says so", "it hangs up", "it says nothing"])
async def test_what_was_found_out_is_tried_first_the_next_time(to_five: bytes | None) -> None:
    script = Script(to_five)
    async with served(script) as bus:
        assert script.asked == ["5", "3.1.1"]
        assert bus._client is not None
        bus._client.abandon()
        await eventually(lambda: len(script.asked) > 2)
    assert script.asked[2] == "3.1.1"


async def test_a_no_to_a_user_is_no_matter_of_the_version() -> None:
    script = Script(b"\x20\x03\x00\x87\x00")  # MQTT 5: not authorized
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        async with Connection(Broker(port=port, protocol=None), backoff=QUICK) as bus:
            await eventually(lambda: len(script.asked) > 1)
            assert "wants a user" in str(bus.problem)
    assert set(script.asked) == {"5"}


async def test_what_the_home_file_says_is_spoken() -> None:
    script = Script(OLD)
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        async with Connection(Broker(port=port, protocol="5"), backoff=QUICK) as bus:
            await eventually(lambda: len(script.asked) > 1)
            assert "does not speak MQTT 5; set mqtt.version to 3.1.1" in str(bus.problem)
    assert set(script.asked) == {"5"}
