"""Hearken's own topics on the broker: text in at `<prefix>/<satellite>/text`, the result out beside it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from daemon import __version__
from daemon.errors import BrokerError, HearkenError
from daemon.home.config import Interface
from daemon.mqtt.bus import Bus, Message, Publication

_LOG = logging.getLogger(__name__)

_MOST_BYTES = 8 * 1024
_MOST_WAITING = 32
_MOST_NAMED = 50
_KEYS = ("text", "lang", "area", "speaker")

Handle = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


class Mailbox:
    """Takes what satellites write, one after the other for each, and writes back what came of it.

    Whoever may write to these topics commands the house: the broker's access rules say who that is. What is retained
    was not said now and is never acted on.

    Args:
        bus: The connection.
        interface: The topics, and who may write.
        satellites: The ids that the home file knows.
        handle: Carries out one request of the control socket's form.
        status_topic: Where the daemon says that it is there.
    """

    def __init__(
        self, bus: Bus, interface: Interface, satellites: Iterable[str], handle: Handle, status_topic: str
    ) -> None:
        self._bus = bus
        self._interface = interface
        self._known = {*satellites, _ITSELF} if interface.announce else set(satellites)
        self._handle = handle
        self._status_topic = status_topic
        self._waiting: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue(_MOST_WAITING)
        self._complained: set[str] = set()
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._ends: list[Callable[[], None]] = []

    async def start(self) -> None:
        """Begins to listen; what comes is answered while `serve` runs."""
        if self._interface.announce is not None:
            self._ends.append(self._bus.on_connection(self._connected))
            await self._announce()
        self._ends.append(await self._bus.subscribe(f"{self._interface.prefix}/+/text", self._take))

    async def serve(self) -> None:
        """Answers until it is cancelled."""
        try:
            while True:
                satellite, payload = await self._waiting.get()
                before = self._busy.get(satellite)
                task = asyncio.create_task(self._turn(satellite, payload, before))
                self._busy[satellite] = task
                task.add_done_callback(functools.partial(self._ended, satellite))
        finally:
            for end in self._ends:
                end()
            for task in self._busy.values():
                task.cancel()
            await asyncio.gather(*self._busy.values(), return_exceptions=True)

    def _take(self, message: Message) -> None:
        satellite = message.topic.removeprefix(f"{self._interface.prefix}/").removesuffix("/text")
        if message.retained or not message.payload:
            return
        if len(message.payload) > _MOST_BYTES:
            self._complain(satellite, f"what {satellite!r} wrote is too long")
        elif not self._interface.anybody and satellite not in self._known:
            self._complain(satellite, f"{satellite!r} wrote, but is none of the home file's satellites")
        elif self._waiting.full():
            self._complain("", "satellites write faster than can be answered; what is too much is dropped")
        else:
            self._waiting.put_nowait((satellite, message.payload))

    async def _turn(self, satellite: str, payload: bytes, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait((before,))
        await self._say(satellite, "state", "busy")
        try:
            result = await self._handle(_request(satellite, payload))
        except HearkenError as error:
            result = {"error": str(error)}
        trace = result.pop("trace", None)
        await self._say(satellite, "reply", result)
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

    def _connected(self, up: bool) -> None:  # noqa: FBT001 - the bus calls it so
        if up:
            # Kept in the same dictionary as the turns, so that it is ended with them.
            self._busy[""] = asyncio.get_running_loop().create_task(self._announce())

    async def _announce(self) -> None:
        """Tells Home Assistant, by its device-based discovery, that there is a device called Hearken."""
        if self._interface.announce is None or not self._bus.connected:
            return
        topic = f"{self._interface.announce}/device/hearken/config"
        entry = announcement(self._interface.prefix, self._status_topic)
        await self._publish(Publication(topic, json.dumps(entry).encode(), retain=True))

    def _ended(self, satellite: str, task: asyncio.Task[None]) -> None:
        if self._busy.get(satellite) is task:
            del self._busy[satellite]
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("a turn of %r failed", satellite, exc_info=error)

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


def _request(satellite: str, payload: bytes) -> dict[str, Any]:
    """A request of the control socket's form: the text itself, or an object with a text and who speaks where."""
    text = payload.decode("utf-8", "replace")
    found: object = None
    if text.lstrip().startswith("{"):
        with contextlib.suppress(ValueError, RecursionError):
            found = json.loads(text)
    said = {name: found[name] for name in _KEYS if name in found} if isinstance(found, dict) else {"text": text}
    return {"op": "text", "satellite": satellite} | said
