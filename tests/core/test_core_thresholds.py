"""The numbers by which it is decided whether to act, to ask or to stay silent."""

import ast
import dataclasses
from pathlib import Path
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from daemon.core.thresholds import Thresholds

SHARES = [item.name for item in dataclasses.fields(Thresholds) if isinstance(item.default, float)]


def test_ours_do_not_contradict_each_other() -> None:
    assert Thresholds().contradiction() is None


@given(st.dictionaries(st.sampled_from(SHARES), st.floats(0, 1)), st.floats(0, 1))
def test_what_must_be_asked_is_never_acted_on(given: dict[str, float], confidence: float) -> None:
    home = Thresholds(**cast("Any", given))
    if home.contradiction() is None:
        assert home.is_doubtful(home.asked)
        assert not home.is_noise(home.asked)
        assert not home.is_doubtful(home.acted)
        assert home.is_doubtful(home.doubted(confidence))


@given(st.floats(0, 1))
def test_what_is_doubted_anyway_stays_as_sure(confidence: float) -> None:
    home = Thresholds()
    assert home.doubted(confidence) == (confidence if home.is_doubtful(confidence) else home.asked)


RANKING = {
    "resolve/comprehension.py": "whether a text says anything by itself",
    "resolve/request.py": "whether what a thing can do is a filter or only a hint",
    "resolve/places.py": "whether nothing else may be called like the place that was said",
    "resolve/readings.py": "which of several readings is taken",
    "hear/ears.py": "how long the rest of a sentence is awaited",
    "commands/demo.py": "what the demonstration shows",
    "understand/corrections.py": "whether a value is said instead of the one before it",
    "compiler/followups.py": "whether free words are as sure as a yes must be, or are left alone",
}
"""Modules that compare a confidence with a number of their own, which decides nothing about acting or asking."""


def test_no_other_number_decides_by_a_confidence() -> None:
    daemon = Path(__file__).resolve().parents[2] / "daemon"
    found = {
        str(path.relative_to(daemon))
        for path in daemon.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare) and _is_confidence(node.left) and any(map(_is_number, node.comparators))
    }
    assert found == set(RANKING)


def _is_confidence(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("confidence", "chance", "heard")


def _is_number(node: ast.expr) -> bool:
    """A share, or a constant of the module."""
    return (isinstance(node, ast.Constant) and isinstance(node.value, float)) or (
        isinstance(node, ast.Name) and node.id.lstrip("_").isupper()
    )
