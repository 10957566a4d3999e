"""What is to be asked back is asked back in every home, however low its `reading` lies."""

import pytest

from daemon.core.thresholds import Thresholds
from daemon.core.turn import Utterance
from daemon.core.values import replace
from tests.conversations.house import Time, home_of, open_house

HOMES = [Thresholds(), Thresholds(asked=0.45, reading=0.5), Thresholds(noise=0.1, asked=0.15, reading=0.2)]


@pytest.mark.parametrize("thresholds", HOMES, ids=lambda item: f"reading {item.reading}")
@pytest.mark.parametrize(
    ("said", "lower"),
    [
        ("urn onto hull like", ("turn on the hall light",)),  # only a lower hypothesis says something
        ("嗯哼哈", ("打开老伙计",)),
        ("turn of the hall light", ()),  # the verb itself is doubtful
        ("把老伙计打凯", ()),  # known by its sound alone
    ],
)
async def test_what_was_half_heard_is_asked_back(thresholds: Thresholds, said: str, lower: tuple[str, ...]) -> None:
    home = replace(home_of(None), thresholds=thresholds)
    async with open_house(home, Time()) as house:
        result = await house.opened.pipeline.handle(
            Utterance(said, heard=0.99, alternatives=tuple((text, 0.98) for text in lower))
        )
        assert not house.simulated.received
    assert result.outcome == "clarify"
