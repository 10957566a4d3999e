"""The last thing seen of every attribute of a device, and how far it can be believed (`daemon.act.observations`)."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from msgspec import Struct

from daemon.act.observations import TWIN_S, Backlog, Doubts, Lasting, Once
from daemon.act.values import same
from daemon.core.entities import Entity, Value
from daemon.core.outcomes import Observation
from daemon.core.values import replace
from daemon.home import events
from daemon.home.registry import Registry
from daemon.mqtt.bus import Bus, Message
from daemon.mqtt.dialects import Dialect
from daemon.system.worker import Limit

_LOG = logging.getLogger(__name__)
_MOST_ATTRIBUTES = 64
_LONGEST_TEXT = 1000
_EVER_S = 86_400.0 * 7
"""The longest that anybody is believed to have said everything."""

_EITHER = (("color", "color_temp"), ("color_temp", "color"))
"""A lamp shines in a colour or in a white tone; what it shone in before is no longer so."""

Hook = Callable[["Sighting"], None]
"""Called on the event loop for each attribute in each message; must not block and must not raise."""


class Sighting(Struct, frozen=True):
    """One value in one message. `at` is `time.monotonic()` seconds at arrival."""

    entity: str
    attribute: str
    value: Value
    topic: str
    at: float
    sequence: int
    retained: bool
    echo: bool
    """It may only repeat what was sent."""


class States:
    """Listens to every device of the registry. One event loop, not thread-safe."""

    def __init__(
        self,
        bus: Bus,
        registry: Registry,
        dialects: Mapping[str, Dialect],
        *,
        clock: Callable[[], float] = time.monotonic,
        twin_s: float = TWIN_S,
    ) -> None:
        self.malformed = 0
        """How many messages on a device's own topics could not be read."""
        self._bus = bus
        self._registry = registry
        self._dialects = dialects
        self._clock = clock
        self._seen: dict[str, dict[str, Sighting]] = {}
        self._present: dict[str, dict[str, bool]] = {}
        self._online: dict[str, bool] = {}
        self._away: dict[str, float] = {}
        self._doubts = Doubts(clock, twin_s)
        self._lasting = Lasting(clock)
        self._once = Once()
        self._backlog = Backlog(self._heard)
        self._hooks: dict[str | None, list[Hook]] = {}
        self._attributes = Limit(_LOG, "of what one device tells only %d values are known: %s tells more")
        self._listening_since = -math.inf
        self._stop_watching: Callable[[], None] | None = None
        self._listening: dict[str, tuple[tuple[str, ...], Callable[[], None]]] = {}

    async def start(self) -> None:
        """Subscribes to what the registry's devices publish."""
        self._stop_watching = self._bus.on_connection(self._on_connection)
        await self.refresh()

    async def refresh(self) -> None:
        """Follows a change of the registry: forgets what is gone, listens to what is new."""
        wanted = self._filters()
        for topic in [topic for topic, (ids, _) in self._listening.items() if wanted.get(topic) != ids]:
            self._listening.pop(topic)[1]()
        for topic, ids in wanted.items():
            if topic not in self._listening:
                self._listening[topic] = (ids, await self._bus.subscribe(topic, self._listener(ids)))
        for known in (self._seen, self._present, self._online, self._away):
            for gone in [entity for entity in known if self._registry.get(entity) is None]:
                del known[gone]
        self._doubts.forget(self._registry.__contains__)
        self._lasting.forget(self._registry.__contains__)
        self._once.forget(self._registry.__contains__)

    async def stop(self) -> None:
        """Ends every subscription; what was seen stays readable."""
        for _, end in self._listening.values():
            end()
        self._listening.clear()
        if self._stop_watching is not None:
            self._stop_watching()
            self._stop_watching = None
        await self._backlog.stop()

    async def caught_up(self, entity: str, timeout_s: float) -> None:
        """Waits until all is read that a device has said, at most so long; what is not read then makes it stale."""
        await self._backlog.read(entity, timeout_s)

    def seen(self, entity: str, attribute: str) -> Observation:
        """The last value with its source: `push` (live, young enough, no echo), `stale` or `none`. Never blocks."""
        sighting = self._seen.get(entity, {}).get(attribute)
        if sighting is None:
            return Observation(entity, attribute, None, "none", math.inf)
        return self.observation(sighting)

    def sighting(self, entity: str, attribute: str) -> Sighting | None:
        """The last sighting itself."""
        return self._seen.get(entity, {}).get(attribute)

    def observation(self, sighting: Sighting, *, reply: bool = False) -> Observation:
        """A sighting as an observation; whether it answers a get (`reply`), the caller knows."""
        age = math.inf if sighting.retained else max(0.0, self._clock() - sighting.at)
        entity = self._registry.get(sighting.entity)
        # What was said while we were not listening, or it could not be reached, is not known, so nothing from before
        # that counts as fresh.
        since = max(self._listening_since, self._away.get(sighting.entity, -math.inf))
        heard_since = self._bus.connected and sighting.at >= since
        young = entity is not None and age <= self._max_age(entity) and heard_since and entity.id not in self._backlog
        doubted = sighting.echo or self.unproven(sighting.entity, sighting.attribute, sighting.value)
        live = young and not doubted
        return Observation(
            sighting.entity,
            sighting.attribute,
            sighting.value,
            "reply" if reply else "push" if live else "stale",
            age,
            sighting.topic,
            sighting.sequence,
            self._lasting.of(sighting.entity, sighting.attribute, sighting.value) if reply or live else None,
        )

    def value(self, entity: str, attribute: str) -> Value | None:
        """The last known value, however old; only to choose among candidates, never to decide an act."""
        sighting = self._seen.get(entity, {}).get(attribute)
        return None if sighting is None else sighting.value

    def online(self, entity: str) -> bool | None:
        """What the device's availability topic last said; None where it never did."""
        return self._online.get(entity)

    def sent(self, entity: str, attribute: str, value: Value, publications: int) -> None:
        """A set is about to go out: the next messages that show `value` may be its echo."""
        last = self._seen.get(entity, {}).get(attribute)
        found = self._registry.get(entity)
        able = None if found is None else found.reads(attribute)
        alike = last is None or same(attribute, value, last.value, able)
        self._doubts.sent(entity, attribute, value, publications, alike=alike)

    def unproven(self, entity: str, attribute: str, value: Value) -> bool:
        """Whether this value is what was sent, and nothing has proven it."""
        return self._doubts.covers(entity, attribute, value)

    def settled(self, entity: str, attribute: str) -> None:
        """A get was answered: what is seen from now on can be believed again."""
        self._doubts.settled(entity, attribute)

    def on_change(self, hook: Hook, entity: str | None = None) -> Callable[[], None]:
        """Calls `hook` for each sighting of one entity (or of all); returns what ends it."""
        hooks = self._hooks.setdefault(entity, [])
        hooks.append(hook)

        def end() -> None:
            if hook in hooks:
                hooks.remove(hook)
            if not hooks and self._hooks.get(entity) is hooks:
                del self._hooks[entity]

        return end

    @contextmanager
    def watching(self, entity: str, hook: Hook) -> Iterator[None]:
        """`on_change` for the length of a block."""
        end = self.on_change(hook, entity)
        try:
            yield
        finally:
            end()

    def _max_age(self, entity: Entity) -> float:
        """A device that tells each change keeps its last word as long as the broker knows it to be there."""
        watched = entity.address is not None and entity.address.options.get("watched") is True
        return _EVER_S if watched and self._online.get(entity.id) else entity.max_age_s

    def _on_connection(self, up: bool) -> None:  # noqa: FBT001 - the bus calls it so
        if not up:
            self._listening_since = self._clock()
            self._lasting.missed()

    def _filters(self) -> dict[str, tuple[str, ...]]:
        wanted: dict[str, list[str]] = {}
        for entity in (*self._registry.devices, *self._registry.persons):
            dialect = self._dialect(entity)
            if dialect is None:
                continue
            for topic in dialect.filters(entity):
                wanted.setdefault(topic, []).append(entity.id)
        return {topic: tuple(ids) for topic, ids in wanted.items()}

    def _dialect(self, entity: Entity) -> Dialect | None:
        return None if entity.address is None else self._dialects.get(entity.address.dialect)

    def _listener(self, ids: Iterable[str]) -> Callable[[Message], None]:
        def listen(message: Message) -> None:
            understood = False
            for entity_id in ids:
                if entity_id in self._registry:
                    understood |= self._backlog.take(entity_id, message)
            self.malformed += not understood

        return listen

    def _distrust(self, entity: str) -> None:
        """Messages were passed over that may have said anything: what is known from before is no longer fresh."""
        self._lasting.missed(entity)
        known = self._seen.get(entity, {})
        known.update({attribute: replace(old, retained=True) for attribute, old in known.items()})

    def _heard(self, entity_id: str, message: Message) -> bool:
        entity = self._registry.get(entity_id)
        dialect = None if entity is None else self._dialect(entity)
        if entity is None or dialect is None:
            return False
        # Nothing is done before all of it can be told.
        available = dialect.availability(entity, message)
        values = dialect.decode(entity, message)
        if message.gap:
            self._distrust(entity_id)
        if available is not None:
            self._take_presence(dialect, entity, message, available=available)
        if values is None:
            return available is not None
        clean = {attribute: value for attribute, value in values.items() if _fits(value)}
        sightings = self._keep(entity, clean, message)
        # Only now: a hook that looks at another attribute must see this message's value of it.
        for sighting in sightings:
            for hook in (*self._hooks.get(entity.id, ()), *self._hooks.get(None, ())):
                hook(sighting)
        return True

    def _keep(self, entity: Entity, values: Mapping[str, Value], message: Message) -> list[Sighting]:
        echo = not message.retained and self._doubts.echo(entity, values, message)
        known = self._seen.setdefault(entity.id, {})
        for one, other in _EITHER:
            if one in values and other not in values:
                known.pop(other, None)
        sightings = []
        for attribute, value in values.items():
            if attribute == events.NAME:
                if self._once.happens(entity.id, message):
                    sightings.append(_sighting(entity, attribute, value, message, echo=False))
                continue
            if attribute not in known and len(known) >= _MOST_ATTRIBUTES:
                self._attributes.cuts(_MOST_ATTRIBUTES, entity.id)
                continue
            sighting = _sighting(entity, attribute, value, message, echo=echo)
            known[attribute] = sighting
            sightings.append(sighting)
            if not echo and not message.retained:
                self._lasting.saw(entity.id, attribute, value, message.at)
        return sightings

    def _take_presence(self, dialect: Dialect, entity: Entity, message: Message, *, available: bool) -> None:
        said = self._present.setdefault(entity.id, {})
        said.pop(message.topic, None)
        said[message.topic] = available
        online = dialect.reachable(entity, said)
        if online is None:
            self._online.pop(entity.id, None)
            return
        self._online[entity.id] = online
        if not online:
            self._away[entity.id] = message.at
            self._lasting.missed(entity.id)


def _sighting(entity: Entity, attribute: str, value: Value, message: Message, *, echo: bool) -> Sighting:
    return Sighting(entity.id, attribute, value, message.topic, message.at, message.sequence, message.retained, echo)


def _fits(value: object) -> bool:
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return math.isfinite(value)
    return isinstance(value, str) and len(value) <= _LONGEST_TEXT
