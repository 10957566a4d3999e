"""The pages of a daemon that is a process of its own."""

import asyncio
import socket

from tests.console.pages import Browser
from tests.daemon.processes import SOON_S, Place, running


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def on(port: int) -> tuple[str, str]:
    return "console: false", f"console: {{port: {port}}}"


async def test_a_daemon_serves_its_pages_and_ends_while_one_is_open(place: Place) -> None:
    port = free_port()
    place.furnish(replacing=on(port))
    async with running(place) as daemon:
        await daemon.until(lambda: any(f"the console is at http://127.0.0.1:{port}" in line for line in daemon.err))
        browser = Browser(port)
        await browser.get("/talk")
        said = await browser.post("/talk/say", {"text": "turn on old friend"}, {"X-Fragment": "1"})
        assert "Old friend is on." in said.text
        daemon.type("is old friend on")
        assert await daemon.replies(1) == ["Yes, Old friend is on."]
        assert 'outcome="query",source="grammar"} 1.0' in (await browser.get("/metrics")).text
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        async with asyncio.timeout(SOON_S):
            writer.write(b"GET /talk/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await reader.readuntil(b":\n\n")
            assert await daemon.terminate() == 0
            await reader.read()
        writer.close()
        await writer.wait_closed()
    assert not any("ERROR" in line or "Traceback" in line for line in daemon.err), daemon.err


async def test_a_daemon_whose_port_is_taken_does_without_pages(place: Place) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        place.furnish(replacing=on(taken.getsockname()[1]))
        async with running(place) as daemon:
            await daemon.until(lambda: any("there is no console" in line for line in daemon.err))
            daemon.type("turn on old friend")
            assert await daemon.replies(1) == ["Old friend is on."]
            assert await daemon.end() == 0
    assert sum("there is no console" in line for line in daemon.err) == 1
