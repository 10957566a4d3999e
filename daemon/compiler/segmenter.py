"""The segmenter: a long utterance -> where clauses may begin, and what is likely talk: an encoder in ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from daemon.compiler.draft import led, pieces
from daemon.compiler.vocabulary import Vocabulary
from daemon.core.errors import ModelCorrupt
from daemon.core.values import replace

FILE: Final = "segmenter.onnx"
ORDER: Final = "order"
QUESTION: Final = "question"
TALK: Final = "talk"
"""What people say around orders: greetings, reasons, stories, what they say to somebody else."""
WAITS: Final = "waits"
"""When an order is to be carried out, on what it depends, how often: "soon as anna's home", 人一走就."""
CORRECTS: Final = "corrects"
"""What takes back what was just said, for what is said behind it: "no sorry, what am i on about", 不对我说的是."""
SORTS: Final = (TALK, ORDER, QUESTION, WAITS, CORRECTS)
GOES_ON: Final = "goes on"
"""Of a clause in training: it leans on the order before it, and whether it is one of its own is nothing to learn."""
LONGEST: Final = 126
"""Tokens, less the two around them."""
_START, _ASK = "<start>", "<=>"
_MAY_BEGIN: Final = 0.03
"""So likely it must be that a clause begins, to be considered."""
_MAY_BE: Final = 0.3
"""So likely a word must be of a sort, to be one of several that are ..."""
_SUREST: Final = 2
"""... and as sure as so many of them is that they are: of its first and last words nobody is."""
_TALK: Final = 0.9
"""What is so likely talk need not be told from talk beside it ..."""
_HARDLY: Final = 0.01
"""... and what is hardly that needs no second hearing either."""
_NEVER: Final = (0.0, -20.0)
"""The logarithms of the chances that no clause begins at a word, and that one does, where that cannot be told."""

_Floats = NDArray[np.float32]


class Segment(Struct, frozen=True):
    """One request of an utterance, or the talk before, between or behind them."""

    start: int
    end: int
    """Its words are `text[start:end]`."""
    sort: str
    """One of `SORTS`."""
    chance: float
    """How likely that is, 0 to 1."""


class Atom(Struct, frozen=True):
    """What no clause begins within: what lies between places where one may."""

    start: int
    end: int
    """Its words are `text[start:end]`."""
    talk: float
    """How likely it is talk, 0 to 1."""
    begins: float
    """How likely a clause begins with it, 0 to 1."""


class Standing(Struct, frozen=True):
    """How an order stands in what was said."""

    waits: Segment | None = None
    """The words that most likely say what it waits for, or depends on; None where there are none."""
    corrects: tuple[Segment, ...] = ()
    """The words that may take back what stands before them, in order."""
    talk: float = 0.0
    """How likely all of it is talk, 0 to 1."""


class Segmenter:
    """One session; safe for several threads.

    Raises:
        ModelCorrupt: the files are no such model.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._vocabulary = Vocabulary.of(folder)
            self._tokenizer = self._vocabulary.tokenizer
            self._session = self._vocabulary.session(folder / FILE)
            self._start, self._ask = (_id(self._tokenizer, word) for word in (_START, _ASK))
            ran = self._run("hello")
            sizes = [item.shape[-1] for item in ran[0]] if ran is not None else []
        except Exception as error:
            raise ModelCorrupt(f"{folder}: no segmenter of ours ({type(error).__name__}: {error})") from error
        if sizes != [len(SORTS), 2]:
            raise ModelCorrupt(f"{folder}: trained for other labels; train it again (`make train`)")

    def atoms(self, text: str) -> tuple[Atom, ...]:
        """What the clauses of a normalized utterance are made of, in order; none where it is too long.

        Whether one is talk is heard twice, with all that was said and alone: what somebody says beside an order sounds
        like one.
        """
        words = pieces(text)
        ran = self.told(text, words)
        if ran is None:
            return ()
        told, cuts = ran
        begins = np.exp(cuts[:, 1])
        firsts = [at for at in range(len(words)) if not at or begins[at] >= _MAY_BEGIN]
        found: list[Atom] = []
        for first, last in pairwise([*firsts, len(words)]):
            start, end = words[first][0], words[last - 1][1]
            atom = Atom(start, end, self._talk(text[start:end], told[first:last]), float(begins[first]))
            if found and min(found[-1].talk, atom.talk) >= _TALK:
                found[-1] = replace(found[-1], end=end, talk=min(found[-1].talk, atom.talk))
            else:
                found.append(atom)
        return tuple(found)

    def standing(self, text: str) -> Standing:
        """Whether what is ordered in a normalized utterance has to wait for something, or is only talked of."""
        words = pieces(text)
        ran = self.told(text, words)
        if ran is None:
            return Standing()
        told, _ = ran
        waits = _runs(told, words, WAITS)
        return Standing(max(waits, key=_weight, default=None), tuple(_runs(told, words, CORRECTS)), _talk(told))

    def _talk(self, words: str, told: _Floats) -> float:
        """How likely words are talk, by what was told of them in their place and, unless that is sure, alone."""
        there = _talk(told)
        alone = self.told(words, pieces(words)) if _HARDLY < there < _TALK else None
        return there if alone is None else (there + _talk(alone[0])) / 2

    def told(self, text: str, words: Sequence[tuple[int, int]]) -> tuple[_Floats, _Floats] | None:
        """Logarithms for each word: how likely it is of each sort; how likely no clause begins there, and one does."""
        ran = self._run(text) if words else None
        if ran is None:
            return None
        (sorts, begins), places = ran
        sort, begin = _log_softmax(sorts), _log_softmax(begins)
        starts = [at for at, (low, high) in enumerate(places) if high > low]
        of_word = [[at for at in starts if places[at][0] < high and places[at][1] > low] for low, high in words]
        told = np.array([sort[inside].mean(0) if inside else np.zeros(len(SORTS)) for inside in of_word])
        # A piece of two characters begins at the first of them.
        fresh = [bool(inside) and places[inside[0]][0] >= low for inside, (low, _) in zip(of_word, words, strict=True)]
        cuts = np.array([begin[inside[0]] if new else _NEVER for inside, new in zip(of_word, fresh, strict=True)])
        return told, cuts

    def _run(self, text: str) -> tuple[list[_Floats], list[tuple[int, int]]] | None:
        """What it says of each token, and where these stand; the first and the last are none of the text."""
        coded = self._tokenizer.encode(led(text))
        if len(coded.ids) > LONGEST:
            return None
        places = placed(text, coded.offsets)
        given = {
            "tokens": np.array([[self._start, *coded.ids, self._ask]], np.int64),
            "pauses": np.array([[0.0, *pauses(text, places), 0.0]], np.float32),
        }
        found: list[Any] = self._session.run(["sort", "begins"], given)
        return [rows[0] for rows in found], [(0, 0), *places, (0, 0)]


def _runs(told: _Floats, words: Sequence[tuple[int, int]], sort: str) -> list[Segment]:
    """The words in a row that may be of a sort, each row as likely as the surest of them are."""
    # Of a pause nothing is told: what is of one sort is said between two.
    chances = np.where(told.any(1), np.exp(told[:, SORTS.index(sort)]), 0.0)
    runs = (list(run) for may_be, run in groupby(range(len(words)), lambda at: chances[at] >= _MAY_BE) if may_be)
    return [
        Segment(words[run[0]][0], words[run[-1]][1], sort, float(np.sort(chances[run])[-_SUREST:].mean()))
        for run in runs
    ]


def _weight(segment: Segment) -> float:
    return segment.chance * (segment.end - segment.start)


def _talk(told: _Floats) -> float:
    """How likely words are talk together: on geometric average."""
    return float(np.exp(told[:, SORTS.index(TALK)].mean()))


def _id(tokenizer: Any, word: str) -> int:
    found = tokenizer.token_to_id(word)
    if found is None:
        raise LookupError(f"no token {word}")
    return int(found)


def placed(text: str, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where tokens stand in a text, of those of the text as the model gets it."""
    shift = len(led(text)) - len(text)
    return [(max(low - shift, 0), max(high - shift, 0)) for low, high in offsets]


def pauses(text: str, places: Sequence[tuple[int, int]]) -> list[float]:
    """1 for each token before which somebody wrote a comma, 0 for the others."""
    ends = [0, *(high for _, high in places[:-1])]
    return [float("," in text[min(end, low) : low + 1]) for end, (low, _) in zip(ends, places, strict=True)]


def _log_softmax(logits: _Floats) -> _Floats:
    less = logits - logits.max(-1, keepdims=True)
    return np.asarray(less - np.log(np.exp(less).sum(-1, keepdims=True)), np.float32)
