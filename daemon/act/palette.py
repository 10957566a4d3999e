"""Words for values, as the IR has them: colours, white tones, levels, and what a device itself calls its settings."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from rapidfuzz import fuzz, process

from daemon.act.values import convert, number, same, same_color
from daemon.core.entities import Capability, Entity
from daemon.core.ir import Parameter
from daemon.core.outcomes import Problem, Write
from daemon.home import settings
from daemon.home.actions import DISARMED

_HEX: Final = re.compile(r"#?([0-9a-f]{6})")

COLORS: Final[Mapping[str, str]] = {
    "red": "#ff0000",
    "dark red": "#8b0000",
    "orange": "#ff8000",
    "amber": "#ffbf00",
    "gold": "#ffd700",
    "yellow": "#ffff00",
    "lime": "#80ff00",
    "green": "#00ff00",
    "dark green": "#006400",
    "mint": "#98ff98",
    "turquoise": "#40e0d0",
    "teal": "#008080",
    "cyan": "#00ffff",
    "sky blue": "#87ceeb",
    "light blue": "#add8e6",
    "blue": "#0000ff",
    "dark blue": "#00008b",
    "navy": "#000080",
    "indigo": "#4b0082",
    "violet": "#8f00ff",
    "purple": "#800080",
    "lavender": "#b57edc",
    "magenta": "#ff00ff",
    "pink": "#ff69b4",
    "rose": "#ff007f",
    "salmon": "#fa8072",
    "coral": "#ff7f50",
    "peach": "#ffcba4",
    "brown": "#8b4513",
    "beige": "#f5f5dc",
    "white": "#ffffff",
}
WHITES: Final[Mapping[str, float]] = {
    "candle": 2000,
    "candlelight": 2000,
    "warmest": 2200,
    "warm": 2700,
    "warm white": 2700,
    "soft white": 3000,
    "neutral": 4000,
    "neutral white": 4000,
    "natural": 4000,
    "white": 4000,
    "cool": 5000,
    "cool white": 5000,
    "cold": 6000,
    "cold white": 6000,
    "daylight": 6500,
    "coolest": 6500,
}
"""In kelvin; a lamp takes the nearest that it has."""
_LEVELS: Final[Mapping[str, float]] = {
    "lowest": 0.0,
    "min": 0.0,
    "minimum": 0.0,
    "quiet": 0.2,
    "low": 1 / 3,
    "half": 0.5,
    "medium": 2 / 3,
    "mid": 2 / 3,
    "middle": 0.5,
    "high": 1.0,
    "strong": 1.0,
    "turbo": 1.0,
    "full": 1.0,
    "max": 1.0,
    "maximum": 1.0,
    "highest": 1.0,
}
_UNRANKED: Final = frozenset({"auto", "off", "smart", "natural"})


def color(word: str) -> str | None:
    """A colour word or a hex code as "#rrggbb", or None."""
    text = word.strip().casefold().replace("_", " ").replace("-", " ")
    if (code := _HEX.fullmatch(text)) is not None:
        return f"#{code[1]}"
    return COLORS.get(text) or COLORS.get(text.replace("grey", "gray"))


def called(code: str) -> str | None:
    """The word for "#rrggbb", that of the nearest colour where none is the same; None for what is no such code."""
    exact = next((word for word, known in COLORS.items() if known == code.casefold()), None)
    if exact is not None or (shade := _shade(code)) is None:
        return exact
    alike = next((word for word, known in COLORS.items() if same_color(known, code)), None)
    return alike or min(COLORS, key=lambda word: math.dist(shade, _shade(COLORS[word]) or shade))


_USUAL: Final[Mapping[str, tuple[float, float]]] = {
    "brightness": (0.4, 0.6),
    "volume": (0.3, 0.5),
    "speed": (0.4, 0.6),
    "humidity": (0.5, 0.5),
    "temperature": (22.0, 26.0),
}
"""What is not too much, and what not too little: a share of the range, or degrees Celsius."""


def kelvin(word: str) -> float | None:
    """The colour temperature of a white tone, or None."""
    return WHITES.get(word.strip().casefold().replace("_", " ").replace("-", " "))


def share(word: str) -> float | None:
    """Where in a range a level word lies, 0 to 1, or None."""
    return _LEVELS.get(word.strip().casefold())


def usual(said: Parameter, capability: Capability, now: float) -> float:
    """What is not too much of it, or, where there is to be more, not too little; `now` where that is not asked for."""
    low, high = capability.minimum, capability.maximum
    pair = _USUAL.get(capability.attribute)
    if not said.moderate or pair is None or low is None or high is None:
        return now
    amount = pair[said.op == "increase"]
    of_air = capability.attribute == "temperature"
    return round((convert(amount, "C", capability.unit) or now) if of_air else low + (high - low) * amount)


def ranked(options: Sequence[str]) -> tuple[str, ...]:
    """The options that are levels, lowest first, in the order of the home file."""
    return tuple(option for option in options if option.casefold() not in _UNRANKED)


def levels(capability: Capability) -> tuple[str, ...]:
    """The options of a device that are levels, lowest first."""
    return settings.levels(capability) if capability.name == settings.NAME else ranked(capability.options)


def armed(entity: Entity, action: str, way: str | None) -> Write | Problem:
    """The write that arms an alarm, "home" or "away" or however it can; or disarms it, where that is the word.

    Nobody is to believe in a watch that is another than the one that was meant: without a word for it, it is armed only
    where there is but one way.
    """
    able = next((item for item in entity.capabilities if item.name == "arm"), None)
    options, coded = (able.options, able.coded) if able is not None else ((), ())
    word = "disarmed" if way in DISARMED else f"armed_{plain(way).replace(' ', '_')}" if way else None
    ways = tuple(item for item in options if item.startswith("armed"))
    option = word if word in options else ways[0] if word is None and len(ways) == 1 else None
    if option is not None:
        return Write(entity.id, "state", option, action)
    if word in coded or (word is None and not ways and any(item.startswith("armed") for item in coded)):
        return Problem(entity.id, "wants_code", "state")
    return Problem(entity.id, "which_way" if word is None else "no_option", "state", options=ways)


def next_word(
    entity: Entity, action: str, present: str, parameter: Parameter, capability: Capability
) -> Write | Problem:
    """One level up or down, where a device has words for them."""
    if present not in (words := levels(capability)) or parameter.unit == "fraction":
        return Problem(entity.id, "no_value", capability.attribute, options=words)
    steps = max(1, round(number(parameter.value) or 1.0)) if parameter.unit in (None, "step") else 1
    wished = words.index(present) + (steps if parameter.op == "increase" else -steps)
    index = min(max(wished, 0), len(words) - 1)
    return Write(entity.id, capability.attribute, words[index], action, clamped=index != wished, before=present)


def _shade(code: str) -> tuple[int, ...] | None:
    if re.fullmatch("#[0-9a-fA-F]{6}", code) is None:
        return None
    return tuple(int(code[at : at + 2], 16) for at in (1, 3, 5))


_CLOSE_ENOUGH = 60.0


def option_of(word: str, options: Sequence[str]) -> str | None:
    """The option that is so called, however it is written; None where none is."""
    return next((option for option in options if same("option", _run_on(option), _run_on(word))), None)


def nearest_option(word: str, options: Sequence[str]) -> str | None:
    """The option that is called most like it; None where none is like it."""
    near = process.extractOne(word.casefold(), options, scorer=fuzz.WRatio, score_cutoff=_CLOSE_ENOUGH)
    return near[0] if near else None


def swinging(word: str, options: Sequence[str]) -> str:
    """The word that a device has for swinging at all, or both ways, where it has none for just that."""
    if word not in ("on", "both") or option_of(word, options) is not None:
        return word
    return next((option for option in options if plain(option) not in ("off", "stop", "stopped")), word)


def plain(word: str) -> str:
    """A word as it is compared: in small letters, with single blanks for what joins its parts."""
    return " ".join(word.casefold().replace("_", " ").replace("-", " ").split())


def _run_on(word: str) -> str:
    """A word without its gaps: what one device calls "colorloop" is another's "Color Loop"."""
    return plain(word).replace(" ", "")
