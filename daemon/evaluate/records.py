"""What an evaluation leaves behind: result lines in one file, and a whole trace per case."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Self, TextIO

from daemon.core.errors import UsageError
from daemon.evaluate.results import Scored
from daemon.evaluate.summary import decision_of

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
