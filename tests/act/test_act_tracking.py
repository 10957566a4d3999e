"""What had been sent when the broker stood still, and is handed on when it wakes, is told then."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from daemon.act.reader import Patience
from daemon.app import open_home
from daemon.converse.conclusion import Announcement
from daemon.core.turn import Utterance
from daemon.home.loader import load_home
from daemon.mqtt import connection
from daemon.pipeline import Pipeline
from daemon.simulate.home import SimulatedHome
from tests.brokers import SOON_S, Mosquitto, connected
from tests.rules import GRAMMAR, REPLIES

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "tests" / "daemon" / "home.yaml"


class Told:
    """What was said without being asked."""

    def __init__(self) -> None:
        self.replies: list[str] = []
        self._news = asyncio.Event()

    def __call__(self, announcement: Announcement) -> None:
        self.replies.append(announcement.reply)
        self._news.set()

    async def first(self) -> str:
        async with asyncio.timeout(SOON_S * 2):
            await self._news.wait()
        return self.replies[0]


@asynccontextmanager
async def spoken_to(broker: Mosquitto) -> AsyncIterator[tuple[Pipeline, SimulatedHome, Told]]:
    home = load_home(HOME)
    async with (
        connected(broker.broker(status_topic=None)) as outside,
        SimulatedHome(outside, home.entities, home.simulation) as devices,
        connected(broker.broker(ack_timeout_s=1.0)) as bus,
        open_home(
            home,
            bus,
            grammar=GRAMMAR,
            replies=REPLIES,
            patience=Patience(late_s=5.0),
        ) as opened,
    ):
        told = Told()
        opened.pipeline.parts.announcements.listen(told)
        yield opened.pipeline, devices, told


@pytest.mark.parametrize(
    ("said", "lost", "after"),
    [
        (
            ("unlock the front door", "yes"),
            "I sent it to Front door, but then lost the connection, so I couldn't confirm it.",
            "It did work: Front door is unlocked.",
        ),
        (
            ("打开老伙计",),
            "命令发给老伙计之后连接断了，没法确认。",
            "后来成功了：老伙计开了。",
        ),
    ],
)
async def test_what_the_broker_hands_on_when_it_wakes_is_told(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch, said: tuple[str, ...], lost: str, after: str
) -> None:
    async with spoken_to(mosquitto) as (pipeline, _, told):
        # It stands still in the moment between its last sign of life and the command.
        monkeypatch.setattr(connection, "_AWAKE_S", float("inf"))
        for text in said[:-1]:
            await pipeline.handle(Utterance(text))
        mosquitto.freeze()
        result = await pipeline.handle(Utterance(said[-1]))
        assert result.reply == lost
        mosquitto.thaw()
        assert await told.first() == after


async def test_what_never_arrived_is_told_too(mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    async with spoken_to(mosquitto) as (pipeline, devices, told):
        monkeypatch.setattr(connection, "_AWAKE_S", float("inf"))
        mosquitto.freeze()
        await pipeline.handle(Utterance("turn on old friend"))
        await mosquitto.kill()
        await mosquitto.start()
        assert await told.first() == "That did not work: Old friend still says off."
        assert devices.truth("old_friend")["state"] == "off"
