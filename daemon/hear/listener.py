"""When to listen: frames -> wake word -> one clip per utterance. A state machine over frames, without clock or device.

    asleep --wake word--> open --speech--> speaking --silence--> Utterance --> asleep
       '-----------reopen----------^  '---nobody speaks---> Expired --> asleep

Without a wake word it is always open. While Hearken itself speaks it is deaf (`mute`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec import Struct

from daemon.hear.audio import FRAME, SAMPLE_RATE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from daemon.hear.detectors import VoiceDetector, WakeDetector

Opening = Literal["always", "wake", "answer"]
"""Why the microphone was open: no wake word in use, the wake word, an answer to a question."""


class Woken(Struct, frozen=True):
    """The wake word was said. A chime fits here if `quiet`; else the command already goes on in the same breath."""

    word: str
    quiet: bool


@dataclass(frozen=True, slots=True)
class Paused:
    """The speaker pauses: time to see whether the command is complete, to `hasten` or to `extend`.

    The utterance that follows holds the same speech unless `number` goes up again.
    """

    samples: NDArray[np.float32]
    number: int


@dataclass(frozen=True, slots=True)
class Utterance:
    """One clip, with a little quiet at both ends; `pause` is the number of the `Paused` that saw all of its speech."""

    samples: NDArray[np.float32]
    opening: Opening
    ending: Literal["silence", "cap", "end"]
    start_s: float
    end_s: float
    pause: int | None


class Expired(Struct, frozen=True):
    """Nobody spoke in time, or what was heard was too short to be speech."""

    opening: Opening


class Outdone(Struct, frozen=True):
    """Another place heard the same words better, and answers."""


Event = Woken | Paused | Utterance | Expired


class Timing(Struct, frozen=True):
    """Seconds, but for the two thresholds of the VAD (0 to 1)."""

    start_threshold: float = 0.5
    stay_threshold: float = 0.35
    trailing: float = 0.75
    """Silence that ends an utterance."""
    complete: float = 0.35
    """The same where what was said is surely all of it ..."""
    unfinished: float = 2.0
    """... and where it breaks off."""
    pause: float = 0.3
    """Silence after which `Paused` is told."""
    cap: float = 15.0
    minimum_speech: float = 0.2
    preroll: float = 0.3
    """Kept from before the first speech."""
    patience: float = 5.0
    """How long it stays open after the wake word while nobody speaks."""
    refractory: float = 1.0
    """After the wake word, or Hearken's own voice, no wake word counts for so long."""
    echo: float = 0.25
    """Deaf for so long after Hearken has spoken: the room still sounds."""
    wake_tail: float = 0.25
    """So much voice right after the wake word is its own end, not a command."""
    wake_reach: float = 0.3
    """The border between wake word and command is searched so far back from where the word was noticed."""


@dataclass(slots=True)
class _Take:
    """What is being collected. Counts are frames."""

    frames: list[NDArray[np.float32]] = field(default_factory=list)
    started: int = 0
    voiced: int = 0
    quiet: int = 0
    """Since the last voice."""
    wait: float | None = None
    """Seconds of silence that end it, where that was judged."""
    seen: int | None = None
    """The pause that saw all of the speech."""
    tail: int = 0
    """Voiced frames at its start that may belong to the wake word."""


class Listener:
    """Frames in, events out. Everything happens in `feed`, in the caller's thread."""

    def __init__(self, vad: VoiceDetector, wake: WakeDetector | None = None, timing: Timing | None = None) -> None:
        self._vad = vad
        self._wake = wake
        self._timing = timing or Timing()
        self._now = 0  # frames since the start
        self._muted = False
        self._deaf_until = 0
        self._wake_from = 0
        self._recent: deque[NDArray[np.float32]] = deque(maxlen=_frames(max(1.0, self._timing.preroll)))
        self._voices: deque[float] = deque(maxlen=100)
        self._pauses = 0
        self._rest: Opening | None = None if wake else "always"
        self._opening: Opening | None = self._rest
        self._deadline = 0
        self._take = _Take()

    @property
    def is_open(self) -> bool:
        """Whether speech would be taken as a command now."""
        return self._opening is not None and not self._muted

    @property
    def hears_speech(self) -> bool:
        """Whether somebody is speaking to it."""
        return bool(self._take.frames)

    def reopen(self, seconds: float) -> None:
        """Opens without a wake word for an answer; expires after `seconds` if nobody speaks."""
        self._open("answer", seconds)

    def wake(self) -> None:
        """The wake word was heard elsewhere, before what comes now; also while Hearken speaks."""
        self._muted = False
        self._deaf_until = self._now
        self._forget()
        self._open("wake", self._timing.patience)

    def dismiss(self) -> None:
        """What is being said is not for us: waits for the wake word again."""
        self._close()

    def mute(self) -> None:
        """Hearken speaks: what was being heard is dropped, and nothing is taken until `unmute`."""
        self._muted = True
        self._restart()

    def unmute(self) -> None:
        """Hearken has spoken. Time while muted does not count towards an expiry."""
        if not self._muted:
            return
        self._muted = False
        self._deaf_until = self._now + _frames(self._timing.echo)
        self._wake_from = self._deaf_until
        self._forget()

    def extend(self) -> None:
        """What was said so far breaks off: waits longer for the rest, this once."""
        self._take.wait = self._timing.unfinished

    def hasten(self) -> None:
        """What was said so far is surely complete: hardly waits, unless the speaker goes on."""
        self._take.wait = self._timing.complete

    def feed(self, frame: NDArray[np.float32]) -> Iterator[Event]:
        """Takes 10 ms."""
        if self._muted:
            return
        self._now += 1
        if self._now <= self._deaf_until:
            self._deadline += 1
            return
        voice = self._vad.feed(frame)
        self._recent.append(frame)
        self._voices.append(voice)
        if self._opening is None or self._opening == "answer":
            word = self._heard_wake(frame)
            if word is not None:
                yield from self._awake(word, voice)
                return
        if self._opening is None:
            return
        if self._take.frames:
            yield from self._during_speech(frame, voice)
        else:
            yield from self._before_speech(voice)

    def finish(self) -> Iterator[Event]:
        """The sound has ended (a file): what was being said is the last utterance."""
        if self._opening is not None and self._take.frames:
            yield from self._end("end")

    def _heard_wake(self, frame: NDArray[np.float32]) -> str | None:
        if self._wake is None:
            return None
        word = self._wake.feed(frame)
        if word is None or self._now < self._wake_from or max(self._voices) < self._timing.start_threshold:
            return None
        return word

    def _awake(self, word: str, voice: float) -> Iterator[Event]:
        assert self._wake is not None
        self._wake.reset()
        self._wake_from = self._now + _frames(self._timing.refractory)
        self._open("wake", self._timing.patience)
        # The word is noticed a little before or after it ends; the command begins at the quietest spot near there.
        reach = list(self._recent)[-_frames(self._timing.wake_reach) :]
        cut = _quietest(reach)
        self._recent.clear()
        self._recent.extend(reach[cut:])
        self._take.tail = _frames(self._timing.wake_tail)
        yield Woken(word, quiet=voice < self._timing.stay_threshold)

    def _before_speech(self, voice: float) -> Iterator[Event]:
        self._take.voiced = self._take.voiced + 1 if voice >= self._timing.start_threshold else 0
        if voice < self._timing.stay_threshold:
            self._take.tail = 0
        if self._take.voiced >= _ONSET:
            self._take.frames = list(self._recent)[-_frames(self._timing.preroll) - _ONSET :]
            self._take.started = self._now - len(self._take.frames)
            self._take.quiet = 0
        elif self._now >= self._deadline and self._opening in ("wake", "answer"):
            opening = self._opening
            self._close()
            yield Expired(opening)

    def _during_speech(self, frame: NDArray[np.float32], voice: float) -> Iterator[Event]:
        self._take.frames.append(frame)
        threshold = self._timing.start_threshold if self._take.quiet else self._timing.stay_threshold
        if voice >= threshold:
            self._take.voiced += 1
            self._take.quiet = 0
            self._take.wait = None
            self._take.seen = None
        else:
            self._take.quiet += 1
        if len(self._take.frames) >= _frames(self._timing.cap):
            yield from self._end("cap")
            return
        if self._take.quiet == _frames(self._timing.pause) and self._is_speech():
            self._pauses += 1
            self._take.seen = self._pauses
            yield Paused(self._samples(), self._pauses)
        if self._take.quiet >= _frames(self._take.wait or self._timing.trailing):
            yield from self._end("silence")

    def _end(self, ending: Literal["silence", "cap", "end"]) -> Iterator[Event]:
        assert self._opening is not None
        opening, samples, seen = self._opening, self._samples(), self._take.seen
        start, end = self._take.started * FRAME / SAMPLE_RATE, (self._now - self._take.quiet) * FRAME / SAMPLE_RATE
        if self._is_speech():
            self._close()
            yield Utterance(samples, opening, ending, start, end, seen)
        elif ending == "silence":
            self._restart()  # a click: stay open for what is left of the time
        else:
            self._close()

    def _is_speech(self) -> bool:
        return self._take.voiced >= _frames(self._timing.minimum_speech) + self._take.tail

    def _samples(self) -> NDArray[np.float32]:
        """The clip, with no more trailing quiet than leading quiet."""
        surplus = max(0, self._take.quiet - _frames(self._timing.preroll))
        return np.concatenate(self._take.frames[: len(self._take.frames) - surplus])

    def _open(self, opening: Opening, seconds: float) -> None:
        self._opening = opening
        self._deadline = self._now + _frames(seconds)
        self._restart()

    def _close(self) -> None:
        self._opening = self._rest
        self._restart()

    def _restart(self) -> None:
        """Waits for speech again, with nothing collected."""
        self._take = _Take()

    def _forget(self) -> None:
        """What came before was not for us, not even as a context."""
        self._recent.clear()
        self._voices.clear()
        self._vad.reset()
        if self._wake is not None:
            self._wake.reset()


_ONSET = 4
"""Voiced frames that begin an utterance: one window of the VAD is not enough."""


def _frames(seconds: float) -> int:
    return round(seconds * SAMPLE_RATE / FRAME)


def _quietest(frames: list[NDArray[np.float32]]) -> int:
    """Index of the quietest stretch of three frames."""
    power = np.array([float(np.mean(np.square(frame))) for frame in frames])
    return int(np.argmin(np.convolve(power, np.ones(min(3, len(power))), "valid")))
