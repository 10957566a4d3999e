"""`eval` and `bench`: how good Hearken is, on cases in simulated homes, and how fast, beside a peer."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from daemon.commands.options import emit
from daemon.core.errors import UsageError


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommands."""
    parser = subparsers.add_parser(
        "eval",
        help="score sentences on simulated homes",
        description="Plays cases through the whole pipeline on simulated homes, and scores them.",
    )
    parser.add_argument(
        "cases", nargs="+", type=Path, metavar="CASES.jsonl", help="files of cases, one object per line"
    )
    parser.add_argument("--homes", type=Path, metavar="DIR", help="the homes (default: homes/ beside each file)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write one result line per case")
    parser.add_argument("--log", type=Path, metavar="DIR", help="write the whole trace of each case")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (default: %(default)s)"
    )
    parser.add_argument(
        "--calibration", action="store_true", help="how often readings of each confidence are right, instead of tables"
    )
    parser.add_argument("--model", action="store_true", help="let the small model read what the grammar cannot")
    parser.add_argument(
        "--second", metavar="NAME", help="the same with this model of the manifest beside it; tagger: with none"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per file of cases instead of tables")
    parser.set_defaults(run=run)
    parser = subparsers.add_parser(
        "bench",
        help="measure speed and memory",
        description="Measures how fast Hearken is on this machine, beside a peer, and how much memory it takes.",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=20,
        metavar="N",
        help="how often each thing is timed (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.set_defaults(run=bench)


async def run(args: argparse.Namespace) -> int:
    """Plays and scores every file; 0 once all were played, whatever the score."""
    if args.jobs < 1:
        raise UsageError("--jobs: give it 1 or more")
    from daemon.evaluate.cases import read_cases
    from daemon.evaluate.house import open_house, open_house_with_model
    from daemon.evaluate.report import ResultFile, details, overview, write_logs
    from daemon.evaluate.runner import play_cases
    from daemon.evaluate.summary import Calibration, Summary

    files = [(path, read_cases(path)) for path in args.cases]
    summaries = []
    with ExitStack() as stack:
        out = stack.enter_context(ResultFile(args.out)) if args.out else None
        for path, cases in files:
            homes = args.homes or path.parent / "homes"
            opened = open_house
            if args.model or args.second:
                opened = partial(open_house_with_model, second=args.second)
            scored = await play_cases(cases, homes, opened, jobs=args.jobs, progress=_progress(path.stem, len(cases)))
            if out is not None:
                out.write(scored)
            if args.log:
                write_logs(args.log / path.stem, scored)
            broken = [item.line for item in scored if "error" in item.line]
            if broken:
                first = f"{broken[0]['id']}: {broken[0]['error']}"
                print(f"{path.stem}: Hearken itself failed in {len(broken)} cases, first in {first}", file=sys.stderr)
            if args.calibration:
                curve = Calibration.of(path.stem, scored)
                emit(curve.to_dict()) if args.json else print(f"{curve}\n")
                continue
            summaries.append(Summary.of(path.stem, scored))
            if args.json:
                emit(summaries[-1].to_dict())
    if summaries and not args.json:
        print("\n".join(map(details, summaries)))
        print(f"\n{overview(summaries)}")
    return 0


async def bench(args: argparse.Namespace) -> int:
    """Measures speed and memory, and prints."""
    if args.rounds < 1:
        raise UsageError("--rounds: give it 1 or more")
    try:
        from benchmarks.speed.bench import measure
    except ModuleNotFoundError:
        raise UsageError("bench measures on the sentences of the repository; run it from there") from None
    await measure(args.rounds, as_json=args.json)
    return 0


def _progress(name: str, total: int) -> Callable[[int], None]:
    """Writes one line over itself where a person is watching, and nothing elsewhere."""

    def show(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{name}: {done}/{total} ", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return show
