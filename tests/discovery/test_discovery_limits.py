"""What is cut or dropped for its size is said in the log, once."""

import json
import logging
from collections.abc import Callable

import pytest

from daemon.discovery import tasmota
from daemon.discovery.homeassistant import HomeAssistantSource, assemble
from daemon.discovery.zigbee2mqtt import device, exposes
from daemon.mqtt.bus import Message
from daemon.mqtt.dialects import homeassistant, payloads, templates
from daemon.mqtt.dialects.homeassistant_words import Say
from daemon.system.worker import Limit


def named(name: str) -> None:
    source = HomeAssistantSource()
    said = json.dumps({"name": name, "uniq_id": "x", "cmd_t": "a/set", "stat_t": "a"}).encode()
    source.take(Message("homeassistant/switch/x/config", said, True, 0, 1))  # noqa: FBT003 - as it comes
    [find] = source.finds()
    assert max(map(len, find.entity.names)) <= 80


@pytest.mark.parametrize(
    ("module", "limit", "cut"),
    [
        (payloads, "_STATES", lambda: payloads.parse(b" " * 70_000)),
        (payloads, "_AVAILABILITIES", lambda: payloads.presence(b'{"state": "online", "since": "%s"}' % (b"0" * 80))),
        (payloads, "_TEXTS", lambda: payloads.word("a" * 65)),
        (payloads, "_TEXTS", lambda: payloads.prose("a" * 501)),
        (templates, "_LONG", lambda: templates.parsed(b" " * 70_000)),
        (exposes, "_ENUMS", lambda: exposes._words([f"mode {at}" for at in range(65)])),
        (assemble, "_NAMES", lambda: named("Lamp " * 30)),
        (device, "_NAMES", lambda: device.words("Lamp " * 30)),
        (device, "_NAMES", lambda: list(device.scenes([{"id": 1, "name": "Tea" * 30}], "a", "b", "c"))),
        (device, "_TEXTS", lambda: device.text("behind the sofa " * 30)),
        (tasmota, "_NAMES", lambda: tasmota._text("Plug " * 30)),
        (
            homeassistant,
            "_LONG",
            lambda: homeassistant.HomeAssistant(templates.Templates())._publication(Say("on", "a"), "a" * 4_097),
        ),
    ],
    ids=[
        "state",
        "availability",
        "word",
        "prose",
        "templates",
        "options",
        "name",
        "zigbee name",
        "scene",
        "description",
        "tasmota name",
        "command",
    ],
)
def test_a_limit_that_cuts_says_so_once(
    module: object,
    limit: str,
    cut: Callable[[], object],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    present = getattr(module, limit)
    monkeypatch.setattr(module, limit, Limit(present._log, present._message))
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            cut()
    assert len([item for item in caplog.records if "more than" in item.getMessage()]) == 1


def test_what_fits_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    assert payloads.word("a" * 64) == "a" * 64
    assert payloads.parse(b'{"a": 1}') == {"a": 1}
    named("Lamp")
    assert not caplog.records
