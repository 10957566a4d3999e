"""Rules notice what happens: live, once, and never their own doing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from daemon.act.reader import Patience
from daemon.app import Opened, open_home
from daemon.converse.conclusion import Announcement
from daemon.core.turn import Utterance
from daemon.home.loader import load_home
from daemon.mqtt.bus import Publication
from daemon.schedule.moments import Clock
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker, MemoryBus
from tests.conversations.house import ROOT
from tests.rules import GRAMMAR, REPLIES
from tests.virtual_time import now

pytestmark = pytest.mark.virtual

HOME = load_home(ROOT / "devices.yaml")
DOOR = "zigbee2mqtt/front_door_contact"


@dataclass
class House:
    opened: Opened
    simulated: SimulatedHome
    broker: MemoryBroker
    outside: MemoryBus
    gone: float = 0.0
    told: list[str] = field(default_factory=list)

    def __call__(self, announcement: Announcement) -> None:
        self.told.append(announcement.reply)

    async def say(self, text: str) -> str:
        return (await self.opened.pipeline.handle(Utterance(text))).outcome

    async def door(self, contact: str, *, retain: bool = False) -> None:
        """The sensor in the frame of the front door says something; zigbee2mqtt's `contact` is true when closed."""
        payload = b'{"contact": false}' if contact == "open" else b'{"contact": true}'
        await self.outside.publish(Publication(DOOR, payload, retain=retain))

    async def later(self, seconds: float) -> list[str]:
        """What is said when so much time has gone by."""
        self.told.clear()
        self.gone += seconds
        await self.opened.firing.tick()
        return list(self.told)


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    made: list[House] = []

    def gone() -> float:
        return now() + (made[0].gone if made else 0.0)

    clock = Clock(lambda: 1_800_000_000.0 + gone(), gone)
    broker = MemoryBroker(gone)
    async with (
        SimulatedHome(broker.connect(), HOME.entities, HOME.simulation) as simulated,
        open_home(
            HOME,
            broker.connect(),
            grammar=GRAMMAR,
            replies=REPLIES,
            patience=Patience(deadline_s=0.3, mute_s=0.1, settle_s=0, slow_settle_s=0),
            clock=clock,
        ) as opened,
    ):
        made.append(House(opened, simulated, broker, broker.connect()))
        opened.pipeline.parts.announcements.listen(made[0])
        yield made[0]


async def test_each_change_counts_once_however_often_it_is_told() -> None:
    async with house() as home:
        await home.door("closed")
        assert await home.say("whenever the front door opens turn on the hall light") == "schedule"
        await home.door("open")
        await home.door("open")
        assert await home.later(5) == ["Hall light is on."]
        await home.door("open")
        assert await home.later(5) == []


async def test_what_came_and_went_between_two_looks_has_happened() -> None:
    async with house() as home:
        await home.door("closed")
        await home.say("whenever the front door opens turn on the hall light")
        await home.door("open")
        await home.door("closed")
        assert await home.later(5) == ["Hall light is on."]


async def test_the_first_thing_that_is_heard_is_no_change() -> None:
    async with house() as home:
        await home.door("closed")
        await home.say("whenever the front door opens turn on the hall light")
        home.broker.go_down()
        home.broker.come_up()
        await home.door("open")  # it may have been open all the while
        assert await home.later(10) == []
        await home.door("closed")
        await home.door("open")
        assert await home.later(5) == ["Hall light is on."]


async def test_two_conditions_that_come_true_at_once_are_one_occasion() -> None:
    async with house() as home:
        await home.door("closed")
        await home.simulated.place("bedroom_window", {"contact": "off"})
        said = "whenever the front door opens or the bedroom window opens turn on the hall light"
        assert await home.say(said) == "schedule"
        await home.door("open")
        await home.simulated.place("bedroom_window", {"contact": "on"})
        assert await home.later(5) == ["Hall light is on."]


async def test_what_must_stay_so_is_begun_anew_by_each_interruption() -> None:
    async with house() as home:
        await home.door("closed")
        assert await home.say("if the front door is open for five minutes turn on the hall light") == "schedule"
        await home.door("open")
        assert await home.later(299) == []
        await home.door("closed")
        await home.door("open")
        assert await home.later(2) == []
        assert await home.later(299) == ["Hall light is on."]


async def test_a_rule_that_happens_all_the_time_is_stopped() -> None:
    async with house() as home:
        await home.door("closed")
        await home.say("whenever the front door opens turn on the hall light")
        told = []
        for _ in range(12):
            await home.door("open")
            told += await home.later(2)
            await home.door("closed")
            told += await home.later(2)
        assert sum(item.startswith("Hall light") for item in told) == 10
        assert told[-1].startswith("I stopped this rule")
        assert home.opened.later.agenda.entries == ()


async def test_nothing_is_forgotten_where_another_rule_is_added() -> None:
    async with house() as home:
        await home.door("closed")
        await home.say("if the front door is open for five minutes turn on the hall light")
        await home.door("open")
        await home.later(200)
        await home.say("whenever the bedroom window opens turn on the bedroom fan")
        assert await home.later(101) == ["Hall light is on."]


async def test_nobody_is_asked_who_is_not_there() -> None:
    async with house() as home:
        assert await home.say("set the air conditioner to 22 in one minute") == "schedule"
        assert await home.later(61) == ["Air conditioner is set to 22 °C. It is still off, though."]
