"""What a confidence means: `python -m benchmarks.confidence [--write]`. Fits `rules/confidence.yaml`, shows the curve.

The share of readings that is right, for each kind of evidence that decides a reading (its least sure part), over our
own sentences: those of `tests/understand/tables` as they are, with one word misheard, with one word missing; commands
to the devices of made homes by names as they are and misheard; and what is not for Hearken (`not_for_us.*.txt`, and
what the tables say means nothing). `benchmarks.said_otherwise` says what is right.

So many of a hundred sentences are taken to be of each sort: said 70, misheard 15, cut 5, foreign 10. A share is drawn
towards `RARE` as if that had been seen `PRIOR` times, so that a few sentences prove nothing.

The values are fitted on half of the sentences (by a checksum of their text); the curve is that of the other half.
Decisions (`decided:` in the file) are left as they are: what they say is asked about however often it is right.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from dataclasses import fields
from typing import Final

from benchmarks.said_otherwise import ROOT, How, Judged, Sayings
from daemon.core.values import replace
from daemon.evaluate.report import table
from daemon.evaluate.summary import Calibration
from daemon.understand.confidence import FILE, Confidences
from daemon.understand.grammar import Grammar

SHARES: Final[dict[How, float]] = {"said": 0.70, "misheard": 0.15, "cut": 0.05, "foreign": 0.10}
PRIOR: Final = 4.0
RARE: Final = 0.9
ROUNDS: Final = 2
"""What is least sure in a sentence changes with the values: so often they are fitted."""
DECIDED: Final = frozenset({"chat", "syllable", "low", "implicit", "either", "half", "some", "misheard", "other"})
LEAST: Final[dict[str, float]] = {"not_found": 0.31}
"""What names something that this home has not is said to be unknown, not passed over in silence."""
FALLING: Final = ("name", "kind", "room", "described", "unknown", "unknown_long", "unknown_longest")
"""None of them is surer than the one before: what is rare cannot tell, what is never least sure is never counted."""
HIGHEST: Final = 0.999


def main(*options: str) -> None:
    """Prints the evidence with its values before and after, and the curve before and after; writes them if told to."""
    file = ROOT / "rules" / FILE
    grammar = Grammar.load(ROOT / "rules")
    before = grammar.sure
    seen = list(Sayings(grammar).all())
    print(_curve("before, the other half", seen))
    for _ in range(ROUNDS):
        grammar.sure = fitted(grammar.sure, seen)
        seen = list(Sayings(grammar).all())
    print(_evidence(before, grammar.sure, seen))
    print(_curve("after, the other half", seen))
    if "--write" in options:
        file.write_text(_written(file.read_text(encoding="utf-8"), grammar.sure), encoding="utf-8")


def fitted(now: Confidences, seen: list[Judged]) -> Confidences:
    """The values that the half of the readings that is learnt from speaks for."""
    weights = _weights(seen)
    right, count = defaultdict[str, float](float), defaultdict[str, float](float)
    for item in seen:
        reason = now.reason(item.program.confidence) if item.program is not None else None
        if item.first and reason is not None:
            count[reason] += weights[item.how]
            right[reason] += weights[item.how] * item.right
    for name in (item.name for item in fields(Confidences)):
        right[name] += PRIOR * RARE
        count[name] += PRIOR
    shares = {item.name: right[item.name] / count[item.name] for item in fields(Confidences)}
    shares |= falling({name: (right[name], count[name]) for name in FALLING})
    values: dict[str, float] = {}
    taken = {getattr(now, name) for name in DECIDED}
    for name in (item.name for item in fields(Confidences) if item.name not in DECIDED):
        value = round(min(max(shares[name], LEAST.get(name, 0.0)), HIGHEST), 3)
        while value in taken:  # no two are alike
            value = round(value - 0.001, 3)
        values[name] = value
        taken.add(value)
    return replace(now, **values)


def falling(seen: dict[str, tuple[float, float]]) -> dict[str, float]:
    """The shares of (right, all), none above the one before: what rises is put together with what it rises above."""
    pools: list[tuple[list[str], float, float]] = []
    for name, (right, count) in seen.items():
        names = [name]
        while pools and right / count > pools[-1][1] / pools[-1][2]:
            before, more_right, more = pools.pop()
            names, right, count = [*before, *names], right + more_right, count + more  # noqa: PLW2901 - as pooled
        pools.append((names, right, count))
    return {name: right / count for names, right, count in pools for name in names}


def _weights(seen: list[Judged]) -> dict[How, float]:
    """What one sentence of each sort counts, so that the sorts have their shares of as many as there are."""
    counts = Counter(item.how for item in seen)
    return {how: share * len(seen) / max(counts[how], 1) for how, share in SHARES.items()}


def _evidence(before: Confidences, after: Confidences, seen: list[Judged]) -> str:
    rows = []
    for name in (item.name for item in fields(Confidences)):
        mine = [item for item in seen if item.program is not None and after.reason(item.program.confidence) == name]
        sorts = [
            f"{sum(item.right for item in mine if item.how == how)}/{sum(item.how == how for item in mine)}"
            for how in SHARES
        ]
        rows.append((name, f"{getattr(before, name):.3f}", f"{getattr(after, name):.3f}", *sorts))
    return table(("evidence", "before", "after", *(f"{how} right" for how in SHARES)), rows)


def _curve(name: str, seen: list[Judged]) -> str:
    weights = _weights(seen)
    pairs = [
        pair
        for item in seen
        if item.program is not None and not item.first
        for pair in [(item.program.confidence, item.right)] * max(1, round(10 * weights[item.how]))
    ]
    return f"{Calibration.over(name, pairs)}\n(each reading counted ten times its weight)\n"


def _written(text: str, sure: Confidences) -> str:
    """The text of the file with these values in it; comments stay."""
    for item in fields(Confidences):
        text = re.sub(rf"(?m)^  {item.name}: [\d.]+", f"  {item.name}: {getattr(sure, item.name):g}", text)
    return text


if __name__ == "__main__":
    main(*sys.argv[1:])
