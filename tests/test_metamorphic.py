"""A short run of `python -m benchmarks.metamorphic`, and that it sees what it is there to see."""

from collections import Counter
from collections.abc import Iterator
from string import Formatter
from typing import Any

import pytest

from benchmarks.metamorphic.__main__ import Counts, all_played, told
from benchmarks.metamorphic.cases import CHANGES, case
from benchmarks.metamorphic.homes import Home, Room, Thing
from benchmarks.metamorphic.judging import Expected, Sent, judged
from benchmarks.metamorphic.programs import DEEDS, Act, Effect, Ref, Wanted, before, effect_of
from benchmarks.metamorphic.saying import LANGS, phrases_of

CASES = 2000
RIGHT = 0.955
"""The share that is right. To be raised, never lowered."""

KITCHEN, STUDY = Room("kitchen", ("kitchen", "厨房"), 0), Room("study", ("study", "书房"), 1)
LAMP = Thing("lamp", "light", ("desk lamp", "台灯"), KITCHEN)
FAN = Thing("fan", "fan", ("fan", "风扇"), STUDY)
BLIND = Thing("blind", "blind", ("blind", "百叶帘"), STUDY)
HEATER = Thing("heater", "heater", ("thermostat", "温控器"), STUDY)
HOME = Home((KITCHEN, STUDY), (LAMP, FAN, BLIND, HEATER), "blind")
ON: Effect = {("lamp", "state"): Wanted(("on",), 0)}
OFF: Effect = {("lamp", "state"): Wanted(("off",), 0)}
LOWER: Effect = {("blind", "position"): Wanted((26.7, 40), -1)}


def test_a_short_campaign_is_safe() -> None:
    counts: Counts = Counter((item.change, item.lang, item.verdict) for item in all_played(CASES, 1, 1))
    assert [key for key in counts if key[2] == "unsafe"] == [], told(counts)
    right = sum(number for (_, _, verdict), number in counts.items() if verdict == "right")
    assert right >= RIGHT * CASES, told(counts)


def test_the_same_seed_says_the_same() -> None:
    made = [[case(number, 3) for number in range(2 * len(CHANGES))] for _ in range(2)]
    assert made[0] == made[1]
    assert {(item.change, item.lang) for item in made[0]} == {(change, lang) for change in CHANGES for lang in LANGS}
    assert case(0, 3).text != case(0, 4).text


def test_each_language_has_wordings_for_everything() -> None:
    english, chinese = (dict(_wordings(phrases_of(lang), ())) for lang in LANGS)
    assert set(english) == set(chinese)
    assert {path[1] for path in english if path[0] == "acts"} == set(DEEDS)
    for path, wordings in (*english.items(), *chinese.items()):
        assert wordings
        assert len(set(wordings)) == len(wordings), path


@pytest.mark.parametrize("lang", LANGS)
def test_no_wording_leaves_out_what_is_to_be_put_in(lang: str) -> None:
    for path, wordings in _wordings(phrases_of(lang), ()):
        either = path[0] in EITHER
        for wording in wordings:
            places = {name for _, name, _, _ in Formatter().parse(wording) if name}
            if path[0] == "acts":
                form = DEEDS[path[1]].form
                assert places == ({"it"} if form in ("to", "bit") else {"it", "n"}), wording
            else:
                first = {name for _, name, _, _ in Formatter().parse(wordings[0]) if name}
                assert bool(places) == bool(first) if either else places == first, wording


EITHER = {"all", "percent", "degrees", "amounts", "minutes", "hours", "clock"}
"""Where one of several places is as well: digits or words, one or several."""


def _wordings(table: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], list[str]]]:
    for key, value in table.items():
        if isinstance(value, dict) and key not in ("misheard", "numbers"):
            yield from _wordings(value, (*path, key))
        elif isinstance(value, list) and key != "between_acts":
            yield (*path, key), value


@pytest.mark.parametrize(
    ("name", "thing", "value", "wanted"),
    [
        ("on", LAMP, None, {("lamp", "state"): Wanted(("on",), 0)}),
        ("close", BLIND, None, {("blind", "position"): Wanted((0,), -1)}),
        ("speed", FAN, 30, {("fan", "speed"): Wanted((30,), -1)}),
        ("temperature", HEATER, 25, {("heater", "temperature"): Wanted((25,), 1)}),
        ("cooler_by", HEATER, 2, {("heater", "temperature"): Wanted((22,), -1)}),
        ("brighter_by", LAMP, 10, {("lamp", "brightness"): Wanted((60, 55), 1)}),
        ("dimmer", LAMP, None, {("lamp", "brightness"): Wanted((), -1)}),
        ("lower_share", BLIND, "half", {("blind", "position"): Wanted((50, 50), -1)}),
        ("raise_share", BLIND, "quarter", {("blind", "position"): Wanted((65, 50), 1)}),
    ],
)
def test_a_program_says_itself_what_it_comes_to(name: str, thing: Thing, value: Any, wanted: Effect) -> None:
    states: dict[str, Any] = {item.id: {} for item in HOME.things}
    act = Act(name, Ref((thing,)), value)
    before(act, states)
    ((key, found),) = effect_of([act], states).items()
    assert (key, found.sign) == next((key, wish.sign) for key, wish in wanted.items())
    assert found.values == pytest.approx(wanted[key].values)


@pytest.mark.parametrize(
    ("expected", "sent", "outcome", "verdict"),
    [
        (Expected(ON), [("lamp", "state", "on")], "execute", "right"),
        (Expected(ON), [("lamp", "state", "off"), ("lamp", "state", "on")], "execute", "right"),
        (Expected(ON), [], "clarify", "asked"),
        (Expected(ON), [], "reject", "refused"),
        (Expected(ON), [], "query", "refused"),
        (Expected(ON), [], "execute", "wrong"),
        (Expected(ON), [("lamp", "state", "off")], "execute", "unsafe"),
        (Expected(ON), [("lamp", "state", "on"), ("fan", "state", "on")], "execute", "unsafe"),
        (Expected(ON), [("lamp", "state", "on"), ("lamp", "brightness", 40)], "execute", "wrong"),
        (Expected({**ON, ("fan", "speed"): Wanted((30,), 1)}), [("lamp", "state", "on")], "execute", "wrong"),
        (Expected({**ON, ("fan", "speed"): Wanted((30,), 1)}), [("lamp", "state", "on")], "mixed", "asked"),
        (Expected({}), [], "execute", "right"),
        (Expected({}), [("lamp", "state", "on")], "execute", "unsafe"),
        (Expected(ON, or_nothing=True), [], "reject", "right"),
        (Expected(LOWER), [("blind", "position", 27)], "execute", "right"),
        (Expected(LOWER), [("blind", "position", 33)], "execute", "wrong"),
        (Expected(LOWER), [("blind", "position", 67)], "execute", "unsafe"),
        (Expected(LOWER), [("blind", "state", "open")], "execute", "unsafe"),
        (Expected({("lamp", "color"): Wanted(("red",), 0)}), [("lamp", "color", "#f01005")], "execute", "right"),
        (Expected({("lamp", "color"): Wanted(("red",), 0)}), [("lamp", "color", "#0000ff")], "execute", "wrong"),
        (Expected({}, ((600, ON),)), [("lamp", "state", "on", 601)], "schedule", "right"),
        (Expected({}, ((600, ON),)), [("lamp", "state", "on")], "execute", "wrong"),
        (Expected({}, ((600, ON),)), [], "schedule", "wrong"),
        (Expected(ON, ((600, OFF),)), [("lamp", "state", "on"), ("lamp", "state", "off", 600)], "execute", "right"),
        (Expected(ON, ((600, OFF),)), [("lamp", "state", "on")], "execute", "wrong"),
    ],
)
def test_what_became_of_a_sentence_is_judged_by_what_was_sent(
    expected: Expected, sent: list[Any], outcome: str, verdict: str
) -> None:
    things = [Sent(rest[0] if rest else 0, *item) for *item, rest in ((*row[:3], row[3:]) for row in sent)]
    assert judged(expected, things, [outcome], {"blind": {"position": 60}}).verdict == verdict
