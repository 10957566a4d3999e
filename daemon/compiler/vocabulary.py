"""The vocabulary of our encoders: how a text is cut into pieces, and what is known of each of them.

The tagger, the segmenter and the model of follow-ups have it in common: it lies beside the tagger, in memory once.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
from msgspec import Struct

from daemon.models.store import onnx_session, onnx_weights

TOKENIZER: Final = "tokenizer.json"
TABLE: Final = "pieces.npy"
"""What is known of the pieces: (pieces, width), uint8."""
NAME: Final = "words.weight_quantized"
"""What the models call it."""
_OWNER: Final = "tagger"
_LOCK: Final = Lock()


class Vocabulary(Struct, frozen=True):
    """The tokenizer, and the table of pieces for models that have none of their own."""

    tokenizer: Any
    table: Any = None

    @classmethod
    def of(cls, folder: Path) -> Vocabulary:
        """The vocabulary of the model in a folder: what lies there, or beside it with the tagger.

        Raises:
            Exception: as its engines like, where the files are missing or no such vocabulary.
        """
        owner = folder if (folder / TOKENIZER).exists() else folder.parent / _OWNER
        with _LOCK:  # several models may be loaded at once
            return _loaded(owner, (owner / TOKENIZER).stat().st_mtime_ns)

    def session(self, model: Path) -> Any:
        """A session of a model file that has this vocabulary, as `onnx_session` makes it."""
        return onnx_session(model, {NAME: self.table} if self.table is not None else {})


@lru_cache(maxsize=1)
def _loaded(folder: Path, _changed: int) -> Vocabulary:
    from tokenizers import Tokenizer

    table = folder / TABLE
    return Vocabulary(
        Tokenizer.from_file(str(folder / TOKENIZER)), onnx_weights(np.load(table)) if table.exists() else None
    )
