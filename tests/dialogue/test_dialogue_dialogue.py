"""What one conversation keeps open, whose it is, and for how long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.decisions import Act, Decision, Keep, Refuse, Undo
from daemon.core.ir import DialogueMove
from daemon.core.outcomes import Outcome, WayBack
from daemon.core.questions import DEED, Question
from daemon.core.result import Report
from daemon.dialogue.dialogue import JUST_S, NOTHING_BACK, REMEMBERED_S, Dialogue, Dialogues
from tests.dialogue.mind import mind, switched


def question(*options: str, reason: str = "which", until: float = 10.0) -> Question:
    return Question("choose", reason, mind().program("turn on the desk lamp"), options, until)


def did(dialogue: Dialogue, *entities: str, now: float = 0.0) -> None:
    """An act that switched these."""
    (turn,) = mind().turns("turn on the kettle")
    outcomes = tuple(map(switched, entities))
    remember(dialogue, Act(turn, "sure", entities), Report("execute", (), entities=entities, outcomes=outcomes), now)


def remember(dialogue: Dialogue, decision: Decision, report: Report, now: float = 0.0) -> None:
    dialogue.remember(decision.turn.program, None, None, [decision], [report], now)


def undid(dialogue: Dialogue, *named: str, now: float = 0.0) -> None:
    """Putting back the last act; of what was `named` only, where anything was."""
    (turn,) = mind().turns("undo that")
    if named:
        turn = turn.instead(DialogueMove("undo", targets=mind().program("turn on the kettle").clauses[0].targets))
    outcomes = tuple(switched(item, "on", "off", "turn_off") for item in named)
    decision = Undo(turn, "undo", named, WayBack(()))
    remember(dialogue, decision, Report("execute", (), entities=named, outcomes=outcomes), now)


def test_a_question_expires() -> None:
    dialogue = Dialogue(pending=question())
    assert dialogue.question(9.9) is not None
    assert dialogue.question(10.0) is None
    assert dialogue.pending is None


def test_what_was_spoken_of_before_is_remembered_once() -> None:
    dialogue = Dialogue()
    for entities in (("a",), ("b",), ("b",), ()):
        dialogue.mention(entities, 0.0)
    assert (dialogue.last, dialogue.spoken.before) == (("b",), ("a",))


def test_what_was_spoken_of_long_ago_is_forgotten() -> None:
    dialogues = Dialogues()
    dialogues.of("kitchen", 0.0).mention(("a",), 0.0)
    assert dialogues.of("kitchen", REMEMBERED_S - 1.0).last == ("a",)
    assert dialogues.of("kitchen", REMEMBERED_S).last == ()


def test_however_many_satellites_call_themselves_something_few_are_remembered() -> None:
    dialogues = Dialogues()
    first = dialogues.of("first", 0.0)
    for number in range(10_000):
        dialogues.of(f"satellite {number}", 0.0)
        assert dialogues.of("first", 0.0) is first
    assert len(dialogues) < 1_000


def test_a_question_belongs_to_one_satellite() -> None:
    dialogues = Dialogues()
    dialogues.of("kitchen", 0.0).ask(question("kettle"), 0.0)
    assert dialogues.of("hall", 1.0).question(1.0) is None
    assert dialogues.of("kitchen", 1.0).question(1.0) is not None


def test_an_answered_question_is_gone() -> None:
    dialogue = Dialogue()
    dialogue.ask(question("kettle"), 0.0)
    dialogue.answer()
    assert dialogue.question(0.0) is None


@pytest.mark.parametrize(("reason", "last"), [(DEED, ("kettle",)), ("which", ())])
def test_only_what_alone_was_understood_is_it_while_it_is_asked_about(reason: str, last: tuple[str, ...]) -> None:
    dialogue = Dialogue()
    dialogue.ask(question("kettle", reason=reason), 0.0)
    assert dialogue.last == last


def test_undo_goes_back_step_by_step_and_never_forth() -> None:
    dialogue = Dialogue()
    for item in ("kettle", "hall_light", "bedroom_fan"):
        did(dialogue, item)
    for item in ("bedroom_fan", "hall_light", "kettle"):
        assert [outcome.write.entity for outcome in dialogue.outcomes] == [item]
        undid(dialogue)
    assert dialogue.outcomes == ()


def test_what_was_spared_afterwards_is_gone_and_the_rest_of_the_act_stays() -> None:
    dialogue = Dialogue()
    did(dialogue, "kettle", "hall_light")
    undid(dialogue, "kettle")
    assert [outcome.write.entity for outcome in dialogue.outcomes] == ["hall_light"]


@pytest.mark.parametrize("reason", [*NOTHING_BACK, "broker_away"])
def test_an_act_in_which_there_is_nothing_to_put_back_is_passed_over(reason: str) -> None:
    dialogue = Dialogue()
    did(dialogue, "kettle")
    did(dialogue, "hall_light")
    (turn,) = mind().turns("undo that")
    remember(dialogue, Refuse(turn, (), reason), Report("reject", ()))
    left = [outcome.write.entity for outcome in dialogue.outcomes]
    assert left == (["kettle"] if reason in NOTHING_BACK else ["hall_light"])


@pytest.mark.parametrize(
    ("now", "just", "done"), [(JUST_S - 0.1, True, True), (JUST_S, False, True), (REMEMBERED_S, False, False)]
)
def test_how_long_a_cancel_is_about_an_act(now: float, just: bool, done: bool) -> None:  # noqa: FBT001 - columns
    dialogue = Dialogue()
    did(dialogue, "kettle")
    dialogue.refresh(now)
    open_ = dialogue.open(now, connected=True)
    assert (bool(open_.just), bool(open_.done)) == (just, done)
    assert dialogue.just_spoken(now) == just


def test_a_question_that_was_answered_is_no_act_to_take_back() -> None:
    dialogue = Dialogue()
    did(dialogue, "kettle")
    (turn,) = mind().turns("is the hall light on")
    remember(dialogue, Act(turn, "sure", ("hall_light",)), Report("query", (), entities=("hall_light",)), 1.0)
    assert dialogue.just_acted(1.0) == ()
    assert [outcome.write.entity for outcome in dialogue.outcomes] == ["kettle"]


def test_what_was_kept_is_open_until_something_else_is_done() -> None:
    dialogue = Dialogue()
    (turn,) = mind().turns("turn on the kettle in ten minutes")
    remember(dialogue, Keep(turn, "sure"), Report("schedule", (), kept=(3,)))
    assert dialogue.just_kept(1.0) == (3,)
    assert dialogue.just_planned(1.0) == turn.program
    assert dialogue.just_planned(JUST_S) is None
    did(dialogue, "hall_light", now=2.0)
    assert (dialogue.just_kept(2.0), dialogue.just_planned(2.0)) == ((), None)


def test_what_was_refused_is_forgotten_at_once() -> None:
    """A "cancel" behind it is about what was done before."""
    dialogue = Dialogue()
    did(dialogue, "kettle")
    before = dialogue.program
    (turn,) = mind().turns("turn on the sparklerino")
    remember(dialogue, Refuse(turn, (), "not_found"), Report("reject", ()))
    assert dialogue.program == before
    assert dialogue.just_acted(1.0)


THINGS = ("kettle", "hall_light", "bedroom_fan")


@given(st.lists(st.one_of(st.sampled_from(THINGS), st.none()), max_size=40))
def test_whatever_is_done_and_undone_an_undo_is_about_the_last_that_still_stands(steps: list[str | None]) -> None:
    dialogue, standing = Dialogue(), list[str]()
    for step in steps:
        if step is None:
            undid(dialogue)
            standing = standing[:-1]
        else:
            did(dialogue, step)
            standing = [*standing, step][-16:]
        done = [item for step in dialogue.steps for item in step if isinstance(item, Outcome)]
        assert [item.write.entity for item in done] == standing
