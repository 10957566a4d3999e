"""What is done instead of what was just done, or of what was asked about."""

import pytest

from daemon.core.ir import DialogueMove, Program
from daemon.core.values import replace
from daemon.dialogue.dialogue import JUST_S, Dialogue
from daemon.dialogue.edits import Revision
from daemon.dialogue.second_thoughts import another_too, answer_instead, revision
from tests.dialogue.mind import mind, switched

WHICH = "turn on the desk lamp"


def moves(program: Program) -> list[str | None]:
    return [clause.move if isinstance(clause, DialogueMove) else clause.action for clause in program.clauses]


def revised(dialogue: Dialogue, text: str, now: float = 1.0) -> Revision | None:
    said = mind().program(text)
    assert [clause.move for clause in said.clauses if isinstance(clause, DialogueMove)] == ["correct"]
    return revision(said.clauses[0], text, dialogue, mind().registry, now)


def chosen() -> Dialogue:
    """After "which one?" - "the study"."""
    dialogue = mind().after(WHICH, "study_desk_lamp")
    question = replace(mind().asked(WHICH), chosen=("study_desk_lamp",))
    dialogue.did(question.program, [switched("study_desk_lamp")], question, 0.0)
    return dialogue


@pytest.mark.parametrize(
    ("before", "text", "does", "entities"),
    [
        # Another thing: what was done to the first is put back.
        ("turn on the kettle", "no, the hall light", ["undo", "turn_on"], {"hall_light"}),
        ("打开烧水壶", "不，我是说门厅灯", ["undo", "turn_on"], {"hall_light"}),
        # The same thing, otherwise: nothing to put back.
        ("turn on the kettle", "no, off", ["turn_off"], {"kettle"}),
        # A question changes nothing.
        ("is the kettle on", "no, the hall light", ["query"], {"hall_light"}),
    ],
)
def test_what_is_done_instead(before: str, text: str, does: list[str], entities: set[str]) -> None:
    found = revised(mind().after(before, "kettle"), text)
    assert found is not None
    assert (moves(found.program), found.program.source) == (does, "dialogue")
    decision = mind().decide(mind().turns(found.program))[-1]
    assert set(decision.entities) == entities


def test_only_of_what_was_just_done() -> None:
    dialogue = mind().after("turn on the kettle", "kettle")
    assert revised(dialogue, "no, the hall light", JUST_S) is None
    assert revised(Dialogue(), "no, the hall light") is None


@pytest.mark.parametrize(
    ("outcome", "does"),
    [
        ({}, ["undo", "turn_on"]),
        ({"status": "failed"}, ["turn_on"]),
        ({"sent": False}, ["turn_on"]),
        ({"before": "on"}, ["turn_on"]),
    ],
)
def test_only_what_was_changed_is_put_back(outcome: dict[str, object], does: list[str]) -> None:
    found = revised(mind().after("turn on the kettle", "kettle", **outcome), "no, the hall light")
    assert found is not None
    assert moves(found.program) == does


def test_what_would_open_the_house_is_not_put_back_unasked() -> None:
    locked = mind().after("lock the front door", "front_door_lock", before="unlocked", after="locked", action="lock")
    found = revised(locked, "no, the garage door")
    assert found is not None
    assert "undo" not in moves(found.program)


@pytest.mark.parametrize("text", ["no, the other one", "no, the bedroom one", "no, the first one"])
def test_another_option_than_the_one_that_was_chosen(text: str) -> None:
    found = revised(chosen(), text)
    assert found is not None
    assert moves(found.program) == ["undo", "turn_on"]
    assert found.settled[1].choices == (("bedroom_desk_lamp",),)


def test_an_option_that_was_not_offered_is_none() -> None:
    found = revised(chosen(), "no, the fifth one")
    assert found is None or not found.settled


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("the first one too", ("bedroom_desk_lamp",)),
        ("the last one too", ("study_desk_lamp",)),
        ("the third one too", None),
    ],
)
def test_another_option_too(text: str, meant: tuple[str, ...] | None) -> None:
    found = another_too(mind().program(text), chosen(), 1.0)
    assert (found.settled[0].meant if found is not None else None) == meant
    # Nothing is put back for it.
    assert found is None or moves(found.program) == ["turn_on"]


def test_without_a_question_before_nothing_was_offered() -> None:
    dialogue = mind().after(WHICH, "study_desk_lamp")
    assert another_too(mind().program("the first one too"), dialogue, 1.0) is None


def test_what_is_said_instead_of_an_answer_leaves_the_other_clauses_alone() -> None:
    (_, asked) = mind().decide(mind().turns("turn on the kettle and unlock the front door"))
    question = asked.question  # type: ignore[union-attr] # the second is risky
    found = answer_instead(question, mind().program("no, the hall light").clauses[0])
    assert found is not None
    assert found.clauses[0] == question.program.clauses[0]
    assert [target.mention for target in found.clauses[1].targets] == ["hall light"]
    assert answer_instead(question, mind().program("no").clauses[0]) is None
