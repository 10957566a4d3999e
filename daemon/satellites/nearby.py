"""What announces itself on the house's network and may be a satellite. It is only listened to, never connected to.

Whoever is on the network announces what he likes: what is taken is bounded, and plain.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from daemon.core.errors import AudioError
from daemon.home.config import HomeConfig, Server
from daemon.satellites.link import reason

if TYPE_CHECKING:
    from zeroconf import Zeroconf
    from zeroconf.asyncio import AsyncServiceInfo

Protocol = Literal["wyoming", "esphome"]
_TYPES: Final[dict[str, Protocol]] = {"_wyoming._tcp.local.": "wyoming", "_esphomelib._tcp.local.": "esphome"}
LISTEN_S: Final = 3.0
"""So long it is waited for whoever answers; over weak radio a second is little."""
_REST_S: Final = 1.0
"""So long each is asked for what it has not told with its name."""
_MOST: Final = 64
"""So many are looked at; more is no house."""
_MOST_ADDRESSES: Final = 4
_LONGEST: Final = 63
"""Bytes of a name, as DNS has it."""
_HOST: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.local")


class Nearby(Struct, frozen=True):
    """One that announces itself."""

    protocol: Protocol
    name: str
    """As it calls itself: untrusted, but printable, on one line, of 63 characters at most."""
    server: Server
    encrypted: bool = False
    """Whether it says that it wants a key."""
    addresses: tuple[str, ...] = ()
    """Where else it can be reached, on the same port."""

    def known(self, home: HomeConfig) -> bool:
        """Whether the home file has it already."""
        own = {Server(host, self.server.port) for host in (self.server.host, *self.addresses)}
        return any(item.server in own for item in home.satellites.values())


async def nearby(within_s: float = LISTEN_S, interfaces: Sequence[str] | None = None) -> tuple[Nearby, ...]:
    """Whoever announces himself, by name.

    Args:
        within_s: Seconds to listen for.
        interfaces: Own addresses of the networks to listen on; None: all there are.

    Raises:
        AudioError: this machine has no network that can be listened to.
    """
    from zeroconf import InterfaceChoice, IPVersion
    from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

    logging.getLogger("zeroconf").setLevel(logging.CRITICAL + 1)  # what is broken in others is no concern of ours
    heard: dict[str, Protocol] = {}
    try:
        where = InterfaceChoice.All if interfaces is None else list(interfaces)
        network = AsyncZeroconf(interfaces=where, ip_version=IPVersion.V4Only)
    except OSError as error:
        raise AudioError(f"the network cannot be listened to ({reason(error)})") from None
    try:
        browser = AsyncServiceBrowser(network.zeroconf, list(_TYPES), handlers=[partial(_noted, heard)])
        await asyncio.sleep(within_s)
        await browser.async_cancel()
        asked = (_asked(network.zeroconf, name, protocol, _REST_S) for name, protocol in tuple(heard.items()))
        found = [item for item in await asyncio.gather(*asked) if item is not None]
    finally:
        await network.async_close()
    return tuple(sorted(dict.fromkeys(found), key=lambda item: (item.protocol, item.name, str(item.server))))


def _noted(heard: dict[str, Protocol], *, service_type: str, name: str, **_: Any) -> None:
    """Takes down one that was heard."""
    if service_type in _TYPES and len(heard) < _MOST:
        heard[name] = _TYPES[service_type]


async def _asked(network: Zeroconf, name: str, protocol: Protocol, within_s: float) -> Nearby | None:
    """What one says of itself; None where that is nothing, or nothing that can be."""
    from zeroconf import Error
    from zeroconf.asyncio import AsyncServiceInfo

    kind = next(item for item, of in _TYPES.items() if of == protocol)
    with contextlib.suppress(Error, ValueError, UnicodeError):
        info = AsyncServiceInfo(kind, name)
        if await info.async_request(network, within_s * 1000) and (server := _server(info, protocol)) is not None:
            told = _told(info)
            called = _plain(told.get("friendly_name") or name.removesuffix(f".{kind}"))
            addresses = tuple(map(str, _addresses(info)))
            return Nearby(protocol, called or server.host, server, "api_encryption" in told, addresses)
    return None


def _server(info: AsyncServiceInfo, protocol: Protocol) -> Server | None:
    """Where it is, by its name where that can be looked up, so that another address does not matter."""
    addresses = _addresses(info)
    if info.port is None or not 0 < info.port < 1 << 16 or not addresses:
        return None
    host = (info.server or "").removesuffix(".")
    named = protocol == "esphome" and _HOST.fullmatch(host)  # the library for these looks such names up by itself
    return Server(host if named else str(addresses[0]), info.port)


def _addresses(info: AsyncServiceInfo) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """Its addresses, those of a house: nothing is to be led out of it."""
    found = map(ipaddress.ip_address, info.parsed_addresses())
    return [item for item in found if item.is_private and not item.is_unspecified][:_MOST_ADDRESSES]


def _told(info: AsyncServiceInfo) -> dict[str, str]:
    """What it says of itself beside that."""
    told: dict[Any, Any] = info.decoded_properties
    return {str(key): str(value or "") for key, value in told.items()}


def _plain(text: str) -> str:
    """The text on one line, without what cannot be seen."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(shown.split())[:_LONGEST].strip()
