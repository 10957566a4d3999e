"""What the gate's thresholds trade: `python -m benchmarks.thresholds [CSV [SVG]]`.

Wrong acts against needless questions. Homes of 200 devices in both languages, and four sorts of mentions: names as
they are; misheard names (one and two sounds wrong, and slips of another sort); near misses (the name of a device that
another such home has and this one has not, as it is and misheard); unknown names, which mean nothing. Each threshold
is moved alone, the others stay as they are in `daemon.home.config`.

| column     | share of                    | what                                                              |
| ---------- | --------------------------- | ----------------------------------------------------------------- |
| wrong      | all mentions                | acted on something that was not meant                             |
| needless   | names as they are, misheard | asked although the words fit one device only                      |
| lost       | names as they are, misheard | refused                                                           |
| asked back | near misses, unknown names  | asked although there is no such thing: a "did you mean" too many  |

The point is chosen so: of the values of `sure`, the lowest from which on moving it saves no more wrong acts; of those
of `margin`, one that still tells two rooms apart by the microphone (0.06 of the score), and that is well above what
tells an alias from a name less its area (0.011); of those of `plausible`, the highest that loses less than one in
twenty of the names: below it, what was said to somebody else is soon answered with a "did you mean".
"""

from __future__ import annotations

import csv
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.drawing import Chart, draw
from benchmarks.made_homes import made_home
from benchmarks.spoken_names import RULES, House, Spoken, verdict
from daemon.core.ir import Lang, Target
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.evaluate.report import table
from daemon.understand.grammar import Grammar

SIZE: Final = 200
COUNT: Final = 60
"""Mentions of each sort, in each language."""
SWEEPS: Final[dict[str, tuple[float, ...]]] = {
    "sure": (0.79, 0.81, 0.83, 0.84, 0.85, 0.86, 0.87, 0.88, 0.89, 0.91, 0.93),
    "margin": (0.005, 0.015, 0.025, 0.035, 0.045, 0.055, 0.07, 0.1),
    "plausible": (0.70, 0.72, 0.74, 0.76, 0.77, 0.78, 0.80),
}
HEADS: Final = ("threshold", "value", "wrong %", "needless %", "lost %", "asked back %", "")
LANGS: Final[tuple[Lang, ...]] = ("en", "zh")


def main(csv_file: str | None = None, svg_file: str | None = None) -> None:
    """Prints the table, with bars of wrong acts (#) and needless questions (-); files if named."""
    grammar = Grammar.load(RULES)
    rows = [_row(grammar, name, value) for name, values in SWEEPS.items() for value in values]
    print(table(HEADS, rows))
    if csv_file is not None:
        with Path(csv_file).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(row[:-1] for row in (HEADS, *rows))
    if svg_file is not None:
        draw(Path(svg_file), charts(rows))


def charts(rows: Sequence[Sequence[str]]) -> list[Chart]:
    """A chart for each threshold, with the value in use marked."""
    drawn = []
    for name in SWEEPS:
        swept = [row for row in rows if row[0] == name]
        lines = {
            head.removesuffix(" %"): [(float(row[1]), float(row[HEADS.index(head)])) for row in swept]
            for head in HEADS[2:-1]
        }
        lines["wrong, ten times"] = [(value, 10 * share) for value, share in lines.pop("wrong")]
        drawn.append(Chart(f"{name}, %", f"{name} (in use: dashed)", lines, 40, marked=getattr(Thresholds(), name)))
    return drawn


def _row(grammar: Grammar, name: str, value: float) -> tuple[str, ...]:
    change: dict[str, Any] = {name: value}
    limits = replace(Thresholds(), **change)
    counts: Counter[str] = Counter()
    for lang in LANGS:
        house = House.made(SIZE, lang, grammar, limits)
        for sort, spoken in mentions(house):
            _, decision = house.judged(spoken)
            came = verdict(spoken, decision)
            counts["all"] += 1
            counts["wrong"] += came == "wrong"
            counts[sort] += 1
            counts["needless"] += came == "asked" and sort == "named" and len(spoken.equal) == 1
            counts["lost"] += came == "refused" and sort == "named"
            counts["asked back"] += came == "asked" and sort == "absent"
    wrong, needless = counts["wrong"] / counts["all"], counts["needless"] / counts["named"]
    shares = (wrong, needless, counts["lost"] / counts["named"], counts["asked back"] / counts["absent"])
    now = " <- in use" if getattr(Thresholds(), name) == value else ""
    bar = "#" * round(1000 * wrong) + "-" * round(100 * needless)
    return (name, f"{value:g}", *(f"{100 * share:.2f}" for share in shares), f"{bar:<50}{now:<10}")


def mentions(house: House) -> Iterator[tuple[str, Spoken]]:
    """What is said, each as "named" (something in the home is meant) or "absent"."""
    rng = random.Random(12)
    for errors in (0, 1, 2, None):
        for item in house.spoken(COUNT, "name", errors, rng):
            yield "named", item
        for item in house.spoken(COUNT // 2, "area", errors, rng):
            yield "named", item
    there = {words.casefold() for device in house.home.devices for words in (device.name, device.short)}
    for device in rng.sample(made_home(20 * SIZE, house.home.lang, seed=2).devices, 4 * COUNT):
        if device.name.casefold() in there or device.short.casefold() in there:
            continue
        yield "absent", Spoken(Target(mention=device.name), None)
        if (heard := house.mishears.misheard(device.name, 1, rng)) is not None:
            yield "absent", Spoken(Target(mention=heard), None)
    for name in _UNKNOWN[house.home.lang].split("/"):
        yield "absent", Spoken(Target(mention=name), None)


_UNKNOWN: Final[dict[Lang, str]] = {
    "en": "sparkler/flux capacitor/time machine/espresso robot/aquarium pump/sauna stove/piano/water/trampoline/"
    "popcorn/guitar amp/lava fountain/disco ball/parrot cage/wine cellar/treadmill/telescope/pizza oven/beehive",
    "zh": "火箭/时光机/钢琴/跑步机/望远镜/鱼缸水泵/爆米花/桑拿炉/水/吉他音响/"
    "喷泉/迪斯科球/酒窖/蹦床/披萨炉/蜂箱/机械臂/投篮机/缝纫机/显微镜",
}


if __name__ == "__main__":
    main(*sys.argv[1:])
