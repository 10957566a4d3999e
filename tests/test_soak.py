"""An hour of the soak: everything that its week does is done, and nothing but memory is judged."""

import logging
from pathlib import Path
from typing import Any

import pytest

from benchmarks.soak import DAY_S, HOUR_S, Measured, Soak, faults
from daemon.core.values import replace
from tests.virtual_time import run


def test_an_hour_leaves_nothing_behind(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    soak = Soak(HOUR_S / DAY_S, 240, 1)
    with caplog.at_level(logging.ERROR):
        run(lambda: soak.live(tmp_path, every_s=300.0))
    assert soak.said >= 240
    assert soak.outcomes.keys() >= {"execute", "query", "clarify", "schedule", "reject"}
    assert soak.measured[-1].stored.keys() == {"audit", "later", "learnt"}
    assert faults(soak.measured, [record.getMessage() for record in caplog.records]) == []


def days(**last: Any) -> list[Measured]:
    """Four days without a change, but for the last hour."""
    hours = [
        Measured(at * HOUR_S, at, 200.0, 10, 5, 20, 1_000, 5_000, {"audit": 1_000_000, "later": 8_192})
        for at in range(4 * 24)
    ]
    return [*hours[:-1], replace(hours[-1], **last)]


def test_what_stays_as_it_is_is_no_fault() -> None:
    assert faults(days(), []) == []


@pytest.mark.parametrize(
    "last",
    [
        {"descriptors": 11},
        {"threads": 6},
        {"tasks": 100},
        {"stored": {"audit": 2_000_000, "later": 8_192}},
    ],
    ids=lambda last: next(iter(last)),
)
def test_what_is_more_at_the_end_is_a_fault(last: dict[str, Any]) -> None:
    assert len(faults(days(**last), [])) == 1


def test_memory_may_not_rise() -> None:
    rising = [replace(item, resident_mib=item.resident_mib + item.at / DAY_S * 2) for item in days()]
    assert faults(rising, []) == ["grew: memory by 2.00 MiB a day"]
    once = [replace(item, resident_mib=240.0) if item.at == 30 * HOUR_S else item for item in days()]
    assert faults(once, []) == []


def test_what_was_logged_as_an_error_is_a_fault() -> None:
    assert faults(days(), ["a request failed\nTraceback ..."]) == ["logged: a request failed"]
