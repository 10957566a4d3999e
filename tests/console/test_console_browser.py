"""Talk as people use it: in a real browser, at the size of a phone and of a desk, in every language."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.console.pages import SOON_S, WORDS, open_pages

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.slow
PHONE, DESK = (390, 844), (1280, 800)
SAID = {"en": ("turn on old friend", "turn on the desk lamp"), "zh": ("打开老伙计", "打开台灯")}


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A browser; skips the test where there is none."""
    playwright = pytest.importorskip("playwright.async_api", reason="playwright isn't installed")
    if CHROMIUM is None:
        pytest.skip("there is no chromium here: apt-get install chromium")
    async with playwright.async_playwright() as engine:
        browser = await engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


@asynccontextmanager
async def opened(browser: Browser, port: int, lang: str, size: tuple[int, int]) -> AsyncIterator[Page]:
    """The first page; nothing that a browser complains of passes."""
    context = await browser.new_context(viewport={"width": size[0], "height": size[1]}, locale=lang)
    context.set_default_timeout(SOON_S * 1000)
    page, complaints = await context.new_page(), list[str]()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    await page.goto(f"http://127.0.0.1:{port}/")
    yield page
    assert complaints == []
    await context.close()


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("lang", SAID)
async def test_one_talks_answers_by_a_button_looks_and_takes_back(
    tmp_path: Path, lang: str, size: tuple[int, int]
) -> None:
    first, second = SAID[lang]
    async with (
        chromium() as browser,
        open_pages(tmp_path) as pages,
        opened(browser, pages.port, lang, size) as page,
    ):
        lines = page.locator("#talk > li")
        assert await page.locator("h1").inner_text() == WORDS.say("talk.title", lang)
        await page.locator("#text").press_sequentially(first)
        await page.keyboard.press("Enter")
        await lines.nth(0).locator("summary").click()
        await lines.nth(0).locator(".steps").wait_for()
        assert WORDS.say("talk.stage.verify", lang) in await lines.nth(0).inner_text()
        await page.locator("#text").press_sequentially(second)
        await page.keyboard.press("Enter")
        await lines.nth(1).locator(".answers button").first.click()
        await lines.nth(2).wait_for()
        assert await page.locator(".answers").count() == 0
        assert await lines.nth(0).locator(".steps").count() == 1, "what was opened stays so"
        assert pages.house.simulated.received[-1][0] == "bedroom_desk_lamp"
        await lines.nth(2).get_by_role("button", name=WORDS.say("talk.undo", lang)).click()
        await lines.nth(3).wait_for()
        assert pages.house.simulated.received[-1] == ("bedroom_desk_lamp", {"state": "off"})
        assert await page.evaluate("document.documentElement.scrollWidth") == size[0], "nothing sticks out"
        assert await lines.count() == 4, "each line is shown once"


async def test_script_that_is_said_is_shown_and_never_run(tmp_path: Path) -> None:
    async with (
        chromium() as browser,
        open_pages(tmp_path) as pages,
        opened(browser, pages.port, "en", PHONE) as page,
    ):
        said = "<img src=x onerror=document.title='mine'><script>document.title='mine'</script>"
        await page.fill("#text", said)
        await page.keyboard.press("Enter")
        assert await page.locator(".said bdi").inner_text() == said
        await page.locator("summary").click()
        await page.locator(".steps").wait_for()
        assert await page.locator("#talk img").count() == 0
        assert "mine" not in await page.title()
