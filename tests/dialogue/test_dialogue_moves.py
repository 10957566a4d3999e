"""What a remark about the talk means as the answer to each kind of question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.ir import DialogueMove
from daemon.core.questions import Answer, Question
from daemon.dialogue.moves import filled, from_correction, from_move, timed
from tests.dialogue.mind import mind

ASKED = {
    "choose": "turn on the desk lamp",
    "confirm": "unlock the front door",
    "target": "turn on",
    "value": "set the thermostat to",
    "rest": "turn off the hall light and",
    "when": "turn on the kettle in a while",
    "half": "turn on the kettle every day at seven",
    "length": "set a timer",
}
"""A question of each kind."""


def question(kind: str) -> Question:
    found = mind().asked(ASKED[kind])
    assert found.kind == kind
    return found


def remark(text: str) -> DialogueMove:
    move = mind().comprehension.read_text(text)[0].clauses[0]
    assert isinstance(move, DialogueMove)
    return move


def answer(kind: str, text: str) -> Answer | None:
    return from_move(question(kind), remark(text), mind().registry)


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize(
    ("text", "meant"), [("cancel", "cancel"), ("never mind", "cancel"), ("stop", "cancel"), ("wait", "wait")]
)
def test_what_means_the_same_whatever_was_asked(kind: str, text: str, meant: str) -> None:
    found = answer(kind, text)
    assert found is not None
    assert found.kind == meant


@pytest.mark.parametrize(
    ("kind", "text", "meant"),
    [
        ("choose", "yes", None),
        ("choose", "no", "cancel"),
        ("choose", "the second one", "chosen"),
        ("choose", "the seventh one", None),
        ("choose", "both", "chosen"),
        ("confirm", "yes", "yes"),
        ("confirm", "no", "no"),
        ("confirm", "both", None),
        ("confirm", "the second one", None),
        ("target", "no", "cancel"),
        ("target", "yes", None),
        ("value", "21", "value"),
        ("value", "yes", None),
        ("rest", "no", "target"),
        ("when", "yes", None),
        ("when", "in ten minutes", "time"),
        ("half", "in the evening", "time"),
        ("length", "ten minutes", "time"),
        ("length", "yes", None),
    ],
)
def test_what_fits_each_question(kind: str, text: str, meant: str | None) -> None:
    found = answer(kind, text)
    assert (found.kind if found is not None else None) == meant


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("in the morning", "07:00"),
        ("in the evening", "19:00"),
        ("at 8 pm", "20:00"),
    ],
)
def test_the_half_of_the_day(text: str, time: str | None) -> None:
    said = remark(text).when
    assert said is not None
    found = timed(question("half"), said)
    when = found.program.clauses[0].when if found is not None and found.program is not None else None
    assert (when.time if when is not None else None) == time
    # On which days it is to be stays.
    assert when is None or (when.days == ("daily",) and not when.twelve)


def test_a_time_that_is_told_keeps_how_long_it_is_to_last() -> None:
    asked = mind().asked("turn on the hall light in a while for five minutes")
    said = remark("in ten minutes").when
    assert said is not None
    found = timed(asked, said)
    assert found is not None
    assert found.program is not None
    when = found.program.clauses[0].when
    assert when is not None
    assert (when.delay_s, when.duration_s, when.vague) == (600.0, 300.0, False)


def test_what_stands_for_itself_is_done_without_the_rest() -> None:
    found = answer("rest", "no")
    assert found is not None
    assert found.program is not None
    assert found.program.missing is None
    assert [clause.action for clause in found.program.clauses] == ["turn_off"]


@pytest.mark.parametrize(
    ("text", "kind", "entities"),
    [("no, the second one", "chosen", ("study_desk_lamp",)), ("no, the study", "chosen", ("study_desk_lamp",)),
     ("no, the kettle", "target", ())],
)  # fmt: skip
def test_a_correction_is_an_option_or_another_thing(text: str, kind: str, entities: tuple[str, ...]) -> None:
    said = mind().program(text)
    found = from_correction(question("choose"), said, remark(text), text, mind().registry)
    assert (found.kind, found.entities) == (kind, entities)


@pytest.mark.parametrize(
    ("text", "kind", "entities"),
    [
        ("no, the lamp", "narrowed", {"bedroom_lamp", "bedroom_desk_lamp"}),
        ("not that one, the desk lamp", "chosen", {"bedroom_desk_lamp"}),
        ("不对，台灯", "chosen", {"bedroom_desk_lamp"}),
        ("no, the fan", "target", set()),
    ],
)
def test_a_kind_is_one_of_those_that_were_offered(text: str, kind: str, entities: set[str]) -> None:
    asked = mind().asked("toggle the bedroom light")
    found = from_correction(asked, mind().program(text), remark(text), text, mind().registry)
    assert (found.kind, set(found.entities)) == (kind, entities)


def test_the_one_place_that_is_said_takes_the_place_of_the_whole_home() -> None:
    asked = mind().asked("turn off everything")
    found = from_move(asked, remark("the kitchen"), mind().registry)
    assert found is not None
    assert found.program is not None
    decision = mind().said(found.program)
    assert decision.entities
    assert set(decision.entities) < set(asked.options)
    rooms = {area.id for item in decision.entities if (area := mind().registry.area_of(item)) is not None}
    assert rooms == {"kitchen"}


@given(st.integers(-3, 9))
def test_an_ordinal_chooses_what_was_offered_or_nothing(index: int) -> None:
    asked = question("choose")
    found = from_move(asked, DialogueMove("select", index=index), mind().registry)
    chosen = asked.options[index - 1 : index] if 1 <= index <= 2 else asked.options[-1:] if index == -1 else None
    assert (found.entities if found is not None else None) == chosen


@given(st.floats(-1e6, 1e6))
def test_a_value_fills_the_clause_that_was_asked_about_alone(value: float) -> None:
    asked = question("value")
    found = filled(asked, DialogueMove("value", value=value))
    assert found.program is not None
    (clause,) = found.program.clauses
    assert clause.parameter is not None
    assert clause.parameter.value == value
    assert clause.targets == asked.clause.targets
    assert found.program.missing is None
