"""Asks a home of 200 devices, made of zigbee2mqtt's own definitions, for its settings, in both languages.

`python -m benchmarks.setting_requests models.jsonl` (made by `scripts/zigbee-models.cjs`; without it, the models of
the tests) makes the home and the requests, plays them, and prints what came of them: set to a value or an option,
switched on or off, raised, lowered, asked for. Every numeric, enum and binary that a model lets one set is asked for,
by the name that it has there, or by the Chinese word of `rules/zh/names.yaml` where there is one. It ends with 1 where
anything was set that nobody named. The same seed makes the same requests.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.utterances import ROOT
from benchmarks.zigbee_models import entities_of
from daemon.core.entities import Capability, Entity
from daemon.core.ir import Lang
from daemon.evaluate.cases import read_cases
from daemon.evaluate.house import open_house
from daemon.evaluate.runner import Scored, play_cases
from daemon.home.settings import NAME, is_switch, levels, said, setting, spaced

_FIXTURE: Final = ROOT / "tests" / "discovery" / "fixtures" / "zigbee_models.jsonl"
_VENDORS: Final = 60
_ROOMS: Final[Mapping[Lang, tuple[str, ...]]] = {
    "en": (
        *("Kitchen", "Living Room", "Bedroom", "Bathroom", "Hallway", "Office", "Nursery", "Dining Room", "Garage"),
        *("Attic", "Laundry", "Pantry", "Library", "Playroom", "Studio", "Workshop", "Sunroom", "Balcony", "Porch"),
    ),
    "zh": (
        *("厨房", "客厅", "卧室", "浴室", "走廊", "书房", "儿童房", "餐厅", "车库"),
        *("阁楼", "洗衣房", "储藏室", "影音室", "游戏室", "画室", "工作间", "阳光房", "阳台", "玄关"),
    ),
}
_CALLED: Final[Mapping[Lang, Mapping[str, str]]] = {
    "en": {
        "light": "lamp",
        "switch": "plug",
        "plug": "plug",
        "cover": "blind",
        "curtain": "curtain",
        "lock": "lock",
        "fan": "fan",
        "climate": "radiator",
        "thermostat": "radiator",
        "sensor": "sensor",
    },
    "zh": {
        "light": "灯",
        "switch": "插座",
        "plug": "插座",
        "cover": "百叶窗",
        "curtain": "窗帘",
        "lock": "门锁",
        "fan": "风扇",
        "climate": "暖气",
        "thermostat": "暖气",
        "sensor": "传感器",
    },
}
_WHICH: Final[Mapping[Lang, tuple[str, ...]]] = {
    "en": ("", "big", "small", "left", "right", "back", "corner", "old", "new"),
    "zh": ("", "大", "小", "左边的", "右边的", "后面的", "角落的", "旧", "新"),
}
_SETS: Final[Mapping[Lang, tuple[str, ...]]] = {
    "en": (
        "set the {s} of the {d} to {v}",
        "change the {d} {s} to {v}",
        "put the {d}'s {s} on {v}",
        "could you make the {s} of the {d} {v} please",
        "I'd like the {d}'s {s} to be {v}",
        "set {s} to {v} on the {d}",
        "{d} {s} to {v}",
        "for the {d} set the {s} to {v}",
    ),
    "zh": (
        "把{d}的{s}设为{v}",
        "{d}的{s}调到{v}",
        "帮我把{d}{s}改成{v}",
        "{d}{s}设成{v}吧",
        "请把{d}的{s}调成{v}",
        "将{d}的{s}设置为{v}",
    ),
}
_SWITCHES: Final[Mapping[Lang, Mapping[str, tuple[str, ...]]]] = {
    "en": {
        "on": ("turn on the {s} of the {d}", "switch the {d}'s {s} on", "enable the {s} on the {d}", "{d} {s} on"),
        "off": ("turn off the {s} of the {d}", "switch the {d}'s {s} off", "disable {s} on the {d}", "{d} {s} off"),
    },
    "zh": {
        "on": ("打开{d}的{s}", "把{d}的{s}打开", "{d}的{s}开一下", "启用{d}的{s}"),
        "off": ("关闭{d}的{s}", "把{d}的{s}关掉", "{d}的{s}关一下", "停用{d}的{s}"),
    },
}
_CHANGES: Final[Mapping[Lang, Mapping[str, tuple[str, ...]]]] = {
    "en": {
        "increase": ("raise the {s} of the {d} by {v}", "increase the {d}'s {s} by {v}", "{d} {s} up by {v}"),
        "decrease": ("lower the {s} of the {d} by {v}", "decrease the {d}'s {s} by {v}", "{d} {s} down by {v}"),
    },
    "zh": {
        "increase": ("把{d}的{s}调高{v}", "{d}的{s}增加{v}", "{d}{s}加{v}"),
        "decrease": ("把{d}的{s}调低{v}", "{d}的{s}减少{v}", "{d}{s}减{v}"),
    },
}
_ASKS: Final[Mapping[Lang, tuple[str, ...]]] = {
    "en": ("what is the {s} of the {d}", "what's the {d}'s {s} set to", "tell me the {s} of the {d}"),
    "zh": ("{d}的{s}是多少", "{d}的{s}设的是什么", "查一下{d}的{s}"),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a device of the home: what it is now, and how it and its device are called."""

    device: str
    named: str
    able: Capability
    value: str | float
    word: str


def read_models(path: Path) -> list[Mapping[str, Any]]:
    """The models of a file, one a line, less those that could not be read."""
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [model for model in found if "error" not in model and model["exposes"]]


def a_home(models: Sequence[Mapping[str, Any]], size: int, lang: Lang, rng: random.Random) -> Mapping[str, Any]:
    """A home of so many devices of as many vendors as there are, each with its settings, in the evaluation's format."""
    by_vendor: dict[str, list[Mapping[str, Any]]] = {}
    for model in models:
        by_vendor.setdefault(str(model["vendor"]), []).append(model)
    vendors = rng.sample(sorted(by_vendor), min(_VENDORS, len(by_vendor)))
    names = _names(lang, rng)
    devices: list[Mapping[str, Any]] = []
    for _ in range(100 * size):
        if len(devices) == size:
            break
        model = rng.choice(by_vendor[rng.choice(vendors)])
        entity = next(
            (item for item in entities_of(model) if any(able.name == NAME for able in item.capabilities)), None
        )
        if entity is not None:
            devices.append(_device(entity, len(devices), names, rng))
    areas = [{"id": f"room{number}", "name": room} for number, room in enumerate(_ROOMS[lang])]
    return {"id": f"settings_{lang}", "lang": lang, "floors": [], "areas": areas, "devices": devices}


def _names(lang: Lang, rng: random.Random) -> Mapping[str, list[tuple[str, str]]]:
    """For each type, names and rooms that nothing has yet, in any order."""
    found: dict[str, list[tuple[str, str]]] = {}
    for kind in set(_CALLED[lang].values()):
        space = " " if lang == "en" else ""
        free = [(f"{room}{space}{which}{space}{kind}", room) for room in _ROOMS[lang] for which in _WHICH[lang]]
        found[kind] = [(" ".join(name.split()), room) for name, room in free]
        rng.shuffle(found[kind])
    return found | {"": [(lang, "")]}


def _device(
    entity: Entity, number: int, names: Mapping[str, list[tuple[str, str]]], rng: random.Random
) -> Mapping[str, Any]:
    lang: Lang = "zh" if names[""][0][0] == "zh" else "en"
    kind = str(entity.type)
    name, room = names[_CALLED[lang].get(kind, _CALLED[lang]["sensor"])].pop()
    own = [item for item in entity.capabilities if item.name == NAME]
    return {
        "id": f"{kind}.thing{number}",
        "name": name,
        "aliases": [],
        "domain": {"plug": "switch", "curtain": "cover", "thermostat": "climate"}.get(kind, kind),
        "area": room,
        "capabilities": sorted({item.name for item in entity.capabilities} - {NAME, "read", "option"}),
        "settings": {item.attribute: _told(item, rng) for item in own},
    }


def _told(able: Capability, rng: random.Random) -> Mapping[str, Any]:
    if able.options:
        return {"value": rng.choice(able.options), "options": list(able.options), "label": able.label}
    value = rng.choice(_values(able))
    return {
        "value": value,
        "min": able.minimum,
        "max": able.maximum,
        "step": able.step,
        "unit": able.unit,
        "label": able.label,
    }


def _values(able: Capability) -> list[float]:
    """Values that people would say of a range: on its steps, whole where there are whole ones."""
    low, high, step = able.minimum or 0.0, able.maximum or 0.0, able.step or 1.0
    count = int((high - low) / step)
    found = [round(low + step * at, 6) for at in sorted({count * share // 12 for share in range(13)})]
    whole = [value for value in found if value == int(value)]
    return whole or found


def settings_of(home: Mapping[str, Any], lang: Lang) -> list[Setting]:
    """All that the home lets one set, each with the word for it."""
    found = []
    for device in home["devices"]:
        for name, told in device["settings"].items():
            able = setting(
                name, told.get("options") or (), told.get("min"), told.get("max"), told.get("step"), told.get("unit")
            )
            if able is None:
                continue
            word = (said(name, lang) if lang != "en" else None) or spaced(name)
            found.append(Setting(device["id"], device["name"], able, told["value"], word))
    return found


def requests(settings: Sequence[Setting], lang: Lang, count: int, rng: random.Random) -> Iterator[Mapping[str, Any]]:
    """So many cases, each about another setting than the one before."""
    for number in range(count):
        one = rng.choice(settings)
        text, action, value = _request(one, lang, rng)
        if lang == "en":
            text = text.replace("the The", "the")
        command: dict[str, Any] = {"action": action, "targets": [one.device]}
        if action != "query":
            command |= {"attribute": one.able.attribute, "value": value}
        yield {
            "id": f"settings_{lang}/{number}",
            "dataset": f"settings_{lang}",
            "lang": lang,
            "text": text,
            "home": f"settings_{lang}",
            "expect": {"outcome": "query" if action == "query" else "execute", "commands": [command]},
            "tags": [_sort(one.able), one.able.attribute],
        }


def _sort(able: Capability) -> str:
    return "binary" if is_switch(able) else "enum" if able.options else "numeric"


def _request(one: Setting, lang: Lang, rng: random.Random) -> tuple[str, str, str | float | None]:
    """A sentence, what is done, and the value that comes of it."""

    def sentence(forms: Sequence[str], value: str = "") -> str:
        return rng.choice(forms).format(s=one.word, d=one.named.lower() if lang == "en" else one.named, v=value)

    if rng.random() < 0.15:  # noqa: PLR2004 - some are asked for
        return sentence(_ASKS[lang]), "query", None
    if is_switch(one.able):
        wished = "off" if one.value == "on" else "on"
        return sentence(_SWITCHES[lang][wished]), "set", wished
    if one.able.options:
        wished = rng.choice([item for item in one.able.options if item != one.value] or list(one.able.options))
        return sentence(_SETS[lang], spaced(wished) or wished), "set", wished
    values = [value for value in _values(one.able) if value != one.value] or [float(one.value)]
    wished_number = rng.choice(values)
    if rng.random() < 0.3 and not levels(one.able):  # noqa: PLR2004 - some are changed
        by = wished_number - float(one.value)
        action = "increase" if by > 0 else "decrease"
        return sentence(_CHANGES[lang][action], f"{abs(by):g}"), "set", wished_number
    return sentence(_SETS[lang], f"{wished_number:g}"), "set", wished_number


def main() -> None:
    """Makes the home and the requests, plays them, prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, nargs="?", default=_FIXTURE)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--devices", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="tell of so many that were not right")
    args = parser.parse_args()
    models = read_models(args.models)
    scored: dict[Lang, list[Scored]] = {}
    with TemporaryDirectory() as folder:
        for lang in _ROOMS:
            rng = random.Random(f"{args.seed} {lang}")
            home = a_home(models, args.devices, lang, rng)
            cases = requests(settings_of(home, lang), lang, args.requests // len(_ROOMS), rng)
            (Path(folder) / f"{home['id']}.json").write_text(json.dumps(home, ensure_ascii=False), encoding="utf-8")
            file = Path(folder) / f"{home['id']}.jsonl"
            file.write_text("\n".join(json.dumps(case, ensure_ascii=False) for case in cases), encoding="utf-8")
            played = play_cases(read_cases(file), Path(folder), open_house, jobs=args.jobs)
            scored[lang] = asyncio.run(played)
    print(_table(scored))
    for lang, items in scored.items():
        for item in [item for item in items if item.verdict is None or not item.verdict.exact][: args.show]:
            print(f"{lang}  {item.case.text}\n    {item.line.get('outcome')}: {item.line.get('reply')}")
    sys.exit(any(item.verdict.wrong_act for items in scored.values() for item in items if item.verdict))


def _table(scored: Mapping[Lang, Sequence[Scored]]) -> str:
    lines = [f"{'':14}{'requests':>9}{'right %':>9}{'asked':>7}{'silent':>8}{'wrong':>7}"]
    for lang, items in scored.items():
        by_sort: dict[str, list[Scored]] = {}
        for item in items:
            by_sort.setdefault(next(iter(item.case.tags), ""), []).append(item)
        for sort, of_it in [("all", items), *sorted(by_sort.items())]:
            told = [item.verdict for item in of_it if item.verdict is not None]
            right = 100 * sum(verdict.exact for verdict in told) / len(of_it)
            asked, silent = sum(one.needless_question for one in told), sum(one.not_understood for one in told)
            wrong = sum(verdict.wrong_act for verdict in told)
            lines.append(f"{lang} {sort:11}{len(of_it):>9}{right:>9.1f}{asked:>7}{silent:>8}{wrong:>7}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
