"""An answer that says more than yes or no."""

import pytest

from daemon.core.ir import Order
from daemon.core.questions import Answer, Question
from daemon.dialogue.answers import less_refused
from daemon.dialogue.interpret import interpret
from daemon.dialogue.second_thoughts import anew
from tests.dialogue.mind import Mind, mind


def asked(text: str, *options: str, reason: str = "confirm_reading", at: int = 0) -> Question:
    return Question("confirm", reason, mind().program(text), options, 10.0, at)


def answered(question: Question, text: str) -> Answer:
    home = mind()
    return interpret(question, text, text, home.comprehension.read_text(text), home.tongue, home.registry)


def deeds(answer: Answer) -> list[tuple[str | None, object]]:
    clauses = answer.program.clauses if answer.program is not None else ()
    return [
        (item.action, item.parameter.value if item.parameter is not None else None)
        for item in clauses
        if isinstance(item, Order)
    ]


WARMER = ("make the thermostat warmer", "thermostat")
LAMP = ("turn on the bedside lamp", "bedroom_lamp")
FAN = ("turn on the bedroom fan", "bedroom_fan")


@pytest.mark.parametrize(
    ("question", "text", "wanted"),
    [
        (WARMER, "by two degrees", [("increase", 2.0)]),
        (WARMER, "yes, two degrees", [("increase", 2.0)]),
        (WARMER, "yes but only to 21 degrees", [("set", 21.0)]),
        (WARMER, "no, 22 degrees", [("set", 22.0)]),
        (LAMP, "yes but only half", [("turn_on", None), ("set", 50.0)]),
        (LAMP, "ok, at 20 percent", [("turn_on", None), ("set", 20.0)]),
        (LAMP, "对，不过只要一半", [("turn_on", None), ("set", 50.0)]),
        (FAN, "yes and turn off the kettle", [("turn_on", None), ("turn_off", None)]),
        (FAN, "yes and the hall light", [("turn_on", None), ("turn_on", None)]),
        (FAN, "是的，然后关掉烧水壶", [("turn_on", None), ("turn_off", None)]),
        (FAN, "no, leave it, just turn off the kettle", [("turn_off", None)]),
    ],
)
def test_what_is_said_besides_is_read_too(
    question: tuple[str, str], text: str, wanted: list[tuple[str, object]]
) -> None:
    found = answered(asked(*question), text)
    assert found.kind in ("more", "target")
    assert deeds(found) == wanted


@pytest.mark.parametrize(
    ("text", "duration", "delay"),
    [("yes for ten minutes", 600.0, None), ("in ten minutes", None, 600.0), ("对，十分钟后", None, 600.0)],
)
def test_when_and_how_long(text: str, duration: float | None, delay: float | None) -> None:
    found = answered(asked(*FAN), text)
    assert found.program is not None
    when = found.program.clauses[0].when
    assert when is not None
    assert (when.duration_s, when.delay_s) == (duration, delay)
    assert found.entities == ("bedroom_fan",)


@pytest.mark.parametrize(
    "text", ["yes of course", "yes obviously", "yeah go on", "okay then", "go on then", "好的，麻烦了"]
)
def test_a_yes_with_a_word_more_is_one(text: str) -> None:
    assert answered(asked(*FAN), text).kind == "yes"


@pytest.mark.parametrize(
    "text",
    ["yes and don't", "yes but not now", "yes if", "ok and", "the lamp or the fan", "two degrees"],
)
def test_what_fits_nothing_is_no_answer(text: str) -> None:
    assert answered(asked(*FAN), text).kind in ("misheard", "other", "cancel")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("yes and turn on the hall light", "more"),
        ("yes, and lock it again in five minutes", "more"),
        ("是的，然后打开台灯", "more"),
        # What is no yes in so many words, and what takes part of it back.
        ("yes, turn on the hall light", "other"),
        ("go ahead and turn on the hall light", "other"),
        ("yes and lock it", "misheard"),
        ("yes but only half", "misheard"),
        ("in ten minutes", "misheard"),
        ("yes and turn on the hall light?", "misheard"),
    ],
)
def test_where_something_is_at_stake_only_a_yes_in_so_many_words_counts(text: str, kind: str) -> None:
    found = answered(asked("unlock the front door", "front_door_lock", reason="confirm_risk"), text)
    assert found.kind == kind
    assert bool(found.entities) == (kind == "more")


def test_a_no_to_one_part_leaves_the_others() -> None:
    said = "turn on the hall light and unlock the front door"
    both = asked(said, "front_door_lock", reason="confirm_risk", at=1)
    left = less_refused(both)
    assert left is not None
    assert [item.action for item in left.clauses] == ["turn_on"]
    assert less_refused(asked(said, "front_door_lock", at=1)) is None
    of_it = asked("unlock the front door and open it", "front_door_lock", reason="confirm_risk")
    assert less_refused(of_it) is None


def test_another_value_of_what_was_just_set_is_no_guess() -> None:
    home = Mind()
    dialogue = home.after("set the bedside lamp to red", "bedroom_lamp")
    guess = home.program("set it to blue", "en")
    said = guess.__class__(
        (Order("set", parameter=guess.clauses[0].parameter),), "model", "en", text="blue", confidence=0.55
    )
    assert anew(said, dialogue, home.time.monotonic).confidence > home.thresholds.reading
    assert anew(said, dialogue, home.time.monotonic + 60.0) == said
    assert anew(guess, dialogue, home.time.monotonic) == guess
