"""A house of devices that announce themselves: spoken to, done, proven, or honestly not."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest

from benchmarks.announcing import SIDES
from daemon.app import Opened
from daemon.core.result import Result
from daemon.core.turn import Utterance
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.home.config import SimulatedDevice, Simulation
from daemon.mqtt.bus import Message, Publication
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker, MemoryBus
from tests.discovery.firmware import (
    Blinded,
    Echoing,
    EspBlind,
    EspStrip,
    Firmware,
    TasmotaLamp,
    TasmotaPlug,
    Thermostat,
    Valetudo,
    ZwaveDimmer,
    ZwaveLock,
    discovering,
)
from tests.virtual_time import now

pytestmark = pytest.mark.virtual


@dataclass
class House:
    opened: Opened
    outside: MemoryBus
    broker: MemoryBroker

    async def say(self, text: str) -> Result:
        return await self.opened.pipeline.handle(Utterance(text))

    async def done(self, text: str) -> list[tuple[str, object, str]]:
        result = await self.say(text)
        return [(item.write.attribute, item.write.value, item.status) for item in result.outcomes]


@contextlib.asynccontextmanager
async def house(*devices: type[Firmware], obeys: bool = True) -> AsyncIterator[tuple[House, list[Firmware]]]:
    broker = MemoryBroker(now)
    played = [kind(broker.connect(), obeys=obeys) for kind in devices]
    for device in played:
        await device.start()
    await settle()
    async with discovering(broker.connect()) as opened:
        yield House(opened, broker.connect(), broker), played
    for device in played:
        assert device.refused == []


async def settle() -> None:
    """Lets what was said be heard."""
    await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("device", "text", "expected", "heard"),
    [
        (TasmotaPlug, "turn on the coffee plug", [("state", "on", "done")], ("cmnd/coffee/POWER", "ON")),
        (TasmotaLamp, "turn on the desk lamp", [("state", "on", "done")], ("cmnd/desk/Dimmer", "100")),
        (TasmotaLamp, "set the desk lamp to 40 percent", [("brightness", 40, "done")], ("cmnd/desk/Dimmer", "40")),
        (
            TasmotaLamp,
            "make the desk lamp green",
            [("state", "on", "done"), ("color", "#00ff00", "done")],
            ("cmnd/desk/Color2", "0,255,0"),
        ),
        (TasmotaLamp, "把 desk lamp 调到百分之四十", [("brightness", 40, "done")], ("cmnd/desk/Dimmer", "40")),
        (
            EspStrip,
            "dim the shelf strip to 20 percent",
            [("brightness", 20, "done")],
            ("shelf/light/strip/command", '{"state":"ON","brightness":51}'),
        ),
        (
            EspStrip,
            "make the shelf strip blue",
            [("color", "#0000ff", "done")],
            ("shelf/light/strip/command", '{"state":"ON","color":{"r":0,"g":0,"b":255}}'),
        ),
        (
            EspStrip,
            "turn on all the lights",
            [("state", "on", "done")],
            ("shelf/light/strip/command", '{"state":"ON"}'),
        ),
        (EspBlind, "open the bedroom blind", [("state", "open", "done")], ("blind/cover/blind/command", "OPEN")),
        (
            EspBlind,
            "set the bedroom blind to 50 percent",
            [("position", 50, "done")],
            ("blind/cover/blind/position/command", "50"),
        ),
        (ZwaveDimmer, "turn on the hall dimmer", [("state", "on", "done")], ("zwave/hall/38/0/targetValue/set", "99")),
        (
            ZwaveDimmer,
            "set the hall dimmer to 50 percent",
            [("brightness", 50, "done")],
            ("zwave/hall/38/0/targetValue/set", "50"),
        ),
        (
            Thermostat,
            "set the den thermostat to 72 degrees",
            [("temperature", 72, "done")],
            ("den/target/command", "72"),
        ),
        (Thermostat, "set the den thermostat to heat", [("mode", "heat", "done")], ("den/mode/command", "heat")),
        (Valetudo, "start the vacuum", [("command", "start", "done")], ("valetudo/robot/hass/command", "start")),
        (
            ZwaveLock,
            "lock the front door lock",
            # Nobody knows what tells that: it may only repeat the wish.
            [("state", "locked", "unconfirmed")],
            ("zwave/front/98/0/targetMode/set", "255"),
        ),
    ],
)
async def test_what_is_said_reaches_it_in_its_own_words_and_is_seen(
    device: type[Firmware], text: str, expected: list[tuple[str, object, str]], heard: tuple[str, str]
) -> None:
    async with house(device) as (home, (played,)):
        assert await home.done(text) == expected
        assert heard in played.heard


@pytest.mark.parametrize(
    ("device", "text", "status"),
    [
        (TasmotaPlug, "turn on the coffee plug", "failed"),
        (TasmotaLamp, "set the desk lamp to 40 percent", "failed"),
        (EspStrip, "turn on the shelf strip", "unconfirmed"),
        (EspBlind, "open the bedroom blind", "unconfirmed"),
        (Blinded, "turn on the pond pump", "unconfirmed"),
        (Echoing, "turn on the pond pump", "unconfirmed"),
    ],
)
async def test_what_does_not_happen_is_never_called_done(device: type[Firmware], text: str, status: str) -> None:
    async with house(device, obeys=False) as (home, _):
        assert [found for _, _, found in await home.done(text)] == [status]


async def test_a_lock_is_not_opened_without_a_yes() -> None:
    async with house(ZwaveLock) as (home, (played,)):
        asked = await home.say("unlock the front door lock")
        assert asked.question is not None
        assert played.heard == []
        answered = await home.say("yes")
        assert [item.status for item in answered.outcomes] == ["unconfirmed"]
        assert played.heard == [("zwave/front/98/0/targetMode/set", "0")]


async def test_everything_leaves_out_what_is_only_a_setting() -> None:
    async with house(EspStrip, TasmotaPlug) as (home, (strip, _)):
        await home.say("turn off everything")
        await home.say("yes")
        assert ("shelf/light/strip/command", '{"state":"OFF"}') in strip.heard
        assert not any(topic == "shelf/switch/led/command" for topic, _ in strip.heard)


async def test_a_status_led_is_no_light_and_is_changed_by_its_name() -> None:
    class Blinking(EspStrip):
        def commands(self) -> dict[str, Callable[[str], bool]]:
            return {**super().commands(), "shelf/switch/led/command": self._led}

        def _led(self, text: str) -> bool:
            self.say("shelf/switch/led/state", text)
            return text in ("ON", "OFF")

    async with house(Blinking) as (home, (strip,)):
        result = await home.say("turn on all the lights")
        assert [item.write.entity for item in result.outcomes] == ["light.ESPlightstrip"]
        assert "LED" not in result.reply
        assert await home.done("turn on the status led") == [("state", "on", "done")]
        assert strip.heard[-1] == ("shelf/switch/led/command", "ON")


async def test_a_home_that_tells_of_itself_in_chinese() -> None:
    class Lamp(Firmware):
        def announced(self) -> dict[str, dict[str, object]]:
            device = {"ids": ["kt"], "name": "客厅主灯", "sa": "客厅"}
            topics = {"cmd_t": "kt/set", "stat_t": "kt", "bri_cmd_t": "kt/bri/set", "bri_stat_t": "kt/bri"}
            return {"homeassistant/light/kt/config": {"name": None, "uniq_id": "kt", **topics, "dev": device}}

        def commands(self) -> dict[str, Callable[[str], bool]]:
            return {"kt/set": self._echo("kt"), "kt/bri/set": self._echo("kt/bri")}

        def _echo(self, topic: str) -> Callable[[str], bool]:
            def take(text: str) -> bool:
                self.say(topic, text)
                return True

            return take

    async with house(Lamp) as (home, (lamp,)):
        assert await home.done("把客厅的灯调到百分之三十") == [("brightness", 30, "done")]
        assert lamp.heard == [("kt/bri/set", "76"), ("kt/set", "ON")]
        result = await home.say("打开客厅主灯")
        assert [item.status for item in result.outcomes] == ["done"]
        assert "客厅主灯" in result.reply


async def test_a_plug_that_says_what_it_is_can_be_asked() -> None:
    async with house(TasmotaPlug) as (home, (plug,)):
        result = await home.say("is the coffee plug on")
        assert result.outcome == "query"
        assert plug.heard == [("cmnd/coffee/POWER", "")]
        assert "off" in result.reply


async def test_what_it_said_last_is_believed_as_long_as_it_is_there() -> None:
    async with house(EspStrip) as (home, (strip,)):
        light = home.opened.inventory.registry.devices[0].id
        states = home.opened.inventory.states
        assert states is not None
        assert not states.seen(light, "state").fresh  # Retained: from before anybody listened.
        strip.say("shelf/light/strip/state", {"state": "ON", "brightness": 255})
        await settle()
        assert states.seen(light, "state").source == "push"
        strip.say("shelf/status", "offline", retain=True)
        await settle()
        assert states.seen(light, "state").source == "stale"
        strip.say("shelf/status", "online", retain=True)
        await settle()
        assert states.seen(light, "state").source == "stale"
        strip.say("shelf/light/strip/state", {"state": "OFF"})
        await settle()
        assert states.seen(light, "state").source == "push"


async def test_what_is_so_already_and_says_nothing_new_is_done() -> None:
    class Quiet(EspStrip):
        def _take(self, text: str) -> bool:
            return True

    async with house(Quiet) as (home, (strip,)):
        strip.say("shelf/light/strip/state", {"state": "ON"})
        await settle()
        result = await home.say("turn on the shelf strip")
        assert [(item.status, item.reason) for item in result.outcomes] == [("done", "already")]
        result = await home.say("turn off the shelf strip")
        assert [item.status for item in result.outcomes] == ["unconfirmed"]


async def test_a_device_that_is_gone_is_not_spoken_to() -> None:
    async with house(ZwaveDimmer) as (home, (dimmer,)):
        dimmer.say("zwave/hall/status", {"value": False, "status": "Dead"}, retain=True)
        await settle()
        result = await home.say("turn on the hall dimmer")
        assert [(item.status, item.reason) for item in result.outcomes] == [("refused", "offline")]
        assert dimmer.heard == []


async def test_what_is_taken_back_is_gone() -> None:
    async with house(TasmotaPlug, TasmotaLamp) as (home, _):
        watch = home.opened.inventory.watch
        assert watch is not None
        assert "light.5D6E7F_LI_1" in watch.merged.added
        topic = "homeassistant/light/5D6E7F_LI_1/config"
        await home.outside.publish(Publication(topic, b"", retain=True))
        await watch.settled(1)
        assert watch.merged.added == ("switch.1A2B3C_RL_1", "sensor.1A2B3C_ENERGY_Today")


class Warm(Firmware):
    """A board in the study that knows how warm its chip is, and one that knows how warm the study is."""

    def announced(self) -> dict[str, dict[str, object]]:
        def sensor(name: str, topic: str, **more: object) -> dict[str, object]:
            device = {"ids": [topic], "name": f"Board {topic}", "sa": "Study"}
            unit = {"dev_cla": "temperature", "unit_of_meas": "°C"}
            return {
                "name": name,
                "uniq_id": topic,
                "stat_t": topic,
                "avty_t": "board/there",
                "dev": device,
                **unit,
                **more,
            }

        return {
            "homeassistant/sensor/chip/config": sensor("Temperature", "chip", ent_cat="diagnostic"),
            "homeassistant/sensor/room/config": sensor("Temperature", "room"),
        }

    def commands(self) -> dict[str, Callable[[str], bool]]:
        return {}

    def begin(self) -> None:
        self.say("board/there", "online", retain=True)


async def test_how_warm_a_chip_is_is_nothing_about_its_room() -> None:
    async with house(Warm) as (home, (board,)):
        board.say("chip", "51.0")
        board.say("room", "20.5")
        await settle()
        result = await home.say("what is the temperature in the study")
        assert result.read == ("sensor.room",)
        assert "20.5" in result.reply
        result = await home.say("what is the temperature of board chip")
        assert "51" in result.reply


async def test_the_simulated_home_plays_what_was_announced() -> None:
    broker = MemoryBroker(now)
    outside = broker.connect()
    strip, plug = EspStrip(outside), TasmotaPlug(outside)
    source = HomeAssistantSource()
    for topic, payload in {**strip.announced(), **plug.announced()}.items():
        await outside.publish(Publication(topic, json.dumps(payload).encode(), retain=True))
        source.take(Message(topic, json.dumps(payload).encode(), retained=True, at=0, sequence=1))
    entities = [find.entity for find in source.finds()]
    stuck = Simulation(devices={"switch.1A2B3C_RL_1": SimulatedDevice("stuck")})
    async with (
        SimulatedHome(broker.connect(), entities, stuck, sides=SIDES),
        discovering(broker.connect()) as opened,
    ):
        home = House(opened, outside, broker)
        assert await home.done("set the shelf strip to 30 percent") == [("brightness", 30, "done")]
        assert await home.done("make the shelf strip red") == [("color", "#ff0000", "done")]
        assert await home.done("turn on the coffee plug") == [("state", "on", "failed")]
