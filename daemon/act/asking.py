"""Getting a device to tell what it knows now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from daemon.core.entities import Entity
from daemon.mqtt.bus import Bus, Publication
from daemon.mqtt.dialects import Dialect


class Asker:
    """Sends gets, in whatever dialect a device speaks."""

    def __init__(self, bus: Bus, dialects: Mapping[str, Dialect]) -> None:
        self._bus = bus
        self._dialects = dialects

    def publications(self, entity: Entity, attributes: Iterable[str]) -> tuple[Publication, ...]:
        """What asks for these attributes, one message for all where the dialect can; empty where it can't be asked."""
        dialect = None if entity.address is None else self._dialects.get(entity.address.dialect)
        wanted = tuple(attribute for attribute in dict.fromkeys(attributes) if _gettable(entity, attribute))
        return tuple(dialect.get(entity, wanted)) if dialect is not None and wanted else ()

    def askable(self, entity: Entity, attribute: str) -> bool:
        """Whether the device answers a get for this attribute, as far as is known."""
        return bool(self.publications(entity, (attribute,)))

    async def ask(self, entity: Entity, attributes: Iterable[str]) -> None:
        """Sends the gets.

        Raises:
            BrokerUnavailable: no connection, or it broke.
        """
        for publication in self.publications(entity, attributes):
            await self._bus.publish(publication)


def _gettable(entity: Entity, attribute: str) -> bool:
    capability = entity.reads(attribute)
    return capability is not None and capability.gettable
