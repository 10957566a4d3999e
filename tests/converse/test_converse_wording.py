"""Outcomes and refusals in words, in both languages."""

from pathlib import Path

import pytest

from daemon.converse import questions, wording
from daemon.core.entities import Value
from daemon.core.ir import ACTIONS, Action, Clause, DialogueMove, Order, Program, Prohibition, Target
from daemon.core.outcomes import Observation, Outcome, Status, Write
from daemon.core.questions import Question
from daemon.core.resolution import Ruling
from daemon.core.values import replace
from daemon.home.loader import load_home
from daemon.home.registry import Registry
from tests.dialogue.mind import mind
from tests.rules import REPLIES

ROOT = Path(__file__).resolve().parents[2]
HOME = load_home(ROOT / "devices.yaml")
REGISTRY = Registry(HOME.entities, HOME.people)


def outcome(
    entity: str, value: Value, status: Status = "done", *, attribute: str = "state", reason: str = "", seen: Value = ""
) -> Outcome:
    evidence = Observation(entity, attribute, seen, "reply", 0.1) if seen != "" else None
    return Outcome(Write(entity, attribute, value, "set"), status, reason, evidence, sent=True)


@pytest.mark.parametrize(
    ("results", "en", "zh"),
    [
        ([outcome("old_friend", "on")], "Old friend is on.", "老伙计开了。"),
        (
            [outcome("kitchen_ceiling", "off"), outcome("kitchen_counter", "off")],
            "Kitchen ceiling light and Counter light are off.",
            "厨房顶灯和台面灯都关了。",
        ),
        ([outcome("old_friend", "on", reason="already")], "Old friend was on already.", "老伙计本来就开着。"),
        ([outcome("front_door_lock", "locked")], "Front door is locked.", "大门锁好了。"),
        ([outcome("garage_door", "open", reason="moving")], "Garage door is opening.", "车库门正在打开。"),
        (
            [outcome("kitchen_counter", 40, attribute="brightness")],
            "Counter light: brightness is 40 %.",
            "台面灯的亮度是百分之40了。",
        ),
        (
            [outcome("living_strip", "#0000ff", attribute="color")],
            "TV backlight: colour is blue.",
            "电视背景灯的颜色换成蓝色了。",
        ),
        ([outcome("living_tv", value=True, attribute="muted")], "TV is muted.", "电视静音了。"),
        (
            [outcome("stairs_light", "on", "unconfirmed", reason="no_answer")],
            "I sent it, but Stairs light did not answer, so I couldn't confirm it.",
            "命令发出去了，但楼梯灯没有回应，没法确认。",
        ),
        (
            [outcome("kitchen_counter", "on", "failed", reason="disagrees", seen="off")],
            "That did not work: Counter light still says off.",
            "没成功：台面灯还是关着。",
        ),
        ([outcome("garage_light", "on", "refused", reason="offline")], "Garage light is offline.", "车库灯离线了。"),
        (
            [outcome("living_speaker", "next", "unconfirmed", attribute="command", reason="sent")],
            "I sent it to Speaker.",
            "已经发给音箱了。",
        ),
    ],
)
def test_outcomes(results: list[Outcome], en: str, zh: str) -> None:
    assert wording.outcomes(results, REGISTRY, REPLIES, "en") == en
    assert wording.outcomes(results, REGISTRY, REPLIES, "zh") == zh


def test_of_many_those_that_did_not_do_it_are_named() -> None:
    spots = [outcome(f"landing_spots_{number}", "off") for number in range(1, 9)]
    results = [*spots, outcome("stairs_light", "off", "unconfirmed", reason="no_answer")]
    assert wording.outcomes(results, REGISTRY, REPLIES, "en") == (
        "8 of 9 lights are off. I sent it, but Stairs light did not answer, so I couldn't confirm it."
    )


@pytest.mark.parametrize("status", ["unconfirmed", "failed", "refused", "not_found"])
def test_what_was_not_seen_is_never_called_done(status: Status) -> None:
    for value in ("on", "off", "open", "locked"):
        for lang in ("en", "zh"):
            said = wording.outcomes([outcome("old_friend", value, status, reason="no_answer")], REGISTRY, REPLIES, lang)
            done = wording.outcomes([outcome("old_friend", value)], REGISTRY, REPLIES, lang)
            assert said
            assert done not in said


def ask(kind: str, reason: str, options: tuple[str, ...], action: Action, dimension: str | None = None) -> Question:
    program = Program((Order(action, (Target("x"),)),), "grammar", "en")
    return Question(kind, reason, program, options, 10.0, dimension=dimension)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "en", "zh"),
    [
        (
            ask("choose", "which", ("bedroom_desk_lamp", "study_desk_lamp"), "turn_on", "area"),
            "Which one: the one in Bedroom or the one in Study?",
            "哪一个：卧室的还是书房的？",
        ),
        (
            ask("confirm", "confirm_risk", ("front_door_lock",), "unlock"),
            "Shall I really unlock Front door?",
            "真的要给大门解锁吗？",
        ),
        (
            ask("confirm", "confirm_name", ("living_speaker",), "turn_on"),
            "Did you mean Speaker in Living room?",
            "你是说客厅的音箱吗？",
        ),
        (ask("target", "missing_target", (), "turn_on"), "Turn on what?", "打开什么？"),
        (ask("value", "missing_value", (), "set"), "To what?", "调到多少？"),
    ],
)
def test_questions(question: Question, en: str, zh: str) -> None:
    assert questions.question(question, REGISTRY, REPLIES, "en") == en
    assert questions.question(question, REGISTRY, REPLIES, "zh") == zh


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("reason", ["confirm_reading", "confirm_risk"])
@pytest.mark.parametrize("action", sorted(ACTIONS - {"query"}))
def test_whoever_is_asked_for_a_yes_is_told_what_it_does(action: Action, reason: str, lang: str) -> None:
    act = questions.deed(Order(action), action, "THIS", "", REPLIES, lang)
    bare = REPLIES.say("do.other", lang, names="THIS")
    assert act != bare
    assert "THIS" in act
    asked = questions.question(ask("confirm", reason, ("night_light",), action), REGISTRY, REPLIES, lang)
    told = act.replace("THIS", REGISTRY["night_light"].name(lang))
    # "Open" of a lamp is told as switching it on.
    assert told in asked or action in ("open", "close")


@pytest.mark.parametrize(
    ("clause", "en", "zh"),
    [
        (Order("activate"), "Shall I switch to Movie night?", "要切换到观影模式吗？"),
        (DialogueMove("undo"), "Shall I put Movie night back?", "要把观影模式恢复原样吗？"),
        (Prohibition("activate"), "Shall I never switch to Movie night?", "要以后不切换到观影模式吗？"),
    ],
)
def test_a_yes_to_a_name_alone_is_never_asked_for(clause: Clause, en: str, zh: str) -> None:
    asked = Question("confirm", "confirm_reading", Program((clause,), "grammar", "en"), ("movie_night",), 10.0)
    assert questions.question(asked, REGISTRY, REPLIES, "en") == en
    assert questions.question(asked, REGISTRY, REPLIES, "zh") == zh


@pytest.mark.parametrize(
    ("acts", "en", "zh"),
    [
        (
            [("turn_on", "kettle"), ("close", "garage_door")],
            "Shall I turn on Kettle and close Garage door?",
            "要打开烧水壶，再关上车库门吗？",
        ),
        (
            [("turn_on", "kettle"), ("turn_off", "bedroom_fan"), ("start", "vacuum")],
            "Shall I turn on Kettle, turn off Bedroom fan and start Dusty?",
            "要打开烧水壶，关掉卧室风扇，再启动小灰吗？",
        ),
        # What is said twice is asked once.
        (
            [("turn_on", "kettle"), ("turn_on", "kettle")],
            "Shall I turn on Kettle?",
            "要打开烧水壶吗？",
        ),
    ],
)
def test_what_is_asked_in_one_breath_is_one_sentence(acts: list[tuple[Action, str]], en: str, zh: str) -> None:
    first, *others = (ask("confirm", "confirm_reading", (entity,), action) for action, entity in acts)
    several = replace(first, also=tuple(others))
    assert questions.question(several, REGISTRY, REPLIES, "en") == en
    assert questions.question(several, REGISTRY, REPLIES, "zh") == zh


def test_what_is_asked_in_one_breath_has_its_own_values() -> None:
    program = mind().program("set the hall light to 20 percent and set the thermostat to 23 degrees")
    first, other = (
        Question("confirm", "confirm_reading", program, (entity,), 10.0, at=at)
        for at, entity in enumerate(("hall_light", "thermostat"))
    )
    said = questions.question(replace(first, also=(other,)), REGISTRY, REPLIES, "en")
    assert "20" in said.partition(" and ")[0]
    assert "23" in said.partition(" and ")[2]


def test_more_than_three_are_never_offered() -> None:
    options = tuple(f"landing_spots_{number}" for number in range(1, 9))
    said = questions.question(ask("choose", "which", options, "turn_on", "name"), REGISTRY, REPLIES, "en")
    assert said.count("Landing spot") == 3
    assert "8" in said


def test_an_unknown_name_is_repeated_and_the_nearest_offered() -> None:
    decision = Ruling("refuse", "not_found", nearest=("living_speaker",), mention="sparkler")
    assert wording.refusal(decision, REGISTRY, REPLIES, "en") == ("I don't know sparkler. Did you mean Speaker?")
