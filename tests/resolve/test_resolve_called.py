"""A word for a kind, where only one thing of it is called by that word."""

from typing import Any

import pytest

from daemon.core.entities import Entity
from daemon.home.capabilities import STANDARD
from daemon.home.config import HomeConfig
from tests.home.houses import House, clause_of, context_of

LIT = (STANDARD["on_off"], STANDARD["brightness"])
BLOWS = (STANDARD["on_off"],)
MOVES = (STANDARD["open_close"], STANDARD["position"])


def device(name: str, chinese: str, kind: str, area: str) -> Entity:
    able = {"fan": BLOWS, "curtain": MOVES}.get(kind, LIT)
    return Entity(name.lower().replace(" ", "_"), "device", (name, chinese), type=kind, area=area, capabilities=able)


HOME = HomeConfig(
    (
        Entity("ground", "floor", ("Ground floor", "一楼")),
        *(
            Entity(key, "area", names, floor="ground")
            for key, names in {"den": ("Den", "小客厅"), "loft": ("Loft", "阁楼"), "hall": ("Hall", "门厅")}.items()
        ),
        device("Den ceiling light", "小客厅吸顶灯", "light", "den"),
        device("Loft downlight", "阁楼筒灯", "light", "loft"),
        device("Hall wall light", "门厅壁灯", "light", "hall"),
        device("Twister", "龙卷风", "fan", "den"),
        device("Loft fan", "阁楼风扇", "fan", "loft"),
        device("Stage", "大幕", "curtain", "den"),
        device("Loft curtain", "阁楼窗帘", "curtain", "loft"),
    )
)


@pytest.fixture(scope="module")
def house() -> House:
    return House(HOME)


@pytest.mark.parametrize(
    ("target", "area", "entities"),
    [
        # A word that says which one is part of a name, however short.
        ({"mention": "downlight", "kind": "light"}, None, {"loft_downlight"}),
        ({"mention": "筒灯", "kind": "light"}, None, {"loft_downlight"}),
        # The only fan that is called a fan, unless another one is in the room.
        ({"mention": "fan", "kind": "fan"}, None, {"loft_fan"}),
        ({"mention": "fan", "kind": "fan"}, "den", {"twister"}),
        ({"kind": "fan"}, None, {"loft_fan"}),
        # As many as there are, of a language without a plural: those that are called so.
        ({"kind": "curtain", "quantifier": "all", "plural": True}, None, {"loft_curtain"}),
        ({"kind": "curtain", "quantifier": "all", "plural": True}, "den", {"stage"}),
        ({"kind": "curtain", "quantifier": "all"}, None, {"stage", "loft_curtain"}),
    ],
)
def test_who_is_called_so(house: House, target: dict[str, Any], area: str | None, entities: set[str]) -> None:
    action = "open" if target["kind"] == "curtain" else "turn_on"
    case: dict[str, Any] = {"action": action, "target": target, "area": area}
    _, ruling = house.decide(clause_of(case), context_of(case))
    assert (ruling.verdict, set(ruling.entities)) == ("act", entities)


def test_a_light_is_one_of_many(house: House) -> None:
    case: dict[str, Any] = {"action": "turn_on", "target": {"mention": "light", "kind": "light"}}
    _, ruling = house.decide(clause_of(case), context_of(case))
    assert ruling.verdict == "ask"
