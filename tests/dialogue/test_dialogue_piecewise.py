"""Reading what a segmenter has cut: what is left out, what is read together, what nobody understands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from daemon.compiler.segmenter import ORDER, TALK, Segment
from daemon.core.ir import Order, Parameter, Program, Timer, Unread
from daemon.core.thresholds import Thresholds
from daemon.dialogue.piecewise import Piecewise, Read

LIMITS = Thresholds()


def cut(*said: tuple[str, str, float]) -> tuple[str, tuple[Segment, ...]]:
    """A text of these clauses, and the clauses."""
    text, segments = "", []
    for words, sort, chance in said:
        start = len(text) + (1 if text else 0)
        text = f"{text} {words}".strip()
        segments.append(Segment(start, start + len(words), sort, chance))
    return text, tuple(segments)


def reader(known: dict[str, int]) -> tuple[list[str], Read]:
    """What reads these texts as so many orders, and nothing else; and the texts that it was given."""
    asked: list[str] = []

    def read(text: str) -> Sequence[Program]:
        asked.append(text)
        count = known.get(text)
        return [Program(tuple(Timer(name=text) for _ in range(count)), "grammar", "en")] if count else []

    return asked, read


def piecewise() -> Piecewise:
    return Piecewise(
        LIMITS,
        lambda words: "not" in words.split(),
        lambda words: words.startswith("no "),
        lambda words: "blinds" in words,
        lambda words: "blinds" in words or "forty" in words,
    )


@pytest.mark.parametrize(
    ("words", "chance", "kept"),
    [
        ("i am so tired", 0.81, False),
        ("i am so tired", 0.79, True),
        ("but not the hall one", 0.89, True),  # it could change what is done
        ("i am not sure why", 0.96, False),
    ],
)
def test_talk_is_left_out_where_it_is_sure(words: str, chance: float, *, kept: bool) -> None:
    text, segments = cut(("lamp off", ORDER, 0.9), (words, TALK, chance))
    assert (segments[1] in piecewise().kept(text, segments)) == kept


def test_all_of_it_is_read_together_first() -> None:
    text, segments = cut(("lamp off", ORDER, 0.9), ("tv on", ORDER, 0.9))
    asked, read = reader({"lamp off, tv on": 2})
    program = piecewise().read(text, "en", segments, read, {})
    assert len(program.clauses) == 2
    assert asked == ["lamp off, tv on"]


def test_what_says_nothing_alone_leans_on_its_neighbour() -> None:
    text, segments = cut(("lamps off", ORDER, 0.9), ("except the hall", ORDER, 0.9), ("blah", ORDER, 0.9))
    _, read = reader({"lamps off": 1, "lamps off, except the hall": 1})
    program = piecewise().read(text, "en", segments, read, {})
    assert [
        item.text if isinstance(item, Unread) else item.name if isinstance(item, Timer) else ""
        for item in program.clauses
    ] == [
        "lamps off, except the hall",
        "blah",
    ]


def test_what_the_model_takes_for_talk_and_the_grammar_for_an_order_is_asked_about() -> None:
    text, segments = cut(("the lamp off", TALK, 0.6), ("tv on", ORDER, 0.9))
    _, read = reader({"the lamp off": 1, "tv on": 1})
    assert piecewise().read(text, "en", segments, read, {}).confidence < LIMITS.reading
    _, read = reader({"tv on": 1})
    assert piecewise().read(text, "en", segments, read, {}).confidence >= LIMITS.reading


def test_what_is_most_likely_talk_and_bears_on_nothing_need_not_be_told() -> None:
    text, segments = cut(("what a day", TALK, 0.6), ("not there", TALK, 0.6), ("tv on", ORDER, 0.9))
    assert piecewise().idle(text, segments) == {"what a day"}
    story = "she did not come to the door until i had rung three times"
    text, segments = cut((story, TALK, 0.6), ("tv on", ORDER, 0.9))
    assert piecewise().idle(text, segments) == {story}
    # but for what may have been a request
    text, segments = cut((f"{story} and forty", TALK, 0.6), ("tv on", ORDER, 0.9))
    assert piecewise().idle(text, segments) == set()


def test_nothing_is_done_unasked_before_what_may_take_it_back() -> None:
    text, segments = cut(("tv on", ORDER, 0.9), ("no the other thing", ORDER, 0.9))
    _, read = reader({"tv on": 1})
    assert piecewise().read(text, "en", segments, read, {}).confidence < LIMITS.reading


def test_what_points_back_at_what_nobody_understood_is_asked_about() -> None:
    text, segments = cut(("frob the lamp", ORDER, 0.9), ("half of it", ORDER, 0.9))
    half = Program((Order("set", parameter=Parameter("brightness", value=50.0)),), "grammar", "en")
    program = piecewise().read(text, "en", segments, lambda words: [half] if words == "half of it" else [], {})
    assert isinstance(program.clauses[0], Unread)
    assert program.confidence < LIMITS.reading


def test_what_is_hardly_an_order_adds_nothing_unasked() -> None:
    text, segments = cut(("blinds down", ORDER, 0.9), ("a little dot", ORDER, 0.6))
    _, read = reader({"blinds down": 1, "blinds down, a little dot": 2})
    program = piecewise().read(text, "en", segments, read, {})
    assert len(program.clauses) == 1 or program.confidence < LIMITS.reading


def test_talk_that_the_grammar_leaves_out_as_well_is_no_reason_to_ask() -> None:
    text, segments = cut(("hello there", TALK, 0.7), ("tv on", ORDER, 0.9))
    on = Program((Timer(name="tv on"),), "grammar", "en")
    both = {"hello there, tv on": on, "tv on": on}
    assert piecewise().read(text, "en", segments, lambda words: [both[words]], {}).confidence >= LIMITS.reading


def test_what_the_small_model_reads_stands_where_the_grammar_reads_nothing() -> None:
    text, segments = cut(("tv on", ORDER, 0.9), ("zap the lamp", ORDER, 0.9))
    _, read = reader({"tv on": 1})
    made = {"zap the lamp": Program((Timer(name="zapped", confidence=0.55),), "model", "en", confidence=0.55)}
    program = piecewise().read(text, "en", segments, read, made)
    assert [(clause.name, clause.confidence) for clause in program.clauses if isinstance(clause, Timer)] == [
        ("tv on", 1.0),
        ("zapped", 0.55),
    ]
    assert program.confidence == 1.0  # each clause is as sure as its own


def test_a_remark_takes_back_only_what_may_be_an_order() -> None:
    for chance, asked in ((0.6, True), (0.85, False)):
        text, segments = cut(("tv on", ORDER, 0.9), ("no not today", TALK, chance))
        _, read = reader({"tv on": 1})
        found = piecewise().read(text, "en", segments, read, {})
        assert (found.confidence < LIMITS.reading) is asked


def test_what_talk_before_it_may_be_about_is_asked() -> None:
    half = Program((Order("set", parameter=Parameter("brightness", value=50.0)),), "grammar", "en")
    for talk, asked in (("the blinds like this", True), ("what a day", False)):
        text, segments = cut((talk, TALK, 0.9), ("half of it", ORDER, 0.9))
        found = piecewise().read(text, "en", segments[1:], lambda _words: [half], {})
        assert (found.confidence < LIMITS.reading) is asked
