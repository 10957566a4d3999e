"""The tagger's network: some layers of the teacher, and what tells labels from what they know."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from models.train.teacher import Teacher

_LONGEST = 128
_TINY = 1e-12
"""What the teacher's norms add to a variance."""
_DROPOUT = 0.1
"""Every second layer of the teacher is kept, from the first: better than as many without a gap."""


class Layer(nn.Module):
    """Attention to both sides and a feed-forward part, each with a norm behind it (BERT's)."""

    def __init__(self, teacher: Teacher, at: int) -> None:
        super().__init__()
        width, inner = teacher.width, teacher.inner
        self.heads = teacher.heads
        self.asked = nn.Linear(width, 3 * width)
        self.told, self.told_norm = nn.Linear(width, width), nn.LayerNorm(width, eps=_TINY)
        self.wide, self.narrow = nn.Linear(width, inner), nn.Linear(inner, width)
        self.narrow_norm = nn.LayerNorm(width, eps=_TINY)
        self.drop = nn.Dropout(_DROPOUT)

        def known(name: str, *shape: int) -> Tensor:
            return torch.from_numpy(teacher.tensor(f"l{at}.{name}", *shape))

        self.asked.weight.data = torch.cat([known(f"{name}.w", width, width) for name in "qkv"])
        self.asked.bias.data = torch.cat([known(f"{name}.b", width) for name in "qkv"])
        self.told.weight.data, self.told.bias.data = known("ao.w", width, width), known("ao.b", width)
        self.wide.weight.data, self.wide.bias.data = known("fi.w", inner, width), known("fi.b", inner)
        self.narrow.weight.data, self.narrow.bias.data = known("fo.w", width, inner), known("fo.b", width)
        for norm, name in ((self.told_norm, "aln"), (self.narrow_norm, "oln")):
            norm.weight.data, norm.bias.data = known(f"{name}.w", width), known(f"{name}.b", width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(texts, length, width) -> the same; `mask` is added to what is attended to."""
        texts, length, width = x.shape
        head = width // self.heads
        q, k, v = self.asked(x).view(texts, length, 3, self.heads, head).permute(2, 0, 3, 1, 4)
        mixed = torch.softmax(q @ k.transpose(-1, -2) * head**-0.5 + mask, -1) @ v
        x = self.told_norm(x + self.drop(self.told(mixed.transpose(1, 2).reshape(texts, length, width))))
        return self.narrow_norm(x + self.drop(self.narrow(F.gelu(self.wide(x)))))


def kept(of: int, layers: int) -> range:
    """Which of the teacher's layers are kept: every other one where there are so many, else the first ones."""
    step = min(2, max(1, of // layers))
    return range(0, layers * step, step)


class Tagger(nn.Module):
    """Tokens and which are there -> logits of the labels of daemon/compiler/draft.py.

    What is known of each piece stays as the teacher knows it, so that a word of no bank keeps its place.

    Args:
        teacher: Whose layers it begins with.
        rows: Of the teacher's vocabulary, what is kept.
        layers: How many of the teacher's are kept.
        labels: How many meanings, frames, second commands, tags and kinds there are.
    """

    def __init__(self, teacher: Teacher, rows: Sequence[int], layers: int, labels: Sequence[int]) -> None:
        super().__init__()
        width = teacher.width
        table = teacher.tensor("emb.word", -1, width)[list(rows)]
        self.words = nn.Embedding.from_pretrained(torch.from_numpy(table), freeze=True)
        places = teacher.tensor("emb.pos", -1, width)[:_LONGEST] + teacher.tensor("emb.type", -1, width)[0]
        self.place = nn.Embedding.from_pretrained(torch.from_numpy(places), freeze=False)
        self.norm = nn.LayerNorm(width, eps=_TINY)
        self.norm.weight.data = torch.from_numpy(teacher.tensor("emb.ln.w", width))
        self.norm.bias.data = torch.from_numpy(teacher.tensor("emb.ln.b", width))
        self.layers = nn.ModuleList(Layer(teacher, at) for at in kept(teacher.layers, layers))
        self.drop = nn.Dropout(_DROPOUT)
        meaning, frame, second, tag, kind = labels
        told = {"meaning": meaning, "frame": frame, "second": second, "tag": tag, "kind": kind}
        self.heads = nn.ModuleDict({name: nn.Linear(2 * width, count) for name, count in told.items()})
        self.sum = nn.Linear(2 * width, width)
        for own in (*self.heads.values(), self.sum):
            assert isinstance(own, nn.Linear)
            nn.init.normal_(own.weight, std=0.02)
            nn.init.zeros_(own.bias)

    def new(self) -> list[nn.Parameter]:
        """What the teacher knows nothing of."""
        return [*self.heads.parameters(), *self.sum.parameters()]

    def forward(self, tokens: Tensor, present: Tensor) -> tuple[Tensor, ...]:
        x = self.drop(self.norm(self.words(tokens) + self.place.weight[: tokens.shape[1]]))
        mask = ((1.0 - present) * -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        weight = present[:, :, None]
        mean = (x * weight).sum(1) / weight.sum(1)
        most = (x + (weight - 1.0) * 1e4).amax(1)
        pooled = self.drop(torch.cat([mean, most], -1))
        # What the sentence says as a whole decides what its words are in it.
        each = torch.cat([x, self.sum(pooled)[:, None, :].expand_as(x)], -1)
        whole = tuple(self.heads[name](pooled) for name in ("meaning", "frame", "second"))
        return (*whole, *(self.heads[name](each) for name in ("tag", "kind")))
