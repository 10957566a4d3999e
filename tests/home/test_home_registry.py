"""What belongs to what: expansion of groups, areas and floors, changes, and names."""

from typing import Any

import pytest

from daemon.core.entities import Capability, Entity, Person, Selector
from daemon.core.values import replace
from daemon.home.actions import risk_of
from daemon.home.capabilities import STANDARD
from daemon.home.kinds import KindWords
from daemon.home.registry import Registry


def device(name: str, area: str | None = None, kind: str = "light", **more: object) -> Entity:
    whole = Entity(name, "device", (name,), type=kind, area=area, capabilities=(STANDARD["on_off"],))
    return replace(whole, **more)  # type: ignore[arg-type] # fields of Entity


def group(name: str, *members: str, selector: Selector | None = None) -> Entity:
    return Entity(name, "group", (name,), members=members, selector=selector)


HOME = (
    Entity("up", "floor", ("Upstairs",)),
    Entity("bath", "area", ("Bath",), floor="up"),
    Entity("hall", "area", ("Hall",)),
    device("b1", "bath"),
    device("b2", "bath", "plug", tags=frozenset({"lamp"})),
    device("h1", "hall"),
    device("attic", None, floor="up"),
)


def test_areas_and_floors_expand_to_their_devices() -> None:
    registry = Registry(HOME)
    assert registry.expand("bath") == ("b1", "b2")
    assert registry.expand("up") == ("b1", "b2", "attic")
    assert registry.expand("h1") == ("h1",)
    assert registry.expand("nothing") == ()


def test_groups_may_contain_groups_each_device_once() -> None:
    registry = Registry([*HOME, group("inner", "b1", "h1"), group("outer", "h1", "inner", "bath")])
    assert registry.expand("outer") == ("h1", "b1", "b2")


def test_a_group_that_contains_itself_still_ends() -> None:
    registry = Registry([*HOME, group("one", "two", "b1"), group("two", "one", "h1")])
    assert set(registry.expand("one")) == {"b1", "h1"}


def test_a_dynamic_group_takes_what_fits_and_follows_changes() -> None:
    lights = group("lights", selector=Selector(floors=("up",), types=("light",)))
    registry = Registry([*HOME, lights])
    assert registry.expand("lights") == ("b1", "b2", "attic")
    before = registry.version
    registry.replace([*HOME, lights, device("b3", "bath")])
    assert registry.version > before
    assert registry.expand("lights") == ("b1", "b2", "attic", "b3")


@pytest.mark.parametrize(
    ("told", "range_"),
    [
        ({}, (5, 35)),
        ({"unit": "F"}, (40, 95)),
        ({"minimum": 16}, (16, 35)),
        ({"maximum": 28}, (5, 28)),
        ({"minimum": 43}, (43, 73)),
        ({"minimum": 40, "maximum": 90}, (40, 90)),
    ],
)
def test_what_tells_no_range_has_the_usual_one(told: dict[str, Any], range_: tuple[float, float]) -> None:
    able = Capability("temperature", "temperature", **({"unit": "C"} | told))
    registry = Registry([replace(device("b1", "bath"), capabilities=(able,))])
    found = registry["b1"].capabilities[0]
    assert (found.minimum, found.maximum) == range_


def test_words_and_values_of_nobody_knows_what_have_no_range() -> None:
    able = (Capability("fan_speed", "speed", options=("low", "high")), Capability("value", "value", unit="kg"))
    registry = Registry([replace(device("b1", "bath"), capabilities=able)])
    assert registry["b1"].capabilities == able


def test_places_of_things() -> None:
    registry = Registry(HOME)
    assert registry.area_of("b1") is registry["bath"]
    assert registry.area_of("bath") is registry["bath"]
    assert registry.area_of("attic") is None
    assert registry.floor_of("b1") is registry.floor_of("attic") is registry["up"]
    assert registry.floor_of("h1") is None


def test_names_with_their_roles() -> None:
    registry = Registry([*HOME, Entity("p", "person", ("Bath",))], [Person("p", ("Bath",))])
    assert ("Bath", "area") in registry.named()
    assert ("Bath", "person") in registry.named()
    assert registry.person("p") == Person("p", ("Bath",))


def test_a_vague_type_is_told_by_its_name() -> None:
    registry = Registry(
        [device("Porch light", kind="switch"), device("Light switch", kind="switch"), device("Fan", kind="fan")]
    )
    registry.imply(KindWords({"light": "light", "switch": "switch", "fan": "fan"}))
    assert [item.tags for item in registry.devices] == [frozenset({"light"}), frozenset(), frozenset()]


@pytest.mark.parametrize(
    ("name", "kind", "asked"),
    [("Gas main", "valve", True), ("燃气总阀", "valve", True), ("Gas", "switch", True), ("Garden tap", "valve", False)],
)
def test_what_is_called_gas_is_asked_about_whoever_told_of_it(name: str, kind: str, asked: bool) -> None:  # noqa: FBT001
    valve = Entity(id="x", kind="device", names=(name,), type=kind, capabilities=(STANDARD["on_off"],))
    registry = Registry([valve])
    registry.imply(KindWords({}, marks={"gas": ["gas", "燃气"]}))
    assert (risk_of(registry["x"], "turn_on") == "confirm") is asked
    assert risk_of(registry["x"], "turn_off") == "none"
