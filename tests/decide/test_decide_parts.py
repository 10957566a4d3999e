"""No part of a clause is dropped: whatever carries it out heeds it, or it is refused in words that name it."""

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any, get_args

import pytest

from daemon.converse.replies import Replies
from daemon.core.decisions import Refuse
from daemon.core.entities import Address, Entity
from daemon.core.ir import Clause, Condition, Hours, Intent, Lesson, Parameter, Program, Target, Timer, When
from daemon.core.messages import Refused, Say
from daemon.core.questions import NOTHING_SETTLED
from daemon.core.resolution import Context
from daemon.core.trace import Trace
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.parts import HEEDED, Deed, Part, deed_of, parts_of, unheeded, unheeded_at_all
from daemon.home.registry import Registry
from tests.home.houses import ROOT, default_home

REPLIES = Replies.load(ROOT / "rules")
PARTY = Entity("party", "scene", ("Party",), address=Address("plain", "scenes/party"))
REGISTRY = Registry((*default_home().entities, PARTY), default_home().people)
THE_TV = (Target(mention="tv"),)
MADE: dict[Part, dict[str, Any]] = {
    "exception": {"excluded": THE_TV},
    "setting": {"parameter": Parameter("brightness", value=40.0, unit="%")},
    "condition": {"conditions": (Condition(Target(mention="window"), value="open"),)},
    "event": {"repeating": True},
    "time": {"time": "20:00"},
    "repetition": {"days": ("mon",)},
    "duration": {"duration_s": 600.0},
    "hours": {"hours": Hours("22:00", "06:00")},
}
DONE: dict[Deed, tuple[Clause, tuple[str, ...]]] = {
    "switch": (Clause("act", "turn_on"), ("kettle",)),
    "set": (Clause("act", "turn_on"), ("hall_light",)),
    "instant": (Clause("act", "next"), ("living_speaker",)),
    "steps": (Clause("scene", "activate"), ("good_night",)),
    "handed": (Clause("scene", "activate"), ("party",)),
    "query": (Clause("query", "query"), ("hall_light",)),
    "list": (Clause("help"), ()),
    "timer": (Clause("timer", timer=Timer()), ()),
    "reminder": (Clause("timer", timer=Timer(reminds="tea")), ()),
    "later": (Clause("later"), ()),
    "learn": (Clause("learn", lesson=Lesson("list")), ()),
    "dialogue": (Clause("dialogue"), ()),
    "ban": (Clause("forbid", "turn_on"), ("kettle",)),
    "permit": (Clause("permit"), ()),
}
NAMED = {
    "targets",
    "intent",
    "action",
    "negated",
    "anyone",
    "either",
    "implicit",
    "elliptic",
    "query",
    "rooms",
    "topic",
}
"""What of a clause is its verb, its names, or how it is meant: judged by the resolver and the gate."""
OWN = {"timer", "dialogue", "lesson", "agenda"}
"""What only its own intent has."""
DETAIL = {"condition_join", "confidence", "offset_s", "twelve", "until_twelve", "once", "week", "said"}
"""What says more of a part that is there."""


def with_parts(clause: Clause, parts: tuple[Part, ...]) -> Clause:
    made = {name: value for part in parts for name, value in MADE[part].items()}
    when = {name: value for name, value in made.items() if name not in ("excluded", "parameter", "conditions", "hours")}
    rest = {name: value for name, value in made.items() if name not in when}
    return replace(clause, **rest, when=When(**when) if when else None)


def subsets() -> Iterator[tuple[Part, ...]]:
    return chain.from_iterable(combinations(MADE, length) for length in range(len(MADE) + 1))


def turn_of(clause: Clause) -> Turn:
    return Turn(Program((clause,), "grammar", "en"), 0, Context("en"), NOTHING_SETTLED, 1.0, Trace())


def key_of(found: Refuse) -> str:
    (said,) = found.said
    assert isinstance(said, Say | Refused)
    return said.key if isinstance(said, Say) else "unsupported"


@pytest.mark.parametrize("deed", get_args(Deed))
def test_every_part_is_heeded_or_refused(deed: Deed) -> None:
    plain, entities = DONE[deed]
    for parts in subsets():
        clause = with_parts(plain, parts)
        turn = turn_of(clause)
        assert parts_of(clause) == set(parts)
        spared = ("living_tv",) if "exception" in parts else ()
        found = unheeded(turn, entities, REGISTRY, spared) if entities else unheeded_at_all(turn)
        # A lamp is switched unless it is to be dimmed.
        done = "switch" if deed == "set" and "setting" not in parts else deed
        lost = set(parts) - HEEDED[done]
        assert (found is None) == (not lost), parts
        if found is not None:
            assert found.reason.removeprefix("unheeded.") in lost
            assert all(REPLIES.has(key_of(found), lang) for lang in ("en", "zh"))


@pytest.mark.parametrize("intent", get_args(Intent))
def test_every_intent_has_a_deed(intent: Intent) -> None:
    assert deed_of(Clause(intent)) in HEEDED


def test_no_field_of_a_clause_is_forgotten() -> None:
    made = {name for part in MADE.values() for name in part}
    known = NAMED | OWN | DETAIL | made | {"when"}
    assert set(Clause.__struct_fields__) <= known
    # These are refused, or asked about, by the decider itself.
    judged = {"delay_s", "day_offset", "until", "daytime", "vague", "every", "beyond"}
    assert set(When.__struct_fields__) <= known | judged


def test_of_a_set_a_setting_is_for_those_that_take_it() -> None:
    clause = with_parts(Clause("act", "turn_on"), ("setting",))
    assert unheeded(turn_of(clause), ("hall_light", "kettle"), REGISTRY) is None
    assert unheeded(turn_of(clause), ("kettle",), REGISTRY) is not None


def test_what_is_kept_does_not_know_what_was_said_beside_it() -> None:
    clause = with_parts(Clause("scene", "activate"), ("time",))
    assert unheeded(turn_of(clause), ("good_night",), REGISTRY, ("living_tv",)) is None
    assert unheeded(turn_of(clause), ("good_night",), REGISTRY, ("kettle",), kept=True) is None
    found = unheeded(turn_of(clause), ("good_night",), REGISTRY, ("living_tv",), kept=True)
    assert found is not None
    assert found.reason == "unheeded.exception"
