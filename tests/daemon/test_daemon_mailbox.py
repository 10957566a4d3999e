"""Commands that satellites write on the broker, and what comes back."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from daemon.home.loader import load_home
from daemon.mqtt.bus import Publication
from daemon.mqtt.connection import Connection
from daemon.simulate.home import SimulatedHome
from tests.brokers import USER, Inbox, Mosquitto, connected
from tests.daemon.processes import HOME, Place, running

SECTIONS = """
satellites:
  kitchen: {area: kitchen}
  bed: {area: bedroom, speaker: mei}
interface: {trace: true}
"""


class Satellites:
    """A client of the broker that plays all satellites."""

    def __init__(self, bus: Connection) -> None:
        self.bus = bus
        self.heard = Inbox()

    async def write(self, satellite: str, payload: str, *, retain: bool = False) -> None:
        await self.bus.publish(Publication(f"hearken/{satellite}/text", payload.encode(), retain=retain))

    async def replies(self, satellite: str, number: int = 1, what: str = "reply") -> list[Any]:
        topic = f"hearken/{satellite}/{what}"
        await self.heard.until(lambda all_of: sum(item.topic == topic for item in all_of) >= number)
        return [item.payload.decode() for item in self.heard.messages if item.topic == topic]

    async def ask(self, satellite: str, payload: str) -> dict[str, Any]:
        before = sum(item.topic == f"hearken/{satellite}/reply" for item in self.heard.messages)
        await self.write(satellite, payload)
        found: dict[str, Any] = json.loads((await self.replies(satellite, before + 1))[-1])
        return found


@pytest.fixture
async def satellites(place: Place, mosquitto: Mosquitto) -> AsyncIterator[Satellites]:
    place.extra = {"BROKER_PASSWORD": "correct horse: battery staple"}
    place.furnish(
        {"host": "127.0.0.1", "port": mosquitto.port, "user": USER, "password": {"env": "BROKER_PASSWORD"}},
        replacing=("\npeople:", f"\n{SECTIONS}\npeople:"),
    )
    home = load_home(HOME)
    async with (
        connected(mosquitto.broker(status_topic=None)) as bus,
        SimulatedHome(bus, home.entities, home.simulation),
    ):
        played = Satellites(bus)
        await bus.subscribe("hearken/#", played.heard)
        await bus.subscribe("homeassistant/#", played.heard)
        await played.write("kitchen", "turn on old friend", retain=True)
        async with running(place):
            yield played
        # What is retained on a broker that others use must not stay.
        await played.write("kitchen", "", retain=True)


async def test_satellites_command_and_are_answered(satellites: Satellites) -> None:
    first = await satellites.ask("kitchen", "turn on the desk lamp")
    assert [command["targets"] for command in first["commands"]] == [["kitchen_desk_lamp"]]
    assert first["outcomes"][0]["status"] == "done"
    other = await satellites.ask("bed", json.dumps({"text": "打开台灯", "lang": "zh"}))
    assert [command["targets"] for command in other["commands"]] == [["bedroom_desk_lamp"]]
    assert "trace" not in other
    assert json.loads((await satellites.replies("bed", what="trace"))[0])


async def test_each_satellite_has_its_own_conversation(satellites: Satellites) -> None:
    asked = await satellites.ask("kitchen", "unlock the front door")
    assert asked["outcome"] == "clarify"
    assert (await satellites.replies("kitchen", 2, "state"))[:2] == ["busy", "asking"]
    assert (await satellites.ask("bed", "yes"))["outcome"] != "execute"
    assert (await satellites.ask("kitchen", "no"))["commands"] == []


async def test_what_is_not_said_now_or_by_nobody_known_is_not_acted_on(satellites: Satellites) -> None:
    await satellites.write("stranger", "turn on old friend")
    await satellites.write("kitchen", "x" * 10_000)
    broken = await satellites.ask("kitchen", json.dumps({"text": "turn on old friend", "lang": "xx"}))
    assert "no language that is spoken here" in broken["error"]
    strange = await satellites.ask("kitchen", '{"text": 5}')
    assert "needs a text" in strange["error"]
    state = await satellites.ask("kitchen", "is old friend on")
    assert state["reply"] == "No, Old friend is off."
    assert not [item for item in satellites.heard.messages if item.topic.startswith("hearken/stranger/reply")]


async def test_home_assistant_is_told(satellites: Satellites) -> None:
    configs = [
        item
        for item in await satellites.heard.until(
            lambda all_of: any(item.topic.startswith("homeassistant/") for item in all_of)
        )
        if item.topic.startswith("homeassistant/")
    ]
    # As it is retained, whoever subscribes while it is announced gets it twice.
    assert {item.topic for item in configs} == {"homeassistant/device/hearken/config"}
    told = json.loads(configs[-1].payload)
    assert set(told["components"]) == {"command", "reply", "connection"}
    topic = told["components"]["command"]["command_topic"]
    await satellites.bus.publish(Publication(topic, b"turn on old friend"))
    [reply] = await satellites.replies("homeassistant")
    assert json.loads(reply)["reply"] == "Old friend is on."


async def test_many_at_once_are_answered_in_their_order(satellites: Satellites) -> None:
    said = ["turn on the desk lamp", "turn off the desk lamp"] * 3
    await asyncio.gather(*(satellites.write(name, text) for text in said for name in ("kitchen", "bed")))
    for name in ("kitchen", "bed"):
        replies = [json.loads(item) for item in await satellites.replies(name, len(said))]
        assert [item["commands"][0]["action"] for item in replies] == ["turn_on", "turn_off"] * 3
