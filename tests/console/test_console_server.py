"""The pages on a real socket: what is served, in which language, and what programs are told."""

import asyncio
import logging
from pathlib import Path

import pytest

from daemon.console.server import Console
from daemon.core.values import replace
from daemon.home.config import Console as Settings
from daemon.home.config import PasswordSource, Server
from tests.console.pages import SETTINGS, SOON_S, WORDS, open_pages


async def test_the_first_page_is_the_first_of_the_navigation(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        first = await browser.get("/")
        assert (first.status, first.headers["location"]) == (303, "/talk")
        page = await browser.get("/talk")
    assert page.status == 200
    assert 'aria-current="page"' in page.text


@pytest.mark.parametrize("lang", WORDS.languages)
async def test_a_page_speaks_the_language_that_its_reader_wants(tmp_path: Path, lang: str) -> None:
    title = f"<h1>{WORDS.say('talk.title', lang)}</h1>"
    async with open_pages(tmp_path) as pages:
        accepted = await pages.browser().get("/talk", {"Accept-Language": f"xx, {lang}-XX;q=0.8, *;q=0.1"})
        chosen = pages.browser()
        await chosen.get(f"/talk?lang={lang}")
        later = await chosen.get("/talk", {"Accept-Language": ",".join(set(WORDS.languages) - {lang})})
    for page in (accepted, later):
        assert title in page.text
        assert f'<html lang="{lang}">' in page.text


async def test_no_page_holds_script_or_style_and_a_browser_would_run_none(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        page = await pages.browser().get("/talk")
    policy = dict(item.strip().split(" ", 1) for item in page.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert page.text.count("<script") == page.text.count('<script src="/static/')
    assert "<style" not in page.text
    assert " style=" not in page.text


async def test_programs_are_told_how_it_does_without_a_name_or_a_sentence(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        await pages.turns.handle({"op": "text", "text": "turn on old friend"})
        await pages.turns.handle({"op": "text", "text": "blurb the flimsy"})
        health = await pages.browser().get("/healthz")
        told = (await pages.browser().get("/metrics")).text
        pages.house.broker.go_down()
        later = (await pages.browser().get("/metrics")).text
    assert health.text == '{"status":"ok","broker":"connected"}'
    assert 'hearken_utterances_total{outcome="execute",source="grammar"} 1.0' in told
    assert 'hearken_acts_total{status="done"} 1.0' in told
    assert 'hearken_stage_seconds_count{stage="total"} 2.0' in told
    assert "hearken_broker_connected 1.0" in told
    assert "hearken_broker_connected 0.0" in later
    for word in ("old", "friend", "flimsy", "living"):
        assert word not in told.casefold().replace("thresholds", "")


async def test_a_port_that_is_taken_is_told_once_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_pages(tmp_path) as pages:
        taken = Settings(Server("127.0.0.1", pages.port))
        with caplog.at_level(logging.INFO):
            async with asyncio.timeout(SOON_S):
                await Console(taken, pages.view).serve()
        assert (await pages.browser().get("/talk")).status == 200
    [record] = [item for item in caplog.records if item.name == "daemon.console.server"]
    assert f"127.0.0.1:{pages.port} can't be served (Address already in use)" in record.getMessage()


@pytest.mark.parametrize("missing", ["certificate", "token", "longer token"])
async def test_without_what_makes_it_safe_nothing_is_served(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, missing: str
) -> None:
    (tmp_path / "short").write_text("password123", encoding="utf-8")
    wrong = {
        "certificate": replace(SETTINGS, certificate=tmp_path / "none.pem", key=tmp_path / "none.key"),
        "token": replace(SETTINGS, token=PasswordSource(file=tmp_path / "none")),
        "longer token": replace(SETTINGS, token=PasswordSource(file=tmp_path / "short")),
    }[missing]
    async with open_pages(tmp_path) as pages, asyncio.timeout(SOON_S):
        await Console(wrong, pages.view).serve()
    assert "there is no console" in caplog.text
    assert "Traceback" not in caplog.text
    assert "password123" not in caplog.text
