"""What an utterance means as the answer to a pending question; how options are offered and recognised."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.converse.offers import offer
from daemon.converse.replies import Replies
from daemon.core.ir import Clause, DialogueMove, Move, Parameter, Program, Target
from daemon.core.questions import Answer, Question
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.dialogue.dialogue import REMEMBERED_S, Dialogue, Dialogues
from daemon.dialogue.interpret import Reader, Tongue, interpret
from daemon.dialogue.options import recognise
from daemon.home.loader import load_home
from daemon.home.registry import Registry
from daemon.resolve.comprehension import Comprehension
from daemon.understand.grammar import Grammar

ROOT = Path(__file__).resolve().parents[2]
HOME = load_home(ROOT / "devices.yaml")
REGISTRY = Registry(HOME.entities, HOME.people)
REPLIES = Replies.load(ROOT / "rules")
COMPREHENSION = Comprehension(Grammar.load(ROOT / "rules"), REGISTRY)
DESKS = ("bedroom_desk_lamp", "study_desk_lamp")


def program(*clauses: Clause, confidence: float = 0.95, missing: str | None = None, text: str = "") -> Program:
    return Program(clauses, "grammar", "en", text=text, confidence=confidence, missing=missing)


def act(action: str = "turn_on", mention: str = "desk lamp") -> Clause:
    return Clause("act", action, (Target(mention),))  # type: ignore[arg-type]


def move(word: Move, index: int | None = None, text: str | None = None, value: float | None = None) -> Program:
    return program(Clause("dialogue", dialogue=DialogueMove(word, index, text, value)))


def choose(*options: str) -> Question:
    return Question("choose", "which", program(act()), options or DESKS, expires_at=10.0)


def confirm(*options: str) -> Question:
    return Question("confirm", "confirm_risk", program(act("unlock", "door")), options, expires_at=10.0)


def silent(_text: str) -> Sequence[Program]:
    return ()


def understood(question: Question, text: str, readings: Sequence[Program], read: Reader = silent) -> Answer:
    tongue = Tongue(read, COMPREHENSION.essence, COMPREHENSION.consent, Thresholds())
    return interpret(question, text, text, readings, tongue, REGISTRY)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("the bedroom", "bedroom_desk_lamp"),
        ("in the study please", "study_desk_lamp"),
        ("the office one", "study_desk_lamp"),
        ("卧室的", "bedroom_desk_lamp"),
        ("书房", "study_desk_lamp"),
        ("办公室那个", "study_desk_lamp"),
        ("the bed room", "bedroom_desk_lamp"),
        ("我说书芳的", "study_desk_lamp"),
    ],
)
def test_an_option_is_recognised_by_its_room(text: str, chosen: str) -> None:
    assert recognise(text, DESKS, REGISTRY) == (chosen,)
    assert understood(choose(), text, ()).entities == (chosen,)


@pytest.mark.parametrize(
    "text",
    [
        *("the lamp", "desk lamp", "yes", "", "我不知道", "purple monkey"),
        # Pieces of a name, of any length, are no name: a breath must not switch the lamp of the bedroom.
        *("o", "en", "be", "he", "是", "我", "书", "室"),
        # What is not meant.
        *("not the bedroom one", "anything but the study", "不是卧室的", "除了书房", "it isn't the study"),
    ],
)
def test_what_tells_nothing_apart_chooses_nothing(text: str) -> None:
    assert recognise(text, DESKS, REGISTRY) == ()


@given(st.text(max_size=80))
def test_no_text_breaks_the_recognition(text: str) -> None:
    assert set(recognise(text, DESKS, REGISTRY)) <= set(DESKS)


@pytest.mark.parametrize("text", ["the study, no the bedroom", "卧室还是书房呢", "the bedroom the study"])
def test_an_answer_that_names_both_is_asked_again(text: str) -> None:
    assert recognise(text, DESKS, REGISTRY) == DESKS
    assert understood(choose(), text, ()).kind == "misheard"


def test_a_name_may_have_a_word_in_it_that_spares_elsewhere() -> None:
    drier = replace(REGISTRY["humidifier"], id="drier", names=("除湿机",))
    registry = Registry([REGISTRY["humidifier"], drier], ())
    assert recognise("除湿机", ("humidifier", "drier"), registry) == ("drier",)


def test_the_longer_name_wins() -> None:
    options = ("bedroom_lamp", "bedroom_desk_lamp")
    names = {item: REGISTRY[item].name("en").casefold() for item in options}
    assert recognise(names["bedroom_desk_lamp"], options, REGISTRY) == ("bedroom_desk_lamp",)


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
    again = Clause("act", "turn_on", (Target(areas=("study",)),))
    found = understood(choose(), "turn on the one in the study", (program(again),))
    assert (found.kind, found.entities) == ("chosen", DESKS[1:])


@pytest.mark.parametrize("question", [choose(), confirm("front_door_lock")])
def test_a_doubtful_reading_is_misheard(question: Question) -> None:
    reading = program(act("turn_off", "mumble"), confidence=0.3)
    found = understood(question, "mumble", (reading,))
    assert found.kind == "misheard"


def test_a_value_fills_the_slot() -> None:
    clause = Clause("act", "set", (Target("thermostat"),), parameter=Parameter("temperature"))
    question = Question("value", "missing_value", program(clause, missing="value"), (), 10.0)
    found = understood(question, "21", (move("value", value=21.0),))
    assert found.program is not None
    assert found.program.missing is None
    assert found.program.clauses[0].parameter == Parameter("temperature", value=21.0)


def test_a_name_completes_a_broken_off_sentence() -> None:
    question = Question(
        "target", "missing_target", program(Clause("act", "turn_on"), missing="target", text="turn on"), (), 10.0
    )

    def read(text: str) -> Sequence[Program]:
        return (program(act(mention="hall light")),) if text == "turn on hall light" else ()

    found = understood(question, "hall light", (), read)
    assert found.kind == "target"
    assert found.program is not None
    assert found.program.clauses[0].targets == (Target("hall light"),)
    assert found.program.source == "dialogue"


@pytest.mark.parametrize(
    ("options", "dimension", "lang", "said"),
    [
        (DESKS, "area", "en", ["the one in Bedroom", "the one in Study"]),
        (DESKS, "area", "zh", ["卧室的", "书房的"]),
        (("hall_light", "stairs_light"), "floor", "zh", ["一楼的", "二楼的"]),
        (("living_tv", "living_speaker"), "kind", "en", ["the TV", "the speaker"]),
    ],
)
def test_options_are_offered_by_what_tells_them_apart(
    options: tuple[str, ...], dimension: str, lang: str, said: list[str]
) -> None:
    assert offer(options, dimension, REGISTRY, REPLIES, lang) == said


def test_options_that_share_the_room_are_offered_by_name() -> None:
    options = ("living_ceiling", "living_strip")
    assert offer(options, "area", REGISTRY, REPLIES, "en") == [REGISTRY[item].name("en") for item in options]


def test_a_question_expires() -> None:
    dialogue = Dialogue(pending=choose())
    assert dialogue.question(9.9) is not None
    assert dialogue.question(10.0) is None
    assert dialogue.pending is None


def test_what_was_spoken_of_before_is_remembered_once() -> None:
    dialogue = Dialogue()
    for entities in (("a",), ("b",), ("b",), ()):
        dialogue.mention(entities, 0.0)
    assert (dialogue.last, dialogue.before_last) == (("b",), ("a",))


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
