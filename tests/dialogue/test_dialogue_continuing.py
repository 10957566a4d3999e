"""What goes on from what was just done: an ellipsis makes the sentence that it stands for, or nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.ir import DialogueMove, Program
from daemon.dialogue.asked import asked_anew
from daemon.dialogue.continuing import continued
from daemon.dialogue.dialogue import JUST_S, Dialogue
from tests.dialogue.mind import Brief, brief, mind

THINGS = {
    "hall_light": "the hall light",
    "kettle": "the kettle",
    "living_curtain": "the living room curtain",
    "thermostat": "the thermostat",
}


def goes_on(dialogue: Dialogue, text: str, now: float = 1.0) -> Program | None:
    readings = mind().comprehension.read_text(text)
    found = (continued(item, dialogue, mind().registry, now) for item in readings)
    return next((item for item in found if item is not None), None)


def does(program: Program, *last: str) -> tuple[Brief, str | None, object]:
    """The decision, the action and the value of a program."""
    decision = mind().said(program, last=last)
    clause = decision.turn.clause
    return brief(decision), clause.action, clause.parameter and (clause.parameter.op, clause.parameter.value)


@pytest.mark.parametrize(
    ("before", "entity", "text", "whole"),
    [
        ("turn on the kettle", "kettle", "and the hall light too", "turn on the hall light"),
        ("打开门厅灯", "hall_light", "亮一点", "把门厅灯调亮一点"),
        ("is the kettle on", "kettle", "and the hall light", "is the hall light on"),
        ("turn on the hall light", "hall_light", "40 percent", "set the hall light to 40 percent"),
        ("set the hall light to 40 percent", "hall_light", "50 percent", "set the hall light to 50 percent"),
        ("close the living room curtain", "living_curtain", "halfway", "set the living room curtain to 50 percent"),
        ("dim the hall light", "hall_light", "more", "dim the hall light"),
        ("dim the hall light", "hall_light", "brighter", "brighten the hall light"),
        ("turn on the hall light", "hall_light", "for ten minutes", "turn on the hall light for ten minutes"),
    ],
)
def test_as_if_it_had_been_said_whole(before: str, entity: str, text: str, whole: str) -> None:
    found = goes_on(mind().after(before, entity), text)
    assert found is not None
    assert found.source == "dialogue"
    (done, action, value), (wished, as_said, wished_value) = does(found, entity), does(mind().program(whole))
    assert (done[0], done[2], action) == (wished[0], wished[2], as_said)
    assert value == wished_value


@pytest.mark.parametrize(
    ("before", "entity", "text", "action"),
    [
        ("turn on the study ceiling light", "study_ceiling", "warmer", "decrease"),
        ("turn on the study ceiling light", "study_ceiling", "cooler", "increase"),
        ("打开书房吸顶灯", "study_ceiling", "暖一点", "decrease"),
    ],
)
def test_warmer_of_a_lamp_may_be_its_white_or_the_air(before: str, entity: str, text: str, action: str) -> None:
    found = goes_on(mind().after(before, entity), text)
    assert found is not None
    assert found.clauses[0].parameter is not None
    assert found.clauses[0].parameter.attribute == "color_temp"
    done, said, _ = does(found, entity)
    assert (done, said) == (("Ask", "confirm_reading", {entity}), action)
    # A lamp that has no tones is not meant.
    assert goes_on(mind().after("turn on the hall light", "hall_light"), text) is None


def test_a_need_is_of_what_was_just_done() -> None:
    found = goes_on(mind().after("turn on the hall light", "hall_light"), "too bright")
    assert found is not None
    done, action, _ = does(found, "hall_light")
    assert (done, action) == (("Act", "sure", {"hall_light"}), "decrease")


@pytest.mark.parametrize(
    ("before", "entity", "text"),
    [
        # No kettle is half on.
        ("turn on the kettle", "kettle", "40 percent"),
        ("turn on the kettle", "kettle", "brighter"),
        # What stands by itself goes on from nothing.
        ("turn on the kettle", "kettle", "turn on the printer"),
        ("turn on the kettle", "kettle", "turn on the kettle and the hall light"),
        # The warmth of a light is no temperature.
        ("make the hall light warmer", "hall_light", "22 degrees"),
    ],
)
def test_what_goes_on_from_nothing(before: str, entity: str, text: str) -> None:
    assert goes_on(mind().after(before, entity), text) is None


@pytest.mark.parametrize("text", ["and the hall light too", "more", "40 percent", "for ten minutes"])
def test_only_from_what_was_just_done(text: str) -> None:
    assert goes_on(mind().after("dim the hall light", "hall_light"), text, JUST_S) is None
    assert goes_on(Dialogue(), text) is None


def test_an_exception_afterwards_takes_that_back_and_no_more() -> None:
    dialogue = mind().after("turn on the kettle and the hall light", "kettle", "hall_light")
    found = goes_on(dialogue, "except the kettle")
    assert found is not None
    decision = mind().said(found, open_=dialogue.open(1.0, connected=True), last=("kettle", "hall_light"))
    assert brief(decision) == ("Undo", "undo", {"kettle"})


def test_an_end_for_what_has_no_opposite_takes_it_back_first() -> None:
    """So that the end puts back what was before it."""
    found = goes_on(mind().after("set the hall light to 40 percent", "hall_light"), "for ten minutes")
    assert found is not None
    first, second = found.clauses
    assert isinstance(first, DialogueMove)
    assert first.move == "undo"
    assert second.when is not None
    assert second.when.duration_s == 600.0


def test_what_was_kept_goes_on_at_its_time() -> None:
    program = mind().program("turn on the kettle in ten minutes")
    found = goes_on(Dialogue(planned=program, kept=(1,), touched=0.0), "and the hall light too")
    assert found is not None
    assert brief(mind().said(found)) == ("Keep", "sure", {"hall_light"})
    assert found.clauses[0].when == program.clauses[0].when


def test_what_about_it_is_a_question_where_nothing_was_asked_before() -> None:
    said = mind().program("what about the hall light?")
    assert brief(mind().said(asked_anew(said))) == ("Query", "sure", {"hall_light"})
    plain = mind().program("turn on the kettle")
    assert asked_anew(plain) == plain


@settings(max_examples=60)
@given(
    st.sampled_from(("turn on", "turn off", "open", "close", "dim", "set {} to 20")),
    st.sampled_from(tuple(THINGS)),
    st.sampled_from(("more", "less", "a bit more", "40 percent", "22 degrees", "brighter", "too hot", "halfway")),
)
def test_what_goes_on_is_about_what_was_spoken_of_and_can_be_done(verb: str, entity: str, text: str) -> None:
    before = verb.format(THINGS[entity]) if "{" in verb else f"{verb} {THINGS[entity]}"
    found = goes_on(mind().after(before, entity), text)
    if found is not None:
        decision = mind().said(found, last=(entity,))
        assert set(decision.entities) <= {entity}
        assert brief(decision)[1] != "unsupported"
