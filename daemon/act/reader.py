"""Fresh readings: how a device, or a group by one message, is got to tell what it knows; else what was seen live."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from daemon.act.observations import TWIN_S
from daemon.act.states import Sighting, States
from daemon.core.entities import Entity
from daemon.core.errors import BrokerError, HearkenError
from daemon.core.outcomes import Observation, Write
from daemon.core.trace import Trace
from daemon.core.values import replace
from daemon.home.actions import REACHED
from daemon.home.registry import Registry
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


class Patience(Struct, frozen=True):
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


Pair = tuple[str, str]
"""(entity id, attribute)."""

_DEADLINE_S = 1.5
_AGAIN_S = 0.5
"""Between two gets to one device: the first may be lost, or its answer taken for an echo."""
_REST_S = 0.3
"""After a first answer, for what it left out: a lamp that shines white has no colour to tell."""
_TAKEN_BACK_S = 0.6
"""After an answer that only says what was sent, and is not proven yet: its bridge may know no better so far."""


class Reader:
    """Reads many attributes of many devices at once. One event loop, not thread-safe."""

    def __init__(self, bus: Bus, registry: Registry, dialects: Mapping[str, Dialect], states: States) -> None:
        self._bus = bus
        self._registry = registry
        self._states = states
        self._asker = Asker(bus, dialects)
        self._asked: dict[str, _Get] = {}

    async def read(
        self,
        pairs: Iterable[Pair],
        deadline_s: float = _DEADLINE_S,
        *,
        listen_s: float = 0.0,
        trace: Trace | None = None,
    ) -> dict[Pair, Observation]:
        """The value of each pair, with how it is known: `reply`, `push`, `stale` or `none`.

        One get per device, all devices at once, one deadline for all; who asks while an answer is awaited waits for
        the same answer. A device that is known to be offline is not asked, nor is one that cannot answer. Never raises
        for what the home does. Where `listen_s` says so, an answer may be taken back for so long.
        """
        wanted: dict[str, list[str]] = {}
        for entity_id, attribute in dict.fromkeys(pairs):
            wanted.setdefault(entity_id, []).append(attribute)
        found: dict[Pair, Observation] = {}
        async with asyncio.TaskGroup() as group:
            for entity_id, attributes in wanted.items():
                group.create_task(self._device(entity_id, attributes, deadline_s, listen_s, found))
        if trace is not None:
            for item in found.values():
                age = None if item.age_s == float("inf") else round(item.age_s, 3)
                trace.note(
                    "read",
                    device=item.entity,
                    attribute=item.attribute,
                    value=item.value,
                    source=item.source,
                    age_s=age,
                )
        return found

    async def _device(
        self, entity_id: str, attributes: list[str], deadline_s: float, listen_s: float, found: dict[Pair, Observation]
    ) -> None:
        entity = self._registry.get(entity_id)
        await self._states.caught_up(entity_id, deadline_s)
        replies = {} if entity is None else await self._ask(entity, attributes, deadline_s, listen_s)
        for attribute in attributes:
            if entity is not None and attribute == REACHED.attribute and entity.reads(attribute) is None:
                found[entity_id, attribute] = self._reached(entity_id)
                continue
            sighting = replies.get(attribute)
            if sighting is None:
                seen = self._states.seen(entity_id, attribute)
                # What an unreachable device last said may have changed since, however lately that was.
                away = self._states.online(entity_id) is False
                source = "stale" if away and seen.fresh else seen.source
                found[entity_id, attribute] = replace(seen, source=source, away=away)
            else:
                self._states.settled(entity_id, attribute)
                found[entity_id, attribute] = self._states.observation(sighting, reply=True)

    def _reached(self, entity_id: str) -> Observation:
        """Whether the device can be reached, by what its availability topic last said."""
        online = self._states.online(entity_id)
        if online is None or not self._bus.connected:
            return Observation(entity_id, REACHED.attribute, None, "none", math.inf)
        return Observation(entity_id, REACHED.attribute, "on" if online else "off", "push", 0.0)

    async def _ask(
        self, entity: Entity, attributes: list[str], deadline_s: float, listen_s: float
    ) -> dict[str, Sighting]:
        """Asks, and waits for what the device says from then on; the last word counts."""
        missing = {attribute for attribute in attributes if self._asker.askable(entity, attribute)}
        replies: dict[str, Sighting] = {}
        clock = asyncio.get_running_loop().time
        end = clock() + deadline_s
        final = 0.0
        if not missing or not self._bus.connected or self._states.online(entity.id) is False:
            return replies
        woken = asyncio.Event()
        since = self._bus.sequence

        def look(sighting: Sighting) -> None:
            if sighting.retained or sighting.echo or sighting.sequence <= since:
                return
            nonlocal end, final
            if not replies:
                end = min(end, clock() + _REST_S)
            unproven = self._states.unproven(entity.id, sighting.attribute, sighting.value)
            if sighting.attribute not in replies:
                final = max(final, clock() + max(listen_s, _TAKEN_BACK_S if unproven else 0.0))
                end = max(end, final)
            replies[sighting.attribute] = sighting
            self._asked.pop(entity.id, None)
            missing.discard(sighting.attribute)
            woken.set()

        with self._states.watching(entity.id, look), contextlib.suppress(BrokerError):
            while (now := clock()) < end and (missing or now < final):
                again = now + _AGAIN_S if replies else await self._get(entity, missing)
                await wait(woken, min(end, again) - now)
        return {attribute: replies[attribute] for attribute in attributes if attribute in replies}

    async def _get(self, entity: Entity, attributes: set[str]) -> float:
        """Sends a get, unless one for as much is on its way already; returns when the next one is due."""
        clock = asyncio.get_running_loop().time
        before = self._asked.get(entity.id)
        if before is None or before.due <= clock() or not attributes <= before.attributes:
            before = self._asked[entity.id] = _Get(frozenset(attributes), clock() + _AGAIN_S)
            await self._asker.ask(entity, sorted(attributes))
        return before.due


class _Get(Struct, frozen=True):
    """A get that is not answered yet."""

    attributes: frozenset[str]
    due: float
    """When it has to be repeated."""


async def wait(event: asyncio.Event, seconds: float) -> None:
    """Until the event, which is cleared then, or so long."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    event.clear()
