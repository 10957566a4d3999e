"""The listener with a scripted voice detector: a frame's level is the probability, 0.99 the wake word."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.hear.audio import FRAME
from daemon.hear.listener import Event, Expired, Listener, Paused, Timing, Utterance, Woken
from tests.hear.levels import QUIET, SPEECH, WORD, LevelVad, LevelWake

if TYPE_CHECKING:
    from numpy.typing import NDArray


def sound(*parts: tuple[float, float]) -> list[NDArray[np.float32]]:
    """(level, seconds)... as frames."""
    return [np.full(FRAME, level, np.float32) for level, seconds in parts for _ in range(round(seconds * 100))]


def play(listener: Listener, *parts: tuple[float, float]) -> list[Event]:
    return [event for frame in sound(*parts) for event in listener.feed(frame)]


def listener(*, wake: bool = False) -> Listener:
    return Listener(LevelVad(), LevelWake() if wake else None, Timing())


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def utterance(events: list[Event]) -> Utterance:
    (found,) = [event for event in events if isinstance(event, Utterance)]
    return found


def seconds(samples: NDArray[np.float32]) -> float:
    return len(samples) / 16_000


def test_speech_ends_after_three_quarters_of_a_second_of_quiet() -> None:
    events = play(listener(), (QUIET, 1.0), (SPEECH, 1.0), (QUIET, 0.74))
    assert kinds(events) == ["Paused"]
    ears = listener()
    clip = utterance(play(ears, (QUIET, 1.0), (SPEECH, 1.0), (QUIET, 0.76)))
    assert clip.opening == "always"
    assert clip.ending == "silence"
    assert clip.start_s == pytest.approx(0.7, abs=0.02)
    assert clip.end_s == pytest.approx(2.0, abs=0.02)
    assert seconds(clip.samples) == pytest.approx(1.6, abs=0.02)  # 0.3 s of quiet at both ends


def test_a_short_pause_does_not_cut_the_command() -> None:
    clip = utterance(play(listener(), (QUIET, 1.0), (SPEECH, 0.5), (QUIET, 0.6), (SPEECH, 0.5), (QUIET, 1.0)))
    assert seconds(clip.samples) == pytest.approx(2.2, abs=0.02)


def test_an_incomplete_command_gets_more_time_once() -> None:
    ears = listener()
    assert kinds(play(ears, (QUIET, 1.0), (SPEECH, 0.5), (QUIET, 0.5))) == ["Paused"]
    ears.extend()
    assert play(ears, (QUIET, 1.4)) == []
    events = play(ears, (SPEECH, 0.5), (QUIET, 0.8))
    assert kinds(events) == ["Paused", "Utterance"]
    assert seconds(utterance(events).samples) == pytest.approx(0.3 + 0.5 + 1.9 + 0.5 + 0.3, abs=0.03)


def test_an_incomplete_command_ends_in_the_end() -> None:
    ears = listener()
    play(ears, (QUIET, 1.0), (SPEECH, 0.5), (QUIET, 0.5))
    ears.extend()
    assert kinds(play(ears, (QUIET, 1.4))) == []
    assert kinds(play(ears, (QUIET, 0.2))) == ["Utterance"]


def test_a_complete_command_hardly_waits() -> None:
    ears = listener()
    assert kinds(play(ears, (QUIET, 1.0), (SPEECH, 0.5), (QUIET, 0.3))) == ["Paused"]
    ears.hasten()
    assert kinds(play(ears, (QUIET, 0.04))) == []
    assert kinds(play(ears, (QUIET, 0.02))) == ["Utterance"]


def test_who_goes_on_after_a_complete_command_is_heard_to_the_end() -> None:
    ears = listener()
    play(ears, (QUIET, 1.0), (SPEECH, 0.5), (QUIET, 0.3))
    ears.hasten()
    events = play(ears, (QUIET, 0.03), (SPEECH, 0.5), (QUIET, 0.5))
    assert kinds(events) == ["Paused"], "what follows has its own time again"
    assert kinds(play(ears, (QUIET, 0.3))) == ["Utterance"]


def test_the_pause_that_saw_everything_is_named() -> None:
    events = play(listener(), (QUIET, 1.0), (SPEECH, 0.5), (QUIET, 0.5), (SPEECH, 0.5), (QUIET, 1.0))
    first, second, clip = events
    assert isinstance(first, Paused)
    assert isinstance(second, Paused)
    assert isinstance(clip, Utterance)
    assert clip.pause == second.number != first.number
    assert np.array_equal(clip.samples, second.samples)


def test_speech_at_the_end_of_a_file_was_seen_by_no_pause() -> None:
    ears = listener()
    play(ears, (QUIET, 1.0), (SPEECH, 0.5), (QUIET, 0.5), (SPEECH, 0.5))
    (clip,) = ears.finish()
    assert isinstance(clip, Utterance)
    assert clip.ending == "end"
    assert clip.pause is None


def test_endless_speech_is_cut_at_the_cap() -> None:
    events = play(listener(), (SPEECH, 16.0))
    assert utterance(events).ending == "cap"
    assert seconds(utterance(events).samples) == pytest.approx(15.0, abs=0.02)


def test_a_click_is_no_utterance() -> None:
    ears = listener()
    assert play(ears, (QUIET, 0.5), (SPEECH, 0.1), (QUIET, 2.0)) == []
    assert kinds(play(ears, (SPEECH, 0.5), (QUIET, 1.0))) == ["Paused", "Utterance"]


def test_without_the_wake_word_nothing_is_taken() -> None:
    ears = listener(wake=True)
    assert play(ears, (QUIET, 1.0), (SPEECH, 2.0), (QUIET, 2.0)) == []
    assert not ears.is_open


def test_wake_word_then_command() -> None:
    ears = listener(wake=True)
    events = play(ears, (QUIET, 1.0), (SPEECH, 0.5), (WORD, 0.01), (QUIET, 1.5), (SPEECH, 1.0), (QUIET, 1.0))
    assert kinds(events) == ["Woken", "Paused", "Utterance"]
    assert utterance(events).opening == "wake"
    assert seconds(utterance(events).samples) == pytest.approx(1.6, abs=0.03)
    assert not ears.is_open


def test_wake_word_and_command_in_one_breath_are_cut_at_the_quietest_spot() -> None:
    ears = listener(wake=True)
    gap = 0.55  # still voice for the detector, but quieter than the rest
    events = play(ears, (QUIET, 1.0), (SPEECH, 0.5), (gap, 0.05), (SPEECH, 0.1), (WORD, 0.01), (0.7, 1.0), (QUIET, 1.0))
    assert kinds(events) == ["Woken", "Paused", "Utterance"]
    clip = utterance(events).samples
    assert clip[0] == np.float32(gap)
    assert seconds(clip) == pytest.approx(0.05 + 0.11 + 1.0 + 0.3, abs=0.03)


def test_the_wake_word_needs_a_voice() -> None:
    class Deaf(LevelVad):
        def feed(self, frame: NDArray[np.float32]) -> float:
            return 0.1

    assert play(Listener(Deaf(), LevelWake()), (QUIET, 1.0), (WORD, 0.2), (QUIET, 1.0)) == []


def test_woken_and_nobody_speaks() -> None:
    ears = listener(wake=True)
    assert play(ears, (QUIET, 1.0), (WORD, 0.01), (QUIET, 6.0)) == [Woken("okay nabu", quiet=False), Expired("wake")]
    assert not ears.is_open


def test_an_answer_needs_no_wake_word_until_it_expires() -> None:
    ears = listener(wake=True)
    ears.reopen(3.0)
    assert utterance(play(ears, (QUIET, 2.0), (SPEECH, 0.5), (QUIET, 1.0))).opening == "answer"
    ears.reopen(3.0)
    assert play(ears, (QUIET, 3.0)) == [Expired("answer")]
    assert play(ears, (SPEECH, 0.5), (QUIET, 1.0)) == []


def test_a_question_spoken_aloud_does_not_use_up_the_time_for_its_answer() -> None:
    ears = listener(wake=True)
    ears.reopen(3.0)
    ears.mute()
    assert play(ears, (SPEECH, 5.0)) == []
    ears.unmute()
    assert utterance(play(ears, (QUIET, 2.5), (SPEECH, 0.5), (QUIET, 1.0))).opening == "answer"


def test_hearken_does_not_hear_itself() -> None:
    ears = listener(wake=True)
    ears.mute()
    assert play(ears, (SPEECH, 1.0), (WORD, 0.1), (SPEECH, 1.0)) == []
    ears.unmute()
    assert play(ears, (WORD, 0.2), (QUIET, 1.0)) == []  # the room still sounds
    assert kinds(play(ears, (WORD, 0.01))) == ["Woken"]


def test_what_was_half_said_when_hearken_began_to_speak_is_dropped() -> None:
    ears = listener()
    play(ears, (QUIET, 0.5), (SPEECH, 0.5))
    ears.mute()
    ears.unmute()
    assert play(ears, (QUIET, 3.0)) == []


def test_the_wake_word_again_while_an_answer_is_awaited_is_not_part_of_the_answer() -> None:
    ears = listener(wake=True)
    ears.reopen(8.0)
    events = play(ears, (QUIET, 1.0), (SPEECH, 0.4), (WORD, 0.01), (QUIET, 0.3), (SPEECH, 1.0), (QUIET, 1.0))
    assert utterance(events).opening == "wake"
    assert np.float32(WORD) not in utterance(events).samples[: 16_000 // 4]


@given(
    parts=st.lists(st.tuples(st.sampled_from([QUIET, 0.45, SPEECH, WORD]), st.floats(0.01, 2.0)), max_size=12),
    wake=st.booleans(),
)
def test_whatever_it_hears_clips_are_bounded_and_in_order(parts: list[tuple[float, float]], *, wake: bool) -> None:
    ears = listener(wake=wake)
    events = [*play(ears, *parts), *ears.finish()]
    clips = [event for event in events if isinstance(event, Utterance)]
    for clip in clips:
        assert 0.2 <= seconds(clip.samples) <= 15.01
        assert clip.start_s < clip.end_s
    for before, after in itertools.pairwise(clips):
        assert before.end_s <= after.end_s
    if wake:
        assert len(clips) <= sum(isinstance(event, Woken) for event in events)
