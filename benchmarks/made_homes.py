"""Homes of any size for the measurements of finding: natural names in areas, look-alikes, names that mean nothing.

The same seed and size make the same home. A large one is a small hotel: rooms called after trees, people and colours.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from daemon.core.entities import Capability, Entity
from daemon.core.ir import Lang
from daemon.home.capabilities import STANDARD

_ROOMS: Final[dict[Lang, str]] = {
    "en": "Kitchen/Living Room/Bedroom/Bathroom/Hallway/Office/Nursery/Dining Room/Garage/Guest Room/Attic/Basement/"
    "Laundry/Pantry/Library/Playroom/Studio/Workshop/Sunroom/Balcony/Entrance/Closet/Gym/Lounge",
    "zh": "厨房/客厅/卧室/浴室/走廊/书房/儿童房/餐厅/车库/客房/阁楼/地下室/"
    "洗衣房/储藏室/影音室/游戏室/画室/工作间/阳光房/阳台/玄关/衣帽间/健身房/茶室",
}
_QUALITIES: Final[dict[Lang, str]] = {
    "en": "/Maple/Willow/Anna's/Blue/North/Cedar/Green/Oliver's/Garden/East/Amber/Upper/Hazel/Daniel's/Silver/West/"
    "Harbor/Linden/Grace's/Golden/Lower/Meadow/Orchid/Peter's/River/Scarlet/South/Sophie's/Tulip/Victor's/Walnut/"
    "Winter/Zoe's/Birch/Coral/Falcon/Ivory/Jasper/Lily's/Magnolia/Pearl/Rose",
    "zh": "/枫叶/小明的/蓝色/东侧/雪松/绿色/爸爸的/花园/西侧/琥珀/楼上/小丽的/"
    "银色/南侧/海港/菩提/奶奶的/金色/楼下/草地/兰花/外婆的/河边/红色/北侧/"
    "小雨的/郁金香/叔叔的/核桃/冬天/思思的/白桦/珊瑚/猎鹰/象牙/碧玉/百合/玉兰/珍珠/玫瑰/星空/月光",
}
_THINGS: Final[dict[Lang, str]] = {
    "en": "ceiling light:light/floor lamp:lamp/desk lamp:lamp/fan:fan/blinds:blind/curtains:curtain/heater:heater/"
    "speaker:speaker/television:tv/socket:plug/night light:light/reading lamp:lamp/humidifier:humidifier/"
    "air purifier:air_purifier/wall light:light/coffee maker:appliance/kettle:appliance/spotlight:light/"
    "mirror light:light/shelf light:light/string lights:light/radiator:heater/shutter:shutter/printer:plug",
    "zh": "顶灯:light/落地灯:lamp/台灯:lamp/风扇:fan/百叶窗:blind/窗帘:curtain/"
    "暖气:heater/音箱:speaker/电视:tv/插座:plug/小夜灯:light/"
    "阅读灯:lamp/加湿器:humidifier/空气净化器:air_purifier/壁灯:light/咖啡机:appliance/烧水壶:appliance/射灯:light/"
    "镜前灯:light/层板灯:light/彩灯:light/油汀:heater/卷帘:shutter/打印机:plug",
}
_WHICH: Final[dict[Lang, str]] = {
    "en": "left/right/old/new/small/big/corner/front/back/second",
    "zh": "左边/右边/旧/新/小/大/角落/前面/后面/第二个",
}
_FANCIES: Final[dict[Lang, tuple[str, str]]] = {
    "en": (
        "Captain/Old/Little/Mister/Lady/Grumpy/Happy/Lazy/Sleepy/Lucky/Sir/Rusty/Funky/Brave/Dizzy",
        "Sparky/Friend/Dragon/Pumpkin/Biscuit/Thunder/Wizard/Penguin/Marble/Comet/Pickle/Saturn/Bandit/Noodle/Whisper",
    ),
    "zh": (
        "老/小/大/胖/懒/快乐的/勇敢的/神秘的/迷路的/爱唱歌的/瞌睡的/生锈的",
        "伙计/火龙/南瓜/饼干/雷公/巫师/企鹅/弹珠/彗星/土星/面条/海盗/月亮/西瓜/石头",
    ),
}
_CAPABILITIES: Final[dict[str, tuple[str, ...]]] = {
    "blind": ("open_close", "position"),
    "curtain": ("open_close", "position"),
    "shutter": ("open_close", "position"),
}
_PER_AREA: Final = 10
_FANCY: Final = 0.12
"""The share of names that mean nothing."""
_OWN_AREA: Final = 0.5
"""The share of the others that have their area in their name."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device and how a person says it: the whole name, or the name less its area and the area apart."""

    id: str
    name: str
    short: str
    area: str
    kind: str


@dataclass(frozen=True, slots=True)
class MadeHome:
    """A home of `len(devices)` devices."""

    lang: Lang
    entities: tuple[Entity, ...]
    devices: tuple[Device, ...]


def made_home(size: int, lang: Lang, seed: int = 1) -> MadeHome:
    """A home with so many devices, ten to an area."""
    rng = random.Random(f"{size} {lang} {seed}")
    join = " ".join if lang == "en" else "".join
    places = [
        join(word for word in words if word) for words in product(_QUALITIES[lang].split("/"), _ROOMS[lang].split("/"))
    ]
    areas = places[: max(2, min(len(places), size // _PER_AREA))]
    devices = tuple(_devices(lang, areas, size, rng))
    entities = (
        *(Entity(f"area_{number}", "area", (name,)) for number, name in enumerate(areas)),
        *(
            Entity(
                device.id,
                "device",
                (device.name,),
                type=device.kind,
                area=f"area_{number % len(areas)}",
                capabilities=_capabilities(device.kind),
            )
            for number, device in enumerate(devices)
        ),
    )
    return MadeHome(lang, entities, devices)


def _devices(lang: Lang, areas: list[str], size: int, rng: random.Random) -> Iterator[Device]:
    things = [item.split(":") for item in _THINGS[lang].split("/")]
    which = _WHICH[lang].split("/")
    first, second = (part.split("/") for part in _FANCIES[lang])
    fancies = [_fancy(lang, one, other) for one, other in product(first, second)]
    rng.shuffle(fancies)
    join = " ".join if lang == "en" else "".join
    taken: set[tuple[str, str]] = set()
    for number in range(size):
        area = areas[number % len(areas)]
        if fancies and rng.random() < _FANCY:
            name = fancies.pop()
            yield Device(f"device_{number}", name, name, area, "lamp")
            continue
        thing, kind = rng.choice(things)
        words = [thing]
        while (area, join(words)) in taken:
            words = [rng.choice(which), thing] if len(words) == 1 else [*words[:-1], rng.choice(which), thing]
        short = join(words)
        taken.add((area, short))
        name = join([area, short]) if rng.random() < _OWN_AREA else short
        yield Device(f"device_{number}", name[:1].upper() + name[1:], short, area, kind)


def _fancy(lang: Lang, first: str, second: str) -> str:
    return f"{first} {second}" if lang == "en" else f"{first}{second}"


def _capabilities(kind: str) -> tuple[Capability, ...]:
    return tuple(STANDARD[name] for name in _CAPABILITIES.get(kind, ("on_off",)))
