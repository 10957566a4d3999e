"""`python -m daemon eval`, from the command line to the files it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daemon.__main__ import main

HOME = """{"id": "flat", "lang": "en", "floors": [], "areas": [{"id": "kitchen", "name": "Kitchen"}],
 "devices": [{"id": "light.kitchen", "name": "Kitchen Light", "aliases": [], "domain": "light", "area": "Kitchen",
              "capabilities": ["on_off"], "state": "off"}]}"""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    (tmp_path / "homes").mkdir()
    (tmp_path / "homes" / "flat.json").write_text(HOME, encoding="utf-8")
    right = {"action": "turn_on", "targets": ["light.kitchen"]}
    wrong = {"action": "turn_off", "targets": ["light.kitchen"]}
    rows = [
        {"id": f"c/{number}", "lang": "en", "text": text, "home": "flat", "expect": expect}
        for number, (text, expect) in enumerate(
            [
                ("turn on the kitchen light", {"outcome": "execute", "commands": [right]}),
                ("turn on the kitchen light", {"outcome": "execute", "commands": [wrong]}),
                ("turn on the kitchen light", None),
            ]
        )
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_tables_results_and_logs(cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, log = tmp_path / "out.jsonl", tmp_path / "log"
    assert main(["eval", str(cases), "--jobs", "1", "--out", str(out), "--log", str(log)]) == 0
    last = capsys.readouterr().out.splitlines()[-1].split()
    assert last[:4] == ["cases", "2", "50.0", "50.0"]
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == ["c/0", "c/1", "c/2"]
    assert all(line["commands"] == [{"action": "turn_on", "targets": ["light.kitchen"]}] for line in lines)
    assert len(list((log / "cases").iterdir())) == 3


def test_json(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", str(cases), "--jobs", "1", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["overall"]["wrong_acts"] == 1
    assert summary["faults"] == {"wrong_reading": 1}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nowhere.jsonl"], "cannot be read"),
        (["{cases}", "--jobs", "0"], "--jobs"),
        (["{cases}", "--homes", "nowhere"], "no such home"),
        (["{cases}", "--out", "nowhere/out.jsonl"], "cannot be written"),
    ],
)
def test_bad_usage_is_one_line(
    cases: Path, arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *(item.format(cases=cases) for item in arguments)]) == 2
    said = capsys.readouterr().err.strip()
    assert problem in said
    assert "\n" not in said
