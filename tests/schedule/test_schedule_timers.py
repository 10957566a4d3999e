"""Kitchen timers: what is said to them, and what becomes of them."""

from typing import Any

import pytest

from daemon.core.ir import Timer
from daemon.core.messages import Say
from daemon.core.values import replace
from daemon.schedule.agenda import MOST
from daemon.schedule.entries import AboutTimer, Entry, Kept, Origin
from daemon.schedule.timers import Timers
from tests.schedule.kept import HOME, NOON, ORIGIN, Clocks, clause

BEDROOM = replace(ORIGIN, satellite="bedroom")
DAY = 86_400.0


class Kitchen:
    """The timers of one home, to be spoken to."""

    def __init__(self) -> None:
        self.clocks = Clocks()
        self.agenda = self.clocks.agenda()
        self.timers = Timers(self.agenda, self.clocks.moments, HOME)

    @classmethod
    async def of(cls, *kept: str) -> "Kitchen":
        """One in which this was said before."""
        kitchen = cls()
        for text in kept:
            assert await kitchen.say(text) in (["timer.started"], ["reminder.set"])
        return kitchen

    async def say(self, text: str, origin: Origin = ORIGIN, **changed: Any) -> list[str]:
        """The keys of what is said."""
        said = clause(text)
        assert isinstance(said, Timer)
        found, _ = await self.timers.change(replace(said, **changed), origin)
        return [key(item) for item in found]

    @property
    def left(self) -> dict[str, float | None]:
        """By name: the seconds until it rings; None for one that is paused."""
        return {
            str(item.name or item.reminds): None if item.due is None else self.agenda.due(item) - self.clocks.wall
            for item in self.timers.all
        }


def key(message: object) -> str:
    if isinstance(message, Kept):
        return "kept " + " ".join(str(item.name) for item in message.entries)
    assert isinstance(message, Say | AboutTimer)
    return message.key


PASTA, RICE, BARE = "set a pasta timer for 8 minutes", "set a rice timer for 20 minutes", "set a timer for 8 minutes"


@pytest.mark.parametrize(
    ("kept", "said", "answer", "left"),
    [
        ([], PASTA, "timer.started", {"pasta": 480}),
        ([PASTA], RICE, "timer.started", {"pasta": 420, "rice": 1200}),
        ([PASTA, RICE], "cancel the pasta timer", "timer.cancelled", {"rice": 1140}),
        ([PASTA, RICE], "cancel my 8 minute timer", "timer.cancelled", {"rice": 1140}),
        ([PASTA, RICE], "cancel all timers", "timer.cancelled.all", {}),
        ([PASTA, RICE], "cancel the timer", "timer.which", {"pasta": 420, "rice": 1140}),
        ([PASTA], "cancel the timer", "timer.cancelled", {}),
        ([PASTA], "cancel the egg timer", "timer.none.named", {"pasta": 420}),
        ([], "cancel the timer", "timer.none", {}),
        ([], "cancel all timers", "timer.none", {}),
        ([PASTA], "pause the timer", "timer.paused", {"pasta": None}),
        ([PASTA], "resume the timer", "timer.is_running", {"pasta": 420}),
        ([PASTA], "add 2 minutes to the timer", "timer.changed", {"pasta": 540}),
        ([PASTA], "take 2 minutes off the pasta timer", "timer.changed", {"pasta": 300}),
        ([PASTA], "take 7 minutes off the pasta timer", "timer.too_short", {"pasta": 420}),
        ([PASTA], "add 200 hours to the timer", "later.too_far", {"pasta": 420}),
        ([PASTA, RICE], "how long is left on the timer", "kept pasta rice", {"pasta": 420, "rice": 1140}),
        ([PASTA], "remind me of the trash at 6 pm", "reminder.set", {"pasta": 420, "the trash": 6 * 3600 - 60}),
        ([PASTA, "remind me of the trash at 6 pm"], "cancel all reminders", "reminder.cancelled.all", {"pasta": 420}),
        ([PASTA, "remind me of the trash at 6 pm"], "cancel the timer", "timer.cancelled", {"the trash": 21540}),
        ([PASTA], "cancel the reminder", "reminder.none", {"pasta": 420}),
    ],
)
async def test_what_is_said_a_minute_later(kept: list[str], said: str, answer: str, left: dict[str, Any]) -> None:
    kitchen = await Kitchen.of(*kept)
    kitchen.clocks.wait(60)
    assert await kitchen.say(said) == [answer]
    assert kitchen.left == pytest.approx(left)


@pytest.mark.parametrize(
    ("seconds", "answer"),
    [
        (None, "later.no_length"),
        (0.0, "later.no_length"),
        (0.5, "later.no_length"),
        (-60.0, "later.no_length"),
        (1.0, "timer.started"),
        (7 * DAY, "timer.started"),
        (7 * DAY + 1, "later.too_far"),
    ],
)
async def test_a_timer_has_a_length(seconds: float | None, answer: str) -> None:
    kitchen = await Kitchen.of()
    assert await kitchen.say(BARE, seconds=seconds) == [answer]
    assert len(kitchen.agenda) == (answer == "timer.started")


@pytest.mark.parametrize(("jump", "pause"), [(0.0, 3600.0), (-7200.0, 60.0), (7200.0, 60.0)])
async def test_no_time_goes_by_while_it_is_paused_and_no_clock_that_is_set_shortens_it(
    jump: float, pause: float
) -> None:
    kitchen = await Kitchen.of(PASTA)
    kitchen.clocks.wait(60)
    await kitchen.say("pause the timer")
    assert await kitchen.say("pause the timer") == ["timer.is_paused"]
    kitchen.clocks.wait(pause)
    kitchen.clocks.wall += jump
    await kitchen.say("add 2 minutes to the timer")
    assert kitchen.left == {"pasta": None}
    assert await kitchen.say("resume the timer") == ["timer.resumed"]
    kitchen.clocks.wall += jump
    assert kitchen.left == {"pasta": pytest.approx(540)}


@pytest.mark.parametrize(
    ("said", "first", "second"),
    [("pause the timer", "timer.paused", "timer.paused"), ("resume the timer", "timer.is_running", "timer.is_running")],
)
async def test_with_two_timers_that_of_this_room_is_meant(said: str, first: str, second: str) -> None:
    kitchen = await Kitchen.of(PASTA)
    await kitchen.say(RICE, BEDROOM)
    assert await kitchen.say(said, BEDROOM) == [first]
    assert kitchen.left["pasta"] is not None
    assert await kitchen.say(said) == [second]


async def test_what_is_paused_is_what_is_resumed() -> None:
    kitchen = await Kitchen.of(PASTA, RICE)
    await kitchen.say("pause the rice timer")
    assert await kitchen.say("resume the timer") == ["timer.resumed"]
    assert None not in kitchen.left.values()
    assert await kitchen.say("pause the timer") == ["timer.which"]


async def test_half_of_a_name_is_enough_where_only_one_has_it() -> None:
    kitchen = await Kitchen.of("set a timer for 8 minutes")
    await kitchen.say(PASTA, name="pasta sauce")
    assert await kitchen.say("cancel the pasta timer") == ["timer.cancelled"]
    await kitchen.say(PASTA, name="pasta sauce")
    await kitchen.say(PASTA, name="pasta water")
    assert await kitchen.say("cancel the pasta timer") == ["timer.none.named"]


async def test_where_no_more_can_be_kept_none_is_set() -> None:
    kitchen = await Kitchen.of()
    for _ in range(MOST):
        await kitchen.agenda.keep(Entry(0, "timer", ORIGIN, NOON))
    assert await kitchen.say(PASTA) == ["later.full"]
    assert len(kitchen.agenda) == MOST


@pytest.mark.parametrize(
    ("reminds", "late", "said"),
    [
        (None, 0.0, "timer.rings"),
        (None, 60.0, "timer.rang"),
        ("the trash", 0.0, "reminder.rings"),
        ("", 0.0, "reminder.rings.bare"),
        ("the trash", 60.0, "reminder.rang"),
    ],
)
def test_what_is_said_when_it_rings(reminds: str | None, late: float, said: str) -> None:
    kitchen = Kitchen()
    kept = Entry(1, "timer", ORIGIN, NOON, seconds=60.0, reminds=reminds)
    assert kitchen.timers.rings(kept, late) == AboutTimer(said, kept, NOON if late else None)
