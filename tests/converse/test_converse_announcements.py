"""What nobody asked for just now is said where it belongs."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from daemon.app import open_later
from daemon.commands.herald import Herald
from daemon.commands.mailbox import Mailbox
from daemon.commands.voice import Voice
from daemon.converse.conclusion import Announcement, Announcements
from daemon.core.errors import AudioError
from daemon.core.messages import Words
from daemon.core.result import Notice
from daemon.home.config import HomeConfig, Interface
from daemon.home.registry import Registry
from daemon.satellites.remote import RemoteSatellite
from daemon.simulate.memory import MemoryBroker
from tests.brokers import SOON_S, Inbox
from tests.rules import REPLIES

ROOT = Path(__file__).resolve().parents[2]


class Loudspeaker:
    """Takes down what it is to say."""

    def __init__(self) -> None:
        self.satellites: dict[str, RemoteSatellite] = {}
        self.said: list[tuple[str, str]] = []
        self.spoke = asyncio.Event()

    async def say(self, text: str, lang: str) -> None:
        self.said.append((text, lang))
        self.spoke.set()


async def test_each_satellite_hears_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    broker = MemoryBroker()
    inbox, bus, loudspeaker = Inbox(), broker.connect(), Loudspeaker()
    await bus.subscribe("hearken/#", inbox)
    mailbox = Mailbox(bus, Interface(), ("kitchen",), lambda _: asyncio.sleep(0, {}), "")
    later = await open_later(HomeConfig(()), Registry([]), REPLIES)
    announcements = Announcements(later.speech)
    herald = Herald(cast("Voice", loudspeaker), mailbox, as_json=False)
    end = announcements.listen(herald)
    serving = asyncio.create_task(herald.serve())
    announcements(Notice("kitchen", "zh", (Words("车库门停在半路了。"),)))
    announcements(Notice("console", "en", (Words("Garage door stopped."),)))
    async with asyncio.timeout(SOON_S):
        await loudspeaker.spoke.wait()
    end()
    announcements(Notice("console", "en", (Words("Nobody listens any more."),)))
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    assert loudspeaker.said == [("Garage door stopped.", "en")]
    assert capsys.readouterr().out == "Garage door stopped.\n"
    [told] = [item for item in inbox.messages if item.topic == "hearken/kitchen/reply"]
    assert json.loads(told.payload) == {"announcement": True, "reply": "车库门停在半路了。", "lang": "zh"}


class Broken:
    """A satellite whose plug was pulled."""

    async def say(self, text: str, lang: str) -> None:
        raise AudioError(f"the plug was pulled before {text!r} ({lang})")


async def test_a_timer_whose_room_is_away_rings_here() -> None:
    loudspeaker = Loudspeaker()
    rooms = {"kitchen": Broken()}
    house = SimpleNamespace(satellites=rooms, local=SimpleNamespace(speaks=True), say=loudspeaker.say)
    herald = Herald(cast("Voice", house), None, as_json=False)
    serving = asyncio.create_task(herald.serve())
    herald(Announcement("kitchen", "en", "The timer is over."))
    async with asyncio.timeout(SOON_S):
        await loudspeaker.spoke.wait()
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    assert loudspeaker.said == [("The timer is over.", "en")]
