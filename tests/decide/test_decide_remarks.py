"""Remarks while no question is open: what is taken back, what is stopped, what is asked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.decisions import Act, Ask, Decision, Refuse, Undo
from daemon.core.ir import DialogueMove
from daemon.core.outcomes import Outcome
from daemon.core.questions import DEED, Settled
from daemon.dialogue.dialogue import Open
from tests.dialogue.mind import brief, mind, switched

KETTLE, HALL = switched("kettle"), switched("hall_light")
LOCKED = switched("front_door_lock", "unlocked", "locked", "lock")
UNKNOWN = switched("kettle", before=None)  # type: ignore[arg-type] # nobody knows what was before


def remark(text: str, *done: Outcome, just: bool = True, kept: tuple[int, ...] = (), **more: object) -> Decision:
    connected = bool(more.pop("connected", True))
    open_ = Open(connected, done, just=done if just else (), kept=kept, fresh=bool(kept))
    return mind().said(text, open_=open_, last=tuple(item.write.entity for item in done), **more)


def writes(decision: Decision) -> dict[str, object]:
    assert isinstance(decision, Undo)
    assert decision.back is not None
    return {item.entity: item.value for item in decision.back.writes}


def test_undo_puts_back_what_was() -> None:
    assert writes(remark("undo that", KETTLE, HALL)) == {"kettle": "off", "hall_light": "off"}
    assert writes(remark("undo that", KETTLE, just=False)) == {"kettle": "off"}


@pytest.mark.parametrize("text", ["undo that", "撤销"])
@pytest.mark.parametrize(
    ("done", "reason"),
    [
        ((), "nothing_to_undo"),
        ((switched("kettle", "on", "on"),), "nothing_to_undo"),
        ((switched("kettle", status="failed"),), "nothing_to_undo"),
        ((switched("kettle", sent=False),), "nothing_to_undo"),
        ((UNKNOWN,), "cannot_undo"),
    ],
)
def test_what_was_not_changed_or_is_not_known_is_not_put_back(
    text: str, done: tuple[Outcome, ...], reason: str
) -> None:
    found = remark(text, *done)
    assert isinstance(found, Refuse)
    assert found.reason == reason


def test_to_put_back_what_opens_the_house_needs_a_yes() -> None:
    asked = remark("undo that", LOCKED, KETTLE)
    assert brief(asked) == ("Ask", "confirm_risk", {"front_door_lock"})
    agreed = remark("undo that", LOCKED, KETTLE, settled={0: Settled(confirmed=("front_door_lock",))})
    assert writes(agreed) == {"front_door_lock": "unlocked", "kettle": "off"}


@pytest.mark.parametrize("text", ["no", "算了"])
def test_a_no_after_a_lock_asks_by_its_name_whether_to_open_it_again(text: str) -> None:
    assert brief(remark(text, LOCKED, KETTLE)) == ("Ask", "confirm_risk", {"front_door_lock"})


def test_an_undo_that_was_hardly_heard_is_asked_back() -> None:
    assert brief(remark("undo that", KETTLE, heard=0.5))[:2] == ("Ask", "confirm_reading")


def test_nothing_is_put_back_where_nothing_can_be_sent() -> None:
    assert brief(remark("undo that", KETTLE, connected=False))[:2] == ("Refuse", "broker_away")


@pytest.mark.parametrize("text", ["cancel", "no", "never mind", "算了"])
def test_a_no_after_an_act_asks_whether_to_take_it_back(text: str) -> None:
    found = remark(text, KETTLE)
    assert isinstance(found, Ask)
    assert (found.question.kind, found.question.reason, found.question.options) == ("confirm", "undo", ("kettle",))
    # A yes to it is an undo, and nothing else.
    (clause,) = found.question.program.clauses
    assert isinstance(clause, DialogueMove)
    assert clause.move == "undo"
    assert brief(remark(text, KETTLE, just=False))[:2] == ("Refuse", "cancelled")


@pytest.mark.parametrize("text", ["cancel", "no", "undo that", "cancel that"])
def test_what_was_just_kept_is_dropped_first(text: str) -> None:
    found = remark(text, KETTLE, just=False, kept=(3, 4))
    assert isinstance(found, Undo)
    assert (found.dropped, found.back) == ((3, 4), None)


def test_an_undo_takes_back_both_what_was_done_and_what_was_kept() -> None:
    found = remark("undo that", KETTLE, kept=(3,))
    assert isinstance(found, Undo)
    assert found.dropped == (3,)
    assert writes(found) == {"kettle": "off"}


def test_stop_stops_what_is_under_way() -> None:
    shutter = switched("living_curtain", "open", "closed", "close")
    found = remark("stop", shutter)
    assert isinstance(found, Act)
    assert (found.turn.clause.action, found.entities) == ("stop", ("living_curtain",))


def test_no_scene_stops_but_what_it_set_is_offered_back() -> None:
    set_by_it = switched("living_tv", "on", "off", "turn_off")
    found = remark("stop good night", set_by_it)
    assert isinstance(found, Ask)
    assert (found.question.reason, found.question.options) == ("undo", ("living_tv",))
    assert found.before
    # Not where something else was done since, or nothing was.
    assert isinstance(remark("stop good night", set_by_it, KETTLE), Refuse)
    assert isinstance(remark("stop good night"), Refuse)


@pytest.mark.parametrize("text", ["the kettle", "烧水壶"])
def test_a_mere_name_is_asked_about(text: str) -> None:
    found = remark(text)
    assert isinstance(found, Ask)
    assert (found.question.kind, found.question.reason, found.question.options) == ("rest", DEED, ("kettle",))


@pytest.mark.parametrize(("text", "heard"), [("the kitchen", 1.0), ("upstairs", 1.0), ("the kettle", 0.5)])
def test_a_place_or_a_doubtful_name_is_for_nobody(text: str, heard: float) -> None:
    found = remark(text, heard=heard)
    assert isinstance(found, Refuse)
    assert found.outcome == "ignore"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("thank you", "welcome"), ("yes", "nothing_pending"), ("cancel", "cancelled"), ("the second one", None)],
)
def test_a_remark_that_answers_nothing_does_nothing(text: str, reason: str | None) -> None:
    found = remark(text)
    assert isinstance(found, Refuse)
    assert found.outcome == "ignore"
    assert reason in (None, found.reason)


things = st.lists(st.sampled_from((KETTLE, HALL, LOCKED, UNKNOWN)), max_size=3, unique=True)


@settings(max_examples=60)
@given(
    st.sampled_from(("undo that", "cancel", "stop", "no", "yes", "the second one", "thank you")), things, st.booleans()
)
def test_a_remark_reaches_only_what_was_done(text: str, done: list[Outcome], just: bool) -> None:  # noqa: FBT001 - drawn
    found = remark(text, *done, just=just)
    assert {*found.entities} <= {item.write.entity for item in done}
    if isinstance(found, Undo):
        assert "front_door_lock" not in found.entities
