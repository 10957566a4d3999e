"""What each language tells of names."""

from pathlib import Path

import pytest

from daemon.core.errors import ConfigError
from daemon.core.ir import KINDS
from daemon.system.languages import Naming, naming, singular
from daemon.system.nodes import read_yaml


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("mine: [my]\nscript: runes\n", 2, "invalid enum value 'runes'"),
        ("found:\n  types:\n    lamp: '(lamp'\n", 1, "is no pattern"),
        ("found:\n  marks:\n    garden: gate\n", 3, "invalid enum value 'garden'"),
        ("of: [s]\nplural: {s: ''}\n", 2, "is not known"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, problem: str) -> None:
    file = tmp_path / "names.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_yaml(file).into(Naming)
    assert caught.value.line == line
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    ("several", "one"),
    [
        ("lamps", "lamp"),
        ("switches", "switch"),
        ("boxes", "box"),
        ("glasses", "glass"),
        ("glass", "glass"),
        ("lamp", "lamp"),
    ],
)
def test_several_things_are_called_as_one_is(several: str, one: str) -> None:
    assert singular(several) == one


def test_what_devices_tell_is_a_kind_that_there_is() -> None:
    assert {kind for told in naming().values() for kind in told.found.types} <= set(KINDS)
