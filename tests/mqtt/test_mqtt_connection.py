"""The connection on real brokers: the embedded one, and mosquitto with a user and a password."""

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from daemon.core.errors import BrokerRefused, BrokerUnavailable
from daemon.mqtt.bus import Message, Publication
from daemon.mqtt.client import Client
from daemon.mqtt.connection import Connection
from daemon.mqtt.failures import Failure
from daemon.mqtt.settings import Broker
from daemon.simulate.broker import EmbeddedBroker
from tests.brokers import QUICK, Changes, Inbox, Mosquitto, connected, eventually, running_mosquitto


@pytest.fixture(params=["embedded", "mosquitto 3.1.1", "mosquitto 5"])
async def broker(request: pytest.FixtureRequest, mosquitto_folder: Path) -> AsyncIterator[Broker]:
    if request.param == "embedded":
        async with EmbeddedBroker() as embedded:
            yield Broker(port=embedded.port)
    else:
        async with running_mosquitto(mosquitto_folder) as mosquitto:
            yield mosquitto.broker(protocol="5" if request.param.endswith(" 5") else "3.1.1")


def say(topic: str, payload: str = "", *, retain: bool = False) -> Publication:
    return Publication(topic, payload.encode(), retain)


async def test_messages_go_from_one_connection_to_another_in_order(broker: Broker) -> None:
    async with connected(broker) as one, connected(broker) as two:
        inbox = Inbox()
        await two.subscribe("home/+/state", inbox)
        for number in range(50):
            await one.publish(say("home/灯/state", str(number)))
        await asyncio.gather(*(one.publish(say("home/灯/state", str(number))) for number in range(50, 150)))
        messages = await inbox.count(150)
    assert [int(message.payload) for message in messages] == list(range(150))
    assert {message.topic for message in messages} == {"home/灯/state"}
    assert not any(message.retained for message in messages)
    assert [message.sequence for message in messages] == list(range(1, 151))
    assert all(early.at <= late.at for early, late in itertools.pairwise(messages))


async def test_what_is_received_after_a_publish_has_a_higher_sequence(broker: Broker) -> None:
    async with connected(broker) as bus:
        inbox = Inbox()
        await bus.subscribe("a", inbox)
        before = bus.sequence
        await bus.publish(say("a"))
        (message,) = await inbox.count(1)
        assert message.sequence == before + 1 == bus.sequence


async def test_only_what_was_kept_is_marked_as_retained(broker: Broker) -> None:
    async with connected(broker) as one, connected(broker) as two:
        live, late = Inbox(), Inbox()
        await one.subscribe("kept/#", live)
        await two.publish(say("kept/a", "1", retain=True))
        assert not (await live.count(1))[0].retained
        await two.subscribe("kept/+", late)
        (old,) = await late.count(1)
        assert (old.payload, old.retained) == (b"1", True)
        await two.publish(say("kept/a", "2", retain=True))
        assert [(m.payload, m.retained) for m in await late.count(2)] == [(b"1", True), (b"2", False)]


async def test_a_second_listener_on_a_filter_gets_what_was_retained_too(broker: Broker) -> None:
    async with connected(broker) as bus:
        first, second = Inbox(), Inbox()
        await bus.publish(say("kept", "1", retain=True))
        await bus.subscribe("kept", first)
        await first.count(1)
        await bus.subscribe("kept", second)
        assert (await second.count(1))[0].retained


async def test_an_ended_subscription_is_silent_and_others_are_not(broker: Broker) -> None:
    async with connected(broker) as bus:
        gone, stays, other = Inbox(), Inbox(), Inbox()
        end = await bus.subscribe("a", gone)
        await bus.subscribe("a", stays)
        end_other = await bus.subscribe("b", other)
        end()
        end()
        await bus.publish(say("a"))
        await stays.count(1)
        end_other()
        await bus.publish(say("b"))
        await bus.publish(say("a"))
        await stays.count(2)
    assert gone.messages == []
    assert other.messages == []


async def test_it_says_that_it_is_there_and_that_it_left(broker: Broker) -> None:
    async with connected(broker) as watcher:
        status = Inbox()
        await watcher.subscribe("hearken/status", status)
        await status.count(1)
        async with connected(broker):
            pass
        # The watcher's own "online", retained, then the other's, and its goodbye.
        messages = await status.count(3)
        assert [message.payload for message in messages] == [b"online", b"online", b"offline"]


async def test_the_last_will_speaks_for_it_when_it_is_cut_off(broker: Broker) -> None:
    async with connected(broker) as watcher:
        status = Inbox()
        await watcher.subscribe("hearken/status", status)
        async with connected(broker) as victim:
            # The watcher's own "online", then the victim's.
            assert [message.payload for message in await status.count(2)] == [b"online", b"online"]
            assert victim._client is not None
            victim._client.abandon()
            await status.until(lambda messages: b"offline" in [message.payload for message in messages])


async def test_more_publishes_at_once_than_may_be_in_flight(broker: Broker) -> None:
    async with connected(broker) as bus:
        inbox = Inbox()
        await bus.subscribe("n", inbox)
        await asyncio.gather(*(bus.publish(say("n", str(number))) for number in range(500)))
        assert [int(message.payload) for message in await inbox.count(500)] == list(range(500))


async def test_a_topic_or_filter_that_no_broker_takes(broker: Broker) -> None:
    async with connected(broker) as bus:
        for topic in ("", "a/#", "a/+/b", "a\0"):
            with pytest.raises(BrokerRefused, match="is no topic"):
                await bus.publish(say(topic))
        with pytest.raises(BrokerRefused, match="is no topic filter"):
            await bus.subscribe("a/#/b", Inbox())
        await bus.publish(say("still/there"))


async def test_a_long_message_is_ignored_with_one_line(broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    async with connected(broker) as bus, connected(broker) as sender:
        inbox, list_ = Inbox(), Inbox()
        await bus.subscribe("a", inbox, longest=100)
        await bus.subscribe("a", list_, longest=5000)
        for size in (101, 100, 5000, 1):
            await sender.publish(say("a", "x" * size))
        assert [len(message.payload) for message in await inbox.count(2)] == [100, 1]
        # Each listener has its own limit: what is too long for a device may be a list of devices.
        assert [len(message.payload) for message in await list_.count(4)] == [101, 100, 5000, 1]
    assert [record.message for record in caplog.records if "ignoring" in record.message] == [
        "ignoring messages of 'a' above 100 bytes"
    ]


async def test_a_listener_that_raises_does_not_hurt_the_connection(broker: Broker) -> None:
    def broken(_: Message) -> None:
        raise RuntimeError("broken listener")

    async with connected(broker) as bus:
        inbox = Inbox()
        await bus.subscribe("a", broken)
        await bus.subscribe("a", inbox)
        for _ in range(3):
            await bus.publish(say("a"))
        await inbox.count(3)
        assert bus.connected


async def test_a_flood_is_read_to_its_last_word_and_stops_no_command(broker: Broker) -> None:
    async with connected(broker) as bus, connected(broker) as noisy:
        flood, quiet = Inbox(), Inbox()
        await bus.subscribe("flood/+", flood)
        await bus.subscribe("quiet", quiet)
        storm = asyncio.gather(*(noisy.publish(say(f"flood/{number % 7}", str(number))) for number in range(3000)))
        await flood.count(100)
        assert len(flood.messages) < 3000
        await bus.publish(say("quiet"))
        await quiet.count(1)
        assert len(flood.messages) < 3000
        await storm
        last = {f"flood/{number % 7}": str(number).encode() for number in range(3000)}
        await flood.until(lambda seen: {message.topic: message.payload for message in seen} == last)
        for topic in last:
            numbers = [int(message.payload) for message in flood.messages if message.topic == topic]
            assert numbers == sorted(numbers)


# What happens when the broker is away.


async def test_while_the_broker_is_away_nothing_is_sent_and_nothing_later(mosquitto: Mosquitto) -> None:
    async with connected(mosquitto.broker()) as bus:
        changes, inbox = Changes(bus), Inbox()
        await bus.subscribe("command", inbox)
        await bus.publish(say("command", "before"))
        await inbox.count(1)

        await mosquitto.kill()
        await changes.last(up=False)
        assert not bus.connected
        for _ in range(2):
            with pytest.raises(BrokerUnavailable, match=f"{mosquitto.port}"):
                await bus.publish(say("command", "while away"))
        later = Inbox()
        await bus.subscribe("later", later)

        await mosquitto.start()
        await changes.last(up=True)
        await bus.publish(say("later", "subscribed while away"))
        await bus.publish(say("command", "after"))
        await inbox.count(2)
        await later.count(1)
    assert inbox.payloads == [b"before", b"after"]
    assert later.payloads == [b"subscribed while away"]
    assert changes.seen == [False, True, False]


async def test_the_embedded_broker_can_be_stopped_and_started_again(embedded: EmbeddedBroker) -> None:
    async with connected(Broker(port=embedded.port)) as bus:
        changes, inbox = Changes(bus), Inbox()
        await bus.subscribe("a", inbox)
        await embedded.stop()
        await changes.last(up=False)
        await embedded.start()
        await changes.last(up=True)
        await bus.publish(say("a"))
        await inbox.count(1)


async def test_down_and_up_are_logged_once_each(mosquitto: Mosquitto, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "daemon.mqtt")
    async with connected(mosquitto.broker()) as bus:
        changes = Changes(bus)
        await mosquitto.kill()
        await changes.last(up=False)
        for _ in range(5):
            # Each failed attempt leaves a new error behind.
            last = bus.problem
            await eventually(lambda last=last: bus.problem is not last)  # type: ignore[misc]
        await mosquitto.start()
        await changes.last(up=True)
    lines = [(record.levelname, record.message.split(":")[0]) for record in caplog.records]
    assert lines == [
        ("INFO", f"connected with the broker at 127.0.0.1:{mosquitto.port}".split(":")[0]),
        ("WARNING", "no connection with the broker"),
        ("INFO", f"connected with the broker at 127.0.0.1:{mosquitto.port}".split(":")[0]),
    ]


async def test_starting_before_the_broker_is_fine(mosquitto: Mosquitto) -> None:
    await mosquitto.kill()
    async with Connection(mosquitto.broker(), backoff=QUICK) as bus:
        changes, inbox = Changes(bus), Inbox()
        with pytest.raises(BrokerUnavailable, match=r"no connection with .* yet"):
            await bus.publish(say("a"))
        await bus.subscribe("a", inbox)
        await mosquitto.start()
        await changes.last(up=True)
        await bus.publish(say("a"))
        await inbox.count(1)


async def test_a_connection_that_breaks_before_its_turn_is_left_alone() -> None:
    """The thread that connects may end when the broker has already hung up."""

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    errors: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server:
        broker = Broker(port=server.sockets[0].getsockname()[1])
        for _ in range(20):
            client = Client(broker, "3.1.1", "test", None, lambda *_: None)
            with pytest.raises(ConnectionError):
                await client.open()
            client.abandon()
            with pytest.raises(Failure):
                await client.publish("a", b"")
    assert errors == []
