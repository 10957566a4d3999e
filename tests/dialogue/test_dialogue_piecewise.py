"""Reading what a segmenter has cut: what is left out, what is read together, what nobody understands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from daemon.compiler.segmenter import ORDER, TALK, Segment
from daemon.core.ir import Order, Parameter, Program, Target, Timer, Unread, When
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.dialogue.cutting import MOST_READ, effort
from daemon.dialogue.edges import Weighs
from daemon.dialogue.leaning import Read, told_of
from daemon.dialogue.piecewise import Piecewise

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
        Weighs(
            bears=lambda words: "not" in words.split(),
            unsettles=lambda words: words.startswith("no "),
            names=lambda words: "blinds" in words,
            concerns=lambda words: "blinds" in words or "forty" in words,
            depends=lambda words: words.startswith("every time"),
            hangs=lambda words, **_how: words.startswith("every time"),
        ),
    )


@pytest.mark.parametrize(
    ("words", "chance", "kept"),
    [
        ("i am so tired", 0.81, False),
        ("i am so tired", 0.79, True),
        ("but not the hall one", 0.89, True),  # it could change what is done
        ("i am not sure why", 0.96, False),
        ("every time it rains", 0.99, True),  # nobody who says so wants it done at once
    ],
)
def test_talk_is_left_out_where_it_is_sure(words: str, chance: float, *, kept: bool) -> None:
    text, segments = cut(("lamp off", ORDER, 0.9), (words, TALK, chance))
    assert (segments[1] in piecewise().kept(text, segments, lambda _text: ())) == kept


@pytest.mark.parametrize(
    "talk",
    [
        "we leave at eight, at ten to eight",
        "we leave at eight so at ten to eight",
        "so at ten to eight",
        "at ten to eight",
    ],
)
def test_a_time_at_the_end_of_talk_is_of_the_request(talk: str) -> None:
    text, segments = cut((talk, TALK, 0.95), ("lamp off", ORDER, 0.9))
    timed = Program((Order("turn_off", when=When(time="07:50")),), "grammar", "en")

    def read(words: str) -> Sequence[Program]:
        return [timed] if words == "at ten to eight lamp off" else []

    def sequels(words: str) -> list[int]:
        return [words.index("so ") + len("so")] if "so " in words else []

    reader = Piecewise(LIMITS, Weighs(no, no, no, no, sequels=sequels))
    [kept] = reader.kept(text, segments, read)
    assert text[kept.start : kept.end].strip() == "at ten to eight lamp off"


@pytest.mark.parametrize("behind", [False, True])
def test_what_hangs_on_something_that_nobody_understands_is_not_done_at_once(*, behind: bool) -> None:
    said = [("every time the bell rings", TALK, 0.99), ("lamp off", ORDER, 0.9)]
    text, segments = cut(*(said[::-1] if behind else said))
    done = Program((Order("turn_off"),), "grammar", "en")
    kept = piecewise().kept(text, segments, lambda _text: ())
    program = piecewise().read(text, "en", kept, lambda words: [done] if words == "lamp off" else [], {})
    orders = [clause for clause in program.clauses if isinstance(clause, Order)]
    assert [clause.when and clause.when.beyond for clause in orders] == ["unread"]


def test_all_of_it_is_read_together_first() -> None:
    text, segments = cut(("lamp off", ORDER, 0.9), ("tv on", ORDER, 0.9))
    asked, read = reader({"lamp off, tv on": 2})
    program = piecewise().read(text, "en", segments, read, {})
    assert len(program.clauses) == 2
    assert asked == ["lamp off, tv on"]


@pytest.mark.parametrize(("words", "bounded"), [("it", False), ("when the kids are up and about", True)])
def test_of_clauses_that_lean_on_each_other_no_more_is_read_together_than_somebody_waits_for(
    words: str,
    bounded: bool,  # noqa: FBT001 - a column
) -> None:
    clauses = [f"{words} {'abcdefghijkl'[at]}" for at in range(12)]
    text, kept = cut(*((clause, ORDER, 0.9) for clause in clauses))
    asked, read = reader({})
    piecewise().read(text, "en", kept, read, {})
    assert set(clauses) <= set(asked)
    together = [item for item in asked if "," in item]
    assert effort(asked) <= MOST_READ
    assert (len(together) < 1 + 11 + 10 + 9) is bounded


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


STORY = "she did not come to the door until i had rung three times"


@pytest.mark.parametrize(
    ("words", "sort", "chance", "idle"),
    [
        ("what a day", TALK, 0.6, True),
        # What could change what is done, in which nobody reads a request, and which names nothing here.
        ("not there", TALK, 0.6, True),
        ("no not there", TALK, 0.6, False),  # it may take something back
        ("not the blinds", TALK, 0.6, False),
        (STORY, TALK, 0.6, True),
        (f"{STORY} and forty", TALK, 0.6, True),
        (f"no {STORY} and forty", TALK, 0.6, False),
        # Of what names a thing here, only what is rather talk.
        ("the blinds again", TALK, 0.6, True),
        ("the blinds again", TALK, 0.4, False),
        ("the blinds again", ORDER, 0.4, True),
        ("the blinds again", ORDER, 0.6, False),
        ("a little dot", ORDER, 0.6, True),
        ("not there", ORDER, 0.4, False),  # somebody may read a request in it
    ],
)
def test_what_is_talk_and_changes_nothing_need_not_be_told(words: str, sort: str, chance: float, *, idle: bool) -> None:
    text, segments = cut((words, sort, chance), ("tv on", ORDER, 0.9))
    assert piecewise().idle(text, segments) == ({words} if idle else set())


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
    for chance, asked in ((0.6, True), (0.85, True), (0.995, False)):
        text, segments = cut(("tv on", ORDER, 0.9), ("no not today", TALK, chance))
        _, read = reader({"tv on": 1})
        kept = piecewise().kept(text, segments, read)
        found = piecewise().read(text, "en", kept, read, {})
        assert (found.confidence < LIMITS.reading) is asked


@pytest.mark.parametrize(
    ("words", "chance", "asked"),
    [
        ("no idea where my scarf is", 0.7, False),
        ("no idea where my scarf is", 0.4, False),
        ("every time it rains", 0.4, True),  # what stands in front may only say when
    ],
)
def test_before_everything_that_is_asked_for_talk_takes_nothing_back(words: str, chance: float, *, asked: bool) -> None:
    text, segments = cut((words, TALK, chance), ("tv on", ORDER, 0.9))
    _, read = reader({"tv on": 1})
    found = piecewise().read(text, "en", segments, read, {})
    assert (found.confidence < LIMITS.reading) is asked


def dims(value: float, thing: str = "blinds") -> Program:
    return Program((Order("set", (Target(thing),), parameter=Parameter("position", value=value)),), "grammar", "en")


def counting(words: str) -> frozenset[float]:
    return frozenset({40.0} if "forty" in words else ()) | frozenset({30.0} if "thirty" in words else ())


def counts() -> Piecewise:
    unsettles, concerns = (lambda words: words.startswith("no ")), (lambda words: "forty" in words)
    return Piecewise(LIMITS, Weighs(no, unsettles, no, concerns, amounts=counting))


def no(_words: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("talk", "known", "kept"),
    [
        # What is said instead, with nothing but talk behind it.
        ("er, forty, the dog is asleep", {"blinds to thirty, er, forty": dims(40.0)}, "blinds to thirty er, forty"),
        ("no lamps, what a day", {"blinds to thirty, no lamps": dims(30.0, "lamps")}, "blinds to thirty no lamps"),
        # What neither takes back nor counts changes nothing, whatever the grammar makes of it.
        ("the lamps, what a day", {"blinds to thirty, the lamps": dims(30.0, "lamps")}, "blinds to thirty"),
        # Nor does what comes to the same, to more, or to later.
        ("er, forty", {"blinds to thirty, er, forty": dims(30.0)}, "blinds to thirty"),
        ("er, forty", {"blinds to thirty, er, forty": Program(dims(30.0).clauses * 2, "grammar", "en")},
         "blinds to thirty"),
        ("er, forty", {"blinds to thirty, er, forty": Program(
            (Order("set", (Target("blinds"),), parameter=Parameter("position", value=30.0), when=When(delay_s=40.0)),),
            "grammar", "en")}, "blinds to thirty"),
    ],
)  # fmt: skip
def test_what_talk_behind_a_request_says_instead_at_its_beginning_is_of_it(
    talk: str, known: dict[str, Program], kept: str
) -> None:
    text, segments = cut(("blinds to thirty", ORDER, 0.9), (talk, TALK, 0.95))

    def read(words: str) -> Sequence[Program]:
        said = words.replace("thirty er", "thirty, er").replace("thirty no", "thirty, no").replace("y the", "y, the")
        return [known[said]] if said in known else [dims(30.0)] if words == "blinds to thirty" else []

    found = counts().kept(text, segments, read)
    assert text[found[0].start : found[0].end] == kept


def test_a_number_that_is_said_again_is_no_other() -> None:
    for again, asked in (("thirty would be lovely", False), ("forty would be lovely", True)):
        text, segments = cut(("blinds to thirty", ORDER, 0.9), (again, TALK, 0.85))
        found = counts().read(
            text, "en", segments, lambda words: [dims(30.0)] if words == "blinds to thirty" else [], {}
        )
        assert (found.confidence < LIMITS.reading) is asked
        assert any(isinstance(clause, Unread) for clause in found.clauses) is asked


def test_however_sure_talk_is_what_sets_a_number_is_no_talk() -> None:
    text, segments = cut(("tv on", ORDER, 0.9), ("push it to forty, sorry", TALK, 0.99))
    for said, kept in (("push it to forty", 2), ("push it", 1)):
        found = counts().kept(text, segments, lambda words, said=said: [dims(40.0)] if words == said else [])  # type: ignore[misc]
        assert len(found) == kept


def test_how_much_of_what_was_asked_for_is_told_where_nobody_understands_it() -> None:
    words = "er forty is quite enough for the two of us now"
    for sort, told in ((ORDER, True), (TALK, False)):
        text, segments = cut(("tv on", sort, 0.9), (words, TALK, 0.3), ("tv off", ORDER, 0.9))
        assert (words in counts().idle(text, segments)) is not told


def test_what_talk_before_it_may_be_about_is_asked() -> None:
    half = Program((Order("set", parameter=Parameter("brightness", value=50.0)),), "grammar", "en")
    for talk, asked in (("the blinds like this", True), ("what a day", False)):
        text, segments = cut((talk, TALK, 0.9), ("half of it", ORDER, 0.9))
        found = piecewise().read(text, "en", segments[1:], lambda _words: [half], {})
        assert (found.confidence < LIMITS.reading) is asked


IT = Program((Order("close", (Target(reference="it"),)),), "grammar", "en")
BLINDS = Target("blinds")


def meant(program: Program, _talk: str) -> Program:
    return told_of(program, BLINDS)


def targets(program: Program) -> list[tuple[str | None, ...]]:
    """What is named of each order."""
    return [tuple(item.mention for item in clause.targets) for clause in program.clauses if isinstance(clause, Order)]


def test_it_is_what_the_talk_before_it_names_and_nobody_need_be_asked() -> None:
    text, segments = cut(("the blinds rattle", TALK, 0.9), ("close it", ORDER, 0.9))
    heard: list[str] = []

    def about(program: Program, talk: str) -> Program:
        heard.append(talk)
        return meant(program, talk)

    found = piecewise().read(text, "en", segments[1:], lambda _words: [IT], {}, about)
    assert targets(found) == [("blinds",)]
    assert found.confidence >= LIMITS.reading
    assert {talk.strip() for talk in heard} == {"the blinds rattle"}


def test_what_was_named_before_another_remark_is_asked_about() -> None:
    text, segments = cut(("the blinds rattle,", TALK, 0.9), ("what a day,", TALK, 0.9), ("close it", ORDER, 0.9))

    def about(program: Program, talk: str) -> Program | None:
        return meant(program, talk) if "blinds" in talk else None

    found = piecewise().read(text, "en", segments[2:], lambda _words: [IT], {}, about)
    assert targets(found) == [("blinds",)]
    assert found.confidence < LIMITS.reading


def test_where_the_talk_does_not_tell_it_is_asked() -> None:
    text, segments = cut(("the blinds rattle", TALK, 0.9), ("close it", ORDER, 0.9))
    found = piecewise().read(text, "en", segments[1:], lambda _words: [IT], {}, lambda _program, _talk: None)
    assert found.clauses == IT.clauses
    assert found.confidence < LIMITS.reading


def test_talk_that_names_nothing_is_not_asked_what_it_is() -> None:
    text, segments = cut(("what a day", TALK, 0.9), ("close it", ORDER, 0.9))
    found = piecewise().read(text, "en", segments[1:], lambda _words: [IT], {}, meant)
    assert targets(found) == [(None,)]


def test_talk_does_not_tell_what_it_is_once_something_else_was_named() -> None:
    text, segments = cut(("tv on", ORDER, 0.9), ("the blinds rattle", TALK, 0.9), ("close it", ORDER, 0.9))
    on = Program((Order("turn_on", (Target("tv"),)),), "grammar", "en")
    known = {"tv on": on, "close it": IT}
    kept = (segments[0], segments[2])
    found = piecewise().read(text, "en", kept, lambda words: [known[words]] if words in known else [], {}, meant)
    assert targets(found) == [("tv",), (None,)]
    assert found.confidence < LIMITS.reading


def test_what_nobody_understood_before_it_may_still_tell_what_it_is() -> None:
    text, segments = cut(("frob the blinds", ORDER, 0.9), ("close it", ORDER, 0.9))
    found = piecewise().read(text, "en", segments, lambda words: [IT] if words == "close it" else [], {}, meant)
    assert isinstance(found.clauses[0], Unread)
    assert targets(found) == [("blinds",)]


OFF = Order("turn_off", (Target(reference="that"),))
KETTLE = Order("turn_on", (Target("kettle"),))


@pytest.mark.parametrize(
    ("clauses", "named"),
    [
        ((OFF,), [("blinds",)]),
        ((Order("turn_off"),), [("blinds",)]),
        ((OFF, replace(OFF, action="turn_on")), [("blinds",), ("blinds",)]),
        # Up to the first that says itself what it is about.
        ((OFF, KETTLE, OFF), [("blinds",), ("kettle",), (None,)]),
        ((KETTLE, OFF), [("kettle",), (None,)]),
        ((replace(OFF, targets=(*OFF.targets, *KETTLE.targets)),), [(None, "kettle")]),
        ((Timer(name="egg"), OFF), [(None,)]),
    ],
)
def test_what_was_told_of_is_meant_by_the_orders_that_point_back_to_it(
    clauses: tuple[Order | Timer, ...], named: list[tuple[str | None, ...]]
) -> None:
    program = Program(clauses, "grammar", "en")
    found = told_of(program, BLINDS)
    assert targets(found) == named
    assert [replace(item, targets=()) if isinstance(item, Order) else item for item in found.clauses] == [
        replace(item, targets=()) if isinstance(item, Order) else item for item in clauses
    ]


def test_what_stands_behind_a_time_that_begins_what_nobody_understands_waits() -> None:
    text, kept = cut(("an hour before dawn warm us up", ORDER, 0.9), ("stove to 22", ORDER, 0.9))
    stove = Program(
        (Order("set", (Target(kind="heater"),), parameter=Parameter("temperature", value=22.0)),), "grammar", "en"
    )

    def read(words: str) -> Sequence[Program]:
        return [stove] if words == "stove to 22" else []

    def order(*, hangs: bool) -> Order:
        reader = Piecewise(LIMITS, Weighs(no, no, no, no, hangs=lambda _words, **how: hangs and "leads" in how))
        _, found = reader.read(text, "en", kept, read, {}).clauses
        assert isinstance(found, Order)
        return found

    assert order(hangs=True).when == When(beyond="unread")
    assert order(hangs=False).when is None


def test_a_time_in_front_is_of_all_that_is_ordered_behind_it() -> None:
    text, kept = cut(("at seven the stove on", ORDER, 0.9), ("blast the radio", ORDER, 0.9))
    said = {
        "at seven the stove on": Order("turn_on", (Target(kind="heater"),), when=When(time="07:00", twelve=True)),
        "blast the radio": Order("turn_on", (Target(kind="media_player"),)),
    }

    def read(words: str) -> Sequence[Program]:
        return [Program((said[words],), "grammar", "en")] if words in said else []

    def whens(*, front: bool) -> list[When | None]:
        def hangs(words: str, *, leads: bool = False, first: bool = False) -> bool:
            return front and first and not leads and words.startswith("at seven")

        found = Piecewise(LIMITS, Weighs(no, no, no, no, hangs=hangs)).read(text, "en", kept, read, {})
        return [clause.when for clause in found.clauses]

    seven = When(time="07:00", twelve=True)
    assert whens(front=True) == [seven, seven]
    assert whens(front=False) == [seven, None]
