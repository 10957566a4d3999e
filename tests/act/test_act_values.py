"""What counts as the same value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.act.palette import COLORS
from daemon.act.values import convert, same, same_color
from daemon.core.entities import Capability, Value
from daemon.mqtt.dialects.payloads import xy_to_hex


@pytest.mark.parametrize(
    ("attribute", "wish", "seen", "expected"),
    [
        ("brightness", 50, 50.4, True),
        ("brightness", 50, 53, False),
        ("position", 50, 52, True),
        ("temperature", 21, 21.2, True),
        ("temperature", 21, 21.5, False),
        ("color_temp", 6500, 6493, True),
        ("color_temp", 6500, 6300, True),
        ("color_temp", 2700, 3000, False),
        ("color", "#ff0000", "#fe0500", True),
        ("color", "#ff0000", "#800000", True),  # as dark as you like: that is brightness
        ("color", "#ff0000", "#ff0080", False),
        ("color", "#ffffff", "#f5f5f5", True),
        ("color", "#ffffff", "#ff0000", False),
        ("state", "on", "ON", True),
        ("state", "on", "playing", False),
        ("state", "off", "playing", False),
        ("state", "returning", "docked", False),
        ("muted", True, True, True),
        ("muted", True, "on", True),
        ("muted", True, False, False),
        ("muted", True, 1.0, False),
        ("mode", "fan_only", "fan_only", True),
        ("value", 1000, 1000.5, True),
        ("value", 0, 0, True),
        ("brightness", 50, "on", False),
        ("brightness", 50, None, False),
    ],
)
def test_same(attribute: str, wish: Value, seen: Value | None, expected: bool) -> None:  # noqa: FBT001 - a column
    assert same(attribute, wish, seen) is expected


def test_a_device_with_coarse_steps_may_round_to_them() -> None:
    three_speeds = Capability("fan_speed", "speed", minimum=0, maximum=100, step=33, unit="%")
    assert same("speed", 50, 66, three_speeds)
    assert not same("speed", 50, 99, three_speeds)


@given(st.floats(-1e6, 1e6))
def test_units_there_and_back(value: float) -> None:
    fahrenheit = convert(value, "C", "F")
    assert fahrenheit is not None
    assert convert(fahrenheit, "F", "C") == pytest.approx(value, abs=1e-6)


def test_units_that_do_not_belong_together() -> None:
    assert convert(20, "C", "%") is None
    assert convert(20, None, "C") == 20
    assert convert(9, "F", "C", difference=True) == 5


@pytest.mark.parametrize(
    ("wish", "xy", "same_one"),
    [
        ("blue", (0.1532, 0.0475), True),  # Philips' gamut C
        ("blue", (0.138, 0.08), True),  # and A
        ("blue", (0.15, 0.06), True),  # sRGB
        ("red", (0.6915, 0.3083), True),
        ("green", (0.17, 0.7), True),
        ("blue", (0.24, 0.09), False),  # purple
        ("red", (0.56, 0.40), False),  # orange
        ("green", (0.41, 0.52), False),  # yellow
        ("white", (0.1532, 0.0475), False),
    ],
)
def test_what_a_lamp_makes_of_a_colour_that_it_does_not_have(
    wish: str,
    xy: tuple[float, float],
    same_one: bool,  # noqa: FBT001 - a column
) -> None:
    reported = xy_to_hex(*xy)
    assert reported is not None
    assert same_color(COLORS[wish], reported) is same_one


def test_no_two_colours_are_taken_for_each_other_for_that() -> None:
    apart = [("red", "orange"), ("red", "coral"), ("green", "lime"), ("green", "yellow"), ("blue", "violet")]
    assert [pair for pair in apart if same_color(COLORS[pair[0]], COLORS[pair[1]])] == []


@given(st.text(max_size=8), st.text(max_size=8))
def test_any_words_for_colours(one: str, other: str) -> None:
    assert same_color(one, other) in (True, False)
    assert same_color(one, one)
