"""An ESPHome box: what it hears is carried out, and it is told, shown and played what it should be."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import urllib.error
from collections.abc import AsyncIterator
from typing import Any

import pytest

from daemon.core.errors import HearkenError
from daemon.hear.contest import Rivals
from daemon.satellites.clips import Clips
from daemon.satellites.remote import RemoteSatellite
from daemon.satellites.satellite import TimerNews
from tests.brokers import SOON_S, eventually
from tests.hear.levels import QUIET, SPEECH, WORD
from tests.satellites.boxes import Box as Satellite
from tests.satellites.devices import ECHO, KEY, OTHER_KEY, PUCK, Device, F, fetched, pb
from tests.satellites.rooms import Home, box, conversing, satellite, sound
from tests.serving import Serving

COMMAND = sound((QUIET, 0.5), (SPEECH, 1), (QUIET, 1.5))
HEARD = ("RUN_START", "STT_START", "STT_VAD_START", "STT_VAD_END", "STT_END", "INTENT_START", "INTENT_END")
RUN = (*HEARD, "TTS_START", "TTS_END", "RUN_END")
TONE: Any = pytest.approx(0.1, abs=0.01)
"""Seconds of any reply."""


@pytest.fixture
async def clips() -> AsyncIterator[Clips]:
    async with Clips(0).running() as made:
        yield made


@contextlib.asynccontextmanager
async def at(item: RemoteSatellite, home: Home, device: Device) -> AsyncIterator[RemoteSatellite]:
    async with conversing(item, home):
        await device.until(lambda _: device.subscribed)
        yield item


@pytest.mark.parametrize("key", [KEY, None], ids=["encrypted", "plain"])
async def test_a_command_is_carried_out_and_the_reply_fetched_and_played(clips: Clips, key: str | None) -> None:
    async with Device(key=key).open() as device, at(box(device, clips, area="kitchen"), home := Home(), device):
        await device.wakes()
        device.says(COMMAND)
        await device.has(*RUN)
        await device.until(lambda _: device.played)
    assert [(item["text"], item["area"], item["satellite"]) for item in home.asked] == [("1.0", "kitchen", "kitchen")]
    assert device.events == list(RUN)
    assert device.last("STT_END") == {"text": "1.0"}
    assert device.last("TTS_START") == {"text": "Heard 1.0."}
    assert device.last("INTENT_END")["continue_conversation"] == "0"
    assert device.last("INTENT_END")["conversation_id"]
    assert device.played == [("audio/flac", TONE)]


@pytest.mark.parametrize(
    ("formats", "kind"),
    [((("wav", 16_000, 2),), "audio/wav"), ((("mp3", 44_100, 1), ("flac", 0, 0)), "audio/flac"), ((), "audio/wav")],
)
async def test_the_reply_is_what_its_player_takes(
    clips: Clips, formats: tuple[tuple[str, int, int], ...], kind: str
) -> None:
    async with Device(formats=formats).open() as device, at(box(device, clips), Home(), device) as item:
        await item.say("Dinner is ready.", "en")
    assert device.played == [(kind, TONE)]
    assert device.events == ["ANNOUNCE"]


async def test_a_plain_loudspeaker_gets_the_sound_itself(clips: Clips) -> None:
    async with Device(features=ECHO, formats=()).open() as device, at(box(device, clips), Home(), device) as item:
        await device.wakes()
        device.says(COMMAND)
        await device.has("TTS_END", "TTS_STREAM_START", "TTS_STREAM_END", "RUN_END")
        await item.say("Dinner is ready.", "en")
    assert device.played == [("pcm", TONE)] * 2


async def test_a_question_is_answered_without_a_wake_word(clips: Clips) -> None:
    async with Device().open() as device, at(box(device, clips), home := Home(["1.0"]), device) as item:
        await device.wakes()
        device.says(COMMAND)
        await device.has(*RUN, "RUN_START", "STT_START")
        assert device.told[6] == ("INTENT_END", {"conversation_id": "kitchen-voice", "continue_conversation": "1"})
        assert item.listens
        device.says(sound((QUIET, 0.5), (SPEECH, 0.5), (QUIET, 1.5)))
        await device.has(*RUN, *RUN)
    assert [asked["text"] for asked in home.asked] == ["1.0", "0.5"]
    assert device.last("INTENT_END")["continue_conversation"] == "0"


async def test_who_says_nothing_ends_the_run(clips: Clips) -> None:
    async with Device().open() as device, at(box(device, clips), home := Home(), device):
        await device.wakes()
        device.says(sound((QUIET, 6)))
        await device.has("RUN_START", "ERROR", "RUN_END")
        assert device.last("ERROR")["code"] == "stt-no-text-recognized"
        await device.wakes()
        device.says(COMMAND)
        await device.has("RUN_END", *RUN)
    assert [asked["text"] for asked in home.asked] == ["1.0"]


async def test_the_wake_word_may_be_heard_here(clips: Clips) -> None:
    async with Device(flags=2).open() as device, at(box(device, clips), home := Home(), device):
        await device.wakes("")
        device.says(sound((QUIET, 1), (SPEECH, 1), (QUIET, 1.5), (WORD, 0.01)))
        device.says(COMMAND)
        await device.has("RUN_START", "WAKE_WORD_START", "WAKE_WORD_END", "STT_START", "STT_END", "TTS_END", "RUN_END")
    assert [asked["text"] for asked in home.asked] == ["1.0"]


async def test_its_button_ends_what_is_being_said(clips: Clips) -> None:
    async with Device().open() as device, at(box(device, clips), home := Home(), device) as item:
        await device.wakes()
        device.says(sound((QUIET, 0.3), (SPEECH, 1)))
        await device.has("STT_VAD_START")
        await device.stops()
        await eventually(lambda: not item.listens)
        await device.wakes()
        device.says(COMMAND)
        await device.has("STT_END", "RUN_END")
    assert [asked["text"] for asked in home.asked] == ["1.0"]


async def test_the_end_of_its_sound_is_the_end_of_the_command(clips: Clips) -> None:
    async with Device().open() as device, at(box(device, clips), home := Home(), device):
        await device.wakes()
        device.says(sound((QUIET, 0.3), (SPEECH, 1)))
        device.sends(pb.VoiceAssistantAudio(end=True))
        await device.has(*RUN)
    assert [asked["text"] for asked in home.asked] == ["1.0"]


async def test_timers_are_shown_where_they_can_be(clips: Clips) -> None:
    news = TimerNews("started", "7", "pasta", 600.0, 599.6, active=True)
    for features in (PUCK, ECHO):
        async with Device(features=features).open() as device, at(box(device, clips), Home(), device) as item:
            item.timer(news)
            await item.say("Done.", "en")
            told = [(item.event_type, item.timer_id, item.name, item.total_seconds) for item in device.timers]
        assert told == ([(0, "7", "pasta", 600)] if features is PUCK else [])


async def test_a_box_that_takes_no_announcements_says_so(clips: Clips) -> None:
    features = F.VOICE_ASSISTANT | F.API_AUDIO
    async with Device(features=features).open() as device, at(box(device, clips), Home(), device) as item:
        with pytest.raises(HearkenError, match="takes no announcements"):
            await item.say("Dinner is ready.", "en")


async def test_a_reply_that_nobody_fetches_is_told(clips: Clips) -> None:
    async with (
        Device(deaf_to_urls=True).open() as device,
        at(box(device, clips), Home(), device) as item,
    ):
        with pytest.raises(HearkenError, match=r"can it reach http://127\.0\.0\.1:\d+\?"):
            await item.say("Dinner is ready.", "en")


async def test_an_announcement_waits_while_somebody_speaks(clips: Clips) -> None:
    async with Device().open() as device, at(box(device, clips), Home(), device) as item:
        await device.wakes()
        saying = asyncio.create_task(item.say("Dinner is ready.", "en"))
        device.says(COMMAND)
        await device.has("RUN_START", "STT_END")
        await saying
        await device.has("RUN_END")
        await device.until(lambda _: len(device.played) == 2)
    assert device.events.index("STT_END") < min(device.events.index(kind) for kind in ("TTS_START", "ANNOUNCE"))


KEYS = {
    "another key": (Device(), OTHER_KEY, "its encryption key is another one"),
    "no key": (Device(), None, "wants its encryption key"),
    "a key for an open box": (Device(key=None), KEY, "has no encryption"),
    "not a key": (Device(), "swordfish", "is none: 44 characters"),
    "no voice assistant": (Device(features=F.VOICE_ASSISTANT), KEY, "no voice assistant"),
}


@pytest.mark.parametrize(("made", "key", "says"), KEYS.values(), ids=KEYS)
async def test_what_is_wrong_is_said_once_and_never_the_key(
    clips: Clips, made: Device, key: str | None, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    device = Device(key=made.key, features=made.features)
    async with device.open(), conversing(box(device, clips, key=key), Home()):
        await eventually(lambda: device.connections > 2 or (says in caplog.text and device.connections == 0))
        await eventually(lambda: says in caplog.text)
        said = [*caplog.records]  # when it ends, its package may be cut off in the midst of a handshake, and says so
    assert len([record for record in said if "is away" in record.message]) == 1
    assert not [record for record in said if record.exc_info]
    assert not any(secret in caplog.text for secret in (KEY, OTHER_KEY, "swordfish"))


async def test_a_box_that_vanishes_in_mid_sentence_does_nothing_and_comes_back(
    clips: Clips, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    device = Device()
    async with device.open(), at(box(device, clips), home := Home(), device) as item:
        await device.wakes()
        device.says(sound((QUIET, 0.2), (SPEECH, 2)))
        await device.has("STT_VAD_START")
        await device.unplug()
        await eventually(lambda: not item.there)
        with pytest.raises(HearkenError, match="away"):
            await item.say("The timer is over.", "en")
        await device.start()
        await device.until(lambda _: device.subscribed)
        await device.wakes()
        device.says(COMMAND)
        await device.has("RUN_START", *RUN)
    assert [asked["text"] for asked in home.asked] == ["1.0"]
    said = [record.message for record in caplog.records if "satellite kitchen" in record.message]
    assert [" is there" in said[0], " is away" in said[1], " is back" in said[2], len(said)] == [True, True, True, 3]


async def test_of_two_that_hear_the_same_the_one_that_heard_it_best_answers(clips: Clips) -> None:
    rivals, home = Rivals(SOON_S, lambda: 0.0), Home()
    near, far = Device("near"), Device("far", key=None)
    async with (
        near.open(),
        far.open(),
        at(box(near, clips, "near", rivals), home, near),
        at(box(far, clips, "far", rivals), home, far),
    ):
        for first, second in ((far, near), (near, far)):
            near.told.clear()
            far.told.clear()
            await first.wakes()
            await second.wakes()
            far.says(sound((0.3, 0.5), (SPEECH, 1), (0.3, 1.5)))  # as loud, but with more noise
            near.says(COMMAND)
            await near.has(*RUN)
            await far.has("RUN_START", "ERROR", "RUN_END")
            assert far.last("ERROR")["code"] == "duplicate_wake_up_detected"
            assert "STT_END" not in far.events
    assert [asked["satellite"] for asked in home.asked] == ["near", "near"]


async def test_an_esphome_box_and_a_wyoming_satellite_are_rivals_too(clips: Clips) -> None:
    rivals, home = Rivals(SOON_S, lambda: 0.0), Home()
    async with (
        Device().open() as near,
        Satellite(name="far").open() as far,
        at(box(near, clips, "near", rivals), home, near),
        conversing(satellite(far.port, "far", rivals), home),
    ):
        await far.lights.has("streaming-started")
        await far.play(sound((QUIET, 1), (SPEECH, 1), (QUIET, 1.5), (WORD, 0.01), (0.3, 0.2)))
        await far.lights.has("detection")
        await near.wakes()
        near.says(COMMAND)
        await far.play(sound((0.3, 0.3), (SPEECH, 1), (0.3, 1.5)))
        await near.has(*RUN)
        shown = await far.lights.has("detection", "transcript")
    assert [item.data["text"] for item in shown if item.type == "transcript"] == [""]
    assert [asked["satellite"] for asked in home.asked] == ["near"]


async def test_clips_are_nobody_elses(clips: Clips) -> None:
    base = await clips.base("127.0.0.1")
    with clips.served(base, b"RIFF", "wav") as clip:
        other = clip.url.replace(".wav", ".flac")
        for url in (base, f"{base}/", other, f"{base}/../etc/passwd"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                await asyncio.to_thread(fetched, url)
        assert not clip.fetched
    with pytest.raises(urllib.error.HTTPError, match="404"):
        await asyncio.to_thread(fetched, clip.url)


GARBAGE = {
    "not the protocol": b"HTTP/1.1 200 OK\r\n\r\n" * 100,
    "an endless frame": b"\x00\xff\xff\xff\xff\xff\xff",
    "a broken message": b"\x00\x04\x0a\xff\xff\xff\xff",
    "sound before anybody asked": b"\x00\x03\x6a\x0a\x01a",
    "small talk without end": b"\x00\x00\x07" * 100_000,
    "what nobody knows": b"\x00\x00\xff\x7f" * 100_000,
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
async def test_what_is_no_protocol_hurts_nobody_else(
    clips: Clips, data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def rude(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while not writer.is_closing():
                writer.write(data)
                await writer.drain()
                await asyncio.sleep(0)

    server = await Serving.start(rude)
    loud, good = Device(key=None, port=server.port), Device()
    async with good.open(), conversing(box(loud, clips, "attic"), Home()), at(box(good, clips), home := Home(), good):
        await good.wakes()
        good.says(COMMAND)
        await good.has(*RUN)
        await server.end()
        await eventually(lambda: "is away" in caplog.text)
    assert [asked["text"] for asked in home.asked] == ["1.0"]
    # Of a message that is none, the library leaves the telling to the event loop.
    ours = [record for record in caplog.records if record.name != "asyncio"]
    assert not [record for record in ours if record.exc_info or record.levelno > logging.WARNING]
    assert len([record for record in ours if "attic" in record.message]) <= 1


async def test_a_flood_of_sound_ends_the_connection_and_not_the_daemon(clips: Clips) -> None:
    async with Device().open() as device, at(box(device, clips), home := Home(), device):
        before = device.connections
        await device.wakes()
        with contextlib.suppress(AttributeError):  # it has been left
            while device.connections == before:
                device.sends(pb.VoiceAssistantAudio(data=bytes(32_000)))
                await asyncio.sleep(0)
        await device.until(lambda _: device.connections > before and device.subscribed)
    assert home.asked == []
