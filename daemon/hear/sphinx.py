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

from daemon.core.errors import ConfigError, TranscriptionError
from daemon.hear.acceptor import Acceptor, Words
from daemon.hear.audio import FRAME, SAMPLE_RATE, Hypothesis, Roles, Transcript, level, to_pcm16
from daemon.hear.detectors import SileroVad
from daemon.hear.fit import Fit, Heard, Word
from daemon.hear.network import Network
from daemon.hear.rivals import MOST, Alike, rivals
from daemon.system.worker import Limit
from daemon.understand.peg import read

_LOG = logging.getLogger(__name__)
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from daemon.hear.tongues import Tongue

QUIETS = (0.3, 0.2, 0.5)
"""Seconds of quiet at both ends of the clip. How much there is moves the mean that the recogniser takes off the sound:
it is asked up to three times, and what it says twice is believed."""
TIMES = (0.4, 0.6, 1.0)
"""What is left of the confidence of a sentence that completes what was heard, was heard once, and twice: only what was
heard twice is acted on unasked."""
MIN_LEVEL = -60.0
MIN_SPEECH = 0.12
MAX_SECONDS = 15.0
"""What is longer is no command."""
MAX_NAMES = 600
"""More names cannot be told apart, and would slow the search down."""
LEAST = 0.2
"""Below this confidence, nothing was understood."""

ALTERNATIVES = 8
"""So many hypotheses at most."""
CLOSE = 60.0
"""What is so much less likely is not looked at again with other quiet around it, which moves all scores."""
LEAVES = 0.85
"""So much of the voice that the best sentence accounts for, a rival must account for."""
ALSO = 0.9
"""What one pass heard is so likely beside what the others heard: their scores vary too much to tell."""
NEXT = 3
"""So many of the next best sentences of each pass are looked at."""
MARGIN = 6.6
"""By so much log likelihood less, a sentence is believed 1/e as much: with the usual `rival`, 8 is a lead."""

_VOICED = 0.4


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
        self._alike = Alike.load(grammar.with_name("alike.yaml"), tongue.tokens)
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

        said = {name: (roles or {}).get(name, frozenset()) for name in chosen}
        said |= {
            word: found
            for word, found in (roles or {}).items()
            if word not in said and all(role.endswith("_option") for role in found)
        }

        def slot(name: str) -> list[str]:
            role = name.lower()
            return chosen if roles is None else [item for item, found in said.items() if role in found]

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
            self._take("sentences", acceptor)
            self._decoder.add_allphone_file("phones", None)
            if self._tongue.phone_model is not None:
                self._decoder.add_allphone_file("likely phones", str(self._tongue.phone_model))

    def knows(self, words: Iterable[str]) -> bool:
        """Whether these heard words are one of its sentences."""
        return self._acceptor.accepts(words)

    def examples(self, draw: Random) -> Iterator[str]:
        """Random ones of its sentences; `prepare` comes first."""
        return map(self._tongue.joined, self._network.examples(draw))

    @property
    def size(self) -> str:
        """How large the search is, in words."""
        acceptor = self._acceptor
        return f"{acceptor.states} states, {len(acceptor.arcs)} arcs, {len(acceptor.vocabulary)} words"

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
                hypotheses = tuple(self._asked(samples, *voice))
            except RuntimeError as error:
                raise TranscriptionError(f"{self.name}: {' '.join(str(error).split())[:200]}") from error
        return Transcript(hypotheses, lang, self.name)

    def _asked(self, samples: NDArray[np.float32], start: int, end: int) -> Iterator[Hypothesis]:
        """What may have been said, the likeliest first; each is scored by itself against the whole sound."""
        base: tuple[bytes, int, int] | None = None
        second = b""
        heard: list[Words] = []
        near: dict[Words, None] = {}
        broken: list[Words] = []
        for quiet in QUIETS:
            cut, begin, stop = _cut(samples, start, end, quiet)
            sound = to_pcm16(cut)
            said = self._said(sound, stop, near, broken)
            if said is not None:
                heard.append(said.heard)
            if base is None or (said is not None and len(heard) == 1):
                base = sound, begin, stop
            second = sound
            if said is not None and self._times(said.heard, heard) > 1:
                break
        assert base is not None
        sound, begin, stop = base
        paths = self._scored([*heard, *near] if heard else [*near, *self._completed(broken)], sound)
        if not paths:
            return
        paths.sort(key=lambda path: -self._times(path.heard, heard))
        known = {path.heard for path in paths}
        tried = [words for words in self._rivals(paths[0].heard, sound) if words not in known]
        # What leaves more of the voice to noise is no rival, however well it fits what it takes.
        best, least = paths[0], LEAVES * paths[0].within(begin, stop)
        others = [path for path in self._scored(tried, sound) if path.within(begin, stop) >= least]
        confidence = self._fit(best.words, sound, begin, stop).confidence(self._tongue.caution)
        confidence *= TIMES[min(self._times(best.heard, heard), 2)]
        if confidence >= LEAST:
            yield from self._written(self._doubted([*paths, *others], second), confidence, heard)

    def _said(self, sound: bytes, end: int, near: dict[Words, None], broken: list[Words]) -> Heard | None:
        """The sentence of one pass, if it is whole; `near` takes what else it may be, `broken` where it breaks off."""
        path = self._search("sentences", sound)
        near |= dict.fromkeys(itertools.islice(filter(self._acceptor.accepts, self._others()), NEXT))
        # What was added behind the voice is breath and noise.
        kept = Heard(tuple(word for word in path.words if word.start < end), path.score)
        found = next((item for item in (path, kept) if self._acceptor.accepts(item.heard)), None)
        if found is None:
            broken.append(kept.heard)
        return found

    def _doubted(self, paths: Sequence[Heard], sound: bytes) -> list[Heard]:
        """The same; what comes closer to the first in another cut of the sound is as likely as that makes it."""
        best = paths[0]
        close = [path.heard for path in paths if path.score > best.score - CLOSE]
        again = {path.heard: path.score for path in self._scored(close, sound)} if len(close) > 1 else {}
        if best.heard not in again:
            return [*paths]
        lead = best.score - again[best.heard]
        return [Heard(path.words, max(path.score, again.get(path.heard, -math.inf) + lead)) for path in paths]

    def _times(self, words: Words, heard: Sequence[Words]) -> int:
        """How often a sentence was heard, whatever words that change nothing were in it."""
        return [self._alike.plain(each) for each in heard].count(self._alike.plain(words))

    def _completed(self, broken: Sequence[Words]) -> Iterator[Words]:
        """Where a sentence breaks off, its last word may only have been too faint."""
        for words in dict.fromkeys(broken):
            endings = [*itertools.islice(self._acceptor.endings(words), MOST + 1)]
            yield from endings if len(endings) <= MOST else ()

    def _rivals(self, heard: Words, sound: bytes) -> list[Words]:
        """The sentences that sound most like it, and those that a search among more of them finds in this sound."""
        near = [*rivals(heard, self._acceptor, self._alike, self._difference)]
        if len(near) <= MOST:
            return near
        self._take("rivals", Acceptor.of(near[MOST:]))
        found = [self._search("rivals", sound).heard, *itertools.islice(self._others(), NEXT)]
        return [*near[:MOST], *filter(self._acceptor.accepts, found)]

    def _take(self, name: str, acceptor: Acceptor) -> None:
        """Gives the decoder a search for these sentences; one of this name is replaced."""
        end = acceptor.states
        arcs = [(source, target, 1.0, word) for source, target, word in acceptor.arcs]
        ends = [(final, end, 1.0) for final in sorted(acceptor.finals)]
        self._decoder.add_fsg(name, self._decoder.create_fsg(name, 0, end, [*arcs, *ends]))

    def _written(self, paths: Sequence[Heard], confidence: float, heard: Sequence[Words]) -> Iterator[Hypothesis]:
        """These sentences as texts, best first; one that is less likely is believed less, if it was not `heard` too."""
        texts: dict[str, float] = {}
        for path in paths:
            likely = math.exp(min(0.0, path.score - paths[0].score) / MARGIN)
            likely = max(likely, ALSO) if path.heard in heard else likely
            for text in self._network.texts(path.heard):
                texts.setdefault(self._tongue.joined(text), likely * confidence)
        for text, sure in sorted(texts.items(), key=lambda item: -item[1])[:ALTERNATIVES]:
            yield Hypothesis(text, sure)

    def _scored(self, sentences: Iterable[Words], sound: bytes) -> list[Heard]:
        """The sentences laid upon the sound, the likeliest first, without those that do not reach its end."""
        paths = []
        for words in dict.fromkeys(sentences):
            self._decoder.set_align_text(" ".join(words))
            path = self._decoded(sound)
            paths += [path] if path.heard == words else []
        return sorted(paths, key=lambda path: -path.score)

    def _difference(self, some: Words, others: Words) -> float:
        from rapidfuzz.distance import Levenshtein

        one, other = ([phone for word in words for phone in self._tongue.phones(word)] for words in (some, others))
        return Levenshtein.distance(one, other)

    def _fit(self, words: Sequence[Word], sound: bytes, start: int, end: int) -> Fit:
        phones = self._search("phones", sound).words
        likely = self._search("likely phones", sound).words if self._tongue.phone_model is not None else ()
        expected = [self._tongue.phones(word.text) for word in words]
        return Fit.of(words, expected, phones, [phone.text for phone in likely], (start, end))

    def _search(self, name: str, sound: bytes) -> Heard:
        """One pass: its words (or phones) without pauses and noises."""
        self._decoder.activate_search(name)
        return self._decoded(sound)

    def _decoded(self, sound: bytes) -> Heard:
        decoder = self._decoder
        decoder.reinit_feat()  # its front end carries what it heard before into what it hears now
        decoder.start_utt()
        decoder.process_raw(sound, full_utt=True)
        decoder.end_utt()
        if decoder.hyp() is None:
            return Heard((), 0.0)
        parts = [
            (Word(part.word.split("(")[0], part.start_frame, part.end_frame, math.log(max(part.ascore, 1e-300))), part)
            for part in decoder.seg()
        ]
        said = (word for word, part in parts if part.word != "SIL" and not part.word.startswith(("<", "+", "[", "(")))
        return Heard(tuple(said), sum(word.score for word, _ in parts))

    def _others(self) -> Iterator[Words]:
        """The next best sentences of the last pass."""
        for other in itertools.islice(self._decoder.nbest(), 10):
            if other is None:
                return
            yield tuple(word for word in other.hypstr.split() if not word.startswith(("<", "+", "[")))

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
