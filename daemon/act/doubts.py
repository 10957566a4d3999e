"""What Hearken has sent and nobody has proven yet: which messages may be nothing but an echo of it.

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

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from daemon.act.values import same
from daemon.core.entities import Entity, Value
from daemon.mqtt.bus import Message

TWIN_S = 0.01
"""So soon after a message the same one once more is its duplicate; no device answers a get as fast as that."""
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
