"""Fresh readings: an active get where a device can be asked, what was seen live where it is young enough."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from daemon.act.states import Sighting, States
from daemon.act.telling import Asker
from daemon.core.entities import Entity
from daemon.core.errors import BrokerError
from daemon.core.outcomes import Observation
from daemon.core.trace import Trace
from daemon.core.values import replace
from daemon.home.actions import REACHED
from daemon.home.registry import Registry
from daemon.mqtt.bus import Bus
from daemon.mqtt.dialects import Dialect

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
                away = seen.fresh and self._states.online(entity_id) is False
                found[entity_id, attribute] = replace(seen, source="stale") if away else seen
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


@dataclass(frozen=True, slots=True)
class _Get:
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
