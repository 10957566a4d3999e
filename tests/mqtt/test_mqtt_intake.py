"""What is read of a flood."""

from __future__ import annotations

import asyncio
import itertools
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.mqtt import bus
from daemon.mqtt.bus import EACH, FREE, MOMENT_S, Intake, Message
from tests.brokers import Inbox


def message(topic: str, number: int, at: float) -> Message:
    return Message(topic, str(number).encode(), retained=False, at=at, sequence=number)


STREAMS = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(1, 12), st.sampled_from([0.0, 0.01, 0.3])), min_size=1, max_size=40
)
"""(topic, how many messages of it, how long after those before)."""


@given(STREAMS, st.integers(0, 20))
def test_each_topic_keeps_its_order_and_its_last_word(bursts: list[tuple[str, int, float]], free: int) -> None:
    got: list[Message] = []
    sent: list[Message] = []

    async def play() -> int:
        read = Intake(got.append)
        now = 0.0
        for topic, many, after in bursts:
            now += after
            for _ in range(many):
                sent.append(message(topic, len(sent) + 1, now))
                read.take(sent[-1])
        read.end_moment(now + MOMENT_S)
        read.forget()
        return read.shed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bus, "FREE", free)
        shed = asyncio.run(play())
    assert shed == len(sent) - len(got)
    for topic in "abc":
        mine, seen = ([item.sequence for item in some if item.topic == topic] for some in (sent, got))
        assert seen == sorted(set(seen))
        assert seen[-1:] == mine[-1:]
        # Where something is missing, the next message says so; where it says so, something is missing.
        passed = [item for item in got if item.topic == topic]
        for before, item in itertools.pairwise([None, *passed]):
            assert item is not None
            between = [number for number in mine if (before.sequence if before else 0) < number < item.sequence]
            assert item.gap == bool(between)


async def test_below_the_limit_everything_is_handed_on_at_once() -> None:
    heard = Inbox()
    read = Intake(heard)
    for number in range(FREE):
        read.take(message("a", number, 0.0))
    assert [item.sequence for item in heard.messages] == list(range(FREE))
    assert not any(item.gap for item in heard.messages)


async def test_who_says_little_is_heard_at_once_in_a_flood(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    now = asyncio.get_running_loop().time()
    heard = Inbox()
    read = Intake(heard)
    for number in range(10 * FREE):
        read.take(message("loud", number, now))
    read.take(message("quiet", 1, now))
    assert heard.messages[-1].topic == "quiet"
    assert len(heard.messages) == FREE + 1
    # The last word comes by itself, when the moment is over.
    last = (await heard.count(FREE + 2))[-1]
    assert (last.topic, last.sequence, last.gap) == ("loud", 10 * FREE - 1, True)
    assert read.shed == 9 * FREE - 1
    assert len(caplog.records) == 1


async def test_what_is_held_back_goes_with_its_connection() -> None:
    heard = Inbox()
    read = Intake(heard)
    for number in range(FREE + EACH + 1):
        read.take(message("a", number, 0.0))
    read.forget()
    read.end_moment(MOMENT_S)
    assert len(heard.messages) == FREE
