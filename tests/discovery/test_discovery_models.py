"""Sixty models as zigbee2mqtt describes them: each can be used, from the announcement to the verified act.

The fixture is made by `benchmarks/zigbee_models.py` from the package zigbee-herdsman-converters (MIT licence, Koen
Kanters and contributors): names, types, ranges and words of what the models expose, nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.zigbee_models import announced, controllable, controlled, entities_of, faults
from daemon.act.reader import Patience
from daemon.app import open_home
from daemon.core.entities import Entity
from daemon.core.turn import Utterance
from daemon.core.values import replace
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.home.config import Discovery, HomeConfig
from daemon.mqtt.bus import Bus, Publication
from daemon.pipeline import Pipeline
from daemon.schedule.moments import Clock
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from tests.brokers import SOON_S, connected, prepare, running_mosquitto
from tests.rules import GRAMMAR, REPLIES
from tests.virtual_time import now

MODELS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "fixtures" / "zigbee_models.jsonl").read_text(encoding="utf-8").splitlines()
]
RULES = Path(__file__).resolve().parents[2] / "rules"
HOME = HomeConfig((Entity(id="study", kind="area", names=("Study",)),), discovery=Discovery())

WORDS = """
anvil barrel castle dolphin emerald falcon goblet harvest island jasmine kettle lantern magnet nectar orchid parrot
quarry rocket saddle tunnel umbrella violin walnut xylophone yogurt zeppelin acorn bucket cactus diamond easel feather
garlic hammer igloo jacket kayak ladder mirror napkin oyster pebble quilt ribbon sandal trumpet unicorn velvet whistle
yarn zipper apron bonnet candle dagger engine fossil gazelle hatchet ivory
"""
NAMES = WORDS.split()


def test_there_are_enough_models_of_enough_vendors() -> None:
    assert len(MODELS) == 60
    assert len({model["vendor"] for model in MODELS}) >= 15


@pytest.mark.parametrize("model", MODELS, ids=[f"{model['vendor']} {model['model']}" for model in MODELS])
def test_a_model_can_be_used(model: dict[str, Any]) -> None:
    entities = entities_of(model)
    assert entities
    assert [fault for entity in entities for fault in faults(model, entity)] == []
    if controllable(model):
        assert controlled(entities)


def renamed(message_payload: bytes, names: list[str]) -> bytes:
    devices = json.loads(message_payload)
    for device, name in zip(devices, names, strict=True):
        device["friendly_name"] = name
    return json.dumps(devices).encode()


@contextlib.asynccontextmanager
async def house(
    inside: Bus, players: Bus, names: list[str], clock: Clock | None = None
) -> AsyncIterator[tuple[Pipeline, list[Entity]]]:
    payload = renamed(announced(MODELS).payload, names)
    await players.publish(Publication("zigbee2mqtt/bridge/devices", payload, retain=True))
    told = Zigbee2MqttSource()
    told.take(replace(announced(MODELS), payload=payload))
    entities = [find.entity for find in told.finds()]
    async with (
        SimulatedHome(players, [item for item in entities if item.kind == "device"]),
        open_home(
            HOME,
            inside,
            grammar=GRAMMAR,
            replies=REPLIES,
            patience=Patience(deadline_s=3.0, mute_s=0.3, settle_s=0, slow_settle_s=0),
            sources=[Zigbee2MqttSource()],
            clock=clock,
        ) as opened,
    ):
        yield opened.pipeline, entities


def commands(entities: list[Entity]) -> list[tuple[str, str]]:
    """What to say to each device, with the id that it should reach: only what needs no yes."""
    said = []
    for entity in entities:
        able = {item.name for item in entity.capabilities if item.readable and item.gettable}
        if entity.kind != "device" or "essential" in entity.tags or entity.type in ("lock", "garage_door", "gate"):
            continue
        if "on_off" in able and entity.type not in ("valve", "alarm"):
            said.append((f"turn on the {entity.names[0]}", entity.id))
        elif "open_close" in able:
            said.append((f"open the {entity.names[0]}", entity.id))
    return said


@pytest.mark.virtual
async def test_what_is_announced_is_acted_on_and_verified() -> None:
    broker = MemoryBroker(now)
    async with house(broker.connect(), broker.connect(), NAMES, Clock(monotonic=now)) as (pipeline, entities):
        said = commands(entities)
        assert len(said) > 25
        for text, wanted in said:
            result = await pipeline.handle(Utterance(text))
            assert result.outcome == "execute", (text, result.reply)
            assert [target for command in result.commands for target in command.targets] == [wanted], text
            assert {item.status for item in result.outcomes} <= {"done"}, (text, result.reply)


async def test_a_real_broker_tells_the_same(tmp_path: Path) -> None:
    async with (
        running_mosquitto(prepare(tmp_path)) as broker,
        connected(broker.broker()) as inside,
        connected(broker.broker()) as players,
        house(inside, players, NAMES) as (pipeline, entities),
    ):
        text, wanted = commands(entities)[0]
        result = await pipeline.handle(Utterance(text))
        assert [target for command in result.commands for target in command.targets] == [wanted]
        assert [item.status for item in result.outcomes] == ["done"]
        # A new name is known within a second; the old one is gone.
        other = ["zebra" if name == text.split()[3] else name for name in NAMES]
        payload = renamed(announced(MODELS).payload, other)
        await players.publish(Publication("zigbee2mqtt/bridge/devices", payload, retain=True))
        async with asyncio.timeout(SOON_S):
            while (result := await pipeline.handle(Utterance("is the zebra on?"))).outcome != "query":  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert "zebra" in result.reply
