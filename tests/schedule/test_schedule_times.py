"""When a command is for, what stands against that, and what is left of it when its moment has come."""

import gc
from datetime import datetime
from typing import Any
from weakref import ReferenceType, ref

import pytest

from daemon.core.ir import Hours, When
from daemon.core.outcomes import Outcome, Write
from daemon.core.values import replace
from daemon.schedule.agenda import MOST
from daemon.schedule.times import DoneAway, Times, as_now, begins, dated, ends, now_of
from tests.schedule.kept import HOME, NOON, ZONE, Clocks, clause, entry, program


def times(clocks: Clocks | None = None) -> Times:
    clocks = clocks or Clocks()
    return Times(clocks.agenda(), clocks.moments, HOME)


@pytest.mark.parametrize(
    ("text", "later", "lasting"),
    [
        ("turn on the lamp", False, False),
        ("turn on the lamp for an hour", False, True),
        ("turn on the lamp until 8 pm", False, True),
        ("turn on the lamp in an hour", True, False),
        ("turn on the lamp at 7 pm", True, False),
        ("turn on the lamp at 7 pm until 8 pm", True, True),
        ("every weekday at 7 am turn on the lamp", True, False),
        ("turn on the lamp later", True, False),
        ("whenever the door opens turn on the lamp", True, False),
        ("when the door opens turn on the lamp for an hour", True, True),
    ],
)
def test_what_is_for_later_and_what_is_to_last(text: str, *, later: bool, lasting: bool) -> None:
    when = clause(text).when or When()
    assert (begins(when), ends(when)) == (later, lasting)


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("turn on the lamp at 7 pm", None),
        ("turn on the lamp at 7 pm until 8 pm", None),
        ("turn on the lamp for an hour", None),
        ("whenever the door opens turn on the lamp", None),
        ("turn on the lamp later", "vague"),
        ("turn on the lamp at sunset", "no_location"),
        ("turn on the lamp until sunset", "no_location"),
        ("turn on the lamp in 9000 hours", "too_far"),
        ("turn on the lamp for minus two minutes", "no_length"),
        ("whenever the door opens turn on the lamp for minus two minutes", "no_length"),
        ("whenever the door opens turn on the lamp until sunset", "no_location"),
        ("turn on the lamp at 11 am today", "past"),
    ],
)
def test_what_stands_against_a_time(text: str, doubt: str | None) -> None:
    assert times().doubt(clause(text).when) == doubt


@pytest.mark.parametrize(
    ("days", "kept"),
    [
        ({"day_offset": 0}, ("2026-11-21",)),
        ({"day_offset": 1}, ("2026-11-22",)),
        ({"days": ("mon",), "once": True}, ("2026-11-23",)),
        ({"days": ("mon",)}, ("mon",)),
    ],
)
def test_the_days_of_a_rule_are_among_its_hours(days: dict[str, Any], kept: tuple[str, ...]) -> None:
    when = replace(clause("whenever the door opens turn on the lamp").when, **days)
    found = dated(when, Clocks().clock)
    assert (found.hours, found.days, found.day_offset) == (Hours(days=kept), (), None)
    assert times().doubt(when) is None


def test_a_rule_for_this_morning_comes_too_late_in_the_afternoon() -> None:
    when = replace(clause("whenever the door opens turn on the lamp").when, day_offset=0)
    assert times(Clocks(NOON + 3600)).doubt(replace(when, hours=Hours("05:00", "12:00"))) == "past"


async def test_a_full_agenda_takes_nothing() -> None:
    clocks = Clocks()
    agenda = clocks.agenda()
    for _ in range(MOST):
        await agenda.keep(entry("turn on the lamp at 7 pm", due=NOON))
    assert Times(agenda, clocks.moments, HOME).doubt(clause("turn on the lamp at 7 pm").when) == "full"


@pytest.mark.parametrize(
    ("text", "risky"),
    [
        ("lock the door for an hour", ("lock",)),
        ("unlock the door for an hour", ()),  # that it opens is asked about anyway; that it is locked again is safe
        ("lock the door", ()),
        ("lock the door in an hour", ()),
        ("turn on the lamp for an hour", ()),
    ],
)
def test_an_end_that_opens_needs_a_yes(text: str, risky: tuple[str, ...]) -> None:
    device = "lock" if "door" in text else "lamp"
    assert times().risky_end(clause(text), (device,)) == risky


@pytest.mark.parametrize(("now", "over"), [("19:59", False), ("20:00", True), ("20:05", True)])
def test_what_would_have_ended_already_is_over(now: str, *, over: bool) -> None:
    due = NOON + 7 * 3600  # at seven
    at = datetime.fromisoformat(f"2026-11-21T{now}").replace(tzinfo=ZONE).timestamp()
    assert times().over(entry("turn on the lamp at 7 pm until 8 pm", due=due), due, at) == over
    # What is to last a while, lasts as long whenever it begins.
    assert not times().over(entry("turn on the lamp at 7 pm for ten minutes", due=due), due, at)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("turn on the lamp at 7 pm", None),
        ("every weekday at 7 am turn on the lamp", None),
        ("turn on the lamp in ten minutes for an hour", When(duration_s=3600.0)),
        ("turn on the lamp at 7 pm until 8 pm", When(until="20:00")),
        ("whenever the door opens turn on the lamp", None),
        ("whenever the door opens turn on the lamp for an hour", When(duration_s=3600.0)),
    ],
)
def test_when_the_moment_has_come_only_how_long_is_left(text: str, left: When | None) -> None:
    assert now_of(clause(text).when) == left


def test_what_has_happened_is_no_condition_and_what_only_depends_is_one() -> None:
    [happened] = as_now(program("whenever the door opens turn on the lamp")).clauses
    [depends] = as_now(program("turn off the lamp in ten minutes if the door is open")).clauses
    assert (happened.when, happened.conditions) == (None, ())
    assert depends.when is None
    assert len(depends.conditions) == 1


def test_an_end_that_no_conversation_can_bring_back_any_more_is_forgotten() -> None:
    """Else the last 256 of them, with all that was seen at each act, are kept for good."""

    def act() -> Outcome:
        return Outcome(Write("lamp", "state", "off", "turn_off"), "done")

    def noted(act: Outcome) -> ReferenceType[Outcome]:
        end = replace(entry("turn off the lamp", "lamp", due=NOON + 600), id=1)
        done_away.note([act], [(NOON + 600, end)], {1: ["lamp"]})
        return ref(act)

    done_away, last = DoneAway(), act()
    gone = [noted(act()) for _ in range(5)]
    noted(last)
    gc.collect()
    assert [item() for item in gone] == [None] * 5
    assert len(done_away) == 1
    assert [item.entry.them for item in done_away.taken([last], {"lamp"})] == [("lamp",)]
    assert len(done_away) == 0
