"""A simulated home with its pages on a real socket, and a browser of few words."""

from __future__ import annotations

import asyncio
import contextlib
import html
import http.client
import re
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from daemon.act.audit import Audit
from daemon.commands.session import Turns
from daemon.console.server import Console
from daemon.console.view import View
from daemon.console.words import Words
from daemon.core.values import replace
from daemon.home.config import Console as Settings
from daemon.home.config import HomeConfig, Server
from daemon.system.config import Paths
from tests.conversations.house import House, Time, home_of, open_house

ROOT = Path(__file__).resolve().parents[2]
WORDS = Words.load(ROOT / "rules")
SETTINGS = Settings(Server("127.0.0.1", 0))
SOON_S = 60.0
"""Far more than any answer takes; reached only where a test fails."""


@dataclass(frozen=True)
class Answer:
    """What a browser got."""

    status: int
    headers: dict[str, str]
    """By their names in small letters; of several only the last."""
    text: str

    @property
    def mark(self) -> str:
        """What the forms of this page bear."""
        found = re.search(r'name="mark" value="(\w+)"', self.text)
        assert found is not None, self.text
        return found[1]


def text_of(answer: Answer) -> str:
    """What a page says, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


@dataclass
class Browser:
    """Keeps cookies and the mark of the page that it saw last, and tells where it comes from."""

    port: int
    host: str = "127.0.0.1"
    cookies: dict[str, str] = field(default_factory=dict)
    mark: str = ""

    async def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        answer = await self._ask("GET", path, headers=headers)
        if 'name="mark"' in answer.text:
            self.mark = answer.mark
        return answer

    async def post(
        self, path: str, form: dict[str, str] | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """Sends a form as a page of ours does; `headers` may say otherwise."""
        body = urlencode({"mark": self.mark} | (form or {})).encode()
        said = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://{self.host}:{self.port}"}
        return await self._ask("POST", path, body, said | (headers or {}))

    async def _ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        async with asyncio.timeout(SOON_S):
            return await asyncio.to_thread(self._asked, method, path, body, headers or {})

    def _asked(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SOON_S)
        kept = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        said = {"Host": f"{self.host}:{self.port}"} | ({"Cookie": kept} if kept else {}) | headers
        with contextlib.closing(connection):
            connection.request(method, path, body, {name: value for name, value in said.items() if value})
            response = connection.getresponse()
            text = response.read().decode()
        for item in response.headers.get_all("set-cookie", []):
            name, _, value = item.partition(";")[0].partition("=")
            self.cookies[name] = value
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, text)


@dataclass
class Pages:
    """A home whose pages are served."""

    house: House
    port: int
    turns: Turns
    view: View

    @contextlib.asynccontextmanager
    async def feed(self, browser: Browser, path: str, within_s: float = SOON_S) -> AsyncIterator[asyncio.StreamReader]:
        """What the server sends to a page that is open."""
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        async with asyncio.timeout(within_s):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookies}\r\n\r\n".encode())
            await reader.readuntil(b":\n\n")
            yield reader
            writer.close()
            await writer.wait_closed()

    @contextlib.asynccontextmanager
    async def idlers(self, count: int) -> AsyncIterator[None]:
        """So many connections of another machine, over which nothing is said."""
        with contextlib.ExitStack() as stack:
            async with asyncio.timeout(SOON_S):
                for _ in range(count):
                    item = stack.enter_context(socket.socket())
                    item.settimeout(0)
                    item.bind(("127.0.0.2", 0))
                    await asyncio.get_running_loop().sock_connect(item, ("127.0.0.1", self.port))
            yield

    def browser(self, host: str = "127.0.0.1") -> Browser:
        return Browser(self.port, host)


@contextlib.asynccontextmanager
async def open_pages(
    folder: Path,
    settings: Settings = SETTINGS,
    home: HomeConfig | None = None,
    audit: Audit | None = None,
) -> AsyncIterator[Pages]:
    """The pages of a home (without one, of the one that comes with Hearken), whose devices answer at once.

    `folder` is where what is kept lies.
    """
    home = replace(home or home_of(None), console=settings)
    async with open_house(home, Time(), audit) as house:
        opened = house.opened
        turns = Turns(opened.pipeline, opened.inventory, opened.ledger, opened.later)
        paths = replace(Paths.of(), home=folder / "devices.yaml", state=folder)
        view = View(home, opened, paths, turns.handle, turns.listen, WORDS)
        async with Console(settings, view).running() as port:
            yield Pages(house, port, turns, view)
