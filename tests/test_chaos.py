"""A short run of `python -m benchmarks.chaos`: what must not be is not, however the world is."""

import pytest

from benchmarks.chaos import clocks, outages, stores
from benchmarks.chaos.__main__ import main, run
from benchmarks.chaos.tally import FAULTS, Tally
from tests.brokers import mosquitto_path


@pytest.mark.parametrize("name", ["broker stopped", "network hung", "network cut", *stores.NAMES, clocks.NAME])
def test_nothing_is_wrong_in_an_unreliable_world(name: str) -> None:
    if name in outages.DISTURBANCES:
        mosquitto_path()
    tally = run(name, rounds=1, seed=7)
    assert tally.rounds == 1
    assert tally.acts > 0
    assert tally.notes == []


def test_what_was_wrong_is_told_and_ends_badly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lying(tally: Tally, rounds: int, seed: int) -> None:
        tally.rounds, tally.acts = rounds, seed
        for kind in FAULTS:
            tally.fault(kind, "it was so")

    monkeypatch.setattr(clocks, "run", lying)
    assert main(["--rounds", "1", "--only", clocks.NAME]) == 1
    told = capsys.readouterr()
    assert told.out.splitlines()[1].split() == ["clock", "jumps", "1", "1", *["1"] * len(FAULTS), "0"]
    assert len(told.err.splitlines()) == len(FAULTS)
