"""The words of the format and Hearken's own."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.evaluate.atoms import in_words, rgb, state_in_words

COMMANDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"action": "turn_on", "attribute": "state", "value": "on", "targets": ["a"]},
        {"action": "turn_on", "targets": ["a"]},
    ),
    (
        {"action": "mute", "attribute": "muted", "value": True, "targets": ["a"]},
        {"action": "mute", "targets": ["a"]},
    ),
    (
        {"action": "set", "attribute": "speed", "value": 30.0, "targets": ["a"]},
        {"action": "set", "attribute": "fan_speed", "value": 30.0, "targets": ["a"]},
    ),
    (
        {"action": "set", "attribute": "color", "value": "#00ff00", "targets": ["a"]},
        {"action": "set", "attribute": "color", "value": "green", "targets": ["a"]},
    ),
    (
        {"action": "set", "attribute": "color", "value": "#123456", "targets": ["a"]},
        {"action": "set", "attribute": "color", "value": "#123456", "targets": ["a"]},
    ),
]


@pytest.mark.parametrize(("ours", "theirs"), COMMANDS)
def test_command(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert in_words(ours) == theirs


@pytest.mark.parametrize(
    ("color", "parts"),
    [
        ("Red", (255, 0, 0)),
        ("#FFA500", (255, 165, 0)),
        ([1, 2.4, 3], (1, 2, 3)),
        ("#12345", None),
        ("no colour", None),
        ([1, 2], None),
        (None, None),
    ],
)
def test_rgb(color: object, parts: tuple[int, int, int] | None) -> None:
    assert rgb(color) == parts


def test_state_in_the_scales_of_home_assistant() -> None:
    truth = {"state": "on", "brightness": 50, "color": "#ff0000", "volume": 40, "position": 7, "command": "play"}
    assert state_in_words(truth) == {
        "state": "on",
        "attributes": {
            "brightness": 128,
            "rgb_color": [255, 0, 0],
            "color_mode": "rgb",
            "volume_level": 0.4,
            "current_position": 7,
        },
    }


def test_a_lamp_that_is_off_shines_by_nothing() -> None:
    off = state_in_words({"state": "off", "brightness": 50, "color_temp": 2700})
    assert off["attributes"] == {"brightness": None, "color_temp_kelvin": None, "color_mode": None}
