"""The page of how Hearken does: what works, who is there, what became of what was said."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from daemon.console.server import Console
from daemon.core.values import replace
from daemon.hear.tally import Tally
from tests.console.pages import SETTINGS, SOON_S, WORDS, Browser, open_pages, text_of
from tests.console.test_console_history import DAY, entry, outcome, with_log

SCRIPT = "<script>alert(1)</script>"


@dataclass
class Place:
    there: bool
    listens: bool
    tally: Tally = field(default_factory=Tally)


@pytest.mark.parametrize("lang", WORDS.languages)
async def test_how_it_does_is_told(tmp_path: Path, lang: str) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        before = await browser.get(f"/health?lang={lang}")
        for _ in range(3):
            await pages.turns.handle({"op": "text", "text": "turn on old friend"})
        page = await browser.get("/health")
        pages.house.broker.go_down()
        later = await browser.get("/health")
    assert WORDS.say("health.silent", lang) in text_of(before)
    assert WORDS.say("health.connected", lang) in text_of(page)
    assert re.search(r'<polyline points="0,[\d.]+ 1,[\d.]+ 2,[\d.]+"/>', page.text)
    assert re.search(r"\d+ MiB", text_of(page))
    assert WORDS.say("health.away", lang) in text_of(later)


@pytest.mark.parametrize("lang", WORDS.languages)
async def test_satellites_are_told_with_whether_they_are_there(tmp_path: Path, lang: str) -> None:
    places = {"kitchen": Place(there=True, listens=True), f"{SCRIPT}hall": Place(there=False, listens=False)}
    places["kitchen"].tally.woken()
    places["kitchen"].tally.vain()
    async with (
        open_pages(tmp_path) as pages,
        Console(SETTINGS, replace(pages.view, places=places)).running() as port,
    ):
        page = await Browser(port).get(f"/health?lang={lang}")
    there, listens, gone = (WORDS.say(f"health.{key}", lang) for key in ("there", "listens", "gone"))
    wakes = WORDS.say("health.wakes", lang, n=1, vain=1)
    assert f"kitchen {there} · {listens} · {wakes}" in text_of(page)
    assert f"{SCRIPT}hall {gone}" in text_of(page)
    assert page.text.count("<script") == page.text.count('<script src="/static/')


async def test_what_became_of_what_was_asked_is_drawn_by_day(tmp_path: Path) -> None:
    entries = [entry("x", outcome("kettle")) for _ in range(3)] + [entry("x", outcome("kettle", "failed"))]
    async with with_log(tmp_path, *entries, apart_s=1) as pages:
        pages.house.time.wall = DAY + 60
        page = await pages.browser().get("/health?lang=en")
    assert re.findall(r'<rect class="bar-(\w+)" x="315.0" y="([\d.]+)" width="18" height="([\d.]+)"', page.text) == [
        ("done", "25.0", "75.0"),
        ("failed", "0.0", "25.0"),
    ]
    assert re.search(r'<a href="/history\?day=[\d-]+">', page.text)


async def test_the_doctor_looks_at_everything_when_it_is_asked(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        first = await browser.get("/health?lang=en")
        refused = await browser.post("/health/examine", {"mark": ""})
        async with pages.feed(browser, "/health/events", 4 * SOON_S) as feed:
            await feed.readuntil(b"\n\n")  # what it says now
            begun = await browser.post("/health/examine")
            looking = await browser.get("/health")
            told = (await feed.readuntil(b"\n\n")).decode()
        page = await browser.get("/health")
    assert WORDS.say("health.takes", "en") in text_of(first)
    assert refused.status == 403
    assert (begun.status, begun.headers["location"]) == (303, "/health#doctor")
    assert WORDS.say("health.looks", "en") in text_of(looking)
    assert 'id="doctor"' in told
    assert re.search(r"python well 3\.", text_of(page))
    assert re.search(r"home does not work .*devices.yaml", text_of(page))  # this home has no file
