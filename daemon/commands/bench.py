"""`python -m daemon bench`: how fast Hearken is on this machine, beside a peer, and how much memory it takes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from daemon.commands.options import emit
from daemon.core.errors import UsageError
from daemon.system.config import ROOT, Paths

if TYPE_CHECKING:
    from daemon.evaluate.bench import Timing
    from daemon.evaluate.footprint import Footprint


_WIDTH = 80
"""Columns for what was timed."""


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
    from daemon.evaluate.bench import time_passing, time_publishing, time_resolving, time_understanding
    from daemon.evaluate.crowd import time_crowd, time_flood
    from daemon.evaluate.footprint import measure_footprint
    from daemon.understand.grammar import Grammar

    rules = Paths.of().rules
    footprint = await measure_footprint(rules)
    _print_footprint(footprint, as_json=args.json)
    grammar, replies = Grammar.load(rules), Replies.load(rules)
    # Each is printed as soon as it is known: all of it takes a while.
    for timing in time_understanding(grammar, ROOT / "benchmarks", args.rounds):
        _print_timing(timing, as_json=args.json)
    for timing in time_resolving(grammar, args.rounds):
        _print_timing(timing, as_json=args.json)
    for timing in time_passing(grammar, ROOT / "benchmarks"):
        _print_timing(timing, as_json=args.json)
    for measure in (time_publishing, time_crowd, time_flood):
        async for timing in measure(grammar, replies, args.rounds):
            _print_timing(timing, as_json=args.json)
    return 0


def _print_footprint(footprint: Footprint, *, as_json: bool) -> None:
    if as_json:
        emit(footprint.to_dict())
        return
    print(
        f"cold start of the grammar: {footprint.cold_ms:.0f} ms, of which\n"
        f"  to import: {footprint.import_ms:.0f} ms\n"
        f"  to load the rules: {footprint.grammar_ms:.0f} ms\n"
        f"  for the first sentence: {footprint.first_read_ms:.1f} ms\n"
        f"memory: {footprint.memory_mib:.0f} MiB resident with 100 devices after one command\n\n"
        f"{'milliseconds':{_WIDTH}}     p50     p95     p99",
        flush=True,
    )


def _print_timing(timing: Timing, *, as_json: bool) -> None:
    if as_json:
        emit(timing.to_dict())
        return
    ms = "".join(f"{value:8.3f}" for value in (timing.ms.p50, timing.ms.p95, timing.ms.p99))
    ratio = [f"{timing.ratio:.1f} times as long"] if timing.ratio is not None else []
    print(f"{timing.what:{_WIDTH}}{ms}  {', '.join([*ratio, *filter(None, [timing.note])])}".rstrip(), flush=True)
