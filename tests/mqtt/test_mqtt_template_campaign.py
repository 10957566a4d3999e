"""A short run of `benchmarks.templates`: random attacks, and ordinary templates that come out right among them."""

from __future__ import annotations

import random

import pytest

from benchmarks.templates import attack, campaign, tangle
from daemon.mqtt.dialects.template_sandbox import MAX_SOURCE
from daemon.mqtt.dialects.templates import Templates


@pytest.mark.parametrize("seed", [1, 2])
async def test_ordinary_templates_come_out_right_among_attacks(seed: int) -> None:
    found = await campaign(attacks=10, seed=seed)
    assert found.wrong == 0
    assert found.tried_again == 0
    assert found.raised == 0
    assert found.off > 0


def test_no_template_breaks_who_reads_it() -> None:
    dice, templates = random.Random(3), Templates()
    for _ in range(200):
        source = tangle(dice, dice.randrange(20, MAX_SOURCE + 1))
        assert len(source) <= MAX_SOURCE
        assert templates.problem(source) is None or "template" in str(templates.problem(source))


def test_no_attack_is_rendered_on_the_loop() -> None:
    dice, templates = random.Random(1), Templates()
    # Without a process nothing comes of them.
    assert {templates.value(attack(dice), "a" * 60, None) for _ in range(500)} == {None}
