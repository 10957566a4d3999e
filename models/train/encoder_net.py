"""The encoder's network, and how it becomes the file that Hearken loads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from models.train.vocabulary import PAD, Words

_CONTEXT: Final = 48
_BESIDE: Final = 0.3
"""How much the rest says at first, beside the words alone."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of the network."""

    width: int = 192
    vector: int = 128
    dropout: float = 0.2
    forget: float = 0.3
    """How often what was learnt of a word, beside what the teacher knows, is left out: words of no bank have none."""


class Encoder(nn.Module):
    """Tokens (texts, length; 0 is padding) -> unit vectors (texts, vector).

    A text means what its words mean, weighed, and what is made of their mean and of the most of each feature beside
    that. So what the teacher knows of words holds from the first step on, and for words that nothing was learnt of.
    There is no attention: names are a few words, and learning takes a third of the time without it.
    """

    def __init__(self, senses: Tensor, shape: Shape) -> None:
        super().__init__()
        self.words = Words(senses, shape.width, shape.forget, sparse=True)
        self.place = nn.Embedding(_CONTEXT, shape.width)
        nn.init.normal_(self.place.weight, std=0.02)
        self.norm = nn.LayerNorm(shape.width)
        self.drop = nn.Dropout(shape.dropout)
        self.vector = nn.Linear(2 * shape.width, shape.vector)
        self.plain = nn.Linear(shape.width, shape.vector, bias=False)
        self.weigh = nn.Linear(shape.width, 1)
        with torch.no_grad():
            self.vector.weight.mul_(_BESIDE)
            self.plain.weight.copy_(self.words.turn.weight.T)
            self.weigh.weight.zero_()

    def forward(self, tokens: Tensor) -> Tensor:
        """The vectors."""
        present = (tokens != PAD).float()
        words = self.words(tokens)
        heavy = torch.exp(self.weigh(words)) * present[:, :, None]
        alone = (words * heavy).sum(1) / heavy.sum(1).clamp_min(1e-6)
        x = self.drop(4.0 * words + self.place.weight[: tokens.shape[1]])
        x = self.norm(x)
        weight = present[:, :, None]
        mean = (x * weight).sum(1) / weight.sum(1).clamp_min(1.0)
        most = (x + (weight - 1.0) * 1e4).amax(1)
        pooled = self.drop(torch.cat([mean, most], -1))
        vector = self.plain(alone) + self.vector(pooled)
        unit: Tensor = vector / vector.pow(2).sum(-1, keepdim=True).clamp_min(1e-9).sqrt()
        return unit


def to_onnx(model: Encoder, out: Path) -> None:
    """Writes the network in eight bits: input `tokens`, output `vector`."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    words = model.words
    assert isinstance(words, Words)
    model.eval()
    model.words = words.merged()
    whole = out.with_suffix(".float.onnx")
    torch.onnx.export(
        model,
        (torch.ones((2, 9), dtype=torch.int64),),
        str(whole),
        input_names=["tokens"],
        output_names=["vector"],
        dynamic_axes={"tokens": {0: "texts", 1: "length"}, "vector": {0: "texts"}},
        opset_version=17,
        dynamo=False,
    )
    model.words = words
    quantize_dynamic(whole, out, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul", "Gemm", "Gather"])
    whole.unlink()


def batch(rows: list[list[int]]) -> Tensor:
    """Token rows as one tensor, padded."""
    tokens = np.zeros((len(rows), max(1, *map(len, rows))), np.int64)
    for at, row in enumerate(rows):
        tokens[at, : len(row)] = row
    return torch.from_numpy(tokens)
