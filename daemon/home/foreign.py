"""Homes in the JSON format of the evaluation: Home Assistant's domains, classes and scales. See docs/evaluation.md.

Every device is given a plain address, `home/<id>`, so that the simulated home can play it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from daemon.core.entities import Address, Capability, Entity
from daemon.core.errors import ConfigError
from daemon.core.values import replace
from daemon.home.capabilities import FAHRENHEIT, STANDARD, reading
from daemon.home.config import HomeConfig, SimulatedDevice, Simulation
from daemon.home.foreign_words import CLASS_TAGS, DOMAINS, NOT_DEVICES, TOLD, TYPES, UNITS, canonical_state
from daemon.home.sensing import sensed
from daemon.home.settings import NAME, setting
from daemon.system.languages import LANGS, MAIN

_UNUSED: Final = frozenset({"read", "list", "timer"})
_CLEAN_AREA: Final = 16384
"""The bit of a vacuum's features in Home Assistant (`VacuumEntityFeature.CLEAN_AREA`)."""
_HOT: Final = 45.0
"""A temperature above it, in a room, is in Fahrenheit."""
_COLDEST, _HOTTEST = 0, 120
"""Set points where a home tells no range: these homes do not tell the unit either, and some heat saunas."""
_UNITS: Final = ("unit_of_measurement", "temperature_unit")
_READINGS: Final = ("max_temp", "current_temperature", "temperature", "target_temperature")
_OF_WATER: Final = ("operation_mode", "operation_list")
_MODES: Final = ("off", "heat", "cool", "heat_cool", "auto", "dry", "fan_only")
_OPTIONS: Final[Mapping[str, str]] = {"mode": "hvac_modes", "preset": "preset_modes", "swing": "swing_modes"}


def load_foreign(source: Path | Mapping[str, Any]) -> HomeConfig:
    """A home of the evaluation, from a file or from its data.

    Raises:
        ConfigError: no JSON, or not such a home.
    """
    if isinstance(source, Path):
        file = source
        try:
            data = json.loads(source.read_text(encoding="utf-8"))
        except OSError as error:
            problem = f"cannot be read ({error.strerror or error})"
            raise ConfigError(file, None, "", problem, "give a file that exists and may be read") from None
        except (ValueError, RecursionError) as error:
            raise ConfigError(file, None, "", f"is not JSON: {error}", "correct the file") from None
    else:
        file, data = Path("home.json"), source
    try:
        return _home(data)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        problem = f"is not a home of the evaluation: {type(error).__name__}: {error}"
        raise ConfigError(file, None, "", problem, "see docs/evaluation.md for the format") from None


def _home(data: Mapping[str, Any]) -> HomeConfig:
    floors = {item["id"]: item for item in data["floors"]}
    areas = list(data["areas"])
    by_name = {key: item["id"] for item in floors.values() for key in (item["name"], item["id"])}
    entities = [_place("floor", item, None) for item in floors.values()]
    entities += [_place("area", item, by_name.get(item.get("floor"))) for item in areas]
    told = str(data.get("lang", MAIN))
    lang = next((known for known in LANGS if told.startswith(known)), MAIN)
    simulated: dict[str, SimulatedDevice] = {}
    taken = {item.id for item in entities}
    for device in data["devices"]:
        if device["domain"] in NOT_DEVICES or device["id"] in taken:
            continue
        entity = _entity(device, areas, by_name)
        if lang != MAIN:  # only where English is spoken may Fahrenheit be meant
            entity = _celsius(entity)
        taken.add(entity.id)
        entities.append(entity)
        if entity.kind != "scene":
            simulated[entity.id] = _simulated(entity, device)
    return HomeConfig(
        entities=tuple(entities),
        languages=(lang, *(other for other in LANGS if other != lang)),
        simulation=Simulation(devices=simulated),
    )


def _place(kind: Any, item: Mapping[str, Any], floor: str | None) -> Entity:
    return Entity(id=item["id"], kind=kind, names=_names(item), floor=floor)


def _entity(device: Mapping[str, Any], areas: list[dict[str, Any]], floors: Mapping[str, str]) -> Entity:
    domain, device_class = device["domain"], device.get("device_class")
    area = _area(device, areas)
    whole = Entity(
        id=device["id"],
        kind="device",
        names=_names(device),
        area=area,
        floor=floors.get(device.get("floor") or "") if area is None else None,
        exposed=device.get("exposed", True) is not False,
        address=Address("plain", f"home/{device['id']}"),
    )
    if domain == "person":
        return replace(whole, kind="person", area=None, floor=None, capabilities=(reading("state"),))
    if domain in ("scene", "script"):
        return replace(whole, kind="scene", area=None, floor=None, capabilities=(STANDARD["activate"],))
    tags = {device_class} & CLASS_TAGS
    return replace(
        whole,
        type=TYPES.get((domain, device_class)) or DOMAINS.get(domain, domain),
        capabilities=_with_settings(tuple(_capabilities(device)), device.get("settings") or {}),
        tags=frozenset(str(tag) for tag in tags),
    )


def _area(device: Mapping[str, Any], areas: list[dict[str, Any]]) -> str | None:
    named = [item for item in areas if device.get("area") in (item["name"], item["id"])]
    on_floor = [item for item in named if item.get("floor") == device.get("floor")]
    found = on_floor or named
    return str(found[0]["id"]) if found and device.get("area") else None


def _capabilities(device: Mapping[str, Any]) -> Iterator[Capability]:
    attributes = device.get("attributes") or {}
    domain = device["domain"]
    names = _listed(device)
    if domain in TOLD:
        yield reading(TOLD[domain])
        return
    if domain in ("sensor", "binary_sensor"):
        unit = str(attributes.get("unit_of_measurement") or attributes.get("native_unit_of_measurement") or "")
        attribute = sensed(domain, device.get("device_class"))
        if attribute == "value" and unit in UNITS:
            attribute = "temperature"
        yield reading(attribute, UNITS.get(unit, unit) or None)
        return
    for name in names:
        yield _fitted(STANDARD[name], attributes, domain)
    for name, key in _OPTIONS.items():
        # What has no other modes has its presets for them.
        preset_alone = name == "preset" and "mode" in names and not attributes.get("hvac_modes")
        if name not in names and not preset_alone and (options := _words(attributes.get(key))):
            yield replace(STANDARD[name], options=options)
    if "fan_speed" not in names and _speeds(attributes):
        yield _fitted(STANDARD["fan_speed"], attributes, domain)
    yield from _unsaid(domain, names, attributes)
    if domain == "climate":
        yield reading("current_temperature", "F" if _fahrenheit(attributes, device.get("state")) else "C")


def _listed(device: Mapping[str, Any]) -> list[str]:
    names = [name for name in device["capabilities"] if name not in _UNUSED]
    if unknown := [name for name in names if name not in STANDARD]:
        raise ValueError(f"{device['id']} has the unknown capability {unknown[0]!r}; there are {', '.join(STANDARD)}")
    return names


def _with_settings(able: tuple[Capability, ...], told: Mapping[str, Mapping[str, Any]]) -> tuple[Capability, ...]:
    """What a device can do, with its settings; what it is called like is what it can do already."""
    known = {item.attribute for item in able}
    made = [
        setting(
            name,
            item.get("options") or (),
            item.get("min"),
            item.get("max"),
            item.get("step"),
            UNITS.get(item.get("unit") or "", item.get("unit")),
            item.get("label"),
        )
        for name, item in told.items()
        if name not in known
    ]
    return (*able, *(item for item in made if item is not None))


def _unsaid(domain: str, names: list[str], attributes: Mapping[str, Any]) -> Iterator[Capability]:
    """What these homes do not list: players take titles; vacuums clean areas, as far as they say; batteries."""
    if isinstance(attributes.get("battery_level"), int | float):
        yield reading("battery", "%")
    if "media_select" in names:
        yield STANDARD["play_media"]
    if domain == "vacuum" and "start_stop" in names and _cleans_areas(attributes.get("supported_features")):
        yield STANDARD["clean_area"]


def _cleans_areas(features: object) -> bool:
    """Whether a vacuum says that it cleans single areas; one that says nothing of what it can do is taken to."""
    if isinstance(features, int):
        return bool(features & _CLEAN_AREA)
    return features is None or (isinstance(features, list) and "clean_area" in features)


def _fitted(standard: Capability, attributes: Mapping[str, Any], domain: str) -> Capability:
    match standard.name:
        case "color_temp":
            low, high = attributes.get("min_color_temp_kelvin"), attributes.get("max_color_temp_kelvin")
            return replace(standard, minimum=low or standard.minimum, maximum=high or standard.maximum)
        case "temperature":
            # Which no room is, in whatever unit.
            hot = domain == "water_heater" or any(key in attributes for key in _OF_WATER)
            base = FAHRENHEIT if not hot and _fahrenheit(attributes, None) else standard
            if not _tells_unit(attributes):
                base = replace(standard, unit=None)
            low, high = attributes.get("min_temp"), attributes.get("max_temp")
            step = attributes.get("target_temp_step")
            return replace(
                base,
                minimum=_COLDEST if low is None else low,
                maximum=_HOTTEST if high is None else high,
                step=step,
            )
        case "fan_speed":
            if options := _speeds(attributes):
                return replace(standard, options=options, minimum=None, maximum=None, unit=None)
            return replace(standard, step=attributes.get("percentage_step"))
        case "mode":
            return replace(standard, options=_modes(attributes) or _MODES)
        case "media_select":
            return replace(standard, options=_words(attributes.get("source_list")))
        case _:
            return standard


def _modes(attributes: Mapping[str, Any]) -> tuple[str, ...]:
    """The words for what it does: of a climate device, of a humidifier, or of a fan, which has presets alone."""
    told = (_words(attributes.get(key)) for key in ("hvac_modes", "available_modes", "preset_modes"))
    return next(filter(None, told), ())


def _speeds(attributes: Mapping[str, Any]) -> tuple[str, ...]:
    """The words for how fast it blows; none where it counts in percent."""
    counts = attributes.get("percentage") is not None or attributes.get("percentage_step") is not None
    return () if counts else _words(attributes.get("fan_modes") or attributes.get("fan_speed_list"))


def _tells_unit(attributes: Mapping[str, Any]) -> bool:
    """Whether anything says what its set point is in: a unit, a range, or a value that is one of Fahrenheit."""
    told = any(attributes.get(key) is not None for key in (*_UNITS, "max_temp"))
    return told or _fahrenheit(attributes, None)


def _celsius(entity: Entity) -> Entity:
    """The device of a country that counts in Celsius, where nothing else is said."""
    able = tuple(
        replace(item, unit="C") if item.name == "temperature" and item.unit is None else item
        for item in entity.capabilities
    )
    return replace(entity, capabilities=able)


def _fahrenheit(attributes: Mapping[str, Any], state: object) -> bool:
    unit = next((str(attributes[key]) for key in _UNITS if attributes.get(key)), "")
    if unit in UNITS:
        return UNITS[unit] == "F"
    values = [attributes.get(key) for key in _READINGS]
    return any(isinstance(value, int | float) and value > _HOT for value in (*values, state))


def _simulated(entity: Entity, device: Mapping[str, Any]) -> SimulatedDevice:
    state, attributes = device.get("state"), device.get("attributes") or {}
    if entity.type == "sensor" and state is None:
        state = attributes.get("native_value")
    told = _set_to(entity, device.get("settings") or {})
    if state == "unavailable":
        return SimulatedDevice("offline", canonical_state(entity, None, attributes) | told)
    return SimulatedDevice("normal", canonical_state(entity, state, attributes) | told)


def _set_to(entity: Entity, told: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Its settings, and what they are set to."""
    values = {item.attribute: told[item.attribute].get("value") for item in entity.capabilities if item.name == NAME}
    words = {name: value.casefold() for name, value in values.items() if isinstance(value, str)}
    return {name: value for name, value in values.items() if value is not None} | words


def _names(item: Mapping[str, Any]) -> tuple[str, ...]:
    found = (str(name).strip() for name in (item["name"], *(item.get("aliases") or ())))
    return tuple(dict.fromkeys(name for name in found if name))


def _words(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(item).casefold() for item in value)) if isinstance(value, list) else ()
