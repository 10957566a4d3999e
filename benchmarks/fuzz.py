"""Says anything at all to simulated homes, and counts what must not be.

Words at random, sentences of the grammar, sentences of our tables bent and broken, any Unicode, what nests or goes on
for ever, and any answer while a question is open: from several satellites, in both languages, to homes whose things
have odd names. No time is waited for: the homes live in virtual time. What was sent is told by the devices' own log.

It ends with 1 where anything raised, where a risky act was sent without a yes directly before, and where an utterance
took over a second of processor time. The same seed says the same, however many processes share the work.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from benchmarks.fuzz_checks import FAULTS
from benchmarks.fuzz_tally import WORST, Chunk, Tally
from benchmarks.fuzzed_talk import played

CHUNK = 1000
"""Utterances in one home."""
_SHOWN = 12
"""So many of each fault are printed."""
_HOMES_EACH = 10
"""So many homes one process plays, more or less: what a home has for good is kept for as long as its process lives."""
_MODEL_EVERY = 20
"""Unless told otherwise, the small models are there in every so many homes."""


def chunks(utterances: int, seed: int, langs: Sequence[str], *, model: bool | None) -> list[Chunk]:
    """The whole work, home by home."""
    found = []
    for number, start in enumerate(range(0, utterances, CHUNK)):
        with_model = number % _MODEL_EVERY == _MODEL_EVERY - 1 if model is None else model
        lang = (*langs, None)[number % (len(langs) + 1)] if len(langs) > 1 else langs[0]
        found.append(Chunk(seed, number, min(CHUNK, utterances - start), lang, with_model))
    return found


def all_played(work: Sequence[Chunk], jobs: int) -> Iterator[Tally]:
    """What came of each home, in their order."""
    if len(work) == 1:
        yield from map(played, work)
        return
    spawn = multiprocessing.get_context("spawn")
    # An executor that is told to take new processes by itself (`max_tasks_per_child`) may wait for ever.
    for first in range(0, len(work), jobs * _HOMES_EACH):
        with ProcessPoolExecutor(jobs, mp_context=spawn) as pool:
            yield from pool.map(played, work[first : first + jobs * _HOMES_EACH])


def told(tally: Tally, wall_s: float) -> str:
    """The table."""
    lines = [f"{'utterances':34}{tally.utterances:>12,}"]
    lines += [f"{outcome or 'raised':34}{count:>12,}" for outcome, count in tally.outcomes.most_common()]
    lines.append(f"{'risky acts after a yes':34}{tally.confirmed:>12,}")
    lines += [f"{words:34}{tally.faults[fault]:>12,}" for fault, words in FAULTS.items()]
    times = sorted(tally.times)
    for words, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0)):
        at = min(len(times) - 1, int(share * len(times)))
        lines.append(f"{f'processor ms, {words}':34}{times[at] * 1000:>12.1f}")
    lines.append(f"{'utterances a second':34}{tally.utterances / wall_s:>12.0f}")
    lines += [f"worst: {seconds * 1000:,.0f} ms, {len(text):,} characters: {text[:100]!r}"
              for seconds, text in sorted(tally.worst, reverse=True)[:WORST]]  # fmt: skip
    return "\n".join(lines)


def ends_well(tally: Tally) -> bool:
    """Whether nothing was found that must not be."""
    return not any(tally.faults[fault] for fault in ("exception", "risk", "slow"))


def main() -> int:
    """Plays, and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--utterances", type=int, default=10_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes")
    parser.add_argument("--model", action=argparse.BooleanOptionalAction, help="in all homes, or in none; else a share")
    parser.add_argument("--lang", choices=("en", "zh", "both"), default="both")
    parser.add_argument("--home", type=int, metavar="N", help="plays this one of the homes alone")
    args = parser.parse_args()
    langs = ("en", "zh") if args.lang == "both" else (args.lang,)
    work = chunks(args.utterances, args.seed, langs, model=args.model)
    if args.home is not None:
        work = work[args.home : args.home + 1]
    begun, together = time.perf_counter(), Tally()
    for chunk, tally in zip(work, all_played(work, args.jobs), strict=True):
        for finding in tally.findings:
            if together.shown[finding.fault] < _SHOWN:
                together.shown[finding.fault] += 1
                print(f"home {chunk.number}, {finding}", flush=True)
        together.add(tally)
    print(told(together, time.perf_counter() - begun))
    return 0 if ends_well(together) else 1


if __name__ == "__main__":
    sys.exit(main())
