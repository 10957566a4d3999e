"""Which yes does for which question."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.questions import FORBIDDEN, Question
from daemon.core.values import replace
from daemon.dialogue.moves import at_stake, told_again
from tests.dialogue.mind import HOME, mind

SAFE = ("kettle", "hall_light", "bedroom_fan", "living_curtain")
RISKY = ("front_door_lock", "garage_door", "gas_valve")


def confirm(text: str, *options: str) -> Question:
    found = Question("confirm", "confirm_risk", mind().program(text), options, 10.0)
    return found if options else mind().asked(text)


def again(question: Question, text: str) -> bool:
    readings = mind().comprehension.read_text(text)
    return bool(readings) and told_again(question, readings[0], mind().registry, HOME.thresholds)


@given(st.lists(st.sampled_from((*SAFE, *RISKY, "gone")), max_size=4, unique=True))
def test_something_is_at_stake_where_anything_of_it_needs_a_yes(options: list[str]) -> None:
    question = confirm("turn on the kettle", "kettle", *options)
    assert at_stake(question, mind().registry) == bool(set(options) & {*RISKY})
    assert at_stake(replace(question, reason=FORBIDDEN), mind().registry)


def test_what_is_asked_in_the_same_breath_is_at_stake_with_it() -> None:
    first = confirm("turn on the kettle", "kettle")
    for other in (*SAFE, *RISKY):
        both = replace(first, also=(confirm("turn on the kettle", "hall_light"), confirm("turn on the kettle", other)))
        assert both.about == ("kettle", "hall_light", other)
        assert at_stake(both, mind().registry) == (other in RISKY)


@pytest.mark.parametrize(("scene", "risky"), [("good_night", True), ("movie_night", False)])
def test_what_a_scene_does_is_at_stake_with_it(scene: str, risky: bool) -> None:  # noqa: FBT001 - a column
    assert at_stake(confirm("good night", scene), mind().registry) == risky


@pytest.mark.parametrize(
    ("asked", "text", "same"),
    [
        ("unlock the front door", "unlock it", True),
        ("unlock the front door", "open it", True),
        ("unlock the front door", "unlock the front door", True),
        ("unlock the front door", "lock it", False),
        ("unlock the front door", "unlock the garage door", False),
        ("unlock the front door", "unlock them", False),
        ("unlock the front door", "don't unlock it", False),
        ("unlock the front door", "unlock it if the kettle is on", False),
        ("unlock the front door", "unlock it in ten minutes", False),
        ("unlock the front door", "unlock it and open the garage door", False),
        ("unlock the front door", "unlock everything except it", False),
        ("unlock the front door", "is it locked", False),
        ("open the garage door", "open it", True),
        ("open the garage door", "open the garage door", True),
        ("open the garage door", "open it halfway", False),
        ("open the garage door", "close it", False),
        # What is asked about there is how it ends.
        ("lock the front door for ten minutes", "lock it", False),
    ],
)
def test_only_the_very_act_is_that_act_again(asked: str, text: str, same: bool) -> None:  # noqa: FBT001 - a column
    assert again(confirm(asked), text) == same


@settings(max_examples=60)
@given(st.sampled_from(RISKY), st.sampled_from(("kettle", "printer", "hall light", "bedroom fan", "gas valve")))
def test_another_name_is_never_the_same_again(risky: str, name: str) -> None:
    names = mind().registry[risky].names
    question = confirm(f"open the {names[0].casefold()}", risky)
    assert again(question, f"open the {name}") == (name in map(str.casefold, names))
