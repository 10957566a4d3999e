"""The page of what is kept: what waits, with what is left of it; what is cancelled; what is on lists."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.console.pages import WORDS, Answer, Pages, open_pages, text_of

SCRIPT = "<script>alert(1)</script>"
KEPT = {
    "en": (
        "set a pasta timer for ten minutes",
        "turn off the hall light at ten pm",
        "turn on the hall light when the front door opens",
        "never open the garage door",
    ),
    "zh": ("定一个十分钟的面条计时器", "晚上十点关掉门厅灯", "大门打开的时候打开门厅灯", "永远不要打开车库门"),
}


async def say(pages: Pages, text: str, lang: str) -> None:
    result = await pages.turns.handle({"op": "text", "text": text, "lang": lang})
    assert result["outcome"] in ("assistant", "schedule"), result


def listed(pages: Pages, name: str) -> list[str]:
    return list(pages.house.opened.later.lists.contents[name])


def numbers(page: Answer) -> list[str]:
    return re.findall(r'href="/later/(\d+)"', page.text)


@pytest.mark.parametrize("lang", WORDS.languages)
async def test_what_is_kept_stands_by_its_sort_with_what_is_left(tmp_path: Path, lang: str) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        empty = await browser.get(f"/later?lang={lang}")
        for text in KEPT[lang]:
            await say(pages, text, lang)
        pages.house.time.wait(60.0)
        page = await browser.get("/later")
    assert WORDS.say("later.nothing", lang) in text_of(empty)
    told = text_of(page)
    for sort in ("timer", "time", "rule", "ban"):
        assert WORDS.say(f"later.sort.{sort}", lang) in told
    assert 0 < float(re.findall(r'data-left="([\d.]+)"', page.text)[0]) <= 540
    assert "2026-11-21 22:00:00 7:34:00" in told
    assert len(numbers(page)) == len(KEPT[lang])


async def test_what_is_cancelled_is_shown_first_and_gone_then(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        await say(pages, KEPT["en"][0], "en")
        [number] = numbers(await browser.get("/later?lang=en"))
        shown = await browser.get(f"/later/{number}")
        assert "pasta" in text_of(shown)
        assert (await browser.post(f"/later/{number}/cancel", {"mark": "x"})).status == 403
        assert len(pages.house.opened.later.agenda) == 1
        assert (await browser.post(f"/later/{number}/cancel")).status == 303
        assert len(pages.house.opened.later.agenda) == 0
        gone = await browser.post(f"/later/{number}/cancel")
        assert gone.status == 404
        assert WORDS.say("refused.gone", "en") in text_of(gone)
        assert (await browser.get(f"/later/{number}")).status == 404


async def test_a_page_that_is_open_is_told_what_is_kept_now(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        await browser.get("/later?lang=en")
        async with pages.feed(browser, "/later/events") as feed:
            before = (await feed.readuntil(b"\n\n")).decode()  # it may have changed since the page was made
            await say(pages, KEPT["en"][0], "en")
            told = (await feed.readuntil(b"\n\n")).decode()
    assert '<div id="kept">' in before
    assert "data-left" not in before
    assert '<div id="kept">' in told
    assert re.search(r'data-left="(600|5\d\d)\.\d"', told)


@pytest.mark.parametrize("lang", WORDS.languages)
async def test_lists_are_changed_the_way_of_what_is_said(tmp_path: Path, lang: str) -> None:
    async with open_pages(tmp_path) as pages:
        browser, lists = pages.browser(), pages.house.opened.later.lists
        await browser.get(f"/later?lang={lang}")
        for item in ("oat milk", "面条"):
            added = await browser.post("/later/add", {"list": "shopping", "item": item})
            assert (added.status, added.headers["location"].partition("#")[0]) == (303, "/later")
        assert listed(pages, "shopping") == ["oat milk", "面条"]
        assert (await browser.post("/later/remove", {"list": "shopping", "item": "oat milk"})).status == 303
        assert listed(pages, "shopping") == ["面条"]
        assert (await browser.post("/later/make", {"list": "Camping"})).status == 303
        assert (await browser.post("/later/add", {"list": "Camping", "item": "tent"})).status == 303
        assert "tent" in text_of(await browser.get("/later"))
        shown = await browser.get("/later/really?drop&list=Camping")
        assert "tent" in text_of(shown)
        assert (await browser.post("/later/drop", {"list": "Camping"})).status == 303
        assert "Camping" not in lists.contents
        assert (await browser.post("/later/clear", {"list": "shopping"})).status == 303
        assert listed(pages, "shopping") == []


async def test_what_a_list_does_not_take_is_refused_in_the_words_that_are_spoken(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser, lists = pages.browser(), pages.house.opened.later.lists
        await browser.get("/later?lang=en")
        long = await browser.post("/later/add", {"list": "shopping", "item": "x" * 121})
        absent = await browser.post("/later/remove", {"list": "shopping", "item": "milk"})
        unknown = await browser.post("/later/remove", {"list": "nobody's", "item": "milk"})
        empty = await browser.post("/later/add", {"list": "shopping", "item": "\u200b "})
        for change in ("add", "remove", "make", "clear", "drop"):
            forged = await browser.post(f"/later/{change}", {"list": "todo", "item": "x", "mark": ""})
            assert forged.status == 403
        assert [items for items in lists.contents.values() if items] == []
    assert [page.status for page in (long, absent, unknown, empty)] == [409, 409, 404, 409]
    assert "too long" in text_of(long)


async def test_what_people_wrote_is_no_part_of_the_page(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser, name = pages.browser(), f'"{SCRIPT}'
        await browser.get("/later?lang=en")
        await browser.post("/later/make", {"list": name})
        await browser.post("/later/add", {"list": name, "item": SCRIPT})
        shown = [await browser.get(path) for path in ("/later", f"/later/really?clear&list={quote(name)}")]
    for page in shown:
        assert page.text.count("<script") == page.text.count('<script src="/static/')
        assert SCRIPT in text_of(page)
