"""The broker goes at every moment of an act: nothing confirmed is lost, nothing sent twice, nothing sent later."""

import asyncio
import json
from typing import Any

from tests.brokers import Mosquitto
from tests.daemon.furnished import connections, house, secured
from tests.daemon.processes import SOON_S, Daemon, Place, running, say
from tests.daemon.witness import Witness, witness

LAMP = "zigbee2mqtt/bedroom_desk_lamp"
OLD_FRIEND = "zigbee2mqtt/living room/old plug"
COUNTER = "zigbee2mqtt/kitchen_counter"
HALL = "zigbee2mqtt/hall_light"
SHUTTER = "zigbee2mqtt/hall_shutter"
CANARY = "zigbee2mqtt/kitchen_desk_lamp/set"


def set_topics(seen: Witness) -> list[str]:
    return [topic for topic, _ in seen.sets]


async def works_again(place: Place, daemon: Daemon, seen: Witness) -> None:
    """The daemon is back, and a command after the outage is carried out: whatever was held back has gone before it."""
    await daemon.until(lambda: connections(daemon) == 2)
    [result] = await say(place, "turn on the kitchen desk lamp", satellite="later")
    assert result["outcomes"][0]["status"] == "done"
    await seen.until(lambda: CANARY in set_topics(seen))


async def test_before_anything_was_sent(place: Place, mosquitto: Mosquitto) -> None:
    """A relative change reads first; nobody answers, and the broker goes while that is awaited."""
    secured(place, mosquitto)
    async with running(place) as daemon:
        async with witness(mosquitto) as seen:
            asked = asyncio.create_task(say(place, "make the bedroom desk lamp brighter"))
            await seen.until(lambda: any(topic == f"{LAMP}/get" for topic, _ in seen.seen))
            await mosquitto.kill()
            [result] = await asked
        assert result["outcome"] == "reject"
        assert not result.get("outcomes")
        await mosquitto.start()
        async with house(mosquitto) as devices, witness(mosquitto) as seen:
            await works_again(place, daemon, seen)
            assert set_topics(seen) == [CANARY]
            assert devices.truth("bedroom_desk_lamp")["brightness"] == 40


async def test_a_broker_that_stands_still_and_dies(place: Place, mosquitto: Mosquitto) -> None:
    """It gives no sign of life, so it is sent nothing."""
    secured(place, mosquitto)
    async with house(mosquitto) as devices, running(place) as daemon:
        await asyncio.sleep(0.5)
        mosquitto.freeze()
        [result] = await say(place, "turn on old friend")
        await mosquitto.kill()
        [outcome] = result["outcomes"]
        assert (outcome["status"], outcome["reason"]) == ("refused", "broker_away")
        await mosquitto.start()
        async with witness(mosquitto) as seen:
            await works_again(place, daemon, seen)
            assert set_topics(seen) == [CANARY]
            assert devices.truth("old_friend")["state"] == "off"
        assert await daemon.terminate() == 0
    assert [(row["device"], row["status"]) for row in place.audit()] == [
        ("old_friend", "refused"),
        ("kitchen_desk_lamp", "done"),
    ]


async def test_a_broker_that_stands_still_and_wakes(place: Place, mosquitto: Mosquitto) -> None:
    """What it had been sent it would hand on when it wakes, seconds after the reply: an unlock too."""
    secured(place, mosquitto)
    async with house(mosquitto) as devices, running(place) as daemon, witness(mosquitto) as seen:
        [asked] = await say(place, "unlock the front door")
        assert asked["outcome"] == "clarify"
        # Long enough that its last sign of life is an old one.
        await asyncio.sleep(0.5)
        mosquitto.freeze()
        [result] = await say(place, "yes")
        assert [item["reason"] for item in result["outcomes"]] == ["broker_away"]
        mosquitto.thaw()
        await works_again(place, daemon, seen)
        assert [topic for topic in set_topics(seen) if "door" in topic] == []
        assert devices.truth("front_door")["state"] == "locked"


async def test_during_a_group(place: Place, mosquitto: Mosquitto) -> None:
    """Who was seen to obey is told so, and who was not is told apart, by what the audit log says too."""
    secured(place, mosquitto)
    async with house(mosquitto) as devices, running(place) as daemon:
        async with witness(mosquitto) as seen:
            asked = asyncio.create_task(say(place, "turn on the counter light and the hall light"))
            # The hall light has obeyed, and said so; the counter light will not.
            await seen.until(lambda: _shows(seen, HALL, "ON") and f"{COUNTER}/set" in set_topics(seen))
            await mosquitto.kill()
            [result] = await asked
        statuses = {item["device"]: item["status"] for item in result["outcomes"]}
        assert statuses["kitchen_counter"] == "unconfirmed"
        assert statuses["hall_light"] in ("done", "unconfirmed")
        assert devices.truth("hall_light")["state"] == "on"
        await mosquitto.start()
        async with witness(mosquitto) as seen:
            await works_again(place, daemon, seen)
            assert set_topics(seen) == [CANARY]
            assert devices.truth("kitchen_counter")["state"] == "off"
        # What was confirmed before is in the log still.
        assert await daemon.terminate() == 0
    rows = [row for row in place.audit() if row["allowed_because"] != "followed"]
    assert {row["device"]: row["status"] for row in rows} == statuses | {"kitchen_desk_lamp": "done"}


async def test_between_two_commands_of_one_sentence(place: Place, mosquitto: Mosquitto) -> None:
    secured(place, mosquitto)
    async with house(mosquitto) as devices, running(place) as daemon:
        async with witness(mosquitto) as seen:
            asked = asyncio.create_task(say(place, "turn on the counter light and then close the hall shutter"))
            await seen.until(lambda: f"{COUNTER}/set" in set_topics(seen))
            await mosquitto.kill()
            [result] = await asked
        assert [(item["device"], item["status"], item["reason"]) for item in result["outcomes"]] == [
            ("kitchen_counter", "unconfirmed", "connection_lost"),
            ("hall_shutter", "refused", "broker_away"),
        ]
        await mosquitto.start()
        async with witness(mosquitto) as seen:
            await works_again(place, daemon, seen)
            assert set_topics(seen) == [CANARY]
            assert devices.truth("hall_shutter")["position"] == 20


async def test_while_a_cover_is_on_its_way(place: Place, mosquitto: Mosquitto) -> None:
    """The shutter goes on by itself; where it came to rest is found out when the broker is back."""
    secured(place, mosquitto)
    async with house(mosquitto) as devices, running(place) as daemon:
        [result] = await say(place, "close the hall shutter")
        assert result["outcomes"][0]["reason"] == "moving"
        await mosquitto.kill()
        await mosquitto.start()
        async with witness(mosquitto) as seen:
            await works_again(place, daemon, seen)
            await seen.until(lambda: _shows(seen, SHUTTER, "CLOSE"))
            await _followed(place)
            assert set_topics(seen) == [CANARY]
        assert devices.truth("hall_shutter")["position"] == 0
    last = [row for row in place.audit() if row["device"] == "hall_shutter"][-1]
    assert (last["allowed_because"], last["status"], json.loads(last["sent"])) == ("followed", "done", [])


async def test_a_moment_that_comes_while_the_broker_is_away(place: Place, mosquitto: Mosquitto) -> None:
    """What was due is done once, as soon as it can be, and said."""
    secured(place, mosquitto)
    async with house(mosquitto) as devices, running(place) as daemon:
        await say(place, "turn on old friend in 5 seconds", "set an egg timer for 6 seconds")
        await mosquitto.kill()
        # A timer needs no broker: when it has rung, the other moment has passed.
        await daemon.until(lambda: any("egg" in line for line in daemon.out))
        assert not any("Old friend is on" in line for line in daemon.out)
        await mosquitto.start()
        async with witness(mosquitto) as seen:
            await daemon.until(lambda: "Old friend is on." in daemon.out)
            await works_again(place, daemon, seen)
            assert set_topics(seen) == [f"{OLD_FRIEND}/set", CANARY]
        assert devices.truth("old_friend")["state"] == "on"
        assert daemon.out.count("Old friend is on.") == 1


async def test_what_a_rule_waits_for_happens_while_the_broker_is_away(place: Place, mosquitto: Mosquitto) -> None:
    """Nobody saw the door open, so nothing is done about it; the next time is seen again."""
    secured(place, mosquitto)
    async with house(mosquitto) as devices, running(place) as daemon:
        [made] = await say(place, "whenever the front door is unlocked turn on the hall light")
        assert made["outcome"] == "schedule"
        await mosquitto.kill()
        await devices.place("front_door", {"state": "unlocked"})
        await mosquitto.start()
        async with witness(mosquitto) as seen:
            await works_again(place, daemon, seen)
            assert set_topics(seen) == [CANARY]
            assert devices.truth("hall_light")["state"] == "off"
            async with asyncio.timeout(SOON_S):
                while f"{HALL}/set" not in set_topics(seen):
                    # What devices say just after an outage is not believed to be news.
                    await devices.place("front_door", {"state": "locked"})
                    await devices.place("front_door", {"state": "unlocked"})
                    await asyncio.sleep(0.05)


async def _followed(place: Place) -> None:
    """Waits until the end of what was under way is written down."""
    async with asyncio.timeout(SOON_S):
        while not any(row["allowed_because"] == "followed" for row in place.audit()):  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.05)


def _shows(seen: Witness, topic: str, state: str) -> bool:
    said: Any = json.loads(seen.last(topic) or "{}")
    return bool(said.get("state") == state)
