"""How to reach a broker, and where its password comes from."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from daemon.core.errors import BrokerRefused, ConfigError
from daemon.home.config import MqttSettings, PasswordSource, TlsSettings

Protocol = Literal["3.1.1", "5"]


class Secret:
    """A string that does not print: not in a repr, a log, a trace or a traceback."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The string itself; only for the call that needs it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str:
        raise TypeError("a secret is not pickled")


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
            password = read_password(settings.password, home, os.environ if environ is None else environ)
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


def read_password(source: PasswordSource, home: Path, environ: Mapping[str, str]) -> Secret:
    """The password, without the line break that may end its file.

    Raises:
        ConfigError: it is not there, cannot be read, or is empty.
    """
    key = "mqtt.password"
    if source.env is not None:
        if not (value := environ.get(source.env)):
            raise ConfigError(home, None, key, f"the environment variable {source.env} is not set", "set it")
        return Secret(value)
    path = source.file
    if source.credential is not None:
        folder = environ.get("CREDENTIALS_DIRECTORY")
        if folder is None:
            remedy = f"let systemd start the daemon, with LoadCredential={source.credential}:FILE, or use env or file"
            raise ConfigError(home, None, key, "there are no systemd credentials here", remedy)
        path = Path(folder) / source.credential
    if path is None:
        raise ConfigError(home, None, key, "names no place", "write {env: NAME}, {file: PATH} or {credential: NAME}")
    try:
        value = path.read_text(encoding="utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise ConfigError(home, None, key, f"{path} is not UTF-8 text", "write the password into it") from None
    except OSError as error:
        remedy = "write the password into it, readable for the daemon"
        raise ConfigError(home, None, key, f"cannot read {path}: {error.strerror}", remedy) from None
    if not value:
        raise ConfigError(home, None, key, f"{path} is empty", "write the password into it")
    return Secret(value)


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
