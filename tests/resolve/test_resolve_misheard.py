"""Names that were heard or typed badly: the right device is a candidate, and nothing wrong is ever acted on."""

import random
from pathlib import Path
from typing import Any

import pytest

from benchmarks.spoken_names import House as MadeHouse
from daemon.core.entities import Entity
from daemon.core.ir import Order, Target
from daemon.core.resolution import Context
from daemon.home.capabilities import STANDARD
from daemon.home.config import HomeConfig
from daemon.resolve.request import Need
from tests.home.houses import House
from tests.rules import GRAMMAR
from tests.tables import read_table

TABLE = read_table(Path(__file__).parent / "tables" / "misheard.yaml")
NAMES = (
    *("Bedroom lamp", "Kitchen light", "Ceiling fan", "Grandfather clock", "Humidifier", "Christmas tree"),
    *("Garden sprinkler", "Coffee machine", "Aquarium pump", "Towel warmer", "Disco ball", "Salt lamp"),
    *("Knight Rider", "Rec room heater", "Foyer chandelier", "Sparky", "Mister Biscuit", "Air purifier"),
    *("Doorbell camera", "Vacuum robot", "Left lamp", "Hall light"),
    *("书房灯", "客厅吊灯", "老伙计", "加湿器", "空气净化器", "床头灯", "热水壶", "扫地机器人", "晾衣架", "鱼缸水泵"),
    *("大白", "星空灯", "电热毯", "镜前灯", "重庆火锅", "小爱音箱", "左边台灯"),
)
HOME = HomeConfig(
    tuple(Entity(name.lower(), "device", (name,), type="plug", capabilities=(STANDARD["on_off"],)) for name in NAMES)
)
CASES = [pytest.param(lang, case, id=case["heard"]) for lang in ("en", "zh") for case in TABLE[lang]]
UNKNOWN = [(lang, words) for lang, listed in TABLE["unknown"].items() for words in listed]


@pytest.fixture(scope="module")
def house() -> House:
    return House(HOME)


@pytest.mark.parametrize(("lang", "case"), CASES)
def test_misheard(house: House, lang: str, case: dict[str, Any]) -> None:
    target, context = Target(mention=case["heard"]), Context(lang=lang)
    assert case["meant"] in house.resolver.proposed(target, Need(action="turn_on"), context)
    found, decision = house.decide(Order("turn_on", targets=(target,)), context)
    if decision.verdict == "act":
        assert decision.entities == (case["meant"],), found.targets[0].rounds
    must = case.get("must")
    assert must is None or decision.verdict == must, (decision, found.targets[0])
    if decision.verdict == "ask":
        assert case["meant"] in (*decision.entities, *decision.options)


@pytest.mark.parametrize(("lang", "words"), UNKNOWN)
def test_what_is_not_here_is_not_acted_on(house: House, lang: str, words: str) -> None:
    clause = Order("turn_on", targets=(Target(mention=words),))
    _, decision = house.decide(clause, Context(lang=lang))
    assert decision.verdict != "act"


def test_there_are_enough_of_them() -> None:
    assert min(len(TABLE["en"]), len(TABLE["zh"])) >= 60


@pytest.mark.parametrize(("words", "nearest"), [("sparkler", ["sparky"]), ("water", []), ("time machine", [])])
def test_only_what_is_near_is_suggested(house: House, words: str, nearest: list[str]) -> None:
    clause = Order("open", targets=(Target(mention=words),))
    found, _ = house.decide(clause, Context(lang="en"))
    assert list(found.targets[0].nearest) == nearest or set(nearest) <= set(found.targets[0].entities)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_among_five_hundred_the_right_one_is_a_candidate_and_no_other_is_acted_on(lang: Any) -> None:
    house = MadeHouse.made(500, lang, GRAMMAR)
    for errors in (1, None):
        for spoken in house.spoken(60, "name", errors, random.Random(3)):
            assert spoken.meant in house.proposed(spoken), spoken
            _, decision = house.judged(spoken)
            if decision.verdict == "act":
                assert set(decision.entities) <= spoken.equal, (spoken, decision)
