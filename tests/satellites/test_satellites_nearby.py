"""What announces itself on the network is found, told in lines for the home file, and never connected to."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from zeroconf import IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from daemon.commands.nearby import pasted
from daemon.commands.options import printable
from daemon.home.config import EspHome, HomeConfig, Microphone, Server
from daemon.home.loader import load_home
from daemon.satellites.nearby import Nearby, nearby
from tests.serving import Serving

LOOPBACK = "127.0.0.1"
WYOMING, ESPHOME = "_wyoming._tcp.local.", "_esphomelib._tcp.local."
WITHIN_S = 2.5
HOSTILE = "\x1b[31mroom\x07\u202e\n  evil: {area: x}"


@contextlib.asynccontextmanager
async def network() -> AsyncIterator[AsyncZeroconf]:
    """One that others announce themselves by."""
    made = None
    try:
        made = AsyncZeroconf(interfaces=[LOOPBACK], ip_version=IPVersion.V4Only)
        yield made
    finally:
        if made is not None:
            await made.async_close()


async def announced(
    by: AsyncZeroconf, kind: str, name: str, port: int, told: Mapping[str, str] | None = None, address: str = LOOPBACK
) -> None:
    info = ServiceInfo(
        kind,
        f"{name}.{kind}",
        addresses=[socket.inet_aton(address)],
        port=port,
        properties=dict(told or {}),
        server=f"host-{port}.local.",
    )
    await (await by.async_register_service(info, cooperating_responders=True))


async def found(count: int) -> tuple[Nearby, ...]:
    """What is found; whoever announced something a second ago keeps silent for a while, so that it may take several."""
    for _ in range(2):
        if len(there := await nearby(WITHIN_S, [LOOPBACK])) >= count:
            return there
    return await nearby(WITHIN_S, [LOOPBACK])


@pytest.fixture(scope="module", autouse=True)
def multicast() -> None:
    """Skips where datagrams to many do not come back on the loopback interface."""
    group, told = ("224.0.0.251", 0), b"there?"
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as hears,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as says,
    ):
        try:
            hears.bind(("", 0))
            hears.settimeout(2)
            own = socket.inet_aton(group[0]) + socket.inet_aton(LOOPBACK)
            hears.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, own)
            says.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(LOOPBACK))
            says.sendto(told, (group[0], hears.getsockname()[1]))
            assert hears.recv(len(told)) == told
        except OSError as error:
            pytest.skip(f"multicast does not work on the loopback interface here ({error})")


async def test_satellites_that_announce_themselves_are_found_and_never_connected_to() -> None:
    connections: list[object] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append((reader, writer))

    wyoming, esphome = await Serving.start(connected), await Serving.start(connected)
    async with network() as others:
        await announced(others, WYOMING, "Kitchen satellite", wyoming.port)
        await announced(
            others, ESPHOME, "voice-pe", esphome.port, {"friendly_name": "Voice PE", "api_encryption": "Noise"}
        )
        await announced(others, "_http._tcp.local.", "Printer", 80)
        there = await found(2)
    assert there == (
        Nearby(
            "esphome",
            "Voice PE",
            Server(f"host-{esphome.port}.local", esphome.port),
            encrypted=True,
            addresses=(LOOPBACK,),
        ),
        Nearby("wyoming", "Kitchen satellite", Server(LOOPBACK, wyoming.port), addresses=(LOOPBACK,)),
    )
    by_address = HomeConfig((), satellites={"hall": Microphone(esphome=EspHome(Server(LOOPBACK, esphome.port)))})
    assert [item.known(by_address) for item in there] == [True, False]
    assert connections == []
    await wyoming.end()
    await esphome.end()


async def test_what_is_announced_is_plain_bounded_and_of_this_house() -> None:
    async with network() as others:
        await announced(others, ESPHOME, "a", 6001, {"friendly_name": HOSTILE})
        await announced(others, ESPHOME, "b", 6002, {"friendly_name": "x" * 200})
        await announced(others, WYOMING, "elsewhere", 6003, address="8.8.8.8")
        there = await found(2)
    assert [item.server.port for item in there] == [6001, 6002]
    assert [len(item.name) <= 63 and item.name.isprintable() for item in there] == [True, True]
    assert there[0].name == "[31mroom evil: {area: x}"


async def test_a_flood_of_names_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.satellites.nearby._MOST", 3)
    async with network() as others:
        await asyncio.gather(*(announced(others, WYOMING, f"satellite {port}", port) for port in range(6001, 6009)))
        there = await found(3)
    assert len(there) == 3


def test_the_lines_go_into_a_home_file_as_they_are(tmp_path: Path) -> None:
    known = Nearby("wyoming", "Hall", Server("192.168.1.40", 10700))
    there = (
        known,
        Nearby("wyoming", HOSTILE.replace("\n", " "), Server("192.168.1.41", 10700)),
        Nearby("esphome", "Kitchen", Server("kitchen.local", 6053), encrypted=True),
        Nearby("esphome", "Kitchen", Server("fe80::1", 6053)),
        Nearby("wyoming", "客厅", Server("192.168.1.42", 10701)),
    )
    home = HomeConfig((), satellites={"hall": Microphone(wyoming=known.server)})
    lines = [printable(line) for line in pasted(there, home)]
    assert lines[0] == "# 5 announce themselves on this network; the home file has 1 of them."
    file = tmp_path / "home.yaml"
    devices = "devices:\n  lamp: {name: Lamp, type: light, capabilities: [on_off]}\n"
    file.write_text(devices + "\n".join(lines) + "\n", encoding="utf-8")
    loaded = load_home(file).satellites
    assert [str(item.server) for item in loaded.values()] == [
        "192.168.1.41:10700",
        "kitchen.local:6053",
        "[fe80::1]:6053",
        "192.168.1.42:10701",
    ]
    assert list(loaded)[1:] == ["kitchen", "kitchen_2", "device"]
    boxes = [item.esphome for item in loaded.values() if item.esphome is not None]
    assert [box.key is not None for box in boxes] == [True, False]


def test_nothing_new_needs_no_lines() -> None:
    known = Nearby("wyoming", "Hall", Server("192.168.1.40", 10700))
    home = HomeConfig((), satellites={"hall": Microphone(wyoming=known.server)})
    assert list(pasted([known], home)) == ["# 1 announce themselves on this network; the home file has 1 of them."]
