"""Getting a device, or a group by one message, to tell what it knows now; how long an act waits for what."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from daemon.act.observations import TWIN_S
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
    """One message for several devices: it goes out once, when each of them is ready for what comes of it."""

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
    """Device id -> the message that it shares with others; whoever is not here is told alone.

    A group is told as one where all of its members are told, and told the same, in the same dialect; the largest groups
    first, and each device once. One without an address is no group to its bridge.
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


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for what, in seconds."""

    deadline_s: float = 3.0
    """For a device that answers gets."""
    slow_s: float = 8.0
    """For covers to start, and for values that are still approaching the wish."""
    last_s: float = 0.6
    """For the answer to a last get at the deadline: nothing is called failed that has come true meanwhile."""
    encoding_s: float = 2.0
    """For a device's own template to be rendered, before the set."""
    twin_s: float = TWIN_S
    """So soon after an echo the same message is its duplicate."""
    settle_s: float = 0.6
    """From a get until its answer is believed, given again and uncontradicted: a bridge may repeat the wish before the
    device has told it the truth, which takes a radio this long at most."""
    slow_settle_s: float = 1.2
    """The same for covers and locks."""
    mute_s: float = 1.0
    """For a device that cannot be asked: only a contradiction could still come."""
    grace_s: float = 0.25
    """For the echo, before the first get."""
    pause_s: float = 0.3
    """Between two gets at first; doubles up to `longest_pause_s`."""
    longest_pause_s: float = 1.2
    retry_after: float = 0.45
    """The share of the deadline after which an idempotent set is repeated."""

    look_s: float = 4.0
    """Between two looks at what is under way; two answers so far apart with one place mean that it rests."""
    follow_s: float = 120.0
    """For a door to arrive, after it was told that it is under way."""
    late_s: float = 15.0
    """After a lost connection is back, for what was sent over it to arrive: a broker that stood still hands it on."""
