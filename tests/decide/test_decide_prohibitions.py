"""What is forbidden for good is done by nothing without a yes: data in, data out."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.act import planner
from daemon.act.bans import broken, forbidden
from daemon.core.decisions import Act, Ask, Decision, Keep, Refuse, Undo
from daemon.core.ir import (
    Clause,
    Condition,
    DialogueMove,
    Hours,
    Order,
    Parameter,
    Permission,
    Program,
    Prohibition,
    Target,
    When,
)
from daemon.core.outcomes import Observation, Observed, WayBack, Write
from daemon.core.questions import FORBIDDEN, NOTHING_SETTLED, Settled
from daemon.core.resolution import Context
from daemon.core.trace import Trace
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.decide.prohibitions import Prohibitions
from daemon.home.registry import Registry
from daemon.resolve.resolver import Resolver
from daemon.schedule.agenda import Agenda
from daemon.schedule.entries import Entry, Origin
from daemon.schedule.moments import Clock, Moments
from tests.home.houses import default_home

ZONE = ZoneInfo("Europe/Amsterdam")
HOME = default_home()
REGISTRY = Registry(HOME.entities, HOME.people)
ORIGIN = Origin("never", "en", "console", 0.0)
OPEN = (Condition(Target(kind="window"), value="open"),)
WINDOW = (("bedroom_window",),)


def forbid(*entities: str, action: Any = "turn_on", **more: Any) -> Entry:
    watched = WINDOW if "conditions" in more else ()
    clause = Prohibition(action, **more)
    return Entry(0, "ban", ORIGIN, program=Program((clause,), "grammar", "en"), entities=entities, watched=watched)


def prohibitions(entries: Sequence[Entry], now: str = "2026-11-21T14:00") -> Prohibitions:
    wall = datetime.fromisoformat(now).replace(tzinfo=ZONE).timestamp()
    agenda = Agenda(Clock(lambda: wall, lambda: 0.0, ZONE))
    for entry in entries:
        asyncio.run(agenda.keep(entry))
    asking = Asking(HOME.thresholds, lambda: 0.0)
    return Prohibitions(agenda, Moments(agenda.clock), REGISTRY, HOME.scene_steps, Resolver(REGISTRY), asking)


def turn_of(clause: Clause, *, attended: bool = True, settled: Settled = NOTHING_SETTLED) -> Turn:
    return Turn(Program((clause,), "grammar", "en"), 0, Context("en"), settled, 1.0, Trace(), attended=attended)


def act(action: Any, *entities: str, attended: bool = True, settled: Settled = NOTHING_SETTLED, **more: Any) -> Act:
    clause = Order(action, **more)
    return Act(turn_of(clause, attended=attended, settled=settled), "sure", entities)


def window(value: str | None) -> Observed:
    seen = Observation("bedroom_window", "contact", value, "reply" if value is not None else "none", 0.1)
    return {("bedroom_window", "contact"): seen}


def done(decision: Decision, observed: Observed) -> tuple[Write, ...]:
    """What a decision would send."""
    match decision:
        case Act():
            clause, bans = decision.turn.order, decision.bans
            return planner.plan(clause, decision.entities, REGISTRY, observed, HOME.scene_steps, bans=bans).writes
        case Undo() if decision.back is not None:
            spared = {ban.entity for ban in broken(decision.back.writes, decision.bans)}
            return tuple(item for item in decision.back.writes if item.entity not in spared)
        case _:
            return ()


def test_a_person_is_asked_and_a_yes_does_it_once() -> None:
    held = prohibitions([forbid("front_door_lock", action="unlock")])
    asked = held.weigh(act("unlock", "front_door_lock"), {}, ("front_door_lock",))
    assert isinstance(asked, Ask)
    assert (asked.question.reason, asked.question.despite) == (FORBIDDEN, (1,))
    agreed = act("unlock", "front_door_lock", settled=Settled(confirmed=("front_door_lock",), despite=(1,)))
    assert held.weigh(agreed, {}, ("front_door_lock",)) == agreed
    assert isinstance(held.weigh(act("unlock", "front_door_lock"), {}, ("front_door_lock",)), Ask)


def test_what_fires_by_itself_is_not_done() -> None:
    held = prohibitions([forbid("kettle")])
    refused = held.weigh(act("turn_on", "kettle", attended=False), {}, ("kettle",))
    assert isinstance(refused, Refuse)
    assert refused.reason == FORBIDDEN


@pytest.mark.parametrize("attended", [True, False])
def test_of_a_set_the_rest_is_done(attended: bool) -> None:  # noqa: FBT001 - a column of the table
    held = prohibitions([forbid("kettle")])
    found = held.weigh(act("turn_on", "kettle", "hall_light", attended=attended), {})
    assert [item.entity for item in done(found, {})] == ["hall_light"]


def test_one_that_was_named_is_asked_about_among_others() -> None:
    held = prohibitions([forbid("kettle")])
    assert isinstance(held.weigh(act("turn_on", "kettle", "hall_light"), {}, ("kettle", "hall_light")), Ask)


@pytest.mark.parametrize(
    ("entry", "wish", "barred"),
    [
        (forbid("kettle"), act("turn_off", "kettle"), False),
        (forbid("kettle", action="turn_off"), act("turn_off", "kettle"), True),
        (forbid("hall_light"), act("set", "hall_light", parameter=Parameter("brightness", value=30.0, unit="%")), True),
        (forbid("hall_light"), act("set", "hall_light", parameter=Parameter("brightness", value=0.0, unit="%")), False),
        (forbid("kettle", action=None), act("turn_off", "kettle"), True),
        (forbid("good_night", action="activate"), act("activate", "good_night"), True),
        (forbid("front_door_lock", action="lock"), act("activate", "good_night"), False),
        (forbid("garage_door", action="open"), act("open", "garage_door"), True),
        (forbid("garage_door", action="open"), act("close", "garage_door"), False),
    ],
)
def test_what_breaks_a_prohibition(entry: Entry, wish: Act, barred: bool) -> None:  # noqa: FBT001 - a column
    assert isinstance(prohibitions([entry]).weigh(wish, {}), Ask) == barred


@pytest.mark.parametrize(
    ("value", "attended", "outcome"),
    [("on", True, Ask), ("off", True, Act), (None, True, Ask), ("on", False, Refuse), (None, False, Refuse)],
)
def test_a_condition_is_read_afresh(value: str | None, attended: bool, outcome: type[Decision]) -> None:  # noqa: FBT001
    held = prohibitions([forbid("kettle", conditions=OPEN)])
    wish = act("turn_on", "kettle", attended=attended)
    assert ("bedroom_window", "contact") in held.needs(wish.turn.clause, wish.entities)
    assert isinstance(held.weigh(wish, window(value), ("kettle",)), outcome)


@pytest.mark.parametrize(("now", "outcome"), [("2026-11-21T21:59", Act), ("2026-11-21T22:00", Ask)])
def test_hours(now: str, outcome: type[Decision]) -> None:
    held = prohibitions([forbid("kettle", hours=Hours("22:00", "06:00"))], now)
    assert isinstance(held.weigh(act("turn_on", "kettle"), {}, ("kettle",)), outcome)


@pytest.mark.parametrize(("time", "outcome"), [("23:00", Ask), ("20:00", Keep)])
def test_a_plan_is_held_against_the_hours_of_its_moment(time: str, outcome: type[Decision]) -> None:
    held = prohibitions([forbid("kettle", hours=Hours("22:00", "06:00"))])
    plan = Keep(turn_of(Order("turn_on", when=When(time=time))), "sure", ("kettle",))
    assert isinstance(held.weigh(plan, {}, ("kettle",)), outcome)


def test_permitting_lifts_only_what_it_would_break() -> None:
    held = prohibitions([forbid("kettle"), forbid("kettle", action="turn_off")])
    lifted = held.lifted(turn_of(Permission("turn_off", (Target(mention="kettle"),))))
    assert isinstance(lifted, Undo)
    assert lifted.dropped == (2,)
    again = held.lifted(turn_of(Permission("open", (Target(mention="garage door"),))))
    assert again.reason == "forbidden.none"


# -- whatever is wished, in whatever order

THINGS = ("kettle", "hall_light", "living_tv", "front_door_lock", "garage_door", "thermostat", "living_curtain")
DEEDS = ("turn_on", "turn_off", "open", "close", "lock", "unlock", "toggle")
STATES = {"turn_on": "on", "turn_off": "off", "open": "open", "close": "closed", "lock": "locked", "unlock": "unlocked"}
few = st.lists(st.sampled_from(THINGS), min_size=1, max_size=3, unique=True)
bans = st.builds(
    lambda ids, action, conditions, hours: forbid(
        *ids, action=action, hours=hours, **({"conditions": OPEN} if conditions else {})
    ),
    few,
    st.sampled_from((*STATES, None)),
    st.booleans(),
    st.sampled_from((None, Hours("22:00", "06:00"), Hours("09:00", "18:00"))),
)
scenes = st.sampled_from(tuple(HOME.scene_steps))
levels = st.sampled_from((0.0, 40.0))


@st.composite
def wishes(draw: st.DrawFn) -> Decision:
    attended, kind = draw(st.booleans()), draw(st.sampled_from(("act", "set", "scene", "undo")))
    if kind == "scene":
        return act("activate", draw(scenes), attended=attended)
    ids = tuple(draw(few))
    if kind == "set":
        level = Parameter(draw(st.sampled_from(("brightness", "position"))), value=draw(levels), unit="%")
        return act("set", *ids, attended=attended, parameter=level)
    if kind == "act":
        return act(draw(st.sampled_from(DEEDS)), *ids, attended=attended)
    verb = draw(st.sampled_from(tuple(STATES)))
    back = WayBack(tuple(Write(item, "state", STATES[verb], verb) for item in ids))
    return Undo(turn_of(DialogueMove("undo")), "undo", ids, back)


@settings(max_examples=300, deadline=None)
@given(st.lists(bans, min_size=1, max_size=3), st.lists(wishes(), min_size=1, max_size=6), st.booleans(), st.data())
def test_nothing_forbidden_is_sent_without_a_yes(
    entries: list[Entry],
    wished: list[Decision],
    late: bool,  # noqa: FBT001 - drawn
    data: st.DataObject,
) -> None:
    held = prohibitions(entries, "2026-11-21T23:00" if late else "2026-11-21T12:00")
    for decision in wished:
        seen = data.draw(st.sampled_from(("on", "off", None)))
        pairs = product(THINGS, ("state",))
        observed = {**window(seen), **{pair: Observation(*pair, "off", "reply", 0.1) for pair in pairs}}
        named = decision.entities if data.draw(st.booleans()) else ()
        sent = done(held.weigh(decision, observed, named), observed)
        for entry in entries:
            assert isinstance(entry.clause, Prohibition)
            hours = entry.clause.hours
            timely = hours is None or late == (hours.start == "22:00")
            if timely and (not entry.clause.conditions or seen != "off"):
                assert not broken(sent, forbidden(entry.clause, entry.entities, REGISTRY))
        if isinstance(decision, Act):
            agreed = replace(decision, turn=replace(decision.turn, settled=Settled(despite=tuple(range(1, 4)))))
            assert held.weigh(agreed, observed, named) == agreed
