"""A client that floods the broker, and a house that goes on."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from daemon.home.loader import load_home
from daemon.simulate.home import SimulatedHome
from tests.brokers import PASSWORD, USER, Mosquitto, connected
from tests.daemon.processes import HOME, SOON_S, Place, running, say

FLOODER = Path(__file__).with_name("flooder.py")
BURSTS = 10
"""So many are sent before anything else happens."""
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
    for _ in range(BURSTS):
        assert await process.stdout.readline()
    draining = asyncio.create_task(process.stdout.read())
    try:
        yield process
        assert process.returncode is None, "it flooded to the end"
    finally:
        process.stdin.close()
        await process.wait()
        await draining


async def obeyed(place: Place, command: str) -> None:
    """Says it until it is seen to be done."""
    async with asyncio.timeout(SOON_S):
        while [item["status"] for item in (await say(place, command))[0].get("outcomes", ())] != ["done"]:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


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
            for word in ("on", "off", "on"):
                acted, told = await say(place, f"turn {word} old friend", "is old friend on")
                # What is seen in time is the machine's part; that nothing is said but what is so is ours.
                statuses = [item["status"] for item in acted.get("outcomes", ())]
                assert statuses in (["done"], ["unconfirmed"], ["refused"], [])
                if statuses == ["done"]:
                    assert house.truth("old_friend")["state"] == word
                    assert told["reply"] != ("No, Old friend is off." if word == "on" else "Yes, Old friend is on.")
        await obeyed(place, "turn off old friend")
        assert house.truth("old_friend")["state"] == "off"
        # What the flood said of it was said by somebody else: asked now, the lamp tells the truth.
        [told] = await say(place, "is the hall light on")
        assert told["reply"].startswith("No, ")
        assert await daemon.terminate() == 0
