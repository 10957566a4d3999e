"""Hearken in an unreliable world: `python -m benchmarks.chaos [--rounds N] [--seed N] [--only NAME]...`.

A round is one disturbance with commands around it (a real mosquitto is killed, stopped and flooded; the network hangs,
delays and cuts), or one end of the process in the middle of its writing, one full disk, one jump of the clock.

| column      | what must not be                                                                     |
| ----------- | ------------------------------------------------------------------------------------ |
| false done  | it was said to be done, and the device is not so                                     |
| late unsaid | it reached the device after the reply, and nobody was told; or it was told to be away |
| twice       | it reached the device more often than the outcome says                               |
| lost        | it was acknowledged, and is gone                                                     |
| crash       | an error in the log: a traceback, or a store that does not load                      |

"told" counts what a reply had left open and an announcement settled.

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
from benchmarks.chaos.tally import FAULTS, Crashes, Tally
from daemon.evaluate.report import table

NAMES: Final = (*outages.DISTURBANCES, *stores.NAMES, clocks.NAME)
_MOST_NOTES: Final = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; 1 where something was that must not be."""
    args = _arguments(arguments)
    tallies = [run(name, args.rounds, args.seed) for name in args.only or NAMES if _possible(name)]
    print(table(("disturbance", "rounds", "acts", *FAULTS, "told", "outcomes"), [tally.row() for tally in tallies]))
    for note in [note for tally in tallies for note in tally.notes][:_MOST_NOTES]:
        print(note, file=sys.stderr)
    return int(any(tally.faults.total() for tally in tallies))


def run(name: str, rounds: int, seed: int) -> Tally:
    """One kind of disturbance."""
    tally = Tally(name)
    crashes, logger = Crashes(tally), logging.getLogger("daemon")
    logging.getLogger().addHandler(crashes)
    before = logger.level
    # That the broker is away is no news here.
    logger.setLevel(logging.ERROR)
    try:
        with tempfile.TemporaryDirectory(prefix="hearken-chaos-") as folder:
            if name in outages.DISTURBANCES:
                asyncio.run(outages.run(tally, rounds, seed, Path(folder)))
            elif name in stores.NAMES:
                stores.run(tally, rounds, seed, Path(folder))
            else:
                clocks.run(tally, rounds, seed)
    finally:
        logger.setLevel(before)
        logging.getLogger().removeHandler(crashes)
    return tally


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
