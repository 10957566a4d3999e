"""Trains the encoder: which words mean the same thing.

    python -m models.train.encoder --data models/train/work --out models/encoder

Takes the words of `models.train.encoder_words`. One core is enough. Learnt together: words of one thing near each other
and far from those of others (InfoNCE, both languages in one space), and single words and phrases near what the teacher
knows of them, so that words that no bank has keep a meaning. On words that were held back it is found from where on
most of what is asked about is right (`models.train.encoder_limits`).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from daemon.compiler.meanings import Meanings
from daemon.resolve.meaning.encoder import Encoder as Reader
from daemon.understand.grammar import Grammar
from models.train.encoder_data import Senses
from models.train.encoder_limits import limits, nearest
from models.train.encoder_net import Encoder, Shape, batch, to_onnx
from models.train.encoder_words import ROOT
from models.train.phrases import load_all
from models.train.vocabulary import Vocabulary

_WARM: Final = 0.04
_OWN: Final = 0.7
"""How fast a word learns its own part, beside the rest."""
_PAIRS, _WORDS = 120, 96
_PORTIONS: Final = (0.0, 0.5, 0.8, 1.0)
"""Texts are read in portions of like length, so that the short ones need not be as long as the longest."""
_MEAN: Final = 0.93
"""What is left of the mean of the weights each time that it takes in those of now ..."""
_OFTEN: Final = 5
"""... which is after so many steps."""
_TIGHT: Final = 0.07
"""The temperature of InfoNCE."""
_TEACHER: Final = 1.5
"""How much nearness to the teacher counts beside that of words of one thing."""
_NOTHING: Final = {"alike": 1.0, "tight": 0.1, "same": 1.0}
"""Limits with which nothing is near."""
_SHOWN_S: Final = 60


class Training:
    """One run."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.rng = random.Random(args.seed)
        torch.manual_seed(args.seed)
        torch.set_num_threads(1)
        grammar, meanings = Grammar.load(ROOT / "rules"), Meanings.load(ROOT / "rules")
        shape = Shape(width=args.width)
        self.vocabulary = Vocabulary.load(args.data / "words.npz", shape.vector)
        self.whole, self.apart = self.vocabulary.tokenizer(), self.vocabulary.tokenizer(apart=True)
        self.senses = Senses(load_all(args.banks, meanings), grammar, args.wordnet)
        senses = torch.from_numpy(self.vocabulary.senses).float()
        self.model = Encoder(senses, shape)
        self.taught = senses.clone()
        known = np.flatnonzero(np.abs(self.vocabulary.senses).sum(1) > 0)
        self.alone = [
            (int(at), row.ids[:6])
            for at, row in zip(known, self.apart.encode_batch([self.vocabulary.texts[at] for at in known]), strict=True)
        ]
        self.phrases = [row.ids[:30] for row in self.whole.encode_batch(list(self.vocabulary.phrases))]
        self.meant = torch.from_numpy(self.vocabulary.meant).float()
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

    def counted(self) -> dict[str, int]:
        """What the card tells of what was learnt, and of the network."""
        senses = self.senses
        return {
            "kinds": len(senses.things),
            "known": sum(map(len, senses.groups)),
            "purposes": sum(map(len, senses.purposes)),
            "synonyms": len(senses.synonyms),
            "weights": sum(
                item.numel() for name, item in self.model.named_parameters() if not name.startswith("words.")
            ),
        }

    def _pairs(self) -> Tensor:
        pairs = self.senses.pairs(self.rng, _PAIRS)
        cut = self.apart if self.rng.random() < 0.3 else self.whole
        rows = [item.ids[:30] for item in cut.encode_batch([text for pair in pairs for text in pair])]
        vectors = self._read(rows)
        likeness = vectors[0::2] @ vectors[1::2].T / _TIGHT
        right = torch.arange(len(pairs))
        return (F.cross_entropy(likeness, right) + F.cross_entropy(likeness.T, right)) / 2

    def _taught(self) -> Tensor:
        chosen = self.rng.sample(self.alone, _WORDS)
        whole = self.rng.random() < 0.5
        rows = [[at] if whole else row for at, row in chosen]
        wanted = [self.taught[[at for at, _ in chosen]]]
        phrases = self.rng.sample(range(len(self.phrases)), _WORDS)
        rows += [self.phrases[at] for at in phrases]
        wanted.append(self.meant[phrases])
        return (1 - (self._read(rows) * torch.cat(wanted)).sum(1)).mean()

    def _read(self, rows: list[list[int]]) -> Tensor:
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        cuts = [int(share * len(rows)) for share in _PORTIONS]
        parts = [self.model(batch([rows[at] for at in order[low:high]])) for low, high in pairwise(cuts)]
        return torch.cat(parts)[torch.tensor(order).argsort()]


def found(senses: Senses, folder: Path) -> tuple[dict[str, float], dict[str, float]]:
    """The limits of the files in a folder, and how good they are, by the words that were never learnt."""
    reader = Reader(folder, "new")
    # What the card lists; what banks say beside it is learnt, but is not there to be compared with.
    told = [[word for word in thing.whole if word not in thing.held] for thing in senses.things]
    table = reader.read([word for words in told for word in words])
    words = reader.read([word for word, _ in senses.held])
    near = nearest(words, table, [len(words) for words in told])
    return limits(near, np.array([thing for _, thing in senses.held]))


def write_card(folder: Path, near: Mapping[str, float], senses: Senses) -> None:
    """Writes `encoder.json`."""
    card = {**near, "things": [thing.whole for thing in senses.things if thing.purposes]}
    (folder / "encoder.json").write_text(json.dumps(card, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains, finds the limits, and writes the files of the model, and `encoder_training.json` beside the pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--banks", type=Path, default=Path(__file__).resolve().parent / "banks")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--wordnet", type=Path, help="the folder with data.noun; without it no synonyms are learnt of it"
    )
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--rate", type=float, default=1.5e-3, help="of learning, at its highest")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=192)
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    training = Training(args)
    told: dict[str, Any] = {"seed": args.seed, "words": len(training.vocabulary.texts)}
    told |= training.fit(args.steps, args.rate)
    training.whole.save(str(args.out / "tokenizer.json"), pretty=False)
    to_onnx(training.model, args.out / "encoder.onnx")
    # They are found as it is used: in eight bits.
    write_card(args.out, _NOTHING, training.senses)
    near, told["things"] = found(training.senses, args.out)
    write_card(args.out, near, training.senses)
    told |= training.counted() | {"limits": near}
    (args.data / "encoder_training.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
