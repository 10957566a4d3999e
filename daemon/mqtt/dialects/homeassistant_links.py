"""How a device that announced itself in Home Assistant's form is spoken with: the `options` of its address.

`daemon.discovery.homeassistant` makes these out of its configuration; the dialect only carries them out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from daemon.core.entities import Entity, Value

Form = Literal["word", "number", "percent", "mired", "kelvin", "rgb", "hs", "xy", "color", "open"]
"""What a payload holds: a word, a number as it is, a number on the device's own scale, a colour temperature, a colour
as "r,g,b", "h,s" or "x,y", a colour as an object, or (only told) a position of which only open or closed matters."""


@dataclass(frozen=True, slots=True)
class Tell:
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


@dataclass(frozen=True, slots=True)
class Say:
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


@dataclass(frozen=True, slots=True)
class Presence:
    """One topic that tells whether the device can be reached."""

    topic: str
    template: str = ""
    available: str = "online"
    not_available: str = "offline"


@dataclass(frozen=True, slots=True)
class Links:
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
