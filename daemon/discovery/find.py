"""What a source of discovery finds, and what a source is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from daemon.core.entities import Entity
from daemon.mqtt.bus import Message


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
