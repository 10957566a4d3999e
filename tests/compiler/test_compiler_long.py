"""Long, chatty requests through the whole pipeline, with the models that come with Hearken: what is sent for them."""

from __future__ import annotations

from pathlib import Path

from daemon.compiler.loading import NAME
from daemon.evaluate.cases import Case
from daemon.evaluate.house import open_house, open_house_with_model

HOME = Path(__file__).resolve().parents[2] / "devices.yaml"

CHATTY = (
    "hi there we just got back from my sister's and the kids are wiped out so turn on the hall light "
    "and close the living room curtain please it's been a long day"
)
SAID: list[tuple[str, set[tuple[str, str | None, str]]]] = [
    (CHATTY, {("turn_on", None, "hall_light"), ("close", None, "living_curtain")}),
    ("孩子睡了你把音箱关小一点不然一会儿又醒了", {("decrease", "volume", "living_speaker")}),
    # "It" is the one thing that the talk before it names.
    (
        "i was just about to have a nap and the printer is humming away again would you switch that off please",
        {("turn_off", None, "printer")},
    ),
    (
        "so we sat down for dinner and the kettle is whistling its head off again could you turn it off for me",
        {("turn_off", None, "kettle")},
    ),
    ("孩子刚睡着电视又在那儿响个不停麻烦你把它关掉吧", {("turn_off", None, "living_tv")}),
    ("so i said to him open the front door and let me in and he just laughed at me", set()),
    ("我跟他说把大门打开他就是不听你说气人不气人", set()),
    # What an order waits for is not passed over, whoever reads the order.
    ("soon as everybody is in bed turn off the hall light", set()),
    ("人一走就把客厅的电视关了", set()),
    ("到那个时候把门厅灯打开", set()),
    ("my husband always forgets to turn off the hall light", set()),
    ("他老是忘了关门厅灯", set()),
    ("it is far too noisy in here so turn off the printer please", {("turn_off", None, "printer")}),
    ("打开老伙计", {("turn_on", None, "old_friend")}),  # a name that sounds like talk
    ("天都黑透了，把门厅灯关了吧", {("turn_off", None, "hall_light")}),
]


async def test_what_is_ordered_is_done_and_what_is_told_is_not() -> None:
    done: list[tuple[str, set[tuple[str, str | None, str]]]] = []
    async with open_house_with_model(HOME, NAME) as house:  # whose models are loaded once
        for said, _ in SAID:
            case = Case("long", "en" if said.isascii() else "zh", said, "devices", None, area="Living room")
            result, _ = await house.play(case)
            done.append(
                (
                    said,
                    {
                        (item["action"], item.get("attribute"), target)
                        for item in result["commands"]
                        for target in item["targets"]
                    },
                )
            )
    assert done == SAID


async def test_without_the_segmenter_only_a_part_of_that_is_understood() -> None:
    async with open_house(HOME) as house:
        result, _ = await house.play(Case("long", "en", CHATTY, "devices", None, area="Living room"))
    assert result["outcome"] != "execute"
