"""What upstairs and downstairs are in homes whose floors are not called so."""

import pytest

from daemon.core.entities import Entity
from daemon.home.levels import Levels

WORDS = {
    "upstairs": "upstairs",
    "楼上": "upstairs",
    "downstairs": "downstairs",
    "楼下": "downstairs",
    "ground floor": "ground floor",
    "first floor": "first floor",
    "一楼": "first floor",
    "second floor": "second floor",
    "二楼": "second floor",
    "top floor": "upper floor",
    "basement": "basement",
    "地下室": "basement",
}


def levels(*floors: str | tuple[str, int]) -> Levels:
    given = [item if isinstance(item, tuple) else (item, None) for item in floors]
    return Levels([Entity(name, "floor", (name,), level=level) for name, level in given], WORDS)


@pytest.mark.parametrize(
    ("floors", "words", "here", "meant"),
    [
        (("Ground floor", "First floor", "Second floor"), "upstairs", None, {"First floor", "Second floor"}),
        (("Second floor", "First floor"), "upstairs", None, {"Second floor"}),
        (("二楼", "一楼"), "楼上", None, {"二楼"}),
        (("二楼", "一楼"), "楼下", None, {"一楼"}),
        (("Basement", "Ground floor", "First floor"), "upstairs", None, {"First floor"}),
        (("Basement", "Ground floor", "First floor"), "downstairs", None, {"Ground floor"}),
        # Where one stands counts.
        (("Basement", "Ground floor", "First floor"), "downstairs", "Ground floor", {"Basement"}),
        (("Ground floor", "First floor", "Second floor"), "upstairs", "First floor", {"Second floor"}),
        (("Ground floor", "First floor", "Second floor"), "upstairs", "Second floor", {"First floor", "Second floor"}),
        (("Ground floor", "First floor", "Second floor"), "upstairs", "Ground floor", {"First floor", "Second floor"}),
        # No name tells: the order of the home does.
        (("Living", "Sleeping"), "upstairs", None, {"Sleeping"}),
        (("地下室", "老人", "孩子"), "楼上", None, {"孩子"}),
        # ... unless it contradicts the names.
        (("Second floor", "Ground floor", "Den"), "upstairs", None, set()),
        # What the home says goes before all.
        ((("Sleeping", 1), ("Living", 0)), "upstairs", None, {"Sleeping"}),
        ((("First floor", 0), ("Ground floor", 1)), "upstairs", None, {"Ground floor"}),
        (("Ground floor", "First floor", "Second floor"), "top floor", None, {"Second floor"}),
        (("一楼", "二楼", "地下室"), "ground floor", None, {"一楼"}),
        (("Ground floor",), "upstairs", None, set()),
        ((), "upstairs", None, set()),
        (("Ground floor", "First floor"), "the moon", None, set()),
        (("Ground floor", "First floor"), "downstairs", "Ground floor", set()),
    ],
)
def test_above_and_below(floors: tuple[str, ...], words: str, here: str | None, meant: set[str]) -> None:
    found, sure = levels(*floors).meant(words, here)
    assert set(found) == meant
    assert sure == (1.0 if meant else sure)


def test_above_the_basement_is_a_guess_unless_one_stands_in_it() -> None:
    home = levels("First floor", "Basement")
    assert home.meant("upstairs", None) == (("First floor",), 0.8)
    assert home.meant("upstairs", "Basement") == (("First floor",), 1.0)


def test_words_for_floors_are_as_they_are_spoken() -> None:
    house = levels("Ground floor", "First floor")
    assert {"upstairs", "downstairs", "ground floor", "楼上"} <= set(house.words)
    assert "upstairs" in house.called("First floor")
    assert {*house.words, *house.called("Ground floor")} <= set(WORDS)
