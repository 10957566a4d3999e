"""Which of what is kept is meant, and what is done with it; nothing is dropped that was not meant."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.decisions import Ask, Query, Refuse, Undo
from daemon.core.questions import ALL_KEPT, Settled
from daemon.schedule.entries import Entry
from tests.dialogue.mind import NOON, ORIGIN, Mind, brief, kept, keys, mind

KETTLE = kept("turn on the kettle in ten minutes", "kettle")
FAN = kept("turn off the bedroom fan at 7 pm", "bedroom_fan", due=7 * 3600.0)
LAMP = kept("turn on the hall light tomorrow at 7 am", "hall_light", due=19 * 3600.0)
NIGHT = kept("turn on the hall light at 11 pm", "hall_light", due=11 * 3600.0)
DOOR = kept(
    "whenever the bedroom window opens turn off the thermostat",
    "thermostat",
    sort="rule",
    due=None,
    watched=(("bedroom_window",),),
)
BAN = kept("never turn on the kettle", "kettle", sort="ban", due=None)
TIMER = Entry(0, "timer", ORIGIN, NOON + 300.0, seconds=300.0)
ALL = (KETTLE, FAN, LAMP, NIGHT, DOOR, BAN, TIMER)
"""With the ids 1 to 7."""


@pytest.fixture(scope="module")
def full() -> Mind:
    return Mind(ALL)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("what is planned", {1, 2, 3, 4, 5, 6, 7}),
        ("which rules are there", {5, 6}),
        ("what is planned for the kettle", {1, 6}),
        ("what is planned for the bedroom window", {5}),
        ("what is planned for tomorrow", {3}),
        ("what is planned for tonight", {2, 4}),
        ("有什么安排", {1, 2, 3, 4, 5, 6, 7}),
    ],
)
def test_what_is_asked_about(full: Mind, text: str, ids: set[int]) -> None:
    found = full.said(text)
    assert isinstance(found, Query)
    assert (found.reason, set(found.kept)) == ("list", ids)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("cancel the plan for the bedroom fan", {2}),
        ("cancel the plan for the thermostat", {5}),
        ("cancel the one at 7 pm", {2}),
        ("cancel the last one", {7}),
    ],
)
def test_what_is_dropped(full: Mind, text: str, ids: set[int]) -> None:
    found = full.said(text)
    assert isinstance(found, Undo)
    assert (set(found.dropped), found.back) == (ids, None)


@pytest.mark.parametrize("text", ["cancel the plan for the hall light", "cancel the plan for the kettle"])
def test_of_several_none_is_dropped(full: Mind, text: str) -> None:
    found = full.said(text)
    assert isinstance(found, Refuse)
    assert (found.reason, found.outcome) == ("later.which", "clarify")


def test_what_is_called_like_nothing_kept_drops_nothing(full: Mind) -> None:
    assert keys(full.said("cancel the plan for the printer")) == ["later.none.such"]
    assert keys(mind().said("cancel the plan for the printer")) == ["later.none"]


def test_all_of_it_is_asked_about_first_and_only_that_is_dropped() -> None:
    home = Mind((KETTLE, FAN))
    asked = home.said("cancel everything that is planned")
    assert isinstance(asked, Ask)
    assert (asked.question.kind, asked.question.reason) == ("confirm", ALL_KEPT)
    assert asked.question.options == ("1", "2")
    # A third that is kept meanwhile stays.
    more = Mind((KETTLE, FAN, LAMP))
    agreed = more.said("cancel everything that is planned", settled={0: Settled(confirmed=asked.question.options)})
    assert isinstance(agreed, Undo)
    assert agreed.dropped == (1, 2)


def test_one_alone_needs_no_question() -> None:
    found = Mind((KETTLE,)).said("cancel everything that is planned")
    assert isinstance(found, Undo)
    assert found.dropped == (1,)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("set a timer for ten minutes", ("Keep", "timer")),
        ("set a timer", ("Ask", "later.length")),
        ("remind me to call mum at 8 pm", ("Keep", "timer")),
        ("remind me to call mum", ("Ask", "later.vague")),
        ("remind me to call mum whenever the door opens", ("Keep", "no_targets")),
        ("remind me every day to call mum", ("Ask", "later.vague")),
        ("what day is it", ("Query", "day")),
        ("几点了", ("Query", "clock")),
    ],
)
def test_timers_and_reminders(text: str, outcome: tuple[str, str]) -> None:
    assert brief(mind().said(text))[:2] == outcome


def test_the_calendars_are_asked_only_where_everything_is() -> None:
    """A question about one thing that is planned is none about somebody's diary."""
    for text in ("what is planned for the kettle", "which rules are there"):
        found = mind().said(text)
        assert isinstance(found, Query)
        assert found.entities == ()


ABOUT = ("the kettle", "the bedroom fan", "the hall light", "the thermostat", "the printer")


@settings(max_examples=12)
@given(st.lists(st.sampled_from(ALL), max_size=5, unique=True), st.sampled_from(ABOUT))
def test_only_what_is_about_the_thing_is_ever_dropped(entries: list[Entry], name: str) -> None:
    home = Mind(entries)
    found = home.said(f"cancel the plan for {name}")
    (meant,) = home.resolver.resolve_clause(
        home.program(f"turn on {name}").clauses[0], home.turns("stop")[0].context
    ).targets
    about = {item.id for item in home.agenda.entries if set(meant.entities) & set(item.entities)}
    dropped = set(found.dropped) if isinstance(found, Undo) else set()
    assert dropped == (about if len(about) == 1 else set())
    assert len(home.agenda.entries) == len(entries)


@settings(max_examples=12)
@given(st.integers(0, 24 * 60 - 1) | st.sampled_from((19 * 60 - 1, 19 * 60, 19 * 60 + 1)))
def test_a_time_that_is_said_means_what_is_due_then(full: Mind, minute: int) -> None:
    """What is due at another minute is not it, however near."""
    due = {12 * 60 + 10: {1}, 19 * 60: {2}, 7 * 60: {3}, 23 * 60: {4}, 12 * 60 + 5: {7}}
    found = full.said(f"what is planned at {minute // 60:02}:{minute % 60:02}")
    assert isinstance(found, Query)
    assert set(found.kept) == due.get(minute, set())
