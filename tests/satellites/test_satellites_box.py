"""A real wyoming-satellite: what it hears is carried out, and what it shows and says is what it should."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

import numpy as np
import pytest

from daemon.core.errors import HearkenError
from daemon.speak.voice import Speech
from tests.brokers import SOON_S, eventually
from tests.hear.levels import QUIET, SPEECH, WORD
from tests.satellites.boxes import Box
from tests.satellites.rooms import Home, Tone, conversing, satellite, sound

COMMAND = sound((QUIET, 0.5), (SPEECH, 1), (QUIET, 1.5))


@pytest.fixture
async def streaming() -> AsyncIterator[Box]:
    """Sends all that it hears."""
    async with Box().open() as box:
        yield box


@pytest.fixture
async def waking() -> AsyncIterator[Box]:
    """Sends what it hears from its own wake word on."""
    async with Box(wakes_itself=True).open() as box:
        yield box


async def test_the_wake_word_is_heard_here_and_the_reply_is_spoken_there(streaming: Box) -> None:
    home = Home()
    async with conversing(satellite(streaming.port, area="kitchen", speaker="mei"), home):
        await streaming.lights.has("streaming-started")
        await streaming.play(sound((QUIET, 1), (SPEECH, 1), (QUIET, 1.5), (WORD, 0.01)))
        await streaming.play(COMMAND)
        shown = await streaming.lights.has(
            *("detection", "voice-started", "voice-stopped", "transcript", "synthesize", "audio-start", "audio-stop")
        )
        await streaming.loudspeaker.has("audio-stop")
    assert [(item["text"], item["area"], item["speaker"], item["satellite"]) for item in home.asked] == [
        ("1.0", "kitchen", "mei", "kitchen")
    ]
    told = {item.type: item.data for item in shown}
    assert told["detection"]["name"] == "okay nabu"
    assert told["transcript"]["text"] == "1.0"
    assert told["synthesize"]["text"] == "Heard 1.0."
    assert streaming.spoken() == 2 * 2_205


async def test_its_own_wake_word_opens_it_until_the_text_is_shown(waking: Box) -> None:
    home = Home()
    async with conversing(satellite(waking.port), home):
        await waking.wake()
        await waking.lights.has("streaming-started")
        await waking.play(COMMAND)
        await waking.lights.has("transcript", "synthesize", "audio-stop")
        await waking.wake()
        await waking.lights.has("transcript", "streaming-started")
        await waking.play(COMMAND)
        await waking.lights.has("transcript", "transcript")
        assert [item["text"] for item in await home.until(2)] == ["1.0", "1.0"]


async def test_a_question_leaves_the_microphone_open(waking: Box) -> None:
    home = Home(questions=["1.0"])
    item = satellite(waking.port)
    async with conversing(item, home):
        await waking.wake()
        await waking.lights.has("streaming-started")
        await waking.play(COMMAND)
        await waking.lights.has("synthesize", "audio-stop")
        assert not [event for event in waking.lights.events if event.type == "transcript"]
        await eventually(lambda: item.listens)
        await waking.play(sound((QUIET, 0.5), (SPEECH, 0.5), (QUIET, 1.5)))
        shown = await waking.lights.has("transcript", "synthesize")
        assert [asked["text"] for asked in home.asked] == ["1.0", "0.5"]
        assert [event.data["text"] for event in shown if event.type == "transcript"] == ["0.5"]


async def test_who_says_nothing_ends_it(waking: Box) -> None:
    home, item = Home(), satellite(waking.port)
    async with conversing(item, home):
        await waking.wake()
        await waking.lights.has("streaming-started")
        await waking.play(sound((QUIET, 6)))
        shown = await waking.lights.has("transcript", "streaming-stopped")
        assert [event.data["text"] for event in shown if event.type == "transcript"] == [""]
    assert home.asked == []
    assert (item.tally.wakes, item.tally.in_vain) == (1, 1)


async def test_sentences_are_one_reply(streaming: Box) -> None:
    item = satellite(streaming.port)
    async with conversing(item, Home()), asyncio.timeout(SOON_S):
        await streaming.lights.has("streaming-started")
        await item.say("Dinner is ready. Come down.", "en")
        await streaming.loudspeaker.has("audio-stop")
    shown = [
        event.type for event in streaming.lights.events if event.type in ("synthesize", "audio-start", "audio-stop")
    ]
    assert shown == ["synthesize", "audio-start", "audio-stop"]
    assert streaming.spoken() == 2 * 2 * 2_205


class Drawl(Tone):
    """A voice that says everything in a minute."""

    def synthesize(self, text: str, lang: str) -> Speech:
        return Speech(np.full(60 * 8_000, 0.25, np.float32), 8_000)


async def test_its_wake_word_cuts_the_reply_short_and_is_listened_to(waking: Box) -> None:
    home, item = Home(), satellite(waking.port, voice=Drawl())
    async with conversing(item, home), asyncio.timeout(SOON_S):
        await waking.wake()
        await waking.lights.has("streaming-started")
        await waking.play(COMMAND)
        await waking.lights.has("transcript", "synthesize", "audio-start")
        await waking.loudspeaker.has("audio-chunk")
        await waking.wake()
        await waking.lights.has("audio-stop")
        await waking.lights.has("transcript", "streaming-started")
        await waking.play(sound((QUIET, 0.5), (SPEECH, 0.5), (QUIET, 1.5)))
        assert [asked["text"] for asked in await home.until(2)] == ["1.0", "0.5"]
    assert waking.spoken() < 10 * 2 * 8_000
    assert (item.tally.wakes, item.tally.in_vain) == (2, 0)


async def test_a_box_that_vanishes_in_mid_sentence_does_nothing_and_comes_back(
    streaming: Box, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "daemon.satellites")
    home, item = Home(), satellite(streaming.port)
    async with conversing(item, home):
        await streaming.lights.has("streaming-started")
        await streaming.play(sound((QUIET, 0.5), (WORD, 0.01), (QUIET, 0.2), (SPEECH, 2)))
        await streaming.lights.has("voice-started")
        await streaming.kill()
        await eventually(lambda: not item.there)
        with pytest.raises(HearkenError, match="away"):
            await item.say("The timer is over.", "en")
        streaming.lights.events.clear()
        await streaming.start()
        await streaming.lights.has("streaming-started")
        await streaming.play(sound((QUIET, 0.5), (WORD, 0.01)))
        await streaming.play(COMMAND)
        assert [asked["text"] for asked in await home.until(1)] == ["1.0"]
        await streaming.lights.has("synthesize")
    said = [record.message for record in caplog.records if "satellite kitchen" in record.message]
    assert [" is there" in said[0], " is away" in said[1], " is back" in said[2], len(said)] == [True, True, True, 3]


async def test_what_is_announced_is_said_one_after_the_other(streaming: Box) -> None:
    item = satellite(streaming.port)
    async with conversing(item, Home()), asyncio.timeout(SOON_S):
        await streaming.lights.has("streaming-started")
        await asyncio.gather(item.say("Dinner is ready.", "en"), item.say("饭好了。", "zh"))
        await streaming.loudspeaker.has("audio-stop", "audio-stop")
    order = [
        event.type for event in streaming.lights.events if event.type in ("synthesize", "audio-start", "audio-stop")
    ]
    assert order == ["synthesize", "audio-start", "audio-stop"] * 2
