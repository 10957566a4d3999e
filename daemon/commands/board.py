"""The lists that people keep, shown on the broker: each retained at `<prefix>/lists/<id>`; Home Assistant is told."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from typing import Any

from daemon import __version__
from daemon.core.errors import BrokerError
from daemon.core.result import USUAL
from daemon.home.config import Interface
from daemon.lists.lists import Lists
from daemon.mqtt.bus import Bus, Publication

_LOG = logging.getLogger(__name__)


class Board:
    """Shows the lists as they are now, after each change and whenever the connection is back.

    Nothing is taken from these topics. What people said stands in payloads only, never in a topic or a template.
    """

    def __init__(
        self, bus: Bus, interface: Interface, lists: Lists, called: Callable[[str], str], status_topic: str
    ) -> None:
        self._bus = bus
        self._interface = interface
        self._lists = lists
        self._called = called
        self._status_topic = status_topic
        self._shown: dict[str, tuple[str, ...]] = {}
        """What stands on the broker, by the name of the list."""
        self._stale = True
        """Whether all of it is to be written anew."""
        self._wake = asyncio.Event()

    async def serve(self) -> None:
        """Shows them until it is cancelled."""
        lost = self._bus.on_connection(self._connected)
        self._lists.heed(self._wake.set)
        self._wake.set()
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                await self._show()
        finally:
            lost()

    def _connected(self, up: bool) -> None:  # noqa: FBT001 - the bus calls it so
        if up:
            self._stale = True  # a broker that was started anew knows nothing
            self._wake.set()

    async def _show(self) -> None:
        if not self._bus.connected:
            return
        now, anew = dict(self._lists.contents), self._stale
        self._stale = False
        try:
            for name in [item for item in self._shown if item not in now]:
                await self._publish(name, None)
                del self._shown[name]
            for name, items in now.items():
                if anew or self._shown.get(name) != items:
                    await self._publish(name, items, announced=not anew and name in self._shown)
                    self._shown[name] = items
        except BrokerError as error:
            self._stale = True
            _LOG.warning("the lists could not be written: %s", error)  # they are when the connection is back

    async def _publish(self, name: str, items: Sequence[str] | None, *, announced: bool = False) -> None:
        """One list, or that there is none any more."""
        topic = f"{self._interface.prefix}/lists/{known_as(name)}"
        content = None if items is None else {"name": name, "open": len(items), "items": list(items)}
        if self._interface.announce is not None and not announced:
            entry = None if items is None else announcement(name, self._called(name), topic, self._status_topic)
            told = f"{self._interface.announce}/sensor/hearken_list_{known_as(name)}/config"
            await self._bus.publish(Publication(told, _payload(entry), retain=True))
        await self._bus.publish(Publication(topic, _payload(content), retain=True))


def known_as(name: str) -> str:
    """The id of a list in topics: what people call theirs may hold anything."""
    return name if name in USUAL else hashlib.sha256(name.encode(errors="replace")).hexdigest()[:12]


def announcement(name: str, called: str, topic: str, status_topic: str) -> dict[str, Any]:
    """The payload of the discovery entry: MQTT has no to-do lists there, but sensors with attributes."""
    return {
        "name": called,
        "unique_id": f"hearken_list_{known_as(name)}",
        "icon": "mdi:format-list-checks",
        "state_topic": topic,
        "value_template": "{{ value_json.open }}",
        "json_attributes_topic": topic,
        "availability_topic": status_topic,
        "device": {"identifiers": ["hearken"], "name": "Hearken", "manufacturer": "Hearken", "sw_version": __version__},
        "origin": {"name": "Hearken", "sw_version": __version__},
    }


def _payload(content: dict[str, Any] | None) -> bytes:
    return b"" if content is None else json.dumps(content, ensure_ascii=False).encode(errors="replace")
