"""What others try: pages that are not ours, names and payloads with script in them, too much, too slow, too often."""

import asyncio
import contextlib
import json
import socket
from pathlib import Path

import pytest

from daemon.console import connection, server
from daemon.console.guard import MOST_BYTES
from daemon.console.sessions import Guesses, Sessions
from daemon.console.view import FRAGMENT
from daemon.core.entities import Address, Entity
from daemon.core.values import replace
from daemon.home.capabilities import STANDARD
from daemon.home.config import Console as Settings
from daemon.home.config import HomeConfig, PasswordSource, Simulation
from daemon.home.secrets import Secret
from daemon.mqtt.bus import Publication
from daemon.simulate.memory import MemoryBroker
from tests.console.pages import SETTINGS, SOON_S, WORDS, Browser, Pages, open_pages

TOKEN = "correct horse battery staple"
FORM = b"Content-Type: application/x-www-form-urlencoded"
PART = {FRAGMENT: "1"}
SCRIPT = "<script>alert(1)</script>"
ATTRIBUTE = '"><img src=x onerror=alert(1)>'


def locked(folder: Path) -> Settings:
    (folder / "token").write_text(TOKEN + "\n", encoding="utf-8")
    return replace(SETTINGS, token=PasswordSource(file=folder / "token"))


def nothing_was_done(pages: Pages) -> bool:
    return not pages.house.simulated.received


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1"},  # another port of this machine: another program
        {"Origin": "", "Sec-Fetch-Site": "same-site"},
        {"Origin": "", "Sec-Fetch-Site": "cross-site"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "multipart/form-data; boundary=x"},
    ],
)
async def test_another_page_in_the_same_browser_changes_nothing(tmp_path: Path, headers: dict[str, str]) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        await browser.get("/talk")
        answer = await browser.post("/talk/say", {"text": "turn on old friend"}, headers)
        assert answer.status in (403, 415)
        assert nothing_was_done(pages)


@pytest.mark.parametrize("mark", ["", "0" * 64, "another"])
async def test_a_form_that_is_not_of_ours_changes_nothing(tmp_path: Path, mark: str) -> None:
    async with open_pages(tmp_path) as pages:
        browser, other = pages.browser(), pages.browser()
        await browser.get("/talk")
        await other.get("/talk")
        told = other.mark if mark == "another" else mark
        answer = await browser.post("/talk/say", {"text": "turn on old friend", "mark": told})
        assert answer.status == 403
        assert WORDS.say("refused.mark", "en") in answer.text
        assert nothing_was_done(pages)


async def test_what_changes_something_is_never_done_by_a_link(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        for path in ("/talk/say?text=turn+on+old+friend", "/talk/undo?line=1", "/logout"):
            assert (await browser.get(path)).status in (404, 405)
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "NONSENSE"):
            assert (await browser._ask(method, "/talk/say")).status == 405
        assert nothing_was_done(pages)


async def test_a_link_from_elsewhere_shows_nothing_and_signs_nobody_out(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        await browser.get("/talk")
        stranger = pages.browser()
        answer = await stranger.get("/talk", {"Sec-Fetch-Site": "cross-site"})
    assert answer.status == 403
    assert "set-cookie" not in answer.headers
    assert 'name="mark"' not in answer.text


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example:4327", "a b", "[::"]
)
async def test_a_name_that_was_made_to_lead_here_leads_nowhere(tmp_path: Path, host: str) -> None:
    async with open_pages(tmp_path) as pages:
        answer = await pages.browser().get("/talk", {"Host": host} if host else {"Host": " "})
        assert answer.status in (400, 421)
        assert 'name="mark"' not in answer.text


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1:4327", "[::1]:4327", "192.168.1.20", socket.gethostname(), "Pi.lan"]
)
async def test_this_machine_is_known_by_its_names(tmp_path: Path, host: str) -> None:
    async with open_pages(tmp_path, replace(SETTINGS, names=("pi.lan",))) as pages:
        assert (await pages.browser().get("/talk", {"Host": host})).status == 200


def hostile_home() -> HomeConfig:
    """Two lamps of the same evil name, and one whose payloads are."""
    lamps = tuple(
        Entity(
            name,
            "device",
            (ATTRIBUTE if name != "calm" else "calm lamp",),
            type="light",
            capabilities=(STANDARD["on_off"],),
            address=Address("plain", f"home/{SCRIPT}/{name}"),
        )
        for name in ("one", "two", "calm")
    )
    return HomeConfig(lamps, simulation=Simulation())


async def test_script_in_a_device_name_is_a_name(tmp_path: Path) -> None:
    async with open_pages(tmp_path, home=hostile_home()) as pages:
        browser = pages.browser()
        await browser.get("/talk")
        for text in (f"turn on {ATTRIBUTE}", "turn on the light", "which lights are on", "turn on the calm lamp"):
            await browser.post("/talk/say", {"text": text})
        texts = [(await browser.get("/talk")).text]
        texts += [(await browser.get(f"/talk/{number}")).text for number in range(1, 5)]
    assert all(harmless(text) for text in texts)
    assert any("&lt;img src=x" in text for text in texts[1:])
    assert any("home/&lt;script&gt;" in text for text in texts[1:]), "the topic that was written to"


async def test_script_in_a_payload_is_a_value(tmp_path: Path) -> None:
    async with open_pages(tmp_path, home=hostile_home()) as pages:
        broker = pages.house.broker
        assert isinstance(broker, MemoryBroker)
        browser = pages.browser()
        await browser.get("/talk")
        for payload in (SCRIPT, json.dumps({"state": SCRIPT}), ATTRIBUTE):
            broker.take(Publication(f"home/{SCRIPT}/calm", payload.encode()))
            await browser.post("/talk/say", {"text": "is the calm lamp on"})
        texts = [(await browser.get("/talk")).text]
        texts += [(await browser.get(f"/talk/{number}")).text for number in range(1, 4)]
    assert all(harmless(text) for text in texts)


@pytest.mark.parametrize(
    "text", [SCRIPT, ATTRIBUTE, "{{ 7 * 7777 }}", "turn on {mark}", "</bdi></li></ol><h1>x", "\u202etxet"]
)
async def test_script_in_a_sentence_is_a_sentence(tmp_path: Path, text: str) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        await browser.get("/talk")
        part = await browser.post("/talk/say", {"text": text}, PART)
        page = await browser.get("/talk")
        story = await browser.get("/talk/1")
    assert part.status == page.status == 200
    assert all(harmless(item.text) for item in (page, story))
    assert "<h1>x" not in part.text + page.text + story.text
    assert "54439" not in page.text
    assert part.headers["content-type"].startswith("text/plain"), "by itself it is no page"


def harmless(text: str) -> bool:
    """Whether nothing in a page was made by what was said or named."""
    return text.count("<script") == 1 and "<img src=x" not in text and "</bdi></li></ol><h1>" not in text


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e/%2e%2e/home/secrets.py",
        "/static/....//server.py",
        "/static//etc/passwd",
        "/static/..\\server.py",
        "/static/\x00",
        "/talk/../../etc/passwd",
        "//etc/passwd",
        "/static/",
        "/static",
    ],
)
async def test_no_path_leads_out_of_what_is_served(tmp_path: Path, path: str) -> None:
    async with open_pages(tmp_path) as pages:
        async with asyncio.timeout(SOON_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", pages.port)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            answer = await reader.read()
            writer.close()
            await writer.wait_closed()
    assert answer.split(b" ")[1] in (b"400", b"404", b"405")
    assert b"import" not in answer
    assert b"root:" not in answer


async def test_too_much_is_refused_before_it_is_kept(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        await browser.get("/talk")
        assert (await browser.post("/talk/say", {"text": "x" * MOST_BYTES})).status == 413
        assert (await browser.post("/talk/say", {f"f{n}": "" for n in range(200)})).status == 400
        endless = b"POST /talk/say HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n%s\r\n\r\n" % FORM
        async with asyncio.timeout(SOON_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", pages.port)
            writer.write(endless)
            chunk = b"4000\r\n" + b"x" * 0x4000 + b"\r\n"
            for _ in range(MOST_BYTES // 0x4000 + 1):
                writer.write(chunk)
            assert b" 413 " in await reader.readline()
            writer.close()
            await writer.wait_closed()
            reader, writer = await asyncio.open_connection("127.0.0.1", pages.port)
            writer.write(b"GET /talk HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 1_000_000 + b"\r\n\r\n")
            assert b" 400 " in await reader.readline()
            writer.transport.abort()
        assert (await browser.get("/talk")).status == 200
        assert nothing_was_done(pages)


@pytest.mark.parametrize(
    "beginning",
    [
        b"",
        b"GET /talk HTTP/1.1\r\nHost: loc",
        b"POST /talk/say HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n%s\r\n\r\ntext=turn+on" % FORM,
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /he",
    ],
)
async def test_who_is_slow_to_ask_is_cut_off(tmp_path: Path, beginning: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often something more comes."""
    monkeypatch.setattr(connection, "ASKING_S", 0.2)
    monkeypatch.setattr(server, "_KEPT_ALIVE_S", 1)
    async with open_pages(tmp_path) as pages, asyncio.timeout(SOON_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", pages.port)
        writer.write(beginning)

        async def drip() -> None:
            while True:
                await asyncio.sleep(0.05)
                writer.write(b"x")

        dripping = asyncio.create_task(drip())
        with contextlib.suppress(ConnectionError):
            while await reader.read(1000):
                pass
        dripping.cancel()
        writer.transport.abort()
        assert (await pages.browser().get("/talk")).status == 200
        assert nothing_was_done(pages)


async def test_a_thousand_sockets_keep_nobody_else_out(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        async with pages.idlers(1000):
            browser = pages.browser()
            assert (await browser.get("/talk")).status == 200
            assert (await browser.post("/talk/say", {"text": "turn on old friend"}, PART)).status == 200
        assert pages.house.simulated.received


async def test_without_the_token_nothing_is_shown_and_nothing_is_done(tmp_path: Path) -> None:
    async with open_pages(tmp_path, locked(tmp_path)) as pages:
        browser = pages.browser()
        for path in ("/", "/talk", "/talk/1", "/metrics", "/nothing"):
            answer = await browser.get(path)
            assert (answer.status, answer.headers.get("location")) == (303, "/login")
            assert (await browser.get(path, PART)).status == 401
        await browser.get("/login")
        assert (await browser.post("/talk/say", {"text": "turn on old friend"})).status == 401
        assert (await browser.get("/healthz")).status == 200
        assert nothing_was_done(pages)


async def test_with_the_token_one_is_in_until_one_leaves(tmp_path: Path) -> None:
    async with open_pages(tmp_path, locked(tmp_path)) as pages:
        browser = pages.browser()
        await browser.get("/login")
        outside = dict(browser.cookies)
        wrong = await browser.post("/login", {"token": "wrong horse battery staple"})
        assert wrong.status == 401
        assert WORDS.say("login.wrong", "en") in wrong.text
        right = await browser.post("/login", {"token": TOKEN})
        assert (right.status, right.headers["location"]) == (303, "/")
        assert browser.cookies != outside, "what was known before is of no use now"
        assert {"httponly", "samesite=strict"} <= {
            item.strip().casefold() for item in right.headers["set-cookie"].split(";")
        }
        assert (await browser.get("/talk")).status == 200
        assert (await browser.post("/talk/say", {"text": "turn on old friend"}, PART)).status == 200
        assert (await browser.post("/logout")).status == 303
        assert (await browser.get("/talk")).status == 303


async def test_a_program_shows_the_token_with_each_request(tmp_path: Path) -> None:
    async with open_pages(tmp_path, locked(tmp_path)) as pages:
        browser = Browser(pages.port)
        right, wrong = {"Authorization": f"Bearer {TOKEN}"}, {"Authorization": "Bearer of bad news"}
        assert "hearken_uptime" in (await browser.get("/metrics", right)).text
        assert (await browser.post("/talk/say", {"text": "turn on old friend"}, {**right, "Origin": ""})).status == 303
        assert (await browser.get("/metrics", wrong)).status == 401
        assert browser.cookies == {}
        assert (await browser.get("/metrics")).status == 303


async def test_guessing_is_slowed_down_though_the_last_guess_is_right(tmp_path: Path) -> None:
    async with open_pages(tmp_path, locked(tmp_path)) as pages:
        browser = pages.browser()
        await browser.get("/login")
        for number in range(5):
            assert (await browser.post("/login", {"token": f"guess {number}"})).status == 401
        late = await browser.post("/login", {"token": TOKEN})
        assert late.status == 429
        assert int(late.headers["retry-after"]) >= 1
        assert (await browser.get("/metrics", {"Authorization": f"Bearer {TOKEN}"})).status == 429
        assert (await browser.get("/talk")).status == 303


def test_each_wrong_guess_doubles_the_wait_of_its_network_alone() -> None:
    now = [0.0]
    guesses = Guesses(lambda: now[0])
    waits = []
    for _ in range(20):
        guesses.wrong("2001:db8::1")
        waits.append(guesses.wait_s("2001:db8::ffff"))
    assert waits[:4] == [0, 0, 0, 0]
    assert waits[4:7] == [2, 4, 8]
    assert waits[-1] == 300
    assert guesses.wait_s("2001:db8:0:1::1") == 0
    assert guesses.wait_s("192.168.1.2") == 0
    now[0] = 300
    assert guesses.wait_s("2001:db8::1") == 0
    guesses.right("2001:db8::2")
    guesses.wrong("2001:db8::1")
    assert guesses.wait_s("2001:db8::1") == 0


def test_however_many_peers_guess_no_more_is_kept() -> None:
    guesses = Guesses(lambda: 0.0)
    for number in range(5000):
        guesses.wrong(f"10.0.{number // 256}.{number % 256}")
    assert len(guesses._peers) == 1000


def test_a_cookie_that_was_changed_or_is_old_is_none() -> None:
    now = [1_000_000.0]
    sessions = Sessions(Secret(TOKEN), lambda: now[0])
    outside = sessions.begin()
    cookie = sessions.cookie(outside)
    assert sessions.known(cookie) == outside
    assert not outside.inside
    name, began, _, mark = cookie.split(".")
    for changed in (f"{name}.{began}.1.{mark}", f"{name}.{began}.0.{'0' * 64}", "", "....", "a.b.c.d", f"{cookie}é"):
        assert sessions.known(changed) is None
    assert Sessions(Secret(TOKEN), lambda: now[0]).known(cookie) == outside, "a restart signs nobody out"
    assert Sessions(Secret(TOKEN + "!"), lambda: now[0]).known(cookie) is None, "another token signs all out"
    assert Sessions(None).known(cookie) is None
    now[0] += 31 * 24 * 3600
    assert sessions.known(cookie) is None
