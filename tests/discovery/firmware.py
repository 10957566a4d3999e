"""Devices as their firmware plays them: what they announce, what they take, what they tell. Strict: whatever they are
told that they do not know is noted in `refused`.

Written after the public documentation of Tasmota (Commands), ESPHome (MQTT), zwave-js-ui, Valetudo and Home Assistant.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from daemon.act.reader import Patience
from daemon.app import Opened, open_home
from daemon.discovery.watch import sources_of
from daemon.home.config import Discovery, HomeConfig
from daemon.mqtt.bus import Bus, Message, Publication
from daemon.schedule.moments import Clock
from tests.rules import GRAMMAR, REPLIES
from tests.virtual_time import now

Payload = dict[str, Any]


def discovering(bus: Bus) -> AbstractAsyncContextManager[Opened]:
    """A home that knows only what the broker tells."""
    return open_home(
        HomeConfig((), discovery=Discovery()),
        bus,
        grammar=GRAMMAR,
        replies=REPLIES,
        patience=Patience(deadline_s=0.6, mute_s=0.2, slow_s=0.6),
        clock=Clock(monotonic=now),
        sources=sources_of(Discovery()),
    )


class Firmware:
    """One device on a bus."""

    def __init__(self, bus: Bus, *, obeys: bool = True) -> None:
        self.refused: list[tuple[str, str]] = []
        self.obeys = obeys
        """False: it takes a command, and nothing happens."""
        self.heard: list[tuple[str, str]] = []
        self._bus = bus
        self._tasks: set[asyncio.Task[None]] = set()

    def announced(self) -> dict[str, Payload]:
        """Configuration topic -> payload."""
        raise NotImplementedError

    def commands(self) -> dict[str, Callable[[str], bool]]:
        """Command topic -> what takes a payload; False: it does not know it."""
        raise NotImplementedError

    def begin(self) -> None:
        """Tells that it is there, and what it is."""

    async def start(self) -> None:
        for topic, take in self.commands().items():
            await self._bus.subscribe(topic, self._listener(take))
        for topic, payload in self.announced().items():
            await self._bus.publish(Publication(topic, json.dumps(payload).encode(), retain=True))
        self.begin()

    def say(self, topic: str, payload: object, *, retain: bool = False) -> None:
        text = payload if isinstance(payload, str) else json.dumps(payload)
        task = asyncio.get_running_loop().create_task(self._bus.publish(Publication(topic, text.encode(), retain)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _listener(self, take: Callable[[str], bool]) -> Callable[[Message], None]:
        def listen(message: Message) -> None:
            text = message.payload.decode()
            if message.retained:
                self.refused.append((message.topic, "retained"))
            self.heard.append((message.topic, text))
            if not take(text):
                self.refused.append((message.topic, text))

        return listen


class TasmotaPlug(Firmware):
    """A plug that measures, as Tasmota before version 10 (SetOption19 1) announces it."""

    power = "OFF"

    def announced(self) -> dict[str, Payload]:
        device = {"ids": ["1A2B3C"], "name": "Coffee plug", "mdl": "Socket", "sw": "9.5.0(tasmota)", "mf": "Tasmota"}
        there = {"avty_t": "tele/coffee/LWT", "pl_avail": "Online", "pl_not_avail": "Offline"}
        relay = {
            "name": "Coffee plug",
            "stat_t": "stat/coffee/RESULT",
            **there,
            "cmd_t": "cmnd/coffee/POWER",
            "val_tpl": "{{value_json.POWER}}",
            "pl_off": "OFF",
            "pl_on": "ON",
            "uniq_id": "1A2B3C_RL_1",
            "dev": device,
        }
        found: dict[str, Payload] = {"homeassistant/switch/1A2B3C_RL_1/config": relay}
        for name, unit, more in (("Power", "W", {"dev_cla": "power"}), ("Voltage", "V", {}), ("Today", "kWh", {})):
            found[f"homeassistant/sensor/1A2B3C_ENERGY_{name}/config"] = {
                "name": f"Coffee plug ENERGY {name}",
                "stat_t": "tele/coffee/SENSOR",
                **there,
                "unit_of_meas": unit,
                **more,
                "frc_upd": True,
                "val_tpl": f"{{{{value_json['ENERGY']['{name}']}}}}",
                "uniq_id": f"1A2B3C_ENERGY_{name}",
                "dev": {"ids": ["1A2B3C"]},
            }
        return found

    def begin(self) -> None:
        self.say("tele/coffee/LWT", "Online", retain=True)

    def commands(self) -> dict[str, Callable[[str], bool]]:
        return {"cmnd/coffee/POWER": self._power}

    def _power(self, text: str) -> bool:
        if text in ("ON", "OFF"):
            self.power = text if self.obeys else self.power
        elif text:
            return False
        self.say("stat/coffee/RESULT", {"POWER": self.power})
        self.say("stat/coffee/POWER", self.power)
        return True


class TasmotaLamp(Firmware):
    """A lamp with colour and white tones."""

    def __init__(self, bus: Bus, *, obeys: bool = True) -> None:
        super().__init__(bus, obeys=obeys)
        self.state: Payload = {"POWER": "OFF", "Dimmer": 30, "Color": "255,0,0,0,0", "CT": 300}

    def announced(self) -> dict[str, Payload]:
        return {
            "homeassistant/light/5D6E7F_LI_1/config": {
                "name": "Desk lamp",
                "stat_t": "stat/desk/RESULT",
                "avty_t": "tele/desk/LWT",
                "pl_avail": "Online",
                "pl_not_avail": "Offline",
                "cmd_t": "cmnd/desk/POWER",
                "val_tpl": "{{value_json.POWER}}",
                "pl_off": "OFF",
                "pl_on": "ON",
                "bri_cmd_t": "cmnd/desk/Dimmer",
                "bri_stat_t": "stat/desk/RESULT",
                "bri_scl": 100,
                "on_cmd_type": "brightness",
                "bri_val_tpl": "{{value_json.Dimmer}}",
                "rgb_cmd_t": "cmnd/desk/Color2",
                "rgb_stat_t": "stat/desk/RESULT",
                "rgb_val_tpl": "{{value_json.Color.split(',')[0:3]|join(',')}}",
                "clr_temp_cmd_t": "cmnd/desk/CT",
                "clr_temp_stat_t": "stat/desk/RESULT",
                "clr_temp_val_tpl": "{{value_json.CT}}",
                "fx_cmd_t": "cmnd/desk/Scheme",
                "fx_stat_t": "stat/desk/RESULT",
                "fx_val_tpl": "{{value_json.Scheme}}",
                "fx_list": ["0", "1", "2"],
                "uniq_id": "5D6E7F_LI_1",
                "dev": {"ids": ["5D6E7F"], "name": "Desk lamp", "mf": "Tasmota", "sa": "Study"},
            }
        }

    def begin(self) -> None:
        self.say("tele/desk/LWT", "Online", retain=True)

    def commands(self) -> dict[str, Callable[[str], bool]]:
        return {f"cmnd/desk/{name}": self._take(name) for name in ("POWER", "Dimmer", "Color2", "CT")}

    def _take(self, name: str) -> Callable[[str], bool]:
        def take(text: str) -> bool:
            if name == "POWER" and text in ("ON", "OFF"):
                self._be(POWER=text)
            elif name == "Dimmer" and text.isdecimal() and int(text) <= 100:
                self._be(Dimmer=int(text), POWER="ON" if int(text) else "OFF")
            elif name == "Color2" and len(text.split(",")) == 3:
                self._be(Color=f"{text},0,0", POWER="ON")
            elif name == "CT" and text.isdecimal() and 153 <= int(text) <= 500:
                self._be(CT=int(text), POWER="ON")
            elif text:
                return False
            told = {"POWER": ["POWER"], "CT": ["POWER", "CT"], "Dimmer": ["POWER", "Dimmer"]}
            self.say("stat/desk/RESULT", {key: self.state[key] for key in told.get(name, ["POWER", "Dimmer", "Color"])})
            return True

        return take

    def _be(self, **state: object) -> None:
        if self.obeys:
            self.state |= state


class EspStrip(Firmware):
    """An ESPHome light: one JSON object each way; tells its state when it was told something."""

    def __init__(self, bus: Bus, *, obeys: bool = True) -> None:
        super().__init__(bus, obeys=obeys)
        self.state: Payload = {
            "state": "OFF",
            "brightness": 100,
            "color_mode": "rgb",
            "color": {"r": 255, "g": 0, "b": 0},
        }

    def announced(self) -> dict[str, Payload]:
        return {
            "homeassistant/light/shelf/strip/config": {
                "schema": "json",
                "sup_clrm": ["rgb", "color_temp"],
                "min_mirs": 153,
                "max_mirs": 500,
                "brightness": True,
                "effect": True,
                "fx_list": ["None", "Rainbow", "Slow Pulse"],
                "name": "Shelf strip",
                "stat_t": "shelf/light/strip/state",
                "cmd_t": "shelf/light/strip/command",
                "avty_t": "shelf/status",
                "uniq_id": "ESPlightstrip",
                "dev": {"ids": "aabbccddeeff", "name": "shelf", "sw": "esphome v2024.11", "mf": "Espressif"},
            },
            "homeassistant/sensor/shelf/uptime/config": {
                "name": "Uptime",
                "unit_of_meas": "s",
                "ent_cat": "diagnostic",
                "dev_cla": "duration",
                "stat_t": "shelf/sensor/uptime/state",
                "avty_t": "shelf/status",
                "uniq_id": "ESPsensoruptime",
                "dev": {"ids": "aabbccddeeff"},
            },
            "homeassistant/switch/shelf/led/config": {
                "name": "Status LED",
                "ent_cat": "config",
                "stat_t": "shelf/switch/led/state",
                "cmd_t": "shelf/switch/led/command",
                "avty_t": "shelf/status",
                "uniq_id": "ESPswitchled",
                "dev": {"ids": "aabbccddeeff"},
            },
        }

    def begin(self) -> None:
        self.say("shelf/status", "online", retain=True)
        self.say("shelf/light/strip/state", self.state, retain=True)

    def commands(self) -> dict[str, Callable[[str], bool]]:
        return {"shelf/light/strip/command": self._take, "shelf/switch/led/command": lambda _: False}

    def _take(self, text: str) -> bool:
        wish = json.loads(text)
        known = {"state", "brightness", "color", "color_temp", "effect", "transition"}
        if wish.get("state") not in ("ON", "OFF") or wish.keys() - known:
            return False
        if not 0 <= wish.get("brightness", 0) <= 255 or not 153 <= wish.get("color_temp", 153) <= 500:
            return False
        if "color" in wish and not (
            set(wish["color"]) == set("rgb") and all(0 <= p <= 255 for p in wish["color"].values())
        ):
            return False
        if self.obeys:
            self.state |= wish
            if "color" in wish or "color_temp" in wish:
                self.state["color_mode"] = "color_temp" if "color_temp" in wish else "rgb"
            self.say("shelf/light/strip/state", self.state, retain=True)
        return True


class EspBlind(Firmware):
    """An ESPHome cover with a position; it takes its way in steps."""

    position = 0.0

    def announced(self) -> dict[str, Payload]:
        return {
            "homeassistant/cover/blind/blind/config": {
                "~": "blind/cover/blind",
                "name": None,
                "dev_cla": "blind",
                "cmd_t": "~/command",
                "stat_t": "~/state",
                "pos_t": "~/position/state",
                "set_pos_t": "~/position/command",
                "avty_t": "blind/status",
                "uniq_id": "ESPcoverblind",
                "dev": {"ids": ["112233445566"], "name": "Bedroom blind", "sa": "Bedroom"},
            }
        }

    def begin(self) -> None:
        self.say("blind/status", "online", retain=True)
        self._tell("closed")

    def commands(self) -> dict[str, Callable[[str], bool]]:
        return {"blind/cover/blind/command": self._command, "blind/cover/blind/position/command": self._go}

    def _command(self, text: str) -> bool:
        if text == "STOP":
            return True
        return text in ("OPEN", "CLOSE") and self._go("100" if text == "OPEN" else "0")

    def _go(self, text: str) -> bool:
        goal = float(text)
        if not 0 <= goal <= 100:
            return False
        if self.obeys:
            start, way = self.position, "opening" if goal > self.position else "closing"
            for step in range(1, 5):
                self.position = start + (goal - start) * step / 4
                self._tell(way if step < 4 else "closed" if goal == 0 else "open")
        return True

    def _tell(self, state: str) -> None:
        self.say("blind/cover/blind/state", state, retain=True)
        self.say("blind/cover/blind/position/state", f"{self.position:g}", retain=True)


class ZwaveDimmer(Firmware):
    """A dimmer behind zwave-js-ui: one level from 0 to 99, 255 for the last one, no word for on."""

    level = 0

    def announced(self) -> dict[str, Payload]:
        return {
            "homeassistant/light/Hall_dimmer/light_dimmer/config": {
                "state_topic": "zwave/hall/38/0/currentValue",
                "command_topic": "zwave/hall/38/0/targetValue/set",
                "on_command_type": "brightness",
                "brightness_state_topic": "zwave/hall/38/0/currentValue",
                "brightness_command_topic": "zwave/hall/38/0/targetValue/set",
                "brightness_scale": 99,
                "brightness_value_template": "{{ (value_json.value) }}",
                "state_value_template": '{{ "OFF" if value_json.value == 0 else "ON" }}',
                "payload_off": 0,
                "availability": [
                    {
                        "topic": "zwave/hall/status",
                        "value_template": "{{ 'online' if value_json.value else 'offline' }}",
                    },
                    {
                        "topic": "zwave/_CLIENTS/ui/status",
                        "value_template": "{{'online' if value_json.value else 'offline'}}",
                    },
                ],
                "availability_mode": "all",
                "name": "Hall_dimmer",
                "unique_id": "zwavejs2mqtt_0xd0_9-38-0-currentValue",
                "device": {"identifiers": ["zwave_9"], "manufacturer": "Fibaro", "model": "Dimmer", "name": "Hall"},
            }
        }

    def begin(self) -> None:
        self.say("zwave/_CLIENTS/ui/status", {"value": True, "time": 1}, retain=True)
        self.say("zwave/hall/status", {"time": 1, "value": True, "status": "Alive", "nodeId": 9}, retain=True)
        self.say("zwave/hall/38/0/currentValue", {"time": 1, "value": self.level}, retain=True)

    def commands(self) -> dict[str, Callable[[str], bool]]:
        return {"zwave/hall/38/0/targetValue/set": self._take}

    def _take(self, text: str) -> bool:
        if not text.isdecimal() or not 0 <= int(text) <= 99:
            return False
        if self.obeys:
            self.level = int(text)
            self.say("zwave/hall/38/0/currentValue", {"time": 2, "value": self.level}, retain=True)
        return True


class ZwaveLock(Firmware):
    """A lock behind zwave-js-ui."""

    locked = True

    def announced(self) -> dict[str, Payload]:
        return {
            "homeassistant/lock/Front/lock/config": {
                "state_topic": "zwave/front/98/0/boltStatus",
                "command_topic": "zwave/front/98/0/targetMode/set",
                "value_template": "{% if value_json.value == 'locked' %} 255 {% else %} 0 {% endif %}",
                "state_locked": "255",
                "state_unlocked": "0",
                "payload_lock": "255",
                "payload_unlock": "0",
                "name": "Front door lock",
                "unique_id": "zwave_lock_4",
                "device": {"identifiers": ["zwave_4"], "name": "Front door lock"},
            }
        }

    def begin(self) -> None:
        self._tell()

    def commands(self) -> dict[str, Callable[[str], bool]]:
        return {"zwave/front/98/0/targetMode/set": self._take}

    def _take(self, text: str) -> bool:
        if text not in ("255", "0"):
            return False
        if self.obeys:
            self.locked = text == "255"
            self._tell()
        return True

    def _tell(self) -> None:
        self.say("zwave/front/98/0/boltStatus", {"value": "locked" if self.locked else "unlocked"}, retain=True)


class Blinded(Firmware):
    """A relay without any state (433 MHz), or one whose bridge repeats what it was told and calls itself optimistic."""

    echoes = False

    def announced(self) -> dict[str, Payload]:
        return {
            "homeassistant/switch/rf/pump/config": {
                "name": "Pond pump",
                "cmd_t": "rf/pump/set",
                "uniq_id": "rf_pump",
                **({"stat_t": "rf/pump/state", "opt": True} if self.echoes else {}),
            }
        }

    def commands(self) -> dict[str, Callable[[str], bool]]:
        return {"rf/pump/set": self._take}

    def _take(self, text: str) -> bool:
        if self.echoes:
            self.say("rf/pump/state", text)
        return text in ("ON", "OFF")


class Echoing(Blinded):
    """The one whose bridge repeats."""

    echoes = True


class Thermostat(Firmware):
    """An ESPHome thermostat in Fahrenheit: a topic for each thing."""

    def __init__(self, bus: Bus, *, obeys: bool = True) -> None:
        super().__init__(bus, obeys=obeys)
        self.mode, self.target = "off", "68"

    def announced(self) -> dict[str, Payload]:
        return {
            "homeassistant/climate/den/config": {
                "name": None,
                "mode_cmd_t": "den/mode/command",
                "mode_stat_t": "den/mode/state",
                "modes": ["off", "heat", "cool", "heat_cool"],
                "temp_cmd_t": "den/target/command",
                "temp_stat_t": "den/target/state",
                "curr_temp_t": "den/current/state",
                "act_t": "den/action/state",
                "temp_unit": "F",
                "min_temp": 50,
                "max_temp": 90,
                "temp_step": 1,
                "avty_t": "den/status",
                "uniq_id": "ESPclimateden",
                "dev": {"ids": ["den"], "name": "Den thermostat", "sa": "Den"},
            }
        }

    def begin(self) -> None:
        self.say("den/status", "online", retain=True)
        self._tell()
        self.say("den/current/state", "66.2")

    def commands(self) -> dict[str, Callable[[str], bool]]:
        return {"den/mode/command": self._take_mode, "den/target/command": self._take_target}

    def _take_mode(self, text: str) -> bool:
        self.mode = text
        self._tell()
        return text in ("off", "heat", "cool", "heat_cool")

    def _take_target(self, text: str) -> bool:
        self.target = text
        self._tell()
        return 50 <= float(text) <= 90

    def _tell(self) -> None:
        self.say("den/mode/state", self.mode)
        self.say("den/target/state", self.target)


class Valetudo(Firmware):
    """A vacuum."""

    def __init__(self, bus: Bus, *, obeys: bool = True) -> None:
        super().__init__(bus, obeys=obeys)
        self.state = "docked"

    def announced(self) -> dict[str, Payload]:
        return {
            "homeassistant/vacuum/robot/config": {
                "name": "Robot",
                "unique_id": "robot_vacuum",
                "supported_features": ["start", "pause", "stop", "return_home", "locate", "fan_speed"],
                "command_topic": "valetudo/robot/hass/command",
                "state_topic": "valetudo/robot/hass/state",
                "set_fan_speed_topic": "valetudo/robot/fan/set",
                "fan_speed_list": ["low", "medium", "max"],
                "availability_topic": "valetudo/robot/$state",
                "payload_available": "ready",
                "payload_not_available": "lost",
                "device": {"identifiers": ["robot"], "name": "Dusty", "manufacturer": "Valetudo"},
            }
        }

    def begin(self) -> None:
        self.say("valetudo/robot/$state", "ready", retain=True)
        self._tell()

    def commands(self) -> dict[str, Callable[[str], bool]]:
        return {"valetudo/robot/hass/command": self._take}

    def _take(self, text: str) -> bool:
        found = {"start": "cleaning", "pause": "paused", "stop": "idle", "return_to_base": "returning"}.get(text)
        self.state = found or self.state
        self._tell()
        return found is not None

    def _tell(self) -> None:
        self.say(
            "valetudo/robot/hass/state", {"state": self.state, "battery_level": 88, "fan_speed": "low"}, retain=True
        )
