"""Which messages may be echoes."""

import itertools

import pytest

from daemon.act.observations import TWIN_S, Doubts
from daemon.mqtt.bus import Message
from tests.act.world import device

LAMP = device("lamp", "on_off", "brightness")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


_numbers = itertools.count(1)


def message(at: float | None = None, payload: bytes = b"{}") -> Message:
    """A message, a second after the one before unless it is said when."""
    number = next(_numbers)
    return Message("zigbee2mqtt/lamp", payload, retained=False, at=number if at is None else at, sequence=number)


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
    assert [doubts.echo(LAMP, {"state": state}, message()) for state in messages] == echoes
    assert doubts.covers("lamp", "state", "on")
    assert not doubts.covers("lamp", "state", "off")


def test_a_repeated_set_has_an_echo_more() -> None:
    doubts = Doubts(Clock())
    for _ in range(2):
        doubts.sent("lamp", "state", "on", 1, alike=False)
    assert [doubts.echo(LAMP, {"state": "on"}, message()) for _ in range(3)] == [True, True, False]


def test_another_wish_and_a_late_one_start_anew() -> None:
    clock = Clock()
    doubts = Doubts(clock)
    doubts.sent("lamp", "state", "off", 5, alike=True)
    doubts.sent("lamp", "state", "on", 1, alike=False)
    assert [doubts.echo(LAMP, {"state": "on"}, message()) for _ in range(2)] == [True, False]
    clock.now = 60.0
    doubts.sent("lamp", "state", "on", 1, alike=False)
    # What came before the set and could be read only now is no echo of it.
    times = (59.0, 61.0, 62.0)
    assert [doubts.echo(LAMP, {"state": "on"}, message(at)) for at in times] == [False, True, False]


def test_doubts_end() -> None:
    clock = Clock()
    doubts = Doubts(clock)
    doubts.sent("lamp", "state", "on", 1, alike=False)
    doubts.settled("lamp", "state")
    assert not doubts.covers("lamp", "state", "on")
    doubts.sent("lamp", "state", "on", 1, alike=False)
    clock.now = 6.0
    assert not doubts.echo(LAMP, {"state": "off"}, message())
    assert not doubts.covers("lamp", "state", "on")
    doubts.sent("lamp", "state", "on", 1, alike=False)
    doubts.forget(lambda _: False)
    assert not doubts.covers("lamp", "state", "on")


@pytest.mark.parametrize(
    ("payload", "after_s", "echo"),
    [
        (b"{}", TWIN_S / 2, True),
        (b"{}", TWIN_S * 2, False),
        (b'{"linkquality":80}', TWIN_S / 2, False),
    ],
)
def test_what_is_delivered_twice_is_one_echo(payload: bytes, after_s: float, *, echo: bool) -> None:
    doubts = Doubts(Clock())
    doubts.sent("lamp", "state", "on", 1, alike=False)
    assert doubts.echo(LAMP, {"state": "on"}, message(5.0))
    assert doubts.echo(LAMP, {"state": "on"}, message(5.0 + after_s, payload)) == echo
