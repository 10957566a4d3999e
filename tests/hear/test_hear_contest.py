"""Who answers of several that hear the same words."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from daemon.hear.contest import TOGETHER_S, Rivals, clarity
from tests.satellites.rooms import sound

CLEAR, NOISY = sound((0.01, 0.5), (0.5, 1)), sound((0.1, 0.5), (0.9, 1))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("turned", [False, True])
async def test_the_clearest_answers_not_the_loudest(*, turned: bool) -> None:
    rivals = Rivals(60.0)
    contest = rivals.woken("clear")
    assert rivals.woken("noisy") is contest
    asked = [contest.won("clear", CLEAR), contest.won("noisy", NOISY)]
    found = await asyncio.gather(*(reversed(asked) if turned else asked))
    assert found == ([False, True] if turned else [True, False])


async def test_who_is_alone_waits_for_nobody() -> None:
    clock = Clock()
    rivals = Rivals(60.0, clock)
    first, clock.now = rivals.woken("first"), TOGETHER_S + 0.1
    second = rivals.woken("second")
    assert await first.won("first", NOISY)
    assert await second.won("second", CLEAR)


async def test_who_comes_too_late_has_lost() -> None:
    rivals = Rivals(0.0)
    first, second = rivals.woken("first"), rivals.woken("second")
    assert await first.won("first", NOISY)
    assert not await second.won("second", CLEAR)


async def test_who_has_gone_is_not_waited_for() -> None:
    rivals = Rivals(60.0)
    first, second = rivals.woken("first"), rivals.woken("second")
    asked = asyncio.create_task(first.won("first", NOISY))
    await asyncio.sleep(0)
    second.without("second")
    assert await asked


async def test_who_is_woken_again_is_no_rival_of_its_own() -> None:
    rivals = Rivals(60.0)
    assert await rivals.woken("one").won("one", CLEAR)
    assert await rivals.woken("one").won("one", NOISY)


def test_how_loud_a_microphone_is_set_makes_no_difference() -> None:
    assert clarity(CLEAR) == pytest.approx(clarity((CLEAR / 4).astype(np.float32)), abs=0.1)
    assert clarity(CLEAR) > clarity(NOISY) > clarity(np.zeros(1_600, np.float32)) == 0.0
