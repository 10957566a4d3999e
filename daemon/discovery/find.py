"""What a source of discovery is and finds, and what type of device a name or a description speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, Protocol

from daemon.core.entities import Entity
from daemon.mqtt.bus import Message
from daemon.system.naming import Mark, naming


@dataclass(frozen=True, slots=True)
class Find:
    """One entity that the broker tells of: a device, a group or a scene."""

    entity: Entity
    """Its id outlives a renaming. It has no area of its own (`area` is empty): where it is, stands beside it."""
    area: str = ""
    """The area's name as it was told; empty where nothing was."""
    called: frozenset[str] = frozenset()
    """All by which a home file may mean it (`discovered:`): its name on the broker, its address, its unique id."""
    hints: tuple[str, ...] = ()
    """What may be the name of an area; the first one that is known counts, where `area` is empty."""


class Source(Protocol):
    """One way in which a broker tells of devices. Pure: messages in, finds out.

    Messages are untrusted: `take` accepts any bytes and never raises; what cannot be used becomes a problem.
    """

    @property
    def version(self) -> int:
        """Grows whenever `finds` has changed."""

    def filters(self) -> tuple[str, ...]:
        """The topic filters on which it listens."""

    def take(self, message: Message) -> None:
        """Follows one message."""

    def finds(self) -> Iterable[Find]:
        """Everything that is there now, in a stable order, each id once."""

    def problems(self) -> Mapping[str, str]:
        """Topic or device -> why it could not be used. Bounded."""


_ALLOWED: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "light": ("light", frozenset({"lamp"})),
    "switch": (
        "switch",
        frozenset(
            {
                "plug",
                "valve",
                "fan",
                "heater",
                "alarm",
                "humidifier",
                "dehumidifier",
                "air_purifier",
                "garage_door",
                "gate",
            }
        ),
    ),
    "cover": ("cover", frozenset({"garage_door", "gate", "blind", "shutter", "shade", "awning", "curtain", "valve"})),
    "lock": ("lock", frozenset()),
    "fan": ("fan", frozenset({"air_purifier"})),
    "climate": ("thermostat", frozenset({"heater", "air_conditioner"})),
    "sensor": ("sensor", frozenset()),
}
"""The main thing that it is -> what it is where nothing more is said, and what it may turn out to be."""


def kind_of(main: str, *texts: str) -> str:
    """What a device with this main thing is, going by what it is called and described as, the first text before."""
    standard, allowed = _ALLOWED[main]
    for text in texts:
        plain = text.casefold().replace("_", " ")
        found = next(
            (kind for kind, told in _patterns("types").items() if kind in allowed and told.search(plain)), None
        )
        if found is None and main == "cover" and has_mark(plain, "garage"):
            found = "garage_door"  # a switch there may be its light
        if found is not None:
            return found
    return standard


def has_mark(text: str, mark: Mark) -> bool:
    """Whether a name tells this, in any language."""
    pattern = _patterns("marks").get(mark)
    return pattern is not None and pattern.search(text.casefold()) is not None


@lru_cache(maxsize=2)
def _patterns(table: Literal["types", "marks"]) -> Mapping[str, re.Pattern[str]]:
    """The patterns of all languages together, in the order of the first."""
    every: list[dict[str, str]] = [getattr(told.found, table) for told in naming().values()]
    keys = dict.fromkeys(key for one in every for key in one)
    return {key: re.compile("|".join(one[key] for one in every if key in one)) for key in keys}
