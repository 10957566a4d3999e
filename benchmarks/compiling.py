"""What the models cost that compile what the grammar cannot read: time on one thread, loading, memory. In one run.

    python -m benchmarks.compiling [--decoder models/decoder/compiler.gguf] [--chat A_LARGER_ONE.gguf] [--json]

Each model has a process of its own. Times are of the processor, from the normalized utterance to the draft: what else
runs on the machine does not decide. Memory is what the process grew by, loading and all utterances included.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from benchmarks.speed.footprint import resident_mib
from daemon.compiler.filling import Filling
from daemon.compiler.gbnf import DraftGrammar
from daemon.compiler.loading import NAME, decoder_of
from daemon.compiler.meanings import Meanings
from daemon.compiler.tagger import Tagger
from daemon.evaluate.summary import Quantiles
from daemon.system.config import ROOT
from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable
from daemon.understand.normalize import Normalized, normalize

Part = Literal["tagger", "grammar of drafts", "decoder", "chat"]
_LISTS: Final = ("sentences.en.txt", "sentences.zh.txt", "not_for_us.en.txt", "not_for_us.zh.txt")
_ROOMS: Final = ("kitchen", "bedroom", "study", "hall", "attic", "客厅", "书房", "阳台", "卧室", "玄关")


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of the processor, and MiB."""

    part: Part
    utterances: int
    p50_ms: float
    p95_ms: float
    load_ms: float
    memory_mib: float
    file_mib: float


def utterances(most: int) -> list[Normalized]:
    """So many of the sentences beside this script, evenly from all of them."""
    every = [
        line
        for name in _LISTS
        for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    return [normalize(line) for line in every[:: max(1, len(every) // most)]][:most]


def measured(part: Part, file: Path | None, most: int) -> Cost:
    """What one part costs; to be run in a process of its own."""
    rules = ROOT / "rules"
    grammar = Grammar.load(rules)
    meanings = Meanings.load(rules)
    filling = Filling(meanings, grammar)
    said = utterances(most)
    things = [f"{room} {thing}" for room in _ROOMS for thing in ("lamp", "fan", "灯")]
    names = NameTable([NamedThing(name, "device") for name in things], nearby=lambda _text, most: tuple(things[:most]))
    grammar.read(said[0], names)
    memory, began = resident_mib(), time.process_time()
    ask: Callable[[Normalized], object]
    if part == "tagger":
        tagger = Tagger(ROOT / "models" / NAME, meanings, grammar.lexicon)
        ask = lambda item: tagger.guess(item.text)  # noqa: E731 - the same question to each
    elif part == "grammar of drafts":
        drafts = DraftGrammar(meanings, filling)
        ask = lambda item: drafts.text(item.text)  # noqa: E731
    else:
        assert file is not None
        decoder = decoder_of(file, rules, meanings, filling, chat=part == "chat")
        ask = lambda item: decoder.guess(item, names, frozenset(), math.inf)  # noqa: E731
    loaded = time.process_time()
    ask(said[0])
    spent = []
    for item in said:
        start = time.process_time()
        ask(item)
        spent.append((time.process_time() - start) * 1000)
    found = Quantiles.of(spent)
    size = file.stat().st_size / 2**20 if file is not None else 0.0
    return Cost(part, found.count, found.p50, found.p95, (loaded - began) * 1000, resident_mib() - memory, size)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for each model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decoder", type=Path, default=ROOT / "models" / "decoder" / "compiler.gguf")
    parser.add_argument("--chat", type=Path, help="a GGUF file for conversation")
    parser.add_argument("--utterances", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(arguments)
    parts: list[tuple[Part, Path | None]] = [("tagger", ROOT / "models" / NAME / "tagger.onnx")]
    parts += [("grammar of drafts", None)]
    parts += [("decoder", args.decoder)] if args.decoder.exists() else []
    parts += [("chat", args.chat)] if args.chat is not None else []
    for part, file in parts:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            cost = pool.submit(measured, part, file, args.utterances).result()
        if args.json:
            print(
                json.dumps(
                    {key: round(value, 2) if isinstance(value, float) else value for key, value in asdict(cost).items()}
                )
            )
        else:
            print(
                f"{cost.part:<18} {cost.utterances} utterances  p50 {cost.p50_ms:7.2f} ms  p95 {cost.p95_ms:7.2f} ms"
                f"  load {cost.load_ms:7.1f} ms  memory {cost.memory_mib:6.1f} MiB  file {cost.file_mib:6.1f} MiB"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
