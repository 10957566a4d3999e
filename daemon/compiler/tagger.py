"""The tagger: an utterance -> a draft with signs of how sure it is. An encoder in ONNX, one thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from daemon.compiler.draft import Draft, led
from daemon.compiler.meanings import NOTHING, UNSURE, Meanings
from daemon.compiler.tags import NONE, Labels, Tagged, drafted
from daemon.errors import ModelCorrupt

FILES: Final = ("tagger.onnx", "tokenizer.json")
LONGEST: Final = 96
"""Tokens; no command is longer."""
_START, _ASK = "<start>", "<=>"
_HEADS: Final = ("meaning", "frame", "second", "tag", "kind")
_LITTLE: Final = 1e-4
_TRIES: Final = 2

_Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Guess:
    """What an utterance may say, and what speaks for it."""

    draft: Draft | None
    """None where what the tagger says of the parts contradicts itself."""
    meaning: str
    """The likeliest meaning, whatever became of it."""
    signs: tuple[float, ...] = ()
    """Logarithms of probabilities: of the meaning; of frame and second command; of the least sure slot; of all slots on
    average; of the meaning if any one token had not been heard, on average and at the least but one."""


class Tagger:
    """One session; safe for several threads.

    Args:
        folder: Where `FILES` are.
        meanings: What can be meant.

    Raises:
        ModelCorrupt: the files are no such model, or one for other meanings.
    """

    def __init__(self, folder: Path, meanings: Meanings) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self._meanings = meanings
        self.labels = Labels.of(meanings)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._session = onnxruntime.InferenceSession(
                str(folder / "tagger.onnx"), options, providers=["CPUExecutionProvider"]
            )
            self._start, self._ask = (self._id(word) for word in (_START, _ASK))
            out = self._run([self._coded("hello")[0]])
        except Exception as error:
            raise ModelCorrupt(f"{folder}: no tagger of ours ({type(error).__name__}: {error})") from error
        wanted = [len(getattr(self.labels, head)) for head in _HEADS]
        if [out[head].shape[-1] for head in _HEADS] != wanted:
            raise ModelCorrupt(f"{folder}: trained for other meanings; train it again (`make train`)")

    def guess(self, text: str) -> Guess:
        """What a normalized utterance may say."""
        ids, places = self._coded(text)
        # The utterance, and the utterance less each of its tokens: what hangs on one word alone is a guess.
        out = self._run([ids, *([*ids[:at], *ids[at + 1 :]] for at in range(1, len(ids) - 1))])
        chance = {head: _softmax(out[head][0]) for head in _HEADS}
        order = np.argsort(-chance["meaning"])[:_TRIES]
        shaken = np.log(_softmax(out["meaning"][1:]) + _LITTLE)
        for number in order:
            said, worst, mean = self._tagged(chance, int(number), len(ids))
            draft = drafted(said, text, places, self._meanings)
            if draft is None:
                continue
            less = np.sort(shaken[:, number]) if len(shaken) else np.zeros(2, np.float32)
            signs = (
                _log(chance["meaning"][number]),
                _log(chance["frame"].max()) + _log(chance["second"].max()),
                worst,
                mean,
                float(less.mean()),
                float(less[min(1, len(less) - 1)]),
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
        # A slot that nothing of this has is not chosen, however likely; but what is chosen instead is then not likely.
        allowed = np.array(labels.allowed(self._meanings, meaning, frame, second))
        tags, kinds = chance["tag"][:tokens], chance["kind"][:tokens]
        best = np.where(allowed, tags, 0.0).argmax(-1)
        sure = np.log(tags[np.arange(tokens), best][1:-1] + _LITTLE)
        said = Tagged(
            meaning,
            frame,
            second,
            (NONE, *(labels.tag[int(at)] for at in best[1:-1]), NONE),
            tuple(labels.kind[int(at)] for at in kinds.argmax(-1)),
        )
        return said, float(sure.min(initial=0.0)), float(sure.mean()) if len(sure) else 0.0

    def _coded(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        coded = self._tokenizer.encode(led(text))
        shift = len(led(text)) - len(text)
        ids: list[int] = [self._start, *coded.ids[:LONGEST], self._ask]
        places = [(max(low - shift, 0), max(high - shift, 0)) for low, high in coded.offsets[:LONGEST]]
        return ids, [(0, 0), *places, (0, 0)]

    def _id(self, word: str) -> int:
        found = self._tokenizer.token_to_id(word)
        if found is None:
            raise LookupError(f"no token {word}")
        return int(found)

    def _run(self, rows: Sequence[Sequence[int]]) -> dict[str, _Floats]:
        longest = max(map(len, rows))
        tokens = np.zeros((len(rows), longest), np.int64)
        present = np.zeros((len(rows), longest), np.float32)
        for at, row in enumerate(rows):
            tokens[at, : len(row)] = row
            present[at, : len(row)] = 1.0
        found: list[Any] = self._session.run(list(_HEADS), {"tokens": tokens, "present": present})
        return dict(zip(_HEADS, found, strict=True))


def _softmax(logits: _Floats) -> _Floats:
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True), np.float32)


def _log(chance: float) -> float:
    return float(np.log(chance + _LITTLE))
