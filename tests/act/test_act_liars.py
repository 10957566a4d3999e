"""A short run of the campaign `benchmarks.liars`, in virtual time."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from benchmarks.liars import Campaign, Score, main, played
from benchmarks.lying_brokers import buses
from benchmarks.lying_devices import LIES
from benchmarks.lying_ledger import AGAIN_S, Asked, too_often, unasked
from daemon.core.entities import Value
from daemon.core.outcomes import Write
from daemon.mqtt.bus import Publication
from tests.virtual_time import VirtualLoop


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_said_of_liars_that_is_not_so(seed: int) -> None:
    score = played("memory", acts=300, seed=seed, devices=100)
    assert score.total("acts") >= 300
    assert score.total("done") > score.total("failed") > 0
    assert score.seen == []


def test_what_cannot_be_told_is_counted_apart() -> None:
    score = Score()
    score.add("lies when asked", "apart")
    assert score.bad == 0
    score.add("memory", "FALSE DONE", "lamp")
    assert (score.bad, score.seen) == (1, ["FALSE DONE: memory: lamp"])


def test_its_table_names_the_lies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--broker", "memory", "--acts", "60", "--devices", "60", "--seed", "3"]) == 0
    said = capsys.readouterr().out
    assert any(name in said for name in LIES)
    assert "FALSE DONE" in said


def told(*found: tuple[float, Value], attribute: str = "state") -> list[tuple[float, dict[str, Value]]]:
    return [(at, {attribute: value}) for at, value in found]


def asked(value: Value, begun: float = 0.0, attribute: str = "state") -> Asked:
    return Asked(Write("lamp", attribute, value, "set"), begun)


ON, OFF, NEXT = asked("on"), asked("off"), asked("next", attribute="command")


@pytest.mark.parametrize(
    ("acts", "heard", "excess"),
    [
        ([ON], told((0.1, "on")), 0),
        ([ON], told((0.1, "on"), (0.1 + AGAIN_S, "on")), 0),
        ([ON], told((0.1, "on"), (0.11, "on")), 1),
        ([ON], told((0.1, "on"), (1.5, "on"), (2.9, "on")), 1),
        ([ON, OFF], told((0.1, "on"), (0.2, "off"), (1.6, "off")), 0),
        ([ON, OFF], told((0.1, "on"), (0.2, "off"), (0.3, "on")), 1),
        ([ON, ON], told((0.1, "on"), (0.2, "on")), 0),
        ([ON, asked("on", 0.5)], told((0.1, "on"), (0.2, "on")), 1),
        ([NEXT], told((0.1, "next"), attribute="command"), 0),
        ([NEXT], told((0.1, "next"), (2.0, "next"), attribute="command"), 1),
        ([ON], [], 0),
    ],
)
def test_each_time_that_a_device_is_told_is_held_against_an_act(
    acts: list[Asked], heard: list[tuple[float, dict[str, Value]]], excess: int
) -> None:
    assert len(too_often(heard, acts)) == excess
    assert not unasked(heard, acts)


def test_what_nobody_asked_for_is_seen() -> None:
    assert unasked(told((0.1, "on"), (0.2, "off")), [ON]) == told((0.2, "off"))


def doubling(publish: Callable[[Publication], Awaitable[None]]) -> Callable[[Publication], Awaitable[None]]:
    async def twice(publication: Publication) -> None:
        await publish(publication)
        if publication.topic.endswith("/set"):
            await publish(publication)

    return twice


def test_a_set_that_goes_out_twice_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def campaign() -> Score:
        async with buses("memory") as (house, liars):
            monkeypatch.setattr(house, "publish", doubling(house.publish))
            return await Campaign(house, liars, random.Random(3), 24).run(48)

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        score = runner.run(campaign())
    assert score.total("MORE") >= 40
    assert not score.total("WRONG")
