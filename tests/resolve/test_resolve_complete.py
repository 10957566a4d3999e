from __future__ import annotations

from pathlib import Path

import pytest

from daemon.home.loader import load_home
from daemon.home.registry import Registry
from daemon.resolve.comprehension import Comprehension
from tests.rules import GRAMMAR

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def comprehension() -> Comprehension:
    return Comprehension(GRAMMAR, Registry(load_home(ROOT / "devices.yaml").entities))


@pytest.mark.parametrize(
    ("text", "complete", "incomplete"),
    [
        ("turn on the hall light", True, False),
        ("what time is it", True, False),
        ("把客厅的灯打开", True, False),
        ("turn on the", False, True),
        ("turn on the hall light and", False, True),
        ("把客厅的", False, True),
        ("the hall light", False, False),
        ("gnarl frump", False, False),
        ("", False, False),
    ],
)
def test_a_sentence_is_complete_breaks_off_or_neither(
    comprehension: Comprehension,
    text: str,
    complete: bool,  # noqa: FBT001
    incomplete: bool,  # noqa: FBT001
) -> None:
    assert comprehension.complete(text) is complete
    assert comprehension.incomplete(text) is incomplete
