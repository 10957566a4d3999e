"""A short run of `benchmarks.templates`: random attacks, and ordinary templates that come out right among them."""

from __future__ import annotations

import random

import pytest

from benchmarks.templates import attack, campaign
from daemon.mqtt.dialects.templates import Templates


@pytest.mark.parametrize("seed", [1, 2])
async def test_ordinary_templates_come_out_right_among_attacks(seed: int) -> None:
    found = await campaign(attacks=10, seed=seed)
    assert found.wrong == 0
    assert found.tried_again == 0
    assert found.off > 0


def test_no_attack_is_rendered_on_the_loop() -> None:
    dice, templates = random.Random(1), Templates()
    # Without a process nothing comes of them.
    assert {templates.value(attack(dice), "a" * 60, None) for _ in range(500)} == {None}
