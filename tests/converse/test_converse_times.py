"""When something is to be: how it is told."""

from datetime import UTC

import pytest

from daemon.converse.times import TimeWords
from daemon.core.ir import When
from daemon.home.registry import Registry
from daemon.schedule.moments import Clock
from tests.rules import REPLIES

NOW = 1_790_000_000.0


@pytest.mark.parametrize(
    ("said", "left", "told"),
    [
        (1800.0, 1800.0, "in 30 minutes"),
        (1800.0, 1799.1, "in 30 minutes"),  # the device took a second to answer
        (90.0, 88.2, "in 1 minute and 30 seconds"),
        (300.0, 240.0, "in 4 minutes"),  # asked for later, it is what is left
    ],
)
def test_what_was_kept_just_now_is_told_as_it_was_said(said: float, left: float, told: str) -> None:
    words = TimeWords(REPLIES, Registry(()), Clock(wall=lambda: NOW, zone=UTC))
    assert words.when(When(delay_s=said), NOW + left, "en") == told
