"""How well a sentence fits the sound, from what the recogniser's passes heard."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from daemon.hear.acceptor import Words

_PHONE_SCALE = 1024
"""Phone loops give their scores 10 bits smaller than word searches do (SENSCR_SHIFT of pocketsphinx)."""


class Word(Struct, frozen=True):
    """A word, or a phone, and where it lies: its first and last frame."""

    text: str
    start: int
    end: int
    score: float
    """Natural log likelihood."""

    @property
    def frames(self) -> int:
        """How many there are."""
        return self.end - self.start + 1


class Heard(Struct, frozen=True):
    """What one pass heard; `score` is the natural log likelihood of all of the sound."""

    words: tuple[Word, ...]
    score: float

    @property
    def heard(self) -> Words:
        """Its words."""
        return tuple(word.text for word in self.words)

    def within(self, start: int, end: int) -> int:
        """How many frames of these its words account for."""
        return sum(max(0, min(word.end, end) - max(word.start, start) + 1) for word in self.words)


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
            -2.8
            - caution
            + 1.4 * (min(self.ratio, 0.0) + 2.5)
            + 12.0 * (min(self.coverage, 1.0) - 0.85)
            - 1.0 * max(0.0, self.outside - 0.1)
            - 0.15 * max(0.0, self.drawl - 20.0)
            + 4.0 * self.likeness
        )
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))

    @classmethod
    def of(
        cls,
        words: Sequence[Word],
        expected: Sequence[Sequence[str]],
        phones: Sequence[Word],
        free: Sequence[str],
        voice: tuple[int, int],
    ) -> Fit:
        """Of the words of a sentence.

        Args:
            words: Where they lie.
            expected: The phones of each.
            phones: The best phones, whatever words they make.
            free: The phones that are likely by themselves.
            voice: Its first and last frame.
        """
        from rapidfuzz.distance import Levenshtein

        start, end = voice
        best = np.zeros(max((phone.end for phone in phones), default=0) + 2)
        for phone in phones:
            best[phone.start : phone.end + 1] = _PHONE_SCALE * phone.score / phone.frames
        frames = sum(word.frames for word in words)
        inside = sum(max(0, min(word.end, end) - max(word.start, start) + 1) for word in words)
        flat = [phone for sounds in expected for phone in sounds]
        return cls(
            ratio=sum(word.score - float(best[word.start : word.end + 1].sum()) for word in words) / max(frames, 1),
            coverage=inside / max(end - start + 1, 1),
            outside=1.0 - inside / max(frames, 1),
            likeness=Levenshtein.normalized_similarity(flat, free) if free else 0.0,
            drawl=max(word.frames / max(len(sounds), 1) for word, sounds in zip(words, expected, strict=True)),
            phones=len(flat),
        )
