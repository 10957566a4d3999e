"""The pages beside Talk as people see them: in a real browser, at the size of a phone and of a desk."""

import re
from pathlib import Path

import pytest

from daemon.act.audit import Audit
from daemon.console.pages import PAGES
from daemon.console.rooms import mark
from tests.console.pages import WORDS, open_pages
from tests.console.test_console_browser import DESK, PHONE, chromium, opened

pytestmark = pytest.mark.slow
FOUND = "[data-words]:not([hidden])"


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("lang", WORDS.languages)
async def test_every_page_fits_and_a_browser_has_nothing_against_it(
    tmp_path: Path, lang: str, size: tuple[int, int]
) -> None:
    paths = [*(f"/{name}" for name in PAGES), f"/home/{mark('old_friend')}", "/home/settle"]
    async with (
        chromium() as browser,
        open_pages(tmp_path, audit=Audit(tmp_path / "audit.db")) as pages,
        opened(browser, pages.port, lang, size) as page,
    ):
        for text in ("turn on old friend", "set a pasta timer for ten minutes", "add oat milk to the shopping list"):
            await pages.turns.handle({"op": "text", "text": text})
        for path in paths:
            await page.goto(f"http://127.0.0.1:{pages.port}{path}")
            assert await page.evaluate("document.documentElement.scrollWidth") <= size[0], path
            assert await page.locator("h1").count() == 1, path


async def test_the_home_is_searched_while_one_types_and_follows_its_devices(tmp_path: Path) -> None:
    async with (
        chromium() as browser,
        open_pages(tmp_path) as pages,
        opened(browser, pages.port, "en", DESK) as page,
    ):
        await page.goto(f"http://127.0.0.1:{pages.port}/home")
        await page.fill("#q", "KITCHEN light")
        names = await page.locator(f"{FOUND} a").all_text_contents()
        await page.fill("#q", "nothing of that kind")
        none = await page.locator("#none").is_visible()
        await page.fill("#q", "")
        state = page.locator(f"#{mark('old_friend')}")
        before = await state.inner_text()
        await pages.turns.handle({"op": "text", "text": "turn on old friend"})
        await page.locator(f"#{mark('old_friend')}", has_text=re.compile(r"^\s*on")).wait_for()
    assert names == ["Kitchen ceiling light", "Counter light"]
    assert none
    assert before.startswith("off")


async def test_a_timer_that_is_set_appears_and_runs_down(tmp_path: Path) -> None:
    async with (
        chromium() as browser,
        open_pages(tmp_path) as pages,
        opened(browser, pages.port, "en", PHONE) as page,
    ):
        await page.goto(f"http://127.0.0.1:{pages.port}/later")
        await pages.turns.handle({"op": "text", "text": "set a pasta timer for ten minutes"})
        left = page.locator("[data-left]")
        await left.wait_for()
        first = await left.inner_text()
        await page.wait_for_function("first => document.querySelector('[data-left]').textContent < first", arg=first)
    assert re.fullmatch(r"0:(10:00|09:\d\d)", first)
