"""Wakes are counted once each, and so are those of which nothing came."""

from __future__ import annotations

from daemon.hear.audio import Hypothesis, Transcript
from daemon.hear.detectors import cutoff
from daemon.hear.ears import Ears, Tongue
from daemon.hear.engine import Engine
from daemon.hear.listener import Listener
from daemon.hear.microphone import Recorded
from daemon.hear.tally import Tally
from tests.hear.levels import QUIET, SPEECH, WORD, LevelVad, LevelWake
from tests.hear.test_hear_ears import Counting, sound


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_word_that_is_told_twice_is_still_the_same() -> None:
    clock = Clock()
    tally = Tally(clock)
    assert not tally.just
    tally.woken()
    told = []
    for moment in (0.0, 0.1, 0.9, 5.0):
        clock.now = moment
        told.append(tally.just)
    assert (told, tally.wakes) == ([True, True, True, False], 1)


def test_nothing_is_in_vain_twice_nor_without_a_wake() -> None:
    clock = Clock()
    tally = Tally(clock)
    tally.vain()
    assert tally.in_vain == 0
    tally.woken()
    tally.vain()
    tally.vain()
    assert tally.in_vain == 1
    clock.now = 10.0
    tally.woken()
    tally.served()
    tally.vain()
    assert (tally.wakes, tally.in_vain) == (2, 1)


async def test_who_says_nothing_behind_the_word_woke_it_in_vain() -> None:
    source = Recorded(sound((QUIET, 1), (WORD, 0.01), (QUIET, 6), (WORD, 0.01), (QUIET, 1), (SPEECH, 1), (QUIET, 1)))
    ears = Ears(
        source=source,
        listener=Listener(LevelVad(), LevelWake()),
        engine=Engine(Counting()),
        lang="en",
    )
    assert [heard.opening async for heard in ears.utterances()] == ["wake"]
    assert (ears.tally.wakes, ears.tally.in_vain) == (2, 1)


class Speaks(Counting):
    """An engine of one language."""

    def __init__(self, lang: str) -> None:
        super().__init__()
        self.languages = frozenset({lang})

    def transcribe(self, samples: object, lang: str) -> Transcript:
        assert self.languages == {lang}
        return Transcript((Hypothesis(f"in {lang}", 0.9),), lang, self.name)


async def test_each_wake_word_has_its_language() -> None:
    ears = Ears(
        source=Recorded(sound((QUIET, 0.5), (SPEECH, 1), (QUIET, 1))),
        listener=Listener(LevelVad(), LevelWake()),
        engine=Engine(Speaks("en")),
        lang="en",
        tongues={"ni hao": Tongue(Engine(Speaks("zh")), "zh")},
    )
    said = []
    for word in ("Ni_Hao", "okay_nabu", ""):
        ears.wake(word)
        ears.source = Recorded(sound((QUIET, 0.5), (SPEECH, 1), (QUIET, 1)))
        said += [(heard.transcript.text, heard.transcript.lang) async for heard in ears.utterances()]
    assert said == [("in zh", "zh"), ("in en", "en"), ("in en", "en")]


def test_sensitivity_moves_the_odds_of_hearing_a_word() -> None:
    for usual in (0.5, 0.85, 0.97):
        assert abs(cutoff(usual, 0.5) - usual) < 1e-9
        steps = [cutoff(usual, at / 10) for at in range(11)]
        assert steps == sorted(steps, reverse=True)
        assert all(0 < step < 1 for step in steps)
    assert round(cutoff(0.9, 1.0), 3) == 0.474
    assert 0 < cutoff(1.0, 0.0) < 1
