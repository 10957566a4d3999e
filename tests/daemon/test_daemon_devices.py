"""`devices`: the one look-up, from the file, from the running daemon, and on a broker that tells of a home."""

import json
from pathlib import Path

import pytest

from benchmarks.zigbee_models import announced
from daemon.home.loader import load_home
from daemon.mqtt.bus import Publication
from tests.brokers import USER, Mosquitto, connected
from tests.daemon.processes import Place, command, running, say

MODELS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "discovery" / "fixtures" / "zigbee_models.jsonl").read_text().splitlines()
]


async def test_the_file_alone(place: Place) -> None:
    said = await command(place, "devices")
    assert said.code == 0
    assert said.out.splitlines()[-1] == "7 devices, 4 areas, 1 floors, 0 groups, 0 scenes"
    assert {item["id"] for item in (await command(place, "devices", "--json")).objects} >= {"old_friend", "kitchen"}
    [one] = (await command(place, "devices", "老伙计")).objects
    assert (one["id"], one["topic"], one["tags"]) == ("old_friend", "zigbee2mqtt/living room/old plug", ["lamp"])
    assert "state" not in one


async def test_a_name_that_is_not_known_says_what_was_searched(place: Place) -> None:
    nobody = await command(place, "devices", "old fiend")
    assert nobody.code == 1
    assert "nothing is called 'old fiend' (searched: 7 devices, 4 areas, 1 floors)" in nobody.complaint
    assert "nearest: Old friend" in nobody.complaint


async def test_tags(place: Place) -> None:
    assert (await command(place, "devices", "--tags", "--json")).objects == [{"lamp": ["old_friend"]}]
    assert (await command(place, "devices", "--tags")).out == "lamp: 1\n  old_friend\n"


@pytest.mark.parametrize(
    "wrong", [("--diff",), ("--adopt", "new.yaml"), ("--tags", "old friend"), ("--tags", "--diff")]
)
async def test_what_makes_no_sense_is_refused(place: Place, wrong: tuple[str, ...]) -> None:
    assert (await command(place, "devices", *wrong)).code == 2


async def test_the_running_daemon_knows_states_and_acts(place: Place) -> None:
    async with running(place):
        [said] = await say(place, "turn on old friend")
        [one] = (await command(place, "devices", "old friend")).objects
    assert one["state"]["state"]["value"] == "on"
    assert one["state"]["state"]["age_s"] is not None
    assert one["online"] is True
    assert [(act["action"], act["status"], act["said"]) for act in one["last_acts"]] == [
        ("turn_on", said["outcomes"][0]["status"], "turn on old friend")
    ]


async def test_a_broker_that_tells_of_a_home(place: Place, mosquitto: Mosquitto) -> None:
    place.extra = {"BROKER_PASSWORD": "correct horse: battery staple"}
    mqtt = f"mqtt: {{host: 127.0.0.1, port: {mosquitto.port}, user: {USER}, password: {{env: BROKER_PASSWORD}}}}\n"
    place.home.write_text(
        mqtt + 'devices:\n  first: {discovered: "thing 0", name: Uncle}\n  gone: {discovered: nowhere}\n', "utf-8"
    )
    async with connected(mosquitto.broker(status_topic=None)) as outside:
        message = announced(MODELS)
        await outside.publish(Publication(message.topic, message.payload, retain=True))
        [told] = (await command(place, "devices", "--diff", "--json")).objects
        assert "names" in told["overridden"]["first"]
        assert told["missing"] == {"gone": "nowhere"}
        assert "0x0000000000000001" in told["added"]
        assert (await command(place, "devices", "--diff")).code == 0
        place.home.write_text(mqtt, "utf-8")
        async with running(place):
            whole = await command(place, "devices", "--json")
            assert len(whole.objects) > 60
            assert (await command(place, "devices", "--adopt", str(place.root / "new.yaml"))).code == 0
        again = await command(place, "devices", "--adopt", str(place.root / "new.yaml"))
        assert again.code == 2
        assert "is there already" in again.complaint
    adopted = load_home(place.root / "new.yaml")
    assert adopted.mqtt is not None
    assert len(adopted.overrides) > 60
    assert "correct horse" not in (place.root / "new.yaml").read_text("utf-8")
