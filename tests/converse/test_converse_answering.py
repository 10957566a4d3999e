"""Answers in words: what several use together, and what can be set."""

import pytest

from daemon.act.answers import Answer
from daemon.act.facts import Fact
from daemon.converse.answering import Answerer
from daemon.converse.help import able
from daemon.core.entities import Capability, Entity
from daemon.core.outcomes import Observation
from daemon.home.capabilities import STANDARD
from daemon.home.registry import Registry
from daemon.home.settings import setting
from tests.rules import REPLIES


def plug(name: str, unit: str = "W") -> Entity:
    return Entity(name, "device", (name,), type="plug", capabilities=(STANDARD["on_off"], reading(unit)))


def reading(unit: str) -> Capability:
    return Capability("read", "power", unit=unit)


def power(name: str, value: float | None, unit: str = "W") -> Fact:
    seen = Observation(name, "power", value, "none" if value is None else "reply", 0.0)
    return Fact(name, "power", seen, None, unit)


METER = Entity("meter", "device", ("meter",), type="sensor", capabilities=(reading("W"),))


@pytest.mark.parametrize(
    ("things", "facts", "said"),
    [
        (
            (plug("kettle"), plug("oven")),
            (power("kettle", 40.0), power("oven", 1200.0)),
            "Measured together: 1240 watts (oven 1200 watts and kettle 40 watts).",
        ),
        (
            (plug("kettle"), plug("oven", "kW")),
            (power("kettle", 40.0), power("oven", 1.2, "kW")),
            "Measured together: 1240 watts (oven 1200 watts and kettle 40 watts).",
        ),
        (
            (plug("kettle"), plug("oven"), plug("fan")),
            (power("kettle", 40.0), power("oven", 1200.0), power("fan", None)),
            "Measured together: 1240 watts (oven 1200 watts and kettle 40 watts). Fan did not answer.",
        ),
        (
            (plug("kettle"), METER),
            (power("kettle", 40.0), power("meter", 900.0)),
            "Kettle: power is 40 watts. Meter: power is 900 watts.",
        ),
        ((plug("kettle"),), (power("kettle", 40.0),), "Kettle: power is 40 watts."),
    ],
    ids=["sum", "units", "silent", "a meter may count the others", "one"],
)
def test_what_several_use_is_summed_where_that_is_a_sum(
    things: tuple[Entity, ...], facts: tuple[Fact, ...], said: str
) -> None:
    answer = Answer("value", "power", facts)
    assert Answerer(Registry(things, ()), REPLIES, "en").answer(answer) == said


def test_what_can_be_set_is_told_with_what_it_may_be() -> None:
    names = ("alpha", "beta", "gamma", "delta")
    own = [setting(name, options=("steady", "on_demand")) for name in names]
    thing = Entity(
        "mist",
        "device",
        ("Mist",),
        capabilities=(STANDARD["on_off"], STANDARD["brightness"], STANDARD["color"], *(item for item in own if item)),
    )
    assert able([thing], None, REPLIES, "en") == (
        "Mist: brightness from 0 % to 100 %, colour, alpha (steady or on demand), beta (steady or on demand), "
        "gamma (steady or on demand), and 1 more."
    )
    assert able([thing], "beta", REPLIES, "en") == "Mist: beta (steady or on demand)."
    assert able([plug("kettle")], None, REPLIES, "en") == "There is nothing to set on kettle."
