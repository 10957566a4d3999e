"""Curves of finding: `python -m benchmarks.retrieval [CSV [SVG]]`. What becomes of names in 50 to 10,000 devices.

Two parts. By size: a name as it is, with one sound wrong, with a slip of another sort, with one sound wrong in a room
that was said, and less its area with no room said. By error: a growing share of the sounds of each name wrong, in homes
of 500 devices. `recall` is the share of mentions whose device is among the candidates; a name less its area fits many
devices, so that asking is right there.
"""

from __future__ import annotations

import csv
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from benchmarks.drawing import Chart, draw
from benchmarks.spoken_names import RULES, House, How, Spoken, verdict
from daemon.core.ir import Lang
from daemon.evaluate.report import table
from daemon.evaluate.summary import Quantiles
from daemon.understand.grammar import Grammar

SIZES: Final = (50, 500, 5_000, 10_000)
SIZE_OF_ERRORS: Final = 500
SHARES: Final = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
COUNT: Final = 200
OF_SOUNDS: Final = " of sounds wrong"
AS_IT_IS: Final = "as it is"
ONE_WRONG: Final = "one sound wrong"
WAYS: Final[tuple[tuple[str, How, float | None], ...]] = (
    (AS_IT_IS, "name", 0),
    (ONE_WRONG, "name", 1),
    ("another slip", "name", None),
    ("one sound wrong, in its area", "area", 1),
    ("one sound wrong, no area", "bare", 1),
)
HEADS: Final = (
    "language",
    "devices",
    "heard",
    "names",
    "recall %",
    "right",
    "asked",
    "wrong",
    "refused",
    "p50 ms",
    "p99 ms",
)


def main(csv_file: str | None = None, svg_file: str | None = None) -> None:
    """Prints both tables; writes their rows, and draws their curves, to the files that are named."""
    grammar = Grammar.load(RULES)
    rows = [*by_size(grammar), *by_error(grammar)]
    print(table(HEADS, rows))
    if csv_file is not None:
        with Path(csv_file).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows((HEADS, *rows))
    if svg_file is not None:
        draw(Path(svg_file), charts(rows))


def charts(rows: Sequence[Sequence[str]]) -> list[Chart]:
    """What is worth seeing of the rows of both tables: times by size, what came of names by size and by error."""
    times = {
        f"{lang}, {heard}": [
            (float(row[1]), float(row[HEADS.index("p99 ms")])) for row in rows if row[0] == lang and row[2] == heard
        ]
        for lang in _langs()
        for heard in (AS_IT_IS, ONE_WRONG)
    }
    drawn = [Chart("time to resolve one name: p99", "devices", times, 40, evenly=True)]
    for lang in _langs():
        sized = [row for row in rows if row[0] == lang and row[2] == ONE_WRONG]
        wrong = [(float(row[2].split("%")[0]), row) for row in rows if row[0] == lang and row[2].endswith(OF_SOUNDS)]
        columns = ("recall %", "right", "asked", "wrong", "refused")
        by_size = {name: [(float(row[1]), float(row[HEADS.index(name)])) for row in sized] for name in columns}
        by_error = {name: [(share, float(row[HEADS.index(name)])) for share, row in wrong] for name in columns}
        drawn.append(Chart(f"{lang}: {ONE_WRONG}, %", "devices", by_size, 100, evenly=True))
        drawn.append(Chart(f"{lang}: {SIZE_OF_ERRORS} devices, %", "% of sounds wrong", by_error, 100))
    return drawn


def by_size(grammar: Grammar) -> Iterator[tuple[str, ...]]:
    """How the size of a home tells."""
    for lang in _langs():
        for size in SIZES:
            house = House.made(size, lang, grammar)
            for what, how, errors in WAYS:
                yield _row(house, what, house.spoken(COUNT, how, errors, random.Random(size)))


def by_error(grammar: Grammar) -> Iterator[tuple[str, ...]]:
    """How the share of wrong sounds tells."""
    for lang in _langs():
        house = House.made(SIZE_OF_ERRORS, lang, grammar)
        for share in SHARES:
            spoken = house.spoken(COUNT, "name", share, random.Random(f"{share}"))
            yield _row(house, f"{share:.0%}{OF_SOUNDS}", spoken)


def _row(house: House, what: str, spoken: Iterable[Spoken]) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    ms: list[float] = []
    recalled = 0
    for item in spoken:
        start = time.thread_time()
        _, decision = house.judged(item)
        ms.append((time.thread_time() - start) * 1000)
        counts[verdict(item, decision)] += 1
        recalled += item.meant in house.proposed(item)
    times = Quantiles.of(ms)
    total = len(ms)
    shares = (f"{100 * counts[name] / total:.1f}" for name in ("right", "asked", "wrong", "refused"))
    size = str(len(house.home.devices))
    recall = f"{100 * recalled / total:.1f}"
    return (house.home.lang, size, what, str(total), recall, *shares, f"{times.p50:.1f}", f"{times.p99:.1f}")


def _langs() -> tuple[Lang, ...]:
    return ("en", "zh")


if __name__ == "__main__":
    main(*sys.argv[1:])
