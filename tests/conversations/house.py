"""A simulated home that can be spoken to: from the text to what its devices saw."""

import math
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from daemon.act.audit import Audit
from daemon.act.reader import Patience
from daemon.app import Opened, open_home
from daemon.converse.conclusion import Announcement
from daemon.core.entities import Value
from daemon.home.config import HomeConfig
from daemon.home.loader import load_home
from daemon.schedule.moments import Clock
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from tests.rules import GRAMMAR, REPLIES
from tests.virtual_time import now

ZONE = ZoneInfo("Europe/Amsterdam")
ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent


@cache
def home_of(name: str | None) -> HomeConfig:
    return load_home(ROOT / "devices.yaml" if name is None else HERE / "homes" / f"{name}.yaml")


@dataclass
class Time:
    """Both clocks, which go on where a conversation says so; a Saturday afternoon in November at first."""

    wall: float = datetime(2026, 11, 21, 14, 25, tzinfo=ZONE).timestamp()
    skipped: float = 0.0

    def clock(self) -> Clock:
        return Clock(lambda: self.wall, self.gone, ZONE)

    def gone(self) -> float:
        return now() + self.skipped

    def wait(self, seconds: float) -> None:
        self.wall += seconds
        self.skipped += seconds


@dataclass
class House:
    opened: Opened
    simulated: SimulatedHome
    broker: MemoryBroker
    time: Time
    told: list[Announcement] = field(default_factory=list)

    def __call__(self, announcement: Announcement) -> None:
        self.told.append(announcement)

    async def live(self, seconds: float) -> Counter[tuple[str, str]]:
        """Time goes by, from one moment of what is kept to the next: how often each device was sent what."""
        sent: Counter[tuple[str, str]] = Counter()
        agenda, end = self.opened.later.agenda, self.time.wall + seconds
        while (left := end - self.time.wall) > 0:
            first = min((agenda.due(item) for item in agenda.entries), default=math.inf)
            self.time.wait(min(left, max(1.0, first - self.time.wall)))
            self.simulated.received.clear()
            await self.opened.firing.tick()
            await self.opened.firing.tick()  # what that made happen
            # What was sent once more to one that was slow to answer is one act.
            sent.update({(device, _said(wishes)) for device, wishes in self.simulated.received})
        return sent


def _said(wishes: dict[str, Value]) -> str:
    """What was sent to one device, in short: `on`, `brightness=40`."""
    return " ".join(f"{value}" if name == "state" else f"{name}={value}" for name, value in wishes.items())


@asynccontextmanager
async def open_house(home: HomeConfig, time: Time, audit: Audit | None = None) -> AsyncIterator[House]:
    broker = MemoryBroker(time.gone)
    async with (
        SimulatedHome(broker.connect(), home.entities, home.simulation) as simulated,
        open_home(
            home,
            broker.connect(),
            grammar=GRAMMAR,
            replies=REPLIES,
            patience=Patience(deadline_s=1.0, mute_s=0.2, settle_s=0, slow_settle_s=0),
            clock=time.clock(),
            audit=audit,
        ) as opened,
    ):
        house = House(opened, simulated, broker, time)
        opened.pipeline.parts.announcements.listen(house)
        yield house
