"""Pairs as batches of tokens."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from daemon.compiler.draft import Labels, led, parse
from daemon.compiler.meanings import Meanings
from models.train.tokens import ASK, END, PAD, START
from models.train.writing import tagged

_AT_ONCE: Final = 10_000
_STEP: Final = 8
"""Pairs that are encoded together: what the tokenizer tells of a text takes kilobytes."""


@dataclass(frozen=True, slots=True)
class Example:
    """One pair in tokens, kept small: there are close to a million."""

    prompt: array[int]
    """From START to ASK."""
    answer: array[int]
    """To END."""
    heads: tuple[int, int, int]
    """The numbers of its meaning, its frame and its second command; -1 where labels cannot say it."""
    tags: array[int]
    kinds: array[int]
    """Of each token of the prompt."""


class Examples:
    """Pairs in tokens.

    Args:
        lines: Of `models.train.generate`.
        tokenizer: The vocabulary.
        meanings: What can be meant.
    """

    def __init__(self, lines: Sequence[dict[str, str]], tokenizer: Tokenizer, meanings: Meanings) -> None:
        self._start, self._ask, self._end = (tokenizer.token_to_id(word) for word in (START, ASK, END))
        self.pad = tokenizer.token_to_id(PAD)
        self.labels = Labels.of(meanings)
        self._numbers = {
            head: {name: at for at, name in enumerate(getattr(self.labels, head))}
            for head in ("meaning", "frame", "second", "tag", "kind")
        }
        self.all: list[Example] = []
        for start in range(0, len(lines), _AT_ONCE):
            some = lines[start : start + _AT_ONCE]
            prompts = tokenizer.encode_batch([led(line["text"]) for line in some])
            answers = tokenizer.encode_batch([line["out"] for line in some])
            self.all += [
                self._example(line, prompt.ids, prompt.offsets, answer.ids, meanings)
                for line, prompt, answer in zip(some, prompts, answers, strict=True)
            ]

    def _example(
        self,
        line: dict[str, str],
        prompt: list[int],
        offsets: list[tuple[int, int]],
        answer: list[int],
        meanings: Meanings,
    ) -> Example:
        ids, told = _small([self._start, *prompt, self._ask]), _small([*answer, self._end])
        numbers = self._numbers
        text = line["text"]
        places = [(0, 0), *placed(text, offsets), (0, 0)]
        said = tagged(parse(line["out"], meanings), text, places)
        if said is None:
            none = _small([0] * len(ids))
            return Example(ids, told, (-1, -1, -1), none, none)
        heads = (numbers["meaning"][said.meaning], numbers["frame"][said.frame], numbers["second"][said.second])
        tags, kinds = ([numbers[head][item] for item in of] for head, of in (("tag", said.tags), ("kind", said.kinds)))
        return Example(ids, told, heads, _small(tags), _small(kinds))

    def batches(self, rng: random.Random, tokens: int, *, answers: bool) -> Iterator[list[Example]]:
        """All pairs once, in an order of chance, those of like length together; a batch has about so many tokens."""
        order = list(range(len(self.all)))
        rng.shuffle(order)
        size = 20_000
        for start in range(0, len(order), size):
            chunk = sorted(order[start : start + size], key=lambda at: self._length(at, answers=answers))
            made: list[list[Example]] = []
            batch: list[Example] = []
            for at in chunk:
                if batch and (len(batch) + 1) * rounded(self._length(at, answers=answers)) > tokens:
                    made.append(batch)
                    batch = []
                batch.append(self.all[at])
            made.append(batch)
            rng.shuffle(made)
            yield from made

    def _length(self, at: int, *, answers: bool) -> int:
        example = self.all[at]
        return len(example.prompt) + (len(example.answer) if answers else 0)

    def whole(self, batch: Sequence[Example]) -> tuple[Tensor, Tensor, Tensor]:
        """Inputs, targets and the weight of each target, for the decoder."""
        longest = rounded(max(len(item.prompt) + len(item.answer) for item in batch)) - 1
        tokens = np.full((len(batch), longest + 1), self.pad, dtype=np.int64)
        weights = np.zeros((len(batch), longest + 1), dtype=np.float32)
        for row, item in enumerate(batch):
            line = item.prompt + item.answer
            tokens[row, : len(line)] = line
            weights[row, len(item.prompt) : len(line)] = 1.0
        return torch.from_numpy(tokens[:, :-1]), torch.from_numpy(tokens[:, 1:]), torch.from_numpy(weights[:, 1:])

    def prompts(self, batch: Sequence[Example]) -> tuple[Tensor, ...]:
        """For the tagger: inputs, which of them are there, the three heads, tags and kinds (-1: nothing to learn)."""
        longest = rounded(max(len(item.prompt) for item in batch))
        tokens = np.full((len(batch), longest), self.pad, dtype=np.int64)
        tags = np.full((len(batch), longest), -1, dtype=np.int64)
        kinds = np.full((len(batch), longest), -1, dtype=np.int64)
        begin = {
            at
            for at, tag in enumerate(self.labels.tag)
            if tag.startswith("B ") and tag.endswith(("target", "set", "but"))
        }
        for row, item in enumerate(batch):
            tokens[row, : len(item.prompt)] = item.prompt
            if item.heads[0] >= 0:
                tags[row, 1 : len(item.tags) - 1] = item.tags[1:-1]
                for at, tag in enumerate(item.tags):
                    if tag in begin:
                        kinds[row, at] = item.kinds[at]
        found = torch.from_numpy(tokens)
        heads = torch.tensor([item.heads for item in batch])
        return found, (found != self.pad).float(), heads, torch.from_numpy(tags), torch.from_numpy(kinds)


def rounded(length: int) -> int:
    """A length of few: for each shape of a batch the engine compiles kernels of its own, and keeps them."""
    return -(-length // _STEP) * _STEP


def _small(numbers: Sequence[int]) -> array[int]:
    """Numbers below 65,536."""
    return array("H", numbers)


def placed(text: str, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where tokens stand in a text, of those of the text as the model gets it."""
    shift = len(led(text)) - len(text)
    return [(max(low - shift, 0), max(high - shift, 0)) for low, high in offsets]
