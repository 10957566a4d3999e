"""The daemon on a real mosquitto that wants a user, a password and TLS, watched by a client of its own."""

import asyncio
import json
from pathlib import Path

import pytest

from daemon.simulate.broker import free_port
from tests.brokers import PASSWORD, Mosquitto, running_mosquitto
from tests.daemon.furnished import connections, house, secured
from tests.daemon.manager import Manager
from tests.daemon.processes import Place, command, running, say
from tests.daemon.witness import witness

STATUS = "hearken/status"
OLD_FRIEND = "zigbee2mqtt/living room/old plug"
COUNTER = "zigbee2mqtt/kitchen_counter"


async def test_an_independent_client_sees_the_command(place: Place, mosquitto: Mosquitto) -> None:
    secured(place, mosquitto)
    async with house(mosquitto) as devices, witness(mosquitto) as seen:
        async with running(place, "--json") as daemon:
            await seen.until(lambda: seen.last(STATUS) == "online")
            daemon.type("turn on old friend", "打开卧室的台灯")
            results = [json.loads(line) for line in await daemon.replies(2)]
            assert [result["outcomes"][0]["status"] for result in results] == ["done", "done"]
            await seen.until(lambda: len(seen.sets) >= 2)
            assert [(topic, json.loads(payload)["state"]) for topic, payload in seen.sets] == [
                (f"{OLD_FRIEND}/set", "ON"),
                ("zigbee2mqtt/bedroom_desk_lamp/set", "ON"),
            ]
            assert devices.truth("old_friend")["state"] == "on"
            assert await daemon.terminate() == 0
        await seen.until(lambda: seen.last(STATUS) == "offline")


async def test_only_the_daemon_speaks_of_itself(place: Place, mosquitto: Mosquitto) -> None:
    secured(place, mosquitto)
    async with house(mosquitto), running(place), witness(mosquitto) as seen:
        await seen.until(lambda: seen.last(STATUS) == "online")
        for arguments in (("text", "--home", str(place.home), "turn on old friend"), ("doctor",), ("run",)):
            assert (await command(place, *arguments)).code == {"text": 0, "doctor": 0, "run": 2}[arguments[0]]
        await say(place, "turn off old friend")
        await seen.until(lambda: len(seen.sets) >= 2)
        assert [payload for topic, payload in seen.seen if topic == STATUS] == ["online"]


async def test_every_act_and_refusal_is_in_the_audit_log(place: Place, mosquitto: Mosquitto) -> None:
    secured(place, mosquitto)
    async with house(mosquitto), running(place) as daemon:
        lying, *_ = await say(
            place,
            "turn on the counter light",
            "turn on old friend",
            "unlock the front door",
            "no",
            "turn on the moon",
            "is old friend on",
            satellite="kitchen",
        )
        assert lying["outcomes"][0]["status"] == "failed"
        assert lying["reply"] == "That did not work: Counter light still says off."
        assert await daemon.terminate() == 0
    rows = place.audit()
    assert [(row["said"], row["device"], row["status"]) for row in rows] == [
        ("turn on the counter light", "kitchen_counter", "failed"),
        ("turn on old friend", "old_friend", "done"),
        ("turn on the moon", None, "refused"),
    ]
    assert {row["satellite"] for row in rows} == {"kitchen"}
    sent, seen = json.loads(rows[1]["sent"]), json.loads(rows[1]["seen"])
    assert [(item["topic"], json.loads(item["payload"])) for item in sent] == [(f"{OLD_FRIEND}/set", {"state": "ON"})]
    assert (seen["attribute"], seen["value"], seen["source"], seen["topic"]) == ("state", "on", "reply", OLD_FRIEND)
    assert json.loads(rows[2]["sent"]) == []
    assert rows[2]["reason"]


async def test_a_broker_that_dies_in_the_middle(place: Place, mosquitto: Mosquitto) -> None:
    """Said at once, nothing sent later, and all is well when it is back."""
    secured(place, mosquitto)
    async with house(mosquitto) as devices, running(place) as daemon:
        async with witness(mosquitto) as seen:
            # A lamp that stays as it was is watched for seconds: time enough to pull the plug.
            asked = asyncio.create_task(say(place, "turn on the counter light"))
            await seen.until(lambda: bool(seen.sets))
            await mosquitto.kill()
            [result] = await asked
        [outcome] = result["outcomes"]
        assert (outcome["status"], outcome["reason"]) == ("unconfirmed", "connection_lost")
        assert "lost the connection" in result["reply"]
        away = await say(place, "turn on old friend", "turn on the bedroom desk lamp", "打开老伙计", "is old friend on")
        assert [item["outcome"] for item in away] == ["reject"] * 4
        assert all("can't reach the home" in item["reply"] for item in (away[0], away[1], away[3]))
        assert not any(item["commands"] or item.get("outcomes") for item in away)

        await mosquitto.start()
        async with witness(mosquitto) as seen:
            await daemon.until(lambda: connections(daemon) == 2)
            await seen.until(lambda: seen.last(OLD_FRIEND) is not None)
            [result] = await say(place, "turn on the kitchen desk lamp")
            assert result["outcomes"][0]["status"] == "done"
            await seen.until(lambda: bool(seen.sets))
            assert [topic for topic, _ in seen.sets] == ["zigbee2mqtt/kitchen_desk_lamp/set"]
            assert devices.truth("old_friend")["state"] == "off"
        assert sum("no connection with the broker" in line for line in daemon.err) == 1
        assert await daemon.terminate() == 0
    rows = [row["status"] for row in place.audit() if row["allowed_because"] != "followed"]
    assert rows == ["unconfirmed", *["refused"] * 4, "done"]


async def test_a_wrong_password(place: Place, mosquitto: Mosquitto) -> None:
    secured(place, mosquitto, password=PASSWORD + "!")
    failed = await command(place, "text", "turn on old friend")
    assert failed.code == 1
    assert "does not accept the user" in failed.complaint
    doctor = await command(place, "doctor", "--json")
    assert doctor.code == 1
    assert [item["state"] for item in doctor.objects if item["subject"] == "broker"] == ["bad"]
    async with running(place, stdin=asyncio.subprocess.DEVNULL) as daemon:
        await daemon.until(lambda: any("no connection with the broker" in line for line in daemon.err))
        [result] = await say(place, "turn on old friend")
        assert result["outcome"] == "reject"
        assert "can't reach the home" in result["reply"]


async def test_a_broker_that_wants_a_certificate(place: Place, mosquitto: Mosquitto) -> None:
    files = {"certificate": str(mosquitto.folder / "client.crt"), "key": str(mosquitto.folder / "client.key")}
    async with house(mosquitto):
        secured(place, mosquitto, port=mosquitto.mutual_port, tls={"ca": str(mosquitto.ca), **files})
        assert (await command(place, "text", "turn on old friend")).code == 0
        secured(place, mosquitto, port=mosquitto.mutual_port)
        refused = await command(place, "text", "turn on old friend")
    assert refused.code == 1
    assert "mqtt.tls.certificate" in refused.complaint


async def test_a_broker_whose_certificate_has_expired(place: Place, mosquitto_folder: Path) -> None:
    async with running_mosquitto(mosquitto_folder, server="expired") as broker:
        secured(place, broker)
        said = await command(place, "text", "turn on old friend")
        doctor = await command(place, "doctor")
    assert said.code == 1
    assert "expired" in said.complaint
    assert "expired" in doctor.out


async def test_a_password_that_is_not_there(place: Place, mosquitto: Mosquitto) -> None:
    secured(place, mosquitto)
    place.extra = {}
    for arguments in (("run",), ("text", "turn on old friend")):
        failed = await command(place, *arguments)
        assert failed.code == 2
        assert "BROKER_PASSWORD is not set" in failed.complaint


async def test_no_broker(place: Place) -> None:
    place.furnish({"host": "127.0.0.1", "port": free_port()})
    failed = await command(place, "text", "turn on old friend")
    assert failed.code == 1
    assert "127.0.0.1" in failed.complaint
    async with running(place) as daemon:
        daemon.type("turn on old friend", "打开老伙计")
        first, second = await daemon.replies(2)
        assert "can't reach the home" in first
        assert second
        assert await daemon.end() == 0


async def test_a_broker_that_comes_late(place: Place, mosquitto: Mosquitto) -> None:
    secured(place, mosquitto)
    await mosquitto.kill()
    with Manager(place) as manager:
        async with running(place) as daemon:
            assert "is away" in await manager.status()
            [result] = await say(place, "turn on old friend")
            assert "can't reach the home" in result["reply"]
            await mosquitto.start()
            async with house(mosquitto), witness(mosquitto) as seen:
                await daemon.until(lambda: connections(daemon) == 1)
                assert "connected with the broker" in await manager.status()
                [result] = await say(place, "turn on old friend")
                assert result["outcomes"][0]["status"] == "done"
                await seen.until(lambda: bool(seen.sets))
                assert [topic for topic, _ in seen.sets] == [f"{OLD_FRIEND}/set"]
            assert await daemon.terminate() == 0


@pytest.mark.parametrize("missing", ["ca.crt", "nobody.crt"])
async def test_an_authority_that_is_not_ours(place: Place, mosquitto: Mosquitto, missing: str, tmp_path: Path) -> None:
    path = tmp_path / missing
    if missing == "ca.crt":
        path.write_text("no certificate", encoding="utf-8")
    secured(place, mosquitto, tls={"ca": str(path)})
    failed = await command(place, "text", "turn on old friend")
    assert failed.code in (1, 2)
    assert str(path) in failed.complaint
