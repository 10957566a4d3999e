"""What an evaluation tells and leaves: the score as text, result lines in one file, a whole trace per case."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Self, TextIO

from daemon.core.errors import UsageError
from daemon.evaluate.runner import Scored
from daemon.evaluate.summary import DECISIONS, Decided, Summary, Tally, decision_of

_HEADS = ("rows", "exact %", "wrong acts %", "needless q.", "missed q.", "not understood")
_FEWEST_ROWS = 3
"""A tag on fewer rows than this says nothing."""
_MOST_TAGS = 30
_ALWAYS = 2
"""So many tables are there even with nothing in them."""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A plain table: the first column to the left, the rest to the right."""
    lines = [tuple(heads), *(tuple(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def overview(summaries: Iterable[Summary]) -> str:
    """One line a file."""
    return table(
        ("file", *_HEADS, "in-scope rows", "in-scope exact %", "noise acted on"),
        (
            (
                item.name,
                *_cells(item.overall),
                str(item.in_scope.rows),
                percent(item.in_scope.exact, item.in_scope.rows),
                f"{item.noise_acted}/{item.noise}",
            )
            for item in summaries
        ),
    )


def details(summary: Summary) -> str:
    """One file: by expected outcome, by tag, where it failed, and how long it took."""
    frequent = [(name, tally) for name, tally in summary.by_tag.items() if tally.rows >= _FEWEST_ROWS]
    kinds = [(name, item) for name, item in summary.decisions_by_tag.items() if item.rows >= _FEWEST_ROWS]
    most = "" if len(frequent) <= _MOST_TAGS else f" (the {_MOST_TAGS} most frequent)"
    did = ("rows", "right %", *(f"did {name}" for name in DECISIONS))
    tables: tuple[tuple[str, Sequence[str], list[Sequence[str]]], ...] = (
        ("by expected outcome", ("outcome", *_HEADS), _tallied(summary.by_outcome.items())),
        (f"by tag{most}", ("tag", *_HEADS), _tallied(frequent[:_MOST_TAGS])),
        ("act, ask or refuse", ("should", *did), _decided(summary.decisions.items())),
        ("act, ask or refuse, by tag", ("tag", *did), _decided(kinds[:_MOST_TAGS])),
        (
            "where the others went wrong first",
            ("fault", "rows"),
            [(name, str(count)) for name, count in summary.faults.items()],
        ),
        (
            "milliseconds",
            ("stage", "rows", "p50", "p95", "p99"),
            [
                (stage, str(item.count), *(f"{ms:.2f}" for ms in (item.p50, item.p95, item.p99)))
                for stage, item in summary.ms.items()
            ],
        ),
    )
    told = (item for number, item in enumerate(tables) if item[2] or number < _ALWAYS)
    return "\n".join(f"\n{summary.name}, {title}\n{table(heads, rows)}" for title, heads, rows in told)


def percent(part: int, whole: int) -> str:
    """With one decimal; a dash of nothing."""
    return f"{100 * part / whole:.1f}" if whole else "-"


def _decided(items: Iterable[tuple[str, Decided]]) -> list[Sequence[str]]:
    return [
        (name, str(item.rows), percent(item.right, item.rows), *(str(item.did.get(did, 0)) for did in DECISIONS))
        for name, item in items
    ]


def _tallied(items: Iterable[tuple[str, Tally]]) -> list[Sequence[str]]:
    return [(name, *_cells(tally)) for name, tally in items]


def _cells(tally: Tally) -> tuple[str, ...]:
    return (
        str(tally.rows),
        percent(tally.exact, tally.rows),
        percent(tally.wrong_acts, tally.rows),
        str(tally.needless_questions),
        str(tally.missed_questions),
        str(tally.not_understood),
    )


_PLAIN = re.compile(r"[^\w.-]+")
_LONGEST = 100


class ResultFile:
    """Appends one line per case to a file that is made anew.

    Raises:
        UsageError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file: TextIO = path.open("w", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"--out: {path} cannot be written: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, scored: Iterable[Scored]) -> None:
        """Adds these."""
        self._file.writelines(json.dumps(item.line, ensure_ascii=False) + "\n" for item in scored)
        self._file.flush()


def write_logs(folder: Path, scored: Iterable[Scored]) -> None:
    """One JSON file per case: the case, the result line, the verdict and every event of every turn.

    Raises:
        UsageError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for item in scored:
            data = {
                "case": asdict(item.case),
                "result": item.line,
                "verdict": item.verdict and asdict(item.verdict),
                "decision": decision_of(item),
                "trace": item.trace,
            }
            text = json.dumps(data, ensure_ascii=False, indent=1, default=sorted)
            (folder / log_name(item.case.id)).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--log: {folder} cannot be written: {error.strerror}") from None


def log_name(case_id: str) -> str:
    """A file name for a case, whatever its id: the same for the same id, another for another."""
    plain = _PLAIN.sub("_", case_id)[:_LONGEST].lstrip(".")
    if plain == case_id:
        return f"{plain}.json"
    return f"{plain}-{hashlib.sha256(case_id.encode()).hexdigest()[:8]}.json"
