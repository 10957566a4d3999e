"""What is done for a while only, at what is at stake: how it is a day later, and what is sent in that day."""

import asyncio
from typing import Any

import pytest

from daemon.core.turn import Utterance
from tests.conversations.house import Time, home_of, open_house

pytestmark = pytest.mark.virtual

HOME = home_of("stakes")
OPEN = {"state": "unlocked"}
ARMED = {"state": "armed_home"}
Turn = str | int

LASTING: list[tuple[str, str, dict[str, Any], list[Turn], list[tuple[str, str]], str]] = [
    # Of two that cross, the older is to put back what was before both.
    (
        "en",
        "front_door",
        OPEN,
        ["lock the front door for 10 minutes", "yes", 300, "unlock the front door for an hour", "yes"],
        [],
        "how Front door was before",
    ),
    ("zh", "front_door", OPEN, ["把前门锁上十分钟", "好的", 300, "把前门的锁打开一个小时", "好的"], [], "原来就是这样"),
    (
        "en",
        "front_door",
        {"state": "locked"},
        ["unlock the front door for an hour", "yes", 300, "lock the front door for 10 minutes", "yes"],
        [("front_door", "unlocked"), ("front_door", "locked")],
        "unlock Front door again",
    ),
    # What is done for good is not undone by what was said before it.
    (
        "en",
        "front_door",
        OPEN,
        ["lock the front door for 10 minutes", "yes", 60, "lock the front door"],
        [],
        "So I won't unlock Front door",
    ),
    ("zh", "front_door", OPEN, ["把前门锁上十分钟", "好的", 60, "把前门锁上"], [], "就不再"),
    (
        "en",
        "desk_lamp",
        {"state": "off"},
        ["turn on the desk lamp for 10 minutes", 60, "turn off the desk lamp"],
        [],
        "is off.",
    ),
    ("zh", "desk_lamp", {"state": "off"}, ["打开台灯十分钟", 60, "打开台灯"], [], "就不再关掉台灯"),
    # An alarm is armed again, and as it was.
    ("en", "alarm", ARMED, ["disarm the alarm for an hour", "yes"], [("alarm", "armed_home")], "put House alarm back"),
    ("zh", "alarm", {"state": "armed_away"}, ["报警器撤防一个小时", "好的"], [("alarm", "armed_away")], "恢复原样"),
    (
        "en",
        "alarm",
        {"state": "disarmed"},
        ["arm the alarm in away mode for an hour", "yes"],
        [("alarm", "disarmed")],
        "put House alarm back",
    ),
]


@pytest.mark.parametrize(("lang", "device", "before", "turns", "sent", "reply"), LASTING)
async def test_what_is_sent_after_it(
    lang: str, device: str, before: dict[str, Any], turns: list[Turn], sent: list[tuple[str, str]], reply: str
) -> None:
    async with open_house(HOME, Time()) as house:
        await house.simulated.place(device, before)
        await house.simulated.settled()
        result = None
        for turn in turns:
            if isinstance(turn, int):
                await house.live(turn)
                continue
            result = await house.opened.pipeline.handle(Utterance(turn, lang=lang, satellite="console"))
            await house.simulated.settled()
        assert result is not None
        assert reply in result.reply
        house.simulated.received.clear()
        assert sorted((await house.live(86_400)).elements()) == sorted(sent)
        assert not house.opened.later.agenda.entries


@pytest.mark.parametrize("jump", [-86_400, 86_400, -1800, 1800])
@pytest.mark.parametrize(("said", "minutes"), [("lock the front door for 20 minutes", 20), ("把前门锁上四十分钟", 40)])
async def test_a_clock_that_is_set_while_it_is_done_changes_nothing_of_how_long_it_lasts(
    said: str, minutes: int, jump: int
) -> None:
    async with open_house(HOME, Time()) as house:
        await house.simulated.place("front_door", OPEN)
        handle = house.opened.pipeline.handle
        assert (await handle(Utterance(said))).outcome == "clarify"
        doing = asyncio.create_task(handle(Utterance("yes" if said.isascii() else "好的")))
        await asyncio.sleep(0.02)
        assert not doing.done()
        house.time.wall += jump
        assert str(minutes) in (await doing).reply
        assert not await house.live(minutes * 60 - 90)
        assert await house.live(90) == {("front_door", "unlocked"): 1}
