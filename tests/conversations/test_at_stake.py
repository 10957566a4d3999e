"""Nothing risky is done without a yes in so many words, whatever else is said to the question: the whole pipeline."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from daemon.core.result import Result
from daemon.core.turn import Utterance
from daemon.home.registry import Registry
from daemon.resolve.comprehension import Comprehension
from tests.conversations.house import ROOT, House, Time, home_of, open_house
from tests.rules import GRAMMAR
from tests.tables import read_table

pytestmark = pytest.mark.virtual

HOME = home_of("stakes")
CONSENT = Comprehension(GRAMMAR, Registry(HOME.entities, HOME.people)).consent
TABLE: dict[str, dict[str, list[str]]] = read_table(ROOT / "tests" / "understand" / "consent.yaml")
AT_FIRST: dict[str, dict[str, Any]] = {
    "front_door": {"state": "locked"},
    "back_door": {"state": "locked"},
    "garage": {"state": "closed", "position": 0},
    "old_garage": {"state": "closed"},
    "gas": {"state": "closed"},
    "alarm": {"state": "armed_away"},
    "fridge": {"state": "on"},
    "oven": {"state": "off"},
}
HARMLESS: dict[str, tuple[object, ...]] = {
    "front_door": ("locked",),
    "back_door": ("locked",),
    "garage": ("closed", "stop", 0),
    "old_garage": ("closed", "stop"),
    "gas": ("closed", "stop"),
    "alarm": ("armed_home", "armed_away"),
    "fridge": ("on",),
    "oven": ("off",),
}
# What leads to a question at whose end something risky stands, by language; the last sentence is the one that asks.
OPENINGS: dict[str, list[tuple[str, ...]]] = {
    "en": [
        ("open the garage door",),
        ("open the garage door a bit",),
        ("set the garage door to 50 percent",),
        ("unlock the front door",),
        ("unlock both doors",),
        ("open the gas valve",),
        ("disarm the alarm",),
        ("turn off the fridge",),
        ("turn on the oven",),
        ("start arrival",),
        ("open the door", "the second one"),
        ("open the garage door at 6 pm",),
        ("lock the front door for ten minutes",),
        ("every time the hall lamp goes on unlock the front door",),
        ("turn on the hall lamp and open the old gate",),
    ],
    "zh": [
        ("打开车库门",),
        ("把车库门开到一半",),
        ("把前门的锁打开",),
        ("打开燃气阀",),
        ("把报警器撤防",),
        ("关掉冰箱",),
        ("打开烤箱",),
        ("晚上六点给前门解锁",),
        ("把前门锁上十分钟",),
    ],
}
TALK = {
    "en": """right fine well so anyway maybe why would I what the other one another too also them all both it that this
        here again not no never if when yes yeah ok sure open unlock close turn on off first second always whichever
        everything everyone somebody said is who are you do go""",
    "zh": """了 吗 吧 呢 不 别 没 好 对 是 要 行 可以 另一个 那个 这个 它 都 全部 也 打开 关 解锁 第一个 第二个 随便
        总是 什么 谁 为什么 好像 对了 是不是 行不行 算了 等等 再 一次 你 我 他说""",
}
WORDS = {
    lang: sorted(
        {word for item in GRAMMAR.lexicon.classes.values() for word in item.values if word.isascii() is ascii_}
    )
    for lang, ascii_ in (("en", True), ("zh", False))
}
ANSWERS = 350


def risky(house: House) -> set[str]:
    """The devices that were told to do what needs a yes."""
    return {
        device
        for device, wishes in house.simulated.received
        if device in HARMLESS and any(value not in HARMLESS[device] for value in wishes.values())
    }


def promised(result: Result) -> set[str]:
    """What will be done later."""
    return {target for kept in result.scheduled for item in kept.commands for target in item.targets} & set(HARMLESS)


async def asked(house: House, opening: Sequence[str], satellite: str) -> Result:
    pipeline = house.opened.pipeline
    result = [await pipeline.handle(Utterance(sentence, satellite=satellite)) for sentence in opening][-1]
    assert result.outcome == "clarify", (opening, result.reply)
    assert not risky(house)
    return result


async def said(house: House, answer: str, satellite: str) -> tuple[set[str], Result]:
    """What was done, or promised, that needs a yes."""
    house.simulated.received.clear()
    result = await house.opened.pipeline.handle(Utterance(answer, satellite=satellite))
    return risky(house) | promised(result), result


async def as_at_first(house: House) -> None:
    for device, values in AT_FIRST.items():
        await house.simulated.place(device, values)
    house.simulated.received.clear()


def answers(lang: str, dice: random.Random) -> str:
    """Something that may be said: words of all sorts, side by side."""
    talk, names = TALK[lang].split(), [name for item in HOME.entities for name in item.names]
    sources = (talk, talk, WORDS[lang], names, [item for item in TABLE["not_granted"][lang] if item])
    pieces = [dice.choice(dice.choice(sources)) for _ in range(dice.randint(1, 4))]
    joint = dice.choice([" ", ", "]) if lang == "en" else dice.choice(["", "", "，"])
    return joint.join(pieces) + dice.choice(["", "", "", "?", "."])


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_whatever_is_answered_nothing_risky_is_done_without_a_yes(lang: str, seed: int) -> None:
    dice = random.Random(f"{seed}{lang}")
    async with open_house(HOME, Time()) as house:
        for number in range(ANSWERS):
            opening, satellite = dice.choice(OPENINGS[lang]), f"{number}"
            await asked(house, opening, satellite)
            for _ in range(dice.randint(1, 3)):
                answer = answers(lang, dice)
                done, _ = await said(house, answer, satellite)
                yes = CONSENT.given(answer) or CONSENT.behind(answer) is not None
                assert yes or not done, (opening, answer, done)
                if yes:
                    await as_at_first(house)
                    break
            house.time.wait(60.0)
            await said(house, "cancel everything" if lang == "en" else "全部取消", satellite)
            await said(house, "yes" if lang == "en" else "好的", satellite)
            house.simulated.received.clear()


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_what_is_no_yes_does_nothing_risky_to_any_question(lang: str) -> None:
    async with open_house(HOME, Time()) as house:
        for number, answer in enumerate(TABLE["not_granted"][lang]):
            for opening in (OPENINGS[lang][number % len(OPENINGS[lang])], OPENINGS[lang][0]):
                await asked(house, opening, f"{number} {opening}")
                done, _ = await said(house, answer, f"{number} {opening}")
                assert not done, (opening, answer)


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_what_is_a_yes_does_what_was_asked_about(lang: str) -> None:
    async with open_house(HOME, Time()) as house:
        for number, answer in enumerate(TABLE["granted"][lang]):
            await asked(house, OPENINGS[lang][0], f"{number}")
            done, result = await said(house, answer, f"{number}")
            assert done == {"garage"}, (answer, result.reply)
            await as_at_first(house)


@pytest.mark.parametrize(
    ("answer", "done"),
    [
        ("yes, open it", {"garage"}),
        ("yes please open it", {"garage"}),
        ("yes, open the garage door", {"garage"}),
        ("好的，打开它", {"garage"}),
        ("对，打开吧", {"garage"}),
        # Joined to a command of something else, or for later, a yes is one too.
        ("yes and turn on the hall lamp", {"garage"}),
        ("yes, and close it again in five minutes", {"garage"}),
        ("yes please, and then turn off the hall lamp", {"garage"}),
        ("对，然后打开走廊灯", {"garage"}),
        *((answer, set()) for answer in ("yes and open the old gate", "yes and close it", "yes and open it halfway")),
        *((answer, set()) for answer in ("go ahead and turn on the hall lamp", "ok and turn on the hall lamp")),
        *((answer, set()) for answer in ("yes, go ahead and turn on the hall lamp", "yes and don't", "yes and never")),
        *((answer, set()) for answer in ("yeah right and turn on the hall lamp", "yes and turn on the hall lamp?")),
        *((answer, set()) for answer in ("好的，再打开走廊灯", "对，然后关上它", "是不是，然后打开走廊灯")),
        *((answer, set()) for answer in ("yes, open both", "yes, open all", "yes, open them", "yes, open the other")),
        *((answer, set()) for answer in ("yes, open the old gate", "yes, close it", "yes, open it if it's dark")),
        *((answer, set()) for answer in ("yeah right, open it", "yes, open it?", "yes, open something", "open it")),
        *((answer, set()) for answer in ("对，都打开", "对，打开另一个", "对，打开好不好", "对了，打开它")),
    ],
)  # fmt: skip
async def test_a_yes_with_the_very_act_is_one_and_with_another_act_it_is_none(answer: str, done: set[str]) -> None:
    async with open_house(HOME, Time()) as house:
        await asked(house, ("open the garage door",), "console")
        assert (await said(house, answer, "console"))[0] == done


@pytest.mark.parametrize(
    "sentences",
    [
        # What puts back where it was opens, too.
        ("set the garage door to 0 percent", "undo that"),
        ("close the garage door", "undo that"),
        ("set the garage door to 0 percent for ten minutes",),
        ("把车库门调到百分之零", "撤销"),
    ],
)
async def test_what_opens_by_putting_back_is_asked_about(sentences: Sequence[str]) -> None:
    async with open_house(HOME, Time()) as house:
        await house.simulated.place("garage", {"state": "open", "position": 100})
        told = [await said(house, sentence, "console") for sentence in sentences]
        assert not any(done for done, _ in told)
        result = told[-1][1]
        assert result.outcome == "clarify", result.reply
        assert (await said(house, "right", "console"))[0] == set()


@pytest.mark.parametrize("sentence", ["call the front door Fort", "把燃气阀叫做阿旺"])
async def test_a_name_for_what_asks_is_not_learnt_without_a_yes(sentence: str) -> None:
    async with open_house(HOME, Time()) as house:
        await asked(house, (sentence,), "console")
        for answer in ("yeah right", "对了"):
            _, result = await said(house, answer, "console")
            assert result.outcome in ("clarify", "ignore"), result.reply


async def test_what_is_always_to_be_taken_for_a_lock_is_asked_about() -> None:
    async with open_house(HOME, Time()) as house:
        for sentence in ("open the door", "the second one", "yes"):
            await said(house, sentence, "console")
        _, result = await said(house, "always", "console")
        assert result.outcome == "clarify", result.reply
        assert not house.opened.pipeline.parts.registry.wishes(None, ("door",))
