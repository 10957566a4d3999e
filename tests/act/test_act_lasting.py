"""How long what is so has been so is only said of what was watched all the while."""

import pytest

from daemon.act.observations import Lasting
from daemon.core.outcomes import Held
from tests.act.world import Home, device, run

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
