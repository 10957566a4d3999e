"""What no home does, told by its words: in their order, the first where a sentence begins."""

import pytest

from daemon.understand.unable import Unable
from tests.conversations.house import ROOT
from tests.rules import REPLIES

UNABLE = Unable.load(ROOT / "rules")


@pytest.mark.parametrize(
    ("said", "sort"),
    [
        ("how warm was it in the attic yesterday", "history"),
        ("tea is ready, call the kids", "announce"),
        ("ring grandma", "call"),
        ("who was that at the gate", "caller"),
        ("昨晚开过几次", "history"),
        ("给爷爷打电话", "call"),
        ("he said that he will ring grandma", None),
        ("make the lamp warmer", None),
        ("bring it up to fifty", None),
        ("put the light on by the stairs", None),
        ("把它调到五十", None),
        ("", None),
    ],
)
def test_it_is_told_by_its_words(said: str, sort: str | None) -> None:
    assert UNABLE.of(said) == sort


def test_each_sort_is_answered_in_each_language() -> None:
    for sort in UNABLE.wishes:
        assert all(REPLIES.has(f"unable.{sort}", lang) for lang in ("en", "zh"))
