"""Where nothing was understood: the one thing that was named is asked about, and nothing is ever done."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.compiler.compiler import Compiled
from daemon.compiler.meanings import NOTHING
from daemon.core.questions import DEED, EXPIRY_S
from daemon.core.resolution import Context
from daemon.core.result import Report
from daemon.core.trace import Trace
from daemon.dialogue.last_resort import LastResort
from daemon.resolve.readings import Heard
from tests.dialogue.mind import mind

FOR_US = Compiled("ask", "turn_on", 0.5)
NOT_FOR_US = Compiled("nothing", NOTHING, 0.9)


def asked(text: str, model: Compiled | None = None, heard: float = 1.0) -> Report | None:
    last = LastResort(mind().resolver, mind().registry, lambda: 7.0)
    return last.ask(Heard(text, "en", (), heard, text), model, Context("en"), Trace())


def test_what_was_named_is_asked_about() -> None:
    found = asked("hall light fizzle", heard=0.8)
    assert found is not None
    question = found.question
    assert question is not None
    assert (found.outcome, question.kind, question.reason) == ("clarify", "rest", DEED)
    assert (question.options, question.program.text, question.word) == (("hall_light",), "hall light", "hall light")
    assert (question.expires_at, question.heard) == (7.0 + EXPIRY_S, 0.8)


@pytest.mark.parametrize(
    "text",
    [
        "blah blah fizz",
        "the kitchen whoosh",
        # Of two things it is not known which.
        "uh hall light or kettle",
        # Talk that only mentions one says more besides.
        "yesterday somebody told us that the hall light of our neighbours is really quite pretty",
    ],
)
@pytest.mark.parametrize("model", [None, FOR_US])
def test_nobody_is_asked_about_talk(text: str, model: Compiled | None) -> None:
    assert asked(text, model) is None


def test_what_sounds_like_it_is_for_us_may_name_it_among_more_words() -> None:
    text = "well then everybody knows what hall light means nowadays"
    assert asked(text) is None
    assert asked(text, FOR_US) is not None


def test_what_the_model_knows_better_is_not_asked() -> None:
    """It is for nobody, or it is something that this home cannot do."""
    assert asked("hall light fizzle", FOR_US) is not None
    assert asked("hall light fizzle", NOT_FOR_US) is None
    can_not = Compiled("act", "turn_on", 0.9, mind().program("turn on the hall light"))
    assert asked("hall light fizzle", can_not) is None


@given(st.lists(st.sampled_from(("blah", "hall", "light", "the", "kettle", "fizz", "door", "or")), max_size=12))
def test_whatever_was_mumbled_at_most_one_question_is_asked(words: list[str]) -> None:
    found = asked(" ".join(words))
    if found is not None:
        assert found.outcome == "clarify"
        assert found.question is not None
        assert found.question.program.missing is not None
        assert not found.question.program.clauses[0].action
