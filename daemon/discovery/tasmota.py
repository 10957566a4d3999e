"""Tasmota's own discovery: `<prefix>/<mac>/config` and `<prefix>/<mac>/sensors`, both retained.

What a device tells there is put into the form in which Tasmota once announced itself to Home Assistant, and goes the
same way from there. The keys are those of Tasmota's `xdrv_12_discovery`: `rl` what each relay is (1 a relay, 2 a light,
3 half of a shutter), `lt_st` what the light is (1 dimmable, 2 with white tones, 3 to 5 with colours), `ft` the full
topic with `%prefix%` (of `tp`: command, status, telemetry) and `%topic%` (`t`), `so` some options, `sho` those of
shutters.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from daemon.discovery.find import Find, object_in
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.mqtt.bus import Message
from daemon.system.worker import Limit

_LOG = logging.getLogger(__name__)
_MAX_DEVICES: Final = 2_000
_MAX_PAYLOAD: Final = 64 * 1024
_MAX_NAME: Final = 80
_NAMES = Limit(_LOG, "a name of more than %d characters is cut: %s ...")
_UNNAMED: Final = ("", "Tasmota")
"""What a device and its relays are called until their owner names them."""
_MAX_RELAYS: Final = 32
_MAX_SENSORS: Final = 64
_KEY: Final = re.compile(r"[\w.-][\w .-]{0,39}")
"""What may stand in a template: a sensor's key, such as "DS18B20-1"."""
_RELAY, _LIGHT, _SHUTTER = 1, 2, 3
_DIMMABLE, _TONED, _COLOURED, _BOTH = 1, 2, 3, (2, 5)
_INVERTED: Final = 1
_MEASURES: Final[Mapping[str, tuple[str, str]]] = {
    "Temperature": ("temperature", ""),
    "Humidity": ("humidity", "%"),
    "Pressure": ("pressure", "hPa"),
    "Illuminance": ("illuminance", "lx"),
    "CarbonDioxide": ("carbon_dioxide", "ppm"),
    "PM2.5": ("pm25", "µg/m³"),
    "Power": ("power", "W"),
    "Voltage": ("voltage", "V"),
    "Current": ("current", "A"),
    "Total": ("energy", "kWh"),
}
"""A key of a sensor -> Home Assistant's device class and the unit."""


class TasmotaSource:
    """What Tasmota tells of itself, as a source of discovery; `prefix` is the first part of the topics."""

    def __init__(self, prefix: str = "tasmota/discovery") -> None:
        self._prefix = prefix
        self._told: dict[str, dict[str, Mapping[str, Any]]] = {}
        self._inner = HomeAssistantSource(prefix)
        self._problems: dict[str, str] = {}
        self._all = Limit(_LOG, "only the first %d devices that speak Tasmota are used")

    @property
    def version(self) -> int:
        """Grows whenever `finds` has changed."""
        return self._inner.version

    def filters(self) -> tuple[str, ...]:
        """What devices are, and what they measure."""
        return (f"{self._prefix}/+/config", f"{self._prefix}/+/sensors")

    def take(self, message: Message) -> None:
        """Follows one message; an empty one takes back what was told there."""
        mac, _, part = message.topic.removeprefix(f"{self._prefix}/").partition("/")
        if part not in ("config", "sensors"):
            return
        if mac not in self._told and len(self._told) >= _MAX_DEVICES:
            self._all.cuts(_MAX_DEVICES)
            return
        told = self._told.setdefault(mac, {})
        self._problems.pop(message.topic, None)
        if not message.payload:
            told.pop(part, None)
        elif isinstance(found := object_in(message.payload, _MAX_PAYLOAD), str):
            self._problems[message.topic] = found
            return
        else:
            told[part] = found
            if cut := _cut(found):
                self._problems[message.topic] = cut
        announced = announcement(mac, told["config"], told.get("sensors", {})) if "config" in told else None
        if "config" in told and announced is None:
            self._problems[message.topic] = "has no topics that Hearken could use"
        if not told:
            del self._told[mac]
        payload = b"" if announced is None else json.dumps(announced).encode()
        topic = f"{self._prefix}/device/{mac}/config"
        self._inner.take(Message(topic, payload, message.retained, message.at, message.sequence))

    def finds(self) -> Iterable[Find]:
        """The entities, device by device."""
        return self._inner.finds()

    def problems(self) -> Mapping[str, str]:
        """Topic -> why it can't be used."""
        return {**self._inner.problems(), **self._problems}


def announcement(mac: str, config: Mapping[str, Any], sensors: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the device would announce to Home Assistant; None where it tells no topics."""
    topics = _Topics.of(config)
    if topics is None:
        return None
    kinds = config.get("rl")
    relays = [(at, kind) for at, kind in enumerate(kinds[:_MAX_RELAYS], 1) if kind] if isinstance(kinds, list) else []
    alone = len([kind for _, kind in relays if kind != _SHUTTER]) + sum(1 for _ in _shutters(relays)) == 1
    own = _text(config.get("dn"))
    if alone and own not in _UNNAMED:
        # One relay is the device itself, unless its owner has named both.
        alone = _friendly(config, relays[0][0]) in (*_UNNAMED, own)
    components: dict[str, dict[str, Any]] = {}
    for at, kind in relays:
        if kind in (_RELAY, _LIGHT):
            components[f"relay_{at}"] = _relay(at, kind, config, topics) | {
                "name": None if alone else _name(config, at)
            }
    for number, at in enumerate(_shutters(relays), 1):
        components[f"shutter_{number}"] = _shutter(number, config, topics) | {
            "name": None if alone else _name(config, at)
        }
    components |= dict(_sensors(sensors.get("sn"), topics))
    name = _name(config, relays[0][0]) if alone and own in _UNNAMED else own
    return {
        "dev": {"ids": [mac], "name": name or f"Tasmota {mac[-6:]}", "mf": "Tasmota", "mdl": _text(config.get("md"))},
        "avty_t": topics.telemetry("LWT"),
        "pl_avail": _text(config.get("onln")) or "Online",
        "pl_not_avail": _text(config.get("ofln")) or "Offline",
        "cmps": {key: {**item, "uniq_id": f"{mac}_{key}"} for key, item in components.items()},
    }


class _Topics:
    """Where a device is spoken with."""

    def __init__(self, full: str, topic: str, prefixes: tuple[str, str, str], *, by_command: bool) -> None:
        self._full, self._topic, self._prefixes = full, topic, prefixes
        self._by_command = by_command

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> _Topics | None:
        full, topic, prefixes = config.get("ft"), config.get("t"), config.get("tp")
        options = config.get("so")
        if not isinstance(full, str) or "%prefix%" not in full or not isinstance(topic, str) or not topic:
            return None
        if not isinstance(prefixes, list) or len(prefixes) != 3 or not all(isinstance(one, str) for one in prefixes):  # noqa: PLR2004
            return None
        found = cls(
            full if full.endswith("/") else f"{full}/",
            topic,
            (prefixes[0], prefixes[1], prefixes[2]),
            by_command=isinstance(options, dict) and options.get("4") == 1,
        )
        return None if re.search(r"[+#\x00]", found.command("x")) else found

    def command(self, name: str) -> str:
        return self._at(0, name)

    def result(self, command: str) -> str:
        """Where the device answers a command, and says what has changed by itself."""
        return self._at(1, command.upper() if self._by_command else "RESULT")

    def telemetry(self, name: str) -> str:
        return self._at(2, name)

    def _at(self, which: int, name: str) -> str:
        return self._full.replace("%prefix%", self._prefixes[which]).replace("%topic%", self._topic) + name


def _relay(at: int, kind: int, config: Mapping[str, Any], topics: _Topics) -> dict[str, Any]:
    states = config.get("state")
    off, on = (str(states[0]), str(states[1])) if isinstance(states, list) and len(states) > 1 else ("OFF", "ON")
    # A device with one relay calls it POWER, unless an option that it does not tell says otherwise.
    told = (
        f"{{{{ value_json.POWER{at} | default(value_json.POWER) }}}}" if at == 1 else f"{{{{ value_json.POWER{at} }}}}"
    )
    options = config.get("so")
    as_light = kind == _LIGHT or (isinstance(options, dict) and options.get("30") == 1)
    found: dict[str, Any] = {
        "p": "light" if as_light else "switch",
        "cmd_t": topics.command(f"POWER{at}"),
        "stat_t": topics.result(f"POWER{at}"),
        "stat_val_tpl" if as_light else "val_tpl": told,
        "pl_on": on,
        "pl_off": off,
    }
    subtype = config.get("lt_st")
    if kind != _LIGHT or not isinstance(subtype, int) or subtype < _DIMMABLE:
        return found
    found |= {
        "on_cmd_type": "first",
        "bri_cmd_t": topics.command("Dimmer"),
        "bri_stat_t": topics.result("Dimmer"),
        "bri_val_tpl": "{{ value_json.Dimmer }}",
        "bri_scl": 100,
    }
    if subtype in _BOTH:
        narrow = isinstance(options, dict) and options.get("82") == 1
        found |= {
            "clr_temp_cmd_t": topics.command("CT"),
            "clr_temp_stat_t": topics.result("CT"),
            "clr_temp_val_tpl": "{{ value_json.CT }}",
            "min_mirs": 200 if narrow else 153,
            "max_mirs": 380 if narrow else 500,
        }
    if subtype >= _COLOURED:
        found |= {
            "hs_cmd_t": topics.command("HSBColor"),
            "hs_stat_t": topics.result("HSBColor"),
            "hs_val_tpl": "{{ value_json.HSBColor.split(',')[:2] | join(',') }}",
        }
    return found


def _shutters(relays: Iterable[tuple[int, object]]) -> Iterator[int]:
    """The first relay of each shutter; it takes two."""
    halves = [at for at, kind in relays if kind == _SHUTTER]
    yield from halves[::2]


def _shutter(number: int, config: Mapping[str, Any], topics: _Topics) -> dict[str, Any]:
    options = config.get("sho")
    option = options[number - 1] if isinstance(options, list) and len(options) >= number else 0
    inverted = isinstance(option, int) and bool(option & _INVERTED)
    told = f"(value_json.Shutter{number} | default({{}})).Position"
    return {
        "p": "cover",
        "dev_cla": "shutter",
        "cmd_t": topics.command("Backlog"),
        "pl_open": f"ShutterOpen{number}",
        "pl_cls": f"ShutterClose{number}",
        "pl_stop": f"ShutterStop{number}",
        "pos_t": topics.result(f"SHUTTERPOSITION{number}"),
        "pos_tpl": f"{{{{ 100 - {told} }}}}" if inverted else f"{{{{ {told} }}}}",
        "set_pos_t": topics.command(f"ShutterPosition{number}"),
        "set_pos_tpl": "{{ 100 - position }}" if inverted else "{{ position }}",
    }


def _sensors(told: object, topics: _Topics) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is measured, by sensor and key; the units are the device's own where it tells them."""
    if not isinstance(told, Mapping):
        return
    degrees = "°F" if told.get("TempUnit") == "F" else "°C"
    parts = [
        (str(name), part) for name, part in told.items() if isinstance(part, Mapping) and _KEY.fullmatch(str(name))
    ]
    several = len([name for name, part in parts if any(key in _MEASURES for key in part)]) > 1
    for name, part in parts[:_MAX_SENSORS]:
        for key in [key for key in _MEASURES if isinstance(part.get(key), int | float | list)]:
            kind, unit = _MEASURES[key]
            listed = "[0]" if isinstance(part[key], list) else ""
            yield (
                f"{name}_{key}",
                {
                    "p": "sensor",
                    "name": f"{name} {kind.replace('_', ' ')}" if several else kind.replace("_", " ").capitalize(),
                    "stat_t": topics.telemetry("SENSOR"),
                    "val_tpl": f"{{{{ value_json['{name}']['{key}']{listed} }}}}",
                    "dev_cla": kind,
                    "unit_of_meas": unit or degrees,
                },
            )


def _name(config: Mapping[str, Any], at: int) -> str:
    return _friendly(config, at) or f"{_text(config.get('dn')) or 'Tasmota'} {at}"


def _friendly(config: Mapping[str, Any], at: int) -> str:
    names = config.get("fn")
    return _text(names[at - 1]) if isinstance(names, list) and len(names) >= at else ""


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.isprintable():
        return ""
    return _NAMES.clipped(" ".join(value.split()), _MAX_NAME)


def _cut(told: Mapping[str, Any]) -> str:
    """What is left out of what a device tells, for it is more than anybody has; empty where nothing is."""
    for key, most, what in (("rl", _MAX_RELAYS, "relays"), ("sn", _MAX_SENSORS, "sensors")):
        if isinstance(many := told.get(key), list | dict) and len(many) > most:
            return f"only the first {most} of {len(many)} {what} are used"
    return ""
