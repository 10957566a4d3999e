"""Templates that would take hours or all memory: none keeps another device waiting, none is tried for ever."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest

from daemon.core.errors import TemplateError, TemplatePending
from daemon.mqtt.dialects import template_workshop
from daemon.mqtt.dialects.template_workshop import Job, Workshop
from daemon.mqtt.dialects.templates import Templates, asked, parsed

pytestmark = pytest.mark.virtual

INNOCENT = "{{ value | regex_replace('[^0-9]', '') }}"
SIMPLE = "{{ value_json.a | int + 1 }}"

LONG = {
    "exponential by alternatives": "{{ value | regex_search('" + "(a|aa)" * 30 + "$') }}",
    "exponential in the open": "{{ value | regex_search('(a+)+b') }}",
    "a backslash and a star": r"{{ value | regex_search('(\\w*)*\\d') }}",
    "a filter over and over": "{% for a in range(1000) %}{% for b in range(1000) %}{{ (value_json"
    + "|list" * 30
    + ")[99] }}"
    "{% endfor %}{% endfor %}",
    "loops in loops": "{% for a in range(9999) %}" * 3 + "{% endfor %}" * 3,
    "a tower of powers": "{{ 9 ** (9 ** 9) }}",
    "sorted anew": "{% for a in range(99999) %}{{ (range(999) | sort)[0] }}{% endfor %}",
    "a text in a text": "{% for a in range(999999) %}{{ (value * 9999) in (value * 99999) }}{% endfor %}",
}
LARGE = {
    "a huge range": "{{ range(10 ** 9) | list }}",
    "a text times a number": "{{ value * 10 ** 9 }}",
    "a huge width": "{{ '%999999999d' % 1 }}",
    "a width of its own": "{{ '%*d' % (999999999, 1) }}",
    "a huge field": "{{ '{:999999999d}'.format(1) }}",
    "padding": "{{ 'a'.ljust(999999999) }}",
    "a list that doubles": "{% set a = [value] %}" + "{% set a = a + a %}" * 40 + "{{ a }}",
    "joined": "{{ ('a' * 60000).join(['b'] * 60000) }}",
    "replaced": "{{ (value * 999).replace('', value * 9999) }}",
}
NEVER_TRIED = {
    "a macro that calls itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "deep nesting": "{{ " + "(" * 1000 + "1" + ")" * 1000 + " }}",
    "a recursive loop": "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
}
PAYLOAD = '"' + "a" * 60 + '"'


class Counting(Workshop):
    """Notes what it renders."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[Job] = []

    async def render(self, job: Job) -> str | None:
        self.jobs.append(job)
        return await super().render(job)


class Bench:
    """Templates with their process."""

    def __init__(self) -> None:
        self.workshop = Counting()
        self.now = 0.0
        self.templates = Templates(self.workshop, clock=lambda: self.now)

    async def value(self, source: str, payload: str) -> object:
        content = parsed(payload.encode())
        assert content is not None
        return await asked(lambda: self.templates.value(source, *content))

    def value_now(self, source: str, payload: str) -> object:
        content = parsed(payload.encode())
        assert content is not None
        return self.templates.value(source, *content)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    await made.templates.stop()


@pytest.mark.parametrize("attack", LONG)
async def test_what_takes_long_is_off_and_delays_nobody(attack: str, bench: Bench) -> None:
    assert [await bench.value(INNOCENT, "1 2"), await bench.value(INNOCENT, "2 3")] == ["12", "23"]
    attacks = [asyncio.create_task(bench.value(LONG[attack], PAYLOAD)) for _ in range(3)]
    await asyncio.sleep(0)
    # What is simple isn't even asked elsewhere; what isn't goes before what takes long.
    assert bench.value_now(SIMPLE, '{"a": 1}') == "2"
    assert await bench.value(INNOCENT, "3 4") == "34"
    assert not all(item.done() for item in attacks)
    assert await asyncio.gather(*attacks) == [None, None, None]
    assert bench.templates.off == {LONG[attack]: "needs too much time or memory"}
    assert await bench.value(INNOCENT, "5 6") == "56"


@pytest.mark.parametrize("attack", LARGE)
async def test_what_takes_all_memory_says_nothing(attack: str, bench: Bench) -> None:
    assert await bench.value(LARGE[attack], PAYLOAD) is None
    assert set(bench.templates.off) <= {LARGE[attack]}
    assert await bench.value(INNOCENT, "5 6") == "56"


@pytest.mark.parametrize("attack", NEVER_TRIED)
async def test_what_is_refused_is_never_tried(attack: str, bench: Bench) -> None:
    assert bench.templates.problem(NEVER_TRIED[attack])
    assert bench.value_now(NEVER_TRIED[attack], PAYLOAD) is None


@pytest.mark.parametrize(
    "source",
    [
        "{{ value_json.a * value_json.b }}",
        "{{ value_json.a % value_json.b }}",
        "{{ value_json.a | join('x') | join('x') }}",
        "{{ value_json.n is odd }}",
        "{{ value_json.a ~ value_json.a * 9999999 }}",
        "{{ value | replace('', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') }}",
    ],
)
def test_what_may_grow_is_not_rendered_on_the_loop(source: str, bench: Bench) -> None:
    with pytest.raises(TemplatePending):
        bench.value_now(source, '{"a": "%999999999d", "b": 999999999, "n": "%999999999d"}')


async def test_what_is_off_is_not_tried_again(bench: Bench) -> None:
    source = "{% for a in range(value | int) %}{% for b in range(9999) %}{% endfor %}{% endfor %}{{ value }}"
    assert await bench.value(source, "1") == "1"
    assert await bench.value(source, "99999") is None
    assert bench.value_now(source, "1") is None
    with pytest.raises(TemplateError, match="needs too much time or memory"):
        bench.templates.render(source, value="1")


async def test_a_payload_that_is_too_long_is_no_fault_of_the_template(bench: Bench) -> None:
    for source in ("{{ value }}", INNOCENT):
        assert await bench.value(source, "1" * 5000) is None
        assert await bench.value(source, "1") == "1"
    assert not bench.templates.off


async def test_the_same_is_rendered_once(bench: Bench) -> None:
    assert [await bench.value(INNOCENT, payload) for payload in "121"] == ["1", "2", "1"]
    assert len(bench.workshop.jobs) == 2


async def test_what_looks_at_the_clock_is_rendered_again(bench: Bench) -> None:
    source = "{{ now().year + value | int }}"
    first = await bench.value(source, "1")
    assert await bench.value(source, "1") == first
    assert len(bench.workshop.jobs) == 1
    bench.now = 60.0
    await bench.value(source, "1")
    assert len(bench.workshop.jobs) == 2


async def test_what_is_kept_is_bounded(bench: Bench) -> None:
    for number in range(60):
        await bench.value(INNOCENT, f"{number} " + "x" * 60_000)
    assert bench.templates._size <= 1_000_000
    assert len(bench.templates._kept) < 20


async def test_a_killed_process_is_started_anew(bench: Bench) -> None:
    assert await bench.value(INNOCENT, "1") == "1"
    for number in range(2, 5):
        before = bench.workshop.pid
        assert before is not None
        os.killpg(before, signal.SIGKILL)
        assert await bench.value(INNOCENT, str(number)) == str(number)
        assert bench.workshop.pid != before
    assert not bench.templates.off


async def test_nothing_is_off_because_the_process_cannot_be_started(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(template_workshop, "_COMMAND", ("/nowhere/python",))
        assert await bench.value(INNOCENT, "1") is None
        assert not bench.templates.off
    bench.now = 60.0
    assert await bench.value(INNOCENT, "1") == "1"


async def test_who_waits_when_it_ends_is_told_so(bench: Bench) -> None:
    waiting = [asyncio.create_task(bench.value(source, PAYLOAD)) for source in (*LONG.values(), INNOCENT)]
    await asyncio.sleep(0)
    await bench.templates.stop()
    assert await asyncio.gather(*waiting) == [None] * len(waiting)


async def test_it_knows_nothing_of_the_daemon(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEARKEN_SECRET", "x")
    await bench.value(INNOCENT, "1")
    with open(f"/proc/{bench.workshop.pid}/environ", encoding="utf-8") as file:  # noqa: ASYNC230, PTH123 - at once
        assert "HEARKEN" not in file.read()
