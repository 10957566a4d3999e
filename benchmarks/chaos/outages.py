"""Commands while the broker, or the way to it, is disturbed; what the devices saw is the truth."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.chaos.broker import Mosquitto, Proxy, network
from benchmarks.chaos.tally import Tally
from daemon.act.follower import FOLLOWING
from daemon.act.reader import Patience
from daemon.app import open_home
from daemon.converse.conclusion import Announcement
from daemon.converse.replies import Replies
from daemon.core.entities import Value
from daemon.core.result import Result
from daemon.core.turn import Utterance
from daemon.home.loader import load_home
from daemon.mqtt.bus import Message
from daemon.mqtt.connection import Connection
from daemon.mqtt.failures import Backoff
from daemon.mqtt.settings import Broker
from daemon.pipeline import Pipeline
from daemon.simulate.home import SimulatedHome
from daemon.system.config import ROOT
from daemon.understand.grammar import Grammar

HOME: Final = Path(__file__).with_name("home.yaml")
_LAMPS: Final = ("amber", "birch", "cedar", "delta")
_LOCKS: Final = {"garden": "garden gate", "cellar": "cellar door"}
_QUICK: Final = Backoff(first_s=0.05, cap_s=0.3, refused_cap_s=0.3)
_PATIENCE: Final = Patience(deadline_s=1.2, slow_s=2.0, late_s=2.5)
_ACK_S: Final = 0.8
_SOON_S: Final = 60.0
_APART: Final = 4
"""Percent: what is wished is not what was."""
_GRACE_S: Final = 0.1
"""What arrives so soon after the reply was on its way before it."""
_FLOOD: Final = """
import sys, time
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion
client = Client(CallbackAPIVersion.VERSION2)
client.connect("127.0.0.1", int(sys.argv[1]))
client.loop_start()
begun, sent = time.monotonic(), 0
while time.monotonic() < begun + float(sys.argv[2]):
    for number in range(sent, int((time.monotonic() - begun) * 10_000)):
        client.publish(("zigbee2mqtt/delta", "other/thing")[number % 2], '{"brightness": %d}' % (number % 254))
        sent = number + 1
    time.sleep(0.002)
"""


@dataclass
class Command:
    """One that was said, and what came of it."""

    device: str
    attribute: str
    wish: Value
    began: float
    ended: float = 0.0
    result: Result | None = None
    told: list[str] = field(default_factory=list)
    """What was said of it afterwards."""

    @property
    def state(self) -> str:
        """Status and reason of its only outcome."""
        if self.result is None or not self.result.outcomes:
            return "none" if self.result is None else str(self.result.outcome)
        [outcome] = self.result.outcomes
        return f"{outcome.status} {outcome.reason}".strip()


@dataclass
class House:
    """Hearken, the devices, and what was seen of both."""

    pipeline: Pipeline
    bus: Connection
    devices: SimulatedHome
    tally: Tally
    dice: random.Random
    seen: list[tuple[float, str]] = field(default_factory=list)
    """Which command reached which device when."""
    said: list[Command] = field(default_factory=list)

    def hear(self, announcement: Announcement) -> None:
        """Something was said without being asked."""
        for command in reversed(self.said):
            if command.device in announcement.reply.lower():
                command.told.append(announcement.reply)
                worked = "did work" in announcement.reply
                if worked and self.devices.truth(command.device).get(command.attribute) != command.wish:
                    self.tally.fault("false done", announcement.reply)
                return

    async def say(self, device: str) -> Command:
        """Tells one device something that nobody told it before, and judges the reply."""
        truth = self.devices.truth(device)
        if device in _LAMPS:
            before = int(float(str(truth["brightness"])))
            wish: Value = self.dice.choice([level for level in range(10, 100) if abs(level - before) > _APART])
            command, texts = Command(device, "brightness", wish, 0.0), [f"set the {device} lamp to {wish} percent"]
        else:
            wish, verb = ("unlocked", "unlock") if truth["state"] == "locked" else ("locked", "lock")
            texts = [f"{verb} the {_LOCKS[device]}", *(["yes"] if verb == "unlock" else [])]
            command = Command(device, "state", wish, 0.0)
        self.said.append(command)
        command.began = time.monotonic()
        for text in texts:
            command.result = await self.pipeline.handle(Utterance(text, satellite=device))
            if command.result.outcome != "clarify":
                break
        command.ended = time.monotonic()
        self.tally.acts += 1
        self.tally.outcomes[command.state] += 1
        if command.state.startswith("done") and not self._is(command):
            self.tally.fault("false done", f"{texts[0]}: {command.result and command.result.reply}")
        return command

    def judge(self) -> None:
        """Looks at what reached the devices of all commands of a round, when all of it is over."""
        for command in self.said:
            mine = [at for at, device in self.seen if device == command.device and at >= command.began]
            attempts = sum(item.attempts for item in command.result.outcomes) if command.result is not None else 0
            if len(mine) > max(attempts, 1):
                self.tally.fault("twice", f"{command.device} {command.state}: {len(mine)} of {attempts}")
            refused = command.result is not None and all(not item.sent for item in command.result.outcomes)
            late = [at for at in mine if refused or at > command.ended + _GRACE_S]
            if late and not command.told:
                seconds = late[-1] - command.ended
                self.tally.fault("late unsaid", f"{command.device} {command.state}: {seconds:.2f} s after the reply")
            self.tally.told += bool(command.told)
        self.said.clear()
        self.seen.clear()

    def _is(self, command: Command) -> bool:
        value = self.devices.truth(command.device).get(command.attribute)
        if isinstance(value, int | float) and isinstance(command.wish, int | float):
            return abs(value - command.wish) <= 1
        return value == command.wish


@asynccontextmanager
async def house(folder: Path, tally: Tally, dice: random.Random) -> AsyncIterator[tuple[House, Mosquitto, Proxy]]:
    """Hearken behind the proxy, the devices directly at the broker."""
    home = load_home(HOME)
    async with contextlib.AsyncExitStack() as stack:
        broker, proxy = await stack.enter_async_context(network(folder))
        direct = Broker(port=broker.port, status_topic=None, ack_timeout_s=_ACK_S, connect_timeout_s=1.0)
        outside = await stack.enter_async_context(Connection(direct, backoff=_QUICK))
        await outside.ready(_SOON_S)
        devices = await stack.enter_async_context(SimulatedHome(outside, home.entities, home.simulation))
        through = Broker(
            port=proxy.port, protocol=None, status_topic="hearken/status", ack_timeout_s=_ACK_S, connect_timeout_s=1.0
        )
        bus = await stack.enter_async_context(Connection(through, backoff=_QUICK))
        await bus.ready(_SOON_S)
        opening = open_home(
            home,
            bus,
            grammar=Grammar.load(ROOT / "rules"),
            replies=Replies.load(ROOT / "rules"),
            patience=_PATIENCE,
        )
        opened = await stack.enter_async_context(opening)
        found = House(opened.pipeline, bus, devices, tally, dice)
        opened.pipeline.parts.announcements.listen(found.hear)

        def arrived(message: Message) -> None:
            device = message.topic.split("/")[1]
            found.seen.append((time.monotonic(), device))

        for device in (*_LAMPS, *_LOCKS):
            await outside.subscribe(f"zigbee2mqtt/{device}/set", arrived)
        yield found, broker, proxy


async def _killed(_: House, broker: Mosquitto, __: Proxy, dice: random.Random) -> None:
    await asyncio.sleep(dice.uniform(0, 0.15))
    await broker.kill()
    await asyncio.sleep(dice.uniform(0.1, 1.5))
    await broker.start()


async def _stopped(_: House, broker: Mosquitto, __: Proxy, dice: random.Random) -> None:
    await asyncio.sleep(dice.uniform(0, 0.1))
    broker.send(signal.SIGSTOP)
    await asyncio.sleep(dice.uniform(0.3, 3))
    broker.send(signal.SIGCONT)


async def _hung(_: House, __: Mosquitto, proxy: Proxy, dice: random.Random) -> None:
    await asyncio.sleep(dice.uniform(0, 0.1))
    proxy.become("hold")
    await asyncio.sleep(dice.uniform(0.3, 3))
    proxy.become("pass")


async def _slow(_: House, __: Mosquitto, proxy: Proxy, dice: random.Random) -> None:
    proxy.become("delay", delay_s=dice.uniform(0.01, 0.6))
    await asyncio.sleep(dice.uniform(0.5, 3))
    proxy.become("pass")


async def _cut(_: House, __: Mosquitto, proxy: Proxy, dice: random.Random) -> None:
    await asyncio.sleep(dice.uniform(0, 0.1))
    proxy.become("cut", left=dice.randint(1, 400))
    await asyncio.sleep(dice.uniform(0.1, 1))
    proxy.become("pass")


async def _flooded(_: House, broker: Mosquitto, __: Proxy, dice: random.Random) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _FLOOD, str(broker.port), f"{dice.uniform(1, 3):.2f}"
    )
    await process.wait()


Disturbance = Callable[[House, Mosquitto, Proxy, random.Random], Awaitable[None]]
DISTURBANCES: Final[Mapping[str, Disturbance]] = {
    "broker killed": _killed,
    "broker stopped": _stopped,
    "network hung": _hung,
    "network slow": _slow,
    "network cut": _cut,
    "flooded": _flooded,
}


async def run(tally: Tally, rounds: int, seed: int, folder: Path) -> None:
    """So many rounds of one disturbance."""
    dice = random.Random(f"{tally.name} {seed}")
    async with house(folder, tally, dice) as (found, broker, proxy):
        for _ in range(rounds):
            await _round(found, broker, proxy, DISTURBANCES[tally.name])
            tally.rounds += 1


async def _round(found: House, broker: Mosquitto, proxy: Proxy, disturb: Disturbance) -> None:
    dice = found.dice
    task = asyncio.ensure_future(disturb(found, broker, proxy, found.dice))
    devices = dice.sample((*_LAMPS[:3], *_LOCKS), 3)
    for device in devices:
        # Before, while and after the broker was last heard.
        await asyncio.sleep(dice.choice((0.0, 0.05, 0.4)))
        try:
            await found.say(device)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not be
            found.tally.fault("crash", repr(error))
    await task
    await found.bus.ready(_SOON_S)
    # All that is still to be said is said.
    while any(item.get_name() == FOLLOWING for item in asyncio.all_tasks()):  # noqa: ASYNC110 - tasks of others
        await asyncio.sleep(0.05)
    await found.devices.settled()
    found.judge()
