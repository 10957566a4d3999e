"""How good an encoder is on pairs that it never learnt from, as Hearken runs it: in eight bits, one text at a time.

python -m models.train.encoder_score --model models/encoder models/train/work/heldout.jsonl
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from daemon.meaning.encoder import Encoder
from daemon.meaning.judge import NOTHING, UNSURE, Judge, Judgement
from daemon.meaning.shelf import Shelf


class _One(Shelf):
    """A shelf with one encoder on it."""

    def __init__(self, encoder: Encoder) -> None:
        self._one = encoder

    def reader(self) -> Encoder:
        """The encoder."""
        return self._one


def scored(lines: Sequence[dict[str, Any]], found: Sequence[Judgement]) -> dict[str, Any]:
    """Shares, 0 to 1.

    `right` is the likeliest meaning among those that were meant; `rejected@97%` how many commands are taken for talk
    where 97 in 100 of the talk is; `sure@99%` how many commands are at least so likely that 99 in 100 of all so likely
    are right; `error` the expected calibration error in ten bins.
    """
    right = np.array([item.best in line["ids"] for line, item in zip(lines, found, strict=True)])
    sure = np.array([item.sure for item in found])
    for_us = np.array([item.for_us for item in found])
    talk = np.array([NOTHING in line["ids"] for line in lines])
    command = np.array([not {NOTHING, UNSURE} & set(line["ids"]) for line in lines])
    told: dict[str, Any] = {
        "utterances": len(lines),
        "right": _mean(right),
        "commands": _mean(right[command]),
        "three": _mean(
            np.array(
                [
                    bool({name for name, _ in item.meanings[:3]} & set(line["ids"]))
                    for line, item in zip(lines, found, strict=True)
                ]
            )[command]
        ),
    }
    if talk.any() and command.any():
        for share in (0.97, 0.9):
            limit = float(np.quantile(for_us[talk], share))
            told[f"rejected@{share:.0%}"] = _mean(for_us[command] <= limit)
            told[f"limit@{share:.0%}"] = round(limit, 3)
        told["silent@0.5"] = _mean(for_us[talk] < 0.5)
        told["heard@0.5"] = _mean(for_us[command] >= 0.5)
    acted = np.array([item.best not in (NOTHING, UNSURE) for item in found])
    order = np.argsort(-np.where(acted, sure, -1))
    good = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    many = [at for at in range(20, int(acted.sum())) if good[at] >= 0.99]
    told["sure@99%"] = round(float((many[-1] + 1) / command.sum()), 3) if many else 0.0
    bins = np.minimum((sure * 10).astype(int), 9)
    parts = [bins == at for at in range(10) if (bins == at).any()]
    told["error"] = round(
        float(sum(part.sum() * abs(sure[part].mean() - right[part].mean()) for part in parts) / len(sure)), 4
    )
    return told


def _mean(values: Any) -> float:
    return round(float(np.mean(values)), 3) if len(values) else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for all, for each language and for each bank, and how long a text takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="the folder of the encoder")
    parser.add_argument("pairs", type=Path, nargs="+", help="lines of models.train.generate")
    args = parser.parse_args(arguments)
    judge = Judge(_One(Encoder(args.model, "scored")))
    lines = [json.loads(line) for file in args.pairs for line in file.read_text(encoding="utf-8").splitlines()]
    times, found = [], []
    for line in lines:
        began = time.perf_counter()
        item = judge.judge(line["text"])
        times.append(1000 * (time.perf_counter() - began))
        assert item is not None
        found.append(item)
    parts = {"all": lines} | {
        key: [line for line in lines if key in (line["lang"], line["bank"])]
        for key in sorted({line[name] for line in lines for name in ("lang", "bank")})
    }
    numbers = {id(line): at for at, line in enumerate(lines)}
    for name, mine in parts.items():
        print(name, json.dumps(scored(mine, [found[numbers[id(line)]] for line in mine])))
    print(f"p50 {np.quantile(times, 0.5):.2f} ms, p95 {np.quantile(times, 0.95):.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
