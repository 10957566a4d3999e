from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.hear.tongues import English, by_letters, number_words, pronunciation, spoken_number, spoken_words

KNOWN = {"night": "N AY T", "light": "L AY T", "lamp": "L AE M P", "tv": "T IY V IY"}
PHONES = {
    *("AA", "AE", "AH", "AO", "AW", "AY", "B", "CH", "D", "DH", "EH", "ER", "EY", "F", "G", "HH", "IH", "IY", "JH"),
    *("K", "L", "M", "N", "NG", "OW", "OY", "P", "R", "S", "SH", "T", "TH", "UH", "UW", "V", "W", "Y", "Z", "ZH"),
}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Desk lamp", ("desk", "lamp")),
        ("Café-Lamp 2", ("cafe", "lamp", "two")),
        ("Landing spot 12", ("landing", "spot", "twelve")),
        ("HDMI 4K & more", ("hdmi", "four", "k", "and", "more")),
        ("Children’s room", ("children's", "room")),
        ("客厅灯", None),
        ("TV 灯", None),
        ("...", None),
        ("", None),
    ],
)
def test_names_become_words(text: str, words: tuple[str, ...] | None) -> None:
    assert spoken_words(text) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (15, "fifteen"),
        (40, "forty"),
        (99, "ninety nine"),
        (100, "one hundred"),
        (215, "two hundred fifteen"),
        (2700, "two seven zero zero"),
    ],
)
def test_numbers_become_words(number: int, words: str) -> None:
    assert " ".join(number_words(number)) == words


@pytest.mark.parametrize(
    ("word", "sounds"),
    [
        ("lamp", "L AE M P"),
        ("nightlight", "N AY T L AY T"),
        ("lamp's", "L AE M P Z"),
        ("x", "EH K S"),
        ("tv", "T IY V IY"),
        ("dvr", "D IY V IY AA R"),
    ],
)
def test_pronunciations(word: str, sounds: str) -> None:
    assert pronunciation(word, KNOWN.get) == sounds


@given(st.from_regex(re.compile(r"[a-z]{1,20}"), fullmatch=True))
def test_any_word_can_be_pronounced(word: str) -> None:
    sounds = by_letters(word).split()
    assert sounds
    assert set(sounds) <= PHONES
    assert set(pronunciation(word, KNOWN.get).split()) <= PHONES


def test_the_rules_come_near_the_dictionary() -> None:
    """Spelled out by rule, common words of a home have most of the phones that the dictionary gives them."""
    words = [
        "lamp",
        "kitchen",
        "window",
        "garage",
        "curtain",
        "heater",
        "bedroom",
        "sofa",
        "cooker",
        "printer",
        "mirror",
    ]
    dictionary = English()._dictionary(words)
    right = total = 0
    for word in words:
        expected, found = dictionary[word][0].split(), by_letters(word).split()
        total += len(expected)
        right += sum(phone in found for phone in expected)
    assert right / total > 0.7


@pytest.mark.parametrize(
    ("digits", "text"),
    [
        ("0", "零"),
        ("7", "七"),
        ("10", "十"),
        ("12", "十二"),
        ("20", "二十"),
        ("35", "三十五"),
        ("108", "一零八"),
        ("05", "零五"),
    ],
)
def test_chinese_numbers(digits: str, text: str) -> None:
    assert spoken_number(digits) == text
