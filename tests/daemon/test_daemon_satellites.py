"""A whole daemon with a real satellite in another room, and asked by others over Wyoming."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import numpy as np
import pytest
from wyoming.asr import Transcript
from wyoming.client import AsyncTcpClient

from daemon.hear.audio import SAMPLE_RATE, load
from daemon.simulate.broker import free_port
from tests.daemon.processes import SOON_S, Place, command, running
from tests.satellites.boxes import Box
from tests.satellites.devices import KEY, Device


def with_section(place: Place, text: str) -> Place:
    place.furnish(replacing=("[hall light]", "[hall light, standing light]"))
    place.home.write_text(place.home.read_text(encoding="utf-8") + text, encoding="utf-8")
    return place


@pytest.mark.speech
async def test_a_command_spoken_in_another_room_is_carried_out_and_answered_there(place: Place) -> None:
    if not (folder := os.environ.get("HEARKEN_TEST_SPEECH")):
        pytest.skip("HEARKEN_TEST_SPEECH names no folder")
    quiet = np.zeros(2 * SAMPLE_RATE, np.float32)
    wake, said = (load(Path(folder) / name) for name in ("wake_004.flac", "en_003.flac"))
    async with Box(name="hall").open() as box:
        with_section(place, f'\nsatellites:\n  hall: {{area: hall, wyoming: "127.0.0.1:{box.port}"}}\n')
        found = await command(place, "doctor", "--json")
        [satellite] = [item for item in found.objects if item["subject"] == "satellite hall"]
        assert (satellite["state"], '"hall"' in satellite["note"]) == ("ok", True)
        async with running(place) as daemon:
            await box.lights.has("streaming-started")
            await box.play(np.concatenate([quiet, said, quiet, wake, said, quiet]))
            shown = await box.lights.has("detection", "transcript", "synthesize", "audio-stop")
            assert await daemon.replies(1) == ["Hall (names) light is on."]
            [text] = [item.data["text"] for item in shown if item.type == "synthesize"]
            assert text == "Hall (names) light is on."
            assert await daemon.terminate() == 0
    assert box.spoken() > SAMPLE_RATE


@pytest.mark.speech
async def test_an_esphome_box_is_heard_and_answered(place: Place) -> None:
    if not (folder := os.environ.get("HEARKEN_TEST_SPEECH")):
        pytest.skip("HEARKEN_TEST_SPEECH names no folder")
    place.extra["HALL_KEY"] = KEY
    quiet = np.zeros(SAMPLE_RATE, np.float32)
    async with Device(name="hall-voice").open() as box, Device(name="attic-voice", key=None).open() as bare:
        with_section(
            place,
            f'\nsatellites:\n  hall: {{area: hall, esphome: "127.0.0.1:{box.port}", key: {{env: HALL_KEY}}}}\n'
            f'  attic: {{esphome: "127.0.0.1:{bare.port}"}}\n'
            f'  cellar: {{esphome: "127.0.0.1:{box.port + 1}", key: {{file: nowhere}}}}\n',
        )
        found = {item["subject"]: item for item in (await command(place, "doctor", "--json")).objects}
        told = {name: found[f"satellite {name}"] for name in ("hall", "attic", "cellar")}
        assert [item["state"] for item in told.values()] == ["ok", "ok", "bad"]
        assert 'ESPHome "hall-voice"' in told["hall"]["note"]
        assert "not encrypted" in told["attic"]["note"]
        assert "satellites.cellar.key: cannot read" in told["cellar"]["note"]
        async with running(place) as daemon:
            await box.wakes()
            box.says(np.concatenate([quiet, load(Path(folder) / "en_003.flac"), quiet]))
            await box.has("STT_END", "INTENT_END", "TTS_START", "TTS_END", "RUN_END")
            assert await daemon.replies(1) == ["Hall (names) light is on."]
            await box.until(lambda _: box.played)
            assert await daemon.terminate() == 0
            assert KEY not in "".join(daemon.err)
    assert box.last("TTS_START")["text"] == "Hall (names) light is on."
    assert box.played[0][0] == "audio/flac"
    assert box.played[0][1] > 1


async def test_others_ask_it_and_doctor_says_what_is_away(place: Place) -> None:
    port, nobody = free_port(), free_port()
    with_section(
        place,
        f'\nwyoming: {{serve: {{port: {port}}}, asr: "127.0.0.1:{nobody}"}}\n'
        f'satellites: {{cellar: {{wyoming: "127.0.0.1:{nobody}"}}}}\n',
    )
    async with running(place) as daemon, asyncio.timeout(SOON_S):
        async with AsyncTcpClient("127.0.0.1", port) as client:
            await client.write_event(Transcript("turn on the hall light", {"satellite_id": "x"}, "en-US").event())
            answer = await client.read_event()
            assert answer is not None
            assert (answer.type, answer.data["text"]) == ("handled", "Hall (names) light is on.")
            await client.write_event(Transcript("frob the widget").event())
            answer = await client.read_event()
            assert answer is not None
            assert answer.type == "not-handled"
        found = {item["subject"]: item for item in (await command(place, "doctor", "--json")).objects}
        assert found["wyoming serve"]["state"] == "ok"
        assert 'handle "Hearken"' in found["wyoming serve"]["note"]
        assert found["wyoming asr"]["state"] == "bad"
        assert "our own is used" in found["wyoming asr"]["note"]
        assert found["wakes cellar"]["note"].startswith("0 since the daemon was started; after 0 nobody spoke")
        assert await daemon.terminate() == 0
