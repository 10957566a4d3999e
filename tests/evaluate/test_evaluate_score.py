"""The score: handmade results and the verdicts they deserve."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.evaluate.atoms import Turn
from daemon.evaluate.cases import Case, Expectation, ExpectedCommand, read_cases
from daemon.evaluate.score import Verdict, score
from tests.tables import read_table

GROUPS = {"light.upstairs": ("light.bed", "light.bath")}


def expand(entity: str) -> tuple[str, ...]:
    return GROUPS.get(entity, (entity,))


def command(action: str, *targets: str, **fields: Any) -> ExpectedCommand:
    return ExpectedCommand(action=action, targets=targets, **fields)


def case(outcome: str, *commands: ExpectedCommand, answer: str | None = None) -> Case:
    return Case(
        id="c1",
        lang="en",
        text="",
        home="h",
        user_answer=answer,
        expect=Expectation(outcome, frozenset({outcome}), commands),
    )


def sent(action: str, *targets: str, **fields: Any) -> dict[str, Any]:
    return {"action": action, "targets": list(targets), **fields}


def turn(outcome: str, *commands: dict[str, Any], **fields: Any) -> Turn:
    return Turn.of({"outcome": outcome, "commands": list(commands), "ir": {"clauses": [{"intent": "act"}]}, **fields})


def judge(given_case: Case, result: Turn, after: Turn | None = None) -> Verdict:
    verdict = score(given_case, result, after, expand)
    assert verdict is not None
    return verdict


def flags(verdict: Verdict) -> str:
    names = ("exact", "wrong_act", "needless_question", "missed_question", "not_understood")
    return " ".join(name for name in names if getattr(verdict, name))


ON_LAMP = command("turn_on", "light.lamp")
TABLE = read_table(Path(__file__).parent / "score.yaml")


@pytest.mark.parametrize("row", TABLE, ids=[row["case"] for row in TABLE])
def test_table(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"id": "c", "lang": "en", "text": "", "home": "h", "expect": row["expect"]}))
    (given_case,) = read_cases(path)
    verdict = judge(given_case, Turn.of({"ir": {"clauses": [{"intent": "act"}]}, **row["result"]}))
    assert flags(verdict) == " ".join(row["flags"])
    assert verdict.fault == row["fault"]


ASK = case("clarify", ON_LAMP, answer="the lamp")

ANSWERS: list[tuple[str, Turn | None, str, str | None]] = [
    ("the answer did it", turn("execute", sent("turn_on", "light.lamp")), "exact", None),
    ("the answer did something else", turn("execute", sent("turn_on", "light.hall")), "wrong_act", "wrong_entity"),
    ("the answer was not understood", turn("ignore"), "", "wrong_after_answer"),
    ("asked again", turn("clarify"), "", "wrong_after_answer"),
    ("the answer raised", turn("execute", sent("turn_on", "light.lamp"), error="boom"), "", "error"),
]


@pytest.mark.parametrize(("after", "expected", "fault"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
def test_after_answer(after: Turn | None, expected: str, fault: str | None) -> None:
    verdict = judge(ASK, turn("clarify"), after)
    assert flags(verdict) == expected
    assert verdict.fault == fault


def test_without_expectation_there_is_no_verdict() -> None:
    plain = Case(id="c", lang="en", text="hello", home="h", expect=None)
    assert score(plain, turn("ignore"), None, expand) is None


PARSES: list[tuple[list[str], list[dict[str, Any]], bool]] = [
    (["on", "off"], [{"intent": "act", "action": "open"}, {"intent": "act", "action": "turn_off"}], True),
    (["off", "on"], [{"intent": "act", "action": "open"}, {"intent": "act", "action": "turn_off"}], True),
    (["on", "off"], [{"intent": "act", "action": "open"}], False),
    (["set"], [{"intent": "act", "action": "set", "parameter": {"attribute": "temperature"}}], True),
    (["set"], [{"intent": "act", "action": "turn_on", "parameter": {"attribute": "temperature"}}], True),
    (["on"], [{"intent": "act", "action": "turn_off"}], False),
    (["on", "on"], [{"intent": "act", "action": "open", "targets": [{"mention": "a"}, {"mention": "b"}]}], True),
    (["query"], [{"intent": "query", "query": "value", "parameter": {"attribute": "temperature"}}], True),
    (["query"], [{"intent": "act", "action": "set", "parameter": {"attribute": "temperature"}}], False),
]


@pytest.mark.parametrize(("labels", "clauses", "right"), PARSES)
def test_without_a_home_the_shape_decides(labels: list[str], clauses: list[dict[str, Any]], *, right: bool) -> None:
    shape = Case(
        id="c",
        lang="zh",
        text="",
        home=None,
        expect=Expectation("execute", frozenset({"execute"}), tuple(command(label) for label in labels)),
    )
    verdict = judge(shape, turn("reject", ir={"clauses": clauses}))
    assert verdict.exact is right
    assert not judge(shape, turn("reject", ir=None)).exact
    assert judge(shape, turn("reject", ir=None)).not_understood


ids = st.sampled_from(["light.a", "light.b", "light.bed", "light.bath", "light.upstairs"])
actions = st.sampled_from(["turn_on", "turn_off", "set", "increase", "toggle"])
expected_commands = st.lists(
    st.builds(
        lambda action, targets, value: (
            ExpectedCommand(action, tuple(targets), "brightness", value)
            if action in ("set", "increase")
            else ExpectedCommand(action, tuple(targets))
        ),
        actions,
        st.lists(ids, min_size=1, max_size=3),
        st.integers(0, 100),
    ),
    min_size=1,
    max_size=3,
)


def obedient(commands: list[ExpectedCommand]) -> list[dict[str, Any]]:
    """What a perfect assistant sends."""
    return [
        sent(item.action, *item.targets, attribute=item.attribute, value=item.value, delta=item.value)
        for item in commands
    ]


@given(expected_commands, st.randoms())
def test_a_perfect_result_is_exact_in_any_order_and_grouping(commands: list[ExpectedCommand], random: Any) -> None:
    done = [
        {**item, "targets": [device]} for item in obedient(commands) for t in item["targets"] for device in expand(t)
    ]
    random.shuffle(done)
    verdict = judge(case("execute", *commands), turn("execute", *done))
    assert flags(verdict) == "exact"


@given(expected_commands, expected_commands)
def test_an_exact_result_never_holds_a_wrong_act(commands: list[ExpectedCommand], done: list[ExpectedCommand]) -> None:
    verdict = judge(case("execute", *commands), turn("execute", *obedient(done)))
    assert not (verdict.exact and verdict.wrong_act)
    assert verdict.exact == (verdict.fault is None)


@given(expected_commands)
def test_a_stranger_among_the_sent_is_always_a_wrong_act(commands: list[ExpectedCommand]) -> None:
    verdict = judge(case("execute", *commands), turn("execute", *obedient(commands), sent("unlock", "lock.front")))
    assert verdict.wrong_act
    assert not verdict.exact


@given(
    st.sampled_from(["ignore", "reject", "assistant", "query", "clarify", "execute", "mixed", "schedule"]),
    expected_commands,
)
def test_doing_nothing_is_never_a_wrong_act(outcome: str, commands: list[ExpectedCommand]) -> None:
    for silent in ("ignore", "reject", "clarify", "assistant", "query", "execute"):
        assert not judge(case(outcome, *commands), turn(silent)).wrong_act
