"""What goes on from what was before, in free words: which of them count, without any model."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from daemon.compiler.compiler import Compiler
from daemon.compiler.followups import Plain as Found
from daemon.compiler.followups import Topic
from daemon.core.ir import Inquiry, Parameter, Program, Target
from daemon.core.questions import Question
from daemon.core.resolution import Context
from daemon.core.trace import Trace
from daemon.core.turn import Utterance
from daemon.core.values import replace
from daemon.dialogue.dialogue import Dialogue
from daemon.dialogue.leaning import asked_of_it
from daemon.dialogue.plainly import Plain, Plainly
from daemon.understand.normalize import Normalized
from tests.dialogue.mind import doubted, mind


class Says:
    """A model that knows these texts after an act, and remembers what it was asked."""

    def __init__(self, known: dict[str, Found]) -> None:
        self.known = known
        self.asked: list[tuple[str, str, str]] = []

    async def plainly(self, said: Normalized, topic: Topic) -> Found | None:
        self.asked.append((topic.state, topic.sort, said.text))
        return self.known.get(said.text) if topic.state == "did" else None


def plainly(text: str, dialogue: Dialogue, says: Says, question: Question | None = None) -> Plain | None:
    """The plain words for a text after what was done before."""
    of = mind()
    known = Plainly(of.registry, of.comprehension, of.readings, of.thresholds, cast("Compiler", says))
    first = next(iter(of.readings.of(Utterance(text), Trace())))
    context: Any = Context(first.lang, spoken=dialogue.spoken)
    return asyncio.run(known.of(first, dialogue, question, context, of.time.monotonic, Trace()))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("halfway, the sun does him good", "halfway"),
        ("ach that glares, maybe forty percent", "maybe forty percent"),
        ("forty percent, he wants to sleep, poor thing", "forty percent"),
        ("he wants to sleep, poor thing", None),
        ("forty percent, no fifty percent, whatever she said", None),  # which of them?
    ],
)
def test_the_one_value_between_talk_is_what_counts(text: str, words: str | None) -> None:
    found = plainly(text, mind().after("turn on the study lamp", "study_lamp"), Says({}))
    assert (found.heard.text if found is not None else None) == words


@pytest.mark.parametrize(("words", "read"), [("set it to half is", False), ("set it to half", True)])
def test_of_several_ways_the_first_that_can_be_read_counts(words: str, read: bool) -> None:  # noqa: FBT001
    found = Found((words, "turn it off"), "to", 0.99, sure=True)
    says = Says({"half serves her nicely": found})
    plain = plainly("half serves her nicely", mind().after("turn on the study lamp", "study_lamp"), says)
    assert plain is not None
    assert plain.heard.text == (words if read else "turn it off")


@pytest.mark.parametrize(("chance", "taken"), [(0.96, True), (0.9, False)])
def test_what_is_asked_about_may_be_told_something_else(chance: float, *, taken: bool) -> None:
    question = mind().asked(doubted("dim the lamp in the study"))
    says = Says({"like a fire engine": Found(("make it red",), "color", chance, sure=True)})
    plain = plainly("like a fire engine", Dialogue(), says, question)
    assert [(state, sort) for state, sort, _ in says.asked] == [("whether", "light"), ("did", "light")]
    assert (plain is not None) is taken


def test_nothing_goes_on_from_a_scene() -> None:
    says = Says({})
    assert plainly("bit gloomy that", mind().after("activate movie night", "movie_night"), says) is None
    assert says.asked == []


@pytest.mark.parametrize(
    ("text", "words", "taken"),
    [
        ("that one wants to come on and all", "turn it on", True),
        ("that pipes up again, kill it would you", "turn it on", False),  # another way
        ("the smart plug wants a rest, that one likewise", "turn it on", False),  # another thing
        ("she says fifty was grand for her", "set it to forty", False),  # another number
        ("她那边就关了算了嘛", "打开它", False),
        ("她说跟这个有关系的嘛", "打开它", True),
    ],
)
def test_what_is_said_is_never_the_opposite_of_its_plain_words(text: str, words: str, taken: bool) -> None:  # noqa: FBT001
    says = Says({text: Found((words,), "power_on", 0.99, sure=True)})
    assert (plainly(text, mind().after("turn on the study lamp", "study_lamp"), says) is not None) is taken


def test_a_question_of_a_model_that_names_nothing_is_of_it() -> None:
    asked = Inquiry("value", parameter=Parameter("battery"))
    said = Program((asked,), "model", "en", text="has he got enough juice")
    found = asked_of_it(said)
    assert found is not None
    assert found.clauses[0].targets == (Target(reference="it"),)
    assert asked_of_it(replace(said, clauses=(replace(asked, parameter=Parameter("temperature")),))) is None
    assert asked_of_it(found) is None


@pytest.mark.parametrize(
    ("text", "words", "chance", "valued", "asked"),
    [
        ("that will never do for reading", "a bit more", 0.85, False, False),
        ("that will never do for reading", "a bit more", 0.75, False, True),  # too doubtful for what says no value
        ("thirty will do for him", "set it to thirty percent", 0.7, True, False),
        ("thirty will do for him", "set it to thirty percent", 0.6, True, True),
        ("hers could do with thirty", "set it to thirty percent", 0.9, True, True),  # one of two
        ("every evening like that, thirty", "set it to thirty percent at nine", 0.9, True, True),  # for later
        ("i liked the look of it before", "put it back", 0.9, False, True),  # who knows how much that is
    ],
)
def test_what_is_slight_is_not_asked_about(text: str, words: str, chance: float, *, valued: bool, asked: bool) -> None:
    says = Says({text: Found((words,), "any", chance, sure=False, says_value=valued)})
    plain = plainly(text, mind().after("turn on the study lamp", "study_lamp"), says)
    assert plain is not None
    assert not plain.sure
    assert mind().thresholds.is_doubtful(plain.heard.readings[0].confidence) is asked
