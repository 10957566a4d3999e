"""Words for people: they are said where they are to be heard and nowhere else, and it is told where that was."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from daemon.app import Opened, open_home
from daemon.core.errors import AudioError
from daemon.core.result import Result
from daemon.core.turn import Utterance
from daemon.home.config import HomeConfig, Microphone
from daemon.home.loader import load_home
from daemon.satellites.clips import Clips
from daemon.satellites.local import Local
from daemon.simulate.broker import free_port
from daemon.simulate.memory import MemoryBroker
from daemon.speak.speaker import Player, Speaker
from tests.brokers import SOON_S, eventually
from tests.rules import GRAMMAR, REPLIES
from tests.satellites.boxes import Box
from tests.satellites.devices import Device
from tests.satellites.rooms import Home, Tone, box, conversing, satellite

ROOT = Path(__file__).resolve().parents[2]
HOME = load_home(ROOT / "devices.yaml")
TWO_BEDROOMS = """
floors:
  upper: {name: Upper floor}
areas:
  guest: {name: Guest bedroom, floor: upper}
  main: {name: Main bedroom, floor: upper}
  hall: {name: Hall}
devices:
  lamp: {name: Lamp, area: hall, type: light, capabilities: [on_off]}
"""


class Speaks:
    """Takes down what it is to say; one that is away can't."""

    def __init__(self, name: str, area: str | None, *, away: bool = False) -> None:
        self.name = name
        self.place = Microphone(area=area)
        self.said: list[str] = []
        self._away = away

    async def say(self, text: str, lang: str) -> bool:
        if self._away:
            raise AudioError(f"is away, so that it cannot say this ({lang})")
        self.said.append(text)
        return True


def house() -> dict[str, Speaks]:
    rooms = {"cook": "kitchen", "desk": "study", "bath": "bathroom", "trolley": None}
    return {
        **{name: Speaks(name, area) for name, area in rooms.items()},
        "night": Speaks("night", "bedroom", away=True),
        **dict.fromkeys(("console", "microphone"), Speaks("microphone", "living_room")),
    }


async def said(opened: Opened, text: str, satellite: str = "console", area: str | None = None) -> Result:
    return await opened.pipeline.handle(Utterance(text, satellite=satellite, area=area))


def opening(home: HomeConfig = HOME) -> contextlib.AbstractAsyncContextManager[Opened]:
    return open_home(home, MemoryBroker().connect(), grammar=GRAMMAR, replies=REPLIES)


@pytest.mark.parametrize(
    ("text", "where", "heard", "reply"),
    [
        ("announce in the kitchen that dinner is ready", "desk", {"cook"}, "I said so in Kitchen."),
        ("在厨房广播晚饭好了", "desk", {"cook"}, "在厨房说了。"),
        (
            "tell the kitchen and the study dinner is ready",
            "console",
            {"cook", "desk"},
            "I said so in Kitchen and Study.",
        ),
        # whoever names his own room means it; who names his floor, the others there
        ("tell the kitchen dinner is ready", "cook", {"cook"}, "I said so in Kitchen."),
        (
            "broadcast to upstairs: we're leaving",
            "desk",
            {"bath"},
            "I said so in Bathroom. Bedroom could not be reached, so nobody heard it there.",
        ),
        ("告诉楼上我们要走了", "console", {"desk", "bath"}, "在书房和浴室说了。卧室现在联系不上，那里没人听到。"),
        ("tell the ground floor the taxi is here", "console", {"cook"}, "I said so in Kitchen."),
        (
            "tell the bedroom it's time to get up",
            "console",
            set(),
            "Bedroom could not be reached, so nobody heard it there.",
        ),
        # never somewhere else instead
        (
            "announce in the garage that dinner is ready",
            "console",
            set(),
            "I have no loudspeaker in Garage, so nobody heard it there.",
        ),
        (
            "tell the kitchen and the garage that dinner is ready",
            "console",
            {"cook"},
            "I said so in Kitchen. I have no loudspeaker in Garage, so nobody heard it there.",
        ),
        ("announce in the ballroom that dinner is ready", "console", set(), "I don't know ballroom."),
        ("tell the rumpus room and the kitchen that dinner is ready", "console", set(), "I don't know rumpus room."),
        (
            "announce everywhere except the bedroom that dinner is ready",
            "desk",
            {"cook", "bath", "trolley", "microphone"},
            "I said so in 4 other places.",
        ),
        ("除了卧室和书房都广播一下饭好了", "console", {"cook", "bath", "trolley"}, "我在另外3个地方说了。"),
        (
            "tell everyone upstairs except the bedroom and the study that dinner is ready",
            "console",
            {"bath"},
            "I said so in Bathroom.",
        ),
        (
            "tell everyone dinner is ready",
            "cook",
            {"desk", "bath", "trolley", "microphone"},
            "I said so in 4 other places. Bedroom could not be reached, so nobody heard it there.",
        ),
        ("tell me the temperature in the kitchen", "desk", set(), None),
        ("tell the kitchen light to turn off", "desk", set(), None),
    ],
)
async def test_it_is_heard_where_it_is_meant(text: str, where: str, heard: set[str], reply: str | None) -> None:
    loudspeakers = house()
    async with opening() as opened:
        opened.pipeline.parts.broadcasting.through(loudspeakers)
        result = await said(opened, text, where, loudspeakers[where].place.area)
    assert {item.name for item in loudspeakers.values() if item.said} == heard
    assert all(len(item.said) <= 1 for item in loudspeakers.values())
    if reply is not None:
        assert result.reply == reply
        assert result.outcome == ("assistant" if heard else "reject")


async def test_of_two_bedrooms_it_is_asked_which(tmp_path: Path) -> None:
    (tmp_path / "home.yaml").write_text(TWO_BEDROOMS, encoding="utf-8")
    rooms = {name: Speaks(name, name) for name in ("guest", "main", "hall")}
    async with opening(load_home(tmp_path / "home.yaml")) as opened:
        opened.pipeline.parts.broadcasting.through(rooms)
        asked = await said(opened, "tell the bedroom that dinner is ready", "hall", "hall")
        assert (asked.outcome, [item.said for item in rooms.values()]) == ("clarify", [[], [], []])
        told = await said(opened, "the guest bedroom", "hall", "hall")
        assert told.reply == "I said so in Guest bedroom."
        await said(opened, "tell the bedrooms that dinner is ready", "hall", "hall")
    assert [len(rooms[name].said) for name in ("guest", "main", "hall")] == [2, 1, 0]


async def test_what_nobody_can_have_heard_was_not_said(tmp_path: Path) -> None:
    file = tmp_path / "reply.wav"
    here = Local(Microphone(area="kitchen"), None, Speaker(Tone(), Player(file, route="file")))
    async with opening() as opened:
        opened.pipeline.parts.broadcasting.through({"microphone": here})
        result = await said(opened, "tell the kitchen that dinner is ready", "desk")
    assert (result.outcome, file.exists()) == ("reject", True)
    assert result.reply == "Kitchen could not be reached, so nobody heard it there."


async def test_real_satellites_say_it_and_one_that_is_away_is_told() -> None:
    async with (
        Box(name="cook").open() as wyoming,
        Device(name="desk").open() as esphome,
        Clips(0).running() as clips,
        opening() as opened,
    ):
        cook = satellite(wyoming.port, "cook", area="kitchen")
        desk = box(esphome, clips, "desk", area="study")
        night = satellite(free_port(), "night", area="bedroom")
        opened.pipeline.parts.broadcasting.through({"cook": cook, "desk": desk, "night": night})
        async with (
            conversing(cook, Home()),
            conversing(desk, Home()),
            conversing(night, Home()),
            asyncio.timeout(SOON_S),
        ):
            await eventually(lambda: cook.there and desk.there)
            result = await said(opened, "tell the kitchen that dinner is ready")
            assert result.reply == "I said so in Kitchen."
            shown = await wyoming.lights.has("synthesize", "audio-stop")
            assert [item.data["text"] for item in shown if item.type == "synthesize"] == ["dinner is ready"]
            assert wyoming.spoken() > 0
            assert esphome.played == []
            result = await said(opened, "tell upstairs that dinner is ready")
            assert result.reply == "I said so in Study. Bedroom could not be reached, so nobody heard it there."
            assert len(esphome.played) == 1
            assert [item.type for item in wyoming.lights.events].count("synthesize") == 1
