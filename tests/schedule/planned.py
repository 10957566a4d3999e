"""A house whose days go by in moments: its agenda outlasts it, and its clock on the wall may be set."""

import math
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from daemon.act.reader import Patience
from daemon.app import Opened, open_home
from daemon.converse.conclusion import Announcement
from daemon.core.turn import Utterance
from daemon.home.loader import load_home
from daemon.schedule.agenda import Agenda, Store
from daemon.schedule.moments import Clock
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from tests.rules import GRAMMAR, REPLIES
from tests.virtual_time import now

HOME = load_home(Path(__file__).parent / "plans.yaml")


@dataclass(frozen=True)
class Act:
    """What one device was sent, and when by each clock."""

    device: str
    wish: str
    wall: float
    gone: float


@dataclass
class House:
    """Its devices and its broker stay while the daemon is restarted."""

    file: Path
    zone: ZoneInfo
    start: float
    simulated: SimulatedHome
    broker: MemoryBroker
    opened: Opened | None = None
    skipped: float = 0.0
    set_by: float = 0.0
    """By so much the clock on the wall was set so far."""
    acts: list[Act] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    def __call__(self, announcement: Announcement) -> None:
        self.told.append(announcement.reply)

    @property
    def agenda(self) -> Agenda:
        assert self.opened is not None
        return self.opened.later.agenda

    def gone(self) -> float:
        return now() + self.skipped

    def wall(self) -> float:
        return self.start + self.set_by + self.gone()

    def local(self, at: float) -> datetime:
        return datetime.fromtimestamp(at, self.zone)

    async def restart(self) -> None:
        """The daemon ends, and another one begins with what was stored."""
        await self.stack.aclose()
        self.stack = AsyncExitStack()
        opening = open_home(
            HOME,
            self.broker.connect(),
            grammar=GRAMMAR,
            replies=REPLIES,
            patience=Patience(deadline_s=1.0, mute_s=0.2),
            clock=Clock(self.wall, self.gone, self.zone),
            kept=(Store(self.file), None),
        )
        self.opened = await self.stack.enter_async_context(opening)
        self.opened.pipeline.parts.announcements.listen(self)

    async def say(self, text: str, lang: str) -> None:
        assert self.opened is not None
        result = await self.opened.pipeline.handle(Utterance(text, lang=lang))
        assert result.outcome in ("execute", "schedule"), f"{text!r} -> {result.reply!r}"
        self._noted()

    async def place(self, device: str, attribute: str, value: str) -> None:
        await self.simulated.place(device, {attribute: value})
        await self._tick()

    async def live(self, seconds: float) -> None:
        """Time goes by, from one moment of what is kept to the next."""
        end = self.gone() + seconds
        while (left := end - self.gone()) > 0:
            first = min((self.agenda.due(item) for item in self.agenda.entries), default=math.inf)
            self.skipped += min(left, max(0.1, first - self.wall()))
            await self._tick()

    async def _tick(self) -> None:
        assert self.opened is not None
        for _ in range(2):  # and what that made happen
            await self.opened.firing.tick()
            self._noted()

    def _noted(self) -> None:
        for device, wishes in self.simulated.received:
            for name, value in wishes.items():
                wish = str(value) if name == "state" else f"{name}={value}"
                self.acts.append(Act(device, wish, self.wall(), self.gone()))
        self.simulated.received.clear()


@asynccontextmanager
async def planned(folder: Path, zone: str, start: str) -> AsyncIterator[House]:
    """A house that is at work, from a local time on."""
    broker = MemoryBroker(now)
    here = ZoneInfo(zone)
    begin = datetime.fromisoformat(start).replace(tzinfo=here).timestamp()
    async with SimulatedHome(broker.connect(), HOME.entities, HOME.simulation) as simulated:
        house = House(folder / "later.db", here, begin, simulated, broker)
        await house.restart()
        try:
            yield house
        finally:
            await house.stack.aclose()
