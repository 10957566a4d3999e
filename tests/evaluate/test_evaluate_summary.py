"""Summaries, tables and records of scored cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from daemon.core.errors import UsageError
from daemon.evaluate.cases import Case, Expectation
from daemon.evaluate.report import ResultFile, details, log_name, overview, write_logs
from daemon.evaluate.runner import Scored
from daemon.evaluate.score import Verdict
from daemon.evaluate.summary import Quantiles, Summary


def scored(name: str, outcome: str, verdict: Verdict, *tags: str, ms: float = 1.0) -> Scored:
    case = Case(id=name, lang="en", text="", home="h", expect=Expectation(outcome, frozenset({outcome})), tags=tags)
    line: dict[str, Any] = {"id": name, "outcome": outcome, "ms": {"total": ms}}
    return Scored(case, line, verdict, ({"stage": "act", "名": 1},))


EXACT = Verdict(exact=True)
WRONG = Verdict(exact=False, wrong_act=True, acted=True, fault="wrong_entity")
ROWS = [
    scored("a/1", "execute", EXACT, "light", "en", ms=1),
    scored("a 1", "execute", WRONG, "light", ms=2),
    scored("b", "clarify", Verdict(exact=False, missed_question=True, fault="missed_question"), "light", ms=3),
    scored("c", "ignore", EXACT, "noise"),
    scored("d", "ignore", Verdict(exact=False, wrong_act=True, acted=True, fault="acted_out_of_scope"), "noise"),
    scored("e", "assistant", EXACT, "timer"),
]
SUMMARY = Summary.of("file", ROWS)


def test_counts() -> None:
    assert structs.asdict(SUMMARY.overall) == {
        "rows": 6,
        "exact": 3,
        "wrong_acts": 2,
        "needless_questions": 0,
        "missed_questions": 1,
        "not_understood": 0,
    }
    assert (SUMMARY.in_scope.rows, SUMMARY.in_scope.exact, SUMMARY.in_scope.wrong_acts) == (3, 1, 1)
    assert (SUMMARY.noise, SUMMARY.noise_acted) == (2, 1)
    assert {name: tally.rows for name, tally in SUMMARY.by_tag.items()} == {"light": 3, "noise": 2, "en": 1, "timer": 1}
    assert list(SUMMARY.by_outcome) == ["assistant", "clarify", "execute", "ignore"]
    assert SUMMARY.faults == {"wrong_entity": 1, "missed_question": 1, "acted_out_of_scope": 1}
    assert SUMMARY.ms["total"].count == 6


def test_decisions_by_what_should_be_decided() -> None:
    def row(expected: str, came: str, *accepted: str) -> Scored:
        expect = Expectation(expected, frozenset({expected, *accepted}))
        tags = ("lights", "asked") if expected == "clarify" else ("lights",)
        case = Case(id=f"{expected} {came}", lang="en", text="", home="h", expect=expect, tags=tags)
        return Scored(case, {"id": case.id, "outcome": came}, EXACT)

    rows = [
        row("execute", "execute"),
        row("query", "execute"),
        row("execute", "clarify"),
        row("mixed", "reject"),
        row("clarify", "clarify"),
        row("clarify", "execute"),
        row("clarify", "execute", "query"),
        row("reject", "ignore"),
        row("assistant", "execute"),
    ]
    found = Summary.of("file", rows).to_dict()["decisions"]
    assert found == {
        "act": {"rows": 4, "right": 2, "did": {"act": 2, "ask": 1, "refuse": 1}},
        "ask": {"rows": 3, "right": 2, "did": {"act": 2, "ask": 1, "refuse": 0}},
        "refuse": {"rows": 2, "right": 1, "did": {"act": 1, "ask": 0, "refuse": 1}},
    }
    assert Summary.of("file", rows).to_dict()["decisions_by_tag"] == {
        "lights": {"rows": 9, "right": 5, "did": {"act": 5, "ask": 2, "refuse": 2}},
        "asked": {"rows": 3, "right": 2, "did": {"act": 2, "ask": 1, "refuse": 0}},
    }
    heads, act, *_ = details(Summary.of("file", rows)).split("act, ask or refuse\n")[1].splitlines()
    assert heads.split()[:3] == ["should", "rows", "right"]
    assert act.split() == ["act", "4", "50.0", "2", "1", "1"]


def test_rows_without_an_expectation_are_not_counted() -> None:
    plain = Scored(Case(id="x", lang="en", text="", home=None, expect=None), {"id": "x", "ms": {"total": 9.0}}, None)
    summary = Summary.of("file", [plain])
    assert summary.overall.rows == 0
    assert summary.ms["total"].p50 == 9.0
    assert "-" in overview([summary])


def test_the_tables_say_it() -> None:
    assert SUMMARY.to_dict()["overall"]["rows"] == 6
    first, second = overview([SUMMARY]).splitlines()
    assert first.split()[:3] == ["file", "rows", "exact"]
    assert second.split() == ["file", "6", "50.0", "33.3", "0", "1", "0", "3", "33.3", "1/2"]
    text = details(SUMMARY)
    assert "wrong_entity" in text
    assert "timer" not in text  # too few rows to say anything
    assert "light" in text


def test_result_lines(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with ResultFile(path) as out:
        out.write(ROWS[:2])
        out.write(ROWS[2:])
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == [
        item.case.id for item in ROWS
    ]


def test_a_log_per_case(tmp_path: Path) -> None:
    write_logs(tmp_path / "logs", ROWS)
    assert len(list((tmp_path / "logs").iterdir())) == len(ROWS)
    data = json.loads((tmp_path / "logs" / log_name("a/1")).read_text(encoding="utf-8"))
    assert data["case"]["id"] == "a/1"
    assert data["case"]["expect"]["accepted"] == ["execute"]
    assert data["verdict"]["exact"] is True
    assert data["trace"] == [{"stage": "act", "名": 1}]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="--out"):
        ResultFile(tmp_path / "file" / "out")
    with pytest.raises(UsageError, match="--log"):
        write_logs(tmp_path / "file" / "logs", ROWS)


@given(st.lists(st.text(min_size=1, max_size=200), unique=True, max_size=20))
def test_log_names_are_plain_and_distinct(ids: list[str]) -> None:
    names = [log_name(item) for item in ids]
    assert len(set(names)) == len(ids)
    assert all("/" not in name and not name.startswith(".") and len(name) < 130 for name in names)


@given(st.lists(st.floats(0, 1000), min_size=1))
def test_quantiles_are_among_the_values_and_in_order(values: list[float]) -> None:
    found = Quantiles.of(values)
    assert found.p50 <= found.p95 <= found.p99 <= max(values)
    assert {found.p50, found.p95, found.p99} <= set(values)


def test_no_values_no_quantiles() -> None:
    with pytest.raises(ValueError, match="no values"):
        Quantiles.of([])
