"""Rules about sets watch whatever belongs to the set; the home changes while they wait."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from daemon.act.reader import Patience
from daemon.app import Opened, open_home
from daemon.converse.conclusion import Announcement
from daemon.core.entities import Address, Entity
from daemon.core.turn import Utterance
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.home.capabilities import STANDARD
from daemon.home.config import Discovery, HomeConfig
from daemon.mqtt.bus import Publication
from daemon.schedule.moments import Clock
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker, MemoryBus
from tests.rules import GRAMMAR, REPLIES
from tests.virtual_time import now

pytestmark = pytest.mark.virtual

CONTACT = {
    "type": "binary",
    "name": "contact",
    "property": "contact",
    "access": 1,
    "value_on": False,
    "value_off": True,
}
SWITCH = {"type": "binary", "name": "state", "property": "state", "access": 7, "value_on": "ON", "value_off": "OFF"}


def announced(number: int, name: str, expose: dict[str, Any]) -> dict[str, Any]:
    return {
        "ieee_address": f"0x{number:016x}",
        "friendly_name": name,
        "type": "Router",
        "supported": True,
        "definition": {"model": "M", "vendor": "V", "description": "", "exposes": [expose]},
    }


PUMP = announced(1, "pump", {"type": "switch", "features": [SWITCH]})
WINDOWS = [
    announced(number, name, CONTACT)
    for number, name in ((2, "study window"), (3, "attic window"), (4, "cellar window"))
]


@dataclass
class House:
    opened: Opened
    outside: MemoryBus
    told: list[str] = field(default_factory=list)

    def __call__(self, announcement: Announcement) -> None:
        self.told.append(announcement.reply)

    async def say(self, text: str) -> str:
        return (await self.opened.pipeline.handle(Utterance(text))).reply

    async def announce(self, *devices: dict[str, Any]) -> None:
        """The bridge lists these; returns when the home has become so."""
        await self.outside.publish(Publication("zigbee2mqtt/bridge/devices", json.dumps(devices).encode(), retain=True))
        assert self.opened.inventory.watch is not None
        await self.opened.inventory.watch.settled(5)

    async def window(self, name: str, *, opened: bool) -> None:
        await self.outside.publish(Publication(f"zigbee2mqtt/{name}", json.dumps({"contact": not opened}).encode()))

    async def ticked(self) -> list[str]:
        self.told.clear()
        await self.opened.firing.tick()
        return list(self.told)


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    broker = MemoryBroker(now)
    outside = broker.connect()
    pump = Entity(
        PUMP["ieee_address"],
        "device",
        ("pump",),
        capabilities=(STANDARD["on_off"],),
        address=Address("zigbee2mqtt", "zigbee2mqtt/pump"),
    )
    home = HomeConfig((), discovery=Discovery())
    async with (
        SimulatedHome(broker.connect(), [pump]),
        open_home(
            home,
            broker.connect(),
            grammar=GRAMMAR,
            replies=REPLIES,
            patience=Patience(deadline_s=0.3, mute_s=0.1),
            clock=Clock(monotonic=now),
            sources=[Zigbee2MqttSource()],
        ) as opened,
    ):
        made = House(opened, outside)
        opened.pipeline.parts.announcements.listen(made)
        yield made


async def test_any_window_is_a_window_that_came_later_too() -> None:
    async with house() as home:
        await home.announce(PUMP, *WINDOWS[:2])
        for name in ("study window", "attic window"):
            await home.window(name, opened=False)
        assert "I'll turn on" in await home.say("whenever any window opens turn on the pump")
        await home.announce(PUMP, *WINDOWS)
        await home.window("cellar window", opened=False)
        assert await home.ticked() == []
        await home.window("cellar window", opened=True)
        assert await home.ticked() == ["Pump is on."]


async def test_the_first_word_of_what_is_new_only_tells_how_things_stand() -> None:
    async with house() as home:
        await home.announce(PUMP, *WINDOWS[:2])
        await home.say("whenever any window opens turn on the pump")
        await home.announce(PUMP, *WINDOWS)
        await home.window("cellar window", opened=True)
        assert await home.ticked() == []


async def test_all_of_them_are_all_that_there_are_now() -> None:
    async with house() as home:
        await home.announce(PUMP, *WINDOWS[:2])
        for name in ("study window", "attic window"):
            await home.window(name, opened=True)
        await home.say("whenever all windows are closed turn on the pump")
        await home.announce(PUMP, *WINDOWS)
        await home.window("cellar window", opened=True)
        await home.window("study window", opened=False)
        await home.window("attic window", opened=False)
        assert await home.ticked() == []
        await home.window("cellar window", opened=False)
        assert await home.ticked() == ["Pump is on."]


async def test_what_has_gone_is_waited_for_no_longer() -> None:
    async with house() as home:
        await home.announce(PUMP, *WINDOWS)
        for name in ("study window", "attic window", "cellar window"):
            await home.window(name, opened=True)
        await home.say("whenever all windows are closed turn on the pump")
        await home.announce(PUMP, *WINDOWS[:2])
        await home.window("study window", opened=False)
        await home.window("attic window", opened=False)
        assert await home.ticked() == ["Pump is on."]


async def test_the_one_that_was_said_back_stays_the_one() -> None:
    async with house() as home:
        await home.announce(PUMP, WINDOWS[0])
        await home.window("study window", opened=False)
        await home.say("whenever the study window opens turn on the pump")
        again = announced(9, "study window 2", CONTACT)
        await home.announce(PUMP, WINDOWS[0], again)
        await home.window("study window 2", opened=False)
        await home.window("study window 2", opened=True)
        assert await home.ticked() == []
        await home.window("study window", opened=True)
        assert await home.ticked() == ["Pump is on."]


async def test_what_has_gone_is_listed_as_that() -> None:
    async with house() as home:
        await home.announce(PUMP, *WINDOWS)
        await home.say("turn on the pump in 20 minutes")
        await home.announce(*WINDOWS)
        assert await home.say("what is planned") == "In 20 minutes I'll turn on something that is not here any more."
