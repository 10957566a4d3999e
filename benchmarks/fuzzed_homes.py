"""Homes to say anything in: those of the project, some of their things called by names that nobody would choose."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

from benchmarks.utterances import ROOT, Utterances, chance
from daemon.act.reader import Patience
from daemon.app import Opened, open_home
from daemon.compiler.compiler import Compiler
from daemon.converse.conclusion import Announcement
from daemon.converse.replies import Replies
from daemon.core.entities import Entity, Value
from daemon.core.values import replace
from daemon.home.config import HomeConfig, SimulatedDevice
from daemon.home.loader import load_home
from daemon.resolve.meaning.index import Meanings
from daemon.schedule.entries import Entry
from daemon.schedule.moments import Clock
from daemon.simulate.actor import Timing
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.understand.grammar import Grammar

_ZONE: Final = ZoneInfo("Europe/Amsterdam")
_BEGINS: Final = datetime(2026, 11, 21, 14, 25, tzinfo=_ZONE).timestamp()
_PATIENCE: Final = Patience(deadline_s=1.0, mute_s=0.2)
_RENAMED: Final = 0.4
"""The share of the devices of a home that are called something else."""
_BEHAVIOURS: Final = ("normal", "normal", "normal", "normal", "stuck", "offline")

_OPENED: Final = frozenset({"open", "on", "unlocked"})
_OPENING: Final = frozenset({"lock", "garage_door", "gate", "door", "gas"})
"""Types and tags of what must not be opened, unlocked or switched on without a yes."""
_OPEN_WORDS: Final = frozenset({"open", "unlock", "turn_on"})
_END_WORDS: Final = frozenset({"close", "turn_off", "disarm"})
_ENDED: Final = frozenset({"off", "closed", "disarmed", "stop"})


@dataclass(slots=True)
class FuzzedHouse:
    """A home at work, and what its devices were told."""

    home: HomeConfig
    opened: Opened
    devices: SimulatedHome
    unasked: list[Announcement] = field(default_factory=list)
    stood: dict[str, Value | None] = field(default_factory=dict)
    """How far each device was open when this was last asked: to close a garage door some of the way is no risk."""

    def names(self) -> list[str]:
        """What may be named here."""
        return sorted({name for item in self.opened.pipeline.parts.registry for name in item.names if name.strip()})

    def risks(self) -> list[tuple[Entity, dict[str, Value]]]:
        """The risky acts that devices were told of since this was last asked, by their own log."""
        told = list(self.devices.received)
        self.devices.received.clear()
        registry = self.opened.pipeline.parts.registry
        found = []
        for entity, changes in told:
            item = registry[entity]
            reached = [item] if item.kind != "group" else [registry[member] for member in item.members]
            found += [(device, changes) for device in reached if is_risky(device, changes, self.stood.get(device.id))]
        for entity in {entity for entity, _ in told}:
            if registry[entity].kind == "device":
                self.stood[entity] = self.devices.truth(entity).get("position")
        return found

    def kept(self) -> tuple[Entry, ...]:
        """What is kept for later."""
        return tuple(self.opened.later.agenda.entries)

    async def wait(self, seconds: float) -> None:
        """Time goes by, and what was kept for it is done."""
        await asyncio.sleep(seconds)
        await self.opened.firing.tick()


def is_risky(device: Entity, changes: dict[str, Value], stood: Value | None = None) -> bool:
    """Whether somebody must have said yes to this: told of the device, not of the words that led to it."""
    words, further = {str(value) for value in changes.values()}, changes.get("position")
    if isinstance(further, int | float) and isinstance(stood, int | float) and further <= stood:
        further = None
    opens = bool(words & _OPENED) or changes.get("command") in ("open", "unlock", "start") or bool(further)
    ends = bool(words & _ENDED) or changes.get("position") == 0
    labels = {device.type, *device.tags}
    locks = device.capability("lock") is not None
    own = {word for word, risk in device.risk.items() if risk == "confirm"}
    free = {word for word, risk in device.risk.items() if risk == "none"}
    disarms = device.capability("arm") is not None and bool(words & {"off", "disarmed"})
    if opens and not free & _OPEN_WORDS and (own & _OPEN_WORDS or labels & _OPENING or (locks and "unlocked" in words)):
        return True
    return ends and not free & _END_WORDS and (disarms or "vital" in labels or bool(own & _END_WORDS))


@cache
def plain_homes() -> tuple[HomeConfig, ...]:
    """The homes of the project, as their files say."""
    files = [ROOT / "devices.yaml", *sorted((ROOT / "tests" / "conversations" / "homes").glob("*.yaml"))]
    return tuple(map(load_home, files))


def odd_home(rng: random.Random, utterances: Utterances) -> HomeConfig:
    """One of the homes with other names and states; every other time it is the default one."""
    home = rng.choice([plain_homes()[0], rng.choice(plain_homes())])
    if chance(rng, 0.3):
        return home
    names = [name for item in home.entities for name in item.names]
    entities = tuple(
        _renamed(item, rng, utterances, names) if item.kind != "floor" and chance(rng, _RENAMED) else item
        for item in home.entities
    )
    scripts = {
        item.id: replace(home.simulation.devices.get(item.id, SimulatedDevice()), behaviour=rng.choice(_BEHAVIOURS))
        for item in entities
        if item.kind == "device"
    }
    return replace(home, entities=entities, simulation=replace(home.simulation, devices=scripts))


def _renamed(item: Entity, rng: random.Random, utterances: Utterances, names: Sequence[str]) -> Entity:
    name = utterances.one(rng, names)[:60].strip() if chance(rng, 0.7) else rng.choice(names)
    if not name:
        return item
    return replace(item, names=(name, *item.names[1:]), display={})


@asynccontextmanager
async def open_house(
    home: HomeConfig,
    grammar: Grammar,
    replies: Replies,
    compiler: Compiler | None,
    meanings: Meanings | None,
    *,
    prepared: bool = True,
) -> AsyncIterator[FuzzedHouse]:
    """A home whose devices answer; to be used on a loop in virtual time.

    `prepared` makes at once what the first utterance would else wait for; for a single one that takes longer.
    """
    now = asyncio.get_running_loop().time
    broker = MemoryBroker(now)
    simulation = replace(home.simulation, latency_ms=5.0, jitter_ms=3.0)
    async with (
        SimulatedHome(broker.connect(), home.entities, simulation, Timing(travel_s=2.0)) as devices,
        open_home(
            home,
            broker.connect(),
            grammar=grammar,
            replies=replies,
            patience=_PATIENCE,
            clock=Clock(lambda: _BEGINS + now(), now, _ZONE),
            meanings=[meanings.of] if meanings is not None else [],
            compiler=compiler,
        ) as opened,
    ):
        if prepared:
            opened.prepare()
        stood = {item.id: devices.truth(item.id).get("position") for item in home.entities if item.kind == "device"}
        house = FuzzedHouse(home, opened, devices, stood=stood)
        opened.pipeline.parts.announcements.listen(house.unasked.append)
        yield house
