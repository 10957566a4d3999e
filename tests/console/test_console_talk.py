"""Talk: what is typed is answered, asked back with buttons, shown with what happened, and taken back."""

import asyncio
import html
import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from daemon.console.view import FRAGMENT
from daemon.converse.conclusion import Announcement
from daemon.core.outcomes import Status
from daemon.core.resolution import Resolution, Verdict
from daemon.core.result import ResultOutcome
from daemon.core.trace import STAGES
from tests.console.pages import SOON_S, WORDS, Answer, Browser, open_pages

PART = {FRAGMENT: "1"}


def buttons(answer: Answer) -> list[str]:
    """What the answers that a page offers say."""
    return [html.unescape(value) for value in re.findall(r'<button[^>]* name="text" value="([^"]*)"', answer.text)]


def replies(answer: Answer) -> list[str]:
    return [html.unescape(found) for found in re.findall(r'class="reply".*?<bdi>(.*?)</bdi>', answer.text)]


def line_of(answer: Answer, field: str) -> str:
    found = re.search(rf'name="{field}" value="(\d+)"', answer.text)
    assert found is not None, answer.text
    return found[1]


async def say(browser: Browser, text: str, **more: str) -> Answer:
    answer = await browser.post("/talk/say", {"text": text} | more, PART)
    assert answer.status == 200, answer.text
    return answer


async def talking(browser: Browser, lang: str = "en") -> Browser:
    await browser.get(f"/talk?lang={lang}")
    return browser


async def test_what_is_typed_is_done_and_shown_with_what_happened(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = await talking(pages.browser())
        said = await say(browser, "turn on old friend")
        assert replies(said) == ["Old friend is on."]
        assert pages.house.simulated.received[-1] == ("old_friend", {"state": "on"})
        story = await browser.get(f"/talk/{line_of(said, 'line')}")
    told = html.unescape(re.sub(r"<[^>]*>", " ", story.text))
    for word in ("turn on old friend", "grammar", "Old friend", "do it", "sure", "/set", '"ON"', "done", "state = on"):
        assert word in told
    assert re.search(r"\d ms", told)


async def test_what_a_name_may_mean_is_shown_with_its_scores(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = await talking(pages.browser())
        await say(browser, "turn on the desk lamp")
        story = await browser.get("/talk/1")
    assert story.text.count("<meter") == 2
    assert WORDS.say("talk.found.ambiguous", "en") in story.text


def test_whatever_may_come_of_a_sentence_has_words() -> None:
    for section, words in (
        ("source", ("grammar", "model", "dialogue")),
        ("outcome", get_args(ResultOutcome)),
        ("verdict", get_args(Verdict)),
        ("status", get_args(Status)),
        ("found", get_args(get_type_hints(Resolution)["status"])),
        ("time", (*STAGES, "total")),
    ):
        assert words
        for word in words:
            for lang in WORDS.languages:
                assert WORDS.say(f"talk.{section}.{word}", lang)


async def test_without_script_a_form_leads_back_to_the_conversation(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = await talking(pages.browser())
        sent = await browser.post("/talk/say", {"text": "turn on old friend"})
        assert (sent.status, sent.headers["location"]) == (303, "/talk#line-1")
        page = await browser.get("/talk")
    assert replies(page) == ["Old friend is on."]
    assert 'id="line-1"' in page.text


@pytest.mark.parametrize(
    ("lang", "sentence", "offered", "device"),
    [
        ("en", "turn on the desk lamp", ["the one in Bedroom", "the one in Study", "never mind"], "study_desk_lamp"),
        ("zh", "打开台灯", ["卧室的", "书房的", "算了"], "study_desk_lamp"),
        ("en", "unlock the front door", ["no", "yes"], "front_door_lock"),
        ("zh", "打开大门的锁", ["不要", "是的"], "front_door_lock"),
    ],
)
async def test_a_question_has_its_answers_as_buttons(
    tmp_path: Path, lang: str, sentence: str, offered: list[str], device: str
) -> None:
    async with open_pages(tmp_path) as pages:
        browser = await talking(pages.browser(), lang)
        asked = await say(browser, sentence)
        assert sorted(buttons(asked)) == sorted(offered)
        assert not pages.house.simulated.received
        answered = await say(browser, offered[1], answers=line_of(asked, "answers"))
        assert pages.house.simulated.received[-1][0] == device
        assert buttons(answered) == []
        assert 'id="line-1"' in answered.text, "the question is shown anew, without its buttons"


async def test_never_mind_and_no_leave_all_as_it_is(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        for lang, sentence, answer in [
            ("en", "turn on the desk lamp", "talk.never_mind"),
            ("zh", "打开台灯", "talk.never_mind"),
            ("en", "unlock the front door", "talk.no"),
            ("zh", "打开大门的锁", "talk.no"),
        ]:
            browser = await talking(pages.browser(), lang)
            asked = await say(browser, sentence)
            await say(browser, WORDS.say(answer, lang), answers=line_of(asked, "answers"))
            await say(browser, WORDS.say("talk.yes", lang))
        assert not pages.house.simulated.received


async def test_a_question_waits_for_its_reader_but_not_for_ever(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = await talking(pages.browser())
        asked = await say(browser, "unlock the front door")
        pages.house.time.wait(60)
        await say(browser, "yes", answers=line_of(asked, "answers"))
        assert pages.house.simulated.received.pop()[0] == "front_door_lock"
        asked = await say(browser, "unlock the front door")
        asked = await say(browser, "turn on the desk lamp")
        pages.house.simulated.received.clear()
        pages.house.time.wait(1000)
        late = await browser.post("/talk/say", {"text": "the one in Study", "answers": line_of(asked, "answers")}, PART)
        assert late.status == 409
        assert WORDS.say("refused.lapsed", "en") in late.text
        assert not pages.house.simulated.received


@pytest.mark.parametrize(
    ("lang", "first", "second"),
    [("en", "turn on old friend", "turn on the TV"), ("zh", "打开老伙计", "打开电视")],
)
async def test_what_was_wrong_is_taken_back_step_by_step(tmp_path: Path, lang: str, first: str, second: str) -> None:
    async with open_pages(tmp_path) as pages:
        browser = await talking(pages.browser(), lang)
        one = line_of(await say(browser, first), "line")
        said = await say(browser, second)
        two = line_of(said, "line")
        assert one != two
        early = await browser.post("/talk/undo", {"line": one}, PART)
        assert early.status == 409, "only the last act can be meant by undo"
        pages.house.simulated.received.clear()
        undone = await browser.post("/talk/undo", {"line": two}, PART)
        assert WORDS.say("talk.undone", lang) in undone.text
        assert {device for device, _ in pages.house.simulated.received} == {"living_tv"}
        assert line_of(await browser.get("/talk"), "line") == one
        await browser.post("/talk/undo", {"line": one}, PART)
        assert pages.house.simulated.received[-1] == ("old_friend", {"state": "off"})
        assert 'name="line"' not in (await browser.get("/talk")).text


async def test_a_timer_is_taken_back_too(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = await talking(pages.browser())
        said = await say(browser, "set a timer for ten minutes")
        assert len(pages.house.opened.later.agenda) == 1
        await browser.post("/talk/undo", {"line": line_of(said, "line")}, PART)
        assert len(pages.house.opened.later.agenda) == 0


async def test_what_only_tells_has_nothing_to_take_back(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = await talking(pages.browser())
        for sentence in ("is old friend on", "blurb the flimsy", "unlock the front door", "no", "hello"):
            assert 'name="line"' not in (await say(browser, sentence)).text


async def test_each_browser_has_a_conversation_of_its_own(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        one, two = await talking(pages.browser()), await talking(pages.browser())
        asked = await say(one, "unlock the front door")
        assert (await two.get("/talk")).text.count('id="line-') == 0
        assert (await two.get(f"/talk/{line_of(asked, 'answers')}")).status == 404
        await say(two, "yes")
        stolen = await two.post("/talk/say", {"text": "yes", "answers": line_of(asked, "answers")}, PART)
        assert stolen.status == 409
        assert not pages.house.simulated.received


async def test_the_room_that_is_chosen_is_meant(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = await talking(pages.browser())
        await say(browser, "turn on the desk lamp", area="study")
        assert [device for device, _ in pages.house.simulated.received] == ["study_desk_lamp"]
        assert '<option value="study" selected>' in (await browser.get("/talk")).text
        wrong = await browser.post("/talk/say", {"text": "turn on the light", "area": "nowhere"}, PART)
        assert wrong.status == 400


async def test_what_is_announced_comes_to_the_pages_that_it_is_for(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = await talking(pages.browser())
        await say(browser, "hello")
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        reader, writer = await asyncio.open_connection("127.0.0.1", pages.port)
        async with asyncio.timeout(SOON_S):
            writer.write(f"GET /talk/events HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookies}\r\n\r\n".encode())
            await reader.readuntil(b":\n\n")
            tell = pages.house.opened.pipeline.parts.announcements._listeners[-1]
            [name] = pages.house.opened.pipeline.parts.conversations._dialogues._by_satellite
            tell(Announcement("kitchen", "en", "for the kitchen alone"))
            tell(Announcement(name, "en", "dinner <b>is</b> ready"))
            told = await reader.readuntil(b"ready")
            await say(browser, "turn on old friend")
            said = await reader.readuntil(b"Old friend is on.")
            writer.close()
            await writer.wait_closed()
        page = await browser.get("/talk")
    assert b"dinner &lt;b&gt;is&lt;/b&gt; ready" in told
    assert b"kitchen" not in told
    assert b"turn on old friend" in said
    assert "dinner &lt;b&gt;is&lt;/b&gt; ready" in page.text
    assert "kitchen alone" not in page.text


async def test_who_only_looks_drives_out_no_conversation(tmp_path: Path) -> None:
    async with open_pages(tmp_path) as pages:
        browser = await talking(pages.browser())
        await say(browser, "turn on old friend")
        for _ in range(100):
            await pages.browser().get("/talk")
        assert replies(await browser.get("/talk")) == ["Old friend is on."]
