"""The encoders, ours and a public one of sentences: texts in, a vector each out. About a millisecond a text."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from msgspec import Struct

from daemon.core.errors import ModelCorrupt, ModelError
from daemon.models.store import onnx_session
from daemon.resolve.meaning.limits import Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray


MODEL, TOKENIZER, CARD = "encoder.onnx", "tokenizer.json", "encoder.json"
"""The files in the model's folder."""
_LONGEST: Final = 48
"""Tokens; what is longer is not read at all: its end may mean something else than its beginning."""
_UNKNOWN: Final = 1
"""The token of what is no word."""
_AT_ONCE: Final = 32
"""Texts of like length that are read together."""


class Card(Struct, frozen=True):
    """What the model's file does not say of itself."""

    limits: Limits | None
    """What is near among its vectors; None where nobody has said: then it is found with the words of `things`."""
    things: tuple[tuple[str, ...], ...] = ()
    """Things that a home may have, each by words for it: what may be meant though this home has no such thing."""

    @classmethod
    def load(cls, file: Path) -> Card:
        """Reads the card.

        Raises:
            ModelCorrupt: it is missing or wrong.
        """
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            return cls(
                limits=Limits(float(data["alike"]), float(data["tight"]), float(data["same"])),
                things=tuple(tuple(map(str, words)) for words in data["things"]),
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelCorrupt(f"{file.name} cannot be read ({type(error).__name__})") from error


class Reader(Protocol):
    """Reads texts: the encoder, or what stands in for it in a test."""

    @property
    def card(self) -> Card:
        """What its numbers mean."""

    @property
    def name(self) -> str:
        """Another one for other weights or words: what was read by one is nothing to another."""

    @property
    def width(self) -> int:
        """How many numbers a vector has. It may have to be tried: raises as `read`."""

    def read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of texts, at least one.

        Returns:
            (texts, width), a row each in their order, of length one; zeros where nothing can be read of a text, or it
            is too long.

        Raises:
            ModelError: the engine failed.
        """


class Encoder:
    """The model of a folder; its name tells its files from others. Several threads may read.

    Raises:
        ModelCorrupt: a file is missing, or is no such thing.
    """

    def __init__(self, folder: Path, name: str) -> None:
        from tokenizers import Tokenizer

        self.name = name
        self.card = Card.load(folder / CARD)
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER))
            self._session: Any = onnx_session(folder / MODEL)
            self.width = int(self._session.get_outputs()[-1].shape[1])
        except Exception as error:  # both engines raise what they like
            raise ModelCorrupt(f"the encoder cannot be loaded ({type(error).__name__})") from error

    def read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Reads texts; at least one."""
        try:
            ids = [item.ids for item in self._tokenizer.encode_batch(list(texts))]
            rows = [row if len(row) <= _LONGEST else [] for row in ids]
            order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
            chunks = (order[at : at + _AT_ONCE] for at in range(0, len(order), _AT_ONCE))
            parts = [self._read([rows[row] for row in chunk]) for chunk in chunks]
        except Exception as error:  # as above
            raise ModelError(f"the encoder failed ({type(error).__name__})") from error
        back = np.argsort(order)
        return np.asarray(np.concatenate(parts)[back], np.float32)

    def _read(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        tokens = np.zeros((len(rows), max(1, *map(len, rows))), np.int64)
        for at, row in enumerate(rows):
            # A row of padding alone has no highest number, and would spoil the scale of eight bits for all others.
            tokens[at, : max(1, len(row))] = row or _UNKNOWN
        (vectors,) = self._session.run(["vector"], {"tokens": tokens})
        # Of a text without words nothing is known.
        vectors[[not row for row in rows]] = 0.0
        return np.asarray(vectors, np.float32)


_LAYER: Final = "last_hidden_state"
_IDS: Final = "input_ids"
_CONSTANT: Final = {"attention_mask": 1, "token_type_ids": 0}
"""What else such a model is given, for each token."""
_LONGEST_SENTENCE: Final = 64
"""Tokens; what comes after them is not read."""
_SENTENCES_AT_ONCE: Final = 16
"""Texts of one length that are read together."""
_TINY: Final = 1e-9
_ANY: Final = "a"
"""Some text."""


class Sentences:
    """The model of a file, with `tokenizer.json` beside it. Several threads may read.

    Args:
        file: Takes `input_ids`, may take `attention_mask` and `token_type_ids`; gives `last_hidden_state`.
        name: Tells its weights from others, such as their hash.
        prefix: What it wants before each text.
        things: What homes may have, each by words for it.

    Raises:
        ModelCorrupt: a file is missing, or is no such thing.
    """

    def __init__(self, file: Path, name: str, prefix: str, things: tuple[tuple[str, ...], ...]) -> None:
        from tokenizers import Tokenizer

        self.name = name
        self.card = Card(limits=None, things=things)
        self._prefix = prefix
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(file.parent / TOKENIZER))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(_LONGEST_SENTENCE)
            self._session: Any = onnx_session(file)
            takes = {item.name for item in self._session.get_inputs()}
            gives = {item.name for item in self._session.get_outputs()}
        except Exception as error:  # both engines raise what they like
            raise ModelCorrupt(f"{file.name} cannot be loaded ({type(error).__name__})") from error
        if _IDS not in takes or not takes <= {_IDS, *_CONSTANT} or _LAYER not in gives:
            raise ModelCorrupt(f"{file.name} is no encoder that gives {_LAYER} of {_IDS}")
        self._constant = {item: value for item, value in _CONSTANT.items() if item in takes}

    @property
    def width(self) -> int:
        """How many numbers a vector has: tried, for such a model seldom says it."""
        return int(self.read([_ANY]).shape[1])

    def read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of texts, at least one; zeros where there is nothing to read."""
        of_length: defaultdict[int, list[int]] = defaultdict(list)
        try:
            rows = [item.ids for item in self._tokenizer.encode_batch([self._prefix + text for text in texts])]
            for at, row in enumerate(rows):
                of_length[len(row) if texts[at].strip() else 0].append(at)
            parts: list[tuple[list[int], NDArray[np.float32]]] = []
            for length, every in of_length.items():
                chunks = (every[at : at + _SENTENCES_AT_ONCE] for at in range(0, len(every), _SENTENCES_AT_ONCE))
                parts += [(chunk, self._read([rows[at] for at in chunk])) for chunk in chunks if length]
        except Exception as error:  # as above
            raise ModelError(f"the encoder failed ({type(error).__name__})") from error
        width = parts[0][1].shape[1] if parts else 1
        vectors = np.zeros((len(texts), width), np.float32)
        for chunk, found in parts:
            vectors[chunk] = found
        return vectors

    def _read(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Vectors of rows of one length: nothing has to be filled up, so nothing but the text is averaged."""
        ids = np.array(rows, np.int64)
        given = {_IDS: ids} | {name: np.full_like(ids, value) for name, value in self._constant.items()}
        (layer,) = self._session.run([_LAYER], given)
        means = layer.astype(np.float32).mean(axis=1)
        if not np.isfinite(means).all():
            raise ValueError("not finite")
        return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), _TINY), np.float32)
