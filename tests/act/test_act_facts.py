"""What one device says to a condition, and whether conditions hold: three-valued, with units, over one or many."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.act import facts
from daemon.act.facts import Test, together
from daemon.core.entities import Value
from daemon.core.ir import Attribute, Condition, Quantifier, Target
from daemon.core.outcomes import Source
from daemon.core.values import replace
from tests.act.told import ROOMS, SENSORS, Readings, observed


def holds(condition: Condition, entities: tuple[str, ...], readings: Readings) -> bool | None:
    return facts.evaluate([Test(condition, entities)], "and", observed(readings), SENSORS).holds


def about(attribute: Attribute, comparator: Any, value: float | str, **more: Any) -> Condition:
    target = Target(quantifier=more.pop("quantifier", "one"), count=more.pop("count", None))
    return Condition(target, attribute, comparator, value, **more)


@pytest.mark.parametrize(
    ("condition", "entity", "attribute", "value", "expected"),
    [
        (about("temperature", "gt", 25), "t1", "temperature", 25.1, True),
        (about("temperature", "gt", 25), "t1", "temperature", 25, False),
        (about("temperature", "ge", 25), "t1", "temperature", 25, True),
        (about("temperature", "lt", 25), "t1", "temperature", 24.9, True),
        (about("temperature", "le", 25), "t1", "temperature", 25.1, False),
        (about("temperature", "eq", 21), "t1", "temperature", 21.3, True),
        (about("temperature", "ne", 21), "t1", "temperature", 21.3, False),
        (about("temperature", "between", 20, high=22.0), "t1", "temperature", 21, True),
        (about("temperature", "between", 22, high=20.0), "t1", "temperature", 21, True),
        (about("temperature", "between", 20, high=22.0), "t1", "temperature", 23, False),
        (about("temperature", "gt", 77, unit="F"), "t1", "temperature", 25.5, True),
        (about("temperature", "gt", 25, unit="C"), "tf", "temperature", 76, False),
        (about("temperature", "lt", 0, negated=True), "t1", "temperature", 5, True),
        (about("temperature", "gt", 20), "heating", "current_temperature", 21, True),
        (about("temperature", "gt", 20), "heating", "temperature", 21, None),  # the set point says nothing
        (about("temperature", "gt", 20, unit="%"), "t1", "temperature", 21, None),
        (about("temperature", "gt", "warm"), "t1", "temperature", 21, None),
        (about("temperature", "gt", 20), "t1", "temperature", "unavailable", None),
        (about("state", "eq", "on"), "lamp", "state", "on", True),
        (about("state", "eq", "on", negated=True), "lamp", "state", "on", False),
        (about("state", "ne", "on"), "lamp", "state", "off", True),
        (about("state", "eq", "on"), "tv", "state", "playing", True),
        (about("state", "eq", "open"), "w1", "contact", "on", True),
        (about("state", "eq", "closed"), "w1", "contact", "on", False),
        (about("state", "eq", "open"), "garage", "state", "opening", True),
        (about("state", "eq", "closed"), "garage", "state", "closing", False),
        (about("state", "eq", "closed"), "garage", "state", "closed", True),
        (about("state", "eq", "locked"), "door", "state", "locked", True),
        (about("state", "eq", "open"), "door", "state", "locked", False),
        (about("state", "eq", "on"), "motion", "motion", "on", True),
        (about("motion", "eq", "detected"), "motion", "motion", "off", False),
        (about("state", "eq", "home"), "ann", "location", "home", True),
        (about("state", "eq", "home"), "ann", "location", "not_home", False),
    ],
)
def test_one_sensor(condition: Condition, entity: str, attribute: str, value: Value, expected: bool | None) -> None:  # noqa: FBT001 - a column
    assert holds(condition, (entity,), {(entity, attribute): (value, "push")}) is expected


@pytest.mark.parametrize("source", ["stale", "none"])
def test_what_is_not_fresh_is_unknown_and_so_is_its_opposite(source: Source) -> None:
    condition = about("state", "eq", "on")
    readings: Readings = {("lamp", "state"): ("on", source)}
    assert holds(condition, ("lamp",), readings) is None
    assert holds(replace(condition, negated=True), ("lamp",), readings) is None


def test_what_was_not_found_or_cannot_tell_is_unknown() -> None:
    assert holds(about("state", "eq", "on"), (), {}) is None
    assert holds(about("humidity", "gt", 3), ("lamp",), {("lamp", "state"): ("on", "reply")}) is None


T, F, U = True, False, None


@pytest.mark.parametrize(
    ("quantifier", "count", "known", "expected"),
    [
        ("any", None, [T, U, F], T),
        ("any", None, [F, U], U),
        ("any", None, [F, F], F),
        ("all", None, [T, U, F], F),
        ("all", None, [T, U], U),
        ("all", None, [T, T], T),
        ("both", None, [T, T], T),
        ("one", None, [T, T], T),
        ("one", None, [T, F], U),
        ("one", None, [F, F], F),
        ("n", 2, [T, T, F], T),
        ("n", 2, [T, U, F], U),
        ("n", 2, [T, F, F], F),
        ("any", None, [], U),
        ("all", None, [], U),
    ],
)
def test_several_sensors(quantifier: Quantifier, count: int | None, known: list[bool | None], expected: Any) -> None:
    assert together(quantifier, count, known) is expected


three = st.sampled_from([T, F, U])


@given(st.lists(three, min_size=1, max_size=5), st.data())
def test_what_is_said_stays_true_whatever_the_unknown_turns_out_to_be(known: list[bool | None], data: Any) -> None:
    quantifier = data.draw(st.sampled_from(["any", "all", "both", "one"]))
    said = together(quantifier, None, known)
    if said is not None:
        filled = [data.draw(st.booleans()) if item is None else item for item in known]
        assert together(quantifier, None, filled) is said


@pytest.mark.parametrize(
    ("join", "first", "second", "expected"),
    [
        ("and", "on", "on", True),
        ("and", "on", "off", False),
        ("and", "off", None, False),
        ("and", "on", None, None),
        ("or", "on", None, True),
        ("or", "off", None, None),
        ("or", "off", "off", False),
    ],
)
def test_several_conditions(join: Any, first: str | None, second: str | None, expected: Any) -> None:
    tests = [Test(about("state", "eq", "on"), (entity,)) for entity in ("lamp", "lamp2")]
    readings: dict[tuple[str, str], tuple[Value, Source]] = {
        (entity, "state"): (value, "reply") for entity, value in (("lamp", first), ("lamp2", second)) if value
    }
    verdict = facts.evaluate(tests, join, observed(readings), SENSORS)
    assert verdict.holds is expected
    assert len(verdict.facts) == 2
    if expected is not None:
        assert verdict.facts[0].holds is expected  # what decided it is said first


def test_no_condition_holds() -> None:
    assert facts.evaluate([], "and", {}, SENSORS).holds is True


def test_what_must_be_read() -> None:
    tests = [Test(about("state", "eq", "open"), ("w1", "garage")), Test(about("temperature", "gt", 3), ("heating",))]
    assert facts.needs(tests, SENSORS) == (("w1", "contact"), ("garage", "state"), ("heating", "current_temperature"))


@pytest.mark.parametrize(
    ("place", "bed", "ac", "desk", "expected"),
    [
        # A silent sensor says nothing against what a fresh one tells; fresh ones must agree; old ones decide nothing.
        ((), (19, "stale"), (27, "reply"), (28, "push"), True),
        ((), (19, "none"), (20, "reply"), (21, "push"), False),
        ((), (19, "stale"), (27, "reply"), (21, "push"), None),
        ((), (29, "stale"), (27, "stale"), (28, "none"), None),
        # A room that was named is never answered for by another.
        (("bedroom", "study"), (29, "stale"), (27, "reply"), (28, "push"), True),
        (("bedroom", "study"), (29, "stale"), (27, "reply"), (28, "stale"), None),
        (("bedroom", "study"), (19, "stale"), (27, "stale"), (28, "push"), None),
    ],
)
def test_whatever_is_fresh_tells_the_value_of_a_place(
    place: tuple[str, ...],
    bed: tuple[float, Source],
    ac: tuple[float, Source],
    desk: tuple[float, Source],
    expected: bool | None,  # noqa: FBT001 - a column
) -> None:
    warm = Condition(Target(areas=place), "temperature", "gt", 26.0)
    readings = observed({("bed", "temperature"): bed, ("ac", "current_temperature"): ac, ("desk", "temperature"): desk})
    test = Test(warm, ("bed", "ac", "desk"))
    assert set(facts.needs([test], ROOMS)) == set(readings)
    verdict = facts.evaluate([test], "and", readings, ROOMS)
    assert verdict.holds is expected
    if expected is not None:
        assert all(item.observation.fresh for item in verdict.facts)


def test_what_has_a_name_of_its_own_is_not_told_by_another() -> None:
    named = Condition(Target(mention="thermometer"), "temperature", "gt", 26.0)
    readings: Readings = {("t1", "temperature"): (19.0, "stale"), ("t2", "temperature"): (27.0, "reply")}
    assert holds(named, ("t1", "t2"), readings) is None
    battery = about("battery", "gt", 10)
    assert holds(battery, ("t1",), {("t1", "battery"): (50.0, "stale")}) is None
