"""The two networks: a decoder that is a Llama to the last detail, so that llama.cpp runs it, and a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from models.train.vocabulary import Words

_FORGET = 0.1
"""How often the tagger has to do without what it learnt of a word."""
_RAISED = 0.6
"""What a sense of length one is multiplied by."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a network; `width` is heads times 32."""

    vocabulary: int
    width: int = 256
    layers: int = 5
    heads: int = 8
    shared: int = 4
    """Key and value heads."""
    inner: int = 640
    context: int = 192
    dropout: float = 0.1

    @property
    def head(self) -> int:
        """The width of a head; llama.cpp wants a multiple of 32."""
        return self.width // self.heads


class Norm(nn.Module):
    """RMSNorm."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-5).to(x.dtype) * self.weight


class Layer(nn.Module):
    """Attention and a gated feed-forward part, each behind a norm. `causal` with rotary places, else without."""

    def __init__(self, shape: Shape, *, causal: bool) -> None:
        super().__init__()
        self.shape, self.causal = shape, causal
        side = shape.shared * shape.head
        self.attn_norm, self.ffn_norm = Norm(shape.width), Norm(shape.width)
        self.attn_q = nn.Linear(shape.width, shape.width, bias=False)
        self.attn_k = nn.Linear(shape.width, side, bias=False)
        self.attn_v = nn.Linear(shape.width, side, bias=False)
        self.attn_output = nn.Linear(shape.width, shape.width, bias=False)
        self.ffn_gate = nn.Linear(shape.width, shape.inner, bias=False)
        self.ffn_up = nn.Linear(shape.width, shape.inner, bias=False)
        self.ffn_down = nn.Linear(shape.inner, shape.width, bias=False)
        self.drop = nn.Dropout(shape.dropout)

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor] | None, mask: Tensor | None) -> Tensor:
        shape, normed = self.shape, self.attn_norm(x)
        batch, length = x.shape[0], x.shape[1]
        q = self.attn_q(normed).view(batch, length, shape.heads, shape.head).transpose(1, 2)
        k = self.attn_k(normed).view(batch, length, shape.shared, shape.head).transpose(1, 2)
        v = self.attn_v(normed).view(batch, length, shape.shared, shape.head).transpose(1, 2)
        if turn is not None:
            q, k = _turned(q, turn), _turned(k, turn)
        if shape.shared != shape.heads:
            times = shape.heads // shape.shared
            k, v = k.repeat_interleave(times, 1), v.repeat_interleave(times, 1)
        if self.causal:
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(-1, -2) / shape.head**0.5
            mixed = torch.softmax(scores + mask, -1) @ v
        x = x + self.drop(self.attn_output(mixed.transpose(1, 2).reshape(batch, length, shape.width)))
        normed = self.ffn_norm(x)
        return x + self.drop(self.ffn_down(F.silu(self.ffn_gate(normed)) * self.ffn_up(normed)))


class Decoder(nn.Module):
    """Tokens -> logits of the next. The output shares its weights with the embedding."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocabulary, shape.width)
        self.blk = nn.ModuleList(Layer(shape, causal=True) for _ in range(shape.layers))
        self.output_norm = Norm(shape.width)
        self.drop = nn.Dropout(shape.dropout)
        steps = 10000.0 ** (-torch.arange(0, shape.head, 2).float() / shape.head)
        angles = torch.outer(torch.arange(shape.context).float(), steps)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        self.apply(_started)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.hidden(tokens) @ self.token_embd.weight.T

    def hidden(self, tokens: Tensor) -> Tensor:
        """What is known at each token, before the logits."""
        length = tokens.shape[1]
        turn = (self.cos[:length], self.sin[:length])
        x = self.drop(self.token_embd(tokens))
        for layer in self.blk:
            x = layer(x, turn, None)
        return self.output_norm(x)


class Tagger(nn.Module):
    """Tokens and which are there -> logits of the labels of daemon/compiler/tags.py.

    Args:
        shape: Its size.
        labels: How many meanings, frames, second commands, tags and kinds there are.
        senses: What is known of each word, (words, any width).
    """

    def __init__(self, shape: Shape, labels: Sequence[int], senses: Tensor) -> None:
        super().__init__()
        self.shape = shape
        meaning, frame, second, tag, kind = labels
        self.place = nn.Embedding(shape.context, shape.width)
        self.blk = nn.ModuleList(Layer(shape, causal=False) for _ in range(shape.layers))
        self.norm = Norm(shape.width)
        self.drop = nn.Dropout(shape.dropout)
        self.meaning, self.frame, self.second = (nn.Linear(2 * shape.width, n) for n in (meaning, frame, second))
        self.tag, self.kind = (nn.Linear(2 * shape.width, n) for n in (tag, kind))
        self.sum = nn.Linear(2 * shape.width, shape.width)
        self.apply(_started)
        self.words: nn.Module = Words(senses, shape.width, _FORGET, sparse=False)

    def forward(self, tokens: Tensor, present: Tensor) -> tuple[Tensor, ...]:
        x = self.drop(_RAISED * self.words(tokens) + self.place.weight[: tokens.shape[1]])
        mask = ((1.0 - present) * -1e4)[:, None, None, :]
        for layer in self.blk:
            x = layer(x, None, mask)
        x = self.norm(x)
        weight = present[:, :, None]
        mean = (x * weight).sum(1) / weight.sum(1)
        most = (x + (weight - 1.0) * 1e4).amax(1)
        pooled = self.drop(torch.cat([mean, most], -1))
        # What the sentence says as a whole decides what its words are in it.
        each = torch.cat([x, self.sum(pooled)[:, None, :].expand_as(x)], -1)
        return self.meaning(pooled), self.frame(pooled), self.second(pooled), self.tag(each), self.kind(each)


def _turned(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary places on interleaved pairs, as llama.cpp has them for this architecture."""
    cos, sin = turn
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


def _started(module: nn.Module) -> None:
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(
            module.weight, std=0.02 if isinstance(module, nn.Embedding) else module.weight.shape[1] ** -0.5 * 0.7
        )
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
