"""What is asked by a sentence, and of whom; `test_act_conditions.py` has what readings answer to it."""

import pytest

from daemon.act.answers import answer, needs, question
from daemon.core.entities import Capability, Value
from daemon.core.outcomes import Observation, Source
from daemon.home.registry import Registry
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
    assert (found.verdict, found.certain) == (verdict, certain)


def test_the_rooms_are_told_where_they_were_asked_for() -> None:
    assert answer(clause("which rooms have lights on"), ("lamp",), HOME, seen(lamp="on")).rooms
    assert not answer(clause("which lights are on"), ("lamp",), HOME, seen(lamp="on")).rooms


def test_of_nobody_nothing_is_known() -> None:
    found = answer(clause("is the lamp on"), (), HOME, {})
    assert (found.facts, found.verdict, found.matching) == ((), None, ())
