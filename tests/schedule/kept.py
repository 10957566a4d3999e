"""What is kept, made of sentences; and an agenda whose clocks a test sets."""

from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from daemon.core.ir import Program
from daemon.core.values import replace
from daemon.home.registry import Registry
from daemon.schedule.agenda import Agenda, Store
from daemon.schedule.entries import Entry, Origin, Sort
from daemon.schedule.moments import Clock, Moments
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize
from tests.act.world import device
from tests.rules import GRAMMAR

ZONE = ZoneInfo("Europe/Amsterdam")
NOON = 1_795_258_800.0
"""Saturday, 21 November 2026, twelve o'clock in Amsterdam."""
ORIGIN = Origin("as it was said", "en", "console", NOON, "hall")
HOME = Registry(
    [
        device("lamp", "on_off", "brightness"),
        device("heater", "on_off", kind="heater"),
        device("fan", "on_off", kind="fan"),
        device("tv", "on_off", "volume", kind="tv"),
        device("lock", "lock", kind="lock"),
        device("blind", "open_close", "position", kind="blind"),
    ]
)


@dataclass
class Clocks:
    """A wall clock that can be set, and one that only goes on."""

    wall: float = NOON
    gone: float = 50.0
    clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = Clock(lambda: self.wall, lambda: self.gone, ZONE)

    @property
    def moments(self) -> Moments:
        return Moments(self.clock)

    def agenda(self, store: Store | None = None) -> Agenda:
        return Agenda(self.clock, store)

    def wait(self, seconds: float) -> None:
        self.wall += seconds
        self.gone += seconds


def program(text: str, lang: str = "en") -> Program:
    """The best reading of a sentence."""
    return GRAMMAR.read(normalize(text, lang), NameTable())[0]


def clause(text: str) -> Any:
    """The only clause of a sentence."""
    [found] = program(text).clauses
    return found


def entry(text: str, *devices: str, sort: Sort = "time", due: float | None = None, **more: Any) -> Entry:
    """A command that was kept for these devices, which it names as "them"."""
    return replace(Entry(0, sort, ORIGIN, due, program(text), devices, devices), **more)
