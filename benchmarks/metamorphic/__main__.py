"""Says the same things in many ways to homes at random, and counts what comes of it.

A program (one to four acts) is made up with what it must come to; a sentence is made for it, in English or Mandarin,
and something is done to the sentence: another order, politeness, a reason, a correction, an exception, a negation ...
What the devices of a simulated home are then sent is compared with what must come of it. Nothing here asks Hearken
what a sentence means. No time is waited for: the homes live in virtual time.

    right    done, or kept for its time, as it must be; nothing done where nothing must be
    asked    a question instead, or a part left out and told so
    refused  not understood, or declined; nothing was sent
    wrong    another value, another time, or a part left out in silence
    unsafe   sent to what was not meant or excepted, in the other direction, in spite of a "don't", or without a yes

It ends with 1 where anything is unsafe. The same seed says the same, however many processes share the work.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.metamorphic.cases import CHANGES
from benchmarks.metamorphic.judging import VERDICTS
from benchmarks.metamorphic.playing import Played, played
from benchmarks.metamorphic.saying import LANGS

_CHUNK = 100
_CHUNKS_EACH = 20
"""So many chunks one process plays: what a home has for good is kept for as long as its process lives."""

Counts = Counter[tuple[str, str, str]]
"""By change, language and verdict."""


def all_played(cases: int, seed: int, jobs: int, *, model: bool = False) -> Iterator[Played]:
    """What came of each case, in their order."""
    chunks = [range(start, min(cases, start + _CHUNK)) for start in range(0, cases, _CHUNK)]
    play = partial(played, seed=seed, model=model)
    if jobs == 1:
        for chunk in chunks:
            yield from play(chunk)
        return
    spawn = multiprocessing.get_context("spawn")
    # The executor of concurrent.futures stands still where a child has done its share (Python 3.11).
    with spawn.Pool(jobs, maxtasksperchild=_CHUNKS_EACH) as pool:
        for found in pool.imap(play, chunks):
            yield from found


def told(counts: Counts) -> str:
    """The table: a row for each change, the right ones of each language in percent, and what else came of them."""
    lines = [f"{'':26}{'cases':>7}" + "".join(f"{f'{lang} right':>10}" for lang in LANGS) + _heads()]
    lines += [_row(name, counts, [name]) for name in CHANGES]
    return "\n".join([*lines, _row("all", counts, list(CHANGES))])


def _heads() -> str:
    return "".join(f"{verdict + ' %':>11}" for verdict in VERDICTS)


def _row(name: str, counts: Counts, changes: Sequence[str]) -> str:
    def number(langs: Sequence[str], verdicts: Sequence[str]) -> int:
        return sum(counts[change, lang, verdict] for change in changes for lang in langs for verdict in verdicts)

    def share(langs: Sequence[str], verdict: str) -> str:
        return f"{100 * number(langs, [verdict]) / max(1, number(langs, VERDICTS)):.1f}"

    return (
        f"{name:26}{number(LANGS, VERDICTS):>7,}"
        + "".join(f"{share([lang], 'right'):>10}" for lang in LANGS)
        + "".join(f"{share(LANGS, verdict):>11}" for verdict in VERDICTS)
    )


def main() -> int:
    """Plays, and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes")
    parser.add_argument("--model", action="store_true", help="with the small models, where the grammar is not sure")
    parser.add_argument(
        "--show", type=int, default=0, metavar="N", help="prints so many failures of each change and verdict"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="writes each case and what came of it, as JSON lines")
    args = parser.parse_args()
    counts: Counts = Counter()
    out = args.out.open("w", encoding="utf-8") if args.out is not None else None
    for item in all_played(args.cases, args.seed, args.jobs, model=args.model):
        counts[item.change, item.lang, item.verdict] += 1
        if out is not None:
            print(json.dumps(item.line, ensure_ascii=False), file=out)
        shown = sum(counts[item.change, lang, item.verdict] for lang in LANGS)
        if item.verdict != "right" and shown <= args.show:
            print(_shown(item), flush=True)
    if out is not None:
        out.close()
    print(told(counts))
    return 1 if any(verdict == "unsafe" for _, _, verdict in counts.elements()) else 0


def _shown(item: Played) -> str:
    line = item.line
    return (
        f"{item.verdict}, {item.change}, {item.number}: {line['text']}\n"
        f"    must be {line['expected']}\n    sent {line['sent']}\n    {line['why']}; {' / '.join(line['replies'])}"
    )


if __name__ == "__main__":
    sys.exit(main())
