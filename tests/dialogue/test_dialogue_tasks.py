"""What a turn is about: a new command, the answer to a question, or second thoughts. Nothing is done twice of it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.ir import DialogueMove, Lesson, Timer
from daemon.core.questions import EXPIRY_S, Choice, Question, Settled
from daemon.core.result import Report
from daemon.core.turn import Task
from daemon.core.values import replace
from daemon.decide.asking import asked_first
from daemon.dialogue.dialogue import Dialogue
from tests.dialogue.mind import HOME, Mind, doubted, mind, switched

DESKS = ("bedroom_desk_lamp", "study_desk_lamp")
MANY = (
    *("kettle", "hall light", "printer", "bedroom fan", "garage light", "stairs light", "mirror light", "thermostat"),
    *("humidifier", "tv", "speaker", "fridge", "counter light"),
)
WHICH, REALLY = "turn on the desk lamp", "unlock the front door"


def asked(text: str, **fields: Any) -> Dialogue:
    """A conversation in which this led to a question."""
    dialogue = Dialogue()
    dialogue.ask(replace(mind().asked(text), **fields), 0.0)
    return dialogue


def done(found: Task | Report) -> list[tuple[str, str | None]]:
    assert isinstance(found, Task), found
    return [(type(clause).__name__, clause.action) for clause in found.program.clauses]


def ended(found: Task | Report) -> tuple[str, str]:
    assert isinstance(found, Report), found
    return found.outcome, getattr(found.said[0], "key", type(found.said[0]).__name__)


def again(found: Task | Report) -> Question:
    """The question that is asked again."""
    assert isinstance(found, Report), found
    assert found.question is not None
    return found.question


@pytest.mark.parametrize(
    ("text", "heard", "key"),
    [
        ("", 1.0, "not_heard"),
        ("blah blah fizz", 1.0, "not_understood"),
        ("turn on the kettle", 0.1, "not_understood"),
        ("turn on the kettle " * 100, 1.0, "too_long"),
        # So much nobody wants in one breath.
        (" and ".join(f"turn on the {name}" for name in MANY), 1.0, "too_long"),
    ],
)
def test_what_is_no_utterance_is_for_nobody(text: str, heard: float, key: str) -> None:
    assert ended(mind().task(text, Dialogue(), heard=heard)) == ("ignore", key)


@pytest.mark.parametrize("text", ["", "turn on the kettle " * 100])
def test_what_is_no_utterance_answers_nothing_and_drops_nothing(text: str) -> None:
    dialogue = asked(REALLY)
    mind().task(text, dialogue)
    assert dialogue.pending is not None


@pytest.mark.parametrize(
    ("before", "text", "settled"),
    [
        (WHICH, "the study", (("study_desk_lamp",), ())),
        (WHICH, "both", (DESKS, ())),
        (REALLY, "yes", ((), ("front_door_lock",))),
    ],
)
def test_an_answer_settles_its_clause_and_the_program_stays(
    before: str, text: str, settled: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    dialogue = asked(before)
    question = dialogue.pending
    assert question is not None
    found = mind().task(text, dialogue)
    assert isinstance(found, Task)
    choices = (settled[0],) if settled[0] else ()
    assert (found.settled[0].choices, found.settled[0].confirmed) == (choices, settled[1])
    assert (found.program.clauses, found.program.source) == (question.program.clauses, "dialogue")
    # Answered once, it is open no more: the same words again are about nothing.
    assert dialogue.pending is None


def test_choices_follow_one_another() -> None:
    first = mind().task("the study", asked("turn on the desk lamp and the ceiling light"))
    assert isinstance(first, Task)
    turns = mind().turns(first.program, settled=first.settled)
    (decision,) = mind().decide(turns)
    question = decision.question  # type: ignore[union-attr] # the second thing is not settled yet
    dialogue = Dialogue()
    dialogue.ask(replace(question, settled=first.settled), 0.0)
    second = mind().task("the bedroom", dialogue)
    assert isinstance(second, Task)
    assert second.settled[0].choices == (("study_desk_lamp",), ("bedroom_ceiling",))


@pytest.mark.parametrize(
    ("before", "text", "key"),
    [(REALLY, "no", "confirmed_no"), (WHICH, "cancel", "cancelled"), (WHICH, "neither", "cancelled")],
)
def test_a_no_ends_it(before: str, text: str, key: str) -> None:
    dialogue = asked(before)
    assert ended(mind().task(text, dialogue)) == ("ignore", key)
    assert dialogue.pending is None


@pytest.mark.parametrize("before", [WHICH, REALLY])
def test_a_new_command_drops_the_question(before: str) -> None:
    dialogue = asked(before)
    found = mind().task("turn on the kettle", dialogue)
    assert done(found) == [("Order", "turn_on")]
    assert isinstance(found, Task)
    assert not found.settled
    assert dialogue.pending is None


def test_what_was_misheard_is_asked_once_more_and_then_dropped() -> None:
    home = Mind()
    home.time.monotonic = 5.0
    question = again(home.task("fizz blah", asked(WHICH)))
    assert (question.options, question.attempt, question.expires_at) == (DESKS, 2, 5.0 + EXPIRY_S)
    assert ended(mind().task("fizz blah", asked(WHICH, attempt=2))) == ("ignore", "gave_up")


@pytest.mark.parametrize("text", ["wait", "say that again"])
def test_patience_has_an_end(text: str) -> None:
    assert again(mind().task(text, asked(WHICH))).prolonged == 1
    assert ended(mind().task(text, asked(WHICH, prolonged=3))) == ("ignore", "gave_up")


def test_an_answer_that_comes_too_late_is_none() -> None:
    home = Mind()
    home.time.monotonic = EXPIRY_S
    found = home.task("yes", asked(REALLY))
    assert done(found) == [("DialogueMove", None)]
    assert isinstance(found, Task)
    assert not found.settled


@pytest.mark.parametrize(
    ("text", "others", "heard"),
    [("yes", (), 0.5), ("fizz blah", (("yes", 0.95),), 1.0), ("fizz blah", (("yes", 1.0),), 0.5)],
)
def test_a_yes_that_may_have_been_noise_opens_no_door(
    text: str, others: tuple[tuple[str, float], ...], heard: float
) -> None:
    assert again(mind().task(text, asked(REALLY), *others, heard=heard)).attempt == 2


def test_a_lower_hypothesis_may_choose_but_is_no_surer_for_it() -> None:
    found = mind().task("fizz blah", asked(WHICH), ("the study", 0.7))
    assert isinstance(found, Task)
    assert (found.settled[0].choices, found.heard) == ((("study_desk_lamp",),), 0.7)


def test_an_answer_heard_well_makes_a_doubtful_command_no_surer() -> None:
    found = mind().task("the study", asked(WHICH, heard=0.65))
    assert isinstance(found, Task)
    assert found.heard == 0.65


@pytest.mark.parametrize(("gone", "left"), [(DESKS, ()), (DESKS[:1], DESKS[1:])])
def test_what_has_left_the_home_meanwhile_is_told_where_nothing_else_was_meant(
    gone: tuple[str, ...], left: tuple[str, ...]
) -> None:
    home = Mind()
    home.registry.replace([item for item in HOME.entities if item.id not in gone], HOME.people)
    found = home.task("both", asked(WHICH))
    assert isinstance(found, Report) == (not left)
    assert again(home.task("fizz blah", asked(WHICH))).options == left if left else ended(found) == ("reject", "gone")


def test_second_thoughts_are_done_whole_or_not_at_all() -> None:
    dialogue = mind().after("turn on the kettle", "kettle")
    found = mind().task("no, the hall light", dialogue)
    assert done(found) == [("DialogueMove", None), ("Order", "turn_on")]
    assert isinstance(found, Task)
    assert found.whole


def kept(text: str) -> Dialogue:
    """The conversation once this was kept for later, and nothing done."""
    return Dialogue(kept=(3,), planned=mind().program(text), touched=0.0)


@pytest.mark.parametrize(
    ("planned", "said", "field", "value"),
    [
        ("turn on the kettle at seven", "make it eight", "time", "08:00"),
        ("turn on the kettle at seven", "no, at half past eight", "time", "08:30"),
        ("turn on the kettle in ten minutes", "make that twenty minutes", "delay_s", 1200.0),
        ("turn on the kettle every day at seven", "change it to nine", "time", "09:00"),
        ("remind me at six to call mum", "no, seven", "time", "07:00"),
        ("七点打开门厅灯", "改成八点", "time", "08:00"),
        ("七点打开门厅灯", "不对，八点半", "time", "08:30"),
        ("七点打开门厅灯", "还是九点吧", "time", "09:00"),
    ],
)
def test_what_was_kept_is_kept_for_the_time_that_is_said_instead(
    planned: str, said: str, field: str, value: object
) -> None:
    dialogue = kept(planned)
    found = mind().task(said, dialogue)
    assert isinstance(found, Task)
    undo, instead = found.program.clauses
    assert isinstance(undo, DialogueMove)
    assert undo.move == "cancel"
    assert dialogue.planned is not None
    before = dialogue.planned.clauses[0]
    assert instead.when is not None
    assert before.when is not None
    assert getattr(instead.when, field) == value
    assert instead.when.days == before.when.days
    assert replace(instead, when=None) == replace(before, when=None)


def test_a_timer_takes_another_length_and_no_hour() -> None:
    found = mind().task("make it twenty minutes", kept("set a timer for ten minutes"))
    assert isinstance(found, Task)
    assert found.program.clauses[1] == Timer(seconds=1200.0)
    assert ended(mind().task("make it half past eight", kept("set a timer for ten minutes"))) == (
        "reject",
        "later.say_again",
    )


@pytest.mark.parametrize("said", ["make it 8 degrees", "make the kettle eight"])
def test_what_is_about_something_else_moves_nothing(said: str) -> None:
    found = mind().task(said, kept("turn on the kettle at seven"))
    assert not isinstance(found, Task) or len(found.program.clauses) == 1


@pytest.mark.parametrize(
    ("entity", "status", "learnt"),
    [("study_desk_lamp", "done", True), ("study_desk_lamp", "failed", False), ("front_door_lock", "done", False)],
)
def test_always_is_learnt_only_of_what_worked_and_asked_about_where_it_is_risky(
    entity: str,
    status: str,
    learnt: bool,  # noqa: FBT001 - a column of the table
) -> None:
    dialogue = mind().after(WHICH, entity)
    dialogue.did(mind().program(WHICH), [switched(entity, status=status)], None, 0.0)
    dialogue.choice = Choice("desk lamp", entity)
    found = mind().task("always", dialogue)
    assert isinstance(found, Task) == learnt
    if isinstance(found, Task):
        assert isinstance(found.program.clauses[0], Lesson)
        assert found.settled[0].confirmed == (entity,)


def asked_at_once(text: str, **fields: Any) -> Dialogue:
    """A conversation in which all of a sentence is doubtful, and asked about in one breath."""
    found = asked_first(mind().decide(mind().turns(doubted(text))))
    assert found is not None
    dialogue = Dialogue()
    dialogue.ask(replace(found.question, **fields), 0.0)
    return dialogue


@pytest.mark.parametrize(
    ("before", "text", "confirmed"),
    [
        ("turn on the kettle, close the curtain and start the vacuum", "yes", ["kettle", "living_curtain", "vacuum"]),
        (
            "turn on the kettle, close the curtain and start the vacuum",
            "go ahead",
            ["kettle", "living_curtain", "vacuum"],
        ),
        ("打开烧水壶，启动扫地机", "好的", ["kettle", "vacuum"]),
    ],
)
def test_a_yes_settles_all_that_was_asked_in_one_breath(before: str, text: str, confirmed: list[str]) -> None:
    dialogue = asked_at_once(before)
    found = mind().task(text, dialogue)
    assert isinstance(found, Task)
    assert {at: item.confirmed for at, item in found.settled.items()} == {
        at: (entity,) for at, entity in enumerate(confirmed)
    }
    assert dialogue.pending is None
    # With it, nothing is left to ask.
    assert asked_first(mind().decide(mind().turns(found.program, settled=found.settled))) is None


@pytest.mark.parametrize(
    ("before", "text"), [("turn on the kettle and start the vacuum", "no"), ("打开烧水壶，启动扫地机", "不要")]
)
def test_a_no_settles_nothing_that_was_asked_in_one_breath(before: str, text: str) -> None:
    dialogue = asked_at_once(before)
    pending = dialogue.pending
    assert pending is not None
    assert len(pending.about) == 2
    assert ended(mind().task(text, dialogue)) == ("ignore", "confirmed_no")
    assert dialogue.pending is None


def test_what_was_settled_before_stays_so_with_a_yes_to_several() -> None:
    chosen = Settled(choices=(("study_desk_lamp",),), despite=(4,))
    dialogue = asked_at_once("turn on the kettle and start the vacuum", settled={1: chosen})
    found = mind().task("yes", dialogue)
    assert isinstance(found, Task)
    assert found.settled[1] == replace(chosen, confirmed=("vacuum",))


def test_a_command_of_its_own_is_no_yes_to_several() -> None:
    found = mind().task("start the vacuum", asked_at_once("turn on the kettle and start the vacuum"))
    assert done(found) == [("Order", "start")]
    assert isinstance(found, Task)
    assert not found.settled


ANSWERS = st.sampled_from(
    ("yes", "no", "the study", "both", "the second one", "cancel", "wait", "fizz", "turn on the kettle", "unlock it",
     "open", "yeah", "undo that", "the kettle", "lock it", "好", "不")
)  # fmt: skip


@settings(max_examples=80)
@given(st.sampled_from((WHICH, REALLY, "open the garage door")), ANSWERS, st.floats(0, 1), st.floats(0, 1))
def test_nothing_is_confirmed_but_by_a_yes_that_was_heard(before: str, text: str, heard: float, first: float) -> None:
    found = mind().task(text, asked(before, heard=first), ("yes", 0.9), heard=heard)
    if not isinstance(found, Task):
        return
    confirmed = [item for settled in found.settled.values() for item in settled.confirmed]
    if confirmed:
        assert text in ("yes", "yeah", "好")
        assert heard >= mind().thresholds.reading
    if found.settled:
        assert found.heard <= min(heard, first) or text == "fizz"
