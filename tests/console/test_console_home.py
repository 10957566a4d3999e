"""The page of the home: what there is, how it is, what it is called; names are taught and taken back."""

import html
import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from daemon.act.audit import Audit
from daemon.console.rooms import mark
from daemon.console.server import Console
from daemon.core.entities import Entity
from daemon.core.values import replace
from daemon.home.config import HomeConfig
from daemon.home.loader import load_home
from daemon.home.verbs import ACTIONS
from daemon.mqtt.bus import Publication
from tests.console.pages import SETTINGS, WORDS, Answer, Browser, Pages, open_pages, text_of
from tests.conversations.house import home_of

FRIEND = f"/home/{mark('old_friend')}"
LOCK = f"/home/{mark('front_door_lock')}"
SCRIPT = "<script>alert(1)</script>"
QUOTED = quote(f"zorro{SCRIPT}")


def lines(answer: Answer) -> list[str]:
    return [html.unescape(name) for name in re.findall(r"<li data-words.*?<bdi>(.*?)</bdi></a>", answer.text)]


async def state(pages: Pages, topic: str, payload: object) -> None:
    publication = Publication(topic, json.dumps(payload).encode())
    await pages.house.broker.connect().publish(publication)


def hostile(folder: Path) -> HomeConfig:
    """A home whose every word is an attack."""
    file = folder / "hostile.yaml"
    named = json.dumps(f'{SCRIPT}"onload="x')
    file.write_text(
        f"floors:\n  f: {{name: {named}}}\nareas:\n  a: {{name: {json.dumps(SCRIPT + 'room')}, floor: f}}\n"
        f"devices:\n  lamp:\n    name: {json.dumps(SCRIPT + 'lamp')}\n    aliases: [{json.dumps(SCRIPT + 'alias')}]\n"
        f"    area: a\n    type: light\n    description: {json.dumps(SCRIPT)}\n    capabilities: [on_off]\n"
        "    dialect: plain\n    topic: lamp\n",
        encoding="utf-8",
    )
    return load_home(file)


@pytest.mark.parametrize("lang", WORDS.languages)
async def test_all_that_is_there_stands_in_its_room_with_its_state(tmp_path: Path, lang: str) -> None:
    async with open_pages(tmp_path) as pages:
        browser, registry = pages.browser(), pages.house.opened.inventory.registry
        page = await browser.get(f"/home?lang={lang}")
        await state(pages, "zigbee2mqtt/living room/old plug", {"state": "ON", "power": 41})
        device = await browser.get(FRIEND)
    assert sorted(lines(page)) == sorted(item.name(lang) for item in registry.devices)
    for place in (*registry.floors, *registry.areas):
        assert not pages.house.opened.inventory.registry.expand(place.id) or place.name(lang) in text_of(page)
    on = {"en": "state on 0 s ago power 41 watts", "zh": "状态 开着 0 秒前"}[lang]
    assert on in text_of(device)
    assert WORDS.say("home.no_acts", lang) in text_of(device)
    assert registry["old_friend"].name(lang) in device.text


async def test_what_is_looked_for_is_found_by_its_names_its_place_and_its_kind(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()

        async def found(words: str) -> list[str]:
            return lines(await browser.get(f"/home?lang=en&q={words}"))

        assert await found("GRANDMA") == ["Old friend"]
        assert await found("%E5%A5%B6%E5%A5%B6") == ["Old friend"]
        assert await found("garage+door") == ["Garage door"]
        assert "Kettle" in await found("kitchen")
        assert await found("kitchen+vacuum") == []
        nothing = await browser.get("/home?lang=en&q=%22%3E%3Cscript%3E")
    assert WORDS.say("home.none", "en") in text_of(nothing)
    assert "<script>" not in nothing.text


async def test_a_page_that_is_open_is_told_what_changes_and_no_more_than_that(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        await browser.get("/home?lang=en")
        async with pages.feed(browser, "/home/events") as feed, pages.feed(browser, f"{FRIEND}/events") as one:
            for power in range(200):
                await state(pages, "zigbee2mqtt/living room/old plug", {"state": "ON", "power": power})
            told = (await feed.readuntil(b"\n\n")).decode()
            table = (await one.readuntil(b"\n\n")).decode()
    assert told.count('<span class="state"') == 1
    assert mark("old_friend") in told
    assert "199 watts" in text_of(Answer(200, {}, told))
    assert "199 watts" in text_of(Answer(200, {}, table))
    assert '<tbody id="told">' in table


async def test_a_device_tells_what_it_can_what_was_done_and_what_is_asked_first(tmp_path: Path) -> None:
    async with open_pages(tmp_path, audit=Audit(tmp_path / "audit.db")) as pages:
        browser, audit = pages.browser(), pages.house.opened.inventory.audit
        assert audit is not None
        await pages.turns.handle({"op": "text", "text": "turn on old friend"})
        await audit.flush()
        friend, lock = await browser.get(f"{FRIEND}?lang=en"), await browser.get(f"{LOCK}?lang=en")
        strip = await browser.get(f"/home/{mark('living_strip')}?lang=en")
    assert "turn on Old friend" in text_of(friend)
    assert re.search(r"turn on old friend turn_on done", text_of(friend))
    assert re.search("Asks first .*unlocking", text_of(lock))
    assert "brightness from" in text_of(strip)


@pytest.mark.virtual
@pytest.mark.parametrize("lang", WORDS.languages)
async def test_every_example_can_be_said(tmp_path: Path, lang: str) -> None:
    async with open_pages(tmp_path) as pages:
        parts = pages.house.opened.pipeline.parts
        said = [text for item in parts.registry.devices[:25] for text in parts.help.examples(item, lang)]
        results = [(text, await pages.turns.handle({"op": "text", "text": text, "lang": lang})) for text in said]
    assert len(said) > 40
    assert [text for text, result in results if result["outcome"] == "ignore"] == []


async def test_a_name_is_shown_before_it_is_kept_and_can_be_taken_back(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser, registry = pages.browser(), pages.house.opened.inventory.registry
        await browser.get("/home?lang=en")
        shown = await browser.get(f"{FRIEND}/name?word=Zorro")
        assert "<ins>Zorro</ins>" in shown.text
        assert "Zorro" not in registry["old_friend"].names
        refused = await browser.post(f"{FRIEND}/name", {"word": "Zorro", "mark": ""})
        assert (refused.status, "Zorro" in registry["old_friend"].names) == (403, False)
        kept = await browser.post(f"{FRIEND}/name", {"word": "Zorro"})
        assert (kept.status, kept.headers["location"]) == (303, f"{FRIEND}?kept=1")
        assert (await pages.turns.handle({"op": "text", "text": "turn on zorro"}))["reply"] == "Old friend is on."
        page = await browser.get(kept.headers["location"])
        assert WORDS.say("home.kept", "en") in text_of(page)
        gone = await browser.get(f"{FRIEND}/forget?word=Zorro")
        assert "<del>Zorro</del>" in gone.text
        assert (await browser.post(f"{FRIEND}/forget", {"word": "Zorro", "mark": "x"})).status == 403
        assert "Zorro" in registry["old_friend"].learnt
        assert (await browser.post(f"{FRIEND}/forget", {"word": "Zorro"})).status == 303
        assert registry["old_friend"].learnt == ()
        assert (await browser.get(f"{FRIEND}/forget?word=Zorro")).status == 404


@pytest.mark.parametrize(
    ("word", "lang", "said"),
    [
        ("Kettle", "en", "Kettle is the name of Kettle already"),
        ("Old+friend", "en", "I know that Old friend is called Old friend"),
        ("kitchen", "en", "is the name of Kitchen already"),
        ("turn+off", "en", "I need that word for something else"),
        ("x" * 41, "en", "too long"),
        ("%20", "en", "I didn't hear a name"),
        ("a%0Ab", "en", "nobody could say it"),
        ("%E6%B0%B4%E5%A3%B6" + "x" * 60, "zh", "太长"),
    ],
)
async def test_what_can_be_no_name_is_refused_in_words(tmp_path: Path, word: str, lang: str, said: str) -> None:
    async with open_pages(tmp_path) as pages:
        page = await pages.browser().get(f"{FRIEND}/name?word={word}&lang={lang}")
        assert pages.house.opened.ledger.facts() == []
    assert page.status == 409
    assert said in text_of(page)


async def test_names_and_what_devices_tell_are_no_part_of_the_page(tmp_path: Path) -> None:
    async with open_pages(tmp_path, home=hostile(tmp_path)) as pages:
        browser = pages.browser()
        await state(pages, "lamp", {"state": SCRIPT})
        lamp = f"/home/{mark('lamp')}"
        shown = [await browser.get(path) for path in ("/home?lang=en", lamp, f"{lamp}/name?word={QUOTED}")]
        await browser.post(f"{lamp}/name", {"word": f"zorro{SCRIPT}"})
        shown += [await browser.get(path) for path in ("/home", lamp, f"{lamp}/forget?word={QUOTED}", "/home/settle")]
    assert shown[-2].status == 200
    for page in shown:
        assert page.text.count("<script") == page.text.count('<script src="/static/'), page.text
        assert 'onload="x' not in page.text
        assert "alert(1)" in text_of(page) or page is shown[-1]


@pytest.mark.parametrize("lang", WORDS.languages)
async def test_what_the_file_and_the_broker_differ_in_is_told(tmp_path: Path, lang: str) -> None:
    async with open_pages(tmp_path) as pages:
        browser = pages.browser()
        nothing = await browser.get(f"/home/settle?lang={lang}")

        async def different(_: object) -> dict[str, object]:
            return {
                "overridden": {"a": ["names", "area"]},
                "missing": {"b": "0x1"},
                "added": {"0x2": [SCRIPT]},
                "unusable": {"topic": "no JSON"},
                "off": {"c": "too slow"},
                "unsayable": {"all": ["d"]},
            }

        async with Console(SETTINGS, replace(pages.view, handle=different)).running() as port:
            page = await Browser(port).get(f"/home/settle?lang={lang}")
    assert WORDS.say("home.settle.none", lang) in text_of(nothing)
    for what in await different({}):
        assert WORDS.say(f"home.settle.{what}.title", lang, n=1) in text_of(page)
    for told in ("names, area", "0x1", SCRIPT, "no JSON", "too slow", "all"):
        assert told in text_of(page)
    assert "<script>" not in page.text


@pytest.mark.parametrize("lang", WORDS.languages)
def test_whatever_is_asked_about_first_has_a_word(lang: str) -> None:
    assert all(WORDS.say(f"home.action.{action}", lang) for action in ACTIONS)


async def test_a_large_home_stands_on_one_page(tmp_path: Path) -> None:
    home = home_of(None)
    model = next(item for item in home.entities if item.id == "old_friend")
    assert model.address is not None
    many = [_copy(model, number) for number in range(1_000)]
    async with open_pages(tmp_path, home=replace(home, entities=(*home.entities, *many))) as pages:
        page = await pages.browser().get("/home?lang=en")
    assert len(lines(page)) == len(pages.house.opened.inventory.registry.devices) >= 1_000
    assert len(page.text) < 1_000_000


def _copy(model: Entity, number: int) -> Entity:
    assert model.address is not None
    address = replace(model.address, topic=f"{model.address.topic} {number}")
    return replace(model, id=f"plug_{number}", names=(f"Plug {number}",), display={}, address=address)
