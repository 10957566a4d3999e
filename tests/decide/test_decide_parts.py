"""No part of a clause is dropped: whatever carries it out heeds it, or it is refused in words that name it."""

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any, get_args

import pytest

from daemon.core.decisions import Refuse
from daemon.core.entities import Address, Entity
from daemon.core.ir import (
    AboutAgenda,
    AboutList,
    Broadcast,
    Chat,
    Clause,
    Condition,
    DialogueMove,
    Fix,
    Help,
    Hours,
    Inquiry,
    Lesson,
    Order,
    Parameter,
    Permission,
    Program,
    Prohibition,
    Target,
    Timer,
    Unread,
    When,
)
from daemon.core.messages import Refused, Say
from daemon.core.questions import NOTHING_SETTLED
from daemon.core.resolution import Context
from daemon.core.trace import Trace
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.parts import HEEDED, Deed, Part, deed_of, parts_of, unheeded, unheeded_at_all
from daemon.home.registry import Registry
from tests.home.houses import default_home
from tests.rules import REPLIES

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
FIELDS: dict[Part, str] = {"exception": "excluded", "setting": "parameter", "condition": "conditions", "hours": "hours"}
"""Where a clause has them; all else is of `when`."""
DONE: dict[Deed, tuple[Clause, tuple[str, ...]]] = {
    "switch": (Order("turn_on"), ("kettle",)),
    "set": (Order("turn_on"), ("hall_light",)),
    "instant": (Order("next"), ("living_speaker",)),
    "steps": (Order("activate"), ("good_night",)),
    "handed": (Order("activate"), ("party",)),
    "round": (Order("start"), ("vacuum",)),
    "query": (Inquiry("state"), ("hall_light",)),
    "list": (Help(), ()),
    "timer": (Timer(), ()),
    "reminder": (Timer(reminds="tea"), ()),
    "later": (AboutAgenda("list"), ()),
    "note": (AboutList("tell"), ()),
    "learn": (Lesson("list"), ()),
    "dialogue": (Fix("correct"), ()),
    "ban": (Prohibition("turn_on"), ("kettle",)),
    "permit": (Permission(), ()),
}
NAMED = {
    "targets",
    "action",
    "negated",
    "anyone",
    "either",
    "implicit",
    "complaint",
    "elliptic",
    "query",
    "rooms",
    "contrary",
    "first",
}
"""What of a clause is its verb, its names, or how it is meant: judged by the resolver and the gate."""
OWN = {
    *(
        "topic",
        "op",
        "sort",
        "last",
        "just",
        "seconds",
        "name",
        "start_seconds",
        "place",
        "reminds",
        "word",
        "value",
        "unit",
    ),
    *("move", "index", "text", "always", "items", "message", "places", "spared"),
}
"""What only timers, lessons, remarks and what is about the agenda have, whose handlers are for nothing else."""
DETAIL = {
    "condition_join",
    "confidence",
    "offset_s",
    "twelve",
    "until_twelve",
    "until_so",
    "once",
    "follows",
    "interval",
    "week",
    "said",
}
"""What says more of a part that is there."""


def with_parts(clause: Clause, parts: tuple[Part, ...]) -> Clause:
    made = {name: value for part in parts for name, value in MADE[part].items()}
    when = {name: value for name, value in made.items() if name not in ("excluded", "parameter", "conditions", "hours")}
    rest = {name: value for name, value in made.items() if name not in when}
    return replace(clause, **rest, when=When(**when) if when else None)


def subsets(clause: Clause) -> Iterator[tuple[Part, ...]]:
    """All that such a clause can have; what it has no field for is nothing that could be dropped."""
    able = [part for part in MADE if FIELDS.get(part, "when") in clause.__struct_fields__]
    return chain.from_iterable(combinations(able, length) for length in range(len(able) + 1))


def turn_of(clause: Clause) -> Turn:
    return Turn(Program((clause,), "grammar", "en"), 0, Context("en"), NOTHING_SETTLED, 1.0, Trace())


def key_of(found: Refuse) -> str:
    (said,) = found.said
    assert isinstance(said, Say | Refused)
    return said.key if isinstance(said, Say) else "unsupported"


@pytest.mark.parametrize("deed", get_args(Deed))
def test_every_part_is_heeded_or_refused(deed: Deed) -> None:
    plain, entities = DONE[deed]
    for parts in subsets(plain):
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


def test_every_variant_has_a_deed() -> None:
    made: list[Clause] = [*(clause for clause, _ in DONE.values()), Broadcast("tea"), DialogueMove("yes"), Chat()]
    made.append(Unread(text="frob it"))
    assert {type(clause) for clause in made} == set(get_args(Clause))
    assert all(deed_of(clause) in HEEDED for clause in made)


def test_no_field_of_a_clause_is_forgotten() -> None:
    made = {name for part in MADE.values() for name in part}
    known = NAMED | DETAIL | made | {"when"}
    for variant in get_args(Clause):
        assert set(variant.__struct_fields__) <= known | (
            OWN if variant not in (Order, Prohibition, Permission, Inquiry) else set()
        )
    # These are refused, or asked about, by the decider itself.
    judged = {"delay_s", "day_offset", "until", "daytime", "vague", "every", "beyond"}
    # Each of several times has a clause of its own by then.
    assert set(When.__struct_fields__) <= known | judged | {"also"}


def test_of_a_set_a_setting_is_for_those_that_take_it() -> None:
    clause = with_parts(Order("turn_on"), ("setting",))
    assert unheeded(turn_of(clause), ("hall_light", "kettle"), REGISTRY) is None
    assert unheeded(turn_of(clause), ("kettle",), REGISTRY) is not None


def test_what_is_kept_does_not_know_what_was_said_beside_it() -> None:
    clause = with_parts(Order("activate"), ("time",))
    assert unheeded(turn_of(clause), ("good_night",), REGISTRY, ("living_tv",)) is None
    assert unheeded(turn_of(clause), ("good_night",), REGISTRY, ("kettle",), kept=True) is None
    found = unheeded(turn_of(clause), ("good_night",), REGISTRY, ("living_tv",), kept=True)
    assert found is not None
    assert found.reason == "unheeded.exception"
