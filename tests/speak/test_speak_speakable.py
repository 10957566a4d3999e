from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.speak.speaker import MAX_CHARACTERS, MAX_WORD, speakable


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The lamp is on.", "The lamp is on."),
        ("客厅的灯已打开，现在 21.5℃。", "客厅的灯已打开，现在 21.5°C。"),
        ("It is -3 °C, 40% humidity; half past 7!", "It is -3 °C, 40% humidity; half past 7!"),
        ("The **big** `lamp` is _on_", "The big lamp is on"),
        ("living_room_lamp", "living room lamp"),
        ("<speak><break time='9s'/>Lamp</speak>", "Lamp"),
        ("[[h@'loU]] lamp", "h@'loU lamp"),
        ("See [the page](https://example.org/x) or http://example.org", "See the page or"),
        ("Party 🎉 lamp 👩‍👩‍👧‍👦 ❤️ on", "Party lamp on"),
        ("Lamp\x00\x1b[31m\r\non\u202e", "Lamp 31m on"),
        ("on!!!!!! really......", "on! really."),
        ("x" * 500, "x" * MAX_WORD),
        ("", ""),
        ("***", ""),
        ("🎉", ""),
        (" … ", ""),
    ],
)
def test_text_is_made_speakable(text: str, said: str) -> None:
    assert speakable(text) == said


def test_a_long_reply_ends_with_a_sentence() -> None:
    said = speakable("The first sentence is this one. " * 40)
    assert said.endswith("one.")
    assert len(said) <= MAX_CHARACTERS


def test_a_long_chinese_reply_is_cut() -> None:
    assert len(speakable("灯" * 3_000)) == MAX_CHARACTERS


@given(st.text(max_size=1_000))
def test_anything_becomes_one_clean_short_line(text: str) -> None:
    said = speakable(text)
    assert len(said) <= MAX_CHARACTERS
    assert said == said.strip()
    assert not any(unicodedata.category(character) in {"Cc", "Cs", "Co"} for character in said)
    assert not set(said) & set("<>*_`[]{}|")
    assert speakable(said) == said
