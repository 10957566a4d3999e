"""Values of devices that speak Home Assistant's MQTT form: a payload's content and canonical ones, both ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from daemon.core.entities import Capability, Entity, Value
from daemon.mqtt.dialects.payloads import (
    PERCENT,
    canonical,
    hex_to_hs,
    hex_to_rgb,
    hex_to_xy,
    hs_to_hex,
    kelvin_to_mired,
    mired_to_kelvin,
    number,
    parse_object,
    rgb_to_hex,
    tidy,
    xy_to_hex,
)

Form = Literal["word", "number", "percent", "mired", "kelvin", "rgb", "hs", "xy", "color", "open", "event"]
"""What a payload holds: a word, a number as it is, a number on the device's own scale, a colour temperature, a colour
as "r,g,b", "h,s" or "x,y", a colour as an object, or (only told) a position of which only open or closed matters, or an
event, the type of which stands in an object."""


class Tell(Struct, frozen=True):
    """How one attribute is told."""

    attribute: str
    """Canonical; `color_mode` is told only to know whether the colour or the white tone counts."""
    topic: str
    template: str = ""
    """Jinja; empty: the payload itself."""
    form: Form = "word"
    words: tuple[tuple[str, Value], ...] = ()
    """The device's word -> ours; empty: any."""
    otherwise: Value | None = None
    """What any other word means; None: nothing."""
    low: float = 0.0
    """What 0 percent is on the device's scale ..."""
    high: float = 100.0
    """... and what 100 percent is; may be below `low`."""


class Say(Struct, frozen=True):
    """How one attribute is set."""

    attribute: str
    topic: str
    template: str = ""
    """Jinja with `value`; empty: the value itself. Of a joint message, the one for everything but `off`."""
    form: Form = "word"
    words: tuple[tuple[Value, str], ...] = ()
    """Our word -> the device's; empty: any, as it is."""
    low: float = 0.0
    high: float = 100.0
    retain: bool = False
    wakes: Literal["", "first", "last"] = ""
    """Whether the device must be turned on with it, before or after."""
    joint: str = ""
    """Goes into one message together with the others of its topic, under this name; JSON where there is no template."""
    off_template: str = ""
    """Of a joint message, for turning off."""


class Presence(Struct, frozen=True):
    """One topic that tells whether the device can be reached."""

    topic: str
    template: str = ""
    available: str = "online"
    not_available: str = "offline"


class Links(Struct, frozen=True):
    """Everything about one entity."""

    tells: tuple[Tell, ...] = ()
    says: tuple[Say, ...] = ()
    presence: tuple[Presence, ...] = ()
    together: Literal["all", "any", "latest"] = "latest"
    """How several presences are taken together."""
    answers: bool = False
    """An empty payload on a command topic asks for the state (Tasmota)."""


_NONE = Links()


def links_of(entity: Entity) -> Links:
    """The links of an entity; empty ones where its address has none."""
    found = entity.address.options.get("links") if entity.address is not None else None
    return found if isinstance(found, Links) else _NONE


def templates_of(entity: Entity) -> tuple[str, ...]:
    """Every template by which an entity is spoken with."""
    links = links_of(entity)
    told = [item.template for item in links.tells]
    said = [template for item in links.says for template in (item.template, item.off_template)]
    there = [item.template for item in links.presence]
    return tuple(template for template in dict.fromkeys((*told, *said, *there)) if template)


_RGB = 3
_UNKNOWN = frozenset({"", "none", "unknown", "unavailable"})


def from_device(tell: Tell, raw: object, capability: Capability | None) -> Value | None:
    """What was told, as a canonical value; None where it is not one."""
    if raw is None or raw == "":
        return None
    result: Value | None
    match tell.form:
        case "word":
            result = _word(tell, raw, capability)
        case "number":
            low, high = (0, 100) if tell.attribute in PERCENT else (-1e9, 1e9)
            result = number(raw, low, high)
        case "percent":
            result = _percent(tell, raw)
        case "open":
            percent = _percent(tell, raw)
            result = None if percent is None else "closed" if percent == 0 else "open"
        case "mired":
            mired = number(raw, 50, 1000)
            result = None if mired is None else mired_to_kelvin(mired)
        case "kelvin":
            result = number(raw, 1000, 20000)
        case "color":
            result = _color_object(raw)
        case "event":
            result = _word(tell, _event_type(raw), capability)
        case _:
            result = _color(tell.form, raw)
    return result


def _event_type(raw: object) -> object:
    """The type of an event; a template may have made text of the object again."""
    if isinstance(raw, str) and raw.lstrip().startswith("{"):
        raw = parse_object(raw.encode())
    return raw.get("event_type") if isinstance(raw, dict) else raw


def to_device(say: Say, value: Value) -> Any:
    """A canonical value as the device takes it: a word, a number, or the parts of a colour; None: it has no word."""
    if say.words:
        return next((raw for ours, raw in say.words if ours == value and type(ours) is type(value)), None)
    result: Any
    match say.form:
        case "percent":
            percent = number(value, 0, 100)
            result = None if percent is None else round(say.low + percent * (say.high - say.low) / 100)
            if result == say.low and percent and say.high != say.low:
                # The least there is, is not nothing.
                result += 1 if say.high > say.low else -1
        case "mired":
            kelvin = number(value, 1000, 20000)
            result = None if kelvin is None else kelvin_to_mired(kelvin)
        case "kelvin":
            result = number(value, 1000, 20000)
        case "number":
            result = number(value)
        case "rgb" | "hs" | "xy":
            result = _parts(say.form, value)
        case _:
            result = value if isinstance(value, str) else None
    return result


def _word(tell: Tell, raw: object, capability: Capability | None) -> Value | None:
    text = str(raw).strip()
    if not any(said == text for said, _ in tell.words) and text.casefold() in _UNKNOWN:
        return None
    if not tell.words and tell.otherwise is None:
        return canonical(tell.attribute, text if tell.attribute == "state" else raw, capability)
    for said, ours in tell.words:
        if said == text:
            return ours
    for said, ours in tell.words:
        if said.casefold() == text.casefold():
            return ours
    return tell.otherwise


def _percent(tell: Tell, raw: object) -> float | None:
    level = number(raw)
    if level is None or tell.low == tell.high:
        return None
    percent = (level - tell.low) * 100 / (tell.high - tell.low)
    if not -1 <= percent <= 101:  # noqa: PLR2004 - 255 is what some say for the top of a scale that ends at 254
        return None
    rounded = max(0, min(100, round(percent)))
    # A light at its very lowest is not dark.
    return max(rounded, 1) if percent > 0 else 0


def _color(form: str, raw: object) -> str | None:
    items = str(raw).split(",")
    if form == "rgb" and len(items) >= _RGB:
        red, green, blue = (number(item, 0, 255) for item in items[:_RGB])
        return rgb_to_hex((red, green, blue)) if red is not None and green is not None and blue is not None else None
    if len(items) != 2:  # noqa: PLR2004 - h,s or x,y
        return None
    return _pair(form, *items)


def _pair(form: str, one: object, other: object) -> str | None:
    tops = (360, 100) if form == "hs" else (1, 1)
    first, second = number(one, 0, tops[0]), number(other, 0, tops[1])
    if first is None or second is None:
        return None
    return hs_to_hex(first, second) if form == "hs" else xy_to_hex(first, second)


def _color_object(raw: object) -> str | None:
    if not isinstance(raw, Mapping):
        return None
    if all(name in raw for name in "rgb"):
        return _color("rgb", ",".join(str(raw[name]) for name in "rgb"))
    for form, names in (("hs", "hs"), ("xy", "xy")):
        if all(name in raw for name in names):
            return _pair(form, raw[names[0]], raw[names[1]])
    return None


def _parts(form: str, value: Value) -> dict[str, float] | None:
    try:
        if form == "rgb":
            return dict(zip("rgb", hex_to_rgb(str(value)), strict=True))
        first, second = hex_to_hs(str(value)) if form == "hs" else hex_to_xy(str(value))
    except ValueError:
        return None
    return {form[0]: tidy(first), form[1]: tidy(second)}
