"""Sentences that are read from their parts: what covers a text, what is talk, and what makes one command."""

from collections import Counter
from typing import Any

import pytest

from daemon.understand.assembly import Assembled
from daemon.understand.frames import Frames
from daemon.understand.grammar import Grammar
from daemon.understand.lattice import Part, cover
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize
from daemon.understand.pieces import MOST_TRIED, Known


def part(sort: str, start: int, end: int, cost: float) -> Part:
    return Part(sort, start, end, (), cost)


def best(grammar: Grammar, home: NameTable, text: str) -> Assembled | None:
    return next((item for item, _ in grammar.covers(normalize(text), home)), None)


def test_the_cheapest_row_covers_every_word_once() -> None:
    lattice = {
        0: [part("do", 0, 5, 0.6), part("deed", 0, 8, 0.5)],
        5: [part("particle", 5, 8, 0.6)],
        8: [part("target", 8, 12, 0.6), part("left over", 8, 12, 2.5)],
        12: [],
    }
    rows = cover(lattice, lambda _: True)
    assert [[item.sort for item in row.parts] for row in rows[:2]] == [["deed", "target"], ["do", "particle", "target"]]
    assert [row.cost for row in rows] == sorted(row.cost for row in rows)
    for row in rows:
        assert [item.end for item in row.parts[:-1]] == [item.start for item in row.parts[1:]]


def test_a_word_that_is_in_no_part_and_may_not_be_left_over_leaves_no_row() -> None:
    assert cover({0: [part("deed", 0, 4, 0.5)], 4: [], 8: []}, lambda _: True) == []


@pytest.mark.parametrize(
    "text",
    [
        "my head hurts, close the blinds",
        "close the blinds, my head hurts",
        "close the blinds because my head hurts",
        "im off so close the blinds",
        "头疼得厉害，把窗帘拉上",
    ],
)
def test_talk_says_nothing_of_a_command(grammar: Grammar, home: NameTable, text: str) -> None:
    (program, *_) = grammar.read(normalize(text), home)
    (clause,) = program.clauses
    assert (clause.action, clause.targets[0].mention, clause.conditions, clause.when) == ("close", None, (), None)


@pytest.mark.parametrize(
    "text",
    [
        "close the blinds, but not yet",
        "not my head, close the blinds",
        "the bedroom lamp is fine, turn off all the lights",  # which of them is it?
        "the kids are asleep in the bedroom, turn off the lights",
        "I have done the kitchen, turn off the lights",
        "the desk lamp is the one, turn it on",
        "somebody is at the front door, unlock it",
        "my wife is home turn on the lights, and close the blinds",
        "卧室有人，把灯都关了",
        "客人还在客厅，关灯",
        "我刚才开的台灯，关掉",
    ],
)
def test_what_could_change_what_is_meant_is_no_talk(grammar: Grammar, home: NameTable, text: str) -> None:
    assert not any(part.sort == "talk" for item, _ in grammar.covers(normalize(text), home) for part in item.parts)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("turn the bedroom lamp on", 1),
        ("turn the bedroom lamp on and the tv off", 2),
        ("the tv off the bedroom lamp to 40 percent", 2),
        ("set the bedroom lamp to 40, no, 50 percent", 1),
        ("把电视关了把窗帘拉上", 2),
        ("turn the bedroom lamp and", None),  # breaks off
        ("the bedroom lamp the tv off", None),  # one of them, or both?
    ],
)
def test_a_row_falls_into_commands(grammar: Grammar, home: NameTable, text: str, commands: int | None) -> None:
    found = best(grammar, home, text)
    whole = found if found is not None and found.is_whole else None
    assert (len(whole.tree.children) if whole else None) == commands


@pytest.mark.parametrize(
    "text",
    [
        "turn on the kitchen light, in the hall, in the study",
        "turn the colour of the bedroom lamp off",
        "don't leave the tv off, in the bedroom",
        "open the study blind in the hall",
    ],
)
def test_nothing_is_dropped_that_was_said(grammar: Grammar, home: NameTable, text: str) -> None:
    """Two places for one thing, a switch of what is only an attribute: whoever says so means something else."""
    for reading in grammar.read(normalize(text), home):
        said = str(reading.clauses)
        assert all(place in said for place in ("hall", "study", "kitchen") if place in text)


def test_a_row_is_drawn_with_what_each_part_costs(grammar: Grammar, home: NameTable) -> None:
    _, line, *_ = grammar.explain(normalize("to 30 percent dim the bedroom lamp"), home)
    total, _, row = line.partition(" = ")
    costs = [float(said.rsplit(" ", 1)[1]) for said in row.split(" | ")]
    assert '"to 30 percent" level' in line
    assert '"the bedroom lamp" target' in line
    assert sum(costs) <= float(total)


DENSE = {
    "en": "once it is light, i guess, turn it off, cooler, i mean, at half past six, brighten the lamp, says who, ",
    "zh": "打开灯，亮一点，不对，三十，暖一点，",
}


@pytest.mark.parametrize("lang", DENSE)
def test_no_more_is_tried_of_a_dense_text_than_somebody_waits_for(
    grammar: Grammar, home: NameTable, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Known] = []
    once = Frames._with

    def counted(*given: Any) -> Any:
        tried.append(given[-1])
        return once(*given)

    monkeypatch.setattr(Frames, "_with", counted)
    list(grammar.covers(normalize(DENSE[lang] * 9), home))
    each = Counter(map(id, tried)).values()
    assert MOST_TRIED // 2 < max(each) <= MOST_TRIED * 1.01
