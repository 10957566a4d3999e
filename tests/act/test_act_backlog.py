"""What a device says by a template that takes its time: read in order, and nothing stale called fresh meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from daemon.act.executor import Executor
from daemon.act.reader import Patience, Reader
from daemon.act.states import Sighting, States
from daemon.core.entities import Address, Capability, Entity
from daemon.core.errors import TemplateError
from daemon.core.outcomes import Outcome, Write
from daemon.home.registry import Registry
from daemon.mqtt.dialects import dialects
from daemon.mqtt.dialects.homeassistant_words import Links, Say, Tell
from daemon.mqtt.dialects.template_workshop import Job, Workshop
from daemon.mqtt.dialects.templates import Templates
from tests.act.world import FakeBus, run

SLOW = "{{ value | regex_replace('x', '') }}"
TOLD = (("ON", "on"), ("OFF", "off"))


def entity(name: str = "lamp", *, tell: str = SLOW, say: str = "") -> Entity:
    links = Links(
        tells=(Tell("state", f"{name}/state", tell, words=TOLD),),
        says=(Say("state", f"{name}/set", say, words=(("on", "ON"), ("off", "OFF"))),),
    )
    able = Capability("on_off", "state", gettable=False)
    address = Address("homeassistant", name, {"links": links, "optimistic": False})
    return Entity(name, "device", (name,), type="light", capabilities=(able,), address=address)


class Slow(Workshop):
    """Takes so many seconds for a text; then drops the letter x."""

    def __init__(self) -> None:
        super().__init__()
        self.takes: dict[str, float] = {}
        self.fails = False

    async def render(self, job: Job) -> str | None:
        await asyncio.sleep(max((s for text, s in self.takes.items() if text in job.text), default=0.1))
        if self.fails:
            raise TemplateError("needs too much time")
        return job.text.replace("x", "") if job.payload else job.text.split('"')[3]


class House:
    def __init__(self, *entities: Entity) -> None:
        self.bus, self.workshop = FakeBus(), Slow()
        clock = asyncio.get_running_loop().time
        self.templates = Templates(self.workshop, clock=clock)
        spoken = dialects(self.templates)
        registry = Registry(entities)
        self.states = States(self.bus, registry, spoken, clock=clock)
        self.reader = Reader(self.bus, registry, spoken, self.states)
        self.executor = Executor(self.bus, registry, spoken, self.states, Patience(deadline_s=1.0, mute_s=0.2))
        self.seen: list[Sighting] = []
        self.states.on_change(self.seen.append)

    @property
    def told(self) -> list[tuple[str, object, int]]:
        return [(item.entity, item.value, item.sequence) for item in self.seen]


def house(*entities: Entity, then: Callable[[House], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        made = House(*entities)
        await made.states.start()
        try:
            return await then(made)
        finally:
            await made.states.stop()

    return run(main)


def test_messages_of_one_device_keep_their_order_and_their_numbers() -> None:
    async def main(home: House) -> list[tuple[str, object, int]]:
        home.workshop.takes = {"ONxx": 2.0}
        for text in (b"ONxx", b"OFF", b"xON"):
            home.bus.deliver("lamp/state", text)
        home.bus.deliver("other/state", b"ON")
        await asyncio.sleep(0.5)
        assert home.told == [("other", "on", 4)]
        await asyncio.sleep(5)
        return home.told

    told = house(entity(), entity("other", tell=""), then=main)
    assert told == [("other", "on", 4), ("lamp", "on", 1), ("lamp", "off", 2), ("lamp", "on", 3)]


def test_what_is_known_is_stale_while_something_newer_is_not_read() -> None:
    async def main(home: House) -> list[tuple[object, str]]:
        home.bus.deliver("lamp/state", b"ON")
        await asyncio.sleep(0.5)
        found = [home.states.seen("lamp", "state")]
        home.workshop.takes = {"OFFx": 1.0}
        home.bus.deliver("lamp/state", b"OFFx")
        found.append(home.states.seen("lamp", "state"))
        found.append((await home.reader.read([("lamp", "state")]))["lamp", "state"])
        return [(item.value, item.source) for item in found]

    assert house(entity(), then=main) == [("on", "push"), ("on", "stale"), ("off", "push")]


def test_what_is_passed_over_is_not_taken_for_read() -> None:
    async def main(home: House) -> list[object]:
        home.workshop.takes = {"xON": 60.0}
        home.bus.deliver("lamp/state", b"xON")
        for number in range(200):
            home.bus.deliver("lamp/state", b"OFF" + b"x" * (number + 1))
        await asyncio.sleep(600)
        return [item.sequence for item in home.seen]

    sequences = house(entity(), then=main)
    assert sequences[0] == 1
    assert sequences[1:] == list(range(139, 202))


def test_a_set_waits_for_its_template() -> None:
    async def main(home: House) -> tuple[list[str], list[Outcome]]:
        outcomes = await home.executor.execute([Write("lamp", "state", "on", "turn_on")])
        return [item.payload.decode() for item in home.bus.published], list(outcomes)

    published, outcomes = house(entity(say=SLOW), then=main)
    assert published == ["ON"]
    assert [item.sent for item in outcomes] == [True]


def test_a_set_whose_template_takes_too_long_is_refused() -> None:
    async def main(home: House) -> tuple[int, list[Outcome]]:
        home.workshop.takes = {"ON": 60.0}
        late = list(await home.executor.execute([Write("lamp", "state", "on", "turn_on")]))
        home.workshop.takes, home.workshop.fails = {}, True
        failed = list(await home.executor.execute([Write("lamp", "state", "off", "turn_off")]))
        again = list(await home.executor.execute([Write("lamp", "state", "off", "turn_off")]))
        return len(home.bus.published), late + failed + again

    published, outcomes = house(entity(say=SLOW), then=main)
    assert published == 0
    assert [(item.status, item.reason) for item in outcomes] == [("refused", "template_late")] * 3


def test_an_older_set_never_follows_a_newer_one() -> None:
    async def main(home: House) -> tuple[list[str], str]:
        home.workshop.takes = {"ON": 1.0}
        older = asyncio.create_task(home.executor.execute([Write("lamp", "state", "on", "turn_on")]))
        await asyncio.sleep(0.3)
        await home.executor.execute([Write("lamp", "state", "off", "turn_off")])
        (outcome,) = await older
        return [item.payload.decode() for item in home.bus.published], outcome.reason

    assert house(entity(say=SLOW), then=main) == (["OFF"], "superseded")


def test_a_set_is_not_sent_after_the_connection_was_lost() -> None:
    async def main(home: House) -> tuple[int, str]:
        home.workshop.takes = {"ON": 1.0}
        waiting = asyncio.create_task(home.executor.execute([Write("lamp", "state", "on", "turn_on")]))
        await asyncio.sleep(0.3)
        home.bus.lose()
        home.bus.connected = True
        (outcome,) = await waiting
        return len(home.bus.published), outcome.reason

    assert house(entity(say=SLOW), then=main) == (0, "broker_away")
