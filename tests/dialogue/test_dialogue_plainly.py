"""What goes on from what was before, in free words: which of them count, without any model."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from daemon.compiler.compiler import Compiler
from daemon.compiler.followups import Plain as Found
from daemon.compiler.followups import Topic
from daemon.core.questions import Question
from daemon.core.resolution import Context
from daemon.core.trace import Trace
from daemon.core.turn import Utterance
from daemon.dialogue.dialogue import Dialogue
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
