"""What is to be done about a sentence: one decision for each clause, from fresh readings and from what is open."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.decisions import Act, Ask, Keep, Query, Refuse, Teach, Undo
from daemon.core.ir import validate
from daemon.core.questions import Settled
from daemon.core.resolution import Context, Spoken
from daemon.core.values import to_dict
from daemon.decide.decider import leans
from daemon.decide.looking import Look
from daemon.decide.parting import after
from daemon.dialogue.dialogue import Open
from tests.dialogue.mind import HOME, Mind, brief, kept, mind, observed, switched

LOCK = "front_door_lock"


@pytest.mark.parametrize(
    ("text", "variant", "reason", "entities"),
    [
        ("turn on the kettle", Act, "sure", {"kettle"}),
        ("把烧水壶打开", Act, "sure", {"kettle"}),
        ("good night", Act, "sure", {"good_night"}),
        ("lock the front door", Act, "sure", {LOCK}),
        ("is the kettle on", Query, "sure", {"kettle"}),
        ("what time is it", Query, "clock", set()),
        ("what can you do", Query, "help", set()),
        ("turn on the kettle in ten minutes", Keep, "sure", {"kettle"}),
        ("whenever the bedroom window opens turn on the kettle", Keep, "sure", {"kettle"}),
        ("never turn on the kettle", Keep, "sure", {"kettle"}),
        ("call the kettle bubbles", Teach, "learn", {"kettle"}),
        ("unlock the front door", Ask, "confirm_risk", {LOCK}),
        ("打开大门", Ask, "confirm_risk", {LOCK}),
        ("turn on the desk lamp", Ask, "which", {"bedroom_desk_lamp", "study_desk_lamp"}),
        ("turn on", Ask, "missing_target", set()),
        ("set the thermostat to", Ask, "missing_value", set()),
        ("call the front door gate", Ask, "learn_risk", {LOCK}),
        ("don't turn on the kettle", Refuse, "negated", {"kettle"}),
        ("don't turn on the kettle at seven", Refuse, "no_promise", {"kettle"}),
        ("unlock the door for whoever rings", Refuse, "anyone", set()),
        ("undo that", Refuse, "nothing_to_undo", set()),
    ],
)
def test_each_sentence_has_its_decision(text: str, variant: type, reason: str, entities: set[str]) -> None:
    assert brief(mind().said(text)) == (variant.__name__, reason, entities)


def test_every_clause_is_decided_before_any_is_carried_out() -> None:
    found = mind().decide(mind().turns("turn on the kettle and unlock the front door"))
    assert [type(item) for item in found] == [Act, Ask]
    assert [item.turn.at for item in found] == [0, 1]


@pytest.mark.parametrize(
    ("text", "area", "entity"),
    [
        ("turn on the ac and set the fan to high", "living_room", "living_ac"),
        ("turn on the ac and set the fan to high", None, "living_ac"),
        # There is a fan in this room, and one that is named is no part of anything.
        ("turn on the ac and set the fan to high", "bedroom", "bedroom_fan"),
        ("turn on the ac and set the bedroom fan to high", "living_room", "bedroom_fan"),
        ("turn on the bedroom fan and set the speaker to 30", "living_room", "living_speaker"),
        ("turn on the tv and set the volume to 30", "living_room", "living_tv"),
        ("turn on the hall light and set the fan to high", "living_room", "bedroom_fan"),
        ("调到19度风速高", "living_room", "living_ac"),
    ],
)
def test_what_is_set_beside_a_thing_is_of_that_thing(text: str, area: str | None, entity: str) -> None:
    assert mind().decide(mind().turns(text, area=area))[-1].entities == (entity,)


@pytest.mark.parametrize("text", ["turn on the kettle", "unlock the front door", "call the kettle bubbles", "stop"])
def test_noise_is_for_nobody(text: str) -> None:
    found = mind().said(text, heard=mind().thresholds.noise - 0.01)
    assert isinstance(found, Refuse)
    assert (found.reason, found.outcome) == ("not_understood", "ignore")


@pytest.mark.parametrize(
    "text", ["set a timer for ten minutes", "cancel everything that is planned", "you may turn on the kettle again"]
)
def test_what_changes_only_what_is_kept_is_done_of_no_doubtful_hearing(text: str) -> None:
    found = mind().said(text, heard=mind().thresholds.reading - 0.01)
    assert isinstance(found, Refuse)
    assert found.outcome == "ignore"


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("turn on the kettle", False),
        ("is the kettle on", False),
        ("turn on the kettle in ten minutes", True),
        ("never turn on the kettle", True),
        ("set a timer for ten minutes", True),
    ],
)
def test_without_a_broker_only_what_is_for_later_is_taken(text: str, done: bool) -> None:  # noqa: FBT001 - a column
    found = mind().said(text, open_=Open(connected=False))
    assert isinstance(found, Keep) if done else brief(found)[:2] == ("Refuse", "broker_away")


@pytest.mark.parametrize("word", ["turn it off", "dim them"])
def test_what_leans_on_something_unknown_is_not_done(word: str) -> None:
    _, second = mind().decide(mind().turns(f"turn on the sparklerino and {word}", last=("kettle", "hall_light")))
    assert isinstance(second, Refuse)
    assert second.reason == "no_last"


def test_it_is_what_the_clause_before_was_about() -> None:
    _, second = mind().decide(mind().turns("turn on the kettle and turn it off", last=("hall_light",)))
    assert brief(second) == ("Act", "sure", {"kettle"})


def test_a_place_holds_for_the_next_clause_and_is_only_assumed_there() -> None:
    home = mind()
    clause = home.program("turn on the light in the bedroom").clauses[0]
    before = Context("en", area="kitchen", spoken=Spoken(("kettle",)))
    context = after(before, clause, ("bedroom_ceiling",), home.registry)
    assert (context.area, context.area_assumed) == ("bedroom", True)
    assert (context.last, context.spoken.before) == (("bedroom_ceiling",), ("kettle",))


def test_where_nothing_is_to_be_done_is_not_where_the_next_thing_is() -> None:
    home = mind()
    clause = home.program("don't turn on the light in the bedroom").clauses[0]
    context = after(Context("en", area="kitchen"), clause, ("bedroom_ceiling",), home.registry)
    assert (context.area, context.last) == ("kitchen", ("bedroom_ceiling",))
    assert after(context, home.program("stop").clauses[0], (), home.registry) == context


@pytest.mark.parametrize(
    ("text", "pointing"),
    [("turn it off", True), ("turn them on", True), ("turn on the kettle", False), ("turn off the light", False)],
)
def test_what_only_points_back(text: str, pointing: bool) -> None:  # noqa: FBT001 - a column of the table
    assert leans(mind().program(text).clauses[0]) == pointing


def test_what_another_clause_forbids_is_not_done_by_the_scene_beside_it() -> None:
    first, *_ = mind().decide(mind().turns("good night, and don't turn off the tv"))
    assert isinstance(first, Act)
    assert "living_tv" in {ban.entity for ban in first.bans}


def test_a_prohibition_asks_first_and_is_lifted_by_a_permission() -> None:
    held = Mind([kept("never turn on the kettle", "kettle", sort="ban", due=None)])
    assert brief(held.said("turn on the kettle"))[:2] == ("Ask", "forbidden")
    assert brief(held.said("turn on the kettle", attended=False))[:2] == ("Refuse", "forbidden")
    lifted = held.said("you may turn on the kettle again")
    assert isinstance(lifted, Undo)
    assert lifted.dropped == (1,)


def test_a_permission_of_what_nothing_forbids_asks_for_what_is_risky_all_the_same() -> None:
    found = mind().said("you may unlock the front door")
    assert not isinstance(found, Act)


# -- whatever is said, and whatever is so

SENTENCES = (
    "open everything", "unlock the front door", "open the front door", "打开大门", "open the garage door",
    "open the gas valve and the curtains", "open the doors", "unlock the front door in an hour",
    "lock the front door for five minutes", "whenever the bedroom window opens unlock the front door",
    "undo that", "turn on the kettle and open the garage door", "把车库门打开", "open it", "unlock them",
)  # fmt: skip
RISKY = {LOCK: "unlock", "garage_door": "open", "gas_valve": "open"}


@settings(max_examples=60)
@given(
    st.sampled_from(SENTENCES),
    st.floats(0, 1),
    st.booleans(),
    st.sampled_from(((), ("kettle",), (LOCK, "garage_door"))),
)
def test_nothing_risky_is_done_without_a_yes(text: str, heard: float, area: bool, last: tuple[str, ...]) -> None:  # noqa: FBT001 - drawn
    home = mind()
    done = tuple(switched(item, "unlocked", "locked", "lock") for item in last if item == LOCK)
    turns = home.turns(text, heard=heard, area="hall" if area else None, last=last)
    for decision in home.decide(turns, {}, Open(done=done, just=done)):
        if isinstance(decision, Act | Keep | Undo):
            opens = decision.turn.clause.action in ("open", "unlock", None)
            assert not opens or not RISKY.keys() & set(decision.entities)


@settings(max_examples=40)
@given(st.sampled_from(SENTENCES), st.data())
def test_a_yes_covers_exactly_what_was_asked(text: str, data: st.DataObject) -> None:
    home = mind()
    turns = home.turns(text)
    asked = [item for item in home.decide(turns) if isinstance(item, Ask) and item.question.kind == "confirm"]
    for ask in asked:
        options = ask.question.options
        agreed = data.draw(st.lists(st.sampled_from(options), unique=True)) if options else []
        again = home.turns(text, settled={ask.question.at: Settled(confirmed=(*agreed, "kettle"))})
        found = home.decide(again)[ask.question.at]
        if isinstance(found, Act) and found.reason == "confirmed":
            assert set(found.entities) == {*agreed, "kettle"} & set(options)


@settings(max_examples=40)
@given(st.sampled_from(SENTENCES), st.floats(0, 1))
def test_deciding_changes_nothing(text: str, heard: float) -> None:
    home = mind()
    turns = home.turns(text, heard=heard)
    program = turns[0].program
    once, again = home.decide(turns), home.decide(home.turns(text, heard=heard))
    assert list(map(brief, once)) == list(map(brief, again))
    assert validate(to_dict(program)) == program
    assert not home.agenda.entries
    assert home.registry.get("kettle") == next(item for item in HOME.entities if item.id == "kettle")


def test_what_must_be_read_is_told_before_anything_is_decided() -> None:
    home = mind()
    (look,) = home.decider.looks(home.turns("turn on the kettle if the bedroom window is open"), Open())
    assert isinstance(look, Look)
    assert look.needs == (("bedroom_window", "contact"),)
    outcomes: Mapping[str | None, tuple[str, str]] = {
        "on": ("Act", "sure"), "off": ("Refuse", "condition"), None: ("Refuse", "condition"),
    }  # fmt: skip
    for value, outcome in outcomes.items():
        seen = {} if value is None else observed({("bedroom_window", "contact"): value})
        assert brief(home.decider.decide(look, seen))[:2] == outcome
