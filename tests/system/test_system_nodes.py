"""What is wrong in a YAML file is told with its line and its key."""

from pathlib import Path
from typing import Annotated, Literal

import pytest
from msgspec import Meta, Struct

from daemon.core.errors import ConfigError
from daemon.system.nodes import read_yaml


class Leaf(Struct, frozen=True, forbid_unknown_fields=True):
    size: Annotated[int, Meta(gt=0)]
    sort: Literal["oak", "elm"] = "oak"

    def __post_init__(self) -> None:
        if self.sort == "elm" and self.size > 9:
            raise ValueError("no elm has such leaves")


class Tree(Struct, frozen=True, forbid_unknown_fields=True):
    leaves: tuple[Leaf, ...] = ()
    named: dict[str, Leaf] = {}
    words: dict[str, str | dict[str, str]] = {}


def written(folder: Path, text: str) -> Path:
    file = folder / "tree.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_what_fits_is_converted(tmp_path: Path) -> None:
    file = written(
        tmp_path, "leaves:\n  - {size: 3}\nnamed:\n  big: {size: 4, sort: elm}\nwords: {no: on, on: {off: '1'}}"
    )
    tree = Tree((Leaf(3),), {"big": Leaf(4, "elm")}, {"no": "on", "on": {"off": "1"}})
    assert read_yaml(file).into(Tree) == tree


@pytest.mark.parametrize(
    ("text", "line", "key", "problem"),
    [
        ("leaves:\n  - {size: 3}\n  - size: -1\n", 3, "leaves[1].size", "expected `int` >= 1"),
        ("named:\n  small: {size: 1}\n  big:\n    size: wide\n", 4, "named.big.size", "expected `int`, got `str`"),
        ("words:\n  a: b\n  c:\n    d: e\n    f: [g]\n", 5, "words.c.f", "expected `str`, got `array`"),
        ("named:\n  big:\n    size: 2\n    sise: 3\n", 4, "named.big.sise", "is not known"),
        ("named:\n  big:\n    sort: elm\n", 2, "named.big", "missing required field `size`"),
        ("leaves:\n  - size: 3\n  - {size: 12, sort: elm}\n", 3, "leaves[1]", "no elm has such leaves"),
        ("- a\n", 1, "", "expected `object`, got `array`"),
        ("leaves:\n  - {size: 1}\nleaves: []\n", 3, "leaves", "stands here twice"),
    ],
)
def test_what_does_not_is_told_with_its_line(tmp_path: Path, text: str, line: int, key: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_yaml(written(tmp_path, text)).into(Tree)
    assert (caught.value.line, caught.value.key) == (line, key)
    assert problem in caught.value.problem
