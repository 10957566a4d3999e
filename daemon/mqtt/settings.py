"""How to reach a broker."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from daemon.core.errors import BrokerRefused
from daemon.home.config import MqttSettings, TlsSettings
from daemon.home.secrets import Secret, read_secret

Protocol = Literal["3.1.1", "5"]


class Broker(Struct, frozen=True):
    """One broker and how to talk to it."""

    host: str = "127.0.0.1"
    port: int = 1883
    user: str | None = None
    password: Secret | None = None
    tls: TlsSettings | None = None
    protocol: Protocol | None = "3.1.1"
    """None: 5 where the broker speaks it, else 3.1.1."""
    status_topic: str | None = "hearken/status"
    """Where "online" and, as last will, "offline" are kept (retained); None for a client that is not the daemon."""
    keepalive_s: int = 15
    """A silent broker is given up after one and a half times this."""
    connect_timeout_s: float = 5.0
    ack_timeout_s: float = 3.0
    """A publish that the broker does not acknowledge in this time has failed, and the connection with it."""
    expiry_s: int = 5
    """With MQTT 5, a broker or bridge that cannot hand on within this time what we said throws it away. What is
    retained does not expire."""

    @classmethod
    def of(cls, settings: MqttSettings, home: Path, environ: Mapping[str, str] | None = None) -> Broker:
        """The broker that a home file names, with its password read from where the file says it is.

        Raises:
            ConfigError: the password is not there, cannot be read, or is empty.
        """
        password = None
        if settings.password is not None:
            password = read_secret(settings.password, home, "mqtt.password", environ)
        return cls(
            host=settings.host,
            port=settings.port,
            user=settings.user,
            password=password,
            tls=settings.tls,
            protocol=settings.version,
        )

    @property
    def address(self) -> str:
        """Host and port, for messages to a person."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class _Socket(ssl.SSLSocket):
    """Closes itself where the handshake fails: paho leaves that to the garbage collector."""

    def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002 - as in its base
        try:
            super().do_handshake(block)
        except OSError:
            self.close()
            raise


def tls_context(tls: TlsSettings) -> ssl.SSLContext:
    """The context for one connection. Reads files: not for the event loop.

    Raises:
        BrokerRefused: a file cannot be read, or is not what it should be.
    """
    try:
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=str(tls.ca) if tls.ca else None)
    except OSError as error:
        raise BrokerRefused(f"cannot use {tls.ca} as mqtt.tls.ca ({_reason(error)})") from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.sslsocket_class = _Socket
    if tls.certificate is not None:
        try:
            context.load_cert_chain(tls.certificate, tls.key)
        except OSError as error:
            files = " and ".join(str(file) for file in (tls.certificate, tls.key) if file is not None)
            raise BrokerRefused(f"cannot use {files} as mqtt.tls.certificate and key ({_reason(error)})") from None
    return context


def _reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or "not PEM").lower().replace("_", " ")
    return error.strerror or type(error).__name__
