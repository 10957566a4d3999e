"""What zigbee2mqtt says that a device can do ("exposes") -> parts with capabilities and the options of an address.

The form is that of zigbee2mqtt's page "Exposes": access bits are 1 published, 2 settable, 4 gettable; a property of one
gang of several has the gang's suffix already (`state_left`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from daemon.core.entities import Capability, Value
from daemon.core.values import replace
from daemon.home import events
from daemon.home.capabilities import STANDARD, TOLD_POSITION, reading
from daemon.home.settings import option_word, setting
from daemon.mqtt.dialects.payloads import mired_to_kelvin, number, word
from daemon.mqtt.dialects.zigbee2mqtt_words import TOLD_BY, UNITS
from daemon.system.worker import Limit

MAIN: Final = ("light", "switch", "cover", "lock", "fan", "climate")
_PUBLISHED, _SETTABLE, _GETTABLE = 1, 2, 4
MAX_OPTIONS: Final = 64
_ENUMS = Limit(logging.getLogger(__name__), "none of %d options is used, for there are more than %d: %r, ...")
_SETPOINTS: Final = ("occupied_heating_setpoint", "current_heating_setpoint", "occupied_cooling_setpoint")
_COVER_WORDS: Final = (("OPEN", "open"), ("CLOSE", "closed"), ("STOP", "stopped"))


@dataclass(slots=True)
class Part:
    """One thing that a device is: a gang, a lamp, or its sensors."""

    main: str
    """The main expose, or `sensor`."""
    endpoint: str = ""
    capabilities: list[Capability] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    """As `daemon.mqtt.dialects.zigbee2mqtt_words` reads them."""

    def add(self, capability: Capability, expose: Mapping[str, Any], access: int | None = None) -> None:
        """Takes a capability that an expose describes; one that is there already stays."""
        access = _access(expose) if access is None else access
        if any(item.attribute == capability.attribute and item.name == capability.name for item in self.capabilities):
            return
        self.capabilities.append(
            replace(
                capability,
                readable=capability.readable and bool(access & _PUBLISHED),
                gettable=capability.gettable and bool(access & _GETTABLE),
            )
        )
        self.options[f"{capability.attribute}_property"] = str(expose.get("property") or expose.get("name"))

    def choose(self, capability: Capability, expose: Mapping[str, Any], words: Mapping[str, str]) -> None:
        """Takes a capability that is one of some words (ours -> the device's); `off` may belong to another one."""
        self.add(replace(capability, options=tuple(words), minimum=None, maximum=None, unit=None), expose)
        for ours, raw in words.items():
            self.word(capability.attribute, ours, raw)

    def word(self, attribute: str, value: Value, raw: object) -> None:
        """Notes the device's own word for a value."""
        if isinstance(raw, str | bool | int | float):
            self.options[f"{attribute}_{value}"] = raw


def parts_of(exposes: object) -> tuple[Part, ...]:
    """What a device is made of: its main things by endpoint, sensors and settings with the first of them.

    Never raises: what is not as it should be is left out.
    """
    listed = [item for item in exposes if isinstance(item, Mapping)] if isinstance(exposes, list) else []
    parts: dict[tuple[str, str], Part] = {}
    beside: list[tuple[str, Mapping[str, Any]]] = []
    for item in listed:
        main = item.get("type")
        if main not in MAIN:
            continue
        features = {str(one.get("name")): one for one in _features(item)}
        endpoint = word(item.get("endpoint")) or ""
        if main == "switch" and not _is_main(features.get("state"), endpoint):
            beside.append((endpoint, {**(features.get("state") or {}), "label": item.get("label")}))
            continue
        part = parts.setdefault((main, endpoint), Part(main, endpoint))
        _FILL[main](part, features)
    able = [part for part in parts.values() if part.capabilities]
    body = able[0] if able else Part("sensor")
    for item in listed:
        if item.get("type") not in MAIN:
            _extra(item, _owner(str(word(item.get("endpoint")) or ""), able, body))
    if (action := next(filter(is_action, listed), None)) is not None:
        for part, capability in shared(tuple(_words(action.get("values"), most=events.MOST)), able, body):
            part.add(capability, action)
    for endpoint, item in beside:
        _setting(item, str(item.get("property")), _owner(endpoint, able, body))
    return (body,) if body.capabilities and not able else tuple(able)


def _owner(endpoint: str, able: list[Part], body: Part) -> Part:
    """The gang that something is of."""
    return next((part for part in able if endpoint and part.endpoint == endpoint), body)


def _extra(item: Mapping[str, Any], owner: Part) -> None:
    name = str(item.get("name"))
    if name == "effect" and owner.main == "light" and (shown := _words(item.get("values"))):
        owner.choose(STANDARD["option"], item, shown)
    elif name in TOLD_BY and _access(item) & _PUBLISHED and not _access(item) & _SETTABLE:
        for attribute in TOLD_BY[name]:
            if any(known.attribute == attribute for known in owner.capabilities):
                continue
            unit = str(item.get("unit") or "")
            owner.add(reading(attribute, UNITS.get(unit, unit) or None), item)
    elif _access(item) & _SETTABLE and item.get("category") != "diagnostic":
        _setting(item, name, owner)


def _setting(item: Mapping[str, Any], name: str, owner: Part) -> None:
    """A switch, a choice or a number beside what the device is there for, by its own name."""
    if not _access(item) & _PUBLISHED or any(known.attribute == name for known in owner.capabilities):
        return
    label = text if isinstance(text := item.get("label"), str) and text.isprintable() else None
    match item.get("type"):
        case "binary":
            words = {"on": item.get("value_on"), "off": item.get("value_off")}
            able = setting(name, ("on", "off"), label=label)
        case "enum":
            words = {option_word(ours): raw for ours, raw in _words(item.get("values")).items()}
            able = setting(name, tuple(words), label=label) if words else None
        case "numeric":
            low, high = number(item.get("value_min")), number(item.get("value_max"))
            unit = str(item.get("unit") or "")
            step = number(item.get("value_step"), 1e-6)
            words, able = {}, setting(name, (), low, high, step, UNITS.get(unit, unit) or None, label)
        case _:
            return
    if able is None:
        return
    owner.add(able, item)
    for ours, raw in words.items():
        owner.word(name, ours, raw)


def _light(part: Part, features: Mapping[str, Mapping[str, Any]]) -> None:
    _on_off(part, features.get("state"))
    if (level := features.get("brightness")) is not None:
        part.add(STANDARD["brightness"], level)
        _scale(part, "brightness", level)
    if (white := features.get("color_temp")) is not None:
        warm, cold = number(white.get("value_max"), 50), number(white.get("value_min"), 50)
        able = STANDARD["color_temp"]
        if warm is not None and cold is not None:
            # Some claim a warmest tone far beyond all that shines.
            able = replace(able, minimum=mired_to_kelvin(min(warm, 1000)), maximum=mired_to_kelvin(cold))
        if warm is None or cold is None or cold < warm:
            part.add(able, white)
    color = features.get("color_xy") or features.get("color_hs")
    if color is not None:
        part.add(STANDARD["color"], color, access=_access(color) or _PUBLISHED | _SETTABLE | _GETTABLE)


def _switch(part: Part, features: Mapping[str, Mapping[str, Any]]) -> None:
    _on_off(part, features.get("state"))


def _cover(part: Part, features: Mapping[str, Mapping[str, Any]]) -> None:
    if (state := features.get("state")) is not None and _access(state) & _SETTABLE:
        said = {str(item).upper(): str(item) for item in state.get("values") or () if isinstance(item, str)}
        if {"OPEN", "CLOSE"} <= said.keys():
            part.add(replace(STANDARD["open_close"], stoppable="STOP" in said), state)
            for upper, value in _COVER_WORDS:
                if said.get(upper, upper) != upper:
                    part.word("state", value, said[upper])
    if (position := features.get("position")) is not None:
        settable = _access(position) & _SETTABLE
        if settable or _access(position) & _PUBLISHED:
            part.add(STANDARD["position"] if settable else TOLD_POSITION, position)


def _lock(part: Part, features: Mapping[str, Mapping[str, Any]]) -> None:
    if (state := features.get("state")) is not None and _access(state) & _SETTABLE:
        part.add(STANDARD["lock"], state)
        part.word("state", "locked", state.get("value_on"))
        part.word("state", "unlocked", state.get("value_off"))


def _fan(part: Part, features: Mapping[str, Mapping[str, Any]]) -> None:
    mode, speed = features.get("mode"), features.get("speed")
    _on_off(part, features.get("state"))
    if speed is not None and _access(speed) & _SETTABLE:
        part.add(STANDARD["fan_speed"], speed)
        _scale(part, "speed", speed)
        if mode is not None and (words := _words(mode.get("values"))):
            part.choose(STANDARD["mode"], mode, words)
    elif mode is not None and (words := _words(mode.get("values"))):
        part.choose(STANDARD["fan_speed"], mode, words)
        if "off" in words and not any(item.name == "on_off" for item in part.capabilities):
            part.add(STANDARD["on_off"], mode)


def _climate(part: Part, features: Mapping[str, Mapping[str, Any]]) -> None:
    setpoint = next((features[name] for name in _SETPOINTS if name in features), None)
    if setpoint is not None:
        unit = UNITS.get(str(setpoint.get("unit")), "C")
        low, high = number(setpoint.get("value_min")), number(setpoint.get("value_max"))
        part.add(
            replace(
                STANDARD["temperature"],
                minimum=low,
                maximum=high,
                step=number(setpoint.get("value_step"), 0.01, 10),
                unit=unit,
            ),
            setpoint,
        )
    mode = features.get("system_mode")
    if mode is not None and _access(mode) & _SETTABLE and (words := _words(mode.get("values"))):
        part.choose(STANDARD["mode"], mode, {ours: raw for ours, raw in words.items() if ours != "off"})
        if "off" in words and len(words) > 1:
            part.add(STANDARD["on_off"], mode)
    if (local := features.get("local_temperature")) is not None:
        part.add(reading("current_temperature", UNITS.get(str(local.get("unit")), "C")), local)
    for name, capability in (("preset", "preset"), ("fan_mode", "fan_speed"), ("swing_mode", "swing")):
        item = features.get(name)
        if item is not None and _access(item) & _SETTABLE and (words := _words(item.get("values"))):
            part.choose(STANDARD[capability], item, words)


_FILL: Final = {
    "light": _light,
    "switch": _switch,
    "cover": _cover,
    "lock": _lock,
    "fan": _fan,
    "climate": _climate,
}


def _on_off(part: Part, state: Mapping[str, Any] | None) -> None:
    if state is None or not _access(state) & _SETTABLE:
        return
    part.add(STANDARD["on_off"], state)
    part.word("state", "on", state.get("value_on"))
    part.word("state", "off", state.get("value_off"))


def _scale(part: Part, attribute: str, expose: Mapping[str, Any]) -> None:
    top = number(expose.get("value_max"), 1, 65535)
    if top is None:
        return
    part.options[f"{attribute}_max"] = top
    if top < 100:  # noqa: PLR2004 - percent
        # A fan of five speeds knows no percent between them.
        low = number(expose.get("value_min"), 0, top) or 0
        part.capabilities = [
            replace(item, minimum=100 * low / top, step=100 / top) if item.attribute == attribute else item
            for item in part.capabilities
        ]


def _is_main(state: Mapping[str, Any] | None, endpoint: str) -> bool:
    """Whether a switch is what the device is there for, not a setting of it in the shape of a switch."""
    return state is not None and state.get("property") in ("state", f"state_{endpoint}")


def _features(item: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    features = item.get("features")
    return [one for one in features if isinstance(one, Mapping)] if isinstance(features, list) else ()


def _words(values: object, most: int = MAX_OPTIONS) -> dict[str, str]:
    """The options of an enum in our spelling, each with the device's; none where there are too many."""
    options = values if isinstance(values, list) else []
    if len(options) > most:
        _ENUMS.cuts(len(options), most, options[0])
    return {text: item for item in options if (text := word(item)) is not None} if len(options) <= most else {}


def _access(expose: Mapping[str, Any]) -> int:
    return access if type(access := expose.get("access")) is int else 0


PROPERTY: Final = "action"
_EVENTFUL: Final = frozenset({"light", "switch", "fan", "cover", "climate"})
"""What has buttons beside, where its actions say how they are pressed; those of a lock say how it was turned."""


def is_action(item: Mapping[str, Any]) -> bool:
    """Whether an expose tells what is pressed."""
    access = item.get("access")
    return item.get("name") == PROPERTY and item.get("type") == "enum" and access in (1, 4, 5)


def shared(words: Sequence[str], able: Sequence[Part], body: Part) -> Iterator[tuple[Part, Capability]]:
    """What each part of a device tells of these actions.

    Of a device that is nothing else, each is told; of another, how something is pressed. Of several gangs each has its
    own; what is of none of them, or of two, nobody could ask for.
    """
    gangs = [frozenset(events.button_of(part.endpoint).split()) for part in able]
    if not able:
        yield from _told(body, words)
    for part, gang in zip(able, gangs, strict=True):
        mine: Iterable[str] = filter(events.is_told, words) if part.main in _EVENTFUL else ()
        if len(able) > 1:
            others = frozenset().union(*gangs) - gang
            mine = [item for item in mine if gang and _of(item) >= gang and others.isdisjoint(_of(item))]
        yield from _told(part, mine)


def _of(option: str) -> frozenset[str]:
    return frozenset(events.read(option).button.split())


def _told(part: Part, words: Iterable[str]) -> Iterator[tuple[Part, Capability]]:
    if (capability := events.event(words)) is not None:
        yield part, capability
