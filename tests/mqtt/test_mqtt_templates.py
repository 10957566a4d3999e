"""Templates as firmware has them, and as an attacker would write them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.mqtt.dialects.template_sandbox import MAX_SOURCE
from daemon.mqtt.dialects.template_workshop import Workshop
from daemon.mqtt.dialects.templates import Templates, asked, parsed

TEMPLATES = Templates()
"""Without a process for what is not simple."""
Value = Callable[[str, object], object]


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def value(loop: asyncio.Runner) -> Iterator[Value]:
    """What a template makes of a payload, with a process for what is not simple."""
    templates = Templates(Workshop())

    def made(source: str, payload: object) -> object:
        text = payload if isinstance(payload, str) else json.dumps(payload)
        content = parsed(text.encode())
        assert content is not None
        return loop.run(asked(lambda: templates.value(source, *content)))

    yield made
    loop.run(templates.stop())


@pytest.mark.parametrize(
    ("source", "payload", "expected"),
    [
        ("", "ON", "ON"),
        ("{{ value }}", "ON", "ON"),
        ("{{ value_json.POWER1 }}", {"POWER1": "ON"}, "ON"),
        ("{{ value_json['AM2301'].Temperature }}", {"AM2301": {"Temperature": 21.4}}, 21.4),
        ("{{ value_json.items }}", {"items": 3}, 3),
        ("{{ value_json.absent }}", {"POWER": "ON"}, None),
        ("{{ value_json.absent.deeper }}", {"POWER": "ON"}, None),
        ("{{ value_json.x | default('idle', true) }}", {"x": ""}, "idle"),
        ("{% if value_json.White %}white{% else %}rgb{% endif %}", {"Color": "1,2,3"}, "rgb"),
        ("{{ value_json.Color.split(',')[0:3] | join(',') }}", {"Color": "9,8,7,0,0"}, "9,8,7"),
        ("{{ {1: 'heat', 2: 'cool'}[value_json.value] | default('off') }}", {"value": 2}, "cool"),
        ("{{ {1: 'heat', 2: 'cool'}[value_json.value] | default('off') }}", {"value": 7}, "off"),
        ("{{ value_json.t | float(0) | round(1) }}", {"t": "21.46"}, "21.5"),
        ("{{ value | int / 100 }}", "2150", "21.5"),
        ("{{ (value_json.v * 99 / 255) | round | int }}", {"v": 255}, "99"),
        ("{{ 'ON' if value_json.move and value_json.energy > 20 else 'OFF' }}", {"move": True, "energy": 40}, "ON"),
        ("{{ value_json.output | iif('on', 'off') }}", {"output": False}, "off"),
        ("{{ '%0.2f' | format(value | float) }}", "3.14159", "3.14"),
        ("{{ '{:.1f}'.format(value_json.w) }}", {"w": 12.34}, "12.3"),
        ("{{ value | regex_replace('[^0-9.]', '') }}", "21.5 C", "21.5"),
        ("{{ value | regex_findall_index('([0-9]+)%') }}", "level 40% ok", "40"),
        ("{{ value_json.a ~ '/' ~ value_json.b }}", {"a": 1, "b": 2}, "1/2"),
        ("{% for k in value_json %}{{ k }}{% if not loop.last %} {% endif %}{% endfor %}", {"x": 1, "y": 2}, "x y"),
        (
            "{{ value_json | selectattr('on') | map(attribute='n') | list | length }}",
            [{"on": 1, "n": 2}, {"on": 0}],
            "1",
        ),
        ("{{ value_json.ts | timestamp_custom('%Y', false) }}", {"ts": 1_700_000_000}, "2023"),
        ("{{ as_timestamp('2024-01-01T00:00:00+00:00') | int }}", "x", "1704067200"),
        ("{{ value | base64_decode }}", "aGk=", "hi"),
        ("{{ (value | from_json).a }}", {"a": 5}, "5"),
        ("{{ value_json.b | bitwise_and(4) }}", {"b": 6}, "4"),
        ("{{ [value_json.a, 7] | max }}", {"a": 3}, "7"),
        ("{{ ', '.join(value_json | map(attribute='n')) }}", [{"n": "a"}, {"n": "b"}], "a, b"),
        ("{{ None }}", "x", None),
        ("{{ value_json.x | is_defined }}", {}, None),
        ("{{ value_json.x | float }}", {"x": "cold"}, None),
        ("{{ 1 / 0 }}", "x", None),
    ],
)
def test_what_firmware_writes(source: str, payload: object, expected: object, value: Value) -> None:
    assert TEMPLATES.problem(source) is None
    assert value(source, payload) == expected


def test_a_path_is_known_as_one() -> None:
    assert TEMPLATES.path("{{ value_json.a['b'][0] }}") == ("a", "b", 0)
    assert TEMPLATES.path("{{value_json.a}}") == ("a",)
    assert TEMPLATES.path("{{ value_json.a | int }}") is None
    assert TEMPLATES.path("x{{ value_json.a }}") is None


@pytest.mark.parametrize(
    "source",
    [
        "{% import 'a' as b %}",
        "{% include '/etc/passwd' %}",
        "{% extends 'a' %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
        "{% block a %}{% endblock %}",
        "{{ states('sensor.x') }}",
        "{{ lipsum(100) }}",
        "{{ namespace(a=1) }}",
        "{{ 'x' | center(10) }}",
        "{{ value | attr('__class__') }}",
        "{{ self }}",
        "{{ __import__ }}",
        "{{ max(*value) }}",
        "{{ unclosed",
        "{{ " + "(" * 1000 + "1" + ")" * 1000 + " }}",
        "{{ " + "-" * 1000 + "1 }}",
        "{{ " + "a." * 100 + "b }}",
        "x" * (MAX_SOURCE + 1),
    ],
)
def test_what_may_not_be_used_is_refused_when_it_is_read(source: str, value: Value) -> None:
    assert TEMPLATES.problem(source)
    assert value(source, "x") is None


GREEDY = [
    "{{ ''.__class__.__mro__ }}",
    "{{ value.__class__ }}",
    "{{ range.__globals__ }}",
    "{{ now().__reduce__() }}",
    "{{ '{0.__class__}'.format(value) }}",
    "{{ 'a' * 10 ** 9 }}",
    "{{ 9 ** (9 ** 9) }}",
    "{{ '%999999999d' % 1 }}",
    "{{ '%*d' % (999999999, 1) }}",
    "{{ '{:999999999d}'.format(1) }}",
    "{{ '{:{}d}'.format(1, 999999999) }}",
    "{{ 'a'.ljust(999999999) }}",
    "{{ now().strftime('%999999999d') }}",
    "{{ range(10 ** 9) | list }}",
    "{{ value | replace('a', 'b' * 60000) }}",
    "{{ value.replace('', 'b' * 60000) }}",
    "{{ ([1] * 60000) | join('a' * 60000) }}",
    "{{ ('a' * 60000).join(['b'] * 60000) }}",
    "{{ value | regex_match('(a+)+b') }}",
    "{{ value | regex_search('(a|a)*b') }}",
    "{{ value | regex_replace('(?:a?){40}b', '') }}",
    "{{ value | regex_search('.*.*.*.*.*b') }}",
    "{{ [value] | select('match', '(a+)+b') | list }}",
    "{% set a = value %}" + "{% set a = a ~ a %}" * 40 + "{{ a }}",
    "{% set a = value %}" + "{% set a = a + a %}" * 40 + "{{ a }}",
    "{% set a = [value] %}" + "{% set a = [a, a, a, a, a, a, a, a] %}" * 20 + "{{ a }}",
    "{% set a = {'b': value} %}" + "{% set a = {'b': a, 'c': a} %}" * 60 + "{{ a }}",
    "{% set r = range(1000) %}" + "{% for a in r %}" * 4 + "x" + "{% endfor %}" * 4,
    "{% for a in range(1000) %}" + "{{ value in value }}" * 100 + "{% endfor %}",
    "{% for a in range(1000) %}{{ value }}{% endfor %}",
]


@pytest.mark.parametrize("source", GREEDY)
def test_nothing_gets_out_or_takes_all(source: str, value: Value) -> None:
    # What is not stopped takes hours, or all memory.
    # What a fast machine gets done within its time is as good as what is stopped.
    assert value(source, "a" * 60) in (None, "False")


PIECES = st.sampled_from(
    [
        *("{{", "}}", "{%", "%}", "value", "value_json", ".a", "['b']", "[0]", "|", "int", "float", "join", "map", "x"),
        *("for x in", "endfor", "if", "else", "endif", "set x =", "range(9)", "(", ")", "~", "*", "**", "%", "+", "9"),
        *("'s'", "[", "]", "{", "}", ",", ":", "default", "regex_replace", "format", "not", "is", "defined", "loop"),
    ]
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abx"), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(PIECES, max_size=14).map(" ".join), JSON)
def test_no_template_raises(source: str, payload: object) -> None:
    found = TEMPLATES.value(source, json.dumps(payload), payload)
    assert found is None or TEMPLATES.path(source) is not None or isinstance(found, str)
    TEMPLATES.render(source, value=payload)
