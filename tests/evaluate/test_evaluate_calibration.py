"""The reliability curve of confidences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.evaluate.summary import Calibration


def test_what_is_as_sure_as_it_is_right_has_no_error() -> None:
    curve = Calibration.over("x", [(0.75, True), (0.75, True), (0.75, True), (0.75, False)])
    assert curve.error == 0.0
    assert curve.brier == pytest.approx(0.75 * 0.25)
    assert [(item.low, item.count, item.right) for item in curve.bins] == [(0.7, 4, 0.75)]


def test_a_confident_lie_costs_most() -> None:
    lie, doubt = (Calibration.over("x", [(sure, False)]) for sure in (1.0, 0.3))
    assert (lie.error, lie.brier) == (1.0, 1.0)
    assert [doubt.error, doubt.brier] == pytest.approx([0.3, 0.09])


def test_bins_stand_for_themselves() -> None:
    # Half of the readings are too sure by what the other half is not sure enough: that does not cancel out.
    curve = Calibration.over("x", [(0.9, False), (0.9, True), (0.1, True), (0.1, False)])
    assert curve.error == pytest.approx(0.4)
    assert "0.9 to 1.0" in str(curve)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans())))
def test_every_reading_is_in_one_bin(pairs: list[tuple[float, bool]]) -> None:
    curve = Calibration.over("x", pairs)
    assert sum(item.count for item in curve.bins) == curve.count == len(pairs)
    assert 0.0 <= curve.error <= 1.0
    assert 0.0 <= curve.brier <= 1.0
