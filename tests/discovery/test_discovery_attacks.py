"""Retained announcements that would freeze the daemon: the rest of the home works, now and after each restart."""

from __future__ import annotations

import asyncio
import json

import pytest

from daemon.app import Opened
from daemon.core.turn import Utterance
from daemon.mqtt.bus import Publication
from daemon.mqtt.dialects.template_sandbox import MAX_SOURCE
from daemon.simulate.memory import MemoryBroker
from tests.discovery.firmware import TasmotaPlug, discovering
from tests.mqtt.test_mqtt_template_attacks import LARGE, LONG, PAYLOAD
from tests.virtual_time import now

pytestmark = pytest.mark.virtual

ATTACKS = {**LONG, "a huge range": LARGE["a huge range"]}


def announced(number: int, template: str) -> dict[str, str]:
    return {
        "name": f"Attacker {number}",
        "uniq_id": f"attacker_{number}",
        "cmd_t": f"attack/{number}/set",
        "stat_t": f"attack/{number}",
        "val_tpl": template,
    }


async def off(opened: Opened, wanted: int) -> dict[str, str]:
    """What is off, once it is so many."""
    while len(found := opened.inventory.difference()["off"]) < wanted:  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.1)
    return dict(found)


async def test_the_rest_of_the_home_works_and_the_attackers_are_told() -> None:
    broker = MemoryBroker(now)
    plug = TasmotaPlug(broker.connect())
    await plug.start()
    outside = broker.connect()
    for number, template in enumerate(ATTACKS.values()):
        config = json.dumps(announced(number, template)).encode()
        await outside.publish(Publication(f"homeassistant/switch/attacker_{number}/config", config, retain=True))
        await outside.publish(Publication(f"attack/{number}", PAYLOAD.encode(), retain=True))
    await asyncio.sleep(0.01)
    for text, state in (("turn on the coffee plug", "ON"), ("turn off the coffee plug", "OFF")):
        async with discovering(broker.connect()) as opened:
            result = await opened.pipeline.handle(Utterance(text))
            assert [item.status for item in result.outcomes] == ["done"]
            assert plug.heard[-1] == ("cmnd/coffee/POWER", state)
            told = await off(opened, len(LONG))
            assert {f"attacker_{number}" for number in range(len(LONG))} <= {name.split(".")[-1] for name in told}
            assert all("needs too much" in why for why in told.values())
    assert plug.refused == []


DEEP = {
    piece: "{{ value" + piece * ((MAX_SOURCE - 11) // len(piece)) + " }}"
    for piece in ("|int", "+1", ".a", "[0]", " or 1", "**1", "()", " is odd")
}


@pytest.mark.parametrize("piece", DEEP)
async def test_a_template_that_goes_as_deep_as_it_may_hides_nothing_that_is_announced_after_it(piece: str) -> None:
    broker = MemoryBroker(now)
    outside = broker.connect()
    await outside.publish(switch("aaa"))
    attack = json.dumps(announced(1, DEEP[piece])).encode()
    await outside.publish(Publication("homeassistant/switch/evil/config", attack, retain=True))
    await outside.publish(switch("zzz"))
    await asyncio.sleep(0.01)
    async with discovering(broker.connect()) as opened:
        await outside.publish(switch("late"))
        await asyncio.sleep(2)
        found = opened.inventory.difference()
        assert {"switch.aaa", "switch.zzz", "switch.late"} <= set(found["added"])
        assert "template" in found["unusable"]["homeassistant/switch/evil/config"]


def switch(name: str) -> Publication:
    config = {"name": f"Switch {name}", "uniq_id": name, "cmd_t": f"{name}/set", "stat_t": name}
    return Publication(f"homeassistant/switch/{name}/config", json.dumps(config).encode(), retain=True)


async def test_a_command_by_a_template_that_takes_too_long_is_refused_in_words() -> None:
    broker = MemoryBroker(now)
    outside = broker.connect()
    lock = announced(1, "") | {
        "name": "Barn plug",
        "cmd_tpl": LONG["exponential in the open"].replace("value", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac'"),
    }
    await outside.publish(Publication("homeassistant/switch/barn/config", json.dumps(lock).encode(), retain=True))
    await asyncio.sleep(0.01)
    async with discovering(broker.connect()) as opened:
        for _ in range(2):
            result = await opened.pipeline.handle(Utterance("turn on the barn plug"))
            assert [(item.status, item.reason) for item in result.outcomes] == [("refused", "template_late")]
            assert "template" in result.reply
        assert "模板" in (await opened.pipeline.handle(Utterance("打开 barn plug"))).reply
