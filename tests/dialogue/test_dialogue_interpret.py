"""What an utterance means as the answer to a pending question."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.ir import Clause, DialogueMove, Move, Order, Parameter, Program, Target, Timer
from daemon.core.questions import Answer, Question
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.dialogue.interpret import interpret
from daemon.dialogue.which import Reader, Tongue
from daemon.home.loader import load_home
from daemon.home.registry import Registry
from daemon.resolve.comprehension import Comprehension
from tests.dialogue.mind import mind
from tests.rules import GRAMMAR

ROOT = Path(__file__).resolve().parents[2]
HOME = load_home(ROOT / "devices.yaml")
REGISTRY = Registry(HOME.entities, HOME.people)
COMPREHENSION = Comprehension(GRAMMAR, REGISTRY)
DESKS = ("bedroom_desk_lamp", "study_desk_lamp")


def program(*clauses: Clause, confidence: float = 0.95, missing: str | None = None, text: str = "") -> Program:
    return Program(clauses, "grammar", "en", text=text, confidence=confidence, missing=missing)


def act(action: str = "turn_on", mention: str = "desk lamp") -> Clause:
    return Order(action, (Target(mention),))  # type: ignore[arg-type]


def move(word: Move, index: int | None = None, text: str | None = None, value: float | None = None) -> Program:
    return program(DialogueMove(word, index, text, value))


def choose(*options: str) -> Question:
    return Question("choose", "which", program(act()), options or DESKS, expires_at=10.0)


def confirm(*options: str) -> Question:
    return Question("confirm", "confirm_risk", program(act("unlock", "door")), options, expires_at=10.0)


def silent(_text: str) -> Sequence[Program]:
    return ()


def understood(question: Question, text: str, readings: Sequence[Program], read: Reader = silent) -> Answer:
    tongue = Tongue(
        read, lambda _text: (), COMPREHENSION.essence, COMPREHENSION.consent, COMPREHENSION.heads, Thresholds()
    )
    return interpret(question, text, text, readings, tongue, REGISTRY)


@pytest.mark.parametrize(
    ("answer", "kind", "entities"),
    [
        (move("select", 1), "chosen", DESKS[:1]),
        (move("select", 2), "chosen", DESKS[1:]),
        (move("select", -1), "chosen", DESKS[1:]),
        (move("select", text="bedroom"), "chosen", DESKS[:1]),
        (move("both"), "chosen", DESKS),
        (move("all"), "chosen", DESKS),
        (move("neither"), "cancel", ()),
        (move("cancel"), "cancel", ()),
        (move("no"), "cancel", ()),
        (move("select", 7), "misheard", ()),
        (move("yes"), "misheard", ()),
    ],
)
def test_answers_to_which_one(answer: Program, kind: str, entities: tuple[str, ...]) -> None:
    found = understood(choose(), "", (answer,))
    assert (found.kind, found.entities) == (kind, entities)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(move("yes"), "yes"), (move("no"), "no"), (move("cancel"), "cancel"), (move("select", 1), "misheard")],
)
def test_answers_to_shall_i(answer: Program, kind: str) -> None:
    found = understood(confirm("hall_light"), "", (answer,))
    assert found.kind == kind
    assert found.entities == (("hall_light",) if kind == "yes" else ())


@pytest.mark.parametrize("answer", [move("yes"), move("always"), move("both"), move("all"), move("any")])
def test_where_something_is_at_stake_only_a_yes_in_so_many_words_is_one(answer: Program) -> None:
    for question in (confirm("front_door_lock"), confirm("front_door_lock", "garage_door")):
        assert understood(question, "whatever the grammar read", (answer,)).kind == "misheard"
        assert understood(question, "yes", (answer,)).kind == "yes"


def test_a_new_command_is_no_answer_though_it_names_an_option() -> None:
    found = understood(choose(), "close the bedroom blinds", (program(act("close", "bedroom blinds")),))
    assert found.kind == "other"


def test_a_command_that_names_its_own_target_is_no_answer() -> None:
    # "hall light" has "light" in common with an option; taken for an answer, the wrong lamp would go on.
    options = ("stairs_light", "landing_spots_1")
    found = understood(choose(*options), "turn on the hall light", (program(act("turn_on", "hall light")),))
    assert found.kind == "other"


def test_the_verb_may_be_repeated_in_an_answer() -> None:
    again = Order("turn_on", (Target(areas=("study",)),))
    found = understood(choose(), "turn on the one in the study", (program(again),))
    assert (found.kind, found.entities) == ("chosen", DESKS[1:])


@pytest.mark.parametrize("question", [choose(), confirm("front_door_lock")])
def test_a_doubtful_reading_is_misheard(question: Question) -> None:
    reading = program(act("turn_off", "mumble"), confidence=0.3)
    found = understood(question, "mumble", (reading,))
    assert found.kind == "misheard"


def test_a_value_fills_the_slot() -> None:
    clause = Order("set", (Target("thermostat"),), parameter=Parameter("temperature"))
    question = Question("value", "missing_value", program(clause, missing="value"), (), 10.0)
    found = understood(question, "21", (move("value", value=21.0),))
    assert found.program is not None
    assert found.program.missing is None
    assert found.program.clauses[0].parameter == Parameter("temperature", value=21.0)


def test_a_name_completes_a_broken_off_sentence() -> None:
    question = Question(
        "target", "missing_target", program(Order("turn_on"), missing="target", text="turn on"), (), 10.0
    )

    def read(text: str) -> Sequence[Program]:
        return (program(act(mention="hall light")),) if text == "turn on hall light" else ()

    found = understood(question, "hall light", (), read)
    assert found.kind == "target"
    assert found.program is not None
    assert found.program.clauses[0].targets == (Target("hall light"),)
    assert found.program.source == "dialogue"


# -- whole sentences, as the grammar reads them


def answered(asked: str, text: str) -> Answer:
    home = mind()
    readings = home.comprehension.read_text(text)
    return interpret(home.asked(asked), text, text, readings, home.tongue, home.registry)


@pytest.mark.parametrize(
    ("asked", "text", "kind", "entities"),
    [
        ("turn on the desk lamp", "the study", "chosen", DESKS[1:]),
        ("turn on the desk lamp", "书房的", "chosen", DESKS[1:]),
        ("turn on the desk lamp", "not the bedroom", "chosen", DESKS[1:]),
        ("turn on the desk lamp", "both", "chosen", DESKS),
        ("turn on the desk lamp", "whichever", "chosen", DESKS[:1]),
        ("turn on the desk lamp", "neither", "cancel", ()),
        ("turn on the desk lamp", "the study, no the bedroom", "chosen", DESKS[:1]),
        ("turn on the desk lamp", "卧室还是书房呢", "misheard", ()),
        ("turn on the desk lamp", "the hall", "misheard", ()),
        ("turn on the desk lamp", "wait", "wait", ()),
        ("turn on the desk lamp", "say that again", "again", ()),
        ("turn on the desk lamp", "turn on the hall light", "other", ()),
        ("turn on the desk lamp", "is the kettle on", "other", ()),
        ("unlock the front door", "yes", "yes", ("front_door_lock",)),
        ("unlock the front door", "yes, unlock it", "yes", ("front_door_lock",)),
        ("unlock the front door", "no", "no", ()),
        # Where something is at stake, these are no yes.
        ("unlock the front door", "unlock it", "misheard", ()),
        ("unlock the front door", "open", "misheard", ()),
        ("unlock the front door", "both", "misheard", ()),
        ("unlock the front door", "lock it", "other", ()),
        ("unlock the front door", "yes, open the garage door", "other", ()),
        ("turn on the kettel lamp", "yes", "misheard", ()),
        ("turn on", "nothing", "cancel", ()),
        ("set the thermostat to", "the kettle", "misheard", ()),
        ("the kettle", "turn it off", "target", ()),
    ],
)
def test_whole_answers(asked: str, text: str, kind: str, entities: tuple[str, ...]) -> None:
    found = answered(asked, text)
    assert (found.kind, found.entities) == (kind, entities)


@pytest.mark.parametrize(
    ("asked", "text", "kind", "whole"),
    [
        ("turn on", "the hall light", "target", "turn on the hall light"),
        ("the kettle", "turn on", "target", "turn on the kettle"),
        ("in ten minutes", "turn on the kettle", "target", "in ten minutes turn on the kettle"),
        ("turn on the desk lamp", "no, the kettle", "target", "turn on the kettle"),
        ("set the thermostat to", "21 degrees", "value", "set the thermostat to 21 degrees"),
        ("set a timer", "ten minutes", "time", "set a timer for ten minutes"),
        ("turn on the kettle in a while", "in ten minutes", "time", "turn on the kettle in ten minutes"),
    ],
)
def test_an_answer_makes_the_sentence_whole(asked: str, text: str, kind: str, whole: str) -> None:
    """As if it had been said in one breath: decided, it comes to the same."""
    found = answered(asked, text)
    assert found.kind == kind
    assert found.program is not None
    assert found.program.source == "dialogue"
    once, at_once = mind().said(found.program), mind().said(whole)
    assert (type(once), once.entities) == (type(at_once), at_once.entities)
    (done,), (wished,) = found.program.clauses, mind().program(whole).clauses
    assert (type(done), done.action) == (type(wished), wished.action)
    if isinstance(done, Timer):
        assert replace(done, confidence=1.0) == replace(wished, confidence=1.0)
    assert (done.parameter and done.parameter.value) == (wished.parameter and wished.parameter.value)
    assert (done.when and done.when.delay_s) == (wished.when and wished.when.delay_s)


def test_always_is_heard_with_a_choice() -> None:
    assert answered("turn on the desk lamp", "the study, always").always
    assert not answered("turn on the desk lamp", "the study").always


ASKED = ("unlock the front door", "open the garage door", "open the gas valve")
WORDS = st.sampled_from(
    (
        "yes",
        "no",
        "open",
        "it",
        "the",
        "door",
        "not",
        "yeah",
        "right",
        "don't",
        "later",
        "unlock",
        "what",
        "both",
        "lock",
    )
)


@settings(max_examples=80)
@given(st.sampled_from(ASKED), st.lists(WORDS, min_size=1, max_size=4))
def test_no_word_but_a_yes_opens_a_door(asked: str, words: list[str]) -> None:
    found = answered(asked, " ".join(words))
    if found.kind == "yes":
        assert {"yes", "yeah", "right"} & {*words}
        assert not {"no", "not", "don't", "later", "what", "lock", "both"} & {*words}
