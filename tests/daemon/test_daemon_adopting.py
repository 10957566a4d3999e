"""The skeleton of a home file for what a broker told of."""

from datetime import date
from pathlib import Path
from typing import Any

import yaml

from daemon.commands.adopting import skeleton
from daemon.home.loader import load_home

LAMP: dict[str, Any] = {
    "id": "0x01", "kind": "device", "names": ["Reading lamp"], "type": "light", "found": True, "dialect": "zigbee2mqtt",
    "capabilities": [{"attribute": "state"}, {"attribute": "brightness"}],
}  # fmt: skip
FAN = LAMP | {"id": "fan", "names": ["Old fan"], "type": "fan"}


def test_what_the_file_mentions_already_is_left_out(tmp_path: Path) -> None:
    """The one that an entry means bears that entry's id, which the broker does not know."""
    file = tmp_path / "devices.yaml"
    file.write_text("mqtt: {host: broker.example}\ndevices:\n  fan: {discovered: 0x02}\n", encoding="utf-8")
    text = skeleton(load_home(file), [LAMP, FAN], date(2026, 11, 21))
    assert yaml.safe_load(text) == {
        "devices": {"reading_lamp": {"discovered": "0x01", "name": "Reading lamp", "type": "light"}}
    }
