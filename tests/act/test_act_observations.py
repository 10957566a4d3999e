"""Which messages may be echoes, and how long what is so has been so."""

import itertools

import pytest

from daemon.act.observations import TWIN_S, Doubts, Lasting
from daemon.core.outcomes import Held
from daemon.mqtt.bus import Message
from tests.act.world import Home, device, run

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


# -- how long it lasted is only said of what was watched all the while

TOPIC = "zigbee2mqtt/lamp"


class Watched:
    """A lasting memory with a clock of its own."""

    def __init__(self) -> None:
        self.now = 100.0
        self.lasting = Lasting(lambda: self.now)

    def saw(self, value: str, after: float = 0.0) -> None:
        self.now += after
        self.lasting.saw("lamp", "state", value, self.now)

    def held(self, value: str, after: float = 0.0) -> Held | None:
        self.now += after
        return self.lasting.of("lamp", "state", value)


def test_the_first_word_tells_no_beginning() -> None:
    watched = Watched()
    watched.saw("on")
    assert watched.held("on", 60) == Held(60, exact=False)


def test_a_change_that_was_seen_is_a_beginning() -> None:
    watched = Watched()
    watched.saw("off")
    watched.saw("on", 10)
    watched.saw("on", 30)
    assert watched.held("on", 30) == Held(60, exact=True)
    assert watched.held("off") is None


def test_what_may_have_been_missed_is_no_time_in_which_it_lasted() -> None:
    watched = Watched()
    watched.saw("off")
    watched.saw("on", 10)
    watched.lasting.missed()
    assert watched.held("on", 20) is None
    watched.saw("on", 5)
    assert watched.held("on", 7) == Held(7, exact=False)


def test_a_change_that_nobody_saw_is_no_beginning() -> None:
    watched = Watched()
    watched.saw("on")
    watched.lasting.missed("lamp")
    watched.saw("off", 20)
    assert watched.held("off", 5) == Held(5, exact=False)


@pytest.mark.parametrize("entity", ["lamp", "fan"])
def test_one_device_that_was_away_says_nothing_of_others(entity: str) -> None:
    watched = Watched()
    watched.saw("on")
    watched.lasting.missed(entity)
    assert (watched.held("on", 5) is None) is (entity == "lamp")


def test_what_is_retained_or_an_echo_begins_nothing() -> None:
    async def main() -> list[Held | None]:
        home = await Home.of(device())
        home.bus.deliver(TOPIC, {"state": "OFF"}, retained=True)
        found = [home.states.seen("lamp", "state").held]
        home.bus.deliver(TOPIC, {"state": "OFF"})
        home.states.sent("lamp", "state", "on", 1)
        home.bus.deliver(TOPIC, {"state": "ON"})
        found.append(home.states.seen("lamp", "state").held)
        home.states.settled("lamp", "state")
        home.bus.deliver(TOPIC, {"state": "ON"})
        found.append(home.states.seen("lamp", "state").held)
        return found

    assert run(main) == [None, None, Held(0, exact=True)]


def test_a_lost_connection_and_messages_passed_over_end_it() -> None:
    async def main() -> list[Held | None]:
        home = await Home.of(device())
        found = []
        home.bus.deliver(TOPIC, {"state": "OFF"})
        home.bus.deliver(TOPIC, {"state": "ON"}, gap=True)
        found.append(home.states.seen("lamp", "state").held)
        home.bus.deliver(TOPIC, {"state": "OFF"})
        found.append(home.states.seen("lamp", "state").held)
        home.bus.lose()
        home.bus.connected = True
        home.bus.deliver(TOPIC, {"state": "ON"})
        found.append(home.states.seen("lamp", "state").held)
        return found

    assert run(main) == [Held(0, exact=False), Held(0, exact=True), Held(0, exact=False)]
