"""What announces itself in Home Assistant's form: told to a source, and spoken with."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from benchmarks.announcing import SIDES
from daemon.core.entities import Capability, Entity, Value
from daemon.discovery.find import Find
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.mqtt.bus import Message, Publication
from daemon.mqtt.dialects import dialects
from daemon.mqtt.dialects.template_sandbox import Sandbox, rendered
from daemon.mqtt.dialects.template_worker import variables_of
from daemon.mqtt.dialects.template_workshop import Job, Workshop
from daemon.mqtt.dialects.templates import Templates, asked
from tests.mqtt.things import Change


class InProcess(Workshop):
    """Renders what nobody wants to kill."""

    async def render(self, job: Job) -> str | None:
        return rendered(Sandbox().made(job.source), variables_of(job.text, payload=job.payload))


HOUSE, SIDE = dialects(Templates(InProcess()))["homeassistant"], SIDES["homeassistant"]


def message(topic: str, content: object) -> Message:
    payload = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Message(topic, payload, retained=True, at=0, sequence=1)


def told(announced: dict[str, Any], native: tuple[str, ...] = ()) -> tuple[HomeAssistantSource, dict[str, Find]]:
    source = HomeAssistantSource("homeassistant", native)
    for topic, content in announced.items():
        source.take(message(f"homeassistant/{topic}/config", content))
    return source, {find.entity.id: find for find in source.finds()}


def one(component: str, **config: Any) -> Entity:
    _, finds = told({f"{component}/x": {"uniq_id": "x", "name": "Thing", **config}})
    (find,) = finds.values()
    return find.entity


def sent(entity: Entity, *changes: tuple[str, Value]) -> list[tuple[str, str]]:
    wished = [Change(attribute, value) for attribute, value in changes]
    publications = asyncio.run(asked(lambda: HOUSE.encode(entity, wished)))
    return [(item.topic, item.payload.decode()) for item in publications]


def heard(entity: Entity, topic: str, payload: object) -> dict[str, Value] | None:
    text = payload if isinstance(payload, str) else json.dumps(payload)
    said = Message(topic, text.encode(), retained=False, at=0, sequence=1)
    return asyncio.run(asked(lambda: HOUSE.decode(entity, said)))


def published(item: Publication) -> Message:
    return Message(item.topic, item.payload, retained=False, at=0, sequence=1)


def able(entity: Entity, name: str) -> Capability:
    found = entity.capability(name)
    assert found is not None
    return found


PLUG = {"ids": ["p1"], "name": "Washer plug", "sa": "Laundry", "mf": "Maker"}
