"""A timer is shown at the satellite at which it was set, and nowhere else."""

from __future__ import annotations

from typing import Any, cast

from daemon.commands.timers import show_timers
from daemon.core.values import replace
from daemon.satellites.satellite import Satellite, TimerNews
from daemon.schedule.entries import Entry
from tests.schedule.kept import ORIGIN, Clocks


class Shown:
    def __init__(self) -> None:
        self.news: list[TimerNews] = []

    def timer(self, news: TimerNews) -> None:
        self.news.append(news)

    @property
    def told(self) -> list[tuple[Any, ...]]:
        return [(item.kind, item.name, item.total_s, item.left_s, item.active) for item in self.news]


async def test_what_becomes_of_timers_is_shown_where_they_were_set() -> None:
    clocks, kitchen, hall = Clocks(), Shown(), Shown()
    agenda = clocks.agenda()
    ends = show_timers(agenda, {"kitchen": cast("Satellite", kitchen), "hall": cast("Satellite", hall)})
    origin = replace(ORIGIN, satellite="kitchen")
    pasta, _ = await agenda.keep(Entry(0, "timer", origin, clocks.wall + 600, name="pasta", seconds=600))
    await agenda.keep(Entry(0, "timer", origin, clocks.wall + 60, seconds=60, reminds="the bins"))
    clocks.wait(100)
    await agenda.put(replace(pasta, due=None, left=500.0))
    clocks.wait(100)
    await agenda.put(replace(pasta, due=clocks.wall + 500))
    clocks.wait(500)
    await agenda.drop([pasta.id])
    eggs, _ = await agenda.keep(Entry(0, "timer", origin, clocks.wall + 60, seconds=60))
    clocks.wait(20)
    await agenda.drop([eggs.id])
    ends()
    await agenda.keep(Entry(0, "timer", origin, clocks.wall + 60, seconds=60))
    assert kitchen.told == [
        ("started", "pasta", 600.0, 600.0, True),
        ("updated", "pasta", 600.0, 500.0, False),
        ("updated", "pasta", 600.0, 500.0, True),
        ("finished", "pasta", 600.0, 0.0, True),
        ("started", None, 60.0, 60.0, True),
        ("cancelled", None, 60.0, 40.0, True),
    ]
    assert hall.news == []
    assert len({item.id for item in kitchen.news}) == 2
