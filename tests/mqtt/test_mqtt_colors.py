"""Colours between the ways in which lights say them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.mqtt.dialects.payloads import hex_to_hs, hex_to_xy, hs_to_hex, xy_to_hex

HEXES = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


def brightest(color: str) -> tuple[int, ...]:
    parts = [int(color[at : at + 2], 16) for at in (1, 3, 5)]
    top = max(parts)
    return tuple(round(part * 255 / top) for part in parts) if top else (255, 255, 255)


@given(HEXES.filter(lambda color: max(brightest(color)) > 0 and max(int(color[i : i + 2], 16) for i in (1, 3, 5)) > 60))
def test_a_colour_survives_hue_and_saturation(color: str) -> None:
    back = hs_to_hex(*hex_to_hs(color))
    assert all(abs(a - b) <= 2 for a, b in zip(brightest(color), brightest(back), strict=True))


@pytest.mark.parametrize(
    "color", ["#ff0000", "#00ff00", "#0000ff", "#ffff00", "#ff8000", "#ffffff", "#ff00ff", "#40e0d0"]
)
def test_a_colour_survives_xy(color: str) -> None:
    back = xy_to_hex(*hex_to_xy(color))
    assert back is not None
    assert all(abs(a - b) <= 6 for a, b in zip(brightest(color), brightest(back), strict=True))


def test_black_and_impossible_colours() -> None:
    assert hex_to_xy("#000000") == (0.3127, 0.329)
    assert xy_to_hex(0.9, 0.9) is None
    with pytest.raises(ValueError, match="red"):
        hex_to_xy("red")


@given(st.floats(0, 1), st.floats(0, 1))
def test_any_xy_is_a_colour_or_none(x: float, y: float) -> None:
    color = xy_to_hex(x, y)
    assert color is None or re.fullmatch(r"#[0-9a-f]{6}", color)
