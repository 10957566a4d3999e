"""Brokers that cannot be connected with, and what is said about it."""

import asyncio
import contextlib
import logging

import pytest

from daemon.core.errors import BrokerRefused, BrokerUnavailable
from daemon.home.secrets import Secret
from daemon.mqtt.bus import Publication
from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from daemon.simulate.broker import EmbeddedBroker
from tests.brokers import QUICK, SOON_S, Mosquitto, eventually, refusal


async def test_waiting_for_a_broker_that_says_no_ends_at_once(mosquitto: Mosquitto) -> None:
    async with Connection(mosquitto.broker(password=Secret("wrong")), backoff=QUICK) as bus:
        with pytest.raises(BrokerRefused, match="does not accept"):
            await bus.ready(SOON_S)


async def test_waiting_for_a_broker_that_is_away_ends_in_time(mosquitto: Mosquitto) -> None:
    await mosquitto.kill()
    async with Connection(mosquitto.broker(), backoff=QUICK) as bus:
        with pytest.raises(BrokerUnavailable, match="nothing answers"):
            await bus.ready(1.0)


async def test_a_wrong_password(mosquitto: Mosquitto, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    broker = mosquitto.broker(password=Secret("not the password"))
    said = await refusal(broker)
    assert said.startswith(
        f"BrokerRefused: the broker at 127.0.0.1:{mosquitto.port} does not accept the user 'hearken'"
    )
    assert "check mqtt.user and mqtt.password" in said
    assert "not the password" not in caplog.text + said
    assert "correct horse" not in caplog.text + said


async def test_no_user_where_one_is_wanted(mosquitto: Mosquitto) -> None:
    said = await refusal(mosquitto.broker(user=None, password=None))
    assert "wants a user; set mqtt.user and mqtt.password" in said


async def test_the_embedded_broker_speaks_no_mqtt_5(embedded: EmbeddedBroker) -> None:
    said = await refusal(Broker(port=embedded.port, protocol="5", connect_timeout_s=0.3))
    assert "does not answer as a broker for MQTT 5; check mqtt.port and mqtt.version" in said


async def test_nothing_listens_there(mosquitto: Mosquitto) -> None:
    await mosquitto.kill()
    said = await refusal(mosquitto.broker())
    assert said.startswith(
        f"BrokerUnavailable: nothing answers at 127.0.0.1:{mosquitto.port}; check that the broker runs"
    )


async def test_no_such_host() -> None:
    said = await refusal(Broker(host="no such host.invalid"))
    assert said.startswith("BrokerUnavailable:")
    assert "no such host.invalid" in said


async def test_something_else_listens_there() -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        said = await refusal(Broker(port=port, connect_timeout_s=0.5))
        assert said.startswith("BrokerUnavailable:")
        assert str(port) in said


@pytest.mark.parametrize("turns", [0, 1, 5, 50])
async def test_it_can_be_stopped_at_any_moment(mosquitto: Mosquitto, turns: int) -> None:
    bus = Connection(mosquitto.broker(), backoff=QUICK)
    await bus.start()
    for _ in range(turns):
        await asyncio.sleep(0)
    await bus.stop()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert not bus.connected
    with pytest.raises(BrokerUnavailable):
        await bus.publish(Publication("a", b""))


async def test_it_can_be_stopped_while_nobody_answers() -> None:
    silent = asyncio.Event()
    there = 0

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal there
        there += 1
        silent.set()
        with contextlib.suppress(ConnectionError):
            await reader.read()
        writer.close()
        there -= 1

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    async with server:
        bus = Connection(Broker(port=server.sockets[0].getsockname()[1]), backoff=QUICK)
        await bus.start()
        await silent.wait()
        await bus.stop()
        assert not bus.connected
        await bus.start()
        await bus.stop()
        await eventually(lambda: there == 0)
