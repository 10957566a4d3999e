"""The broker in memory keeps the promises that the real ones are tested for."""

import asyncio
import random

import pytest

from daemon.core.errors import BrokerRefused, BrokerUnavailable
from daemon.mqtt.bus import Message, Publication
from daemon.simulate.memory import MemoryBroker


def say(topic: str, payload: str = "", *, retain: bool = False) -> Publication:
    return Publication(topic, payload.encode(), retain)


async def test_messages_reach_all_who_listen_in_order_before_publish_returns() -> None:
    broker = MemoryBroker()
    one, two = broker.connect(), broker.connect()
    heard: list[tuple[str, Message]] = []
    await two.subscribe("a/+", lambda message: heard.append(("two", message)))
    await one.subscribe("a/#", lambda message: heard.append(("one", message)))
    for number in range(3):
        await one.publish(say("a/b", str(number)))
    await one.publish(say("a", "3"))
    assert [message.payload for who, message in heard if who == "one"] == [b"0", b"1", b"2", b"3"]
    assert [message.payload for who, message in heard if who == "two"] == [b"0", b"1", b"2"]
    assert [message.sequence for who, message in heard if who == "one"] == [1, 2, 3, 4]
    assert (one.sequence, two.sequence) == (4, 3)
    assert not any(message.retained for _, message in heard)


async def test_what_is_retained_comes_marked_and_only_the_last() -> None:
    broker = MemoryBroker()
    bus, heard = broker.connect(), list[Message]()
    for payload in ("1", "2"):
        await bus.publish(say("kept/a", payload, retain=True))
    await bus.publish(say("kept/b", "3", retain=True))
    await bus.publish(say("kept/b", retain=True))
    await bus.publish(say("live", "4"))
    await bus.subscribe("#", heard.append)
    await bus.subscribe("kept/a", heard.append)
    # The second subscription makes the broker say it again, to both, as on a real one.
    assert [(m.topic, m.payload, m.retained) for m in heard] == [("kept/a", b"2", True)] * 3
    await bus.publish(say("kept/a", "5", retain=True))
    assert [(m.payload, m.retained) for m in heard[3:]] == [(b"5", False)] * 2
    assert broker.retained == {"kept/a": b"5"}


async def test_an_ended_subscription_is_silent() -> None:
    broker = MemoryBroker()
    bus, heard = broker.connect(), list[Message]()
    end = await bus.subscribe("a", heard.append)
    end()
    end()
    await bus.publish(say("a"))
    assert heard == []
    assert bus.sequence == 0


async def test_while_it_is_down_nothing_is_sent_and_nothing_later() -> None:
    broker = MemoryBroker()
    one, two = broker.connect(), broker.connect()
    heard, changes = list[bytes](), list[bool]()
    stop = one.on_connection(changes.append)
    await one.publish(say("a", "kept", retain=True))
    broker.go_down()
    broker.go_down()
    assert not one.connected
    with pytest.raises(BrokerUnavailable):
        await two.publish(say("a", "lost"))
    await one.subscribe("a", lambda message: heard.append(message.payload))
    assert heard == []
    broker.come_up()
    assert heard == [b"kept"]
    await two.publish(say("a", "after"))
    assert heard == [b"kept", b"after"]
    stop()
    stop()
    broker.go_down()
    assert changes == [False, True]


@pytest.mark.parametrize("topic", ["", "a/#", "+"])
async def test_a_topic_that_no_broker_takes(topic: str) -> None:
    with pytest.raises(BrokerRefused):
        await MemoryBroker().connect().publish(say(topic))


async def test_a_filter_that_no_broker_takes() -> None:
    with pytest.raises(BrokerRefused):
        await MemoryBroker().connect().subscribe("a/#/b", print)


async def test_many_at_once_keep_the_order_of_each_sender() -> None:
    broker, dice = MemoryBroker(), random.Random(1)
    heard = list[Message]()
    await broker.connect().subscribe("+", heard.append)

    async def sender(name: str) -> None:
        bus = broker.connect()
        for number in range(50):
            await bus.publish(say(name, str(number)))
            if dice.random() < 0.5:
                await asyncio.sleep(0)

    await asyncio.gather(*(sender(f"s{number}") for number in range(5)))
    for number in range(5):
        assert [int(m.payload) for m in heard if m.topic == f"s{number}"] == list(range(50))
    assert [message.sequence for message in heard] == list(range(1, 251))
