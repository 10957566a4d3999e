"""What one of several commands leaves out of its time is as it was said before."""

import pytest

from daemon.core.ir import Clause, Order, Parameter, Target, When
from daemon.understand.sequence import in_order, no_hour

LAMP, FAN = Target("lamp", kind="lamp"), Target("fan", kind="fan")
EIGHT = When(time="20:00", day_offset=1)


def order(action: str, target: Target, when: When | None) -> Order:
    return Order(action, (target,), when=when)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("target", "said", "meant"),
    [
        (LAMP, When(time="10:00", twelve=True), When(time="22:00", day_offset=1)),
        (FAN, When(time="10:00", twelve=True), When(time="22:00", day_offset=1)),
        # Off after on is the next such hour; of another thing nobody knows which.
        (LAMP, When(time="07:00", twelve=True), When(time="07:00", day_offset=2)),
        (FAN, When(time="07:00", twelve=True), When(time="07:00", twelve=True, day_offset=1)),
        (LAMP, When(time="22:00", day_offset=0), When(time="22:00", day_offset=0)),
        (LAMP, When(delay_s=600.0), When(time="20:00", day_offset=1, offset_s=600.0)),
        (FAN, When(delay_s=600.0), When(delay_s=600.0)),
        (LAMP, When(repeating=True), When(repeating=True)),
        (LAMP, None, None),
    ],
)
def test_the_time_of_what_follows(target: Target, said: When | None, meant: When | None) -> None:
    _, second = in_order((order("turn_on", LAMP, EIGHT), order("turn_off", target, said)))
    assert second.when == meant
    assert (second.confidence < 1.0) == (target is FAN and said == When(delay_s=600.0))


def test_a_third_one_follows_the_first() -> None:
    hours = [order("turn_on", target, When(time=time, twelve=True)) for target, time in
             ((LAMP, "08:00"), (FAN, "09:00"), (LAMP, "10:00"))]  # fmt: skip
    assert [clause.when.follows for clause in in_order(hours) if clause.when] == [None, "08:00", "08:00"]


def test_a_day_of_the_week_goes_on_to_the_next() -> None:
    friday = When(time="22:00", days=("fri",))
    _, second = in_order((order("turn_on", LAMP, friday), order("turn_off", LAMP, When(time="06:00"))))
    assert second.when == When(time="06:00", days=("sat",))


def test_an_hour_is_no_value() -> None:
    at_nine: Clause = Order("set", (FAN,), parameter=Parameter("value", "set", 9.0))
    lamp = order("turn_on", LAMP, When(time="08:00", twelve=True))
    with pytest.raises(ValueError, match="an hour"):
        no_hour(at_nine, [lamp], said=True)
    no_hour(at_nine, [lamp], said=False)
    no_hour(at_nine, [order("turn_on", LAMP, None)], said=True)
