"""Others' recognition and voices: wyoming-faster-whisper with a small model, a voice that speaks piper's protocol."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import async_read_event, async_write_event
from wyoming.info import Attribution, Describe, Info, TtsProgram, TtsVoice
from wyoming.tts import Synthesize

from daemon.core.errors import AudioError, HearkenError
from daemon.hear.audio import Hypothesis, Transcript, load
from daemon.home.config import Server
from daemon.satellites.link import ask, describe
from daemon.satellites.peers import REST_S, UNTOLD, Peer, PeerTranscriber, PeerVoice
from daemon.simulate.broker import free_port
from daemon.speak.choice import Voices
from daemon.speak.voice import Speech
from tests.brokers import SOON_S
from tests.satellites.boxes import serves
from tests.satellites.rooms import Tone
from tests.serving import Serving

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from wyoming.event import Eventable


@pytest.fixture
def recordings() -> Path:
    if not (folder := os.environ.get("HEARKEN_TEST_SPEECH")):
        pytest.skip("HEARKEN_TEST_SPEECH names no folder")
    return Path(folder)


@pytest.fixture
async def whisper(tmp_path: Path) -> AsyncIterator[tuple[int, asyncio.subprocess.Process]]:
    if not (models := os.environ.get("HEARKEN_TEST_MODELS")):
        pytest.skip("HEARKEN_TEST_MODELS names no folder")
    port, folder = free_port(), Path(models) / "whisper-fixture-int8"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "wyoming_faster_whisper", "--uri", f"tcp://127.0.0.1:{port}"),
        *("--model", str(folder), "--data-dir", str(tmp_path), "--stt-library", "faster-whisper", "--language", "en"),
        *("--compute-type", "int8", "--beam-size", "5", "--local-files-only"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    async with asyncio.timeout(SOON_S):
        while not await serves(port):
            assert process.returncode is None, "it has ended"
            await asyncio.sleep(0.05)
    yield port, process
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()


class Own:
    """Our own engine, which hears the same whatever is said."""

    name = "own"
    languages = frozenset({"en"})

    def prepare(self, names: object, roles: object = None) -> None:
        pass

    def transcribe(self, samples: NDArray[np.float32], lang: str) -> Transcript:
        return Transcript((Hypothesis("heard by our own", 0.7),), lang, self.name)


@pytest.mark.models
@pytest.mark.speech
async def test_a_bigger_machine_hears_and_our_own_engine_where_it_is_away(
    whisper: tuple[int, asyncio.subprocess.Process], recordings: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "daemon.satellites")
    port, process = whisper
    now = [0.0]
    manifest = recordings / "manifest.jsonl"
    texts = {item["file"]: item["text"] for item in map(json.loads, manifest.read_text(encoding="utf-8").splitlines())}
    server = Server("127.0.0.1", port)
    [program] = (await ask(server, describe, SOON_S)).asr
    assert program.installed
    engine = PeerTranscriber(Peer(server, SOON_S, lambda: now[0]), Own(), "en")
    engine.prepare(["standing light"])
    clip = load(recordings / "en_003.flac")
    heard = await asyncio.to_thread(engine.transcribe, clip, "en")
    plain = "".join(letter for letter in heard.text.casefold() if letter.isalnum() or letter == " ")
    assert (plain, heard.confidence) == (texts["en_003.flac"].casefold(), UNTOLD)
    process.kill()
    await process.wait()
    for _ in range(2):
        heard = await asyncio.to_thread(engine.transcribe, clip, "en")
        assert (heard.text, heard.engine) == ("heard by our own", "own")
    assert len([record for record in caplog.records if "so our own is used" in record.message]) == 1


@pytest.mark.speech
def test_one_that_is_late_is_not_waited_for_twice(recordings: Path) -> None:
    now = [0.0]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = Server("127.0.0.1", silent.getsockname()[1])
        engine = PeerTranscriber(Peer(server, 0.05, lambda: now[0]), Own(), "en")
        clip = load(recordings / "en_003.flac")
        assert engine.transcribe(clip, "en").text == "heard by our own"
        silent.settimeout(SOON_S)
        silent.accept()[0].close()
        assert engine.transcribe(clip, "en").text == "heard by our own"
        silent.settimeout(0)
        with pytest.raises(BlockingIOError):
            silent.accept()  # it was not asked
        now[0] = REST_S
        engine.transcribe(clip, "en")
        silent.settimeout(SOON_S)
        silent.accept()[0].close()


def test_silence_is_sent_to_nobody() -> None:
    engine = PeerTranscriber(Peer(Server("127.0.0.1", 1), 1.0), None, "en")
    assert engine.transcribe(np.zeros(16_000, np.float32), "en").text == ""


@contextlib.asynccontextmanager
async def piper(problem: str = "") -> AsyncIterator[tuple[Server, list[Synthesize]]]:
    """Answers as wyoming-piper does: one English voice; says everything in half a second."""
    asked: list[Synthesize] = []
    ours: dict[str, Any] = {
        "attribution": Attribution("piper", ""),
        "installed": True,
        "description": None,
        "version": None,
    }
    voice = TtsVoice(name="en_GB-alba-medium", languages=["en_GB"], **ours)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (event := await async_read_event(reader)) is not None:
            answers: list[Eventable] = []
            if Describe.is_type(event.type):
                answers = [Info(tts=[TtsProgram(name="piper", voices=[voice], **ours)])]
            elif Synthesize.is_type(event.type) and problem:
                answers = [Error(problem)]
            elif Synthesize.is_type(event.type):
                asked.append(Synthesize.from_event(event))
                half = AudioChunk(22_050, 2, 1, b"\x00\x20" * 5_512)
                answers = [AudioStart(22_050, 2, 1), half, half, AudioStop()]
            for item in answers:
                await async_write_event(item.event(), writer)

    server = await Serving.start(connected)
    try:
        yield Server("127.0.0.1", server.port), asked
    finally:
        await server.end()


async def test_a_bigger_machine_speaks() -> None:
    async with piper() as (server, asked):
        speech = await asyncio.to_thread(PeerVoice(Peer(server, SOON_S)).synthesize, "The light is on.", "en")
    assert (speech.rate, len(speech.samples), float(speech.samples[0])) == (22_050, 11_024, 0.25)
    [said] = asked
    assert (said.text, said.voice and said.voice.name) == ("The light is on.", "en_GB-alba-medium")


async def test_our_own_voice_speaks_where_it_fails_or_lacks_the_language(caplog: pytest.LogCaptureFixture) -> None:
    async def spoken(voice: PeerVoice, lang: str) -> Speech:
        return await asyncio.to_thread(Voices([voice, Tone()]).synthesize, "x", lang)

    async with piper() as (server, asked):
        assert len((await spoken(PeerVoice(Peer(server, SOON_S)), "zh")).samples) == 2_205
        with pytest.raises(AudioError, match="no voice for 'zh'"):
            await asyncio.to_thread(PeerVoice(Peer(server, SOON_S)).synthesize, "x", "zh")
        assert not asked
    async with piper(problem="no such voice") as (server, _):
        assert len((await spoken(PeerVoice(Peer(server, SOON_S)), "en")).samples) == 2_205
    assert len((await spoken(PeerVoice(Peer(Server("127.0.0.1", free_port()), 1.0)), "en")).samples) == 2_205
    with pytest.raises(HearkenError, match="nobody answers"):
        await asyncio.to_thread(PeerVoice(Peer(Server("127.0.0.1", free_port()), 1.0)).synthesize, "x", "en")
