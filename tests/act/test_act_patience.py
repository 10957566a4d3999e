"""How long an act waits for what."""

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from daemon.act.patience import Patience


@given(st.floats(0.05, 60))
def test_a_deadline_holds_for_everything_and_leaves_time_for_two_answers(deadline_s: float) -> None:
    whole, short = Patience(), Patience().within(deadline_s)
    assert short.deadline_s + short.last_s <= deadline_s * 1.000001
    assert max(short.slow_s, short.mute_s) <= deadline_s
    for settle_s in (short.settle_s, short.slow_settle_s):
        assert short.grace_s + settle_s < short.deadline_s
    shortened = {"deadline_s", "slow_s"}  # these are the deadline's; all else is only ever shortened
    assert all(
        getattr(short, item.name) <= getattr(whole, item.name) for item in fields(whole) if item.name not in shortened
    )


def test_without_a_deadline_it_is_as_it_was() -> None:
    assert Patience().within(None) == Patience()
