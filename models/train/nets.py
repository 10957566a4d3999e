"""The decoder's network: a Llama to the last detail, so that llama.cpp runs it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it


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
    """Attention to what was before, with rotary places, and a gated feed-forward part, each behind a norm."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
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

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
        shape, normed = self.shape, self.attn_norm(x)
        batch, length = x.shape[0], x.shape[1]
        q = self.attn_q(normed).view(batch, length, shape.heads, shape.head).transpose(1, 2)
        k = self.attn_k(normed).view(batch, length, shape.shared, shape.head).transpose(1, 2)
        v = self.attn_v(normed).view(batch, length, shape.shared, shape.head).transpose(1, 2)
        q, k = _turned(q, turn), _turned(k, turn)
        if shape.shared != shape.heads:
            times = shape.heads // shape.shared
            k, v = k.repeat_interleave(times, 1), v.repeat_interleave(times, 1)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.drop(self.attn_output(mixed.transpose(1, 2).reshape(batch, length, shape.width)))
        normed = self.ffn_norm(x)
        return x + self.drop(self.ffn_down(F.silu(self.ffn_gate(normed)) * self.ffn_up(normed)))


class Decoder(nn.Module):
    """Tokens -> logits of the next. The output shares its weights with the embedding."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocabulary, shape.width)
        self.blk = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
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
            x = layer(x, turn)
        return self.output_norm(x)


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
