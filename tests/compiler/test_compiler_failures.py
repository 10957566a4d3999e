"""How often a model may fail: in a row, and only for a while."""

import logging

import pytest

from daemon.compiler.adviser import IN_A_ROW, REST_S, Failures
from daemon.core.errors import ModelMissing


def state(failures: Failures) -> tuple[bool, str | None]:
    return failures.out, failures.problem


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_it_is_given_up_after_so_many_in_a_row_and_tried_once_more_after_a_rest() -> None:
    clock = Clock()
    failures = Failures("it", "on we go", clock)
    for _ in range(IN_A_ROW - 1):
        failures.failed(ValueError("no"))
        assert state(failures) == (False, None)
    failures.worked()
    for _ in range(IN_A_ROW):
        assert not state(failures)[0]
        failures.failed(ValueError("no"))
    assert state(failures) == (True, "ValueError: no")
    clock.now += REST_S
    assert not state(failures)[0]
    failures.failed(KeyError("still"))
    assert state(failures)[0]
    clock.now += REST_S
    failures.worked()
    assert state(failures) == (False, None)


def test_what_cannot_be_had_is_never_tried_again() -> None:
    clock = Clock()
    failures = Failures("it", "on we go", clock)
    failures.lacking(ModelMissing("it", "get it"))
    clock.now += 1000 * REST_S
    assert state(failures) == (True, "the model it is not installed; get it")


def test_what_may_be_there_later_is_tried_again() -> None:
    clock = Clock()
    failures = Failures("it", "on we go", clock)
    failures.lacking(ImportError("still being built"), for_good=False)
    assert failures.out
    clock.now += REST_S
    assert not failures.out


def test_each_kind_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    failures = Failures("it", "on we go", clock)
    with caplog.at_level(logging.WARNING, logger="daemon.compiler"):
        for _ in range(4):
            for error in (ValueError("one"), KeyError("two")):
                failures.failed(error)
                failures.failed(error)
                failures.worked()
        for _ in range(5):
            failures.failed(ValueError("one"))
            clock.now += REST_S
    told = [record.getMessage() for record in caplog.records]
    assert ["out of use for 10 minutes" in line for line in told] == [False, False, True]
    assert ["one" in line for line in told] == [True, False, True]
