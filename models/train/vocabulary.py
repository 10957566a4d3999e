"""Whole words, with what a public teacher knows of each: where the encoder begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from torch import Tensor, nn

PAD, UNKNOWN = 0, 1
_NEVER: Final = -90.0
"""The log chance of what no text is cut into."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words, with what the teacher knows of each, in as many numbers as are wanted."""

    texts: tuple[str, ...]
    chances: tuple[float, ...]
    senses: Any
    """(words, width), of length one; zeros where the teacher was not asked."""
    phrases: tuple[str, ...] = ()
    meant: Any = None
    """(phrases, width): what the teacher knows of those, likewise."""

    @classmethod
    def load(cls, file: Path, width: int) -> Vocabulary:
        """The words of `models.train.encoder_words`: each language's mean taken off, then the main components."""
        with np.load(file) as data:
            texts, chances = data["texts"].tolist(), data["chances"].tolist()
            phrases = data["phrases"].tolist()
            raw, whole = _centred(texts, data["vectors"]), _centred(phrases, data["phrase_vectors"])
        some = raw[np.random.default_rng(0).permutation(len(raw))[:8000]]
        main = np.linalg.svd(some, full_matrices=False)[2][:width].T
        senses, meant = _unit(raw @ main), _unit(whole @ main)
        senses[[len(text) == 1 and text.isascii() for text in texts]] = 0.0
        senses = np.vstack([np.zeros((2, width)), senses])
        return cls(("<pad>", "<unknown>", *texts), (0.0, -30.0, *chances), senses, tuple(phrases), meant)

    def tokenizer(self, *, apart: bool = False) -> Tokenizer:
        """Cuts texts into these words; `apart`: Chinese into single characters, as where nobody knows a word."""
        words = [
            (text, chance if not apart or text.isascii() or len(text) == 1 else _NEVER)
            for text, chance in zip(self.texts, self.chances, strict=True)
        ]
        made = Tokenizer(models.Unigram(words, unk_id=UNKNOWN))
        made.normalizer = normalizers.Sequence(
            [normalizers.NFKC(), normalizers.Lowercase(), normalizers.Replace(Regex(r"[^\p{L}\p{N}' ]"), " ")]
        )
        made.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.WhitespaceSplit(),
                pre_tokenizers.Split(Regex(r"\p{Han}+"), "isolated"),
                pre_tokenizers.Digits(individual_digits=True),
            ]
        )
        return made


def _centred(texts: Sequence[str], vectors: Any) -> Any:
    """Vectors less what all of their language share."""
    rows = vectors.astype(np.float32)
    han = np.array([not text.isascii() for text in texts])
    for some in (han, ~han):
        rows[some] -= rows[some].mean(0)
    return rows


def _unit(rows: Any) -> Any:
    return rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-6)


class Words(nn.Module):
    """The teacher's sense of a word, kept as it is and turned into our width, and what was learnt beside it.

    Args:
        senses: (words, width of the teacher's).
        width: Ours.
        forget: How often what was learnt of a word is left out while learning: words of no bank have none.
        sparse: Whether the gradients of what is learnt are sparse.
    """

    def __init__(self, senses: Tensor, width: int, forget: float, *, sparse: bool) -> None:
        super().__init__()
        self.senses = nn.Embedding.from_pretrained(senses, freeze=True)
        self.turn = nn.Linear(senses.shape[1], width, bias=False)
        self.own = nn.Embedding(len(senses), width, sparse=sparse)
        nn.init.zeros_(self.own.weight)
        nn.init.orthogonal_(self.turn.weight)
        self.forget = forget

    def forward(self, tokens: Tensor) -> Tensor:
        """(texts, length) -> (texts, length, width)."""
        own = self.own(tokens)
        if self.training:
            own = own * (torch.rand((*tokens.shape, 1), device=tokens.device) >= self.forget)
        return self.turn(self.senses(tokens)) + own

    def merged(self) -> nn.Embedding:
        """One table, as it is used when nothing more is learnt."""
        with torch.no_grad():
            return nn.Embedding.from_pretrained(self.turn(self.senses.weight) + self.own.weight)
