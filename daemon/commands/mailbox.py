"""Hearken's own topics on the broker: text in at `<prefix>/<satellite>/text`, the result out beside it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from daemon import __version__
from daemon.converse.conclusion import Announcement
from daemon.core.errors import BrokerError, HearkenError, UsageError
from daemon.core.values import loads
from daemon.home.config import Interface
from daemon.mqtt.bus import Bus, Message, Publication
from daemon.system.worker import ended

_LOG = logging.getLogger(__name__)

_MOST_BYTES = 8 * 1024
_MOST_WAITING = 8
"""Of one satellite."""
_MOST_AT_ONCE = 32
"""Satellites that are being answered."""
_LATE_S = 10.0
"""What has waited so long is not acted on any more: who said it does not expect that now."""
_IDS_KEPT = 256
_LONGEST_ID = 80
_MOST_NAMED = 50
_MOST_HEARD = 256
_KEYS = ("text", "lang", "area", "speaker")

Handle = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


class Mailbox:
    """Takes what satellites write, one after the other for each, and writes back what came of it.

    Whoever may write to these topics commands the house: the broker's access rules say who that is. What is retained
    was not said now and is never acted on. `satellites` are those that the home file knows.
    """

    def __init__(
        self,
        bus: Bus,
        interface: Interface,
        satellites: Iterable[str],
        handle: Handle,
        status_topic: str,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bus = bus
        self._interface = interface
        self._known = {*satellites, _ITSELF} if interface.announce else set(satellites)
        self._handle = handle
        self._status_topic = status_topic
        self._clock = clock
        self._waiting: dict[str, deque[Message]] = {}
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._announcing: asyncio.Task[None] | None = None
        self._ids: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._complained: set[str] = set()
        self._heard: dict[str, None] = {}
        self._ends: list[Callable[[], None]] = []

    async def start(self) -> None:
        """Begins to listen and to answer; `serve` ends it."""
        if self._interface.announce is not None:
            self._ends.append(self._bus.on_connection(self._connected))
            await self._announce()
        self._ends.append(await self._bus.subscribe(f"{self._interface.prefix}/+/text", self._take))

    async def serve(self) -> None:
        """Answers until it is cancelled."""
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            for end in self._ends:
                end()
            await ended([*self._busy.values(), *filter(None, [self._announcing])])

    def serves(self, satellite: str) -> bool:
        """Whether this satellite reads what is written here."""
        return satellite in self._known or satellite in self._heard

    async def tell(self, announcement: Announcement) -> None:
        """Writes what is to be said beside the replies."""
        content = {"announcement": True, "reply": announcement.reply, "lang": announcement.lang}
        await self._say(announcement.satellite, "reply", content)

    def _take(self, message: Message) -> None:
        satellite = message.topic.removeprefix(f"{self._interface.prefix}/").removesuffix("/text")
        if message.retained or not message.payload:
            return
        if len(message.payload) > _MOST_BYTES:
            self._complain(satellite, f"what {satellite!r} wrote is too long")
        elif not self._interface.anybody and satellite not in self._known:
            self._complain(satellite, f"{satellite!r} wrote, but is none of the home file's satellites")
        elif self._crowded(satellite):
            self._complain("", "satellites write faster than can be answered; what is too much is dropped")
        else:
            self._heard[satellite] = None
            if len(self._heard) > _MOST_HEARD:
                del self._heard[next(iter(self._heard))]
            self._waiting.setdefault(satellite, deque()).append(message)
            if satellite not in self._busy:
                self._busy[satellite] = asyncio.get_running_loop().create_task(self._answer(satellite))

    def _crowded(self, satellite: str) -> bool:
        if satellite in self._waiting:
            return len(self._waiting[satellite]) >= _MOST_WAITING
        return len(self._busy) >= _MOST_AT_ONCE

    async def _answer(self, satellite: str) -> None:
        """All that a satellite has written, one after the other."""
        try:
            while self._waiting[satellite]:
                await self._turn(satellite, self._waiting[satellite].popleft())
        finally:
            del self._waiting[satellite], self._busy[satellite]

    async def _turn(self, satellite: str, message: Message) -> None:
        request, name = _request(satellite, message.payload)
        if name is not None and self._known_id(satellite, name):
            return
        await self._say(satellite, "state", "busy")
        try:
            self._check_age(message)
            result = await self._handle(request)
        except HearkenError as error:
            result = {"error": str(error)}
        except Exception:  # noqa: BLE001 - a bug in one turn must not leave the satellite waiting, nor end the others
            _LOG.exception("a turn of %r failed", satellite)
            result = {"error": "this could not be answered; see the log"}
        trace = result.pop("trace", None)
        await self._say(satellite, "reply", result if name is None else result | {"id": name})
        if self._interface.trace and trace is not None:
            await self._say(satellite, "trace", trace)
        await self._say(satellite, "state", "asking" if result.get("question") else "idle")

    async def _say(self, satellite: str, what: str, content: object) -> None:
        payload = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        # Lone halves of characters cannot be written; they may stand in what others said.
        await self._publish(
            Publication(f"{self._interface.prefix}/{satellite}/{what}", payload.encode(errors="replace"))
        )

    async def _publish(self, publication: Publication) -> None:
        try:
            await self._bus.publish(publication)
        except BrokerError as error:
            _LOG.warning("%s could not be written: %s", publication.topic, error)

    def _check_age(self, message: Message) -> None:
        if self._clock() - message.at > _LATE_S:
            raise UsageError("this waited too long to be acted on; say it again")

    def _known_id(self, satellite: str, name: str) -> bool:
        """Whether this was written before: a client that saw no acknowledgement writes again what had arrived."""
        if (satellite, name) in self._ids:
            return True
        self._ids[satellite, name] = None
        if len(self._ids) > _IDS_KEPT:
            self._ids.popitem(last=False)
        return False

    def _connected(self, up: bool) -> None:  # noqa: FBT001 - the bus calls it so
        if up:
            self._announcing = asyncio.get_running_loop().create_task(self._announce())

    async def _announce(self) -> None:
        """Tells Home Assistant, by its device-based discovery, that there is a device called Hearken."""
        if self._interface.announce is None or not self._bus.connected:
            return
        topic = f"{self._interface.announce}/device/hearken/config"
        entry = announcement(self._interface.prefix, self._status_topic)
        await self._publish(Publication(topic, json.dumps(entry).encode(), retain=True))

    def _complain(self, name: str, problem: str) -> None:
        if name not in self._complained and len(self._complained) < _MOST_NAMED:
            self._complained.add(name)
            _LOG.warning("%s", problem)


_ITSELF = "homeassistant"
"""The satellite that Home Assistant's own text field is."""


def announcement(prefix: str, status_topic: str) -> dict[str, Any]:
    """The payload of the discovery entry (Home Assistant, "MQTT discovery", device-based)."""
    mine = f"{prefix}/{_ITSELF}"
    return {
        "device": {"identifiers": ["hearken"], "name": "Hearken", "manufacturer": "Hearken", "sw_version": __version__},
        "origin": {"name": "Hearken", "sw_version": __version__},
        "availability_topic": status_topic,
        "components": {
            "command": {
                "platform": "text",
                "unique_id": "hearken_command",
                "name": "Command",
                "icon": "mdi:message-text",
                "command_topic": f"{mine}/text",
                "max": 255,
            },
            "reply": {
                "platform": "sensor",
                "unique_id": "hearken_reply",
                "name": "Reply",
                "icon": "mdi:message-reply-text",
                "state_topic": f"{mine}/reply",
                "value_template": "{{ (value_json.reply | default(value_json.error, true))[:255] }}",
                "json_attributes_topic": f"{mine}/reply",
            },
            "connection": {
                "platform": "binary_sensor",
                "unique_id": "hearken_connection",
                "name": "Connection",
                "device_class": "connectivity",
                "entity_category": "diagnostic",
                "state_topic": status_topic,
                "payload_on": "online",
                "payload_off": "offline",
            },
        },
    }


def _request(satellite: str, payload: bytes) -> tuple[dict[str, Any], str | None]:
    """A request of the control socket's form, from the text itself or an object with a text and who speaks where.

    Second the id that the object has, if any.
    """
    text = payload.decode("utf-8", "replace")
    found: object = None
    if text.lstrip().startswith("{"):
        with contextlib.suppress(ValueError, RecursionError):
            found = loads(text)
    said = {name: found[name] for name in _KEYS if name in found} if isinstance(found, dict) else {"text": text}
    name = found.get("id") if isinstance(found, dict) else None
    return {"op": "text", "satellite": satellite} | said, str(name)[:_LONGEST_ID] if name is not None else None
