"""What each capability is like where a home file says nothing more, and how a file says more.

What is wrong there, such as an unknown name, range or unit, or one thing twice, is a `ConfigError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daemon.core.entities import Capability
from daemon.core.values import replace
from daemon.core.vocabulary import READINGS
from daemon.home.settings import setting
from daemon.system.nodes import Value, nearest, quoted

STANDARD: Final[Mapping[str, Capability]] = {
    item.name: item
    for item in (
        Capability("on_off", "state"),
        Capability("brightness", "brightness", minimum=0, maximum=100, unit="%"),
        Capability("color", "color"),
        Capability("color_temp", "color_temp", minimum=2000, maximum=6500, unit="K"),
        Capability("open_close", "state", stoppable=True),
        Capability("position", "position", minimum=0, maximum=100, unit="%"),
        Capability("lock", "state"),
        Capability("temperature", "temperature", minimum=5, maximum=35, unit="C"),
        Capability("humidity", "humidity", minimum=30, maximum=80, unit="%"),
        Capability("mode", "mode"),
        Capability("preset", "preset"),
        Capability("swing", "swing"),
        Capability("fan_speed", "speed", minimum=0, maximum=100, unit="%"),
        Capability("volume", "volume", minimum=0, maximum=100, unit="%"),
        Capability("mute", "muted"),
        Capability("media_transport", "state"),
        Capability("media_select", "source"),
        Capability("play_media", "media"),
        Capability("start_stop", "state"),
        Capability("clean_area", "area"),
        Capability("dock", "command", readable=False, gettable=False),
        Capability("activate", "command", readable=False, gettable=False),
        Capability("value", "value"),
        Capability("option", "option"),
        Capability("arm", "state"),
        Capability("event", "event", readable=False, gettable=False),
    )
}

TOLD_POSITION: Final = Capability("read", "position", minimum=0, maximum=100, unit="%")
"""Of a cover that tells how far it is open, and can't be sent there."""

FAHRENHEIT: Final = replace(STANDARD["temperature"], minimum=40, maximum=95, unit="F")

_USUAL: Final[Mapping[tuple[str, str], Capability]] = {("temperature", "F"): FAHRENHEIT}

_NEEDS_OPTIONS: Final = frozenset({"mode", "preset", "swing", "media_select", "option", "event"})
_UNITS: Final[Mapping[str, frozenset[str]]] = {"temperature": frozenset({"C", "F"}), "color_temp": frozenset({"K"})}
_OWN_KEYS: Final = ("min", "max", "step", "unit", "options", "readable", "gettable")
_KEYS: Final = ("min", "max", "step", "unit", "options", "readable", "gettable", "stoppable")


def parse_capabilities(value: Value) -> tuple[Capability, ...]:
    """The `capabilities` of a device: a list of names, or of `name: {what is special}`."""
    found: dict[str, Capability] = {}
    for item in value.sequence():
        for capability in _one(item):
            if capability.name in found:
                item.fail(f"the capability {quoted(capability.name)} stands here twice", "remove one of them")
            found[capability.name] = capability
    return tuple(found.values())


def parse_readings(value: Value) -> tuple[Capability, ...]:
    """The `reads` of a device: a list of attributes, or of `attribute: unit`."""
    found: dict[str, Capability] = {}
    for item in value.sequence():
        entries = item.data.items() if isinstance(item.data, dict) else [(item.text(), item)]
        for attribute, place in entries:
            if attribute not in READINGS:
                place.fail(f"nothing can be read as {quoted(attribute)}", nearest(attribute, READINGS))
            if attribute in found:
                place.fail(f"{quoted(attribute)} stands here twice", "remove one of them")
            unit = place.text(12) if isinstance(item.data, dict) else READINGS[attribute]
            found[attribute] = reading(attribute, unit)
    return tuple(found.values())


def parse_settings(value: Value) -> tuple[Capability, ...]:
    """The `settings` of a device: its own name for each, with a range or options."""
    return tuple(_own(name, spec) for name, spec in value.mapping().items())


def _own(name: str, spec: Value) -> Capability:
    keys = spec.mapping((*_OWN_KEYS, "label"))
    numbers = {key: keys[key].number() for key in ("min", "max", "step") if key in keys}
    options = [item.scalar() for item in keys["options"].sequence()] if "options" in keys else []
    if bool(options) == bool(numbers):
        spec.fail("a setting takes words or numbers", "write options: [a, b], or min: and max:")
    made = setting(
        name,
        options,
        numbers.get("min"),
        numbers.get("max"),
        numbers.get("step"),
        keys["unit"].text(12) if "unit" in keys else None,
        keys["label"].text(60) if "label" in keys else None,
    )
    if made is None:
        spec.fail("this can't be set by its name", "write letters for it, and a min below the max")
    flags = {key: keys[key].flag() for key in ("readable", "gettable") if key in keys}
    return replace(made, readable=flags.get("readable", True), gettable=flags.get("gettable", True))


def reading(attribute: str, unit: str | None = None) -> Capability:
    """The capability of telling one attribute."""
    return Capability("read", attribute, unit=unit or READINGS.get(attribute))


def bounded(capability: Capability) -> Capability:
    """The capability with the usual range of its kind and unit where it takes numbers and has none, or half of one.

    Nobody means 200 degrees, whether or not a thermostat says how far it goes. An end that the device gives stands;
    the other is then as far away as usual, where the usual one would lie on the wrong side.
    """
    low, high = capability.minimum, capability.maximum
    usual = _USUAL.get((capability.name, capability.unit or "")) or STANDARD.get(capability.name)
    if capability.options or (low is not None and high is not None) or usual is None or capability.unit != usual.unit:
        return capability
    if usual.minimum is None or usual.maximum is None:
        return capability
    width = usual.maximum - usual.minimum
    if low is None:
        low = usual.minimum if high is None or usual.minimum < high else high - width
    if high is None:
        high = usual.maximum if usual.maximum > low else low + width
    return replace(capability, minimum=low, maximum=high)


def _one(item: Value) -> list[Capability]:
    if not isinstance(item.data, dict):
        name = item.word(STANDARD, "capability")
        if name in _NEEDS_OPTIONS:
            item.fail(f"{quoted(name)} takes words", f"write them: {name}: {{options: [a, b]}}")
        return [STANDARD[name]]
    found = []
    for name, spec in item.data.items():
        if name not in STANDARD:
            spec.fail(f"unknown capability {quoted(name)}", nearest(name, STANDARD))
        found.append(_special(STANDARD[name], spec))
    return found


def _special(standard: Capability, spec: Value) -> Capability:
    keys = spec.mapping(_KEYS)
    options = tuple(item.text(40).casefold() for item in keys["options"].sequence()) if "options" in keys else ()
    if len(set(options)) < len(options):
        keys["options"].fail("an option stands here twice", "remove one of them")
    if standard.name in _NEEDS_OPTIONS and not options:
        spec.fail("this takes words", "write them: options: [a, b]")
    unit = keys["unit"].text(12) if "unit" in keys else standard.unit
    if unit != standard.unit and standard.name in _UNITS and unit not in _UNITS[standard.name]:
        keys["unit"].fail(f"unknown unit {quoted(str(unit))}", nearest(str(unit), _UNITS[standard.name]))
    base = FAHRENHEIT if standard.name == "temperature" and unit == "F" else standard
    # Named levels ("low", "high") replace a range unless the file gives both.
    worded = bool(options) and "max" not in keys and "min" not in keys
    low = keys["min"].number() if "min" in keys else None if worded else base.minimum
    high = keys["max"].number() if "max" in keys else None if worded else base.maximum
    if low is not None and high is not None and low >= high:
        keys.get("max", spec).fail(f"the range goes from {low:g} to {high:g}", "write a min below the max")
    step = keys["step"].number(0) if "step" in keys else base.step
    if step is not None and (step == 0 or (low is not None and high is not None and step > high - low)):
        keys.get("step", spec).fail(f"a step of {step:g} does not fit the range", "write a step within it")
    return replace(
        base,
        minimum=low,
        maximum=high,
        step=step,
        unit=None if worded else unit,
        options=options,
        readable=keys["readable"].flag() if "readable" in keys else base.readable,
        gettable=keys["gettable"].flag() if "gettable" in keys else base.gettable,
        stoppable=keys["stoppable"].flag() if "stoppable" in keys else base.stoppable,
    )
