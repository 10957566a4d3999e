"""Hearken in an unreliable world: `python -m benchmarks.chaos [--rounds N] [--seed N] [--only NAME]...`.

A round is one disturbance with commands around it (a real mosquitto is killed, stopped and flooded; the network hangs,
delays and cuts), or one end of the process in the middle of its writing, one full disk, one jump of the clock.

| column      | what must not be                                                                     |
| ----------- | ------------------------------------------------------------------------------------ |
| false done  | it was said to be done, and the device is not so                                     |
| late unsaid | it reached the device after the reply, and nobody was told; or it was told to be away |
| twice       | it reached the device more often than the outcome says                               |
| lost        | it was acknowledged, and is gone                                                     |
| crash       | a traceback, or a store that does not load                                           |

Ends with 1 where any of it is not zero.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.chaos import clocks, outages, stores
from benchmarks.chaos.broker import found
from benchmarks.chaos.tally import FAULTS, Tally
from daemon.evaluate.report import table

NAMES: Final = (*outages.DISTURBANCES, *stores.NAMES, clocks.NAME)
_MOST_NOTES: Final = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; 1 where something was that must not be."""
    args = _arguments(arguments)
    logging.getLogger("daemon").setLevel(logging.ERROR)
    tallies = [run(name, args.rounds, args.seed) for name in args.only or NAMES if _possible(name)]
    print(table(("disturbance", "rounds", "acts", *FAULTS, "outcomes"), [tally.row() for tally in tallies]))
    for note in [note for tally in tallies for note in tally.notes][:_MOST_NOTES]:
        print(note, file=sys.stderr)
    return int(any(tally.faults.total() for tally in tallies))


def run(name: str, rounds: int, seed: int) -> Tally:
    """One kind of disturbance."""
    with tempfile.TemporaryDirectory(prefix="hearken-chaos-") as folder:
        if name in outages.DISTURBANCES:
            return asyncio.run(outages.run(name, rounds, seed, Path(folder)))
        if name in stores.NAMES:
            return stores.run(name, rounds, seed, Path(folder))
        return clocks.run(rounds, seed)


def _possible(name: str) -> bool:
    if name in outages.DISTURBANCES and found() is None:
        print(f"{name}: left out, there is no mosquitto", file=sys.stderr)
        return False
    return True


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=25, help="of each disturbance (default: 25)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
