"""The tables of finding: a clause and what is known -> who is meant and what the gate says."""

from pathlib import Path
from typing import Any

import pytest

from tests.home.houses import House, clause_of, context_of, default_home
from tests.tables import read_table

TABLES = Path(__file__).parent / "tables"
CASES = [
    pytest.param({"lang": lang} | case, id=f"{lang}: {case['say']}")
    for path in sorted(TABLES.glob("finding.*.yaml"))
    for lang in (path.stem.removeprefix("finding."),)
    for case in read_table(path)
]


@pytest.fixture(scope="module")
def house() -> House:
    return House(default_home())


@pytest.mark.parametrize("case", CASES)
def test_finding(house: House, case: dict[str, Any]) -> None:
    found, decision = house.decide(clause_of(case), context_of(case))
    first = found.targets[0]
    seen = {
        "verdict": decision.verdict,
        "reason": decision.reason,
        "entities": sorted(decision.entities),
        "options": sorted(decision.options),
        "count": len(decision.entities),
        "via": first.via,
        "left_out": sorted(decision.left_out),
        "nearest": list(decision.nearest),
        "dimension": decision.dimension,
        "status": first.status,
        "evidence": first.evidence,
    }
    expected = {key: sorted(value) if isinstance(value, list) else value for key, value in case["expect"].items()}
    assert {key: seen[key] for key in expected} == expected, first
