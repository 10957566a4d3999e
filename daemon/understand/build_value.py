"""What a command or a condition says about a value -> attribute, value, unit."""

from __future__ import annotations

from typing import Literal, cast

from msgspec import Struct

from daemon.core.ir import ATTRIBUTES, Attribute, Kind, Op, Unit
from daemon.understand.parts import Parts, Reading, parts_of

LIGHTS = frozenset({"light", "lamp"})
COVERS = frozenset({"cover", "curtain", "blind", "shade", "shutter", "awning", "garage_door", "gate", "door", "window"})
CLIMATES = frozenset({"climate", "thermostat", "air_conditioner", "heater"})
BLOWERS = CLIMATES | {"fan", "air_purifier"}
"""Kinds that are quieter where they blow less."""

_KINDS_OF: tuple[tuple[Attribute, frozenset[str]], ...] = (
    ("brightness", LIGHTS),
    ("position", COVERS),
    ("temperature", CLIMATES),
    ("speed", frozenset({"fan", "air_purifier", "vacuum"})),
    ("volume", frozenset({"media_player", "tv", "speaker"})),
    ("humidity", frozenset({"humidifier", "dehumidifier"})),
)
KIND_ATTRIBUTE: dict[str, Attribute] = {kind: attribute for attribute, kinds in _KINDS_OF for kind in kinds}
"""What a bare number changes, by kind; `value` where the kind does not tell."""

PERCENT = frozenset({"brightness", "position", "volume", "humidity"})
_UNIT_ATTRIBUTE: dict[str, Attribute] = {"C": "temperature", "F": "temperature", "K": "color_temp"}
_WORDS: tuple[tuple[str, Attribute | None], ...] = (
    ("COLOR", "color"),
    ("SOURCE", "source"),
    ("EFFECT", "option"),
    ("SWING", "swing"),
    ("MODE", "mode"),
    ("STEPPED", None),
    ("MANNER", "volume"),
)
"""Classes whose words are values, and the attribute that they imply."""
_KELVIN_FROM = 1000.0
_KELVIN_TO = 12_000.0
"""A larger number without a unit is money or a count, and nothing to set."""
_NO_DEGREES = frozenset({"brightness", "speed", "volume", "humidity"})
_FEW, _STEPS = {"temperature": 5.0, "value": 10.0, "humidity": 10.0}, 25.0
"""More is rather a value than by how much, where only a number is said."""
_SHARES = {"half": 0.5, "whole": 1.0}
_COUNTS = {"one": 1.0, "two": 2.0, "three": 3.0, "half_one": 0.5, "one_half": 1.5}


class Said(Struct, frozen=True):
    """An attribute with what was said of it; None where nothing was."""

    attribute: Attribute | None = None
    op: Op | None = None
    value: float | str | None = None
    unit: Unit | None = None
    by: Literal["cool", "heat"] | None = None
    straight: bool = False
    """Whether the way is said, as by "up" and "higher"; "more" is more of whatever was done before."""

    @property
    def anything(self) -> bool:
        """Whether there is a value or a limit."""
        return self.value is not None or self.op in ("max", "min")


_NOTHING = Said()
_MARKS = frozenset({"attribute", "op", "value", "armed", "swings"})
_VALUED = frozenset({"value", "armed", "swings"})
_PARTS = frozenset({"Subject", "Option"})
"""Without one of these, or a word, nothing is said of a value."""


def build_value(parts: Parts, reading: Reading, kind: Kind | None) -> Said:
    """What these parts say; `kind` decides what a bare number is about."""
    if not parts.words and parts.marks.keys().isdisjoint(_MARKS) and parts.parts.keys().isdisjoint(_PARTS):
        return _NOTHING
    named = attribute_of(parts, reading)
    op = cast("Op | None", parts.mark("op"))
    if op in ("increase", "decrease") and parts.has("utmost"):
        op = "max" if op == "increase" else "min"
    value, unit, implied = _value(parts, reading)
    attribute = _settle(named, implied, value, unit, kind)
    more, name = parts.word("MORE"), ""
    if more is not None:
        name, direction = reading.lexicon.value("MORE", reading.text(more)).split()
        op = cast("Op", direction)
        attribute = _comparative("value" if name == "more" else name, named or implied, kind)
        if name == "warmth" and attribute == "color_temp":
            op = "decrease" if op == "increase" else "increase"
    elif (marked := parts.mark("attribute")) == "strength" or (marked == "volume" and kind in BLOWERS):
        attribute = _comparative(marked, named or implied, kind)
    elif marked == "warmth":
        attribute = _comparative("warmth", named, kind)
        if attribute == "color_temp" and op in ("increase", "decrease"):
            op = "decrease" if op == "increase" else "increase"
    if unit is None and isinstance(value, float) and attribute in PERCENT and op not in ("max", "min"):
        unit = "%"
    if parts.has("few") and isinstance(value, float) and value > _FEW.get(attribute or "value", _STEPS):
        raise ValueError(f"{attribute} by {value}")  # "the heating up 22" is hardly by so much
    by = cast('Literal["cool", "heat"] | None', parts.mark("by")) if attribute == "temperature" else None
    straight = parts.has("straight") or (more is not None and name != "more")
    return Said(attribute, op, value, unit, by, straight)


def attribute_of(parts: Parts, reading: Reading) -> Attribute | None:
    """The attribute that is named, also where it is one of a thing: "the brightness of the lamp"."""
    for name in ("ATTR", "MEASURE"):
        if (node := parts.word(name)) is not None:
            meant = {reading.meaning(name, one) for one in parts.words[name]}
            if len(meant) > 1 and not ATTRIBUTES.issuperset(meant):
                raise ValueError(meant)  # of one of them, nothing would be done
            return reading.meaning(name, node)
    for target in parts.all("Subject"):
        if (found := attribute_of(parts_of(target), reading)) is not None:
            return found
    marked = parts.mark("attribute")
    return marked if marked not in (None, "warmth", "strength") else None


def _value(parts: Parts, reading: Reading) -> tuple[float | str | None, Unit | None, Attribute | None]:
    """The value, its unit, and the attribute that it implies."""
    if not (parts.words or not _VALUED.isdisjoint(parts.marks) or "Option" in parts.parts):
        return None, None, None
    return _word(parts, reading) or _amount(parts, reading) or (None, None, None)


def _word(parts: Parts, reading: Reading) -> tuple[float | str | None, Unit | None, Attribute | None] | None:
    if parts.mark("swings") == "off":
        return "off", None, "swing"  # 不要上下扫风, whichever way it is
    if (node := parts.word("WHITE")) is not None:
        return float(reading.lexicon.value("WHITE", reading.text(node))), "K", "color_temp"
    for name, implied in _WORDS:
        if (node := parts.word(name)) is not None:
            return reading.meaning(name, node), None, implied
    if (way := parts.mark("armed")) is not None:
        return way, None, "mode"
    if (swings := parts.mark("swings")) is not None:
        return swings, None, "swing"
    option = parts.part("Option")
    return (reading.text(option), None, None) if option is not None else None


def _amount(parts: Parts, reading: Reading) -> tuple[float | str | None, Unit | None, Attribute | None] | None:
    relative = parts.mark("op") in ("increase", "decrease") or parts.word("MORE") is not None
    share = _SHARES.get(parts.mark("value") or "")
    if (node := parts.word("FRACTION")) is not None:
        share = float(reading.lexicon.value("FRACTION", reading.text(node)))
    if share is not None:
        return (share, "fraction", None) if relative else (round(share * 100, 1), "%", None)
    if (node := parts.word("NUMBER")) is not None:
        return _number(parts, reading.numbers.value(reading.text(node)), reading)
    if (node := parts.word("ABOUT")) is not None:  # never more than was said
        return _number(parts, reading.numbers.least(reading.text(node)), reading)
    if (node := parts.word("BIT")) is not None:
        return float(reading.lexicon.value("BIT", reading.text(node))), "step", None
    if parts.mark("value") == "some":
        return 1.0, "step", None
    if (count := _COUNTS.get(parts.mark("value") or "")) is not None and (parts.word("UNIT") or parts.word("TIMEUNIT")):
        return _number(parts, count, reading)
    return None


def _number(parts: Parts, number: float, reading: Reading) -> tuple[float, Unit | None, Attribute | None]:
    if parts.has("half"):
        number += 0.5
    if (decimal := parts.part("Decimal")) is not None:  # 二十六度五
        number += reading.numbers.value(reading.text(decimal)) / 10
    marked = parts.mark("unit")
    if marked in ("percent", "tenths"):
        number = number * 10 if marked == "tenths" else number
        return number, "%", None
    if marked in _UNIT_ATTRIBUTE:  # 华氏七十五度
        return number, cast("Unit", marked), _UNIT_ATTRIBUTE[marked]
    if (node := parts.word("TIMEUNIT")) is not None:
        return number, cast("Unit", reading.lexicon.value("TIMEUNIT", reading.text(node))), None
    node = parts.word("UNIT")
    unit = reading.lexicon.value("UNIT", reading.text(node)) if node is not None else None
    if unit == "degree":
        return number, None, "temperature"
    return number, cast("Unit | None", unit), _UNIT_ATTRIBUTE.get(unit or "")


def _settle(
    said: Attribute | None,
    implied: Attribute | None,
    value: float | str | None,
    unit: Unit | None,
    kind: Kind | None,
) -> Attribute | None:
    if implied == "color_temp" and said in (None, "color", "temperature", "brightness"):
        return "color_temp"
    if said in _NO_DEGREES and implied == "temperature":
        raise ValueError(f"{said} in degrees")  # 制热二十三度风速调低: two things are said
    if said is not None:
        return said
    if implied is not None:
        return implied
    if value is None:
        return None
    if isinstance(value, float) and unit in (None, "K") and value >= _KELVIN_FROM and (kind in LIGHTS or kind is None):
        if unit is None and value > _KELVIN_TO:
            raise ValueError(f"{value} of a light")
        return "color_temp"
    if isinstance(value, str) and kind in CLIMATES:
        return "speed"  # "low" is no temperature
    return KIND_ATTRIBUTE.get(kind or "", "value")


def _comparative(name: str, said: Attribute | None, kind: Kind | None) -> Attribute:
    if name == "warmth":
        return "color_temp" if kind in LIGHTS or said in ("color", "color_temp") else "temperature"
    if (name == "strength" and kind in CLIMATES and said in (None, "value")) or (name == "volume" and kind in BLOWERS):
        return "speed"  # a stronger air conditioner blows harder; what it does to the temperature depends on its mode
    if name in ("value", "strength"):
        return said if said not in (None, "value") else KIND_ATTRIBUTE.get(kind or "", "value")
    return name


def as_kind_has_it(attribute: Attribute, value: str, kind: Kind | None, parts: Parts) -> tuple[Attribute, str]:
    """What is asserted, as this kind of thing has it; what is all the way open or closed is so by its position."""
    value = state_word(value, kind) if attribute == "state" else value
    ends = attribute == "state" and value in ("open", "closed") and parts.has("wholly")
    return "position" if ends else attribute, value


def state_word(value: str, kind: Kind | None) -> str:
    """The word for a state as this kind of thing has it: a curtain that is on (开着) is open."""
    own = _OF_COVERS if kind in COVERS or kind == "valve" else _OF_LOCKS if kind == "lock" else {}
    return own.get(value, value)


_OF_COVERS = {"on": "open", "off": "closed"}
_OF_LOCKS = {"on": "unlocked", "open": "unlocked", "off": "locked", "closed": "locked"}
