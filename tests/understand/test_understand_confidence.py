"""The table of confidences, its fit, and what a home makes of names that nobody knows."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.confidence import DECIDED, FALLING, RARE, falling, fitted
from benchmarks.said_otherwise import Judged
from daemon.core.errors import ConfigError
from daemon.core.ir import Order, Program, Target
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.understand.confidence import FILE, Confidences
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize

TABLE = Path(__file__).parents[2] / "rules" / FILE
SURE = Confidences.load(TABLE)


def test_the_table_keeps_its_order() -> None:
    assert SURE.name > SURE.kind > SURE.room > SURE.described > SURE.unknown
    assert [getattr(SURE, name) for name in FALLING] == sorted((getattr(SURE, name) for name in FALLING), reverse=True)
    limits = Thresholds()
    assert all(getattr(SURE, name) < limits.reading for name in ("low", "implicit", "either", "half", "misheard"))
    assert SURE.syllable < limits.noise < SURE.not_found < limits.reading < SURE.found


@pytest.mark.parametrize(
    ("before", "after", "line", "problem"),
    [
        ("  room: ", "  rooms: ", None, "rooms: is no evidence"),
        ("  room: 0.987\n", "", None, "room: is missing"),
        ("decided:\n", "decided:\n  moon: 0.4\n", None, "is no evidence"),
        ("  low: 0.3\n", "  low: 0.2\n", "low", "as sure as chat"),
        ("  low: 0.3\n", "  low: 1.3\n", "low", "1.3 is out of range"),
        ("  low: 0.3\n", "  low: yes\n", "low", "write a number"),
        ("decided:\n", "settled:\n", None, 'unknown key "settled"'),
    ],
)
def test_a_mistake_in_the_table_is_told(
    tmp_path: Path, before: str, after: str, line: str | None, problem: str
) -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert before in text
    file = tmp_path / FILE
    file.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        Confidences.load(file)
    assert problem in str(caught.value)
    if line is not None:
        assert caught.value.line == next(
            at for at, row in enumerate(file.read_text("utf-8").splitlines(), 1) if row.startswith(f"  {line}:")
        )


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("turn on the bedroom lamp", "name"),
        ("turn on the lights in the kitchen", "kind"),
        ("turn on the sparkly lamp", "described"),
        ("turn on the thingamajig", "unknown"),
        ("volume up", "nameless"),
        ("turn it off", "pronoun"),
        ("play chess with me", "title"),
        ("play the album graceland", "title_sort"),
        ("打开老伙计", "name"),
        ("打开厨房的灯", "kind"),
        ("打开亮晶晶的灯", "described"),
        ("打开保险柜", "unknown"),
        ("音量大一点", "nameless"),
        ("把它关掉", "pronoun"),
        ("播放歌曲青花瓷", "title_sort"),
        ("有点冷", "implicit"),
    ],
)
def test_a_confidence_tells_its_reason(grammar: Grammar, home: NameTable, said: str, reason: str) -> None:
    (best, *_) = grammar.read(normalize(said), home)
    assert grammar.sure.reason(best.confidence) == reason


def test_each_part_has_its_own_confidence(grammar: Grammar, home: NameTable) -> None:
    (best, *_) = grammar.read(normalize("turn on the thingamajig and the bedroom lamp"), home)
    unknown, known = (target for clause in best.clauses for target in clause.targets)
    assert (known.confidence, unknown.confidence) == (SURE.name, SURE.unknown)
    (best, *_) = grammar.read(normalize("play chess on the tv"), home)
    parameter = best.clauses[0].parameter
    assert parameter is not None
    assert (parameter.confidence, best.clauses[0].targets[0].confidence) == (SURE.title, SURE.name)


def test_a_home_makes_an_unknown_name_surer_or_not() -> None:
    clause = Order("turn_on", (Target(mention="bad room lamp", confidence=SURE.described),))
    clause = replace(clause, confidence=SURE.described)
    assert SURE.in_home(clause, [True]).confidence == SURE.found
    assert SURE.in_home(clause, [False]).confidence == SURE.not_found
    doubtful = replace(clause, confidence=SURE.half)  # half a command stays half a command
    assert SURE.in_home(doubtful, [True]).confidence == SURE.half
    known = Order("turn_on", (Target(mention="lamp", confidence=SURE.name),), confidence=SURE.name)
    assert SURE.in_home(known, [False]) == known


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), min_size=1, max_size=6))
def test_pooled_shares_never_rise(counts: list[tuple[int, int]]) -> None:
    seen = {str(at): (float(min(right, count)), float(count)) for at, (right, count) in enumerate(counts)}
    shares = list(falling(seen).values())
    assert all(one >= other - 1e-9 for one, other in pairwise(shares))
    assert sum(share * count for share, (_, count) in zip(shares, seen.values(), strict=True)) == pytest.approx(
        sum(right for right, _ in seen.values())
    )


def test_the_fit_goes_where_the_sentences_are() -> None:
    def judged(name: str, *, right: bool, first: bool = True) -> Judged:
        return Judged(
            "x", "said", Program((), "grammar", "en", confidence=getattr(SURE, name)), right=right, first=first
        )

    seen = [judged("title", right=False)] * 300 + [judged("kind", right=True)] * 300
    seen += [judged("room", right=False, first=False)] * 300  # of the half that is not learnt from
    made = fitted(SURE, seen)
    assert made.title < 0.1
    assert made.kind > 0.98
    assert made.room == pytest.approx(RARE, abs=0.02)  # no two are alike
    assert all(getattr(made, name) == getattr(SURE, name) for name in DECIDED)
    assert len({getattr(made, item.name) for item in fields(Confidences)}) == len(fields(Confidences))


@pytest.mark.parametrize(
    ("text", "action", "sure"),
    [
        # "no louder" takes back what was said before, or goes with it: only a value tells.
        ("turn the volume down, no louder", "decrease", False),
        ("dim the hall light, no brighter", "decrease", False),
        ("volume at 30, no louder", "set", True),
        # 拉起来 shuts curtains and opens what rolls up; of "it" nobody knows.
        ("把它拉起来", "open", False),
        ("窗帘拉起来", "close", False),
        ("百叶窗拉起来", "open", True),
        ("never mind the hall light turn it off", "turn_off", True),
        ("never mind the hall light, turn it off", "turn_off", True),
    ],
)
def test_what_may_mean_the_opposite_is_half_sure(text: str, action: str, sure: bool, grammar: Grammar) -> None:  # noqa: FBT001
    program = grammar.read(normalize(text), NameTable(()))[0]
    assert program.clauses[0].action == action
    assert (program.confidence > Thresholds().reading) is sure
