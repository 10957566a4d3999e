from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.understand.grammar import Grammar

ONES = "零一二三四五六七八九"


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("twenty one and a half", 21.5),
        ("minus five", -5),
        ("negative twelve", -12),
        ("one hundred and twenty", 120),
        ("two thousand and five", 2005),
        ("3 hundred and six", 306),
        ("one fifty", 150),
        ("twenty seven hundred", 2700),
        ("two thousand seven hundred", 2700),
        ("ninety nine point five", 99.5),
        ("21.5", 21.5),
        ("-3", -3),
        ("nineteen", 19),
        ("一百二", 120),
        ("一百零五", 105),
        ("三千五", 3500),
        ("两千七百", 2700),
        ("一万两千", 12000),
        ("零下五", -5),
        ("一点五", 1.5),
        ("二十一半", 21.5),
        ("二七零零", 2700),
        ("俩", 2),
        ("2千", 2000),
        ("十五", 15),
        ("廿四", 24),
        ("四五零", 450),
    ],
)
def test_value(grammar: Grammar, said: str, value: float) -> None:
    assert grammar.numbers.match(said + "\n", 0) == len(said)
    assert grammar.numbers.value(said) == value


@pytest.mark.parametrize("said", ["three and five", "twenty and two", "7 and eight"])
def test_and_stands_behind_a_multiplier_only(grammar: Grammar, said: str) -> None:
    assert grammar.numbers.match(said + "\n", 0) == said.index(" and")


@pytest.mark.parametrize("text", ["a", "onely", "点五", "百", "灯", ""])
def test_no_number(grammar: Grammar, text: str) -> None:
    assert grammar.numbers.match(text + "\n", 0) == -1


@pytest.mark.parametrize(
    ("said", "least"),
    [("两三", 2), ("一两", 1), ("二十五六", 25), ("七八十", 70), ("十三四", 13), ("一百二三十", 120), ("三四百", 300)],
)
def test_about_so_many(grammar: Grammar, said: str, least: float) -> None:
    assert grammar.numbers.match_about(said + "度\n", 0) == len(said)
    assert grammar.numbers.least(said) == least
    assert grammar.numbers.match(said + "度\n", 0) == grammar.numbers.match_whole(said + "度\n", 0) == -1


@pytest.mark.parametrize("text", ["二", "三二", "二四", "二三四", "四五零", "二三点五", "twenty", "23", ""])
def test_not_about_so_many(grammar: Grammar, text: str) -> None:
    assert grammar.numbers.match_about(text + "\n", 0) == -1


def chinese(number: int) -> str:
    """0 to 9999, as it is read out."""
    if number < 10:
        return ONES[number]
    out, gap = "", False
    for factor, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, factor)
        if digit:
            out += ("零" if gap and out else "") + ONES[digit] + name
        gap = not digit
    return out.removeprefix("一") if out.startswith("一十") else out


@given(st.integers(0, 9999))
def test_chinese_numbers_read_out_come_back(grammar: Grammar, number: int) -> None:
    said = chinese(number)
    assert grammar.numbers.value(said) == number


@example("一二1")
@given(st.text(alphabet="一二十百千万零半点下负 one twenty point half and 1.", max_size=20))
def test_whatever_matches_has_a_value(grammar: Grammar, text: str) -> None:
    end = grammar.numbers.match(text + "\n", 0)
    if end > 0:
        assert isinstance(grammar.numbers.value(text[:end]), float)


def test_other_spellings_of_names(grammar: Grammar) -> None:
    assert "room 1" in grammar.numbers.spellings("room one")
    assert "二楼灯三" in grammar.numbers.spellings("二楼灯3")
