"""What "a bit more" is counted from while a cover is still on its way."""

import pytest

from daemon.act.executor import Bound
from daemon.core.entities import Capability, Entity
from daemon.core.outcomes import Observation, Outcome, Write
from daemon.home.registry import Registry

SHUTTER = Entity(
    "shutter",
    "device",
    ("Shutter",),
    type="shutter",
    capabilities=(Capability("open_close", "state"), Capability("position", "position", minimum=0, maximum=100)),
)
PAIR = ("shutter", "position")


class Watch:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def told(bound: Bound, source: str = "reply") -> object:
    seen = Observation("shutter", "position", 83.0, source, 0.0)  # type: ignore[arg-type]
    return bound.instead({PAIR: seen})[PAIR].value


def moving(value: float | str, attribute: str = "position", reason: str = "moving") -> Outcome:
    return Outcome(Write("shutter", attribute, value, "set"), "done", reason, sent=True)


@pytest.mark.parametrize(
    ("outcome", "base"),
    [
        (moving(50.0), 50.0),
        (moving("closed", "state"), 0),
        (moving("open", "state"), 100),
        (moving(50.0, reason=""), 83.0),
        (moving("stopped", "state"), 83.0),
    ],
)
def test_counts_from_the_goal_while_it_moves(outcome: Outcome, base: float) -> None:
    bound = Bound(Registry([SHUTTER]), Watch())
    bound.note([outcome])
    assert told(bound) == base


def test_a_stop_or_a_minute_ends_the_way() -> None:
    watch = Watch()
    bound = Bound(Registry([SHUTTER]), watch)
    bound.note([moving(50.0)])
    assert told(bound) == 50.0
    watch.now += 61
    assert told(bound) == 83.0
    bound.note([moving(50.0), Outcome(Write("shutter", "command", "stop", "stop"), "done", sent=True)])
    assert told(bound) == 83.0


def test_what_is_not_fresh_stays_unknown() -> None:
    bound = Bound(Registry([SHUTTER]), Watch())
    bound.note([moving(50.0)])
    assert told(bound, "stale") == 83.0
