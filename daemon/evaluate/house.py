"""A home to play cases in: the whole pipeline over a broker in memory, made anew for every case."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from daemon.act.reader import Patience
from daemon.app import open_home
from daemon.compiler.compiler import Compiler
from daemon.compiler.loading import NAME, Wanted, compiler
from daemon.converse.replies import Replies
from daemon.core.entities import Entity
from daemon.core.errors import ModelError
from daemon.core.turn import Utterance
from daemon.core.values import replace
from daemon.evaluate.atoms import state_in_words
from daemon.evaluate.cases import Case
from daemon.evaluate.runner import turn_line
from daemon.home.capabilities import STANDARD
from daemon.home.config import HomeConfig, SimulatedDevice
from daemon.home.foreign import load_foreign
from daemon.home.foreign_words import canonical_state
from daemon.home.loader import load_home
from daemon.home.registry import Registry
from daemon.models.store import Store
from daemon.pipeline import Pipeline
from daemon.resolve.meaning.index import Meanings
from daemon.resolve.meaning.vectors import Shelf, Vectors
from daemon.simulate.actor import Timing
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.system.config import Paths
from daemon.understand.grammar import Grammar

_COLOR_MODES = {
    "color": frozenset({"rgb", "rgbw", "rgbww", "hs", "xy"}),
    "color_temp": frozenset({"color_temp", "rgbww"}),
}


def arranged(home: HomeConfig, setup: Mapping[str, Mapping[str, Any]]) -> HomeConfig:
    """The home with the states of a case ({state, attributes} in Home Assistant's words), answering at once.

    Ids that are no part of the home (a weather report, a calendar) are passed over.
    """
    entities = tuple(_equipped(item, setup[item.id]) if item.id in setup else item for item in home.entities)
    devices = dict(home.simulation.devices)
    for entity in entities:
        if entity.id in setup:
            devices[entity.id] = _placed(entity, devices.get(entity.id, SimulatedDevice()), setup[entity.id])
    return replace(
        home, entities=entities, simulation=replace(home.simulation, latency_ms=0.0, jitter_ms=0.0, devices=devices)
    )


def _equipped(entity: Entity, given: Mapping[str, Any]) -> Entity:
    """With the colours that the case says the lamp has."""
    modes = (given.get("attributes") or {}).get("supported_color_modes")
    more = [
        STANDARD[name]
        for name, these in _COLOR_MODES.items()
        if isinstance(modes, list) and these.intersection(map(str, modes)) and entity.capability(name) is None
    ]
    return replace(entity, capabilities=(*entity.capabilities, *more)) if more else entity


def _placed(entity: Entity, script: SimulatedDevice, given: Mapping[str, Any]) -> SimulatedDevice:
    state = given.get("state")
    away = state == "unavailable"
    values = canonical_state(entity, None if away else state, given.get("attributes") or {})
    if state is None or away:
        values.pop("state", None)
    # A cover's position follows from its state unless the case gives both.
    stale = {"position"} if "state" in values else set()
    kept = {name: value for name, value in script.state.items() if name not in stale}
    behaviour = "offline" if away else "normal" if state is not None else script.behaviour
    return replace(script, behaviour=behaviour, state={**kept, **values})


# Simulated devices answer at once, so what has not come by then never will.
_PATIENCE = Patience(
    deadline_s=0.4,
    slow_s=0.4,
    mute_s=0.05,
    grace_s=0.02,
    pause_s=0.05,
    longest_pause_s=0.1,
    twin_s=0,
    settle_s=0,
    slow_settle_s=0,
)
_TIMING = Timing(travel_s=0.0)

_READY_S = 60.0
"""A case waits for what names mean, so that it ends the same on a slow machine."""

_Truths = dict[str, dict[str, Any]]


class SimulatedHouse:
    """Plays cases in one home. Only what a case can't change is kept from one to the next."""

    def __init__(
        self, home: HomeConfig, grammar: Grammar, replies: Replies, vectors: Vectors, compiler: Compiler | None = None
    ) -> None:
        self._compiler = compiler
        self._home = home
        self._meanings = Meanings(vectors, _READY_S)
        self._grammar = grammar
        self._replies = replies
        self._registry = Registry(home.entities, home.people)

    def expand(self, entity: str) -> tuple[str, ...]:
        """A group's members; any other id alone."""
        found = self._registry.get(entity)
        return self._registry.expand(entity) if found is not None and found.kind == "group" else (entity,)

    async def play(self, case: Case) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
        """The result line (without `id`) and the trace of every turn."""
        broker = MemoryBroker()
        home = arranged(self._home, case.setup)
        async with (
            SimulatedHome(broker.connect(), home.entities, home.simulation, _TIMING) as devices,
            open_home(
                home,
                broker.connect(),
                grammar=self._grammar,
                replies=self._replies,
                patience=_PATIENCE,
                meanings=[self._meanings.of],
                compiler=self._compiler,
            ) as opened,
        ):
            conversation = _Conversation(self._registry, devices, opened.pipeline, case)
            for text in case.prior_turns:
                await conversation.say(text)
            line = await conversation.say(case.text)
            if line["outcome"] == "clarify" and case.user_answer is not None:
                line["after_answer"] = await conversation.say(case.user_answer)
            return line, tuple(conversation.trace)


@asynccontextmanager
async def open_house(home: Path | None) -> AsyncIterator[SimulatedHouse]:
    """The house of a home file; of None, one without any devices.

    Raises:
        ConfigError: the file is wrong.
    """
    paths = Paths.of()
    loaded = load_any(home)
    vectors = Vectors(Shelf(paths.models, loaded.encoder))
    yield SimulatedHouse(loaded, Grammar.load(paths.rules), Replies.load(paths.rules), vectors)


@asynccontextmanager
async def open_house_with_model(home: Path | None, second: str | None = None) -> AsyncIterator[SimulatedHouse]:
    """As `open_house`, with the small model where the grammar has no sure reading; `second` is as for `Wanted`.

    Raises:
        ConfigError: a file is wrong.
        ModelError: a model is not there or fails: what is to be measured must not be left out in silence.
    """
    paths = Paths.of()
    grammar = Grammar.load(paths.rules)
    for name in {NAME, second or NAME}:
        Store(paths.models).require(name)
    loaded = load_any(home)
    shelf = Shelf(paths.models, loaded.encoder)
    made = compiler(paths.models, paths.rules, grammar, Wanted(second, _READY_S))
    try:
        vectors = Vectors(shelf)
        yield SimulatedHouse(loaded, grammar, Replies.load(paths.rules), vectors, made)
    finally:
        made.close()
    if (problem := made.problem or made.missing) is not None:
        raise ModelError(problem)


def load_any(home: Path | None) -> HomeConfig:
    """A home file in either format, told by its ending; of None, a home without anything."""
    if home is None:
        return HomeConfig(entities=())
    return load_foreign(home) if home.suffix == ".json" else load_home(home)


class _Conversation:
    """The turns of one case, and all that they left in the trace."""

    def __init__(self, registry: Registry, devices: SimulatedHome, pipeline: Pipeline, case: Case) -> None:
        self._registry = registry
        self._devices = devices
        self._pipeline = pipeline
        self._case = case
        self.trace: list[dict[str, Any]] = []

    async def say(self, text: str) -> dict[str, Any]:
        before = self._truths()
        self._devices.received.clear()
        case = self._case
        result = await self._pipeline.handle(Utterance(text=text, lang=case.lang, area=case.area, speaker=case.speaker))
        self.trace += [{"said": text}, *result.trace]
        after = self._truths()
        changed = {device for device, truth in after.items() if truth != before[device]}
        told = {device for command in result.commands for target in command.targets for device in self._reach(target)}
        touched = changed | {device for device in told | set(case.setup) if device in after}
        line = turn_line(result, {device: state_in_words(after[device]) for device in sorted(touched)})
        line["commands"] += _untold(self._devices.received, told)
        return line

    def _truths(self) -> _Truths:
        return {device.id: self._devices.truth(device.id) for device in self._registry.devices if device.address}

    def _reach(self, target: str) -> Iterable[str]:
        entity = self._registry.get(target)
        if entity is None or entity.kind == "device":
            return (target,)
        return (target, *entity.members, *self._registry.expand(target))


def _untold(received: Iterable[tuple[str, dict[str, Any]]], told: set[str]) -> list[dict[str, Any]]:
    """Commands that devices got and the result does not mention: whatever was sent is to be scored."""
    return [
        {"action": "set", "attribute": attribute, "value": value, "targets": [device]}
        for device, changes in received
        if device not in told
        for attribute, value in changes.items()
    ]
