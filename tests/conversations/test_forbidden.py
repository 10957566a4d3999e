"""No row of commands, scenes, rules and firings does what is forbidden without a yes."""

import random

import pytest

from daemon.core.turn import Utterance
from tests.conversations.house import Time, home_of, open_house

pytestmark = pytest.mark.virtual

FORBIDDEN = {
    "never turn on the kettle": ("kettle", {"state": "on"}),
    "永远不要解锁大门": ("front_door_lock", {"state": "unlocked"}),
    "never lock the front door": ("front_door_lock", {"state": "locked"}),
    "never turn off the tv": ("living_tv", {"state": "off"}),
    "以后别开门厅的灯": ("hall_light", {"state": "on"}),
}
SAID = (
    "turn on the kettle", "toggle the kettle", "turn on the kettle in ten minutes", "kettle off for ten minutes",
    "unlock the front door", "lock the front door for ten minutes", "toggle the hall light", "turn off the hall light",
    "turn on all the lights downstairs", "turn everything off", "good night", "晚安模式", "movie night", "coming home",
    "whenever the front door opens turn on the hall light", "when the front door opens unlock the front door",
    "turn off the tv", "turn on the tv for ten minutes", "把电视关掉", "undo that", "again", "no", "打开门厅的灯",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
async def test_nothing_forbidden_is_done_without_a_yes(seed: int) -> None:
    chance, time = random.Random(seed), Time()
    wishes = chance.sample(sorted(FORBIDDEN), 2)
    async with open_house(home_of(None), time) as house:
        await house.simulated.place("living_tv", {"state": "on"})
        for at, said in enumerate((*chance.choices(SAID, k=4), *wishes, *chance.choices(SAID, k=20))):
            house.simulated.received.clear()
            await house.opened.pipeline.handle(Utterance(said, area="living_room"))
            if chance.random() < 0.3:
                open_ = chance.choice(("on", "off"))
                await house.simulated.place("front_door_contact", {"contact": open_})
            # A "no" or an "undo" at once would take the prohibition itself back.
            time.wait(60 if 3 <= at < 6 else chance.choice((1, 20, 700)))
            await house.opened.firing.tick()
            if at < 6:  # before both were forbidden
                continue
            for device, sent in house.simulated.received:
                barred = [wish for of, wish in map(FORBIDDEN.__getitem__, wishes) if of == device]
                assert all(wish.items().isdisjoint(sent.items()) for wish in barred), (said, device, sent)
