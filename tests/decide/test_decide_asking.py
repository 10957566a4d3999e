"""Questions and refusals: what they are about, until when they wait, and what they keep of what was said."""

import pytest

from daemon.core.decisions import Ask, Refuse
from daemon.core.messages import say
from daemon.core.questions import EXPIRY_S, Settled
from daemon.core.resolution import ClauseResolution, Ruling
from daemon.core.values import replace
from daemon.decide.asking import asked_first
from tests.dialogue.mind import HOME, Mind, doubted, mind

THINGS = tuple(item.id for item in HOME.entities if item.kind == "device")


def test_a_question_expires_from_the_moment_it_is_asked() -> None:
    home = Mind()
    home.time.monotonic = 100.0
    question = home.asked("turn on the desk lamp")
    assert question.expires_at == 100.0 + EXPIRY_S
    assert not question.expired(100.0 + EXPIRY_S - 0.1)
    assert question.expired(100.0 + EXPIRY_S)


@pytest.mark.parametrize(
    ("text", "at", "kind", "options"),
    [
        ("turn on the desk lamp", 0, "choose", {"bedroom_desk_lamp", "study_desk_lamp"}),
        ("turn on the kettle and unlock the front door", 1, "confirm", {"front_door_lock"}),
        ("turn on the kettle in a while", 0, "when", set()),
        ("turn on", 0, "target", set()),
        ("set the thermostat to", 0, "value", set()),
        ("set a timer", 0, "length", set()),
    ],
)
def test_a_question_keeps_the_whole_of_what_was_said(text: str, at: int, kind: str, options: set[str]) -> None:
    turns = mind().turns(text, heard=0.9)
    found = mind().decide(turns)[at]
    assert isinstance(found, Ask)
    question = found.question
    assert (question.kind, question.at, question.heard) == (kind, at, 0.9)
    assert set(question.options) == options
    assert question.program.clauses == turns[0].program.clauses


def test_what_was_settled_on_the_way_is_kept_with_an_offer() -> None:
    agreed = Settled(confirmed=("kettle",))
    (found,) = mind().decide(mind().turns("turn on the kettel lamp", settled={0: agreed}))
    assert isinstance(found, Ask)
    assert found.outcome == "reject"
    assert found.question.settled == {0: agreed}


def test_an_offer_is_about_its_clause_alone() -> None:
    """What stands beside it was done already, and is not done twice by an answer."""
    _, found = mind().decide(mind().turns("turn on the kettle and turn on the kettel lamp"))
    assert isinstance(found, Ask)
    assert found.outcome == "reject"
    assert len(found.question.program.clauses) == 1
    assert found.question.at == 0


@pytest.mark.parametrize(("count", "kind"), [(1, "choose"), (12, "choose"), (13, "target"), (0, "target")])
def test_of_too_many_nobody_can_choose(count: int, kind: str) -> None:
    home = mind()
    (turn,) = home.turns("turn on the kettle")
    found = home.asking.about(turn, Ruling("ask", "which", options=THINGS[:count], dimension="name"))
    assert found.question.kind == kind
    assert len(found.question.options) == (count if kind == "choose" else 0)


def test_few_names_are_offered_where_one_is_not_known() -> None:
    found = mind().said("turn on the kettel lamp")
    assert isinstance(found, Ask)
    assert 0 < len(found.question.options) <= 2


def test_what_is_like_nothing_here_is_refused_by_name() -> None:
    (turn,) = mind().turns("turn on the kettle")
    found = mind().asking.refused(turn, Ruling("refuse", "not_found", mention="zzz"), ClauseResolution())
    assert isinstance(found, Refuse)
    assert (found.reason, found.outcome) == ("not_found", "reject")


@pytest.mark.parametrize(("heard", "confirmed", "ends"), [(1.0, (), False), (0.4, (), True), (0.4, ("kettle",), False)])
def test_what_was_hardly_heard_ends_unless_it_was_confirmed(
    heard: float,
    confirmed: tuple[str, ...],
    ends: bool,  # noqa: FBT001 - a column of the table
) -> None:
    (turn,) = mind().turns("turn on the kettle", heard=heard, settled={0: Settled(confirmed=confirmed)})
    assert (mind().asking.doubtful(turn) is not None) == ends


@pytest.mark.parametrize(
    ("text", "reason", "also"),
    [
        # What is only doubtful is asked about in one breath.
        ("turn on the kettle, turn off the hall light and start the vacuum", "confirm_reading", [1, 2]),
        ("打开烧水壶，关掉门厅灯，启动扫地机", "confirm_reading", [1, 2]),
        ("turn on the kettle", "confirm_reading", []),
        # "Which one" is a question by itself, whatever follows it, and is asked by itself.
        ("turn on the desk lamp, turn on the kettle and turn off the hall light", "which", []),
        ("turn on the kettle, turn on the desk lamp and turn off the hall light", "confirm_reading", [2]),
        # What is at stake has its own yes, before or behind.
        ("unlock the front door, turn on the kettle and turn off the hall light", "confirm_risk", []),
        ("turn on the kettle, unlock the front door and turn off the hall light", "confirm_reading", [2]),
        ("打开烧水壶，给大门解锁，关掉门厅灯", "confirm_reading", [2]),
        # So has what is for later.
        ("turn on the kettle and turn off the hall light in ten minutes", "confirm_reading", []),
        ("turn off the hall light in ten minutes, turn on the kettle and start the vacuum", "confirm_reading", []),
        ("turn on the kettle, turn off the hall light in ten minutes and start the vacuum", "confirm_reading", [2]),
    ],
)
def test_all_that_is_only_doubtful_is_one_question(text: str, reason: str, also: list[int]) -> None:
    found = asked_first(mind().decide(mind().turns(doubted(text))))
    assert found is not None
    assert (found.question.at, found.question.reason) == (0, reason)
    assert [item.at for item in found.question.also] == also
    assert found.entities == found.question.about


def test_a_question_for_several_remembers_no_word_and_says_once_what_comes_before_it() -> None:
    asks = mind().decide(mind().turns(doubted("turn on the kettle and turn off the hall light")))
    remarked = [replace(item, before=(say("not_heard"),)) for item in asks if isinstance(item, Ask)]
    assert remarked[0].question.word is not None
    found = asked_first(remarked)
    assert found is not None
    assert found.question.word is None
    assert found.before == (say("not_heard"),)


def test_where_nothing_is_asked_there_is_no_question_and_an_offer_is_none() -> None:
    assert asked_first(mind().decide(mind().turns("turn on the kettle and turn off the hall light"))) is None
    assert asked_first(mind().decide(mind().turns("turn on the kettel lamp"))) is None
