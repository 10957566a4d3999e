"""The sections of a home file that are not about names: broker, simulation, thresholds, place.

Whatever is wrong with one of them is a `ConfigError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, Literal, get_args

from daemon.core.entities import Entity
from daemon.core.entities import Value as StateValue
from daemon.core.thresholds import Thresholds
from daemon.home.config import (
    Behaviour,
    Discovery,
    Interface,
    Location,
    ModelSettings,
    MqttSettings,
    RoundSettings,
    SimulatedDevice,
    Simulation,
    TlsSettings,
)
from daemon.home.secrets import beside, parse_secret
from daemon.models.store import MANIFEST, Manifest
from daemon.system.config import Paths
from daemon.system.nodes import Value, nearest, quoted

_BEHAVIOURS: Final[tuple[Behaviour, ...]] = get_args(Behaviour)
_PORT: Final = 1883
_TLS_PORT: Final = 8883


def parse_mqtt(value: Value) -> MqttSettings:
    """The `mqtt` section. A password is never written here, only where it is to be found."""
    entry = value.mapping(("host", "port", "user", "password", "tls", "version"))
    if "host" not in entry:
        value.fail("has no host", "add host: followed by the broker's name or address")
    tls = _tls(entry["tls"]) if "tls" in entry else None
    port = entry["port"].whole(1, 65535) if "port" in entry else _TLS_PORT if tls else _PORT
    version: Literal["3.1.1", "5"] | None = None
    if "version" in entry:
        # 5 is a number to YAML, 3.1.1 is not.
        version = "5" if entry["version"].word(("3.1.1", "5"), "MQTT version") == "5" else "3.1.1"
    return MqttSettings(
        host=entry["host"].text(253),
        port=port,
        user=entry["user"].text() if "user" in entry else None,
        password=parse_secret(entry["password"], "a password") if "password" in entry else None,
        tls=tls,
        version=version,
    )


def parse_audit(value: Value) -> float:
    """The `audit` section: how many days it keeps."""
    entry = value.mapping(("keep_days",))
    if "keep_days" not in entry:
        value.fail("says nothing", "add keep_days:")
    return entry["keep_days"].number(1, 36_500)


def parse_interface(value: Value) -> Interface | None:
    """The `interface` section; `true` takes all defaults."""
    if isinstance(value.data, bool):
        return Interface() if value.data else None
    entry = value.mapping(("prefix", "anybody", "trace", "announce"))
    standard = Interface()
    prefix = _topics(entry["prefix"]) if "prefix" in entry else (standard.prefix,)
    if len(prefix) != 1:
        entry["prefix"].fail("is not one topic", "write for example hearken")
    return Interface(
        prefix=prefix[0],
        anybody=entry["anybody"].flag() if "anybody" in entry else standard.anybody,
        trace=entry["trace"].flag() if "trace" in entry else standard.trace,
        announce=next(iter(_topics(entry["announce"])), None) if "announce" in entry else standard.announce,
    )


def parse_discovery(value: Value) -> Discovery | None:
    """The `discovery` section: `false` turns it off; what it does not name keeps its default."""
    if isinstance(value.data, bool):
        return Discovery() if value.data else None
    entry = value.mapping(("zigbee2mqtt", "homeassistant", "tasmota"))
    standard = Discovery()
    return Discovery(
        zigbee2mqtt=_topics(entry["zigbee2mqtt"]) if "zigbee2mqtt" in entry else standard.zigbee2mqtt,
        homeassistant=next(iter(_topics(entry["homeassistant"])), None)
        if "homeassistant" in entry
        else standard.homeassistant,
        tasmota=next(iter(_topics(entry["tasmota"])), None) if "tasmota" in entry else standard.tasmota,
    )


def parse_simulation(value: Value, devices: Mapping[str, Entity]) -> Simulation:
    """The `simulation` section."""
    entry = value.mapping(("latency_ms", "jitter_ms", "seed", "devices"))
    found = {}
    for name, item in entry["devices"].mapping().items() if "devices" in entry else ():
        if name not in devices:
            item.fail(f"there is no device {quoted(name)}", nearest(name, devices))
        found[name] = _simulated(item, devices[name])
    return Simulation(
        latency_ms=entry["latency_ms"].number(0, 60_000) if "latency_ms" in entry else 0.0,
        jitter_ms=entry["jitter_ms"].number(0, 60_000) if "jitter_ms" in entry else 0.0,
        seed=entry["seed"].whole(0, 1_000_000_000) if "seed" in entry else 1,
        devices=found,
    )


def parse_thresholds(value: Value) -> Thresholds:
    """The `thresholds` section: whatever it does not name keeps its default.

    Raises:
        ConfigError: one of them is no such number, or two contradict each other.
    """
    given = _numbers(value, Thresholds, 100_000)
    found = Thresholds(**given)
    if (two := found.contradiction()) is not None:
        low, high = two
        line = next(item for name, item in value.mapping(given).items() if name in two)
        line.fail(
            f"{low} ({getattr(found, low):g}) and {high} ({getattr(found, high):g}) contradict each other",
            f"{low} has to be below {high}: set both",
        )
    return found


def parse_rounds(value: Value) -> RoundSettings:
    """The `rounds` section: whatever it does not name keeps its default."""
    found = RoundSettings(**_numbers(value, RoundSettings, 4))
    if found.too_little > found.enough:
        value.fail("too_little is more than enough", "write too_little: up to enough:")
    return found


def parse_location(value: Value) -> Location:
    """The `location` section."""
    entry = value.mapping(("latitude", "longitude"))
    for name in ("latitude", "longitude"):
        if name not in entry:
            value.fail(f"has no {name}", f"add {name}: in degrees")
    return Location(entry["latitude"].number(-90, 90), entry["longitude"].number(-180, 180))


def parse_later(value: Value) -> float:
    """The `later` section: how many seconds late a command may still be carried out."""
    entry = value.mapping(("late_minutes",))
    if "late_minutes" not in entry:
        value.fail("says nothing", "add late_minutes:")
    return entry["late_minutes"].number(0, 24 * 60) * 60.0


def parse_model(value: Value) -> ModelSettings | None:
    """The `model` section: whether the small model reads what the grammar cannot, and which one helps it."""
    entry = value.mapping(("use", "name", "limit"))
    standard = ModelSettings()
    found = ModelSettings(
        name=entry["name"].text() if "name" in entry else None,
        limit_s=entry["limit"].number(0.1, 60.0) if "limit" in entry else standard.limit_s,
        line=entry["name"].line if "name" in entry else None,
    )
    return found if "use" not in entry or entry["use"].flag() else None


def parse_meaning(value: Value) -> str:
    """The `meaning` section: which larger encoder tells what words mean, by its name in `models/manifest.yaml`."""
    entry = value.mapping(("encoder",))
    if "encoder" not in entry:
        value.fail("says nothing", "add encoder:")
    return entry["encoder"].word(Manifest.load(Paths.of().models / MANIFEST).sentences(), "encoder")


def parse_state(value: Value, device: Entity) -> dict[str, StateValue]:
    """Attribute -> value, each checked against what the device has.

    Raises:
        ConfigError: an attribute that it does not have, a value outside its range or options.
    """
    known = {item.attribute: item for item in device.capabilities}
    if any(item.name == "activate" for item in device.capabilities):
        known.pop("command", None)
    found: dict[str, StateValue] = {}
    for attribute, item in value.mapping().items():
        if attribute not in known:
            item.fail(f"{device.id} has no {quoted(attribute)}", nearest(attribute, known))
        capability = known[attribute]
        data = item.scalar()
        if isinstance(data, float) and (capability.minimum is not None or capability.maximum is not None):
            item.number(capability.minimum, capability.maximum)
        if isinstance(data, str) and capability.options:
            data = item.word(capability.options, attribute)
        found[attribute] = data
    return found


def _numbers(value: Value, kind: type[Thresholds | RoundSettings], most: int) -> dict[str, Any]:
    """The fields that a section names: whole numbers from 1 to `most`, the others 0 to 1."""
    names = {item.name: item for item in fields(kind)}
    return {
        name: item.whole(1, most) if isinstance(names[name].default, int) else item.number(0, 1)
        for name, item in value.mapping(names).items()
    }


def _topics(value: Value) -> tuple[str, ...]:
    if isinstance(value.data, bool):
        if value.data:
            value.fail("this is true", "write the topic, or false")
        return ()
    found = []
    for item in value.sequence():
        topic = item.text()
        if any(sign in topic for sign in "+#") or topic.startswith(("/", "$")) or topic.endswith("/"):
            item.fail(f"{quoted(topic)} is no topic to begin with", "leave out + and #, and / at its ends")
        found.append(topic)
    return tuple(dict.fromkeys(found))


def _simulated(value: Value, device: Entity) -> SimulatedDevice:
    entry = value.mapping(("behaviour", "state", "latency_ms"))
    behaviour: Behaviour = "normal"
    if "behaviour" in entry:
        word = entry["behaviour"].word(_BEHAVIOURS, "behaviour")
        behaviour = next(item for item in _BEHAVIOURS if item == word)
    return SimulatedDevice(
        behaviour=behaviour,
        state=parse_state(entry["state"], device) if "state" in entry else {},
        latency_ms=entry["latency_ms"].number(0, 60_000) if "latency_ms" in entry else None,
    )


def _tls(value: Value) -> TlsSettings | None:
    if isinstance(value.data, bool):
        return TlsSettings() if value.data else None
    entry = value.mapping(("ca", "certificate", "key"))
    if ("certificate" in entry) != ("key" in entry):
        value.fail("a certificate and its key belong together", "give both or neither")
    return TlsSettings(
        ca=beside(entry["ca"]) if "ca" in entry else None,
        certificate=beside(entry["certificate"]) if "certificate" in entry else None,
        key=beside(entry["key"]) if "key" in entry else None,
    )
