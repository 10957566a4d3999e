"""Devices that lie, through the whole pipeline: the right outcome, in the right words, in both languages."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from daemon.app import open_home
from daemon.converse.conclusion import Announcement
from daemon.core.result import Result
from daemon.core.turn import Utterance
from daemon.home.loader import load_home
from daemon.mqtt.bus import Publication
from daemon.schedule.moments import Clock
from tests.act.world import Bridge, FakeBus, run
from tests.rules import GRAMMAR, REPLIES
from tests.tables import read_table

HERE = Path(__file__).parent / "lies"
RULES = Path(__file__).resolve().parents[2] / "rules"
HOME = load_home(HERE / "home.yaml")
STORIES = read_table(HERE / "lies.yaml")
OFF = {"state": "OFF"}
LONG_S = 600.0
"""Nothing is followed for so long."""


def topic(name: str) -> str:
    return f"zigbee2mqtt/{name}"


def play(story: dict[str, Any], bus: FakeBus) -> None:
    """Sets the stage: every device that is not spoken of is off and honest."""
    for name, payload in story.get("before", ()):
        bus.deliver(topic(name), payload, retained=True)
    lies: dict[str, dict[str, Any]] = story.get("devices", {})
    for device in HOME.entities:
        if device.kind == "device" and device.id != "pond":
            how = {"truth": OFF} | lies.get(device.id, {})
            Bridge(bus, topic(device.id), dict(how.pop("truth")), **how)

    def begin(publication: Publication) -> None:
        if not publication.topic.endswith("/set"):
            return
        bus.on_publish.remove(begin)
        loop = asyncio.get_running_loop()
        for at, name, payload, *retained in story.get("says", ()):
            loop.call_later(at, partial(bus.deliver, topic(name), payload, retained=bool(retained)))
        if "breaks_s" in story:
            loop.call_later(story["breaks_s"], bus.lose)

    bus.on_publish.append(begin)


async def tell(story: dict[str, Any], lang: str) -> tuple[Result, list[Announcement]]:
    bus, clock = FakeBus(), asyncio.get_running_loop().time
    async with open_home(HOME, bus, grammar=GRAMMAR, replies=REPLIES, clock=Clock(monotonic=clock)) as opened:
        play(story, bus)
        announced: list[Announcement] = []
        opened.pipeline.parts.announcements.listen(announced.append)
        result = await opened.pipeline.handle(Utterance(story[lang][0], lang=lang, satellite="shelf"))
        await asyncio.sleep(LONG_S)
        return result, announced


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story["name"])
def test_lies(story: dict[str, Any], lang: str) -> None:
    result, announced = run(lambda: tell(story, lang))
    assert result.reply == story[lang][1]
    found = {item.write.entity: f"{item.status} {item.reason}".strip() for item in result.outcomes}
    assert found.keys() >= story["outcomes"].keys()
    assert {device: found[device] for device in story["outcomes"]} == story["outcomes"]
    later = story.get("later", {}).get(lang)
    assert announced == ([Announcement("shelf", lang, later)] if later else [])
