"""What goes on from a question: the same of others, another value of the same place, and what is to be done there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from daemon.core.entities import Entity
from daemon.core.ir import Action, Clause, DialogueMove, Fix, Inquiry, Order, Parameter, Target, Timer
from daemon.core.values import replace
from daemon.dialogue.of_setting import asked_of_setting
from daemon.home.actions import OPPOSITES, VERB_OF_STATE
from daemon.home.sensing import AMBIENT
from daemon.understand.corrections import corrected, moved

UNSAID: Final = 0.98
"""How sure it is that what was not named is what was spoken of just now."""
_STATE_OF: Final[Mapping[str | None, str]] = {verb: str(state) for state, verb in VERB_OF_STATE.items()}
_OF_ONE: Final = frozenset({"increase", "decrease", "pause", "resume"})
"""What is done to one timer."""
_MOST: Final = frozenset({"max", "min"})
"""Of several, the one that has the most, or least."""


def gone_on(clause: Clause, last: Clause, spoken_of: Sequence[Entity]) -> Clause | None:
    """What is asked, or to be done, of what the last question was about; None where this says nothing such."""
    match clause:
        case Inquiry():
            return _of_those(clause, last) or _asked_there(clause, last, spoken_of)
        case Order():
            return _acted_there(clause, last, spoken_of)
        case Fix(move="follow", targets=(Target(reference="them", quantifier="any"),)):
            return _unlike(clause, last)
        case Fix(move="follow", query="is" | "state", targets=(_,)):
            return _of_those(clause.inquiry(), last)
        case Fix(move="follow", query="value", targets=()) if isinstance(last, Order):
            return _told_there(clause, spoken_of)
        case _:
            return None


def _of_those(clause: Inquiry, last: Clause) -> Inquiry | None:
    """As "is the bathroom one off?", "did you get the bathroom too?" after an act: of such there, and no others."""
    target = clause.targets[0] if len(clause.targets) == 1 else Target()
    place = Target(kind=target.kind if target.kind == "device" else None, areas=target.areas, floors=target.floors)
    named = replace(target, confidence=1.0) != place or not (target.areas or target.floors)
    if named or not isinstance(last, Order) or last.is_scene:
        return None
    state = _STATE_OF.get(last.action)
    done, asked = last.parameter or Parameter("state", value=state), clause.parameter
    if asked is None and clause.query == "is":
        asked = done
    values = (None, done.value, OPPOSITES.get(state or ""))
    alike = asked is None or (asked.attribute == done.attribute and asked.value in values)
    them = corrected(last, Fix("follow", targets=(target,))).targets
    return replace(clause, targets=them, parameter=asked) if alike else None


def goes_on(clause: Clause, timer: Timer | None) -> tuple[Clause, ...]:
    """That timer, as "go on" after "pause the timer", "another minute" after "how long on the eggs"; else none.

    Or as "a bit less, half an hour" after it was set.
    """
    if timer is None:
        return ()
    if isinstance(clause, Timer) and timer.name is not None and clause.op in _OF_ONE:
        named = clause.name or clause.place or clause.start_seconds or clause.reminds is not None
        return () if named else (replace(clause, name=timer.name),)
    if timer.op == "start":
        return _as_long_as(clause, timer)
    if not isinstance(clause, Order) or clause.targets or clause.parameter is not None:
        return ()
    match timer.op, clause.action:
        case "pause", "resume":
            return (replace(timer, op="resume"),)
        case "resume", "pause":
            return (replace(timer, op="pause"),)
        case _:
            return ()


def _as_long_as(clause: Clause, timer: Timer) -> tuple[Clause, ...]:
    """The timer that was just set, so long as is said instead."""
    wish, when = clause.parameter, clause.when
    if isinstance(clause, Order):
        if clause.targets or when is None or wish is None or wish.attribute != "value":
            return ()
        clause = DialogueMove("time", when=when)
    made = moved(timer, clause)
    if not isinstance(made, Timer) or timer.reminds is not None:
        return ()
    return DialogueMove("cancel"), made


def _unlike(fix: Fix, last: Clause) -> Order | None:
    """As "do the one that isn't", after "are both doors locked?": those of them of which it is not so."""
    asked = last.parameter if isinstance(last, Inquiry) else None
    state = asked.value if asked is not None and asked.attribute == "state" else None
    if state is None or state not in OPPOSITES:
        return None
    held = OPPOSITES[state] if fix.negated else state
    action = fix.action or (VERB_OF_STATE[state] if fix.negated else None)
    if action is None:
        return None
    them = Target(reference="them", state=str(held), confidence=UNSAID)
    return Order(cast("Action", action), (them,), confidence=UNSAID)


def more_of(last: Inquiry, fix: Fix) -> Inquiry | None:
    """As "and now?", the last question again; as "which ones?", "and the humidity?", another of the same things.

    None where nothing was asked that may hold of some and not of others.
    """
    if fix.query in (None, "state"):
        return last
    asked, before = fix.parameter or last.parameter, last.parameter
    if asked is not None and before is not None and {asked.op, before.op} <= _MOST:
        # "And the coldest?" of a warmest room; 那最低的呢 of whatever was the highest.
        attribute = before.attribute if asked.attribute == "state" else asked.attribute
        return replace(last, parameter=replace(asked, attribute=attribute))
    if fix.query in ("which", "count") and (asked is None or asked.value is None) and not last.conditions:
        return None
    return replace(last, query=fix.query, parameter=asked)


def _told_there(fix: Fix, spoken_of: Sequence[Entity]) -> Inquiry | None:
    """As "and the temperature?" after an act: of what it was done to, else of the place where that is."""
    asked = fix.parameter
    if asked is None or not spoken_of:
        return None
    able = all(item.reads(asked.attribute) is not None for item in spoken_of)
    if not able and asked.attribute not in AMBIENT:
        return None
    return replace(fix.inquiry(), targets=(pronoun(spoken_of) if able else Target(reference="there"),))


def _asked_there(clause: Inquiry, last: Clause, spoken_of: Sequence[Entity]) -> Inquiry | None:
    """As "how bright is it?" of what was spoken of; as "and the humidity?" of the place that was asked about."""
    asked, before = clause.parameter, last.parameter
    if before is not None and (made := asked_of_setting(clause, before)) is not None:
        return made
    if clause.query != "value" or clause.targets or clause.conditions or asked is None:
        return None
    if asked.attribute in AMBIENT:
        there = isinstance(last, Inquiry) and before is not None and before.attribute in AMBIENT - {asked.attribute}
        return replace(clause, targets=last.targets) if there and last.targets else None
    able = spoken_of and all(item.reads(asked.attribute) is not None for item in spoken_of)
    return replace(clause, targets=(pronoun(spoken_of),)) if able else None


def wished(move: DialogueMove, last: Inquiry) -> Clause:
    """As "22" after the temperature of a room was told: perhaps what it is to be."""
    asked = last.parameter
    if move.move != "value" or asked is None or asked.attribute not in AMBIENT or not isinstance(move.value, float):
        return move
    value = Parameter(asked.attribute, value=move.value, unit=move.unit)
    return Order("set", parameter=value, implicit=True, confidence=move.confidence)


def _acted_there(clause: Order, last: Clause, spoken_of: Sequence[Entity]) -> Order | None:
    """As "two degrees warmer", after a room was asked about: what does that there."""
    asked, wished = last.parameter, clause.parameter
    if not isinstance(last, Inquiry) or asked is None or wished is None or clause.when or clause.conditions:
        return None
    bare = all(
        replace(item, kind=None, confidence=1.0) in (Target(), Target(quantifier="all")) for item in clause.targets
    )
    alike = wished.attribute in ("value", asked.attribute) and asked.attribute in AMBIENT
    if not (bare and alike) or len({item.area for item in spoken_of}) != 1:
        return None
    return replace(clause, targets=(replace(pronoun(spoken_of), unsaid=True),))


def pronoun(spoken_of: Sequence[Entity]) -> Target:
    """What was spoken of, pointed at."""
    return Target(reference="them" if len(spoken_of) > 1 else "it", confidence=UNSAID)
