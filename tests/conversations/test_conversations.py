"""Conversations, each in the home that its table names: from what is said to what was sent, seen and answered."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from daemon.act.job import Patience
from daemon.assembly import open_pipeline
from daemon.converse.replies import Replies
from daemon.home.config import HomeConfig
from daemon.home.loader import load_home
from daemon.pipeline import Pipeline
from daemon.result import Result
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.turn import Utterance
from daemon.understand.grammar import Grammar

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
GRAMMAR = Grammar.load(ROOT / "rules")
REPLIES = Replies.load(ROOT / "rules")
SENDS = ("execute", "mixed")


def _cases() -> list[Any]:
    """All conversations. A table is a list of them, or `home:` (a file in `homes/`) and `conversations:`."""
    found = []
    for path in sorted(HERE.glob("*.yaml")):
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        if isinstance(table, list):
            table = {"conversations": table}
        for case in table["conversations"]:
            home = case.get("home", table.get("home"))
            found.append(pytest.param(home, case, id=f"{path.stem}: {case['name']}"))
    return found


@cache
def _home(name: str | None) -> HomeConfig:
    return load_home(ROOT / "devices.yaml" if name is None else HERE / "homes" / f"{name}.yaml")


class _Clock:
    """Seconds, which pass where a conversation says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def _house(home: HomeConfig, clock: _Clock) -> AsyncIterator[tuple[Pipeline, SimulatedHome]]:
    broker = MemoryBroker()
    async with (
        SimulatedHome(broker.connect(), home.entities, home.simulation) as simulated,
        open_pipeline(
            home,
            broker.connect(),
            grammar=GRAMMAR,
            replies=REPLIES,
            patience=Patience(deadline_s=1.0, mute_s=0.2),
            clock=clock,
        ) as pipeline,
    ):
        yield pipeline, simulated


@pytest.mark.parametrize(("home", "case"), _cases())
async def test_conversation(home: str | None, case: dict[str, Any]) -> None:
    clock = _Clock()
    async with _house(_home(home), clock) as (pipeline, simulated):
        for device, values in case.get("setup", {}).items():
            await simulated.place(device, values)
        for turn in case["turns"]:
            clock.now += turn.get("after", 0)
            simulated.received.clear()
            result = await pipeline.handle(
                Utterance(
                    turn["say"],
                    area=turn.get("area", case.get("area")),
                    speaker=turn.get("speaker", case.get("speaker")),
                    satellite=turn.get("at", "console"),
                    lang=turn.get("lang"),
                    heard=turn.get("heard", 1.0),
                    alternatives=tuple((text, sure) for text, sure in turn.get("or", ())),
                )
            )
            outcome = turn.get("outcome", "execute")
            told = f"{turn['say']!r} -> {result.outcome}: {result.reply!r}"
            assert result.outcome == outcome, told
            assert outcome not in SENDS or "sent" in turn, f"say what is sent for {turn['say']!r}"
            assert _sent(result) == {_wanted(item) for item in turn.get("sent", ())}, told
            # Whatever a device got, the result owns up to.
            assert {device for device, _ in simulated.received} <= _reached(result, pipeline), told
            assert turn.get("reply", "") in result.reply, told
            assert turn.get("not") is None or turn["not"] not in result.reply, told


def _sent(result: Result) -> set[tuple[str, frozenset[str], str]]:
    return {
        (
            item.action,
            frozenset(item.targets),
            f"{item.attribute}={_number(item.value)}" if item.attribute is not None else "",
        )
        for item in result.commands
    }


def _reached(result: Result, pipeline: Pipeline) -> set[str]:
    """The devices of what was sent, those of a scene among them."""
    targets = {target for item in result.commands for target in item.targets}
    return targets | {member for target in targets for member in pipeline.registry[target].members}


def _wanted(text: str) -> tuple[str, frozenset[str], str]:
    """`turn_on lamp,spot_1..3 brightness=40` as a command."""
    action, devices, *parameter = text.split()
    named: set[str] = set()
    for device in devices.split(","):
        if found := re.fullmatch(r"(.+_)(\d+)\.\.(\d+)", device):
            named |= {f"{found[1]}{number}" for number in range(int(found[2]), int(found[3]) + 1)}
        else:
            named.add(device)
    return action, frozenset(named), "".join(parameter)


def _number(value: object) -> object:
    return f"{value:g}" if isinstance(value, float) else value
