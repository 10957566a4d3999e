"""What is done about those who are meant, by what was read: conditions, times, ends, and what can't be waited for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.decisions import Act, Ask, Keep, Refuse
from daemon.core.ir import Order, Target, When
from daemon.core.questions import Settled
from daemon.core.values import replace
from tests.dialogue.mind import brief, mind

WINDOW = ("bedroom_window", "contact")
SEEN = st.one_of(st.sampled_from(("on", "off")), st.none())


@pytest.mark.parametrize(
    ("value", "outcome"), [("on", ("Act", "sure")), ("off", ("Refuse", "condition")), (None, ("Refuse", "condition"))]
)
@pytest.mark.parametrize("text", ["turn on the kettle if the bedroom window is open", "如果卧室窗户开着就打开烧水壶"])
def test_a_condition_is_what_was_read(text: str, value: str | None, outcome: tuple[str, str]) -> None:
    states = {} if value is None else {WINDOW: value}
    assert brief(mind().said(text, states=states))[:2] == outcome


def test_doing_nothing_carries_out_what_does_not_hold_but_not_what_is_unknown() -> None:
    text = "turn on the kettle if the bedroom window is open"
    closed, unknown = mind().said(text, states={WINDOW: "off"}), mind().said(text)
    assert isinstance(closed, Refuse)
    assert isinstance(unknown, Refuse)
    assert (closed.outcome, unknown.outcome) == ("execute", "reject")
    assert closed.read == ("bedroom_window",)


def test_nobody_is_asked_about_what_does_not_hold() -> None:
    text = "turn on the desk lamp if the bedroom window is open"
    assert brief(mind().said(text, states={WINDOW: "off"}))[:2] == ("Refuse", "condition")
    assert brief(mind().said(text, states={WINDOW: "on"}))[:2] == ("Ask", "which")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("turn on the kettle in ten minutes", ("Keep", "sure")),
        ("turn on the kettle at 7 pm", ("Keep", "sure")),
        ("turn on the hall light for ten minutes", ("Act", "sure")),
        ("turn on the kettle in a while", ("Ask", "later.vague")),
        ("turn on the kettle every day at seven", ("Ask", "later.half")),
        ("turn on the kettle at sunset", ("Refuse", "later.no_location")),
        ("turn on the kettle at 25:00", ("Refuse", "later.beyond.no_time")),
        ("turn on the kettle when the pope calls", ("Refuse", "later.beyond.event")),
        ("turn on the kettle after I finish my tea", ("Refuse", "later.beyond.event")),
        # Nothing that can't be undone is done for a while, without a yes to its end.
        ("lock the front door for ten minutes", ("Ask", "confirm_after")),
        ("lock the front door until 7 pm", ("Ask", "confirm_after")),
        ("unlock the front door at 8 pm", ("Ask", "confirm_risk")),
        ("unlock the front door whenever the bedroom window opens", ("Ask", "confirm_risk")),
    ],
)
def test_times(text: str, outcome: tuple[str, str]) -> None:
    assert brief(mind().said(text))[:2] == outcome


def test_what_nobody_understood_of_it_is_left_out_only_with_a_yes() -> None:
    """The model heard a command, and beside it words that it may depend on."""
    heard = mind().program("turn on the kettle")
    program = replace(heard, clauses=(replace(heard.clauses[0], when=When(beyond="unread")),))
    assert brief(mind().said(program)) == ("Ask", "confirm_reading", {"kettle"})
    agreed = mind().said(program, settled={0: Settled(confirmed=("kettle",))})
    assert brief(agreed) == ("Act", "sure", {"kettle"})
    assert agreed.turn.clause.when is None
    # What else was said of when is still heeded.
    delayed = replace(heard, clauses=(replace(heard.clauses[0], when=When(delay_s=600.0, beyond="unread")),))
    assert isinstance(mind().said(delayed, settled={0: Settled(confirmed=("kettle",))}), Keep)
    unknown = replace(program, clauses=(Order("turn_on", (Target("sparklerino"),), when=When(beyond="unread")),))
    assert mind().asked(unknown).reason == "not_found"


def test_a_yes_to_the_end_does_it() -> None:
    agreed = {0: Settled(confirmed=("front_door_lock",))}
    assert isinstance(mind().said("lock the front door for ten minutes", settled=agreed), Act)
    # Of another thing it is none.
    other = {0: Settled(confirmed=("kettle",))}
    assert isinstance(mind().said("lock the front door for ten minutes", settled=other), Ask)


def test_whoever_is_asked_for_a_yes_knows_when_it_will_be() -> None:
    assert brief(mind().said("unlock the front door in a while"))[:2] == ("Ask", "later.vague")


@pytest.mark.parametrize("value", ["on", "off", None])
def test_a_rule_tells_whether_it_holds_already(value: str | None) -> None:
    states = {} if value is None else {WINDOW: value}
    found = mind().said("whenever the bedroom window opens turn on the kettle", states=states)
    assert isinstance(found, Keep)
    assert (found.holds, found.watched) == (value == "on", (("bedroom_window",),))


@pytest.mark.parametrize(
    ("text", "spared"),
    [
        ("good night but leave the tv on", {"living_tv"}),
        ("activate movie night except the tv", {"living_tv"}),
        ("good night", set()),
    ],
)
def test_a_scene_leaves_alone_what_was_excepted(text: str, spared: set[str]) -> None:
    found = mind().said(text)
    assert isinstance(found, Act)
    assert {ban.entity for ban in found.bans} == spared


def test_a_scene_that_is_kept_leaves_it_alone_then() -> None:
    found = mind().said("activate movie night at 8 pm except the tv")
    assert isinstance(found, Keep)
    assert found.spared == ("living_tv",)


@pytest.mark.parametrize(("heard", "outcome"), [(1.0, "Act"), (0.5, "Ask"), (0.1, "Refuse")])
def test_a_doubtful_hearing_is_asked_back(heard: float, outcome: str) -> None:
    assert brief(mind().said("turn on the kettle", heard=heard))[0] == outcome


def test_a_need_is_met_by_switching_on_what_is_off() -> None:
    """Nobody lowers the setting of an air conditioner that is off."""
    off = {"state_of": lambda entity, _attribute: "off"}
    asked = mind().asked("it's so hot in the living room", **off)
    assert asked.options == ("living_ac",)
    wish = asked.clause.parameter
    assert asked.clause.action == "turn_on"
    assert wish is not None
    assert (wish.attribute, wish.value) == ("mode", "cool")
    running = mind().asked("it's so hot in the living room", state_of=lambda entity, _attribute: "on")
    assert running.clause.action != "turn_on"


@settings(max_examples=60)
@given(
    st.sampled_from(("kettle", "hall light", "bedroom fan", "desk lamp", "front door")),
    st.sampled_from(("", "in ten minutes ", "for ten minutes ", "at 7 pm ")),
    SEEN,
)
def test_nothing_is_done_now_unless_its_condition_was_seen_to_hold(name: str, when: str, value: str | None) -> None:
    states = {} if value is None else {WINDOW: value}
    found = mind().said(f"turn on the {name} {when}if the bedroom window is open", states=states)
    if isinstance(found, Act):
        assert value == "on"
        assert "in ten" not in when
