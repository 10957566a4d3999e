"""Of two values in a row, which one is meant."""

from __future__ import annotations

import pytest

from daemon.core.ir import Condition, Order, Parameter, Target, When
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.understand.corrections import refined
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize

LAMP = (Target("lamp"),)
IT = (Target(reference="it"),)


def to(value: float | str, *targets: Target, attribute: str = "brightness", sure: float = 1.0) -> Order:
    parameter = Parameter(attribute, value=value)
    return Order("set", targets, parameter=parameter, confidence=sure)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (to(50.0, *LAMP), to(40.0, *LAMP)),
        (to(50.0, *LAMP), to(40.0, *IT)),
        (to(50.0), to(40.0)),
        (to("green", *LAMP, attribute="color"), to("red", *LAMP, attribute="color")),
        # The same thing, however sure its name is.
        (to(50.0, *LAMP), to(40.0, Target("lamp", confidence=0.9))),
    ],
)
def test_the_value_said_last_is_meant(first: Order, second: Order) -> None:
    assert refined([first, second]) == (replace(second, targets=first.targets),)


def test_of_three_values_the_last_one_is_meant() -> None:
    made = refined([to(50.0, *LAMP), to(40.0, *IT), to(30.0, *IT)])
    assert made == (to(30.0, *LAMP),)


@pytest.mark.parametrize(
    "other",
    [
        to(40.0, Target("fan")),
        to(40.0, *LAMP, attribute="volume"),
        to(40.0, *LAMP, sure=0.4),
        replace(to(40.0, *LAMP), when=When(delay_s=60.0)),
        replace(to(40.0, *LAMP), conditions=(Condition(Target("fan"), value="on"),)),
        replace(to(40.0, *LAMP), negated=True),
        replace(to(40.0, *LAMP), excluded=(Target("desk lamp"),)),
        replace(to(40.0, *LAMP), parameter=Parameter("brightness", op="max")),
    ],
)
def test_what_is_of_something_else_or_says_more_or_is_doubtful_is_not_said_instead(other: Order) -> None:
    assert refined([to(60.0, *LAMP), to(50.0, *LAMP), other]) == (to(50.0, *LAMP), other)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("make the bedroom lamp blue and yellow", ["blue", "yellow"]),
        ("bedroom lamp blue, er, yellow", ["yellow"]),
        ("把小白调成蓝色和黄色", ["blue", "yellow"]),
        ("小白七十，呃，六十", [60.0]),
    ],
)
def test_what_is_joined_by_and_is_of_two_things_and_doubtful(
    text: str, values: list[float | str], grammar: Grammar, home: NameTable
) -> None:
    program = grammar.read(normalize(text), home)[0]
    assert [clause.parameter.value for clause in program.clauses if clause.parameter is not None] == values
    assert (program.confidence < Thresholds().reading) is (len(values) > 1)
