"""Whose moment has come: what is carried out, in which order, what is given up, and what is said of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from daemon.act.executor import Access
from daemon.core.messages import Say, say
from daemon.core.outcomes import Outcome, Status, Write
from daemon.core.questions import EXPIRY_S, Question
from daemon.core.result import Notice, Occasion, Report
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.schedule.agenda import Agenda
from daemon.schedule.edges import Edges
from daemon.schedule.entries import AboutTimer, Entry
from daemon.schedule.firing import Firing
from tests.act.world import FakeBus, Home
from tests.schedule.kept import HOME, NOON, ORIGIN, Clocks, entry, program

pytestmark = pytest.mark.virtual

ON, OFF, DAILY = (
    "turn on the lamp in ten minutes",
    "turn off the lamp in ten minutes",
    "turn on the lamp every day at noon",
)
DONE = Report(
    "execute", (say("done"),), outcomes=(Outcome(Write("lamp", "state", "on", "turn_on"), "done", sent=True),)
)


@dataclass
class House:
    """An agenda, and a note of all that was to be carried out and said."""

    bus: FakeBus
    agenda: Agenda
    clocks: Clocks
    firing: Firing
    turns: list[Turn] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    reports: list[Report | Exception] = field(default_factory=list)
    """What is to become of the next ones; else each is done."""

    @classmethod
    async def of(cls, *entries: Entry) -> "House":
        home, clocks = await Home.of(*HOME), Clocks()
        agenda = clocks.agenda()
        access = Access(home.states, home.reader, home.executor, lambda: home.bus.connected)

        notices: list[Notice] = []

        async def carry_out(turn: Turn, _occasion: Occasion) -> Report:
            house.turns.append(turn)
            report = house.reports.pop(0) if house.reports else DONE
            if isinstance(report, Exception):
                raise report
            return report

        firing = Firing(
            agenda=agenda,
            moments=clocks.moments,
            edges=Edges(agenda, home.registry, home.states, home.reader),
            registry=home.registry,
            access=access,
            carry_out=carry_out,
            announce=notices.append,
        )
        house = cls(home.bus, agenda, clocks, firing, notices=notices)
        for item in entries:
            await agenda.keep(item)
        return house

    async def after(self, seconds: float) -> "House":
        self.clocks.wait(seconds)
        await self.firing.tick()
        return self

    @property
    def done(self) -> list[tuple[str | None, tuple[str, ...]]]:
        """Verbs and devices, in the order in which they were carried out."""
        return [(turn.clause.action, turn.context.last) for turn in self.turns]

    @property
    def said(self) -> list[str]:
        return [item.key for notice in self.notices for item in notice.said if isinstance(item, Say | AboutTimer)]


def planned(text: str, *devices: str, at: float = 600.0, **more: object) -> Entry:
    return replace(entry(text, *devices), due=NOON + at, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seconds", "away", "done", "said", "left"),
    [
        (599, False, 0, [], 1),
        (600, False, 1, ["done"], 0),
        (900, False, 1, ["done"], 0),
        (901, False, 0, ["later.missed"], 0),
        # While the broker is away it may come back in time; after that it is given up, and never sent later.
        (600, True, 0, [], 1),
        (901, True, 0, ["later.missed.away"], 0),
    ],
)
async def test_a_command_is_carried_out_in_time_or_not_at_all(
    seconds: float, *, away: bool, done: int, said: list[str], left: int
) -> None:
    house = await House.of(planned(ON, "lamp"))
    if away:
        house.bus.lose()
    await house.after(seconds)
    assert (len(house.turns), house.said, len(house.agenda)) == (done, said, left)
    house.bus.regain()
    await house.after(1000)
    assert len(house.turns) == done


@pytest.mark.parametrize(
    ("text", "device", "done"),
    [
        ("turn off the lamp", "lamp", True),
        ("lock the door", "lock", True),
        ("close the blinds", "blind", True),
        ("turn on the lamp", "lamp", False),
        ("unlock the door", "lock", False),
        ("open the blinds", "blind", False),
        ("set the lamp to 80 percent", "lamp", False),
    ],
)
async def test_what_ends_safely_is_done_however_late_and_all_else_is_told(
    text: str, device: str, *, done: bool
) -> None:
    house = await House.of(planned(text, device, sort="end"))
    house.bus.lose()
    await house.after(600 + 4000)
    assert (house.turns, house.said, len(house.agenda)) == ([], [] if done else ["later.missed.away"], int(done))
    house.bus.regain()
    await house.after(86_400)
    assert house.said == (["later.late", "done"] if done else ["later.missed.away"])
    assert (len(house.turns), len(house.agenda)) == (int(done), 0)
    # What was planned for itself may be too late for whatever is switched off.
    house = await House.of(planned(text, device))
    await house.after(5000)
    assert (house.turns, house.said) == ([], ["later.missed"])


async def test_what_would_have_ended_already_is_not_begun() -> None:
    house = await House.of(planned("turn on the lamp at 12:10 pm until 12:12 pm", "lamp"))
    await house.after(600 + 130)
    assert (house.turns, house.said) == ([], ["later.missed"])


@pytest.mark.parametrize(
    ("entries", "done", "said"),
    [
        ([planned(ON, "lamp"), planned(OFF, "fan", at=500)], [("turn_off", ("fan",)), ("turn_on", ("lamp",))], 2),
        # Of several commands for one device only the last is carried out.
        ([planned(ON, "lamp", at=500), planned(OFF, "lamp")], [("turn_off", ("lamp",))], 2),
        (
            [planned(ON, "lamp", "fan", at=500), planned(OFF, "lamp")],
            [("turn_on", ("fan",)), ("turn_off", ("lamp",))],
            2,
        ),
    ],
)
async def test_what_is_due_at_once_is_done_in_its_order(entries: Sequence[Entry], done: object, said: int) -> None:
    house = await House.of(*entries)
    await house.after(700)
    assert house.done == done
    assert len(house.notices) == said
    assert len(house.agenda) == 0


async def test_what_goes_wrong_is_not_done_twice_and_stops_nothing_else() -> None:
    house = await House.of(planned(ON, "lamp"), planned(OFF, "fan", at=601))
    house.reports = [RuntimeError()]
    with pytest.raises(RuntimeError):
        await house.after(660)
    await house.firing.tick()
    assert house.done == [("turn_on", ("lamp",)), ("turn_off", ("fan",))]
    assert len(house.agenda) == 0


async def test_what_stands_is_done_each_day_and_only_shown() -> None:
    house = await House.of(planned(DAILY, "lamp", at=0))
    for _ in range(3):
        await house.after(0)
        await house.after(86_400)
    assert len(house.turns) == 4
    assert {notice.aloud for notice in house.notices} == {False}
    assert [item.due for item in house.agenda.entries] == [NOON + 4 * 86_400]


STATUSES: list[tuple[Status, bool]] = [("done", False), ("unconfirmed", False), ("failed", True), ("not_found", True)]


@pytest.mark.parametrize(("status", "trouble"), STATUSES)
async def test_what_stands_is_said_aloud_where_it_went_wrong(status: Status, *, trouble: bool) -> None:
    house = await House.of(planned(DAILY, "lamp", at=0))
    house.reports = [replace(DONE, outcomes=(replace(DONE.outcomes[0], status=status),))]
    await house.after(0)
    assert [notice.aloud for notice in house.notices] == [trouble]
    assert house.said == ["later.failed" if trouble else "done"]


async def test_a_condition_that_does_not_hold_is_no_trouble() -> None:
    house = await House.of(planned("turn on the lamp every day at noon if the door is open", "lamp", at=0))
    house.reports = [Report("reject", (say("not_so"),), "condition")]
    await house.after(0)
    assert ([notice.aloud for notice in house.notices], house.said) == ([False], ["not_so"])


async def test_nobody_is_asked_when_it_is_due() -> None:
    house = await House.of(planned(ON, "lamp"))
    question = Question("confirm", "risky", program(ON), ("lamp",), EXPIRY_S)
    house.reports = [Report("clarify", (say("risky"),), "risky", question=question)]
    report = await house.firing.fire(house.agenda.entries[0])
    assert (report.outcome, report.reason, report.question) == ("reject", "unclear", None)
    assert house.said == ["later.failed"]
    [turn] = house.turns
    assert not turn.attended


async def test_the_turn_is_that_of_who_said_it_and_is_for_now() -> None:
    due = planned("turn on the lamp in ten minutes for an hour", "lamp", confirmed=("lamp",), despite=(3,))
    house = await House.of(due)
    await house.after(660)
    [turn] = house.turns
    assert turn.clause.when is not None
    assert (turn.clause.when.delay_s, turn.clause.when.duration_s) == (None, 3600.0)
    assert (turn.settled.confirmed, turn.settled.despite) == (("lamp",), (3,))
    assert (turn.plan, turn.since, turn.satellite, turn.context.area) == (1, NOON + 600, "console", "hall")
    assert [notice.satellite for notice in house.notices] == ["console"]


@pytest.mark.parametrize(
    ("devices", "last", "said"),
    [(("lamp", "sold"), ("lamp",), ["done"]), (("sold",), None, ["later.failed"])],
)
async def test_what_has_left_the_home_is_left_out(
    devices: tuple[str, ...], last: tuple[str, ...] | None, said: list[str]
) -> None:
    house = await House.of(planned(ON, *devices))
    await house.after(600)
    assert [turn.context.last for turn in house.turns] == ([] if last is None else [last])
    assert house.said == said


async def test_an_end_of_a_level_leaves_off_what_is_off() -> None:
    back = planned("set the lamp to 80 percent in ten minutes", "lamp", sort="end")
    house = await House.of(back)
    house.bus.deliver("zigbee2mqtt/lamp", {"state": "OFF"})
    await house.after(600)
    assert (house.turns, house.notices, len(house.agenda)) == ([], [], 0)


@pytest.mark.parametrize(("late", "said"), [(0.0, "timer.rings"), (20.0, "timer.rings"), (21.0, "timer.rang")])
@pytest.mark.parametrize("away", [True, False])
async def test_a_timer_rings_once_however_late_and_needs_no_broker(late: float, said: str, *, away: bool) -> None:
    house = await House.of(Entry(0, "timer", ORIGIN, NOON + 60, seconds=60.0))
    if away:
        house.bus.lose()
    await house.after(59)
    assert house.said == []
    await house.after(1 + late)
    await house.after(600)
    assert house.said == [said]


async def test_a_paused_timer_and_a_rule_wait() -> None:
    rule = replace(entry("whenever the door opens turn on the lamp", "lamp", sort="rule"), watched=(("blind",),))
    house = await House.of(Entry(0, "timer", ORIGIN, None, seconds=60.0, left=30.0), rule)
    await house.after(86_400)
    assert (house.turns, house.said, len(house.agenda)) == ([], [], 2)
