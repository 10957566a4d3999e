"""Who speaks, where, and in which conversation: what is known around an utterance before anything is looked up."""

import asyncio

import pytest

from daemon.core.errors import UsageError
from daemon.core.questions import EXPIRY_S
from daemon.core.result import Report
from daemon.core.trace import Trace
from daemon.core.turn import Task, Utterance
from daemon.dialogue.conversations import Exchange
from daemon.home.config import Microphone
from tests.dialogue.mind import Mind

SATELLITES = {"by the bed": Microphone("bedroom", "mei"), "study": Microphone("study")}


@pytest.fixture
def home() -> Mind:
    return Mind(satellites=SATELLITES)


def said(home: Mind, text: str, satellite: str = "console", **fields: str) -> Exchange:
    utterance = Utterance(text, satellite=satellite, **fields)  # type: ignore[arg-type] # area, speaker and lang
    return asyncio.run(home.conversations.exchange(utterance, Trace()))


def asks(home: Mind, text: str, satellite: str = "console") -> None:
    """A sentence that leads to a question."""
    said(home, text, satellite).dialogue.ask(home.asked(text), home.time.monotonic)


@pytest.mark.parametrize(
    ("satellite", "fields", "text", "area", "speaker", "left"),
    [
        ("console", {}, "stop", None, None, "stop"),
        ("by the bed", {}, "stop", "bedroom", "mei", "stop"),
        ("study", {}, "stop", "study", None, "stop"),
        # What is said of it goes before what is known of the satellite.
        ("by the bed", {"area": "Kitchen", "speaker": "Amal"}, "stop", "kitchen", "amal", "stop"),
        ("by the bed", {"area": "厨房", "speaker": "美美"}, "stop", "kitchen", "mei", "stop"),
        # A name before a colon, as in a play; only that of somebody who lives here.
        ("by the bed", {}, "Amal: stop", "bedroom", "amal", "stop"),
        ("console", {}, "小美：停", None, "mei", "停"),
        ("console", {}, "Bob: stop", None, None, "Bob: stop"),
        ("console", {}, "Amal:", None, None, "Amal:"),
    ],
)
def test_who_speaks_and_where(
    home: Mind, satellite: str, fields: dict[str, str], text: str, area: str | None, speaker: str | None, left: str
) -> None:
    found = said(home, text, satellite, **fields)
    assert (found.context.area, found.context.speaker, found.utterance.text) == (area, speaker, left)


@pytest.mark.parametrize("fields", [{"area": "the moon"}, {"speaker": "Bob"}])
def test_who_and_what_is_not_here_is_told(home: Mind, fields: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="there is no"):
        home.conversations.check(Utterance("stop", **fields))  # type: ignore[arg-type]
    home.conversations.check(Utterance("stop", area="Bedroom", speaker="mei"))


def test_a_question_is_answered_only_where_it_was_asked(home: Mind) -> None:
    asks(home, "unlock the front door", "study")
    elsewhere = said(home, "yes", "by the bed").task
    assert isinstance(elsewhere, Task)
    assert not elsewhere.settled
    here = said(home, "yes", "study").task
    assert isinstance(here, Task)
    assert here.settled[0].confirmed == ("front_door_lock",)


def test_a_question_is_answered_once(home: Mind) -> None:
    asks(home, "unlock the front door")
    first, second = said(home, "yes").task, said(home, "yes").task
    assert isinstance(first, Task)
    assert isinstance(second, Task)
    assert first.settled
    assert not second.settled


@pytest.mark.parametrize(("waited", "answered"), [(EXPIRY_S - 0.1, True), (EXPIRY_S, False)])
def test_a_question_waits_so_long(home: Mind, waited: float, answered: bool) -> None:  # noqa: FBT001 - a column
    asks(home, "unlock the front door")
    home.time.monotonic = waited
    found = said(home, "yes").task
    assert isinstance(found, Task)
    assert bool(found.settled) == answered


@pytest.mark.parametrize(("before", "lang"), [("unlock the front door", "en"), ("打开大门", "zh")])
def test_an_answer_of_no_language_is_in_that_of_the_question(home: Mind, before: str, lang: str) -> None:
    asks(home, before)
    assert said(home, "20").context.lang == lang


def test_what_was_asked_about_is_it(home: Mind) -> None:
    asks(home, "unlock the front door")
    found = said(home, "lock it")
    assert isinstance(found.task, Task)
    assert found.context.last == ("front_door_lock",)
    (decision,) = home.decide(found.turns(found.task, Trace()))
    assert decision.entities == ("front_door_lock",)


def test_silence_leaves_the_conversation_as_it_is(home: Mind) -> None:
    asks(home, "unlock the front door")
    assert isinstance(said(home, "").task, Report)
    assert isinstance(said(home, "yes").task, Task)


def test_each_clause_has_its_turn_with_what_was_settled_of_it(home: Mind) -> None:
    found = said(home, "turn on the kettle and the hall light, then lock the front door", "by the bed")
    assert isinstance(found.task, Task)
    turns = found.turns(found.task, Trace())
    assert [turn.at for turn in turns] == list(range(len(found.task.program.clauses)))
    assert {turn.satellite for turn in turns} == {"by the bed"}
    occasion = found.occasion(found.task)
    assert (occasion.speaker, occasion.satellite, occasion.source) == ("mei", "by the bed", "grammar")
