"""Keeping for later: what is kept of a decision, with its end, and what is said of it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from daemon.act.acting import Acting
from daemon.act.executor import Access
from daemon.core.decisions import Act, Keep, Query, Undo
from daemon.core.messages import Say
from daemon.core.questions import NOTHING_SETTLED, Settled
from daemon.core.resolution import Context
from daemon.core.result import Report
from daemon.core.trace import Trace
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.lists.lists import Lists
from daemon.schedule.agenda import Agenda
from daemon.schedule.entries import Entry, Kept
from daemon.schedule.keeping import Keeping
from tests.act.world import Bridge, Home, run
from tests.schedule.kept import HOME, NOON, Clocks, program

pytestmark = pytest.mark.virtual

HOUR = 3600.0


def turn(text: str, settled: Settled = NOTHING_SETTLED, **more: Any) -> Turn:
    return Turn(program(text), 0, Context("en", area="hall"), settled, 1.0, Trace(), text, "console", **more)


@dataclass
class World:
    """Two lamps at work, and what is kept for them."""

    keeping: Keeping
    acting: Acting
    agenda: Agenda
    clocks: Clocks
    lamp: Bridge

    @classmethod
    async def of(cls, **truth: Any) -> "World":
        home, clocks = await Home.of(*(HOME[item] for item in ("lamp", "fan", "lock"))), Clocks()
        lamp = Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "OFF", "brightness": 254} | truth)
        for name, state in (("fan", "OFF"), ("lock", "UNLOCK")):
            Bridge(home.bus, f"zigbee2mqtt/{name}", {"state": state}).tell()
        lamp.tell()
        await asyncio.sleep(120)
        access = Access(home.states, home.reader, home.executor, lambda: home.bus.connected)
        acting = Acting(registry=home.registry, access=access, scenes={}, clock=lambda: 0.0)
        agenda = clocks.agenda()
        keeping = Keeping(agenda, Lists(), clocks.moments, home.registry, acting, home.reader)
        return cls(keeping, acting, agenda, clocks, lamp)

    async def keep(self, text: str, *devices: str, settled: Settled = NOTHING_SETTLED, **more: Any) -> Report:
        return await self.keeping.keep(Keep(turn(text, settled), "sure", devices, **more))

    async def act(self, text: str, *devices: str, **more: Any) -> Report:
        decision = Act(turn(text, **more), "sure", devices)
        began = self.keeping.now()
        return await self.keeping.lasting(decision, await self.acting.act(decision), began)

    @property
    def ends(self) -> list[tuple[float, str | None, tuple[str, ...]]]:
        """When each end comes, what it does, and to what."""
        return [
            (self.agenda.due(item) - NOON, item.clause.action, item.them)
            for item in self.agenda.entries
            if item.sort == "end"
        ]


def keys(report: Report) -> list[str]:
    return [item.key for item in report.said if isinstance(item, Say)]


def kept(text: str, *devices: str, **more: Any) -> tuple[Report, tuple[Entry, ...]]:
    async def main() -> tuple[Report, tuple[Entry, ...]]:
        world = await World.of()
        return await world.keep(text, *devices, **more), world.agenda.entries

    return run(main)


@pytest.mark.parametrize(
    ("text", "sort", "due", "them"),
    [
        ("turn on the lamp in ten minutes", "time", 600.0, ("lamp",)),
        ("turn on the lamp at 7 pm", "time", 7 * HOUR, ("lamp",)),
        ("every weekday at 7 am turn on the lamp", "time", 43 * HOUR, ("lamp",)),
        ("whenever the door opens turn on the lamp", "rule", None, ("lamp",)),
        # A set is whatever it is then.
        ("turn on all lamps in ten minutes", "time", 600.0, ()),
    ],
)
def test_what_is_kept(text: str, sort: str, due: float | None, them: tuple[str, ...]) -> None:
    report, [entry] = kept(text, "lamp", watched=(("door",),) if sort == "rule" else ())
    assert report.outcome == "schedule"
    assert report.said == (Kept((entry,)),)
    assert report.kept == (entry.id,)
    assert (entry.sort, entry.due, entry.them) == (sort, None if due is None else NOON + due, them)
    assert entry.entities == ("lamp",)
    assert entry.clause.confidence == 1.0  # what was agreed to when it was made is not asked about then


def test_what_was_agreed_to_is_kept_with_it() -> None:
    settled = Settled(confirmed=("lock",), despite=(7,))
    _, [entry] = kept("unlock the door in ten minutes", "lock", settled=settled)
    assert (entry.confirmed, entry.despite) == (("lock",), (7,))


@pytest.mark.parametrize(
    ("text", "device", "reason"),
    [
        ("set the lamp to 150 percent in ten minutes", "lamp", "out_of_range"),
        ("set the fan to 50 percent in ten minutes", "fan", "unsupported"),
    ],
)
def test_what_cannot_be_done_is_said_now_and_not_kept(text: str, device: str, reason: str) -> None:
    report, entries = kept(text, device)
    assert (report.outcome, report.reason, entries) == ("reject", reason, ())


def test_what_only_cannot_be_done_now_is_kept() -> None:
    """A lamp that is off can't be dimmed; in ten minutes it may be on."""
    report, entries = kept("dim the lamp in ten minutes", "lamp")
    assert report.outcome == "schedule"
    assert len(entries) == 1


def test_what_is_so_already_and_what_is_spared_is_said() -> None:
    report, _ = kept("whenever the door opens turn on the lamp", "lamp", watched=(("door",),), holds=True)
    assert keys(report) == ["later.holds"]
    report, _ = kept("turn on the lamp at 7 pm", "lamp", spared=("fan",))
    assert keys(report) == ["spared.then"]


async def test_what_is_forbidden_twice_is_kept_once() -> None:
    world = await World.of()
    first = await world.keep("never unlock the door", "lock")
    again = await world.keep("never unlock the door", "lock")
    other = await world.keep("never turn on the lamp", "lamp")
    assert first.kept == again.kept != other.kept
    assert [(item.sort, item.entities) for item in world.agenda.entries] == [("ban", ("lock",)), ("ban", ("lamp",))]


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        (["turn on the lamp for an hour"], [(HOUR, "turn_off", ("lamp",))]),
        (["turn on the lamp until 8 pm"], [(8 * HOUR, "turn_off", ("lamp",))]),
        (["turn on the lamp"], []),
        # The newest length counts, whether it is longer or shorter.
        (["turn on the lamp for an hour", "turn on the lamp for ten minutes"], [(600, "turn_off", ("lamp",))]),
        (["turn on the lamp for ten minutes", "turn on the lamp for an hour"], [(HOUR, "turn_off", ("lamp",))]),
    ],
)
async def test_an_act_that_is_to_last_has_one_end(said: list[str], ends: Sequence[Any]) -> None:
    world = await World.of()
    reports = [await world.act(text, "lamp") for text in said]
    assert world.ends == ends
    assert len(reports[-1].kept) == len(ends)


async def test_an_end_of_several_is_shortened_for_one_alone() -> None:
    world = await World.of()
    await world.act("turn on the lamp for an hour", "lamp", "fan")
    await world.act("turn on the lamp for ten minutes", "lamp")
    assert world.ends == [(600, "turn_off", ("lamp",)), (HOUR, "turn_off", ("fan",))]


async def test_an_end_has_no_end_of_its_own() -> None:
    world = await World.of()
    await world.act("turn on the lamp for an hour", "lamp")
    [end] = world.agenda.entries
    assert end.clause.when is not None
    assert end.clause.when.duration_s is None
    assert end.elapsing


async def test_what_was_not_done_has_no_end() -> None:
    world = await World.of()
    world.lamp.obeys_s = (None,)
    report = await world.act("turn on the lamp for an hour", "lamp")
    assert [item.status for item in report.outcomes] == ["failed"]
    assert world.ends == []


async def test_until_an_hour_is_counted_from_when_it_was_planned_for() -> None:
    """What was for seven and is done at five past eight, because nobody was here, is not on until tomorrow."""
    world = await World.of()
    world.clocks.wait(8 * HOUR + 300)
    await world.act("turn on the lamp until 9 pm", "lamp", since=NOON + 7 * HOUR)
    assert world.ends == [(9 * HOUR, "turn_off", ("lamp",))]


async def test_what_was_kept_is_dropped_once() -> None:
    world = await World.of()
    await world.keep("turn on the lamp in ten minutes", "lamp")
    await world.keep("never unlock the door", "lock")
    drop = Undo(turn("turn on the lamp"), "undo")
    assert keys(await world.keeping.drop(replace(drop, dropped=(1,)))) == ["later.cancelled"]
    gone = await world.keeping.drop(replace(drop, dropped=(1,)))
    assert (gone.outcome, keys(gone)) == ("reject", ["later.none.such"])
    assert keys(await world.keeping.drop(replace(drop, dropped=(2,)))) == ["forbidden.lifted"]
    assert len(world.agenda) == 0


@pytest.mark.parametrize(
    ("asked", "none"), [("what is planned", "later.none"), ("what timers are set", "later.none.timers")]
)
async def test_what_is_kept_is_told(asked: str, none: str) -> None:
    world = await World.of()
    assert keys(await world.keeping.tell(Query(turn(asked), "list"))) == [none]
    await world.keep("turn on the lamp in ten minutes", "lamp")
    [entry] = world.agenda.entries
    told = await world.keeping.tell(Query(turn(asked), "list", kept=(entry.id, 99)))
    assert told.said == (Kept((entry,)),)
