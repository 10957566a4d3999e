"""What is kept: how long it stays, what it is measured by, and how it is stored."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.errors import IRError
from daemon.core.ir import Order, Target, When
from daemon.schedule.entries import VERSION, Entry, from_json, to_json
from tests.schedule.kept import NOON, ORIGIN, entry

DAILY = "every weekday at 7 am turn on the lamp"
ONCE = "turn on the lamp at 7 pm on monday"
DELAYED = "turn off the lamp in ten minutes"
WHENEVER = "whenever the door opens turn on the lamp"
WHEN = "when the door opens turn on the lamp"
NEVER = "never unlock the front door"
TIMER = Entry(0, "timer", ORIGIN, NOON + 480, name="pasta", seconds=480.0)


@pytest.mark.parametrize(
    ("kept", "standing", "elapsing"),
    [
        (entry(DAILY), True, False),
        (entry(ONCE), False, False),
        (entry(DELAYED), False, True),
        (entry(WHENEVER, sort="rule"), True, False),
        (entry(WHEN, sort="rule"), False, False),
        (entry(NEVER, sort="ban"), True, False),
        (entry(DELAYED, sort="end"), False, True),
        (entry(DAILY, sort="end"), False, False),
        (TIMER, False, True),
        # A reminder for a time of the clock rings when the clock says so, one in five minutes in five minutes.
        (Entry(0, "timer", ORIGIN, NOON, reminds="trash"), False, False),
        (Entry(0, "timer", ORIGIN, NOON, reminds="trash", seconds=300.0), False, True),
    ],
)
def test_what_stays_and_what_elapses(kept: Entry, *, standing: bool, elapsing: bool) -> None:
    assert (kept.standing, kept.elapsing) == (standing, elapsing)


ids = st.lists(st.sampled_from(["lamp", "fan", "台灯"]), max_size=3, unique=True).map(tuple)
moments = st.none() | st.floats(0, 4e9)
commands = st.builds(
    entry,
    st.sampled_from([DAILY, ONCE, DELAYED, WHENEVER, NEVER, "set the lamp to 50 percent"]),
    sort=st.sampled_from(["time", "end", "rule", "ban"]),
    due=moments,
    id=st.integers(1, 10**6),
    them=ids,
    entities=ids,
    confirmed=ids,
    watched=st.lists(ids, max_size=2).map(tuple),
    fired=moments,
    of=st.none() | st.integers(1, 99),
    despite=st.lists(st.integers(1, 99), max_size=2).map(tuple),
)
timers = st.builds(
    Entry,
    st.integers(1, 10**6),
    st.just("timer"),
    st.just(ORIGIN),
    moments,
    name=st.none() | st.text(max_size=9),
    seconds=st.floats(0, 1e6),
    left=moments,
    reminds=st.none() | st.text(max_size=9),
)


@given(commands | timers)
def test_it_is_read_as_it_was_stored(kept: Entry) -> None:
    stored = to_json(kept)
    assert "id" not in stored
    assert "due" not in stored
    assert from_json(kept.id, kept.due, stored) == kept


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in to_json(entry(DELAYED, "lamp")).items() if key != name}


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        {},
        without("version"),
        {**without("version"), "version": VERSION + 1},
        without("origin"),
        without("sort"),
        without("program"),
        {**without("sort"), "sort": "timer"},
        {**without("origin"), "origin": {"said": "x"}},
        {**without("origin"), "origin": {**to_json(TIMER)["origin"], "more": 1}},
        {**without("program"), "program": {"clauses": [], "source": "grammar", "lang": "en"}},
        {**without("program"), "program": {"clauses": [{"intent": "explode"}], "source": "grammar", "lang": "en"}},
        {**without("them"), "them": 3},
        {**without("seconds"), "seconds": "soon"},
        {**without("despite"), "despite": ["never"]},
        {**to_json(TIMER), "seconds": None},
    ],
)
def test_what_is_none_is_refused(stored: object) -> None:
    with pytest.raises(IRError):
        from_json(1, None, stored)


@pytest.mark.parametrize("at", ["null", "", b"1", -(2.0**63), 1e300, math.nan, math.inf, [7.0]])
def test_what_is_for_no_moment_is_refused(at: Any) -> None:
    made = to_json(entry(DELAYED, "lamp"))
    with pytest.raises(IRError):
        from_json(1, at, made)
    for kept in ({"fired": at}, {"seconds": at}, {"left": at}, {"origin": {**made["origin"], "made": at}}):
        with pytest.raises(IRError):
            from_json(1, 1600.0, {**made, **kept})


@pytest.mark.parametrize("lang", ["", "x", "xx", 3, ["en"], None])
def test_what_was_said_in_no_language_is_refused(lang: object) -> None:
    made = to_json(entry(DELAYED, "lamp"))
    with pytest.raises(IRError):
        from_json(1, 1600.0, {**made, "origin": {**made["origin"], "lang": lang}})


def test_two_commands_are_not_one_entry() -> None:
    stored = to_json(entry(DELAYED, "lamp"))
    program = stored["program"]
    twice = {**stored, "program": {**program, "clauses": [*program["clauses"], *program["clauses"]]}}
    with pytest.raises(IRError):
        from_json(1, None, twice)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            {"intent": "scene", "action": "activate", "targets": [{"mention": "movie night"}]},
            Order("activate", (Target("movie night"),)),
        ),
        (
            {"intent": "rule", "action": "turn_off", "targets": [{"kind": "fan"}], "when": {"days": ["daily"]}},
            Order("turn_off", (Target(kind="fan"),), when=When(days=("daily",))),
        ),
        (
            {"intent": "act", "action": "turn_off", "targets": [{"reference": "them"}], "when": {"delay_s": 600.0}},
            Order("turn_off", (Target(reference="them"),), when=When(delay_s=600.0)),
        ),
    ],
)
def test_what_was_written_before_clauses_had_variants_is_read(written: dict[str, Any], read: Order) -> None:
    stored = to_json(entry(DELAYED, "lamp"))
    before = {**stored, "program": {**stored["program"], "clauses": [written]}}
    assert from_json(1, None, before).clause == read
