"""Cases: what is said in which home, and what should come of it. The format is docs/evaluation.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from daemon.core.errors import ConfigError
from daemon.core.ir import Lang
from daemon.core.result import ResultOutcome
from daemon.system.languages import LANGS

OUTCOMES: frozenset[str] = frozenset(get_args(ResultOutcome))

_REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class ExpectedCommand:
    """One command that should be sent; `attribute`, `value` and `unit` are None where they do not matter."""

    action: str
    targets: tuple[str, ...]
    attribute: str | None = None
    value: Any = None
    unit: str | None = None
    valid: bool = True
    """False: the home can't do this one; it has to be refused while the rest is done."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What should come of a case. `commands` and each of `alternatives` are equally right."""

    outcome: str
    accepted: frozenset[str]
    """`outcome` and whatever else counts as right."""
    commands: tuple[ExpectedCommand, ...] = ()
    alternatives: tuple[tuple[ExpectedCommand, ...], ...] = ()
    final_state: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Device id -> {state, attributes}; empty where the commands decide."""
    ignore_changes: dict[str, frozenset[str]] = field(default_factory=dict)
    """Device id -> attributes whose value does not matter."""

    @property
    def variants(self) -> tuple[tuple[ExpectedCommand, ...], ...]:
        """Every list of commands that is right."""
        return (self.commands, *self.alternatives)


@dataclass(frozen=True, slots=True)
class Case:
    """One utterance with what was before it. `expect` is None where it is only to be played, not scored."""

    id: str
    lang: Lang
    text: str
    home: str | None
    """The name of a home file without its ending; None where only the IR is of interest."""
    expect: Expectation | None
    area: str | None = None
    """The name of the area where the microphone is."""
    speaker: str | None = None
    prior_turns: tuple[str, ...] = ()
    user_answer: str | None = None
    """What the user says if asked."""
    setup: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Device id -> {state, attributes}, applied before the utterance."""
    tags: tuple[str, ...] = ()


def read_cases(path: Path) -> tuple[Case, ...]:
    """The cases of a file with one JSON object per line; empty lines are skipped.

    Raises:
        ConfigError: no such file, not JSON, a missing key, a wrong type or an unknown outcome, with the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            path, None, "", f"cannot be read ({error})", "name a file of cases, one JSON object per line"
        ) from None
    cases = tuple(_case(_Row(path, number, line)) for number, line in enumerate(lines, 1) if line.strip())
    if not cases:
        raise ConfigError(path, None, "", "holds no cases", "write one JSON object per line")
    return cases


class _Row:
    """One line of the file, with errors that say where it is."""

    def __init__(self, path: Path, number: int, line: str) -> None:
        self.path = path
        self.number = number
        try:
            self.data: Any = json.loads(line)
        except json.JSONDecodeError as error:
            raise self.error("", f"not JSON ({error.msg})", "write one JSON object per line") from None
        if not isinstance(self.data, dict):
            raise self.error("", "not an object", 'write {"id": ..., "text": ...}')

    def error(self, key: str, problem: str, remedy: str) -> ConfigError:
        return ConfigError(self.path, self.number, key, problem, remedy)

    def get(self, parent: dict[str, Any], key: str, kind: type, default: Any, where: str = "") -> Any:
        name = f"{where}.{key}" if where else key
        value = parent.get(key)
        if value is None:
            if default is _REQUIRED:
                raise self.error(name, "missing", f"give it {_article(kind)}")
            return default
        if not isinstance(value, kind):
            raise self.error(name, f"is {_article(type(value))}", f"give it {_article(kind)}")
        return value

    def texts(self, parent: dict[str, Any], key: str, where: str = "") -> tuple[str, ...]:
        name = f"{where}.{key}" if where else key
        values = self.get(parent, key, list, [], where)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                raise self.error(f"{name}[{index}]", f"is {_article(type(value))}", "give it a string")
        return tuple(values)


def _article(kind: type) -> str:
    names = {
        str: "a string",
        dict: "an object",
        list: "a list",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return names.get(kind, kind.__name__)


def _case(row: _Row) -> Case:
    context = row.get(row.data, "context", dict, {})
    expect = row.get(row.data, "expect", dict, None)
    return Case(
        id=row.get(row.data, "id", str, _REQUIRED),
        lang=_lang(row),
        text=row.get(row.data, "text", str, _REQUIRED),
        home=row.get(row.data, "home", str, None),
        expect=None if expect is None else _expectation(row, expect),
        area=row.get(context, "area", str, None, "context"),
        speaker=row.get(context, "speaker", str, None, "context"),
        prior_turns=row.texts(context, "prior_turns", "context"),
        user_answer=row.get(context, "user_answer", str, None, "context"),
        setup=_states(row, row.data, "setup", ""),
        tags=row.texts(row.data, "tags"),
    )


def _lang(row: _Row) -> Lang:
    lang: str = row.get(row.data, "lang", str, _REQUIRED)
    base = lang.split("-", maxsplit=1)[0].lower()
    if base in LANGS:
        return base
    raise row.error("lang", f"unknown language {lang!r}", f"write {', '.join(LANGS)}, or such as zh-TW")


def _expectation(row: _Row, data: dict[str, Any]) -> Expectation:
    outcome = row.get(data, "outcome", str, _REQUIRED, "expect")
    accepted = frozenset({outcome, *row.texts(data, "accept_outcomes", "expect")})
    for word in sorted(accepted - OUTCOMES):
        raise row.error("expect.outcome", f"unknown outcome {word!r}", f"write one of {', '.join(sorted(OUTCOMES))}")
    alternatives = row.get(data, "alternatives", list, [], "expect")
    return Expectation(
        outcome=outcome,
        accepted=accepted,
        commands=tuple(_commands(row, data, "expect")),
        alternatives=tuple(
            tuple(_commands(row, _object(row, item, f"expect.alternatives[{index}]"), f"expect.alternatives[{index}]"))
            for index, item in enumerate(alternatives)
        ),
        final_state=_states(row, data, "final_state", "expect"),
        ignore_changes={
            device: _attributes(changes)
            for device, changes in row.get(data, "ignore_changes", dict, {}, "expect").items()
        },
    )


def _commands(row: _Row, parent: dict[str, Any], where: str) -> Iterator[ExpectedCommand]:
    for index, item in enumerate(row.get(parent, "commands", list, [], where)):
        name = f"{where}.commands[{index}]"
        data = _object(row, item, name)
        yield ExpectedCommand(
            action=row.get(data, "action", str, _REQUIRED, name),
            targets=row.texts(data, "targets", name),
            attribute=row.get(data, "attribute", str, None, name),
            value=data.get("value"),
            unit=row.get(data, "unit", str, None, name),
            valid=row.get(data, "valid", bool, True, name),
        )


def _states(row: _Row, parent: dict[str, Any], key: str, where: str) -> dict[str, dict[str, Any]]:
    states = row.get(parent, key, dict, {}, where)
    name = f"{where}.{key}" if where else key
    for device, state in states.items():
        row.get(_object(row, state, f"{name}.{device}"), "attributes", dict, {}, f"{name}.{device}")
    return dict(states)


def _object(row: _Row, item: object, name: str) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise row.error(name, f"is {_article(type(item))}", "give it an object")
    return item


def _attributes(changes: object) -> frozenset[str]:
    """The names in a list of attributes, in an object of them, or in an object's `attributes`."""
    if isinstance(changes, list):
        return frozenset(str(item) for item in changes)
    if isinstance(changes, dict):
        inner = changes.get("attributes", [])
        return frozenset(str(key) for key in changes if key != "attributes") | _attributes(inner)
    return frozenset()
