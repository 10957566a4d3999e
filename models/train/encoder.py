"""Trains the encoder: which words mean the same thing.

    python -m models.train.encoder --data models/train/work --out models/encoder

Takes the words of `models.train.encoder_words`. One core is enough. Learnt together: words of one thing near each other
and far from those of others (InfoNCE, both languages in one space), and single words near what the teacher knows of
them, so that words that no bank has keep a meaning. On held-out words the cosine is found from which on most of what is
proposed is right.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from daemon.compiler.meanings import Meanings
from daemon.understand.grammar import Grammar
from models.train.encoder_data import Senses
from models.train.encoder_net import Encoder, Shape, batch, to_onnx
from models.train.encoder_words import ROOT
from models.train.phrases import load_all
from models.train.vocabulary import Vocabulary

_WARM: Final = 0.04
_OWN: Final = 0.7
"""How fast a word learns its own part, beside the rest."""
_PAIRS, _WORDS = 56, 64
_MEAN: Final = 0.93
"""What is left of the mean of the weights each time that it takes in those of now ..."""
_OFTEN: Final = 5
"""... which is after so many steps."""
_TIGHT: Final = 0.07
"""The temperature of InfoNCE."""
_TEACHER: Final = 0.5
"""How much nearness to the teacher counts beside that of words of one thing."""
_SHOWN_S: Final = 60


class Training:
    """One run."""

    def __init__(self, args: argparse.Namespace) -> None:
        rng = self.rng = random.Random(args.seed)
        torch.manual_seed(args.seed)
        torch.set_num_threads(1)
        grammar, meanings = Grammar.load(ROOT / "rules"), Meanings.load(ROOT / "rules")
        shape = Shape(width=args.width, layers=args.layers, heads=args.width // 32, inner=2 * args.width)
        self.vocabulary = Vocabulary.load(args.data / "words.npz", shape.vector)
        self.whole, self.apart = self.vocabulary.tokenizer(), self.vocabulary.tokenizer(apart=True)
        self.senses = Senses(load_all(args.banks, meanings), grammar, args.wordnet, args.held, rng)
        senses = torch.from_numpy(self.vocabulary.senses).float()
        self.model = Encoder(senses, shape)
        self.taught = senses.clone()
        known = np.flatnonzero(np.abs(self.vocabulary.senses).sum(1) > 0)
        self.alone = [
            (at, row.ids[:6])
            for at, row in zip(known, self.apart.encode_batch([self.vocabulary.texts[at] for at in known]), strict=True)
        ]
        print(f"{len(self.senses.things)} things, {len(self.vocabulary.texts)} words", flush=True)

    def fit(self, total: int, rate: float) -> dict[str, Any]:
        """Trains for so many steps; returns what the card tells.

        What is kept is the mean of the weights of late (an exponential average).
        """
        model = self.model.train()
        mean = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(_MEAN), use_buffers=False)
        own = [item for name, item in model.named_parameters() if name == "words.own.weight"]
        rest = [item for name, item in model.named_parameters() if item.requires_grad and name != "words.own.weight"]
        optimizers = (torch.optim.AdamW(rest, lr=rate, weight_decay=0.05), torch.optim.SparseAdam(own, lr=rate))
        began = shown = time.monotonic()
        smooth = 0.0
        for step in range(total):
            done = step / total
            pace = max(0.01, min(done / _WARM, 1.0) * 0.5 * (1 + math.cos(math.pi * done)))
            for optimizer, highest in zip(optimizers, (rate, _OWN * rate), strict=True):
                optimizer.param_groups[0]["lr"] = highest * pace
                optimizer.zero_grad(set_to_none=True)
            pairs, taught = self._pairs(), self._taught()
            (pairs + _TEACHER * taught).backward()
            nn.utils.clip_grad_norm_(rest, 1.0)
            for optimizer in optimizers:
                optimizer.step()
            if step % _OFTEN == 0:
                mean.update_parameters(model)
            smooth = pairs.item() if step == 0 else 0.97 * smooth + 0.03 * pairs.item()
            if time.monotonic() - shown > _SHOWN_S:
                shown = time.monotonic()
                print(f"  {done:5.1%}  loss {smooth:.3f}, to the teacher {taught.item():.3f}", flush=True)
        model.load_state_dict(mean.module.state_dict())
        return {"steps": total, "minutes": round((time.monotonic() - began) / 60, 1), "loss": round(smooth, 4)}

    def vectors(self, texts: Sequence[str]) -> Any:
        """(texts, vector)."""
        self.model.eval()
        with torch.no_grad():
            rows = [item.ids[:44] for item in self.whole.encode_batch(list(texts))]
            found = np.concatenate([self.model(batch(rows[at : at + 128])).numpy() for at in range(0, len(rows), 128)])
        self.model.train()
        return found

    def _pairs(self) -> Tensor:
        pairs = self.senses.pairs(self.rng, _PAIRS)
        cut = self.apart if self.rng.random() < 0.3 else self.whole
        rows = [item.ids[:30] for item in cut.encode_batch([text for pair in pairs for text in pair])]
        vectors = self.model(batch(rows))
        likeness = vectors[0::2] @ vectors[1::2].T / _TIGHT
        right = torch.arange(len(pairs))
        return (F.cross_entropy(likeness, right) + F.cross_entropy(likeness.T, right)) / 2

    def _taught(self) -> Tensor:
        chosen = self.rng.sample(self.alone, _WORDS)
        whole = self.rng.random() < 0.5
        vectors = self.model(batch([[int(at)] if whole else row for at, row in chosen]))
        return (1 - (vectors * self.taught[[int(at) for at, _ in chosen]]).sum(1)).mean()


def alike(training: Training) -> tuple[float, float, dict[str, float]]:
    """From which cosine on nine in ten proposals are right, of words that were never learnt, and by what to divide it.

    As `daemon.meaning.index` does it: a thing is asked about where it is meant with a chance of a half, of all things.
    Half of them are in a home; what is asked about for a thing that is not there is wrong.
    """
    senses = training.senses
    table = training.vectors([word for group in senses.groups for word in group])
    starts = np.cumsum([0, *map(len, senses.groups)])[:-1]
    near = np.maximum.reduceat(training.vectors([word for word, _ in senses.held]) @ table.T, starts, axis=1)
    meant = np.array([thing for _, thing in senses.held])
    rows = np.arange(len(meant))
    grid = np.arange(0.015, 0.1, 0.0025)
    tight = float(min(grid, key=lambda value: -np.log(_softmax(near / value)[rows, meant] + 1e-6).mean()))
    chances = _softmax(near / tight)
    best, top = near.argmax(1), near.max(1)
    asked = chances.max(1) >= 0.5
    right = best == meant
    limit = 0.95
    for floor in np.arange(0.9, 0.35, -0.01):
        chosen = asked & (top >= floor)
        # Where the right thing is there: half of the time. A wrong one as often.
        if chosen.sum() >= 10 and right[chosen].mean() >= 0.9:
            limit = float(floor)
    chosen = asked & (top >= limit)
    five = np.mean([thing in np.argsort(-row)[:5] for row, thing in zip(near, meant, strict=True)])
    told = {"limit": limit, "asked": chosen.mean(), "right": right[chosen].mean(), "recall_at_5": five}
    return (
        round(limit, 3),
        round(tight, 4),
        {name: round(float(value), 3) for name, value in told.items()} | {"words": len(meant)},
    )


def _softmax(logits: Any) -> Any:
    grown = np.exp(logits - logits.max(1, keepdims=True))
    return grown / grown.sum(1, keepdims=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains, finds the limits, and writes the files of the model, and `encoder_training.json` beside the pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--banks", type=Path, default=Path(__file__).resolve().parent / "banks")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--wordnet", type=Path, help="the folder with data.noun; without it no synonyms are learnt of it"
    )
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--rate", type=float, default=1.5e-3, help="of learning, at its highest")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--held", type=float, default=0.12, help="the share of words of things that are not learnt")
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    training = Training(args)
    told: dict[str, Any] = {"seed": args.seed, "words": len(training.vocabulary.texts)}
    told |= training.fit(args.steps, args.rate)
    limit, tight, told["things"] = alike(training)
    training.whole.save(str(args.out / "tokenizer.json"), pretty=False)
    card = {
        "alike": limit,
        "tight": tight,
        "things": [thing.all for thing in training.senses.things if thing.purposes],
    }
    (args.out / "encoder.json").write_text(json.dumps(card, ensure_ascii=False) + "\n", encoding="utf-8")
    to_onnx(training.model, args.out / "encoder.onnx")
    (args.data / "encoder_training.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
