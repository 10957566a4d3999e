"""The home of `benchmarks.soak`: the assembled product on simulated devices that come, go, change and are renamed."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import random
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

from daemon.act.audit import Audit
from daemon.app import open_home
from daemon.commands.session import Turns
from daemon.compiler.loading import Wanted, compiler
from daemon.converse.conclusion import Announcement
from daemon.converse.replies import Replies
from daemon.core.values import replace
from daemon.discovery.watch import sources_of
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.home.config import Discovery
from daemon.home.loader import load_home
from daemon.memory.learnt import Contents, Learnt, Origin
from daemon.memory.memory import MOST, Store
from daemon.mqtt.bus import Message, Publication
from daemon.pipeline import Pipeline
from daemon.resolve.meaning.index import Meanings
from daemon.resolve.meaning.vectors import Shelf, Vectors
from daemon.schedule.agenda import Store as LaterStore
from daemon.schedule.moments import Clock
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker, MemoryBus
from daemon.system.config import Paths
from daemon.understand.grammar import Grammar
from tests.virtual_time import now

LISTED: Final = "zigbee2mqtt/bridge/devices"
_BEGIN: Final = datetime(2026, 11, 21, tzinfo=UTC).timestamp()
_KEEP_DAYS: Final = 1.0
"""So that what the audit log forgets is seen within a week."""
_MOST_GUESTS: Final = 40
_TAUGHT: Final = MOST - 20
"""So many words are known from the first day: what is learnt fills memory until no more is."""
_MODEL: Final[dict[str, Any]] = {"model": "M1", "vendor": "V", "description": ""}
_STATE: Final = {
    "type": "binary",
    "name": "state",
    "property": "state",
    "access": 7,
    "value_on": "ON",
    "value_off": "OFF",
}
_LEVEL: Final = {"type": "numeric", "name": "brightness", "property": "brightness", "access": 7} | {
    "value_min": 0,
    "value_max": 254,
}


@dataclass
class House:
    """A home at work in virtual time."""

    pipeline: Pipeline
    turns: Turns
    residents: SimulatedHome
    broker: MemoryBroker
    bus: MemoryBus
    """For what happens outside of the daemon."""
    state: Path
    """The folder of its databases."""
    guests: list[dict[str, Any]] = field(default_factory=list)
    """The devices that come and go, as a bridge lists them."""
    announced: int = 0
    """How often something was said unasked."""
    _played: SimulatedHome | None = None
    _next: int = 1

    def __call__(self, _: Announcement) -> None:
        """Hears what is said unasked."""
        self.announced += 1

    async def stir(self, dice: random.Random, name: str) -> None:
        """A device comes, goes, is renamed, or the list is told again."""
        what = dice.choice(("come", "come", "go", "rename", "again"))
        if what == "come" and len(self.guests) < _MOST_GUESTS:
            self.guests.append(_announced(self._next, name))
            self._next += 1
        elif what == "go" and self.guests:
            self.guests.pop(dice.randrange(len(self.guests)))
        elif what == "rename" and self.guests:
            dice.choice(self.guests)["friendly_name"] = name
        await self._tell()

    async def touch(self, dice: random.Random) -> None:
        """Somebody opens a door, walks past a sensor, or switches something by hand."""
        contact, motion = dice.choice(("on", "off")), dice.choice(("on", "off"))
        await self.residents.place(dice.choice(("front_door_contact", "bedroom_window")), {"contact": contact})
        await self.residents.place("living_motion", {"motion": motion, "illuminance": dice.randint(0, 900)})
        await self.residents.place("bedroom_ceiling", {"state": dice.choice(("on", "off"))})

    async def interrupt(self, seconds: float) -> None:
        """The broker is away for so long."""
        self.broker.go_down()
        await asyncio.sleep(seconds)
        self.broker.come_up()

    async def leave(self) -> None:
        """The guests fall silent."""
        if self._played is not None:
            await self._played.stop()

    async def _tell(self) -> None:
        payload = json.dumps(self.guests).encode()
        told = Zigbee2MqttSource()
        told.take(Message(LISTED, payload, retained=True, at=now(), sequence=0))
        await self.leave()
        self._played = SimulatedHome(self.bus, [find.entity for find in told.finds() if find.entity.kind == "device"])
        await self.bus.publish(Publication(LISTED, payload, retain=True))
        await self._played.start()


@contextlib.asynccontextmanager
async def open_house(state: Path, words: Iterable[str], *, models: bool) -> AsyncIterator[House]:
    """The home of devices.yaml with all its stores in a folder.

    Args:
        state: The folder.
        words: What nothing is called yet: taught before the beginning, as many as leave a little room for more.
        models: With the small models and the encoder too.
    """
    paths = Paths.of()
    home = replace(load_home(paths.home), discovery=Discovery())
    grammar, replies = Grammar.load(paths.rules), Replies.load(paths.rules)

    loop = asyncio.get_running_loop()

    def wall() -> float:
        return _BEGIN + loop.time()  # asked by the audit log's thread too

    broker = MemoryBroker(now)
    bus = broker.connect()
    store = Store(state / "learnt.db", clock=wall)
    taught = zip(islice(words, _TAUGHT), cycle(home.entities), strict=False)
    await store.save(Contents(tuple(Learnt("name", word, item.id, Origin("told", wall())) for word, item in taught)))
    async with contextlib.AsyncExitStack() as stack:
        meanings, made = [], None
        if models:
            meaning = Meanings(Vectors(Shelf(paths.models, home.encoder), state))
            stack.callback(meaning.close)
            meanings.append(meaning.of)
            made = compiler(paths.models, paths.rules, grammar, Wanted())
            stack.callback(made.close)
        residents = await stack.enter_async_context(SimulatedHome(broker.connect(), home.entities, home.simulation))
        opened = await stack.enter_async_context(
            open_home(
                home,
                broker.connect(),
                grammar=grammar,
                replies=replies,
                audit=Audit(state / "audit.db", keep_days=_KEEP_DAYS, clock=wall),
                store=store,
                kept=(LaterStore(state / "later.db", clock=wall), None),
                sources=sources_of(home.discovery),
                clock=Clock(wall, now, UTC),
                meanings=meanings,
                compiler=made,
            )
        )
        await asyncio.to_thread(opened.prepare)
        gc.freeze()  # as the daemon does
        turns = Turns(opened.pipeline, opened.inventory, opened.ledger, opened.later)
        house = House(opened.pipeline, turns, residents, broker, bus, state)
        stack.callback(opened.pipeline.parts.announcements.listen(house))
        stack.push_async_callback(house.leave)
        await stack.enter_async_context(opened.firing.running())
        yield house


def _announced(number: int, name: str) -> dict[str, Any]:
    """One device in the list of a bridge: a dimmable light."""
    return {
        "ieee_address": f"0x{number:016x}",
        "friendly_name": name,
        "type": "Router",
        "supported": True,
        "definition": _MODEL | {"exposes": [{"type": "light", "features": [_STATE, _LEVEL]}]},
    }
