"""Cases through the real pipeline on a small home: what comes out is what the devices saw."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from daemon.core.errors import ConfigError
from daemon.core.ir import Order, Parameter, Program
from daemon.core.outcomes import Outcome, Write
from daemon.core.result import Command, Result
from daemon.evaluate.cases import Case
from daemon.evaluate.house import SimulatedHouse, arranged, load_any, open_house
from daemon.evaluate.runner import command_lines, effect
from daemon.home.foreign import load_foreign

HOME: dict[str, Any] = {
    "id": "flat",
    "lang": "en",
    "floors": [],
    "areas": [{"id": "kitchen", "name": "Kitchen"}, {"id": "bedroom", "name": "Bedroom"}],
    "devices": [
        {
            "id": f"light.{area}",
            "name": f"{area.title()} Light",
            "aliases": [],
            "domain": "light",
            "area": area.title(),
            "capabilities": ["on_off", "brightness"],
            "state": "off",
            "attributes": {"brightness": 128},
        }
        for area in ("kitchen", "bedroom")
    ],
}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[SimulatedHouse]:
    path = tmp_path / "flat.json"
    path.write_text(json.dumps(HOME), encoding="utf-8")
    async with open_house(path) as opened:
        yield opened


def case(text: str, **fields: Any) -> Case:
    return Case(id="c", lang="en", text=text, home="flat", expect=None, **fields)


async def test_an_act_and_its_final_state(house: SimulatedHouse) -> None:
    line, trace = await house.play(case("turn on the kitchen light"))
    assert line["outcome"] == "execute"
    assert line["commands"] == [{"action": "turn_on", "targets": ["light.kitchen"]}]
    assert line["final_state"] == {
        "light.kitchen": {"state": "on", "attributes": {"brightness": 128, "color_mode": "brightness"}}
    }
    assert line["ms"]["total"] > 0
    assert trace[0] == {"said": "turn on the kitchen light"}


async def test_no_case_sees_what_another_left_behind(house: SimulatedHouse) -> None:
    await house.play(case("turn on the kitchen light"))
    line, _ = await house.play(case("turn on the bedroom light"))
    assert list(line["final_state"]) == ["light.bedroom"]
    asked, _ = await house.play(case("is the kitchen light on"))
    assert asked["outcome"] == "query"
    assert "off" in asked["reply"] or "not on" in asked["reply"].lower() or "no" in asked["reply"].lower()
    assert {"action": "query", "targets": ["light.kitchen"]} in asked["commands"]


async def test_the_setup_is_there_before_the_first_word(house: SimulatedHouse) -> None:
    setup = {"light.bedroom": {"state": "on", "attributes": {"brightness": 51}}, "weather.home": {"state": "sunny"}}
    line, _ = await house.play(case("hello there", setup=setup))
    assert line["final_state"] == {
        "light.bedroom": {"state": "on", "attributes": {"brightness": 51, "color_mode": "brightness"}}
    }


async def test_turns_before_and_the_answer_are_of_the_same_conversation(house: SimulatedHouse) -> None:
    line, trace = await house.play(case("turn on the light", user_answer="the kitchen light"))
    assert line["outcome"] == "clarify"
    assert line["after_answer"]["commands"] == [{"action": "turn_on", "targets": ["light.kitchen"]}]
    assert [event["said"] for event in trace if "said" in event] == ["turn on the light", "the kitchen light"]
    line, _ = await house.play(case("turn it off", prior_turns=("turn on the bedroom light",)))
    assert line["commands"] == [{"action": "turn_off", "targets": ["light.bedroom"]}]


async def test_without_a_home_there_is_still_a_reading() -> None:
    async with open_house(None) as nowhere:
        line, _ = await nowhere.play(case("turn on the kitchen light"))
    assert line["ir"]["clauses"][0]["action"] == "turn_on"
    assert line["commands"] == []


def test_a_broken_home_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    (tmp_path / "a.yaml").write_text("[]", encoding="utf-8")
    for name in ("a.json", "a.yaml"):
        with pytest.raises(ConfigError):
            load_any(tmp_path / name)


def test_a_lamp_has_the_colours_that_the_setup_says() -> None:
    home = arranged(load_foreign(HOME), {"light.kitchen": {"attributes": {"supported_color_modes": ["rgb"]}}})
    colors = {item.id: item.capability("color") is not None for item in home.entities if item.kind == "device"}
    assert colors == {"light.kitchen": True, "light.bedroom": False}


def test_a_device_can_be_away_in_one_case() -> None:
    home = arranged(load_foreign(HOME), {"light.kitchen": {"state": "unavailable"}})
    assert home.simulation.devices["light.kitchen"].behaviour == "offline"


@pytest.mark.parametrize(
    ("attribute", "value", "verb", "word"),
    [
        ("state", "open", "turn_on", "open"),
        ("state", "off", "stop", "turn_off"),
        ("state", "locked", "close", "lock"),
        ("command", "play", "start", "resume"),
        ("command", "start", "turn_on", "start"),
        ("muted", True, "turn_off", "mute"),
        ("state", "on", "toggle", "toggle"),
        ("brightness", 30, "set", "set"),
        ("brightness", 30, "decrease", "decrease"),
    ],
)
def test_effect(attribute: str, value: Any, verb: str, word: str) -> None:
    assert effect(Write("x", attribute, value, verb)) == word


def result(command: Command, *writes: Write, unit: Any = None) -> Result:
    parameter = Parameter("temperature", value=72, unit=unit)
    program = Program((Order("set", parameter=parameter),), "grammar", "en")
    outcomes = tuple(Outcome(write, "done", sent=True) for write in writes)
    return Result("", "execute", "", "en", commands=(command,), outcomes=outcomes, program=program)


def test_one_verb_may_have_several_effects() -> None:
    lines = command_lines(
        result(
            Command("open", ("cover.a", "switch.b")),
            Write("cover.a", "state", "open", "open"),
            Write("switch.b", "state", "on", "open"),
        )
    )
    assert lines == [{"action": "open", "targets": ["cover.a"]}, {"action": "turn_on", "targets": ["switch.b"]}]


@pytest.mark.parametrize(("spoken", "value", "unit"), [("F", 72.0, "F"), ("C", 22.22, "C"), (None, 72.0, "F")])
def test_a_temperature_in_the_unit_that_was_spoken(spoken: str | None, value: float, unit: str) -> None:
    (line,) = command_lines(
        result(Command("set", ("climate.a",), "temperature", 22.22, "C"), unit=spoken),
    )
    assert (line["value"], line["unit"]) == (value, unit)


@pytest.mark.parametrize(("spoken", "value"), [("lavender", "lavender"), (None, "#b57edc")])
def test_a_colour_by_the_word_that_was_used(spoken: str | None, value: str) -> None:
    program = Program((Order("set", parameter=Parameter("color", value=spoken)),), "grammar", "en")
    command = Command("set", ("light.a",), "color", "#b57edc")
    (line,) = command_lines(Result("", "execute", "", "en", commands=(command,), program=program))
    assert line["value"] == value
