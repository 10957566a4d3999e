"""The page of what was done and refused: filtered, looked through, one page after the other, taken along."""

import csv
import io
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest

from daemon.act.audit import Audit, Entry
from daemon.core.outcomes import Observation, Outcome, Status, Write
from daemon.core.result import Occasion
from tests.console.pages import WORDS, Answer, Pages, open_pages, text_of

SCRIPT = "<script>alert(1)</script>"
DAY = 1_795_000_000.0
"""A moment in November 2026."""


def outcome(device: str, status: Status = "done", seen: str | None = "on") -> Outcome:
    write = Write(device, "state", "on", "turn_on")
    evidence = None if seen is None else Observation(device, "state", seen, "reply", 0.1, "topic")
    return Outcome(write, status, "" if status == "done" else "no_answer", evidence, published=(("t/set", "ON"),))


def entry(said: str, *outcomes: Outcome) -> Entry:
    return Entry(Occasion(said, "en", "kitchen", "ann", "grammar"), "sure", outcomes, refused=not outcomes)


@asynccontextmanager
async def with_log(folder: Path, *entries: Entry, apart_s: float = 60.0) -> AsyncIterator[Pages]:
    """Pages of a home where this was done, one thing after the other."""
    at = iter(range(1_000_000))
    audit = Audit(folder / "audit.db", keep_days=36_500, clock=lambda: DAY + apart_s * next(at))
    async with open_pages(folder, audit=audit) as pages:
        for item in entries:
            audit.record(item)
        await audit.flush()
        yield pages


def said(page: Answer) -> list[str]:
    return re.findall(r"<td><bdi>(.*?)</bdi></td>", page.text)


@pytest.mark.parametrize("lang", WORDS.languages)
async def test_what_was_done_is_told_with_its_proof(tmp_path: Path, lang: str) -> None:
    entries = (
        entry("turn it on", outcome("old_friend")),
        entry("and that", outcome("kettle", "unconfirmed", None)),
        entry("open it"),
    )
    async with with_log(tmp_path, *entries) as pages:
        page = await pages.browser().get(f"/history?lang={lang}")
        kettle = pages.house.opened.inventory.registry["kettle"].name(lang)
    told = text_of(page)
    assert said(page) == ["open it", "and that", "turn it on"]
    assert kettle in told
    assert "state = on" in told
    for key in ("history.source.reply", "history.unseen", "talk.status.unconfirmed", "talk.status.refused"):
        assert WORDS.say(key, lang) in told


async def test_only_what_is_looked_for_is_shown(tmp_path: Path) -> None:
    entries = (
        entry("turn on the lamp", outcome("old_friend")),
        entry("打开水壶", outcome("kettle", "failed")),
        entry("100% sure", outcome("kettle")),
    )
    async with with_log(tmp_path, *entries, apart_s=24 * 3600) as pages:
        browser, clock = pages.browser(), pages.house.opened.later.clock

        async def found(**given: str) -> list[str]:
            page = await browser.get(f"/history?{urlencode(given)}")
            assert page.status == 200
            return said(page)

        assert await found(device="Kettle") == ["100% sure", "打开水壶"]
        assert await found(device="kettle", outcome="failed") == ["打开水壶"]
        assert await found(q="水壶") == ["打开水壶"]
        assert await found(q="LAMP") == ["turn on the lamp"]
        assert await found(q="%") == ["100% sure"]
        assert await found(q="_n t_e") == []
        assert await found(outcome="' OR 1=1 --") == ["100% sure", "打开水壶", "turn on the lamp"]
        assert await found(device="' OR 1=1 --") == []
        days = [clock.today(row["at"]).isoformat() for row in await Audit(tmp_path / "audit.db").rows()]
        assert [await found(day=day) for day in days] == [["100% sure"], ["打开水壶"], ["turn on the lamp"]]
        assert (await browser.get("/history?day=soon")).status == 400
        assert (await browser.get("/history?before=x")).status == 200


async def test_one_page_follows_the_other_and_none_is_lost(tmp_path: Path) -> None:
    entries = [entry(f"number {number}", outcome("kettle")) for number in range(120)]
    async with with_log(tmp_path, *entries) as pages:
        browser, path, found = pages.browser(), "/history?q=number", list[str]()
        sizes = []
        while path:
            page = await browser.get(path)
            sizes.append(len(said(page)))
            found += said(page)
            older = re.search(r'href="(/history\?[^"]*before=\d+)"', page.text)
            path = older[1].replace("&amp;", "&") if older else ""
    assert sizes == [50, 50, 20]
    assert found == [f"number {number}" for number in reversed(range(120))]


async def test_all_of_it_is_taken_along_and_never_held_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [entry(f"number {number}", outcome("kettle")) for number in range(1_100)]
    most, rows = 0, Audit.rows

    async def counted(self: Audit, **wanted: object) -> list[dict[str, object]]:
        nonlocal most
        found = await rows(self, **wanted)  # type: ignore[arg-type]  # as it was called
        most = max(most, len(found))
        return found

    monkeypatch.setattr(Audit, "rows", counted)
    async with with_log(tmp_path, *entries[:900]) as pages:
        for item in entries[900:]:
            pages.house.opened.inventory.audit.record(item)  # type: ignore[union-attr]  # there is one
        await pages.house.opened.inventory.audit.flush()  # type: ignore[union-attr]
        browser = pages.browser()
        lines = (await browser.get("/history/acts.jsonl?device=kettle")).text.splitlines()
        table = await browser.get("/history/acts.csv?q=number+10")
    assert [json.loads(line)["said"] for line in lines] == [f"number {n}" for n in reversed(range(1_100))]
    assert json.loads(lines[0])["seen"]["value"] == "on"
    assert "attachment" in table.headers["content-disposition"]
    assert len(list(csv.DictReader(io.StringIO(table.text)))) == 1 + 10 + 100
    assert most <= 500


async def test_what_was_said_is_no_part_of_the_page_and_no_formula(tmp_path: Path) -> None:
    bad = outcome(SCRIPT, seen=SCRIPT)
    async with with_log(tmp_path, entry(SCRIPT, bad), entry("=1+1", bad), entry("@x", bad)) as pages:
        browser = pages.browser()
        page = await browser.get("/history?q=&device=%22%3E%3Cscript%3E")
        shown = await browser.get("/history")
        table = await browser.get("/history/acts.csv")
    for one in (page, shown):
        assert one.text.count("<script") == one.text.count('<script src="/static/')
    assert SCRIPT in text_of(shown)
    assert [row["said"] for row in csv.DictReader(io.StringIO(table.text))] == ["'@x", "'=1+1", SCRIPT]


@pytest.mark.parametrize("lang", WORDS.languages)
async def test_where_no_log_is_kept_that_is_said(tmp_path: Path, lang: str) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        page = await browser.get(f"/history?lang={lang}")
        assert (await browser.get("/history/acts.csv")).status == 404
    assert WORDS.say("history.off", lang) in text_of(page)
