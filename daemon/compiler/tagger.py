"""The tagger: an utterance -> a draft with signs of how sure it is. An encoder in ONNX, one thread.

What nobody was ever heard to say in a command of a meaning may be what makes it another (`Usual`): then it is better
asked back.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from daemon.compiler.draft import NONE, Draft, Labels, Tagged, drafted, led, outside, pieces, tags_of
from daemon.compiler.meanings import AND, NOTHING, UNSURE, Meanings
from daemon.compiler.vocabulary import Vocabulary
from daemon.core.errors import ModelCorrupt
from daemon.understand.lexicon import Lexicon
from daemon.understand.openings import END

WORDS: Final = "words.npy"
FILES: Final = ("tagger.onnx", WORDS)
LABELS: Final = "labels"
"""What the model's file tells of the labels that it was trained for: their digest."""
LONGEST: Final = 96
"""Tokens; no command is longer, and what is may take back at its end what it began with."""
_START, _ASK = "<start>", "<=>"
_HEADS: Final = ("meaning", "frame", "second", "tag", "kind")
_WHOLE: Final = ("KIND", "KINDS", "NAMEKIND", "NAMEKINDS", "ROOM", "LEVEL")
_LITTLE: Final = 1e-4
_TRIES: Final = 2

NO_SIGNS: Final = (*(math.log(_LITTLE),) * 4, -1.0)
"""The signs of a guess that is none, beside those of another model."""

_Floats = NDArray[np.float32]


class Guess(Struct, frozen=True):
    """What an utterance may say, and what speaks for it."""

    draft: Draft | None
    """None where what the tagger says of the parts contradicts itself."""
    meaning: str
    """The likeliest meaning, whatever became of it."""
    signs: tuple[float, ...] = ()
    """Logarithms of probabilities: of the meaning; of frame and second command; of the least sure slot; of all slots on
    average. Last, how usual its words are for what it is taken for."""
    whole: bool = True
    """Whether all of the utterance could be read; of what could not, nobody is to make anything."""


class Tagger:
    """One session; safe for several threads.

    Args:
        folder: Where `FILES` are, and the vocabulary (`Vocabulary.of`).
        meanings: What can be meant.
        lexicon: Whose words for things and places are not cut in two.

    Raises:
        ModelCorrupt: the files are no such model, or one for other meanings.
    """

    def __init__(self, folder: Path, meanings: Meanings, lexicon: Lexicon | None = None) -> None:
        self._meanings = meanings
        classes = lexicon.classes if lexicon is not None else {}
        self._classes = [classes[name] for name in _WHOLE if name in classes]
        self.labels = Labels.of(meanings)
        self._usual = Usual.load(folder)
        try:
            self._vocabulary = Vocabulary.of(folder)
            self._tokenizer = self._vocabulary.tokenizer
            self._session = self._vocabulary.session(folder / FILES[0])
            self._start, self._ask = (self._id(word) for word in (_START, _ASK))
            out = self._run(self._coded("hello")[0])
            made_for = self._session.get_modelmeta().custom_metadata_map.get(LABELS)
        except Exception as error:
            raise ModelCorrupt(f"{folder}: no tagger of ours ({type(error).__name__}: {error})") from error
        wanted = [len(getattr(self.labels, head)) for head in _HEADS]
        if [out[head].shape[-1] for head in _HEADS] != wanted or made_for != self.labels.digest:
            raise ModelCorrupt(f"{folder}: trained for other meanings; train it again (`make train`)")

    def guess(self, text: str) -> Guess:
        """What a normalized utterance may say."""
        ids, places = self._coded(text)
        if len(ids) > LONGEST + 2:  # with the two around it
            return Guess(None, "", whole=False)
        chance = {head: _softmax(found) for head, found in self._run(ids).items()}
        meant = chance["meaning"]
        order = np.argsort(-meant)[:_TRIES]
        words = self._words(text)
        for number in order:
            said, worst, mean = self._tagged(chance, int(number), len(ids))
            draft = drafted(said, text, places, self._meanings, words)
            if draft is None:
                continue
            signs = (
                _log(meant[number]),
                _log(chance["frame"].max()) + _log(chance["second"].max()),
                worst,
                mean,
                self._usual.share(text, draft),
            )
            return Guess(draft, said.meaning, signs)
        return Guess(None, self.labels.meaning[int(order[0])])

    def _tagged(self, chance: Mapping[str, _Floats], number: int, tokens: int) -> tuple[Tagged, float, float]:
        labels = self.labels
        meaning = labels.meaning[number]
        if meaning in (NOTHING, UNSURE):
            empty = (NONE,) * tokens
            return Tagged(meaning, NONE, NONE, empty, empty), 0.0, 0.0
        frame = labels.frame[int(chance["frame"].argmax())]
        second = labels.second[int(chance["second"].argmax())]
        tags, worst, mean = self._segmented(chance["tag"], labels.slots(self._meanings, meaning, frame, second))
        kinds = chance["kind"].argmax(-1)
        said = Tagged(meaning, frame, second, tags, tuple(labels.kind[int(at)] for at in kinds))
        return said, worst, mean

    def _segmented(self, tags: _Floats, slots: Sequence[str]) -> tuple[tuple[str, ...], float, float]:
        """Each slot's likeliest words in a row, if any are likely; how sure the least sure token is, and all of them.

        A slot is filled once and in one piece, so its tokens are not chosen one by one.
        """
        number = {tag: at for at, tag in enumerate(self.labels.tag)}
        pairs = {slot: tags[:, [number[tag] for tag in tags_of(slot)]] for slot in slots}
        inside = {slot: pair.sum(-1) for slot, pair in pairs.items()}
        # A run begins where one is likely to: a first word that is only half sure is not left out for that.
        found = {
            slot: _best_run(_gain(pair[:, 0], inside[slot]), _gain(inside[slot], inside[slot]))
            for slot, pair in pairs.items()
        }
        chosen = [NONE] * len(tags)
        sure = np.array(tags[:, number[NONE]])
        for slot, (height, start, end) in sorted(found.items(), key=lambda item: -item[1][0]):
            if height <= 0 or any(tag != NONE for tag in chosen[start:end]):
                continue
            begins, goes_on = tags_of(slot)
            chosen[start:end] = [begins, *[goes_on] * (end - start - 1)]
            sure[start:end] = inside[slot][start:end]
        logs = np.log(sure[1:-1] + _LITTLE)
        return tuple(chosen), float(logs.min(initial=0.0)), float(logs.mean()) if len(logs) else 0.0

    def _words(self, text: str) -> list[tuple[int, int]]:
        """Where words for things and places stand."""
        closed = text + END
        found = ((start, max(item.match(closed, start) for item in self._classes)) for start, _ in pieces(text))
        return [(start, end) for start, end in found if end > start] if self._classes else []

    def _coded(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        coded = self._tokenizer.encode(led(text))
        shift = len(led(text)) - len(text)
        ids: list[int] = [self._start, *coded.ids, self._ask]
        places = [(max(low - shift, 0), max(high - shift, 0)) for low, high in coded.offsets]
        return ids, [(0, 0), *places, (0, 0)]

    def _id(self, word: str) -> int:
        found = self._tokenizer.token_to_id(word)
        if found is None:
            raise LookupError(f"no token {word}")
        return int(found)

    def _run(self, ids: Sequence[int]) -> dict[str, _Floats]:
        tokens = np.array([ids], np.int64)
        given = {"tokens": tokens, "present": np.ones(tokens.shape, np.float32)}
        found: list[Any] = self._session.run(list(_HEADS), given)
        return {head: rows[0] for head, rows in zip(_HEADS, found, strict=True)}


def _gain(chance: _Floats, inside: _Floats) -> _Floats:
    """What a token speaks for being in a run, with this chance, rather than in none."""
    return np.asarray(np.log((chance + _LITTLE) / (1 - inside + _LITTLE)), np.float32)


def _best_run(begins: _Floats, goes_on: _Floats) -> tuple[float, int, int]:
    """The run with the highest sum, with its start and its end; neither the first nor the last token is in one."""
    best, height, start = (0.0, 0, 0), -np.inf, 1
    for at in range(1, len(begins) - 1):
        fresh, longer = float(begins[at]), height + float(goes_on[at])
        height, start = (fresh, at) if fresh > longer else (longer, start)
        if height > best[0]:
            best = (height, start, at + 1)
    return best


def _softmax(logits: _Floats) -> _Floats:
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True), np.float32)


def _log(chance: float) -> float:
    return float(np.log(chance + _LITTLE))


ANYWHERE: Final = ""
"""In the place of a meaning: of words that may be said around every command."""
_MOST: Final = 4
_WORDS: Final = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]+")


class Usual:
    """The usual words of every meaning.

    Args:
        codes: What `code` says of each, uint32, ascending. So few of all numbers are taken that a word is rarely
            mistaken for another.
    """

    def __init__(self, codes: NDArray[np.uint32]) -> None:
        self._codes = codes

    @classmethod
    def load(cls, folder: Path) -> Usual:
        """Those of the tagger in a folder.

        Raises:
            ModelCorrupt: the file is missing or no such list.
        """
        file = folder / WORDS
        try:
            codes = np.load(file, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise ModelCorrupt(f"{file}: cannot be read ({error})") from error
        if (
            not isinstance(codes, np.ndarray)
            or codes.dtype != np.uint32
            or codes.ndim != 1
            or (codes[1:] <= codes[:-1]).any()
        ):
            raise ModelCorrupt(f"{file}: no ascending list of numbers; train the tagger again (`make train`)")
        return cls(codes)

    @classmethod
    def of(cls, phrases: Iterable[tuple[str, str]]) -> Usual:
        """The words of phrases, each with its meaning; `ANYWHERE` for what may be said in all of them."""
        codes = {_code(meaning, word) for meaning, said in phrases for word in _words(said)}
        return cls(np.array(sorted(codes), np.uint32))

    def save(self, folder: Path) -> None:
        """Writes `WORDS`."""
        np.save(folder / WORDS, self._codes)

    def share(self, text: str, draft: Draft) -> float:
        """How usual an utterance is for what it is taken for: 0; -1 with four unusual words or more."""
        meanings = [piece.meaning for part in draft.parts for piece in (part, *part.frames)]
        if not meanings:
            return 0.0
        meanings += [ANYWHERE, *([AND] if len(draft.parts) > 1 else [])]
        words = sorted(_words(outside(draft, text)))
        codes = np.array([[_code(meaning, word) for meaning in meanings] for word in words], np.uint32)
        unusual = int((~self._known(codes)).all(axis=1).sum()) if words else 0
        return -min(unusual, _MOST) / _MOST

    def _known(self, codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
        if not self._codes.size:
            return np.zeros(codes.shape, np.bool_)
        at = np.minimum(np.searchsorted(self._codes, codes), self._codes.size - 1)
        return np.asarray(self._codes[at] == codes)


def _words(text: str) -> set[str]:
    """The words of a text; of Chinese, that has no spaces, every two characters in a row."""
    found: set[str] = set()
    for run in _WORDS.findall(text):
        if run[0] < "\u4e00" or len(run) == 1:
            found.add(run)
        else:
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return found


def _code(meaning: str, word: str) -> int:
    return zlib.crc32(f"{meaning} {word}".encode())
