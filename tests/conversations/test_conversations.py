"""Conversations on the home of devices.yaml: from what is said to what was sent, seen and answered."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from daemon.act.job import Patience
from daemon.assembly import open_pipeline
from daemon.converse.replies import Replies
from daemon.home.loader import load_home
from daemon.pipeline import Pipeline
from daemon.result import Result
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.turn import Utterance
from daemon.understand.grammar import Grammar

ROOT = Path(__file__).resolve().parents[2]
HOME = load_home(ROOT / "devices.yaml")
GRAMMAR = Grammar.load(ROOT / "rules")
REPLIES = Replies.load(ROOT / "rules")
TABLES = sorted(Path(__file__).parent.glob("*.yaml"))
CASES = [
    pytest.param(case, id=f"{path.stem}: {case['name']}")
    for path in TABLES
    for case in yaml.safe_load(path.read_text(encoding="utf-8"))
]


@pytest.fixture
async def house() -> AsyncIterator[tuple[Pipeline, SimulatedHome]]:
    broker = MemoryBroker()
    async with (
        SimulatedHome(broker.connect(), HOME.entities, HOME.simulation) as simulated,
        open_pipeline(
            HOME, broker.connect(), grammar=GRAMMAR, replies=REPLIES, patience=Patience(deadline_s=1.0, mute_s=0.2)
        ) as pipeline,
    ):
        yield pipeline, simulated


@pytest.mark.parametrize("case", CASES)
async def test_conversation(case: dict[str, Any], house: tuple[Pipeline, SimulatedHome]) -> None:
    pipeline, simulated = house
    for device, values in case.get("setup", {}).items():
        await simulated.place(device, values)
    for turn in case["turns"]:
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
        told = f"{turn['say']!r} -> {result.outcome}: {result.reply!r}"
        if "sent" in turn:
            assert _sent(result) == {_wanted(item) for item in turn["sent"]}, told
        assert result.outcome == turn.get("outcome", "execute"), told
        assert turn.get("reply", "") in result.reply, told
        if "not" in turn:
            assert turn["not"] not in result.reply, told


def _sent(result: Result) -> set[tuple[str, frozenset[str], str]]:
    return {
        (
            item.action,
            frozenset(item.targets),
            f"{item.attribute}={_number(item.value)}" if item.attribute is not None else "",
        )
        for item in result.commands
    }


def _wanted(text: str) -> tuple[str, frozenset[str], str]:
    action, devices, *parameter = text.split()
    return action, frozenset(devices.split(",")), "".join(parameter)


def _number(value: object) -> object:
    return f"{value:g}" if isinstance(value, float) else value
