"""A long reply is said sentence by sentence: the first is heard before the last is made."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterable
from pathlib import Path

import numpy as np
import pytest

from daemon.core.errors import AudioError
from daemon.speak.sentences import sentences
from daemon.speak.speaker import Player, Route, Speaker
from daemon.speak.voice import NO_MORE, Speech
from tests.brokers import SOON_S

REPLY = "The lamp is on. It is 20.5 degrees. The door is shut."


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (REPLY, ["The lamp is on.", "It is 20.5 degrees.", "The door is shut."]),
        ("灯开了。现在20.5度！门关着", ["灯开了。", "现在20.5度！", "门关着"]),
        ("Really? Yes!", ["Really?", "Yes!"]),
        ("On", ["On"]),
        ("Done. !", ["Done."]),
        ("...", ["..."]),
    ],
)
def test_a_reply_has_its_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


class Slow:
    """A voice that makes a second sentence only when it may; of another rate."""

    name = "slow"
    languages = frozenset({"en"})

    def __init__(self) -> None:
        self.may = threading.Event()
        self.made: list[str] = []

    def synthesize(self, text: str, lang: str) -> Speech:
        if self.made:
            assert self.may.wait(SOON_S)
        self.made.append(text)
        if text == "Fail.":
            raise AudioError(f"out of order ({lang})")
        rate = 8_000 * len(self.made)
        return Speech(np.full(rate // 10, 0.25, np.float32), rate)


class Heard:
    """A way out that takes down what is heard, and lets the voice go on when the first is."""

    def __init__(self, voice: Slow, most: int = 9) -> None:
        self.pieces: list[Speech] = []
        self._voice = voice
        self._most = most

    async def play(self, speech: Speech, more: AsyncIterable[Speech] = NO_MORE) -> Route:
        self.pieces.append(speech)
        self._voice.may.set()
        async for item in more:
            self.pieces.append(item)
            if len(self.pieces) == self._most:
                break
        return "satellite"


async def test_the_first_sentence_is_heard_before_the_second_is_made() -> None:
    voice = Slow()
    output = Heard(voice)
    async with asyncio.timeout(SOON_S):
        said = await Speaker(voice, output).say(REPLY, "en")
    assert voice.made == sentences(REPLY)
    assert [piece.rate for piece in output.pieces] == [8_000, 16_000, 24_000]
    assert said.text == REPLY


async def test_who_listens_no_longer_is_not_spoken_to() -> None:
    voice = Slow()
    output = Heard(voice, most=2)
    async with asyncio.timeout(SOON_S):
        await Speaker(voice, output).say("One. Two. Three. Four.", "en")
    assert len(output.pieces) == 2
    assert "Four." not in voice.made


async def test_a_voice_that_fails_midway_is_told() -> None:
    voice = Slow()
    output = Heard(voice)
    with pytest.raises(AudioError, match="out of order"):
        await Speaker(voice, output).say("One. Fail.", "en")
    assert len(output.pieces) == 1


async def test_a_file_holds_all_of_it(tmp_path: Path) -> None:
    voice, file = Slow(), tmp_path / "reply.wav"
    voice.may.set()
    await Speaker(voice, Player(file, route="file")).say(REPLY, "en")
    whole = Speech.from_wav(file)
    assert (whole.rate, len(whole.samples)) == (8_000, 3 * 800)
