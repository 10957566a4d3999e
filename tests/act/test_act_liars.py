"""A short run of the campaign `benchmarks.liars`, in virtual time."""

import pytest

from benchmarks.liars import Score, main, played
from benchmarks.lying_devices import LIES


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_said_of_liars_that_is_not_so(seed: int) -> None:
    score = played("memory", acts=300, seed=seed, devices=100)
    assert score.total("acts") >= 300
    assert score.total("done") > score.total("failed") > 0
    assert score.seen == []


def test_what_cannot_be_told_is_counted_apart() -> None:
    score = Score()
    score.add("lies when asked", "apart")
    assert score.bad == 0
    score.add("memory", "FALSE DONE", "lamp")
    assert (score.bad, score.seen) == (1, ["FALSE DONE: memory: lamp"])


def test_its_table_names_the_lies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--broker", "memory", "--acts", "60", "--devices", "60", "--seed", "3"]) == 0
    said = capsys.readouterr().out
    assert any(name in said for name in LIES)
    assert "FALSE DONE" in said
