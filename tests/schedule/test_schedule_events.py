"""What buttons tell is a moment: each press counts once, and what is only repeated counts never."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from daemon.act.reader import Patience
from daemon.app import Opened, open_home
from daemon.converse.conclusion import Announcement
from daemon.core.turn import Utterance
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.home.config import Discovery, HomeConfig
from daemon.mqtt.bus import Message, Publication
from daemon.mqtt.settings import Broker
from daemon.schedule.agenda import Store
from daemon.schedule.moments import Clock
from daemon.simulate.broker import EmbeddedBroker
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker, MemoryBus
from tests.brokers import connected
from tests.conversations.house import home_of
from tests.rules import GRAMMAR, REPLIES
from tests.virtual_time import now

HOME = home_of("buttons")
BUTTON = "zigbee2mqtt/porch_button"
RULE = "when I press the porch button turn on the den fan"


@dataclass
class House:
    simulated: SimulatedHome
    broker: MemoryBroker
    outside: MemoryBus
    store: Store | None = None
    opened: Opened | None = None
    gone: float = 0.0
    told: list[str] = field(default_factory=list)
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    def __call__(self, announcement: Announcement) -> None:
        self.told.append(announcement.reply)

    def since(self) -> float:
        return now() + self.gone

    async def begin(self) -> None:
        """The daemon begins, with what was stored, where anything is."""
        await self.stack.aclose()
        self.stack = AsyncExitStack()
        opening = open_home(
            HOME,
            self.broker.connect(),
            grammar=GRAMMAR,
            replies=REPLIES,
            patience=Patience(deadline_s=0.3, mute_s=0.1, settle_s=0, slow_settle_s=0),
            clock=Clock(lambda: 1_800_000_000.0 + self.since(), self.since),
            kept=(self.store, None),
        )
        self.opened = await self.stack.enter_async_context(opening)
        self.opened.pipeline.parts.announcements.listen(self)

    async def say(self, text: str) -> str:
        assert self.opened is not None
        return (await self.opened.pipeline.handle(Utterance(text))).reply

    async def press(self, *, retain: bool = False, **payload: object) -> None:
        await self.outside.publish(Publication(BUTTON, json.dumps(payload).encode(), retain=retain))

    async def later(self, seconds: float) -> int:
        """How often a rule has fired when so much time has gone by."""
        assert self.opened is not None
        self.told.clear()
        self.gone += seconds
        await self.opened.firing.tick()
        return len(self.told)


@asynccontextmanager
async def house(store: Store | None = None) -> AsyncIterator[House]:
    made: list[House] = []
    broker = MemoryBroker(lambda: made[0].since() if made else now())
    async with SimulatedHome(broker.connect(), HOME.entities, HOME.simulation) as simulated:
        made.append(House(simulated, broker, broker.connect(), store))
        await made[0].begin()
        try:
            yield made[0]
        finally:
            await made[0].stack.aclose()


@pytest.mark.virtual
async def test_each_press_counts_and_nothing_else_does() -> None:
    async with house() as home:
        assert await home.say(RULE) == "Every time Porch button is pressed, I'll turn on Den fan."
        await home.press(action="single", battery=90)
        assert await home.later(5) == 1
        await home.press(action="", battery=90)
        await home.press(action=None)
        await home.press(battery=89)
        await home.press(action="hold")
        await home.press(action="never heard of")
        assert await home.later(5) == 0
        await home.press(action="single", battery=90)
        assert await home.later(5) == 1, "the same press again is another one"


@pytest.mark.virtual
async def test_the_same_message_twice_is_one_press() -> None:
    async with house() as home:
        await home.say(RULE)
        await home.press(action="single")
        await home.press(action="single")
        assert await home.later(5) == 1
        assert await home.later(5) == 0


@pytest.mark.virtual
async def test_what_says_when_it_was_made_is_not_made_anew() -> None:
    async with house() as home:
        await home.say(RULE)
        await home.press(action="single", last_seen="2026-11-21T14:25:03+01:00")
        assert await home.later(60) == 1
        await home.press(action="single", last_seen="2026-11-21T14:25:03+01:00")
        assert await home.later(60) == 0, "a bridge that begins anew repeats what it last heard"
        await home.press(action="single", last_seen="2026-11-21T14:27:09+01:00")
        assert await home.later(60) == 1


@pytest.mark.virtual
async def test_a_retained_press_is_an_old_one() -> None:
    async with house() as home:
        await home.press(action="single", retain=True)
        await home.say(RULE)
        await home.later(60)
        await home.begin()
        await home.say(RULE)
        assert await home.later(60) == 0
        home.broker.go_down()
        home.broker.come_up()
        assert await home.later(1) == 0


@pytest.mark.virtual
async def test_a_rule_for_a_button_survives_a_restart(tmp_path: Path) -> None:
    async with house(Store(tmp_path / "later.db")) as home:
        await home.say("when the left button of the den remote is held turn on the den fan")
        before = home.opened.later.agenda.entries if home.opened is not None else ()
        await home.begin()
        assert home.opened is not None
        assert home.opened.later.agenda.entries == before
        assert await home.say("what rules are there") == (
            "Every time the left button of Den remote is held, I'll turn on Den fan."
        )
        await home.simulated.place("den_remote", {"event": "left_hold"})
        assert await home.later(10) == 1


@pytest.mark.virtual
async def test_somebody_may_press_as_often_as_he_likes() -> None:
    async with house() as home:
        await home.say(RULE)
        fired = 0
        for _ in range(15):
            await home.press(action="single")
            fired += await home.later(2)
        assert fired == 15
        assert home.opened is not None
        assert len(home.opened.later.agenda.entries) == 1


@pytest.mark.virtual
async def test_no_press_is_ever_so() -> None:
    async with house() as home:
        await home.say("when I press the porch button and the den lamp is on turn on the den fan")
        await home.press(action="single")
        assert await home.later(5) == 1
        await home.simulated.place("den_lamp", {"state": "off"})
        await home.press(action="single")
        assert await home.later(5) == 0
        await home.simulated.place("den_lamp", {"state": "on"})
        assert await home.later(5) == 0, "the lamp is on now, and nobody presses"


async def test_from_the_payload_to_the_act_over_a_broker() -> None:
    """A remote and a lamp that zigbee2mqtt tells of, over the embedded broker."""
    state = {"type": "binary", "name": "state", "property": "state", "access": 7, "value_on": "ON", "value_off": "OFF"}
    action = {"type": "enum", "name": "action", "property": "action", "access": 1, "values": ["1_single", "1_double"]}

    def device(number: int, name: str, expose: dict[str, object]) -> dict[str, object]:
        definition = {"model": "M", "vendor": "V", "description": "", "exposes": [expose]}
        address = f"0x{number:016x}"
        return {"ieee_address": address, "friendly_name": name, "type": "EndDevice", "supported": True,
                "definition": definition}  # fmt: skip

    devices = [device(1, "Attic clicker", action), device(2, "Attic lamp", {"type": "light", "features": [state]})]
    asked: asyncio.Queue[bytes] = asyncio.Queue()

    def hear(message: Message) -> None:
        asked.put_nowait(message.payload)

    async with EmbeddedBroker() as embedded:
        broker = Broker(port=embedded.port)
        async with connected(broker) as outside, connected(broker) as bus:
            await outside.publish(Publication("zigbee2mqtt/bridge/devices", json.dumps(devices).encode(), retain=True))
            await outside.subscribe("zigbee2mqtt/Attic lamp/set", hear)
            home = HomeConfig((), discovery=Discovery())
            sources = [Zigbee2MqttSource("zigbee2mqtt")]
            opening = open_home(home, bus, grammar=GRAMMAR, replies=REPLIES, sources=sources)
            async with opening as opened, opened.firing.running():
                said = "when button 1 of the attic clicker is pressed twice, turn on the attic lamp"
                result = await opened.pipeline.handle(Utterance(said))
                assert result.reply == "Every time button 1 of Attic clicker is pressed twice, I'll turn on Attic lamp."
                for word in ("1_single", "", "1_double"):
                    await outside.publish(
                        Publication("zigbee2mqtt/Attic clicker", json.dumps({"action": word}).encode())
                    )
                assert json.loads(await asyncio.wait_for(asked.get(), 10)) == {"state": "ON"}
                assert asked.empty()
