"""pocketsphinx with a closed set of sentences: what works before any download.

The sentences come from `rules/<lang>/speech.peg` and this home's names. Whatever is said, the recogniser answers
with one of them; so the confidence says how well the sound fits, and what does not fit is no transcript at all.
"""

from __future__ import annotations

import itertools
import logging
import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from daemon.core.errors import ConfigError, TranscriptionError
from daemon.hear.audio import FRAME, SAMPLE_RATE, Hypothesis, Roles, Transcript, level, to_pcm16
from daemon.hear.detectors import SileroVad
from daemon.hear.network import Acceptor, Network
from daemon.system.worker import Limit
from daemon.understand.peg import read

_LOG = logging.getLogger(__name__)
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from daemon.hear.tongues import Tongue

QUIETS = (0.3, 0.2, 0.5)
"""Seconds of quiet at both ends of the clip. How much there is moves the mean that the recogniser takes off the sound:
it is asked up to three times, and what it says twice is believed."""
ONCE = 0.75
"""What is left of the confidence of a sentence that was heard only once."""
MIN_LEVEL = -60.0
MIN_SPEECH = 0.12
MAX_SECONDS = 15.0
"""What is longer is no command."""
MAX_NAMES = 600
"""More names cannot be told apart, and would slow the search down."""
LEAST = 0.2
"""Below this confidence, nothing was understood."""

ALTERNATIVES = 4
"""So many hypotheses at most; all but the first are believed half as much."""

_VOICED = 0.4
_PHONE_SCALE = 1024
"""Phone loops give their scores 10 bits smaller than word searches do (SENSCR_SHIFT of pocketsphinx)."""


class Fit(Struct, frozen=True):
    """How well a sentence fits the sound.

    `ratio` is the log likelihood of its words less that of the best phones, per frame; `coverage` the part of the voice
    that its words account for, and `outside` the part of the words that lies before or behind the voice; `likeness` the
    part of its phones that a free phone recogniser also heard (0 where there is none); `drawl` the frames per phone of
    the slowest word; `phones` how many phones there are.
    """

    ratio: float
    coverage: float
    outside: float
    likeness: float
    drawl: float
    phones: int

    def confidence(self, caution: float = 0.0) -> float:
        """0 to 1: a logistic curve over these, fitted to sentences in and out of the grammar (docs/hearing.md)."""
        score = (
            -0.8
            - caution
            + 1.4 * (min(self.ratio, 0.0) + 2.5)
            + 12.0 * (min(self.coverage, 1.0) - 0.85)
            - 3.0 * max(0.0, self.outside - 0.1)
            - 0.15 * max(0.0, self.drawl - 20.0)
            + 4.0 * self.likeness
        )
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


class _Word(Struct, frozen=True):
    text: str
    start: int
    end: int
    score: float
    """Natural log likelihood."""

    @property
    def frames(self) -> int:
        return self.end - self.start + 1


class Sphinx:
    """One language. It is set up by `prepare`, or with no names when it is first needed."""

    def __init__(self, tongue: Tongue, grammar: Path, *, name: str = "pocketsphinx") -> None:
        self.name = name
        self.languages = frozenset({tongue.lang})
        self._tongue = tongue
        self._grammar = grammar
        self._vad = SileroVad()
        self._lock = threading.Lock()
        self._decoder: Any = None
        self._network = Network()
        self._acceptor = Acceptor((), frozenset(), 0)
        self._names = Limit(_LOG, "the speech recognizer listens for the first %d of %d names")

    def prepare(self, names: Sequence[str], roles: Roles | None = None) -> None:
        """Takes the home's names; without `roles`, a name may stand wherever the grammar wants one.

        Raises:
            ConfigError: the grammar cannot be read.
            ModelMissing: the acoustic model is not there.
        """
        known = list(dict.fromkeys(names))
        chosen = known[:MAX_NAMES]
        if len(known) > MAX_NAMES:
            self._names.cuts(MAX_NAMES, len(known))

        def slot(name: str) -> list[str]:
            role = name.lower()
            return chosen if roles is None else [item for item in chosen if role in roles.get(item, ())]

        try:
            rules = read(self._grammar.read_text(encoding="utf-8"), self._grammar)
            network = Network.of(rules, slot, self._tongue.tokens)
        except OSError as error:
            raise ConfigError(self._grammar, None, "", "cannot be read", "restore it from the repository") from error
        except ValueError as error:
            raise ConfigError(self._grammar, None, "", str(error), "see rules/README.md") from error
        acceptor = network.acceptor()
        with self._lock:
            self._network, self._acceptor = network, acceptor
            self._decoder = self._tongue.decoder(acceptor.vocabulary)
            end = acceptor.states
            arcs = [(source, target, 1.0, word) for source, target, word in acceptor.arcs]
            ends = [(final, end, 1.0) for final in sorted(acceptor.finals)]
            self._decoder.add_fsg("sentences", self._decoder.create_fsg("sentences", 0, end, [*arcs, *ends]))
            self._decoder.add_allphone_file("phones", None)
            if self._tongue.phone_model is not None:
                self._decoder.add_allphone_file("likely phones", str(self._tongue.phone_model))

    def knows(self, words: Iterable[str]) -> bool:
        """Whether these heard words are one of its sentences."""
        return self._acceptor.accepts(words)

    def example(self, draw: Random) -> str:
        """A random one of its sentences; `prepare` comes first."""
        return self._tongue.joined(self._network.texts(self._acceptor.example(draw), 1)[0])

    def transcribe(self, samples: NDArray[np.float32], lang: str) -> Transcript:
        """Mono float32 samples at 16 kHz to one of the sentences; no hypothesis where nothing fits."""
        if lang not in self.languages:
            raise TranscriptionError(f"{self.name}: it is not set up for {lang!r}")
        nothing = Transcript((), lang, self.name)
        if level(samples) < MIN_LEVEL or len(samples) > MAX_SECONDS * SAMPLE_RATE:
            return nothing
        voice = self._voice(samples)
        if voice is None:
            return nothing
        if self._decoder is None:
            self.prepare([])
        with self._lock:
            try:
                hypotheses = self._asked(samples, *voice)
            except RuntimeError as error:
                raise TranscriptionError(f"{self.name}: {' '.join(str(error).split())[:200]}") from error
        return Transcript(hypotheses, lang, self.name)

    def _asked(self, samples: NDArray[np.float32], start: int, end: int) -> tuple[Hypothesis, ...]:
        """The hypotheses of the sentence that was heard most surely, or of the first that was heard twice."""
        heard: list[tuple[Hypothesis, ...]] = []
        for quiet in QUIETS:
            now = tuple(self._hypotheses(*_cut(samples, start, end, quiet)))
            if not now:
                continue
            for before in heard:
                if before[0].text == now[0].text:
                    return max(before, now, key=lambda those: those[0].confidence)
            heard.append(now)
        if not heard:
            return ()
        best = max(heard, key=lambda those: those[0].confidence)
        return tuple(Hypothesis(item.text, ONCE * item.confidence) for item in best)

    def _hypotheses(self, samples: NDArray[np.float32], start: int, end: int) -> Iterator[Hypothesis]:
        sound = to_pcm16(samples)
        words = self._search("sentences", sound)
        if not self._acceptor.accepts(word.text for word in words):
            # What was added behind the voice is breath and noise.
            words = [word for word in words if word.start < end]
            if not words or not self._acceptor.accepts(word.text for word in words):
                return
        others = list(self._others())
        phones = self._search("phones", sound)
        free = self._search("likely phones", sound) if self._tongue.phone_model is not None else []
        fit = self._fit(words, phones, [phone.text for phone in free], start, end)
        confidence = fit.confidence(self._tongue.caution)
        if confidence < LEAST:
            return
        found: dict[str, float] = {}
        for heard in [[word.text for word in words], *others]:
            if self._acceptor.accepts(heard):
                for text in self._network.texts(heard):
                    found.setdefault(self._tongue.joined(text), confidence / 2 if found else confidence)
        for text, sure in itertools.islice(found.items(), ALTERNATIVES):
            yield Hypothesis(text, sure)

    def _fit(self, words: Sequence[_Word], phones: Sequence[_Word], free: Sequence[str], start: int, end: int) -> Fit:
        from rapidfuzz.distance import Levenshtein

        best = np.zeros(max((phone.end for phone in phones), default=0) + 2)
        for phone in phones:
            best[phone.start : phone.end + 1] = _PHONE_SCALE * phone.score / phone.frames
        frames = sum(word.frames for word in words)
        inside = sum(max(0, min(word.end, end) - max(word.start, start) + 1) for word in words)
        expected = [self._tongue.phones(word.text) for word in words]
        flat = [phone for sounds in expected for phone in sounds]
        return Fit(
            ratio=sum(word.score - float(best[word.start : word.end + 1].sum()) for word in words) / max(frames, 1),
            coverage=inside / max(end - start + 1, 1),
            outside=1.0 - inside / max(frames, 1),
            likeness=Levenshtein.normalized_similarity(flat, free) if free else 0.0,
            drawl=max(word.frames / max(len(sounds), 1) for word, sounds in zip(words, expected, strict=True)),
            phones=len(flat),
        )

    def _search(self, name: str, sound: bytes) -> list[_Word]:
        """One pass: its words (or phones) without pauses and noises."""
        decoder = self._decoder
        decoder.activate_search(name)
        decoder.start_utt()
        decoder.process_raw(sound, full_utt=True)
        decoder.end_utt()
        if decoder.hyp() is None:
            return []
        return [
            _Word(part.word.split("(")[0], part.start_frame, part.end_frame, math.log(max(part.ascore, 1e-300)))
            for part in decoder.seg()
            if part.word != "SIL" and not part.word.startswith(("<", "+", "[", "("))
        ]

    def _others(self) -> Iterator[list[str]]:
        """The next best sentences of the last pass."""
        for other in itertools.islice(self._decoder.nbest(), 10):
            if other is None:
                return
            yield [word for word in other.hypstr.split() if not word.startswith(("<", "+", "["))]

    def _voice(self, samples: NDArray[np.float32]) -> tuple[int, int] | None:
        """First and last frame of the voice; None if there is too little."""
        self._vad.reset()
        frames = [samples[at : at + FRAME] for at in range(0, len(samples), FRAME)]
        voiced = [index for index, frame in enumerate(frames) if self._vad.feed(frame) >= _VOICED]
        if len(voiced) * FRAME < MIN_SPEECH * SAMPLE_RATE:
            return None
        return voiced[0], voiced[-1]


def _cut(samples: NDArray[np.float32], start: int, end: int, seconds: float) -> tuple[NDArray[np.float32], int, int]:
    """The voice with so much quiet around it, and its new first and last frame."""
    quiet = round(seconds * SAMPLE_RATE / FRAME)
    before, after = max(0, quiet - start), max(0, quiet - (len(samples) // FRAME - end))
    random = np.random.default_rng(0)  # what is added sounds like the room: digital silence is nothing the models know
    noise = (random.standard_normal(quiet * FRAME) * _room(samples)).astype(np.float32)
    kept = samples[max(0, start - quiet) * FRAME : (end + quiet) * FRAME]
    return np.concatenate([noise[: before * FRAME], kept, noise[: after * FRAME]]), quiet, quiet + end - start


def _room(samples: NDArray[np.float32]) -> float:
    """How loud the quietest tenth of a clip is, as an amplitude."""
    whole = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    loudness = np.sqrt(np.mean(np.square(whole, dtype=np.float64), axis=1))
    return float(np.clip(np.quantile(loudness, 0.1), 3e-4, 1e-2))
