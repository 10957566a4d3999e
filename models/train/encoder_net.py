"""The encoder's network, and how it becomes the file that Hearken loads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from models.train.vocabulary import PAD, Words

_CONTEXT: Final = 48


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of the network."""

    width: int = 192
    layers: int = 3
    heads: int = 6
    inner: int = 384
    vector: int = 128
    dropout: float = 0.2
    forget: float = 0.3
    """How often what was learnt of a word, beside what the teacher knows, is left out: words of no bank have none."""


class Layer(nn.Module):
    """Attention to both sides and a feed-forward part, each behind a norm."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.before, self.between = nn.LayerNorm(shape.width), nn.LayerNorm(shape.width)
        self.asked = nn.Linear(shape.width, 3 * shape.width)
        self.told = nn.Linear(shape.width, shape.width)
        self.wide, self.narrow = nn.Linear(shape.width, shape.inner), nn.Linear(shape.inner, shape.width)
        self.drop = nn.Dropout(shape.dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(texts, length, width) -> the same; `mask` is added to what is attended to."""
        texts, length, width = x.shape
        head = width // self.heads
        q, k, v = self.asked(self.before(x)).view(texts, length, 3, self.heads, head).permute(2, 0, 3, 1, 4)
        mixed = torch.softmax(q @ k.transpose(-1, -2) / head**0.5 + mask, -1) @ v
        x = x + self.drop(self.told(mixed.transpose(1, 2).reshape(texts, length, width)))
        return x + self.drop(self.narrow(F.gelu(self.wide(self.between(x)))))


class Encoder(nn.Module):
    """Tokens (texts, length; 0 is padding) -> unit vectors (texts, vector)."""

    def __init__(self, senses: Tensor, shape: Shape) -> None:
        super().__init__()
        self.words: nn.Module = Words(senses, shape.width, shape.forget, sparse=True)
        self.place = nn.Embedding(_CONTEXT, shape.width)
        nn.init.normal_(self.place.weight, std=0.02)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)
        self.drop = nn.Dropout(shape.dropout)
        self.vector = nn.Linear(2 * shape.width, shape.vector)

    def forward(self, tokens: Tensor) -> Tensor:
        """The vectors."""
        present = (tokens != PAD).float()
        x = self.drop(4.0 * self.words(tokens) + self.place.weight[: tokens.shape[1]])
        mask = ((1.0 - present) * -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        x = self.norm(x)
        weight = present[:, :, None]
        mean = (x * weight).sum(1) / weight.sum(1).clamp_min(1.0)
        most = (x + (weight - 1.0) * 1e4).amax(1)
        pooled = self.drop(torch.cat([mean, most], -1))
        vector = self.vector(pooled)
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
