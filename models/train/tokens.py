"""The vocabulary of both models: byte-level BPE in which digits and Chinese characters stand alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

PAD, START, END, ASK = "<pad>", "<start>", "<end>", "<=>"
"""Padding; before an utterance; after an answer; between the two."""
CONTROL: Final = (PAD, START, END, ASK)
SIZE: Final = 4096
_ALONE: Final = Regex(r"\p{Han}|\p{N}")


def trained(texts: Iterable[str], words: Sequence[str], size: int = SIZE) -> Tokenizer:
    """A vocabulary for these texts; the closed words of the model's language are tokens of their own."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(_ALONE, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    own = [*CONTROL, *words]
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=own,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        min_frequency=2,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def merges_of(file: Path) -> list[str]:
    """The merges of a saved vocabulary, as GGUF has them: "a b"."""
    data = json.loads(file.read_text(encoding="utf-8"))["model"]["merges"]
    return [item if isinstance(item, str) else " ".join(item) for item in data]
