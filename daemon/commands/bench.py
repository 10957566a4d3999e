"""`python -m daemon bench`: how fast Hearken is on this machine, beside a peer, and how much memory it takes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from daemon.commands.options import emit
from daemon.config import ROOT, Paths
from daemon.errors import UsageError

if TYPE_CHECKING:
    from daemon.evaluate.bench import Timing
    from daemon.evaluate.footprint import Footprint


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser("bench", help="measure speed and memory", description=__doc__)
    parser.add_argument(
        "--rounds",
        type=int,
        default=20,
        metavar="N",
        help="how often each thing is timed (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """Measures and prints."""
    if args.rounds < 1:
        raise UsageError("--rounds: give it 1 or more")
    from daemon.converse.replies import Replies
    from daemon.evaluate.bench import time_publishing, time_resolving, time_understanding
    from daemon.evaluate.footprint import measure_footprint
    from daemon.understand.grammar import Grammar

    rules = Paths.of().rules
    footprint = await measure_footprint(rules)
    grammar, replies = Grammar.load(rules), Replies.load(rules)
    timings = [
        *time_understanding(grammar, ROOT / "benchmarks", args.rounds),
        *time_resolving(grammar, args.rounds),
        *[timing async for timing in time_publishing(grammar, replies, args.rounds)],
    ]
    if args.json:
        for timing in timings:
            emit(timing.to_dict())
        emit(footprint.to_dict())
    else:
        _print(timings, footprint)
    return 0


def _print(timings: list[Timing], footprint: Footprint) -> None:
    from daemon.evaluate.report import table

    print(
        table(
            ("milliseconds", "p50", "p95", "p99", ""),
            (
                (item.what, *(f"{ms:.3f}" for ms in (item.ms.p50, item.ms.p95, item.ms.p99)), item.note)
                for item in timings
            ),
        )
    )
    print(
        f"\ncold start: {footprint.import_ms:.0f} ms to import, {footprint.grammar_ms:.0f} ms to load the grammar, "
        f"{footprint.first_read_ms:.1f} ms for the first sentence\n"
        f"memory: {footprint.memory_mib:.0f} MiB resident with 100 devices after one command"
    )
