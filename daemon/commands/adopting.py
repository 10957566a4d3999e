"""A home file for a home that the broker told of: everything in it may be changed or left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

from daemon.home.config import HomeConfig, MqttSettings


def skeleton(home: HomeConfig, told: list[dict[str, Any]], today: date) -> str:
    """The text of a `devices.yaml` that says the same as what was told.

    Args:
        home: The present file: its broker is kept, and what it has itself is left out.
        told: What `daemon.inventory` says of everything there is.
        today: For the first line.
    """
    own = {item.id for item in (*home.entities, *(override.entity for override in home.overrides))}
    new = [item for item in told if item["id"] not in own]
    lines = [f"# What the broker told of on {today:%Y-%m-%d}. What is left out here stays as it is found."]
    if own:
        lines.append("# The present home file has things of its own: put these lines into its sections.")
    elif home.mqtt is not None:
        lines += ["", *_mqtt(home.mqtt)]
    areas = [item for item in new if item["kind"] == "area"]
    if areas:
        lines += ["", "areas:", *(f"  {_key(item['id'])}: {{name: {_text(item['names'][0])}}}" for item in areas)]
    devices = [item for item in new if item["kind"] == "device" and item.get("found")]
    if devices:
        lines += ["", "devices:"]
        used = {*own, *(item["id"] for item in areas)}
        for number, item in enumerate(devices, 1):
            slug = _slug(item)
            name = slug if slug and slug not in used else f"{slug or 'device'}_{number}"
            used.add(name)
            lines += _device(item, name)
    return "\n".join(lines) + "\n"


def _device(item: dict[str, Any], name: str) -> Iterator[str]:
    able = ", ".join(dict.fromkeys(one["attribute"] for one in item.get("capabilities", ())))
    yield f"  {name}:  # {item.get('dialect', '')}: {able}"
    yield f"    discovered: {_text(item['id'])}"
    yield f"    name: {_text(item['names'][0])}"
    if "area" in item:
        yield f"    area: {_key(item['area'])}"
    else:
        yield "    # area: where it is"
    if "type" in item:
        yield f"    type: {item['type']}"
    yield "    # aliases: [what else people call it]"


def _mqtt(settings: MqttSettings) -> Iterator[str]:
    yield "mqtt:"
    yield f"  host: {_text(settings.host)}"
    yield f"  port: {settings.port}"
    if settings.user is not None:
        yield f"  user: {_text(settings.user)}"
    if (source := settings.password) is not None:
        for kind, value in (("env", source.env), ("file", source.file), ("credential", source.credential)):
            if value is not None:
                yield f"  password: {{{kind}: {_text(str(value))}}}"
    if (tls := settings.tls) is not None:
        given = {"ca": tls.ca, "certificate": tls.certificate, "key": tls.key}
        inner = ", ".join(f"{name}: {_text(str(path))}" for name, path in given.items() if path is not None)
        yield f"  tls: {{{inner}}}" if inner else "  tls: true"
    if settings.version is not None:
        yield f"  version: {_text(settings.version)}"


def _slug(item: dict[str, Any]) -> str:
    """An id that can be typed: the name's own letters, where they are plain; else nothing."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in item["names"][0].lower())
    return plain.strip("_")[:40]


def _key(name: str) -> str:
    return _text(name)


def _text(text: str) -> str:
    """A YAML string: JSON's are."""
    return json.dumps(text, ensure_ascii=False)
