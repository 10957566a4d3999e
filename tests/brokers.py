"""Real brokers for tests, and a listener that can be waited for."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from daemon.home.config import TlsSettings
from daemon.home.secrets import Secret
from daemon.mqtt.bus import Message
from daemon.mqtt.connection import Connection
from daemon.mqtt.failures import Backoff
from daemon.mqtt.settings import Broker
from daemon.simulate.broker import free_port

SOON_S = 120.0
"""Far more than anything here takes; reached only where a test fails."""
QUICK = Backoff(first_s=0.01, cap_s=0.05, refused_cap_s=0.05)
EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")
USER, PASSWORD = "hearken", "correct horse: battery staple"


def mosquitto_path() -> str:
    """Where mosquitto is; skips the test where it is not."""
    found = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None or shutil.which("mosquitto_passwd") is None:
        pytest.skip("mosquitto is not installed (apt install mosquitto)")
    return found


async def eventually(condition: Callable[[], bool]) -> None:
    """Waits until a condition holds."""
    async with asyncio.timeout(SOON_S):
        while not condition():  # noqa: ASYNC110 - the condition has no event of its own
            await asyncio.sleep(0.002)


@dataclass
class Inbox:
    """A listener: collects what it hears, and lets one wait for it."""

    messages: list[Message] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, message: Message) -> None:
        self.messages.append(message)
        self._news.set()

    @property
    def payloads(self) -> list[bytes]:
        return [message.payload for message in self.messages]

    async def until(self, enough: Callable[[list[Message]], bool]) -> list[Message]:
        """Waits until what was heard is enough, and returns it."""
        async with asyncio.timeout(SOON_S):
            while not enough(self.messages):
                self._news.clear()
                await self._news.wait()
        return self.messages

    async def count(self, number: int) -> list[Message]:
        return await self.until(lambda messages: len(messages) >= number)


class Changes:
    """Listens to a connection's ups and downs, and lets one wait for them."""

    def __init__(self, connection: Connection) -> None:
        self.seen: list[bool] = []
        self._news = asyncio.Event()
        connection.on_connection(self._hear)

    def _hear(self, up: bool) -> None:  # noqa: FBT001 - the bus calls it so
        self.seen.append(up)
        self._news.set()

    async def last(self, up: bool, after: int = 0) -> None:  # noqa: FBT001
        """Waits until the last of more than `after` changes is `up`."""
        async with asyncio.timeout(SOON_S):
            while len(self.seen) <= after or self.seen[-1] is not up:
                self._news.clear()
                await self._news.wait()


@dataclass
class Mosquitto:
    """A real mosquitto that wants a user and a password, on two ports: plain and TLS."""

    folder: Path
    port: int = field(default_factory=free_port)
    tls_port: int = field(default_factory=free_port)
    mutual_port: int = field(default_factory=free_port)
    """TLS that asks the client for a certificate."""
    server: str = "server"
    """The name of its certificate."""
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        while len({self.port, self.tls_port, self.mutual_port}) < 3:
            self.tls_port, self.mutual_port = free_port(), free_port()

    @property
    def ca(self) -> Path:
        return self.folder / "ca.crt"

    def broker(self, **changes: object) -> Broker:
        """How to reach it without TLS."""
        settings: dict[str, object] = {"port": self.port, "user": USER, "password": Secret(PASSWORD)}
        return Broker(**(settings | changes))  # type: ignore[arg-type]

    def secure(self, **changes: object) -> Broker:
        """How to reach it with TLS."""
        return self.broker(**({"host": "localhost", "port": self.tls_port, "tls": TlsSettings(ca=self.ca)} | changes))

    @property
    def configuration(self) -> Path:
        return self.folder / f"mosquitto-{self.port}.conf"

    def configure(self) -> None:
        """Writes the configuration file."""
        tls = [
            f"cafile {self.ca}",
            f"certfile {self.folder}/{self.server}.crt",
            f"keyfile {self.folder}/{self.server}.key",
        ]
        lines = [
            "per_listener_settings false",
            "allow_anonymous false",
            f"password_file {self.folder}/passwords",
            "persistence false",
            "log_type none",
            f"listener {self.port} 127.0.0.1",
            f"listener {self.tls_port} 127.0.0.1",
            *tls,
            f"listener {self.mutual_port} 127.0.0.1",
            *tls,
            "require_certificate true",
        ]
        if os.geteuid() == 0:
            # It would otherwise become a user who may not read this folder.
            lines.insert(0, "user root")
        self.configuration.write_text("\n".join(lines) + "\n", encoding="utf-8")

    async def start(self) -> None:
        command = [mosquitto_path(), "-c", str(self.configuration)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # noqa: ASYNC220
        async with asyncio.timeout(SOON_S):
            while not await _answers(self.mutual_port):
                if self.process.poll() is not None:
                    raise RuntimeError(f"mosquitto ended: {self.process.communicate()[1].decode()}")
                await asyncio.sleep(0.005)

    def freeze(self) -> None:
        """It takes what the network brings, and answers nothing, until `thaw` or `kill`."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    async def kill(self) -> None:
        """Ends it as a power cut would."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            await asyncio.to_thread(self.process.communicate)
            self.process = None


def prepare(folder: Path) -> Path:
    """Makes certificates and a password file, once for many brokers."""
    mosquitto_path()
    authority(folder, "ca")
    certificate(folder, "ca", "server", "localhost")
    certificate(folder, "ca", "client", "hearken")
    certificate(folder, "ca", "expired", "localhost", days=-1)
    command = ["mosquitto_passwd", "-b", "-c", str(folder / "passwords"), USER, PASSWORD]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@contextlib.asynccontextmanager
async def running_mosquitto(folder: Path, server: str = "server") -> AsyncIterator[Mosquitto]:
    """Starts one, with what `prepare` put into the folder; `server` is the name of its certificate."""
    broker = Mosquitto(folder, server=server)
    broker.configure()
    await broker.start()
    try:
        yield broker
    finally:
        await broker.kill()


@contextlib.asynccontextmanager
async def connected(broker: Broker) -> AsyncIterator[Connection]:
    """A connection that stands."""
    async with Connection(broker, backoff=QUICK) as connection:
        await connection.ready(SOON_S)
        yield connection


async def refusal(broker: Broker) -> str:
    """What is said about a broker that cannot be connected with: the error's name and its text."""
    async with Connection(broker, backoff=QUICK) as connection:
        await eventually(lambda: connection.problem is not None)
        problem = connection.problem
        assert not connection.connected
        assert "\n" not in str(problem)
        return f"{type(problem).__name__}: {problem}"


def authority(folder: Path, name: str) -> None:
    """Makes a certificate authority."""
    _openssl(
        *("req", "-x509", *EC, "-nodes", "-days", "2", "-subj", f"/CN=Test authority {name}"),
        *("-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.crt")),
    )


def certificate(folder: Path, ca: str, name: str, host: str, days: int = 2) -> None:
    """Makes a certificate for a host, signed by an authority; with negative `days` one that has expired."""
    _openssl(
        *("req", *EC, "-nodes", "-subj", f"/CN={host}"),
        *("-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.csr")),
    )
    (folder / f"{name}.ext").write_text(f"subjectAltName=DNS:{host}\n", encoding="utf-8")
    _openssl(
        *(
            "x509",
            "-req",
            "-days",
            str(days),
            "-in",
            str(folder / f"{name}.csr"),
            "-extfile",
            str(folder / f"{name}.ext"),
        ),
        *("-CA", str(folder / f"{ca}.crt"), "-CAkey", str(folder / f"{ca}.key"), "-CAcreateserial"),
        *("-out", str(folder / f"{name}.crt")),
    )


def _openssl(*arguments: str) -> None:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed")
    subprocess.run([program, *arguments], check=True, capture_output=True)


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
