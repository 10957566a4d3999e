"""`python -m daemon bench`: how fast Hearken is on this machine, beside a peer, and how much memory it takes."""

from __future__ import annotations

import argparse

from daemon.core.errors import UsageError


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
    try:
        from benchmarks.speed.bench import measure
    except ModuleNotFoundError:
        raise UsageError("bench measures on the sentences of the repository; run it from there") from None
    await measure(args.rounds, as_json=args.json)
    return 0
