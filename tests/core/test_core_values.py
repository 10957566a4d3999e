"""Structs and frozen dataclasses are changed and written alike; what is no IR is refused."""

from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import pytest

from daemon.core.errors import IRError
from daemon.core.ir import Program, Target, validate
from daemon.core.values import replace, to_dict


@dataclass(frozen=True, slots=True)
class Kept:
    number: int
    program: Program | None = None
    names: tuple[str, ...] = ()


PROGRAM = validate(
    {
        "clauses": [{"intent": "act", "action": "turn_on", "targets": [{"kind": "lamp", "areas": ["attic"]}]}],
        "source": "model",
        "lang": "en",
    }
)


def test_both_are_replaced() -> None:
    lamp = PROGRAM.clauses[0].targets[0]
    assert replace(lamp, kind="fan") == Target(kind="fan", areas=("attic",))
    assert replace(Kept(1, PROGRAM), number=2) == Kept(2, PROGRAM)


@pytest.mark.parametrize("value", [Target(), Kept(1)])
def test_what_has_no_such_field_is_not_replaced(value: Any) -> None:
    with pytest.raises(TypeError):
        replace(value, colour="red")


def test_a_value_is_frozen_and_can_be_a_key() -> None:
    with pytest.raises((AttributeError, FrozenInstanceError)):
        PROGRAM.text = "turn off"  # type: ignore[misc]
    assert len({PROGRAM, replace(PROGRAM), replace(PROGRAM, lang="zh")}) == 2


def test_what_is_written_leaves_out_what_is_as_always() -> None:
    told = to_dict(Kept(3, PROGRAM))
    assert told == {
        "number": 3,
        "program": {
            "clauses": [{"intent": "act", "action": "turn_on", "targets": [{"kind": "lamp", "areas": ["attic"]}]}],
            "source": "model",
            "lang": "en",
        },
    }
    assert validate(told["program"]) == PROGRAM


@pytest.mark.parametrize(
    "clause",
    [
        {"intent": "explode"},
        {"intent": "act", "targets": [{"kind": "lamp", "color": "red"}]},
        {"intent": "act", "targets": [{"areas": "kitchen"}]},
        {"intent": "act", "targets": [{"count": "two"}]},
        {"intent": "act", "parameter": {"attribute": "brightness", "value": True}},
        {"intent": "act", "parameter": {"op": "set"}},
    ],
)
def test_what_is_no_ir_is_refused_with_its_place(clause: dict[str, Any]) -> None:
    with pytest.raises(IRError, match=r"not an IR: .*\$\.clauses\[0\]"):
        validate({"clauses": [clause], "source": "model", "lang": "en"})
