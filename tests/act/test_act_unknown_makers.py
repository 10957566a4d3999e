"""Devices that announce themselves by a bridge of which nobody knows whether it only repeats the wish."""

import asyncio
import json
from typing import Any

import pytest

from daemon.core.entities import Entity, Value
from daemon.core.outcomes import Outcome, Write
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.mqtt.bus import Message, Publication
from tests.act.world import Home

pytestmark = pytest.mark.virtual

ESPHOME = {"dev": {"ids": "x", "name": "X", "sw": "esphome v2026.3.1", "mf": "espressif"}}
OPEN, CLOSED, LOCKED, ON = ("state", "open"), ("state", "closed"), ("state", "locked"), ("state", "on")


def announced(component: str, **config: Any) -> Entity:
    source = HomeAssistantSource()
    said = json.dumps({"uniq_id": "x", "name": "X", "cmd_t": "x/set", "stat_t": "x", **config}).encode()
    source.take(Message(f"homeassistant/{component}/x/config", said, True, 0, 1))  # noqa: FBT003 - as it comes
    [find] = source.finds()
    return find.entity


async def act(
    entity: Entity, wish: tuple[str, Value], before: dict[str, str], echo: dict[str, str], *, verb: str = "set"
) -> Outcome:
    """One act on a device of which only its bridge says something: the wish."""
    home = await Home.of(entity)
    for topic, said in before.items():
        home.bus.deliver(topic, said.encode())

    def hear(publication: Publication) -> None:
        if publication.topic == "x/set":
            for topic, said in echo.items():
                asyncio.get_running_loop().call_later(0.05, home.bus.deliver, topic, said.encode())

    home.bus.on_publish.append(hear)
    [outcome] = await home.executor.execute([Write(entity.id, *wish, verb)])
    return outcome


@pytest.mark.parametrize(
    ("component", "config", "wish", "status"),
    [
        ("lock", {}, LOCKED, "unconfirmed"),
        ("cover", {"dev_cla": "garage"}, OPEN, "unconfirmed"),
        ("cover", {"dev_cla": "gate"}, CLOSED, "unconfirmed"),
        ("switch", {"o": {"name": "zwavejs2mqtt"}}, ON, "unconfirmed"),
        ("light", {"dev": {"ids": "x", "name": "X", "sw": "OpenMQTTGateway"}}, ON, "unconfirmed"),
        # Firmware that is known says what it does; and a lamp that is not at stake is believed.
        ("lock", ESPHOME, LOCKED, "done"),
        ("switch", {}, ON, "done"),
    ],
)
async def test_the_wish_alone_proves_nothing_of_what_is_at_stake(
    component: str, config: dict[str, Any], wish: tuple[str, Value], status: str
) -> None:
    entity = announced(component, **config)
    said = {"locked": "LOCKED", "on": "ON"}.get(str(wish[1]), str(wish[1]))
    assert (await act(entity, wish, {}, {"x": said})).status == status


@pytest.mark.parametrize("echo", [{}, {"x": "open"}])
async def test_a_position_that_is_only_told_tells_that_it_is_not_open(echo: dict[str, str]) -> None:
    entity = announced("cover", pos_t="x/pos")
    assert entity.capability("position") is None
    outcome = await act(entity, OPEN, {"x": "open", "x/pos": "8"}, echo)
    assert (outcome.status, outcome.reason) == ("unconfirmed", "no_answer")
    assert (await act(entity, OPEN, {"x": "open", "x/pos": "8"}, {"x/pos": "100"})).status == "done"


@pytest.mark.parametrize(
    ("state", "wish", "already"),
    [("opening", CLOSED, False), ("closing", CLOSED, True), ("closed", CLOSED, True), ("opening", OPEN, False)],
)
async def test_what_opens_is_not_closed_already(state: str, wish: tuple[str, Value], *, already: bool) -> None:
    entity = announced("cover", pos_t="x/pos", set_pos_t="x/place")
    outcome = await act(entity, wish, {"x": state, "x/pos": "0"}, {})
    assert (outcome.reason == "already") is already
