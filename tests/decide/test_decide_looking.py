"""Who is meant, and what must be read first: resolved once, with what answers have settled."""

import pytest

from daemon.core.decisions import Refuse
from daemon.core.questions import Settled
from daemon.decide.looking import Look, for_now
from daemon.dialogue.dialogue import Open
from tests.dialogue.mind import brief, mind

WINDOW = ("bedroom_window", "contact")


def look(text: str, **around: object) -> Look:
    (found,) = mind().decider.looks(mind().turns(text, **around), Open())  # type: ignore[arg-type]
    assert isinstance(found, Look), found
    return found


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("turn on the kettle", True),
        ("turn on the kettle in ten minutes", False),
        ("turn on the hall light for ten minutes", False),
        ("is the kettle on", True),
        ("is the kettle on today", True),
        ("is the kettle on tomorrow", False),
        ("what is the weather tomorrow", True),
    ],
)
def test_what_is_meant_now(text: str, now: bool) -> None:  # noqa: FBT001 - a column of the table
    assert for_now(mind().program(text).clauses[0]) == now


def test_nobody_knows_how_it_will_be() -> None:
    assert brief(mind().said("is the kettle on tomorrow"))[:2] == ("Refuse", "later.query")


@pytest.mark.parametrize(
    ("text", "needs", "later"),
    [
        ("turn on the kettle", set(), False),
        ("turn on the kettle if the bedroom window is open", {WINDOW}, False),
        ("turn on the kettle in ten minutes if the bedroom window is open", set(), True),
        ("whenever the bedroom window opens turn on the kettle", {WINDOW}, True),
        # That they do not hold is known before anybody is asked which one.
        ("turn on the desk lamp if the bedroom window is open", {WINDOW}, False),
        # Without the name nothing would be done, whatever is so.
        ("turn on the sparklerino if the bedroom window is open", set(), False),
    ],
)
def test_what_must_be_read(text: str, needs: set[tuple[str, str]], later: bool) -> None:  # noqa: FBT001 - a column
    found = look(text)
    assert (set(found.needs), found.later) == (needs, later)


def test_what_is_for_later_knows_whom_it_watches() -> None:
    found = look("whenever the bedroom window opens turn on the kettle")
    assert found.turn.watched == (("bedroom_window",),)
    assert [test.entities for test in found.tests] == [("bedroom_window",)]


@pytest.mark.parametrize(
    ("text", "chosen", "entities"),
    [
        ("turn on the desk lamp", ("study_desk_lamp",), ("study_desk_lamp",)),
        ("turn on the desk lamp", ("study_desk_lamp", "bedroom_desk_lamp"), ("study_desk_lamp", "bedroom_desk_lamp")),
        ("turn on the desk lamp and the kettle", ("study_desk_lamp",), ("study_desk_lamp", "kettle")),
        ("turn on the lamp or the fan", ("bedroom_fan",), ("bedroom_fan",)),
    ],
)
def test_a_choice_settles_who_is_meant(text: str, chosen: tuple[str, ...], entities: tuple[str, ...]) -> None:
    assert look(text).ruling.reason == "which"
    settled = look(text, settled={0: Settled(choices=(chosen,))})
    assert settled.ruling.verdict == "act"
    assert set(settled.ruling.entities) == set(entities)


def test_choices_are_taken_in_the_order_of_the_questions() -> None:
    text = "turn on the desk lamp and the ceiling light"
    one, then = ("study_desk_lamp",), ("bedroom_ceiling",)
    assert set(look(text).ruling.options) == {"study_desk_lamp", "bedroom_desk_lamp"}
    second = look(text, settled={0: Settled(choices=(one,))}).ruling
    assert second.verdict == "ask"
    assert "bedroom_ceiling" in second.options
    assert look(text, settled={0: Settled(choices=(one, then))}).ruling.entities == (*one, *then)


def test_what_is_spared_is_not_meant() -> None:
    found = look("turn off all the lights in the study except the lamp")
    assert "study_desk_lamp" not in found.resolution.entities
    assert found.resolution.entities


def test_whoever_was_not_asked_about_is_not_covered_by_a_yes() -> None:
    found = look("open the front door and the garage door", settled={0: Settled(confirmed=("garage_door",))})
    assert (found.ruling.reason, found.ruling.entities) == ("confirmed", ("garage_door",))


def test_of_one_or_another_only_the_speaker_knows() -> None:
    assert set(look("turn off the lamp or the kettle").ruling.options) >= {"kettle"}
    # Two names of one thing are no question.
    assert look("turn off the kettle or the kettle").ruling.verdict == "act"


def test_what_is_not_here_is_refused_before_anything_is_read() -> None:
    (found,) = mind().decide(mind().turns("turn on the lights in the bedroom except the sparklerino"))
    assert brief(found)[1] == "not_found"


def test_a_wish_that_nobody_told_is_none() -> None:
    found = mind().said("set the thermostat to my favourite temperature")
    assert isinstance(found, Refuse)
    assert found.reason == "no_wish"


def test_a_wish_that_was_told_is_filled_in() -> None:
    found = look("play my favourite music", speaker="mei", area="living_room")
    assert found.turn.clause.parameter is not None
    assert found.turn.clause.parameter.value == "jazz"
