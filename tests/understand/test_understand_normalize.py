from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.understand.normalize import normalize

TRICKY = st.text(alphabet="aB1.:,;-+%°' ’我把燈、。！\n&_/\ue000ﷺ½Ⅷ０％", max_size=12)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("Turn on the Kitchen Light, please!", "turn on the kitchen light, please"),
        ("What's the temp?", "whats the temp"),
        ("把 客廳 的 燈 打 開", "把客厅的灯打开"),
        ("把TV打開。", "把tv打开"),
        ("１０％", "10%"),
        ("set it to 21.5°C", "set it to 21.5°c"),
        ("at 7:30 p.m.", "at 7:30 pm"),
        ("minus: -5", "minus, -5"),
        ("the off-road tv", "the off road tv"),
        ("1,500 kelvin", "1500 kelvin"),
        ("客廳、卧室", "客厅,卧室"),
        ("\ue000 hides no name", "hides no name"),
        ("  ", ""),
    ],
)
def test_plain_form(said: str, plain: str) -> None:
    assert normalize(said).text == plain


@pytest.mark.parametrize(
    ("said", "hint", "lang"),
    [
        ("turn on the lamp", "zh", "en"),
        ("打开灯", "en", "zh"),
        ("把TV打开", None, "zh"),
        ("turn on 老伙计", "en", "en"),
        ("20", "zh", "zh"),
        ("20", None, "en"),
    ],
)
def test_language(said: str, hint: str | None, lang: str) -> None:
    assert normalize(said, hint).lang == lang


@given(st.text() | TRICKY)
@example("一’我’-1")
@example("a.1.b")
def test_idempotent(text: str) -> None:
    once = normalize(text).text
    assert normalize(once).text == once
