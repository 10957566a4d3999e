"""The wall clock is set forth and back while things wait for their moment. Time is virtual."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from benchmarks.chaos.outages import HOME
from benchmarks.chaos.tally import Tally
from daemon.act.reader import Patience
from daemon.app import open_home
from daemon.converse.replies import Replies
from daemon.core.turn import Utterance
from daemon.home.loader import load_home
from daemon.mqtt.bus import Message
from daemon.schedule.moments import Clock
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.system.config import ROOT
from daemon.understand.grammar import Grammar
from tests import virtual_time

NAME: Final = "clock jumps"
_BEGIN: Final = datetime(2026, 11, 21, 14, 25, tzinfo=UTC).timestamp()
_JUMP_S: Final = 20 * 3600.0
_LOOK_S: Final = 90.0
"""What is due is looked at so often, and done in so much time."""
_DAILY: Final = "delta"


@dataclass
class _World:
    """Both clocks, and which device was told something when."""

    offset: float = _BEGIN
    seen: list[tuple[float, float, str]] = field(default_factory=list)

    def wall(self) -> float:
        return virtual_time.now() + self.offset

    def hear(self, message: Message) -> None:
        self.seen.append((virtual_time.now(), self.wall(), message.topic.split("/")[1]))


def run(tally: Tally, rounds: int, seed: int) -> None:
    """So many rounds, each with a few delays, a daily moment and some jumps."""
    dice = random.Random(f"{tally.name} {seed}")
    grammar, replies = Grammar.load(ROOT / "rules"), Replies.load(ROOT / "rules")
    for _ in range(rounds):
        virtual_time.run(lambda: _round(tally, dice, grammar, replies))
        tally.rounds += 1


async def _round(tally: Tally, dice: random.Random, grammar: Grammar, replies: Replies) -> None:
    home, world = load_home(HOME), _World()
    broker = MemoryBroker(virtual_time.now)
    ears = broker.connect()
    for device in ("amber", "birch", "cedar", _DAILY):
        await ears.subscribe(f"zigbee2mqtt/{device}/set", world.hear)
    async with (
        SimulatedHome(broker.connect(), home.entities, home.simulation),
        open_home(
            home,
            broker.connect(),
            grammar=grammar,
            replies=replies,
            patience=Patience(),
            clock=Clock(world.wall, virtual_time.now, UTC),
        ) as opened,
        opened.firing.running(),
    ):
        due = {}
        for device in ("amber", "birch", "cedar"):
            minutes = dice.randint(2, 300)
            await opened.pipeline.handle(Utterance(f"set the {device} lamp to 33 percent in {minutes} minutes"))
            due[device] = virtual_time.now() + 60 * minutes
        said = f"set the {_DAILY} lamp to 44 percent every day at {dice.randint(1, 11)} am"
        result = await opened.pipeline.handle(Utterance(said))
        if result.outcome != "schedule":
            tally.fault("crash", f"{said}: {result.reply}")
        tally.acts += 4
        for _ in range(5):
            await asyncio.sleep(dice.uniform(600, 3600 * 12))
            world.offset += dice.uniform(-_JUMP_S, _JUMP_S)
        await asyncio.sleep(3600 * 24)
    _judge(tally, world, due)


def _judge(tally: Tally, world: _World, due: dict[str, float]) -> None:
    for device, moment in due.items():
        at = [now for now, _, who in world.seen if who == device]
        tally.outcomes["delays"] += len(at)
        if not at:
            tally.fault("lost", f"{device} was never told")
        if len(at) > 1:
            tally.fault("twice", f"{device} was told {len(at)} times")
        if any(not -1 <= now - moment <= _LOOK_S for now in at):
            tally.fault("late unsaid", f"{device} was told {at[0] - moment:.0f} s after its moment")
    days = [datetime.fromtimestamp(wall, UTC).date() for _, wall, who in world.seen if who == _DAILY]
    tally.outcomes["daily"] += len(days)
    if len(days) != len(set(days)):
        tally.fault("twice", f"{_DAILY} was told twice on one day")
