"""A client that floods the broker, and a house that goes on."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from daemon.home.loader import load_home
from daemon.simulate.home import SimulatedHome
from tests.brokers import PASSWORD, USER, Mosquitto, connected, eventually
from tests.daemon.processes import HOME, Place, running, say

FLOODER = Path(__file__).with_name("flooder.py")
OURS = ("zigbee2mqtt/hall_light", "zigbee2mqtt/kitchen_desk_lamp")
FOREIGN = ("zigbee2mqtt/somebody else", "$other/thing", "sensors/attic/7")


@contextlib.asynccontextmanager
async def flood(broker: Mosquitto, *topics: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(FLOODER), str(broker.port), USER, PASSWORD, *topics),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert await process.stdout.readline()
    draining = asyncio.create_task(process.stdout.read())
    try:
        yield process
        assert process.returncode is None, "it flooded to the end"
    finally:
        process.stdin.close()
        await process.wait()
        await draining


@pytest.mark.parametrize("topics", [OURS, FOREIGN, (*OURS, *FOREIGN)], ids=["devices", "foreign", "both"])
async def test_a_flood_neither_stops_commands_nor_spoils_states(
    place: Place, mosquitto: Mosquitto, topics: tuple[str, ...]
) -> None:
    place.extra = {"BROKER_PASSWORD": PASSWORD}
    place.furnish({"host": "127.0.0.1", "port": mosquitto.port, "user": USER, "password": {"env": "BROKER_PASSWORD"}})
    home = load_home(HOME)
    async with (
        connected(mosquitto.broker(status_topic=None)) as bus,
        SimulatedHome(bus, home.entities, home.simulation) as house,
        running(place) as daemon,
    ):
        async with flood(mosquitto, *topics):
            if topics != FOREIGN:
                await daemon.until(lambda: any("too many messages" in line for line in daemon.err))
            for word in ("on", "off", "on"):
                acted, told = await say(place, f"turn {word} old friend", "is old friend on")
                # How soon it is seen is the machine's part.
                assert {item["status"] for item in acted["outcomes"]} <= {"done", "unconfirmed"}
                await eventually(lambda word=word: house.truth("old_friend")["state"] == word)  # type: ignore[misc]
                wrong = "No, Old friend is off." if word == "on" else "Yes, Old friend is on."
                assert told["reply"] != wrong
        # What the flood said of it was said by somebody else: asked now, the lamp tells the truth.
        [told] = await say(place, "is the hall light on")
        assert told["reply"].startswith("No, ")
        assert not any("no connection" in line for line in daemon.err)
        assert await daemon.terminate() == 0
