"""Telling a whole group by one message, where that says the same as a message to each of its members."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from daemon.core.entities import Entity
from daemon.core.errors import BrokerError, HearkenError
from daemon.core.outcomes import Write
from daemon.mqtt.bus import Bus, Publication
from daemon.mqtt.dialects import Dialect

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
