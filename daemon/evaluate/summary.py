"""The score of one file of cases, and whether a confidence means what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any, Final

from msgspec import Struct, field, structs, to_builtins

from daemon.evaluate.runner import Scored
from daemon.evaluate.score import IN_SCOPE, Verdict

DECISIONS: Final = ("act", "ask", "refuse")
_DECISIONS: Final[Mapping[str, str]] = {
    "execute": "act",
    "query": "act",
    "mixed": "act",
    "schedule": "act",
    "clarify": "ask",
}
"""Outcome -> the decision behind it; what is refused, ignored or none of Hearken's business is all left alone."""


class Tally(Struct, frozen=True):
    """Rows, and how many of them have each property."""

    rows: int = 0
    exact: int = 0
    wrong_acts: int = 0
    needless_questions: int = 0
    missed_questions: int = 0
    not_understood: int = 0

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> Tally:
        """The sum of some verdicts."""
        listed = tuple(verdicts)
        return cls(
            rows=len(listed),
            exact=sum(item.exact for item in listed),
            wrong_acts=sum(item.wrong_act for item in listed),
            needless_questions=sum(item.needless_question for item in listed),
            missed_questions=sum(item.missed_question for item in listed),
            not_understood=sum(item.not_understood for item in listed),
        )


class Decided(Struct, frozen=True):
    """Cases of one type of decision: what should have been decided, and what was."""

    rows: int = 0
    right: int = 0
    """Decided as expected, or in another way that is accepted."""
    did: dict[str, int] = field(default_factory=dict)
    """Ruling -> rows."""

    @classmethod
    def of(cls, scored: Iterable[Scored]) -> Decided:
        """The sum of some cases with an expectation."""
        decided = [decision_of(item) for item in scored]
        return cls(len(decided), sum(item["right"] for item in decided), dict(Counter(item["did"] for item in decided)))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"rows": self.rows, "right": self.right, "did": {name: self.did.get(name, 0) for name in DECISIONS}}


class Quantiles(Struct, frozen=True):
    """The nearest-rank quantiles of some numbers: each is one of them."""

    count: int
    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Quantiles:
        """From at least one number.

        Raises:
            ValueError: there is none.
        """
        ordered = sorted(values)
        if not ordered:
            raise ValueError("no values")
        at = [ordered[max(0, ceil(len(ordered) * share) - 1)] for share in (0.50, 0.95, 0.99)]
        return cls(len(ordered), *at)

    def to_dict(self) -> dict[str, float]:
        """JSON-ready."""
        return structs.asdict(self)


class Summary(Struct, frozen=True):
    """The score of one file; files are never pooled."""

    name: str
    overall: Tally
    in_scope: Tally
    """Rows whose expected outcome is not `ignore` or `assistant`."""
    by_outcome: dict[str, Tally]
    """By the outcome expected."""
    by_tag: dict[str, Tally]
    faults: dict[str, int]
    """Where the rows that are not exact went wrong first, most frequent first."""
    noise: int
    """Rows that expect `ignore` ..."""
    noise_acted: int
    """... and how many of them were acted on."""
    decisions: dict[str, Decided] = field(default_factory=dict)
    """What should be decided (act, ask, refuse) -> what was; of cases with a home."""
    decisions_by_tag: dict[str, Decided] = field(default_factory=dict)
    """The same by the type of the case, most frequent first."""
    ms: dict[str, Quantiles] = field(default_factory=dict)
    """Stage -> milliseconds, over the rows in which the stage ran."""

    @classmethod
    def of(cls, name: str, scored: Sequence[Scored]) -> Summary:
        """The score of a file; rows without an expectation only count in the times."""
        judged = [(item.case, item.case.expect, item.verdict) for item in scored]
        rows = [(case, expect.outcome, verdict) for case, expect, verdict in judged if expect and verdict]
        outcomes = sorted({outcome for _, outcome, _ in rows})
        tags = Counter(tag for case, _, _ in rows for tag in set(case.tags))
        noise = [verdict for _, outcome, verdict in rows if outcome == "ignore"]
        return cls(
            name=name,
            overall=Tally.of(verdict for _, _, verdict in rows),
            in_scope=Tally.of(verdict for _, outcome, verdict in rows if outcome in IN_SCOPE),
            by_outcome={
                wanted: Tally.of(verdict for _, outcome, verdict in rows if outcome == wanted) for wanted in outcomes
            },
            by_tag={
                tag: Tally.of(verdict for case, _, verdict in rows if tag in case.tags) for tag, _ in tags.most_common()
            },
            faults=dict(Counter(verdict.fault for _, _, verdict in rows if verdict.fault).most_common()),
            noise=len(noise),
            noise_acted=sum(verdict.acted for verdict in noise),
            decisions=_decisions(scored),
            decisions_by_tag=_decisions_by_tag(scored),
            ms=_timings(item.line.get("ms") or {} for item in scored),
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "file": self.name,
            "overall": structs.asdict(self.overall),
            "in_scope": structs.asdict(self.in_scope),
            "by_outcome": to_builtins(self.by_outcome),
            "by_tag": to_builtins(self.by_tag),
            "faults": self.faults,
            "noise": {"rows": self.noise, "acted": self.noise_acted},
            "decisions": {name: item.to_dict() for name, item in self.decisions.items()},
            "decisions_by_tag": {name: item.to_dict() for name, item in self.decisions_by_tag.items()},
            "ms": to_builtins(self.ms),
        }


def decision_of(scored: Scored) -> dict[str, Any]:
    """Whether to act, to ask or to refuse: what `should` be decided, what was (`did`), and whether that is `right`."""
    expect = scored.case.expect
    did = _DECISIONS.get(scored.line.get("outcome", ""), "refuse")
    if expect is None:
        return {"should": None, "did": did, "right": False}
    accepted = {_DECISIONS.get(word, "refuse") for word in (expect.outcome, *expect.accepted)}
    return {"should": _DECISIONS.get(expect.outcome, "refuse"), "did": did, "right": did in accepted}


def _decisions_by_tag(scored: Iterable[Scored]) -> dict[str, Decided]:
    counted = [item for item in scored if item.case.expect is not None and item.case.home is not None]
    tags = Counter(tag for item in counted for tag in set(item.case.tags))
    return {tag: Decided.of(item for item in counted if tag in item.case.tags) for tag, _ in tags.most_common()}


def _decisions(scored: Iterable[Scored]) -> dict[str, Decided]:
    groups: dict[str, list[Scored]] = {name: [] for name in DECISIONS}
    for item in scored:
        if item.case.expect is not None and item.case.home is not None:
            groups[decision_of(item)["should"]].append(item)
    return {name: Decided.of(group) for name, group in groups.items() if group}


def _timings(rows: Iterable[dict[str, float]]) -> dict[str, Quantiles]:
    stages: dict[str, list[float]] = {}
    for row in rows:
        for stage, ms in row.items():
            stages.setdefault(stage, []).append(ms)
    return {stage: Quantiles.of(values) for stage, values in stages.items()}


_BINS = 10
_MISREAD = frozenset({"not_understood", "wrong_reading", "wrong_value", "acted_out_of_scope"})
"""Faults of the reading; the others are of the home, of the gate or of the devices."""
_TALK = frozenset({"chat", "dialogue", "fix", "help"})
"""Intents by which nothing is to be done or told of the home."""


class Bin(Struct, frozen=True):
    """The readings of one tenth of the scale."""

    low: float
    count: int
    confidence: float
    """Their mean confidence."""
    right: float
    """The share of them that is right."""

    def __str__(self) -> str:
        """One line, with a bar."""
        numbers = f"{self.count:8d}  {self.confidence:5.2f}  {self.right:5.2f}"
        return f"{self.low:.1f} to {self.low + 1 / _BINS:.1f}  {numbers}  {'#' * round(self.right * 40)}"


class Calibration(Struct, frozen=True):
    """The reliability of the confidences of one file; files are never pooled."""

    name: str
    bins: tuple[Bin, ...]
    """Those that hold anything, lowest first."""
    count: int
    error: float
    """Expected calibration error: the distance of confidence and share right, over the bins by what they hold."""
    brier: float
    """The mean square of (confidence - 1 if right else 0): 0 is best, 0.25 a coin's."""

    @classmethod
    def of(cls, name: str, scored: Sequence[Scored]) -> Calibration:
        """The curve over the cases that were read as anything."""
        return cls.over(name, (pair for item in scored if (pair := _pair(item)) is not None))

    @classmethod
    def over(cls, name: str, pairs: Iterable[tuple[float, bool]]) -> Calibration:
        """The curve over pairs of a confidence, 0 to 1, and whether the reading is right."""
        listed = list(pairs)
        held: dict[int, list[tuple[float, bool]]] = {}
        for confidence, right in listed:
            held.setdefault(min(int(confidence * _BINS), _BINS - 1), []).append((confidence, right))
        bins = tuple(_bin(place, held[place]) for place in sorted(held))
        total = max(len(listed), 1)
        return cls(
            name,
            bins,
            len(listed),
            sum(item.count * abs(item.confidence - item.right) for item in bins) / total,
            sum((confidence - right) ** 2 for confidence, right in listed) / total,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        told = {"file": self.name, "count": self.count, "ece": self.error, "brier": self.brier}
        return told | {"bins": to_builtins(self.bins)}

    def __str__(self) -> str:
        """A table with a bar for the share that is right."""
        lines = [
            f"{self.name}: {self.count} readings, calibration error {self.error:.3f}, Brier score {self.brier:.3f}"
        ]
        lines.append("confidence  readings   mean  right")
        return "\n".join([*lines, *map(str, self.bins)])


def _bin(place: int, pairs: Sequence[tuple[float, bool]]) -> Bin:
    count = len(pairs)
    mean = sum(confidence for confidence, _ in pairs) / count
    return Bin(place / _BINS, count, mean, sum(right for _, right in pairs) / count)


def _pair(item: Scored) -> tuple[float, bool] | None:
    """The confidence of a case's reading and whether it is right; None where nothing was read or expected.

    A sentence that is not for us has no right reading as a command; one that is only talk or an answer, has.
    """
    clauses = (item.line.get("ir") or {}).get("clauses")
    if item.verdict is None or item.case.expect is None or not clauses:
        return None
    if item.case.expect.outcome in ("ignore", "assistant"):
        return item.line.get("confidence", 0.0), all(clause["intent"] in _TALK for clause in clauses)
    return item.line.get("confidence", 0.0), item.verdict.exact or item.verdict.fault not in _MISREAD
