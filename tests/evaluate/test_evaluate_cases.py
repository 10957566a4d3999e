"""Reading cases: what is taken, and what each kind of broken line says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.errors import ConfigError
from daemon.evaluate.cases import read_cases

WHOLE: dict[str, Any] = {
    "id": "one",
    "lang": "zh-TW",
    "text": "開燈",
    "home": "flat",
    "context": {"area": "Kitchen", "prior_turns": ["hello"], "user_answer": "yes", "speaker": "mia"},
    "setup": {"light.a": {"state": "off", "attributes": {"brightness": 10}}},
    "expect": {
        "outcome": "execute",
        "accept_outcomes": ["clarify"],
        "commands": [
            {"action": "set", "attribute": "brightness", "value": 3, "unit": "%", "targets": ["light.a"], "ref": {}},
            {"action": "open", "targets": ["light.a"], "valid": False},
        ],
        "alternatives": [{"commands": [{"action": "turn_on", "targets": ["light.a"]}]}],
        "final_state": {"light.a": {"state": "on"}},
        "ignore_changes": {"light.a": ["x"], "light.b": {"attributes": ["y"]}, "light.c": {"z": 1}},
    },
    "tags": ["t"],
    "made_by": "an extra key is somebody's note",
}


def write(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_whole_case(tmp_path: Path) -> None:
    (case,) = read_cases(write(tmp_path, json.dumps(WHOLE), ""))
    assert (case.id, case.lang, case.text, case.home) == ("one", "zh", "開燈", "flat")
    assert (case.area, case.speaker, case.prior_turns, case.user_answer) == ("Kitchen", "mia", ("hello",), "yes")
    assert case.setup["light.a"]["attributes"] == {"brightness": 10}
    assert case.tags == ("t",)
    expect = case.expect
    assert expect is not None
    assert expect.accepted == {"execute", "clarify"}
    assert [item.valid for item in expect.commands] == [True, False]
    assert expect.commands[0].value == 3
    assert len(expect.variants) == 2
    assert expect.ignore_changes == {"light.a": {"x"}, "light.b": {"y"}, "light.c": {"z"}}


def test_a_case_without_expectation_or_home(tmp_path: Path) -> None:
    (case,) = read_cases(write(tmp_path, json.dumps({"id": "a", "lang": "en", "text": "hi", "home": None})))
    assert case.expect is None
    assert case.home is None


def broken(**changes: Any) -> str:
    return json.dumps({key: value for key, value in {**WHOLE, **changes}.items() if value is not ...})


BROKEN: list[tuple[str, str]] = [
    ("{", "not JSON"),
    ("[]", "not an object"),
    (broken(id=...), "id: missing"),
    (broken(text=5), "text: is a number"),
    (broken(lang="fr"), "lang: unknown language 'fr'"),
    (broken(tags="t"), "tags: is a string"),
    (broken(tags=[1]), "tags[0]: is a number"),
    (broken(context={"prior_turns": "hello"}), "context.prior_turns: is a string"),
    (broken(setup={"light.a": "on"}), "setup.light.a: is a string"),
    (broken(expect={}), "expect.outcome: missing"),
    (broken(expect={"outcome": "dance"}), "unknown outcome 'dance'"),
    (broken(expect={"outcome": "execute", "commands": [{}]}), "expect.commands[0].action: missing"),
    (broken(expect={"outcome": "execute", "commands": ["on"]}), "expect.commands[0]: is a string"),
    (
        broken(expect={"outcome": "execute", "alternatives": [{"commands": [{"action": "a", "targets": "b"}]}]}),
        "expect.alternatives[0].commands[0].targets: is a string",
    ),
]


@pytest.mark.parametrize(("line", "problem"), BROKEN, ids=[problem for _, problem in BROKEN])
def test_a_broken_line_is_named(tmp_path: Path, line: str, problem: str) -> None:
    path = write(tmp_path, json.dumps(WHOLE), line)
    with pytest.raises(ConfigError) as caught:
        read_cases(path)
    assert f"{path}:2: " in str(caught.value)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_file_and_no_cases(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_cases(tmp_path / "nowhere.jsonl")
    with pytest.raises(ConfigError, match="holds no cases"):
        read_cases(write(tmp_path, "", "  "))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(sorted(WHOLE)), json_values)
def test_any_value_anywhere_is_read_or_named(tmp_path_factory: pytest.TempPathFactory, key: str, value: Any) -> None:
    path = write(tmp_path_factory.mktemp("cases"), json.dumps({**WHOLE, key: value}))
    try:
        (case,) = read_cases(path)
    except ConfigError as error:
        named = error.line
    else:
        named = 1 if case.lang in ("en", "zh") else None
    assert named == 1
