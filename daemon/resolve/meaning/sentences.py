"""A public encoder of sentences in ONNX: its last layer, averaged over a text, is what the text means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daemon.core.errors import ModelCorrupt, ModelError
from daemon.resolve.meaning.encoder import TOKENIZER, Card

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LAYER: Final = "last_hidden_state"
_IDS: Final = "input_ids"
_CONSTANT: Final = {"attention_mask": 1, "token_type_ids": 0}
"""What else such a model is given, for each token."""
_LONGEST: Final = 64
"""Tokens; what comes after them is not read."""
_AT_ONCE: Final = 16
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
        import onnxruntime
        from tokenizers import Tokenizer

        self.name = name
        self.card = Card(limits=None, things=things)
        self._prefix = prefix
        options = onnxruntime.SessionOptions()
        options.inter_op_num_threads = options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 4
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(file.parent / TOKENIZER))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(_LONGEST)
            self._session: Any = onnxruntime.InferenceSession(
                str(file), providers=["CPUExecutionProvider"], sess_options=options
            )
            takes = {item.name for item in self._session.get_inputs()}
            gives = {item.name for item in self._session.get_outputs()}
        except Exception as error:  # both engines raise what they like
            raise ModelCorrupt(f"{file.name} cannot be loaded ({type(error).__name__})") from error
        if _IDS not in takes or not takes <= {_IDS, *_CONSTANT} or _LAYER not in gives:
            raise ModelCorrupt(f"{file.name} is no encoder that gives {_LAYER} of {_IDS}")
        self._constant = {item: value for item, value in _CONSTANT.items() if item in takes}

    @property
    def width(self) -> int:
        """How many numbers a vector has: tried, for such a model seldom says it.

        Raises:
            ModelError: the engine failed.
        """
        return int(self.read([_ANY]).shape[1])

    def read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of texts, at least one; zeros where there is nothing to read.

        Raises:
            ModelError: the engine failed.
        """
        of_length: defaultdict[int, list[int]] = defaultdict(list)
        try:
            rows = [item.ids for item in self._tokenizer.encode_batch([self._prefix + text for text in texts])]
            for at, row in enumerate(rows):
                of_length[len(row) if texts[at].strip() else 0].append(at)
            parts: list[tuple[list[int], NDArray[np.float32]]] = []
            for length, every in of_length.items():
                chunks = (every[at : at + _AT_ONCE] for at in range(0, len(every), _AT_ONCE))
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
