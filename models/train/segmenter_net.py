"""The segmenter's network: layers of the teacher, and for each token of what clause it is and whether one begins."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from daemon.compiler.draft import led
from daemon.compiler.segmenter import CORRECTS, GOES_ON, LONGEST, ORDER, SORTS, WAITS, pauses, placed
from models.train.data import rounded
from models.train.tagger_net import Layer, kept
from models.train.teacher import Teacher
from models.train.tokens import ASK, PAD, START

_TINY = 1e-12
_DROPOUT = 0.1
_NOTHING: Final = -1
"""What is nothing to learn."""


class Segmenter(nn.Module):
    """Tokens, and before which there was a pause -> logits of `SORTS` and of a beginning (no, yes), of each token.

    Args:
        teacher: Whose layers it begins with.
        rows: Where each piece of the vocabulary stands in the teacher's table.
        layers: How many of the teacher's are kept.
        pad: The number of the piece that is no text.
    """

    def __init__(self, teacher: Teacher, rows: Sequence[int], layers: int, pad: int) -> None:
        super().__init__()
        width = teacher.width
        self.pad = pad
        table = teacher.tensor("emb.word", -1, width)[list(rows)]
        self.words = nn.Embedding.from_pretrained(torch.from_numpy(table), freeze=True)
        places = teacher.tensor("emb.pos", -1, width)[: LONGEST + 2] + teacher.tensor("emb.type", -1, width)[0]
        self.place = nn.Embedding.from_pretrained(torch.from_numpy(places), freeze=False)
        self.pause = nn.Parameter(torch.zeros(width))
        self.norm = nn.LayerNorm(width, eps=_TINY)
        self.norm.weight.data = torch.from_numpy(teacher.tensor("emb.ln.w", width))
        self.norm.bias.data = torch.from_numpy(teacher.tensor("emb.ln.b", width))
        self.layers = nn.ModuleList(Layer(teacher, at) for at in kept(teacher.layers, layers))
        self.drop = nn.Dropout(_DROPOUT)
        self.sort = nn.Linear(width, len(SORTS))
        self.begins = nn.Linear(width, 2)
        for own in (self.sort, self.begins):
            nn.init.normal_(own.weight, std=0.02)
            nn.init.zeros_(own.bias)

    def new(self) -> list[nn.Parameter]:
        """What the teacher knows nothing of."""
        return [self.pause, *self.sort.parameters(), *self.begins.parameters()]

    def forward(self, tokens: Tensor, paused: Tensor) -> tuple[Tensor, Tensor]:
        present = (tokens != self.pad).float()
        x = self.words(tokens) + self.place.weight[: tokens.shape[1]] + paused[:, :, None] * self.pause
        x = self.drop(self.norm(x))
        mask = ((1.0 - present) * -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        return self.sort(x), self.begins(x)


def rows_of(tokenizer: Tokenizer, teacher: Teacher) -> list[int]:
    """Where the pieces of a vocabulary that was made of the teacher's stand in its table."""
    own = {PAD: teacher.pad, START: teacher.begin, ASK: teacher.end, "<end>": teacher.end, "<unknown>": teacher.unknown}
    known = {piece: at for at, piece in enumerate(teacher.pieces)} | own
    return [known[tokenizer.id_to_token(at)] for at in range(tokenizer.get_vocab_size())]


@dataclass(frozen=True, slots=True)
class Example:
    """One utterance: four numbers for each token."""

    tokens: np.ndarray
    paused: np.ndarray
    sorts: np.ndarray
    begins: np.ndarray


class Examples:
    """Utterances of `models.train.segments` in tokens."""

    def __init__(self, file: Path, tokenizer: Tokenizer) -> None:
        self.pad, self.unknown = tokenizer.token_to_id(PAD), tokenizer.token_to_id("<unknown>")
        start, ask = (tokenizer.token_to_id(word) for word in (START, ASK))
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        self.all: list[Example] = []
        for at in range(0, len(lines), 10_000):
            some = lines[at : at + 10_000]
            for line, coded in zip(some, tokenizer.encode_batch([led(item["text"]) for item in some]), strict=True):
                if len(coded.ids) <= LONGEST:
                    self.all.append(_example(line, coded.ids, placed(line["text"], coded.offsets), start, ask))

    def batches(self, rng: random.Random, tokens: int, *, answers: bool = False) -> Iterator[list[Example]]:
        """All once, in an order of chance, those of like length together; a batch has about so many tokens."""
        assert not answers
        order = list(range(len(self.all)))
        rng.shuffle(order)
        for start in range(0, len(order), 20_000):
            chunk = sorted(order[start : start + 20_000], key=lambda at: len(self.all[at].tokens))
            made: list[list[Example]] = [[]]
            for at in chunk:
                if made[-1] and (len(made[-1]) + 1) * rounded(len(self.all[at].tokens)) > tokens:
                    made.append([])
                made[-1].append(self.all[at])
            rng.shuffle(made)
            yield from made

    def tensors(self, batch: Sequence[Example]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Tokens, pauses, sorts and beginnings (-1: nothing to learn), each (texts, length)."""
        longest = rounded(max(len(item.tokens) for item in batch))
        shape = (len(batch), longest)
        tokens, paused = np.full(shape, self.pad, np.int64), np.zeros(shape, np.float32)
        sorts, begins = np.full(shape, _NOTHING, np.int64), np.full(shape, _NOTHING, np.int64)
        for row, item in enumerate(batch):
            size = len(item.tokens)
            tokens[row, :size], paused[row, :size] = item.tokens, item.paused
            sorts[row, :size], begins[row, :size] = item.sorts, item.begins
        return tuple(map(torch.from_numpy, (tokens, paused, sorts, begins)))  # type: ignore[return-value] # four


def _example(line: dict, ids: Sequence[int], places: Sequence[tuple[int, int]], start: int, ask: int) -> Example:
    text, clauses = line["text"], line["clauses"]
    sorts, begins = [_NOTHING], [_NOTHING]
    at = -1
    for low, high in places:
        fresh = False
        while at + 1 < len(clauses) and clauses[at + 1][0] < high and clauses[at + 1][0] <= low:
            at, fresh = at + 1, True
        sort = clauses[at][1]
        known = ORDER if sort == GOES_ON else sort
        sorts.append(SORTS.index(known))
        # What an order waits for, or what takes it back, is of that order: there need be no cut between them.
        leans = at == 0 or sort == GOES_ON or not {WAITS, CORRECTS}.isdisjoint((sort, clauses[at - 1][1]))
        begins.append(_NOTHING if fresh and leans else int(fresh))
    paused = np.array([0.0, *pauses(text, places), 0.0], np.float32)
    return Example(
        np.array([start, *ids, ask], np.uint16),
        paused,
        np.array([*sorts, _NOTHING], np.int8),
        np.array([*begins, _NOTHING], np.int8),
    )
