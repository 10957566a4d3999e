"""Words for colours and levels."""

import pytest

from daemon.act import palette


@pytest.mark.parametrize("word", palette.COLORS)
def test_a_colour_is_called_what_it_was_called(word: str) -> None:
    code = palette.color(word)
    assert code is not None
    assert palette.called(code) == word


@pytest.mark.parametrize(
    ("code", "word"),
    [("#fe0301", "red"), ("#ffb060", "salmon"), ("#0000fe", "blue"), ("#FF0000", "red"), ("#nonsense", None)],
)
def test_a_colour_read_back_has_the_nearest_name(code: str, word: str | None) -> None:
    assert palette.called(code) == word


def test_levels_leave_out_what_is_no_level() -> None:
    assert palette.ranked(("auto", "low", "high", "off")) == ("low", "high")
