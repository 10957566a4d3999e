"""Every sentence of every table says what its table says.

Confidences are left out: tests of their own pin them. Whether "all" was said or only a plural is compared where an
entry speaks of it (`plural`, `numberless`): tables about other things give "the lights" and "all the lights"
one meaning. So is whether a place is shared, which half of the day "at 7" is in, and which way "turn it up to 40" goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.core.ir import Chat
from daemon.core.values import to_dict
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize
from tests.tables import read_table

TABLES = Path(__file__).parent / "tables"
_WHERE_TOLD = (
    "plural",
    "numberless",
    "unsaid",
    "cleans",
    "twelve",
    "until_twelve",
    "daytime",
    "once",
    "every",
    "toward",
    "pointed",
    "shares",
)
_LEFT_OUT = ("confidence", *_WHERE_TOLD)
FILES = sorted(path for path in TABLES.glob("*.yaml") if path.name != "names.yaml")


def sentences() -> Iterator[Any]:
    for path in FILES:
        for entry in read_table(path):
            for sentence in entry["say"]:
                yield pytest.param(sentence, entry, id=f"{path.stem}: {sentence}")


def plain(value: Any, told: Any) -> Any:
    """What the grammar says, without what is not compared with what is `told` here."""
    if isinstance(value, dict):
        told = told if isinstance(told, dict) else {}
        kept = {key: plain(item, told.get(key)) for key, item in value.items() if key not in _LEFT_OUT}
        return kept | {key: value.get(key, False) for key in _WHERE_TOLD if key in told}
    if isinstance(value, list):
        beside = told if isinstance(told, list) and len(told) == len(value) else [None] * len(value)
        return [plain(item, other) for item, other in zip(value, beside, strict=True)]
    return value


@pytest.mark.parametrize(("sentence", "entry"), list(sentences()))
def test_it_says(sentence: str, entry: dict[str, Any], grammar: Grammar, home: NameTable) -> None:
    readings = grammar.read(normalize(sentence), home)
    if entry["means"] == "nothing":
        assert all(isinstance(reading.clauses[0], Chat) for reading in readings)
        return
    assert readings, "not understood"
    assert plain(to_dict(readings[0].clauses), entry["means"]) == entry["means"]
    assert readings[0].missing == entry.get("missing")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_there_are_enough_sentences(lang: str) -> None:
    entries = [entry for path in FILES if f".{lang}." in path.name for entry in read_table(path)]
    assert sum(len(entry["say"]) for entry in entries) >= 700
    assert len({sentence for entry in entries for sentence in entry["say"]}) == sum(len(e["say"]) for e in entries)
