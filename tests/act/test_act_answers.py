"""What is asked by a sentence, and of whom; and what readings answer to it."""

from typing import Any

import pytest

from daemon.act.answers import answer, needs, question
from daemon.core.entities import Capability, Value
from daemon.core.ir import Attribute, Condition, Inquiry, Parameter, QueryKind, Target
from daemon.core.outcomes import Observation, Source
from daemon.core.values import replace
from daemon.home.registry import Registry
from tests.act.told import ROOMS, SENSORS, Readings, observed
from tests.act.world import device
from tests.schedule.kept import clause

HOME = Registry(
    [
        device("lamp", "on_off", "brightness"),
        device("fan", "on_off", kind="fan"),
        device("blind", "open_close", "position", kind="blind"),
        device("lock", "lock", kind="lock"),
        device("motion", Capability("read", "motion"), kind="sensor"),
        device("thermometer", Capability("read", "temperature", unit="C"), kind="sensor"),
    ]
)
ALL = tuple(item.id for item in HOME)


def seen(**states: Value | None) -> dict[tuple[str, str], Observation]:
    """The states of devices; None for one that has not answered."""
    found: dict[tuple[str, str], Observation] = {}
    for name, value in states.items():
        source: Source = "reply" if value is not None else "none"
        found[name, "state"] = Observation(name, "state", value, source, 0.1)
    return found


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("is the lamp on", "state", "on"),
        ("which lights are on", "state", "on"),
        ("what is the temperature", "temperature", None),
    ],
)
def test_what_is_asked(text: str, attribute: str, value: Value | None) -> None:
    asked = question(clause(text))
    assert (asked.attribute, asked.value, asked.negated) == (attribute, value, False)


def test_only_what_can_tell_is_read_and_each_once() -> None:
    assert needs(clause("is the lamp on"), ("lamp", "lamp", "fan", "sold"), HOME) == (
        ("lamp", "state"),
        ("fan", "state"),
    )
    assert needs(clause("what is the temperature"), ALL, HOME) == (("thermometer", "temperature"),)


def test_whether_everything_is_off_is_nothing_to_ask_a_blind() -> None:
    asked = clause("is everything off")
    found = answer(asked, ALL, HOME, seen(lamp="off", fan="off", blind="open", lock="locked"))
    assert found.verdict is True
    assert {item.entity for item in found.facts} == {"lamp", "fan"}


@pytest.mark.parametrize(
    ("states", "verdict", "certain"),
    [
        ({"lamp": "on", "fan": "off"}, True, True),
        ({"lamp": "off", "fan": "off"}, False, True),
        ({"lamp": "on", "fan": None}, True, False),
        ({"lamp": "off", "fan": None}, None, False),
    ],
)
def test_what_is_not_known_decides_nothing(
    states: dict[str, Value | None],
    verdict: bool | None,  # noqa: FBT001 - a column
    *,
    certain: bool,
) -> None:
    found = answer(clause("are any lights on"), ("lamp", "fan"), HOME, seen(**states))
    assert (found.verdict, not found.unknown) == (verdict, certain)


def test_the_rooms_are_told_where_they_were_asked_for() -> None:
    assert answer(clause("which rooms have lights on"), ("lamp",), HOME, seen(lamp="on")).rooms
    assert not answer(clause("which lights are on"), ("lamp",), HOME, seen(lamp="on")).rooms


def test_of_nobody_nothing_is_known() -> None:
    found = answer(clause("is the lamp on"), (), HOME, {})
    assert (found.facts, found.verdict, found.matching) == ((), None, ())


def ask(
    kind: QueryKind, attribute: Attribute | None = None, value: float | str | None = None, **target: Any
) -> Inquiry:
    parameter = None if attribute is None else Parameter(attribute, value=value)
    return Inquiry(kind, (Target(**target),), parameter=parameter)


WINDOWS: Readings = {("w1", "contact"): ("on", "push"), ("w2", "contact"): ("off", "push")}
HALF: Readings = {("w1", "contact"): ("on", "push"), ("w2", "contact"): ("off", "stale")}
SHUT: Readings = {("w1", "contact"): ("off", "stale"), ("w2", "contact"): ("off", "push")}


@pytest.mark.parametrize(
    ("asked", "readings", "verdict", "matching", "unknown"),
    [
        (ask("any", "state", "open"), WINDOWS, True, ("w1",), ()),
        (ask("any", state="open"), WINDOWS, True, ("w1",), ()),
        (ask("any", "state", "open"), HALF, True, ("w1",), ("w2",)),
        (ask("any", "state", "open"), SHUT, None, (), ("w1",)),
        (ask("all", "state", "closed"), WINDOWS, False, ("w2",), ()),
        (ask("all", "state", "closed"), SHUT, None, ("w2",), ("w1",)),
        (ask("is", "state", "closed", quantifier="all"), HALF, False, (), ("w2",)),
        (ask("count", "state", "open"), WINDOWS, None, ("w1",), ()),
        (ask("which", "state", "open"), WINDOWS, None, ("w1",), ()),
    ],
)
def test_questions_about_several(
    asked: Inquiry,
    readings: Readings,
    verdict: bool | None,  # noqa: FBT001 - a column
    matching: tuple[str, ...],
    unknown: tuple[str, ...],
) -> None:
    found = answer(asked, ["w1", "w2"], SENSORS, observed(readings))
    assert (found.verdict, found.matching, found.unknown) == (verdict, matching, unknown)
    assert len(found.matching) == len(matching)


def test_a_value_is_told_with_its_origin_and_the_known_ones_first() -> None:
    asked = replace(ask("value", "temperature"), targets=(Target(quantifier="all"),))
    assert needs(asked, ["t1", "t2", "lamp"], SENSORS) == (
        ("t1", "temperature"),
        ("t2", "temperature"),
    )
    readings: Readings = {("t1", "temperature"): (19.0, "stale"), ("t2", "temperature"): (21.5, "reply")}
    found = answer(asked, ["t1", "t2", "lamp"], SENSORS, observed(readings))
    assert [(item.entity, item.observation.source, item.unit) for item in found.facts] == [
        ("t2", "reply", "C"),
        ("t1", "stale", "C"),
    ]
    assert found.unknown == ("t1", "lamp")
    assert found.verdict is None


@pytest.mark.parametrize(
    ("bed", "told", "unknown"),
    [((21.0, "push"), ["bed"], ()), ((21.0, "stale"), ["ac"], ())],
)
def test_a_room_is_told_by_its_sensor_else_by_what_else_knows(
    bed: tuple[float, Source], told: list[str], unknown: tuple[str, ...]
) -> None:
    asked = replace(ask("value", "temperature"), targets=(Target(areas=("bedroom",)),))
    readings = observed({("bed", "temperature"): bed, ("ac", "current_temperature"): (22.5, "reply")})
    found = answer(asked, ["bed", "ac"], ROOMS, readings)
    assert [item.entity for item in found.facts] == told
    assert found.unknown == unknown


def test_a_question_with_a_comparison() -> None:
    warmer = Condition(Target(), "temperature", "gt", 25.0)
    asked = Inquiry("is", (Target(),), conditions=(warmer,))
    found = answer(asked, ["t1"], SENSORS, observed({("t1", "temperature"): (26.0, "reply")}))
    assert found.verdict is True
