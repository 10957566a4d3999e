"""What nobody asked for just now is said where it belongs."""

import asyncio
import json
from typing import cast

import pytest

from daemon.commands.herald import Herald
from daemon.commands.mailbox import Mailbox
from daemon.commands.voice import Voice
from daemon.converse.announcements import Announcements
from daemon.core.turn import Announcement
from daemon.home.config import Interface
from daemon.simulate.memory import MemoryBroker
from tests.brokers import Inbox


class Loudspeaker:
    """Takes down what it is to say."""

    def __init__(self) -> None:
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
    announcements = Announcements()
    herald = Herald(cast("Voice", loudspeaker), mailbox, as_json=False)
    end = announcements.listen(herald)
    serving = asyncio.create_task(herald.serve())
    announcements(Announcement("kitchen", "zh", "车库门停在半路了。"))
    announcements(Announcement("console", "en", "Garage door stopped."))
    async with asyncio.timeout(5):
        await loudspeaker.spoke.wait()
    end()
    announcements(Announcement("console", "en", "Nobody listens any more."))
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    assert loudspeaker.said == [("Garage door stopped.", "en")]
    assert capsys.readouterr().out == "Garage door stopped.\n"
    [told] = [item for item in inbox.messages if item.topic == "hearken/kitchen/reply"]
    assert json.loads(told.payload) == {"announcement": True, "reply": "车库门停在半路了。", "lang": "zh"}
