"""What is learnt has an end, and what is beyond is refused in so many words."""

import pytest

from daemon.core.turn import Utterance
from tests.conversations.house import Time, home_of, open_house

pytestmark = pytest.mark.virtual


@pytest.mark.parametrize(
    ("first", "second", "again", "refused"),
    [
        ("call the kettle Bob", "call the hall light Alice", "call the hall light Bob", "forget something first"),
        ("把烧水壶叫做阿宝", "把门厅灯叫做阿丽", "把门厅灯叫做阿宝", "先让我忘掉一些"),
    ],
    ids=["en", "zh"],
)
async def test_when_it_is_full_only_what_is_known_can_be_learnt_anew(
    first: str, second: str, again: str, refused: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.memory.memory.MOST", 1)
    async with open_house(home_of(None), Time()) as house:
        replies = [(await house.opened.pipeline.handle(Utterance(text))).reply for text in (first, second, again)]
    assert refused not in replies[0]
    assert refused in replies[1]
    assert refused not in replies[2]
