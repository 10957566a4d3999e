"""Which messages may be echoes."""

import pytest

from daemon.act.doubts import Doubts
from tests.act.world import device

LAMP = device("lamp", "on_off", "brightness")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("publications", "alike", "messages", "echoes"),
    [
        (1, False, ["on", "on"], [True, False]),
        (1, True, ["on", "on", "on"], [True, True, False]),
        (2, False, ["on", "on", "on"], [True, True, False]),
        (1, False, ["off", "on", "on"], [False, True, False]),
        # What looked like the echo may have been the truth until it was switched by hand.
        (1, False, ["on", "off", "on", "on"], [True, False, True, False]),
        (1, True, ["on", "on", "off", "on", "on", "on"], [True, True, False, True, True, False]),
    ],
)
def test_echoes_are_counted(publications: int, alike: bool, messages: list[str], echoes: list[bool]) -> None:  # noqa: FBT001 - a column
    doubts = Doubts(Clock())
    doubts.sent("lamp", "state", "on", publications, alike=alike)
    assert [doubts.echo(LAMP, {"state": state}) for state in messages] == echoes
    assert doubts.covers("lamp", "state", "on")
    assert not doubts.covers("lamp", "state", "off")


def test_a_repeated_set_has_an_echo_more() -> None:
    doubts = Doubts(Clock())
    for _ in range(2):
        doubts.sent("lamp", "state", "on", 1, alike=False)
    assert [doubts.echo(LAMP, {"state": "on"}) for _ in range(3)] == [True, True, False]


def test_another_wish_and_a_late_one_start_anew() -> None:
    clock = Clock()
    doubts = Doubts(clock)
    doubts.sent("lamp", "state", "off", 5, alike=True)
    doubts.sent("lamp", "state", "on", 1, alike=False)
    assert [doubts.echo(LAMP, {"state": "on"}) for _ in range(2)] == [True, False]
    clock.now = 60.0
    doubts.sent("lamp", "state", "on", 1, alike=False)
    assert [doubts.echo(LAMP, {"state": "on"}) for _ in range(2)] == [True, False]


def test_doubts_end() -> None:
    clock = Clock()
    doubts = Doubts(clock)
    doubts.sent("lamp", "state", "on", 1, alike=False)
    doubts.settled("lamp", "state")
    assert not doubts.covers("lamp", "state", "on")
    doubts.sent("lamp", "state", "on", 1, alike=False)
    clock.now = 6.0
    assert not doubts.echo(LAMP, {"state": "off"})
    assert not doubts.covers("lamp", "state", "on")
    doubts.sent("lamp", "state", "on", 1, alike=False)
    doubts.forget(lambda _: False)
    assert not doubts.covers("lamp", "state", "on")
