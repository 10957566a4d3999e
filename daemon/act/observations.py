"""What is seen of devices: perhaps an echo of what was sent, perhaps read late, and so for how long.

Bridges such as zigbee2mqtt publish the wished state before the device has taken it, and keep publishing it with every
later report. So after a set

- the first messages that show the wished value are taken for its *echo*, as many as publications went out, twice as
  many where the value looked the same before (the old state may be published too); after a message that shows another
  value they are counted anew, for what was taken for an echo may have been the truth until then;
- a message like an echo, byte for byte and on its heels, is the same echo, delivered twice;
- any other live message that shows the wished value is in doubt, unless it answers a get;
- a value that differs long after the set is the device's own, and ends the doubt.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from daemon.act.values import same
from daemon.core.entities import Entity, Value
from daemon.core.errors import TemplateError, TemplatePending
from daemon.core.outcomes import Held
from daemon.core.values import replace
from daemon.mqtt.bus import Message
from daemon.mqtt.dialects.templates import asked
from daemon.system.worker import ended

_log = logging.getLogger(__name__)

_MOST: Final = 64
"""Messages of one device; of more the oldest are passed over, and the next one says so (`gap`)."""


class Backlog:
    """Takes what devices say, at once wherever it can be. One event loop, not thread-safe.

    Args:
        take: Reads a message of the device with this id, and says whether it was understood; before it has done
            anything, it may raise `TemplatePending`.
    """

    def __init__(self, take: Callable[[str, Message], bool]) -> None:
        self._take = take
        self._lines: dict[str, deque[Message]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def __contains__(self, entity: str) -> bool:
        """Whether something that this device has said is not read yet."""
        return entity in self._lines

    def take(self, entity: str, message: Message) -> bool:
        """Reads a message, now or after those that wait; whether it was understood, as far as that is known."""
        line = self._lines.get(entity)
        if line is None:
            try:
                return self._take(entity, message)
            except TemplatePending:
                self._lines[entity] = deque([message])
                self._tasks[entity] = asyncio.create_task(self._read(entity, self._lines[entity]))
                return True
        line.append(message)
        if len(line) > _MOST:
            # The first one is being read.
            del line[1]
            line[1] = replace(line[1], gap=True)
        return True

    async def read(self, entity: str, timeout_s: float) -> None:
        """Waits until all is read that this device has said, at most so long."""
        task = self._tasks.get(entity)
        if task is not None:
            await asyncio.wait([task], timeout=timeout_s)

    async def stop(self) -> None:
        """What is not read yet never will be."""
        await ended(self._tasks.values())

    async def _read(self, entity: str, line: deque[Message]) -> None:
        try:
            while line:
                message = line[0]
                try:
                    await asked(lambda message=message: self._take(entity, message))  # type: ignore[misc]
                except TemplateError:
                    pass  # it says too much at once to be understood
                except Exception:  # noqa: BLE001 - whatever it is, the next message gets its turn
                    _log.exception("a message of %r could not be taken", message.topic)
                line.popleft()
        finally:
            del self._lines[entity], self._tasks[entity]


TWIN_S = 0.01
"""So soon after a message the same one once more is its duplicate; no device answers a get as fast as that."""
_AGAIN_S = 0.3
"""Nobody presses twice so fast; it would be told as a double press."""
_STAMP: Final = re.compile(rb"\d\d:\d\d:\d\d|\b1\d{9}(\d{3})?\b")
"""A moment in a payload: of the clock, or in seconds or milliseconds since the epoch."""
_WINDOW_S = 5.0
"""How long after a set its echo may still come."""


@dataclass(slots=True)
class _Doubt:
    value: Value
    echoes: int
    """How many messages in a row may still be echoes."""
    most: int
    since: float


class Doubts:
    """The open doubts, by device and attribute."""

    def __init__(self, clock: Callable[[], float], twin_s: float = TWIN_S) -> None:
        self._clock = clock
        self._twin_s = twin_s
        self._open: dict[tuple[str, str], _Doubt] = {}
        self._last_echo: dict[str, Message] = {}

    def sent(self, entity: str, attribute: str, value: Value, publications: int, *, alike: bool) -> None:
        """A set goes out.

        Args:
            entity: The device's id.
            attribute: What is to change.
            value: The wished value, as an echo would show it.
            publications: How many messages the set takes.
            alike: Whether the attribute looked so before, or is not known.
        """
        now = self._clock()
        known = self._open.get((entity, attribute))
        recent = known is not None and known.value == value and now - known.since <= _WINDOW_S
        most = (known.most if known is not None and recent else 0) + publications * (2 if alike else 1)
        self._open[entity, attribute] = _Doubt(value, most, most, now)

    def settled(self, entity: str, attribute: str) -> None:
        """A get was answered."""
        self._open.pop((entity, attribute), None)
        self._last_echo.pop(entity, None)

    def forget(self, known: Callable[[str], bool]) -> None:
        """Drops what is about devices that are no longer known."""
        for pair in [pair for pair in self._open if not known(pair[0])]:
            del self._open[pair]
        for gone in [entity for entity in self._last_echo if not known(entity)]:
            del self._last_echo[gone]

    def covers(self, entity: str, attribute: str, value: Value) -> bool:
        """Whether this value would be what was sent, unproven."""
        doubt = self._open.get((entity, attribute))
        return doubt is not None and same(attribute, doubt.value, value)

    def echo(self, entity: Entity, values: Mapping[str, Value], message: Message) -> bool:
        """Whether a live message, which says these values, may be an echo; counts it."""
        before = self._last_echo.get(entity.id)
        if before is not None and message.at - before.at <= self._twin_s and message.payload == before.payload:
            return message.topic == before.topic
        echo = self._counted(entity, values, message)
        if echo:
            self._last_echo[entity.id] = message
        return echo

    def _counted(self, entity: Entity, values: Mapping[str, Value], message: Message) -> bool:
        echo = False
        for attribute, value in values.items():
            doubt = self._open.get((entity.id, attribute))
            if doubt is None or message.at < doubt.since:
                continue  # what came before the set, and was read only now, says nothing of it
            if same(attribute, doubt.value, value, entity.reads(attribute)):
                if doubt.echoes > 0:
                    doubt.echoes -= 1
                    echo = True
            elif self._clock() - doubt.since > _WINDOW_S:
                del self._open[entity.id, attribute]
            else:
                doubt.echoes = doubt.most
        return echo


class Once:
    """Tells what happens now from the same message told once more. What happens is no state: nothing else shows it.

    Told again is a message like the last one of its device, byte for byte, that is on its heels, or that says itself
    when it was made: a bridge that begins anew repeats what it last heard.
    """

    def __init__(self) -> None:
        self._last: dict[str, Message] = {}

    def happens(self, entity: str, message: Message) -> bool:
        """Whether a message tells of something new."""
        before = self._last.get(entity)
        self._last[entity] = message
        if before is None or (before.topic, before.payload) != (message.topic, message.payload):
            return True
        return message.at - before.at > _AGAIN_S and _STAMP.search(message.payload) is None

    def forget(self, known: Callable[[str], bool]) -> None:
        """Drops what is about devices that are no longer known."""
        self._last = {entity: message for entity, message in self._last.items() if known(entity)}


class _Stretch(Struct, frozen=True):
    value: Value
    since: float
    seen: bool
    """Whether its beginning was seen: the value before it was known, and watched until then."""
    watched: bool = True
    """Whether nothing can have been missed up to now."""


class Lasting:
    """For each attribute of each device, the stretch of time in which it has kept its value.

    It begins anew where something may have been missed: while the connection was lost, the device away, or messages
    passed over. What a broker retained, and what may be an echo, begins and ends nothing.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._stretches: dict[str, dict[str, _Stretch]] = {}

    def saw(self, entity: str, attribute: str, value: Value, at: float) -> None:
        """The device itself said this, live."""
        known = self._stretches.setdefault(entity, {})
        before = known.get(attribute)
        if before is None or not before.watched:
            known[attribute] = _Stretch(value, at, seen=False)
        elif before.value != value:
            known[attribute] = _Stretch(value, at, seen=True)

    def missed(self, entity: str | None = None) -> None:
        """From now on it is not known what this device (or any) does, until it says something again."""
        for one in self._stretches if entity is None else (entity,):
            known = self._stretches.get(one, {})
            known.update({attribute: replace(item, watched=False) for attribute, item in known.items()})

    def of(self, entity: str, attribute: str, value: Value) -> Held | None:
        """How long it has had this value; None where that is not its value, or nothing is known."""
        stretch = self._stretches.get(entity, {}).get(attribute)
        if stretch is None or not stretch.watched or stretch.value != value:
            return None
        return Held(max(0.0, self._clock() - stretch.since), exact=stretch.seen)

    def forget(self, known: Callable[[str], bool]) -> None:
        """Drops what is about devices that are no longer known."""
        for gone in [entity for entity in self._stretches if not known(entity)]:
            del self._stretches[gone]
