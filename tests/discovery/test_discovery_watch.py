"""The home follows what the broker tells while it runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from pathlib import Path
from threading import current_thread, main_thread

import pytest

from daemon.act.reader import Patience
from daemon.app import open_home
from daemon.core.entities import Address, Entity
from daemon.core.turn import Utterance
from daemon.discovery.find import Find
from daemon.home.capabilities import STANDARD
from daemon.home.config import Discovery, HomeConfig
from daemon.mqtt.bus import Message, Publication
from daemon.pipeline import Pipeline
from daemon.resolve.index import Index
from daemon.schedule.moments import Clock
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker, MemoryBus
from daemon.understand.names import NameTable
from tests.rules import GRAMMAR, REPLIES
from tests.virtual_time import now

pytestmark = pytest.mark.virtual

RULES = Path(__file__).resolve().parents[2] / "rules"
HOME = HomeConfig((Entity(id="kitchen", kind="area", names=("Kitchen", "厨房")),), discovery=Discovery())


class Announced:
    """A source of the tests: `announce/<name>` holds a lamp's area."""

    def __init__(self) -> None:
        self.version = 0
        self._found: dict[str, Find] = {}

    def filters(self) -> tuple[str, ...]:
        return ("announce/+",)

    def take(self, message: Message) -> None:
        name = message.topic.partition("/")[2]
        if message.payload:
            self._found[name] = Find(lamp(name), json.loads(message.payload))
        else:
            self._found.pop(name, None)
        self.version += 1

    def finds(self) -> Iterable[Find]:
        return self._found.values()

    def problems(self) -> Mapping[str, str]:
        return {}


def lamp(name: str) -> Entity:
    able = tuple(STANDARD[item] for item in ("on_off", "brightness"))
    address = Address("zigbee2mqtt", f"zigbee2mqtt/{name}")
    return Entity(id=f"0x{name}", kind="device", names=(name,), type="light", capabilities=able, address=address)


@pytest.fixture
async def house() -> AsyncIterator[tuple[Pipeline, MemoryBus]]:
    broker = MemoryBroker(now)
    outside = broker.connect()
    await outside.publish(Publication("announce/porch lamp", b'"Garden"', retain=True))
    played = [lamp("porch lamp"), lamp("counter lamp")]
    async with (
        SimulatedHome(broker.connect(), played),
        open_home(
            HOME,
            broker.connect(),
            grammar=GRAMMAR,
            replies=REPLIES,
            patience=Patience(deadline_s=1.0, mute_s=0.2),
            clock=Clock(monotonic=now),
            sources=[Announced()],
        ) as opened,
    ):
        yield opened.pipeline, outside


async def acts(pipeline: Pipeline, text: str) -> bool:
    return (await pipeline.handle(Utterance(text))).outcome == "execute"


async def until(pipeline: Pipeline, text: str, *, acting: bool) -> None:
    """Says it until it is acted on, or no longer."""
    async with asyncio.timeout(5):
        while await acts(pipeline, text) != acting:  # noqa: ASYNC110 - what changes is behind the pipeline's door
            await asyncio.sleep(0.05)


async def test_what_was_announced_before_is_there_for_the_first_command(house: tuple[Pipeline, MemoryBus]) -> None:
    pipeline, _ = house
    result = await pipeline.handle(Utterance("turn on the porch lamp"))
    assert result.outcome == "execute"
    assert [item.status for item in result.outcomes] == ["done"]


async def test_what_comes_later_can_be_used_and_what_goes_is_gone(house: tuple[Pipeline, MemoryBus]) -> None:
    pipeline, outside = house
    assert not await acts(pipeline, "turn on the counter lamp")
    await outside.publish(Publication("announce/counter lamp", b'"Kitchen"', retain=True))
    await until(pipeline, "turn on the counter lamp", acting=True)
    assert await acts(pipeline, "turn off the kitchen lights")
    await outside.publish(Publication("announce/counter lamp", b"", retain=True))
    await until(pipeline, "turn on the counter lamp", acting=False)


async def test_a_new_area_is_known_by_its_name(house: tuple[Pipeline, MemoryBus]) -> None:
    pipeline, _ = house
    result = await pipeline.handle(Utterance("turn on all the lights in the garden"))
    assert [command.targets for command in result.commands] == [("0xporch lamp",)]


async def test_a_broker_that_is_away_at_the_start_tells_when_it_comes() -> None:
    broker = MemoryBroker(now)
    outside = broker.connect()
    await outside.publish(Publication("announce/porch lamp", b'"Garden"', retain=True))
    async with SimulatedHome(broker.connect(), [lamp("porch lamp")]):
        bus = broker.connect()
        broker.go_down()
        async with open_home(HOME, bus, grammar=GRAMMAR, replies=REPLIES, sources=[Announced()]) as opened:
            assert not await acts(opened.pipeline, "turn on the porch lamp")
            broker.come_up()
            await until(opened.pipeline, "turn on the porch lamp", acting=True)


def _noting(make: Callable[..., None], made: list[str]) -> Callable[..., None]:
    def note(*args: object) -> None:
        made.append(current_thread().name)
        make(*args)

    return note


async def test_nobody_who_speaks_waits_for_what_is_made_of_a_home_that_has_changed(
    house: tuple[Pipeline, MemoryBus], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline, outside = house
    assert await acts(pipeline, "turn on the porch lamp")
    made: list[str] = []
    for sort in (Index, NameTable):
        monkeypatch.setattr(sort, "__init__", _noting(sort.__init__, made))
    assert (await pipeline.handle(Utterance("call the porch lamp Bob"))).outcome == "assistant"
    assert await acts(pipeline, "turn off Bob")
    assert (await pipeline.handle(Utterance("forget the name Bob"))).outcome == "assistant"
    assert not await acts(pipeline, "turn off Bob")
    await outside.publish(Publication("announce/counter lamp", b'"Kitchen"', retain=True))
    await until(pipeline, "turn on the counter lamp", acting=True)
    assert len(made) == 3 * 3  # an index, the names, and what is said in short for them
    assert main_thread().name not in made


async def test_a_message_that_a_source_breaks_on_hides_no_other_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    broker = MemoryBroker(now)
    outside = broker.connect()
    for name, told in (("attic lamp", b'"Attic"'), ("broken lamp", b"no JSON"), ("porch lamp", b'"Garden"')):
        await outside.publish(Publication(f"announce/{name}", told, retain=True))
    async with open_home(HOME, broker.connect(), grammar=GRAMMAR, replies=REPLIES, sources=[Announced()]) as opened:

        async def known(*names: str) -> None:
            async with asyncio.timeout(5):
                while {f"0x{name} lamp" for name in names} != set(opened.inventory.difference()["added"]):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)

        await known("attic", "porch")
        assert opened.inventory.difference()["unusable"] == {
            "announce/broken lamp": "could not be read: JSONDecodeError"
        }
        await outside.publish(Publication("announce/broken lamp", b"nor this", retain=True))
        await outside.publish(Publication("announce/counter lamp", b'"Kitchen"', retain=True))
        await known("attic", "porch", "counter")
        logged = [item.getMessage() for item in caplog.records if item.levelname == "ERROR"]
        assert logged == ["what was told on announce/broken lamp could not be read"]
        await outside.publish(Publication("announce/broken lamp", b'"Attic"', retain=True))
        await known("attic", "porch", "counter", "broken")
        assert not opened.inventory.difference()["unusable"]
