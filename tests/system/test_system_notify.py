"""The notification protocol, told to a real datagram socket."""

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.system.control import Notifier
from tests.brokers import SOON_S


class Manager:
    """The receiving end, as systemd holds it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.settimeout(2)
        self._socket.bind(f"\0{address[1:]}" if address.startswith("@") else address)

    def hears(self) -> list[str]:
        return self._socket.recv(4096).decode().split("\n")

    def hears_nothing(self) -> bool:
        self._socket.settimeout(0)
        try:
            self._socket.recv(4096)
        except BlockingIOError:
            return True
        return False

    def close(self) -> None:
        self._socket.close()


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(str(tmp_path / "notify") if request.param == "path" else f"@hearken-test-{os.getpid()}")
    yield manager
    manager.close()


def test_what_is_said_reaches_the_manager(manager: Manager) -> None:
    notifier = Notifier(manager.address)
    notifier.ready("listening to 42 devices")
    assert manager.hears() == ["READY=1", "STATUS=listening to 42 devices"]
    notifier.ready()
    assert manager.hears() == ["READY=1"]
    notifier.status("the broker is away")
    assert manager.hears() == ["STATUS=the broker is away"]
    notifier.alive()
    assert manager.hears() == ["WATCHDOG=1"]
    notifier.stopping("asked to")
    assert manager.hears() == ["STOPPING=1", "STATUS=asked to"]


def test_a_status_stays_one_line_and_cannot_assign(manager: Manager) -> None:
    notifier = Notifier(manager.address)
    notifier.status("老伙计 is off\nMAINPID=1")
    assert manager.hears() == ["STATUS=老伙计 is off MAINPID=1"]
    notifier.status(" \n ")
    assert manager.hears_nothing()


def test_the_environment_is_read_and_cleaned() -> None:
    environment = {"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": str(os.getpid()), "HOME": "/"}
    notifier = Notifier.from_environment(environment)
    assert (notifier._address, notifier._watchdog_s) == ("/run/x", 3.0)
    assert environment == {"HOME": "/"}


@pytest.mark.parametrize(
    "environment",
    [
        {"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"},
        {"WATCHDOG_USEC": "0"},
        {"WATCHDOG_USEC": "soon"},
        {},
    ],
)
def test_no_watchdog_unless_it_watches_this_process(environment: dict[str, str]) -> None:
    assert Notifier.from_environment(environment)._watchdog_s is None


async def test_signs_of_life_come_twice_in_the_time_allowed(manager: Manager) -> None:
    task = asyncio.create_task(Notifier(manager.address, watchdog_s=0.04).keep_alive())
    for _ in range(3):
        assert await asyncio.to_thread(manager.hears) == ["WATCHDOG=1"]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_without_a_watchdog_keep_alive_ends(manager: Manager) -> None:
    await asyncio.wait_for(Notifier(manager.address).keep_alive(), timeout=SOON_S)
    await asyncio.wait_for(Notifier(None, watchdog_s=1).keep_alive(), timeout=SOON_S)
    assert manager.hears_nothing()


@pytest.mark.parametrize("address", [None, "", "/nowhere/notify", "/" + "x" * 200, "vsock:2:1"])
def test_nobody_to_tell_is_no_error(address: str | None) -> None:
    notifier = Notifier(address)
    notifier.ready("on")
    notifier.alive()
    notifier.stopping()


def test_a_manager_that_does_not_listen_blocks_nobody(manager: Manager) -> None:
    notifier = Notifier(manager.address)
    for _ in range(5000):
        notifier.alive()
