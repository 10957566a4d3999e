"""Which reading wins in little homes, from what is said to what is sent; and that what can't be done never wins."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from daemon.app import open_home
from daemon.core.ir import Inquiry, Order, Program
from daemon.core.resolution import Context
from daemon.core.result import Result
from daemon.core.turn import Utterance
from daemon.home.config import HomeConfig
from daemon.home.loader import load_home
from daemon.home.registry import Registry
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.named import kinds_of
from daemon.resolve.readings import Readings
from daemon.resolve.resolver import Resolver
from daemon.schedule.moments import Clock
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.understand.normalize import normalize
from tests.rules import GRAMMAR, REPLIES
from tests.tables import read_table
from tests.virtual_time import now

pytestmark = pytest.mark.virtual

ROOT = Path(__file__).resolve().parents[2]
TABLE = read_table(Path(__file__).parent / "little_homes.yaml")
A_LIGHT = {"type": "light", "capabilities": ["on_off", "brightness"]}
SWITCHED = {"capabilities": ["on_off"]}


def cases() -> Iterator[Any]:
    for entry in TABLE:
        for said, expected in entry["sentences"].items():
            yield pytest.param(entry, said, expected, id=f"{entry['home']}: {said}")


def home_of(entry: dict[str, Any], folder: Path) -> HomeConfig:
    """The home of an entry, as a home file says it."""
    devices = {name: _filled(device) for name, device in entry["devices"].items()}
    file = folder / "home.yaml"
    told = {key: entry[key] for key in ("areas", "scenes") if key in entry} | {"devices": devices}
    file.write_text(yaml.safe_dump(told, allow_unicode=True), encoding="utf-8")
    return load_home(file)


def _filled(device: dict[str, Any]) -> dict[str, Any]:
    if "type" not in device:
        return A_LIGHT | device
    return device if "capabilities" in device or "reads" in device else SWITCHED | device


@cache
def little(index: int, folder: Path) -> HomeConfig:
    return home_of(TABLE[index], folder)


@pytest.mark.parametrize(("entry", "said", "expected"), list(cases()))
async def test_the_reading_that_wins(entry: dict[str, Any], said: str, expected: str, tmp_path: Path) -> None:
    home = home_of(entry, tmp_path)
    broker = MemoryBroker(now)
    async with (
        SimulatedHome(broker.connect(), home.entities, home.simulation),
        open_home(home, broker.connect(), grammar=GRAMMAR, replies=REPLIES, clock=Clock(monotonic=now)) as opened,
    ):
        result = await opened.pipeline.handle(Utterance(said, area=entry.get("where"), satellite="console"))
    assert came(result) == wanted(expected), result.reply


def came(result: Result) -> object:
    """What came of a sentence, to be compared with what the table says."""
    if result.outcome == "query":
        return ("read", frozenset(result.read))
    if result.outcome != "execute":
        assert not result.commands
        return {"clarify": "ask"}.get(result.outcome, result.outcome)
    done: dict[str, set[str]] = {}
    for item in result.commands:
        value = "" if item.attribute is None else f" {item.attribute}={item.value:g}"
        done.setdefault(item.action + value, set()).update(item.targets)
    return {action: frozenset(devices) for action, devices in done.items()}


def wanted(expected: str) -> object:
    """What the table says."""
    if expected in ("ask", "reject", "ignore"):
        return expected
    found: dict[str, frozenset[str]] = {}
    for part in expected.split(";"):
        action, devices, *value = part.split()
        if action == "read":
            return ("read", frozenset(devices.split(",")))
        found[" ".join((action, *value))] = frozenset(devices.split(","))
    return found


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["home"])
def test_what_cannot_be_done_never_beats_what_can(entry: dict[str, Any], tmp_path: Path) -> None:
    registry = Registry(home_of(entry, tmp_path).entities)
    comprehension = Comprehension(GRAMMAR, registry)
    resolver = Resolver(registry, kinds_of(GRAMMAR.lexicon))
    readings = Readings(comprehension, resolver)
    for said in entry["sentences"]:
        normalized = normalize(said)
        context = Context(lang=normalized.lang, area=entry.get("where"))
        found = [item for item in comprehension.read(normalized) if isinstance(item.clauses[0], Order | Inquiry)]
        best, _ = readings.best(found, context)
        if any(can_be_done(item, resolver, context) for item in found):
            assert can_be_done(best, resolver, context), said


def can_be_done(program: Program, resolver: Resolver, context: Context) -> bool:
    """Whether everything that a program names is found and can do what is wanted."""
    found = [item for clause in program.clauses for item in resolver.resolve_clause(clause, context).targets]
    return program.missing is None and all(item.status in ("resolved", "ambiguous") for item in found)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_there_are_enough_sentences(lang: str) -> None:
    said = [sentence for entry in TABLE for sentence in entry["sentences"]]
    assert len([sentence for sentence in said if normalize(sentence).lang == lang]) >= 30
