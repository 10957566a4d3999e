"""Two things with a time each in one sentence: each is told once, at its own; a place alone is not the thing again."""

import random
from collections import Counter

import pytest

from daemon.core.turn import Utterance
from tests.conversations.house import Time, home_of, open_house

pytestmark = pytest.mark.virtual

DAY = 86_400
THINGS = {
    "en": {
        "hall light": "hall_light",
        "mirror light": "mirror_light",
        "counter light": "kitchen_counter",
        "bedroom fan": "bedroom_fan",
        "towel heater": "bathroom_heater",
        "speaker": "living_speaker",
        "stairs light": "stairs_light",
    },
    "zh": {
        "门厅灯": "hall_light",
        "镜前灯": "mirror_light",
        "台面灯": "kitchen_counter",
        "卧室风扇": "bedroom_fan",
        "毛巾架": "bathroom_heater",
        "音箱": "living_speaker",
        "楼梯灯": "stairs_light",
    },
}
FRAMES = {
    "en": (
        "turn on the {} at {} and the {} at {}",
        "at {1} turn on the {0} and at {3} the {2}",
        "turn the {} on at {} and the {} at {}",
    ),
    "zh": ("{1}打开{0}，{3}打开{2}", "{0}{1}打开，{2}{3}打开", "{1}开{0}，{3}开{2}"),
}
TIMES = {
    "en": ("nine pm", "ten thirty pm", "half past eleven pm", "seven fifteen pm"),
    "zh": ("晚上九点", "晚上十点半", "晚上十一点半", "晚上七点一刻"),
}
PLACES = {
    "en": ("garage", "kitchen", "study"),
    "zh": ("车库", "厨房", "书房"),
}
LED = {
    "en": (
        "lock the front door at eleven pm and the {} at midnight",
        "turn off the old friend at nine pm and the {} at ten pm",
    ),
    "zh": ("晚上十一点锁大门，半夜十二点锁{}", "晚上九点关掉老伙计，十点关掉{}"),
}
NAMED = ("front_door_lock", "old_friend")


async def sent(sentence: str) -> Counter[str]:
    """How often each device is told anything in the day after it."""
    async with open_house(home_of(None), Time()) as house:
        await house.opened.pipeline.handle(Utterance(sentence))
        told = await house.live(DAY)
        return Counter({device: count for (device, _), count in told.items()})


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_each_of_two_is_told_at_its_own_time(lang: str) -> None:
    dice = random.Random(41)
    for _ in range(8):
        one, other = dice.sample(sorted(THINGS[lang]), 2)
        frame, times = dice.choice(FRAMES[lang]), dice.sample(TIMES[lang], 2)
        sentence = frame.format(one, times[0], other, times[1])
        assert await sent(sentence) == {THINGS[lang][one]: 1, THINGS[lang][other]: 1}, sentence


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("frame", [0, 1])
async def test_a_place_alone_is_not_the_thing_before_it(lang: str, frame: int) -> None:
    for place in PLACES[lang]:
        sentence = LED[lang][frame].format(place)
        assert (await sent(sentence))[NAMED[frame]] <= 1, sentence


async def test_an_hour_with_its_minutes_is_no_value() -> None:
    async with open_house(home_of(None), Time()) as house:
        result = await house.opened.pipeline.handle(
            Utterance("turn off the hall light at ten pm and the counter light at ten thirty")
        )
        assert result.outcome == "schedule"
        assert "Counter light" in result.reply
        assert "K" not in result.reply
