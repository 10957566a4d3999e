"""Getting a device to tell what it knows now, and telling a whole group by one message."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from daemon.core.entities import Entity
from daemon.core.errors import BrokerError, HearkenError
from daemon.core.outcomes import Write
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


ECHOES = 2
"""A bridge repeats what a group was told for the group's sake and for each member's: so many echoes come of it."""


class Together:
    """One message for several devices: it goes out once, when each of them is ready for what comes of it.

    Args:
        publication: The message.
        members: How many devices share it.
    """

    def __init__(self, publication: Publication, members: int) -> None:
        self.publication = publication
        self._missing = members
        self._gone = asyncio.Event()
        self._error: BrokerError | None = None

    async def publish(self, bus: Bus) -> None:
        """Waits for the others; the last one sends.

        Raises:
            BrokerError: as `Bus.publish`, to each of them.
        """
        self._missing -= 1
        if self._missing == 0:
            try:
                await bus.publish(self.publication)
            except BrokerError as error:
                self._error = error
            finally:
                self._gone.set()
        await self._gone.wait()
        if self._error is not None:
            raise self._error


def together(
    acts: Mapping[str, tuple[Entity, Sequence[Write]]], groups: Iterable[Entity], dialects: Mapping[str, Dialect]
) -> dict[str, Together]:
    """Which devices share a message.

    A group is told as one where all of its members are told, and told the same, in the same dialect; the largest groups
    first, and each device once.

    Args:
        acts: Device id -> the device and what is sent to it.
        groups: The groups of the home; one without an address is no group to its bridge.
        dialects: By their names.

    Returns:
        Device id -> the message that it shares; whoever is not here is told alone.
    """
    shared: dict[str, Together] = {}
    if len(acts) == 1:
        return shared
    for group in sorted(groups, key=lambda item: -len(item.members)):
        members = [acts[item] for item in group.members if item in acts and item not in shared]
        if group.address is None or len(members) < 2 or len(members) != len(group.members):  # noqa: PLR2004 - one is none
            continue
        publication = _for_all(group, members, dialects)
        if publication is not None:
            shared |= dict.fromkeys(group.members, Together(publication, len(members)))
    return shared


def _for_all(
    group: Entity, members: Sequence[tuple[Entity, Sequence[Write]]], dialects: Mapping[str, Dialect]
) -> Publication | None:
    name = group.address.dialect if group.address is not None else ""
    dialect = dialects.get(name)
    if dialect is None or any(device.address is None or device.address.dialect != name for device, _ in members):
        return None
    try:
        return dialect.together(group, [dialect.encode(device, writes) for device, writes in members])
    except HearkenError:
        return None
