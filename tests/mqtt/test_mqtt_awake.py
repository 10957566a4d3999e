"""A broker that stands still is sent nothing, and one that only had to wait for us is not given up."""

import asyncio
import time

import pytest

from daemon.core.errors import BrokerLost, BrokerUnavailable
from daemon.mqtt import connection as module
from daemon.mqtt import failures
from daemon.mqtt.bus import Publication
from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from daemon.simulate.broker import EmbeddedBroker
from tests.brokers import SOON_S, Changes, Inbox, Mosquitto, connected, eventually

QUIET_S = module._AWAKE_S + 0.05


@pytest.mark.parametrize("protocol", ["3.1.1", "5"])
async def test_nothing_is_sent_to_a_broker_that_stands_still(mosquitto: Mosquitto, protocol: str) -> None:
    """What is sent while it stands still it hands on when it wakes: "unlock", seconds after all was over."""
    async with (
        connected(mosquitto.broker(status_topic=None)) as other,
        connected(mosquitto.broker(protocol=protocol, ack_timeout_s=1.0)) as bus,
    ):
        inbox, changes = Inbox(), Changes(bus)
        await other.subscribe("lock/set", inbox)
        await asyncio.sleep(QUIET_S)
        mosquitto.freeze()
        results = await asyncio.gather(
            *(bus.publish(Publication("lock/set", b"UNLOCK")) for _ in range(3)), return_exceptions=True
        )
        mosquitto.thaw()
        await changes.last(up=True, after=1)
        await bus.publish(Publication("lock/set", b"LOCK"))
        await inbox.count(1)
    assert [type(result) for result in results] == [BrokerUnavailable] * 3
    assert "does not answer" in str(results[0])
    assert inbox.payloads == [b"LOCK"]


async def test_what_was_on_its_way_is_known_to_be_unknown(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connected(mosquitto.broker(ack_timeout_s=1.0)) as bus:
        await bus.publish(Publication("a", b"it is awake"))
        mosquitto.freeze()
        # Heard a moment ago, however busy the machine: nobody can know.
        monkeypatch.setattr(module, "_AWAKE_S", SOON_S)
        with pytest.raises(BrokerLost, match="did not acknowledge"):
            await bus.publish(Publication("a", b"1"))
        mosquitto.thaw()


async def test_who_gives_up_while_the_broker_is_asked_sends_nothing(mosquitto: Mosquitto) -> None:
    async with connected(mosquitto.broker(status_topic=None)) as other, connected(mosquitto.broker()) as bus:
        inbox = Inbox()
        await other.subscribe("a", inbox)
        await asyncio.sleep(QUIET_S)
        mosquitto.freeze()
        sending = asyncio.create_task(bus.publish(Publication("a", b"given up")))
        await eventually(lambda: bus._asking is not None)
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        mosquitto.thaw()
        await bus.publish(Publication("a", b"later"))
        await inbox.count(1)
    assert inbox.payloads == [b"later"]


@pytest.mark.parametrize("turns", range(1, 12))
async def test_time_in_which_we_stood_still_is_not_held_against_the_broker(
    turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The embedded broker stands still with us; and the answer of any other may lie in our socket."""
    monkeypatch.setattr(failures, "STEP_S", 0.1)
    async with EmbeddedBroker() as embedded, Connection(Broker(port=embedded.port, ack_timeout_s=0.4)) as bus:
        await bus.ready(SOON_S)
        changes = Changes(bus)
        sending = asyncio.create_task(bus.publish(Publication("a", b"1")))
        for _ in range(turns):
            await asyncio.sleep(0)
        time.sleep(0.5)  # noqa: ASYNC251 - as a machine does that is out of memory, or asleep
        await sending
        assert changes.seen == []
