"""Trains the encoder: what an utterance means, and which words mean the same thing.

    python -m models.train.encoder --data models/train/work --out models/encoder --minutes 15

Takes the pairs of `models.train.generate` and the words of `models.train.encoder_words`. One core is enough. Learnt
together: the meanings of utterances (cross entropy), words of one thing near each other and far from those of others
(InfoNCE, both languages in one space), and single words near what the teacher knows of them, so that words that no bank
has keep a meaning. On held-out banks the temperature is fitted; on held-out words the cosine from which on most of what
is proposed is right.
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
from models.train.encoder_data import Said, Senses, labels, utterances
from models.train.encoder_net import Encoder, Shape, batch, to_onnx
from models.train.encoder_words import ROOT
from models.train.phrases import load_all
from models.train.vocabulary import PAD, UNKNOWN, Vocabulary

_WARM: Final = 0.04
_OWN: Final = 0.7
"""How fast a word learns its own part, beside the rest."""
_UTTERANCES, _PAIRS, _WORDS = 96, 56, 64
_LOST: Final = 0.08
"""The share of words that are not heard."""
_MEAN: Final = 0.93
"""What is left of the mean of the weights each time that it takes in those of now ..."""
_OFTEN: Final = 5
"""... which is after so many steps."""
_TIGHT: Final = 0.07
"""The temperature of InfoNCE."""
_FRAMES, _SENSES, _TEACHER = 2.0, 0.5, 0.5
"""How much each other loss counts beside that of meanings."""


class Training:
    """One run."""

    def __init__(self, args: argparse.Namespace) -> None:
        rng = self.rng = random.Random(args.seed)
        torch.manual_seed(args.seed)
        torch.set_num_threads(1)
        grammar, meanings = Grammar.load(ROOT / "rules"), Meanings.load(ROOT / "rules")
        self.names = labels(meanings)
        shape = Shape(width=args.width, layers=args.layers, heads=args.width // 32, inner=2 * args.width)
        self.vocabulary = Vocabulary.load(args.data / "words.npz", shape.vector)
        self.whole, self.apart = self.vocabulary.tokenizer(), self.vocabulary.tokenizer(apart=True)
        self.train, self.held = (
            utterances(args.data / f"{name}.jsonl", self.whole, self.apart, self.names) for name in ("train", "heldout")
        )
        self.senses = Senses(load_all(args.banks, meanings), grammar, args.wordnet, args.held, rng)
        senses = torch.from_numpy(self.vocabulary.senses).float()
        if args.no_teacher:
            torch.nn.init.normal_(senses, std=senses.shape[1] ** -0.5)
        self.model = Encoder(senses, sum(map(len, self.names)), shape)
        self.taught = torch.from_numpy(self.vocabulary.senses).float() if not args.no_teacher else None
        known = np.flatnonzero(np.abs(self.vocabulary.senses).sum(1) > 0)
        self.alone = [
            (at, row.ids[:6])
            for at, row in zip(known, self.apart.encode_batch([self.vocabulary.texts[at] for at in known]), strict=True)
        ]
        print(f"{len(self.train)} and {len(self.held)} utterances, {len(self.vocabulary.texts)} words", flush=True)

    def fit(self, minutes: float, wall: float, rate: float, save: Path) -> dict[str, Any]:
        """Trains for so many minutes of this processor, or by the clock; returns what the card tells.

        What is kept is the mean of the weights of late (an exponential average), so that it may end at any time.
        """
        model = self.model.train()
        mean = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(_MEAN), use_buffers=False)
        own = [item for name, item in model.named_parameters() if name == "words.own.weight"]
        rest = [item for name, item in model.named_parameters() if item.requires_grad and name != "words.own.weight"]
        optimizers = (torch.optim.AdamW(rest, lr=rate, weight_decay=0.05), torch.optim.SparseAdam(own, lr=rate))
        began = shown = time.monotonic()
        spent = time.process_time()
        steps, smooth = 0, 0.0
        while True:
            done = (time.process_time() - spent) / (60 * minutes)
            if done >= 1 or time.monotonic() - began > 60 * wall:
                break
            pace = max(0.01, min(done / _WARM, 1.0) * 0.5 * (1 + math.cos(math.pi * done)))
            for optimizer, highest in zip(optimizers, (rate, _OWN * rate), strict=True):
                optimizer.param_groups[0]["lr"] = highest * pace
                optimizer.zero_grad(set_to_none=True)
            # Few words are enough for the senses: every other step.
            none = torch.zeros(())
            losses = self._meaning(), none if steps % 2 else self._pairs(), none if steps % 2 else self._taught()
            loss = losses[0] + _SENSES * losses[1] + _TEACHER * losses[2]
            loss.backward()
            nn.utils.clip_grad_norm_(rest, 1.0)
            for optimizer in optimizers:
                optimizer.step()
            steps += 1
            if steps % _OFTEN == 0:
                mean.update_parameters(model)
            smooth = losses[0].item() if steps == 1 else 0.97 * smooth + 0.03 * losses[0].item()
            if time.monotonic() - shown > 420:
                shown = time.monotonic()
                torch.save(mean.module.state_dict(), save)
                told = " ".join(f"{item.item():.3f}" for item in losses)
                print(f"  {done:5.1%} step {steps} loss {smooth:.3f} ({told}) {self.told(self.scores())}", flush=True)
        torch.save(mean.module.state_dict(), save)
        model.load_state_dict(mean.module.state_dict())
        took = round((time.process_time() - spent) / 60, 1)
        return {
            "steps": steps,
            "utterances_seen": steps * _UTTERANCES,
            "processor_minutes": took,
            "loss": round(smooth, 4),
        }

    def scores(self) -> dict[str, float]:
        """How good it is on held-out banks, before calibration."""
        logits = self.logits(self.held)
        return _scores(logits[:, : len(self.names[0])], self.held)

    def told(self, scores: dict[str, float]) -> str:
        """Scores on a line."""
        return " ".join(f"{name} {value:.3f}" for name, value in scores.items())

    def logits(self, said: Sequence[Said]) -> Any:
        """(utterances, meanings + frames), in their order."""
        self.model.eval()
        order = sorted(range(len(said)), key=lambda at: len(said[at].tokens))
        with torch.no_grad():
            parts = [
                self.model(batch([said[at].tokens for at in order[start : start + 128]]))[0].numpy()
                for start in range(0, len(order), 128)
            ]
        self.model.train()
        return np.concatenate(parts)[np.argsort(order)]

    def vectors(self, texts: Sequence[str]) -> Any:
        """(texts, vector)."""
        self.model.eval()
        with torch.no_grad():
            rows = [item.ids[:44] for item in self.whole.encode_batch(list(texts))]
            found = np.concatenate(
                [self.model(batch(rows[at : at + 128]))[1].numpy() for at in range(0, len(rows), 128)]
            )
        self.model.train()
        return found

    def _meaning(self) -> Tensor:
        # Of a few draws those of like length, so that little is padded.
        drawn = sorted(self.rng.sample(self.train, 4 * _UTTERANCES), key=lambda item: len(item.tokens))
        start = self.rng.randrange(4) * _UTTERANCES
        chosen = drawn[start : start + _UTTERANCES]
        tokens = batch([item.any(self.rng) for item in chosen])
        lost = (torch.rand(tokens.shape) < _LOST) & (tokens != PAD)
        logits, _ = self.model(torch.where(lost, UNKNOWN, tokens))
        one, any_ = len(self.names[0]), len(self.names[1])
        wanted, framed = torch.zeros(len(chosen), one), torch.zeros(len(chosen), any_)
        for row, item in enumerate(chosen):
            wanted[row, item.meanings] = 1 / len(item.meanings)
            framed[row, item.frames] = 1.0
        meaning = -(F.log_softmax(logits[:, :one], -1) * wanted).sum(1).mean()
        return meaning + _FRAMES * F.binary_cross_entropy_with_logits(logits[:, one:], framed)

    def _pairs(self) -> Tensor:
        pairs = self.senses.pairs(self.rng, _PAIRS)
        cut = self.apart if self.rng.random() < 0.3 else self.whole
        rows = [item.ids[:30] for item in cut.encode_batch([text for pair in pairs for text in pair])]
        _, vectors = self.model(batch(rows))
        likeness = vectors[0::2] @ vectors[1::2].T / _TIGHT
        right = torch.arange(len(pairs))
        return (F.cross_entropy(likeness, right) + F.cross_entropy(likeness.T, right)) / 2

    def _taught(self) -> Tensor:
        if self.taught is None:
            return torch.zeros(())
        chosen = self.rng.sample(self.alone, _WORDS)
        whole = self.rng.random() < 0.5
        _, vectors = self.model(batch([[int(at)] if whole else row for at, row in chosen]))
        return (1 - (vectors * self.taught[[int(at) for at, _ in chosen]]).sum(1)).mean()


def _scores(logits: Any, held: Sequence[Said]) -> dict[str, float]:
    chances = _softmax(logits)
    best = chances.argmax(1)
    nothing = np.array([item.meanings == [0] for item in held])
    command = np.array([min(item.meanings) > 1 for item in held])
    right = np.array([top in item.meanings for top, item in zip(best, held, strict=True)])
    for_us = 1 - chances[:, 0]
    found: dict[str, float] = {"right": float(right.mean()), "commands": float(right[command].mean())}
    for share in (0.97, 0.9):
        limit = np.quantile(for_us[nothing], share)
        found[f"rejected@{share}"] = float((for_us[command] <= limit).mean())
    likely = np.array([max(row[item.meanings]) for row, item in zip(chances, held, strict=True)])
    found["nll"] = float(-np.log(likely + 1e-9).mean())
    return found


def calibrated(logits: Any, held: Sequence[Said]) -> tuple[float, dict[str, Any]]:
    """The temperature at which the probabilities are likeliest, and how far they are off then (ECE in ten bins)."""
    grid = np.arange(0.5, 4.0, 0.05)
    temperature = float(min(grid, key=lambda value: _scores(logits / value, held)["nll"]))
    chances = _softmax(logits / temperature)
    top, right = (
        chances.max(1),
        np.array([at in item.meanings for at, item in zip(chances.argmax(1), held, strict=True)]),
    )
    bins = np.minimum((top * 10).astype(int), 9)
    curve = [
        {
            "said": round(float(top[bins == at].mean()), 3),
            "right": round(float(right[bins == at].mean()), 3),
            "count": int((bins == at).sum()),
        }
        for at in range(10)
        if (bins == at).any()
    ]
    error = sum(item["count"] * abs(item["said"] - item["right"]) for item in curve) / len(held)
    return round(temperature, 2), {"error": round(error, 4), "curve": curve}


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
    """Trains, calibrates, and writes the three files of the model and `encoder_training.json` beside the pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--banks", type=Path, default=Path(__file__).resolve().parent / "banks")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--wordnet", type=Path, help="the folder with data.noun; without it no synonyms are learnt of it"
    )
    parser.add_argument("--minutes", type=float, default=8, help="of the processor")
    parser.add_argument("--wall", type=float, default=60, help="minutes by the clock, at most")
    parser.add_argument("--rate", type=float, default=1.5e-3, help="of learning, at its highest")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--held", type=float, default=0.12, help="the share of words of things that are not learnt")
    parser.add_argument("--no-teacher", action="store_true", help="begin with words of no meaning, to compare")
    parser.add_argument("--resume", action="store_true", help="begin with what was saved last")
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    training = Training(args)
    save = args.data / "encoder.pt"
    if args.resume and save.exists():
        training.model.load_state_dict(torch.load(save))
    told: dict[str, Any] = {
        "seed": args.seed,
        "utterances": len(training.train),
        "words": len(training.vocabulary.texts),
    }
    if args.minutes:
        told |= training.fit(args.minutes, args.wall, args.rate, save)
    logits = training.logits(training.held)[:, : len(training.names[0])]
    temperature, reliability = calibrated(logits, training.held)
    told |= {"held_out": _scores(logits / temperature, training.held), "reliability": reliability}
    for bank in sorted({item.bank for item in training.held}):
        mine = [at for at, item in enumerate(training.held) if item.bank == bank]
        told[f"held_out.{bank}"] = _scores(logits[mine] / temperature, [training.held[at] for at in mine])
    limit, tight, told["things"] = alike(training)
    training.whole.save(str(args.out / "tokenizer.json"), pretty=False)
    card = {
        "meanings": training.names[0],
        "frames": training.names[1],
        "temperature": temperature,
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
