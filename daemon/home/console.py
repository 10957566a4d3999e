"""The section `console` of a home file: where the pages are served, and who is let in.

Whatever is wrong with it is a `ConfigError`.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final

from daemon.home.config import Console, Server
from daemon.home.secrets import beside, parse_secret
from daemon.system.nodes import Value, quoted

_NAME: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*", re.ASCII)


def parse_console(value: Value) -> Console | None:
    """The `console` section; `false` serves nothing, `true` takes all defaults.

    Raises:
        ConfigError: others than this machine's could come in without a token.
    """
    if isinstance(value.data, bool):
        return Console() if value.data else None
    entry = value.mapping(("host", "port", "token", "tls", "names"))
    standard = Console().server
    host = entry["host"].text(253) if "host" in entry else standard.host
    token = parse_secret(entry["token"], "a token") if "token" in entry else None
    if token is None and not is_loopback(host):
        entry["host"].fail(
            "lets everybody on the network command this home", "add token: {file: PATH}, or leave host: out"
        )
    tls = entry["tls"].mapping(("certificate", "key")) if "tls" in entry else {}
    if "tls" in entry and len(tls) < 2:  # noqa: PLR2004 - the one is of no use without the other
        entry["tls"].fail("a certificate and its key belong together", "give both")
    return Console(
        server=Server(host, entry["port"].whole(1, 65_535) if "port" in entry else standard.port),
        token=token,
        certificate=beside(tls["certificate"]) if tls else None,
        key=beside(tls["key"]) if tls else None,
        names=tuple(map(_name, entry["names"].sequence())) if "names" in entry else (),
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what is served there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.casefold() == "localhost"


def _name(value: Value) -> str:
    found = value.text(253).casefold()
    if not _NAME.fullmatch(found):
        value.fail(f"{quoted(found)} is no name of a machine", "write for example pi.lan, without http:// and port")
    return found
