"""How many of zigbee2mqtt's models can be used, and which cannot and why.

`node scripts/zigbee-models.cjs > models.jsonl` (see there) makes the list; `python -m benchmarks.zigbee_models
models.jsonl` prints the figures; `--fixture FILE` writes 60 models of many vendors for the tests.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.act.values import same
from daemon.core.entities import Capability, Entity, Value
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.mqtt.bus import Message
from daemon.mqtt.dialects import DEVICES, DIALECTS

MAIN = ("light", "switch", "cover", "lock", "fan", "climate")
_CHOSEN = {"fan": 3, "lock": 4, "cover": 8, "climate": 8, "light": 14, "switch": 12, "sensor": 11}
_VENDORS = 80
_PER_VENDOR = 4
_BIG = 6_000


@dataclass(frozen=True)
class Change:
    """One attribute and the value that it shall take."""

    attribute: str
    value: Value
    unit: str | None = None


def announced(models: Iterable[Mapping[str, Any]]) -> Message:
    """The message in which zigbee2mqtt tells of one device of each model."""
    devices = [
        {
            "ieee_address": f"0x{number:016x}",
            "friendly_name": f"thing {number}",
            "type": "Router",
            "supported": True,
            "definition": {
                "model": model["model"],
                "vendor": model["vendor"],
                "description": "",
                "exposes": model["exposes"],
            },
        }
        for number, model in enumerate(models)
    ]
    return Message("zigbee2mqtt/bridge/devices", json.dumps(devices).encode(), retained=True, at=0, sequence=1)


def entities_of(model: Mapping[str, Any]) -> list[Entity]:
    """What is discovered of one device of this model."""
    source = Zigbee2MqttSource()
    source.take(announced([model]))
    return [find.entity for find in source.finds()]


def faults(model: Mapping[str, Any], entity: Entity) -> Iterator[str]:
    """What would go wrong with this device's settable capabilities: each a line.

    Each value is encoded, must be what the model itself says that it takes, and come back as the same value.
    """
    for capability in entity.capabilities:
        if capability.name in ("read", "event") or capability.attribute == "command":
            continue
        for value in samples(capability):
            said = f"{capability.name} {value}"
            sent = DIALECTS["zigbee2mqtt"].encode(entity, [Change(capability.attribute, value)])
            if len(sent) != 1:
                yield f"{said}: cannot be said"
                continue
            payload = json.loads(sent[0].payload)
            refused = [name for name, raw in payload.items() if not taken(model["exposes"], name, raw)]
            if refused:
                yield f"{said}: {sent[0].payload.decode()} is not taken"
            message = Message(sent[0].topic, sent[0].payload, retained=False, at=0, sequence=1)
            heard = (DEVICES["zigbee2mqtt"].requested(entity, message) or {}).get(capability.attribute)
            if heard is None or not same(capability.attribute, value, heard, capability):
                yield f"{said}: comes back as {heard}"


def samples(capability: Capability) -> list[Value]:
    """Values that this capability should take: all words, or both ends and the middle."""
    states: dict[str, list[Value]] = {
        "on_off": ["on", "off"],
        "open_close": ["open", "closed"],
        "lock": ["locked", "unlocked"],
        "color": ["#ff0000", "#3366cc"],
    }
    if capability.name in states:
        return states[capability.name]
    if capability.options:
        return list(capability.options)
    low, high = capability.minimum or 0, 100 if capability.maximum is None else capability.maximum
    step = capability.step or 1
    return [low, low + (high - low) / 2 // step * step, high]


def taken(exposes: Iterable[Mapping[str, Any]], name: str, raw: object) -> bool:
    """Whether a model says that it takes this property with this value."""
    return any(
        item.get("property") == name and _takes(item, raw)
        for item in _flat(exposes)
        if item.get("type") == "composite" or item.get("access", 0) & 2
    )


def _takes(item: Mapping[str, Any], raw: object) -> bool:
    match item["type"]:
        case "binary":
            return raw in (item["value_on"], item["value_off"])
        case "enum":
            return raw in item["values"]
        case "numeric":
            low, high = item.get("value_min", float("-inf")), item.get("value_max", float("inf"))
            return isinstance(raw, int | float) and low <= raw <= high
        case "composite":
            return isinstance(raw, dict) and bool(raw)
    return True


def _flat(exposes: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for item in exposes:
        yield item
        if item["type"] != "composite":
            yield from _flat(item.get("features", ()))


def controllable(model: Mapping[str, Any]) -> set[str]:
    """The main things of a model that it says can be set."""
    return {
        item["type"]
        for item in model["exposes"]
        if item["type"] in MAIN
        and any(feature.get("access", 0) & 2 for feature in item.get("features", ()))
        and not _is_setting(item)
    }


def controlled(entities: Iterable[Entity]) -> set[str]:
    """The capabilities that can be set, of what is there to be controlled rather than adjusted."""
    return {
        capability.name
        for entity in entities
        if "essential" not in entity.tags
        for capability in entity.capabilities
        if capability.name != "read"
    }


def _is_setting(item: Mapping[str, Any]) -> bool:
    """A switch for a function of the device, which is discovered as a setting: `window_detection`."""
    properties = [str(feature.get("property")) for feature in item.get("features", ())]
    return item["type"] == "switch" and not any(name.split("_")[0] == "state" for name in properties)


_CONTROLS = {
    "light": {"on_off", "brightness"},
    "switch": {"on_off"},
    "cover": {"open_close", "position"},
    "lock": {"lock"},
    "fan": {"on_off", "fan_speed"},
    "climate": {"temperature", "mode"},
}


def chosen(models: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """So many models of each main thing that differ most in what they are made of, of the vendors with most models."""
    small = [model for model in models if model["exposes"] and len(json.dumps(model)) < _BIG]
    vendors = [vendor for vendor, _ in Counter(model["vendor"] for model in small).most_common(_VENDORS)]
    found: list[Mapping[str, Any]] = []
    for main, number in _CHOSEN.items():
        fit = [model for model in small if model["vendor"] in vendors and main in (_mains(model) or ["sensor"])]
        covered: set[str] = set()
        for _ in range(number):
            used = Counter(model["vendor"] for model in found)
            free = [model for model in fit if used[model["vendor"]] < _PER_VENDOR and model not in found]
            best = max(free, key=lambda model: (len(_shape(model) - covered), model["model"]))
            covered |= _shape(best)
            found.append(best)
    return sorted(found, key=lambda item: (item["vendor"], item["model"]))


def _mains(model: Mapping[str, Any]) -> list[str]:
    return [item["type"] for item in model["exposes"] if item["type"] in MAIN]


def _shape(model: Mapping[str, Any]) -> set[str]:
    return {f"{len(_mains(model))} things", *(item.get("name", item["type"]) for item in _flat(model["exposes"]))}


def main() -> None:
    """Reads the models, prints the figures, writes the fixture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("--fixture", type=Path)
    args = parser.parse_args()
    listed = [json.loads(line) for line in args.models.read_text(encoding="utf-8").splitlines()]
    models = [model for model in listed if "error" not in model]
    if args.fixture is not None:
        lines = [json.dumps(model, separators=(",", ":"), ensure_ascii=False) for model in chosen(models)]
        args.fixture.write_text("\n".join(lines) + "\n", encoding="utf-8")
    report(listed, models)


def report(listed: list[dict[str, Any]], models: list[dict[str, Any]]) -> None:
    """Prints how many models load, can be used and can be controlled, and why the others cannot."""
    broken: Counter[str] = Counter()
    useless: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for model in models:
        entities = entities_of(model)
        if not entities:
            useless[", ".join(sorted({str(item.get("name", item["type"])) for item in model["exposes"]}))[:60]] += 1
            continue
        count["usable"] += 1
        wrong = [fault for entity in entities for fault in faults(model, entity)]
        broken.update(f"{model['vendor']} {model['model']}: {fault}" for fault in wrong[:1])
        wanted, able = controllable(model), controlled(entities)
        count["controllable"] += bool(wanted)
        count["controlled"] += bool(wanted) and not wrong and all(_CONTROLS[main] & able for main in wanted)
    started = time.perf_counter()
    source = Zigbee2MqttSource()
    source.take(announced(models))
    found = len(list(source.finds()))
    seconds = time.perf_counter() - started
    vendors = len({model["vendor"] for model in models})
    share = 100 * count["controlled"] / max(1, count["controllable"])
    print(f"{len(listed)} models of {vendors} vendors; {len(listed) - len(models)} could not be read")
    print(f"{count['usable']} tell or do something that Hearken knows; {len(models) - count['usable']} do not")
    print(f"{count['controllable']} can be controlled, {count['controlled']} of them by Hearken ({share:.1f} %)")
    print(f"all at once: {found} entities in {seconds:.2f} s")
    for title, counts in (("cannot be used, by what they expose", useless), ("with a fault", broken)):
        print(f"\n{title}: {counts.total()}")
        for what, number in counts.most_common(12):
            print(f"  {number:4} {what}")


if __name__ == "__main__":
    main()
