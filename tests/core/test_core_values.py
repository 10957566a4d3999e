"""Structs and frozen dataclasses are changed and written alike; what is no IR is refused."""

import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path
from typing import Any

import pytest

from daemon.core import values
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


_AT_ONCE = """
import sys, threading
from daemon.core import ir
sys.setswitchinterval(1e-6)
begin = threading.Barrier(8)
clause = {"intent": "act", "targets": [{"mention": "lamp"}], "conditions": [{"target": {"mention": "door"}}]}

def validate():
    begin.wait()
    ir.validate({"clauses": [clause], "source": "model", "lang": "en"})

threads = [threading.Thread(target=validate) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize("_", range(3))
def test_threads_that_convert_at_once_for_the_first_time_do_not_crash(_: int) -> None:
    assert subprocess.run([sys.executable, "-c", _AT_ONCE], timeout=60, check=False).returncode == 0


def test_nothing_converts_but_by_what_may_be_called_from_any_thread() -> None:
    daemon = Path(values.__file__).parent.parent
    found = [path.name for path in daemon.rglob("*.py") if re.search(r"msgspec.*\bconvert\b", path.read_text("utf-8"))]
    assert found == ["values.py"]
