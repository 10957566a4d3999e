from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from daemon.core.errors import TranscriptionError
from daemon.hear.audio import FRAME, Hypothesis, Transcript
from daemon.hear.ears import Ears, Heard
from daemon.hear.engine import Engine
from daemon.hear.listener import Listener
from daemon.hear.microphone import Recorded
from tests.hear.levels import QUIET, SPEECH, WORD, LevelVad, LevelWake

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from daemon.hear.audio import Roles


class Counting:
    """Says how many seconds of speech it was given, and remembers how often it was asked."""

    name = "counting"
    languages = frozenset({"en"})

    def __init__(self, *, broken: bool = False, confidence: float = 0.9) -> None:
        self.asked = 0
        self.confidence = confidence
        self.broken = broken

    def prepare(self, names: Sequence[str], roles: Roles | None = None) -> None:
        pass

    def transcribe(self, samples: NDArray[np.float32], lang: str) -> Transcript:
        self.asked += 1
        if self.broken:
            raise TranscriptionError("out of order")
        spoken = np.count_nonzero(samples >= 0.5) / 16_000
        return Transcript((Hypothesis(f"{spoken:.1f}", self.confidence),), lang, self.name)


def sound(*parts: tuple[float, float]) -> NDArray[np.float32]:
    return np.concatenate([np.full(round(seconds * 100) * FRAME, level, np.float32) for level, seconds in parts])


async def hear(
    samples: NDArray[np.float32], engine: Counting, incomplete: str = "", complete: str = "", *, wake: bool = False
) -> list[Heard]:
    listener = Listener(LevelVad(), LevelWake() if wake else None)
    ears = Ears(
        source=Recorded(samples),
        listener=listener,
        engine=Engine(engine),
        lang="en",
        incomplete=lambda text: text == incomplete,
        complete=lambda text: text == complete,
    )
    return [heard async for heard in ears.utterances()]


async def test_a_command_is_heard_while_its_end_is_still_awaited() -> None:
    engine = Counting()
    (heard,) = await hear(sound((QUIET, 1), (SPEECH, 1), (QUIET, 1)), engine)
    assert heard.transcript.text == "1.0"
    assert heard.opening == "always"
    assert engine.asked == 1


async def test_speech_that_goes_on_is_heard_again_as_a_whole() -> None:
    engine = Counting()
    (heard,) = await hear(sound((QUIET, 1), (SPEECH, 1), (QUIET, 0.5), (SPEECH, 1), (QUIET, 1)), engine)
    assert heard.transcript.text == "2.0"
    assert engine.asked == 2


async def test_a_command_that_breaks_off_waits_for_its_rest() -> None:
    samples = sound((QUIET, 1), (SPEECH, 1), (QUIET, 1.5), (SPEECH, 1), (QUIET, 1))
    assert [heard.transcript.text for heard in await hear(samples, Counting())] == ["1.0", "1.0"]
    assert [heard.transcript.text for heard in await hear(samples, Counting(), incomplete="1.0")] == ["2.0"]


async def test_a_complete_command_ends_soon_unless_it_goes_on() -> None:
    samples = sound((QUIET, 1), (SPEECH, 1), (QUIET, 0.5), (SPEECH, 1), (QUIET, 1))
    assert [heard.transcript.text for heard in await hear(samples, Counting())] == ["2.0"]
    assert [heard.transcript.text for heard in await hear(samples, Counting(), complete="1.0")] == ["1.0", "1.0"]
    corrected = sound((QUIET, 1), (SPEECH, 1), (QUIET, 0.32), (SPEECH, 1), (QUIET, 1))
    assert [heard.transcript.text for heard in await hear(corrected, Counting(), complete="1.0")] == ["2.0"]


async def test_a_command_that_was_heard_unsurely_gets_its_time() -> None:
    samples = sound((QUIET, 1), (SPEECH, 1), (QUIET, 0.5), (SPEECH, 1), (QUIET, 1))
    unsure = Counting(confidence=0.5)
    assert [heard.transcript.text for heard in await hear(samples, unsure, complete="1.0")] == ["2.0"]


async def test_the_end_of_a_file_ends_the_command() -> None:
    (heard,) = await hear(sound((QUIET, 1), (SPEECH, 1)), Counting())
    assert heard.transcript.text == "1.0"


async def test_an_engine_that_fails_says_why_and_the_next_command_is_heard() -> None:
    found = await hear(sound((QUIET, 1), (SPEECH, 1), (QUIET, 2), (SPEECH, 1), (QUIET, 1)), Counting(broken=True))
    assert [(heard.transcript.text, heard.problem) for heard in found] == [("", "out of order")] * 2


async def test_only_what_follows_a_wake_word_is_heard() -> None:
    listener = Listener(LevelVad(), LevelWake())
    source = Recorded(sound((QUIET, 1), (WORD, 0.01), (QUIET, 6), (WORD, 0.01), (QUIET, 1), (SPEECH, 1), (QUIET, 1)))
    ears = Ears(source=source, listener=listener, engine=Engine(Counting()), lang="en")
    assert [heard.opening async for heard in ears.utterances()] == ["wake"]


async def test_deaf_ears_take_nothing_from_their_source() -> None:
    listener = Listener(LevelVad())
    ears = Ears(
        source=Recorded(sound((SPEECH, 1), (QUIET, 1))), listener=listener, engine=Engine(Counting()), lang="en"
    )
    ears.mute()
    assert [heard async for heard in ears.utterances()] == []


async def test_answers_need_no_wake_word() -> None:
    listener = Listener(LevelVad(), LevelWake())
    source = Recorded(sound((QUIET, 0.5), (SPEECH, 1), (QUIET, 1), (SPEECH, 1), (QUIET, 1)))
    ears = Ears(source=source, listener=listener, engine=Engine(Counting()), lang="en")
    ears.reopen(5.0)
    assert [heard.opening async for heard in ears.utterances()] == ["answer"]
