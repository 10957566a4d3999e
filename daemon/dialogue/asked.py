"""Edits of what was just asked: the same of others, another value of the same place, and what is to be done there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from daemon.core.ir import Action, Clause, Fix, Inquiry, Order, Parameter, Program, Target
from daemon.core.values import replace
from daemon.core.vocabulary import PRONOUNS
from daemon.dialogue.edits import UNSAID, Base, Edit, made_of
from daemon.home.actions import OPPOSITES, VERB_OF_STATE
from daemon.home.sensing import AMBIENT
from daemon.home.settings import is_setting
from daemon.understand.corrections import asked_of, corrected, is_offered

_STATE_OF: Final[Mapping[str | None, str]] = {verb: str(state) for state, verb in VERB_OF_STATE.items()}
_MOST: Final = frozenset({"max", "min"})
"""Of several, the one that has the most, or least."""
_SWITCHES: Final = frozenset({"turn_on", "turn_off", "open", "close"})
_SWITCHED: Final = ("on", "off")
_BOLTED: Final = frozenset({"locked", "unlocked"})
_BARRED: Final = frozenset({"lock", "door", "gate", "garage_door", "window"})


def of_told(edit: Edit, base: Base) -> Clause | None:
    """What is asked, or to be done, of what was asked about or done last; None where this says nothing such."""
    last, said = base.last, edit.said
    if isinstance(said, Inquiry):
        return _of_those(said, last) or _asked_there(said, base)
    if edit.way == "open" and isinstance(last, Inquiry):
        return _acted_there(edit, base)
    if edit.way != "also" or not isinstance(said, Fix) or any(map(is_offered, edit.targets)):
        return None
    if [(item.reference, item.quantifier) for item in edit.targets] == [("them", "any")]:
        return _unlike(said, last)
    if isinstance(last, Order):
        there = _asked_there(said.inquiry(), base, follows=True) if edit.query == "value" else None
        return there or (_of_those(said.inquiry(), last) if edit.query in ("is", "state") else None)
    if not isinstance(last, Inquiry) or edit.action is not None or not edit.query:
        return None
    if not edit.targets:
        return _more_of(last, said)
    made = asked_of(last, said)
    return replace(made, query=said.query) if said.query in ("which", "count") else made


def _of_those(clause: Inquiry, last: Clause) -> Inquiry | None:
    """As "is the bathroom one off?", "did you get the bathroom too?" after an act: of such there, and no others."""
    target = clause.targets[0] if len(clause.targets) == 1 else Target()
    placed = target.only("kind", "areas", "floors") and target.kind in (None, "device")
    if not placed or not (target.areas or target.floors) or not isinstance(last, Order) or last.is_scene:
        return None
    state = _STATE_OF.get(last.action)
    done, asked = last.parameter or Parameter("state", value=state), clause.parameter
    if asked is None and clause.query == "is":
        asked = done
    values = (None, done.value, OPPOSITES.get(state or ""))
    alike = asked is None or (asked.attribute == done.attribute and asked.value in values)
    them = corrected(last, Fix("follow", targets=(target,))).targets
    return replace(clause, targets=them, parameter=asked) if alike else None


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


def _more_of(last: Inquiry, fix: Fix) -> Inquiry | None:
    """As "and now?", the last question again; as "which ones?", "and the humidity?", another of the same things.

    None where nothing was asked that may hold of some and not of others.
    """
    if fix.query == "state":
        return last
    asked, before = fix.parameter or last.parameter, last.parameter
    if asked is not None and before is not None and {asked.op, before.op} <= _MOST:
        # "And the coldest?" of a warmest room; 那最低的呢 of whatever was the highest.
        attribute = before.attribute if asked.attribute == "state" else asked.attribute
        return replace(last, parameter=replace(asked, attribute=attribute))
    if fix.query in ("which", "count") and (asked is None or asked.value is None) and not last.conditions:
        return None
    return replace(last, query=fix.query or last.query, parameter=asked)


def _asked_there(clause: Inquiry, base: Base, *, follows: bool = False) -> Inquiry | None:
    """As "how bright is it?" of what was spoken of; as "and the humidity?" of the place of that, or of the question."""
    last, asked, before = base.last, clause.parameter, base.last.parameter
    if before is not None and (made := _asked_of_setting(clause, before)) is not None:
        return made
    if clause.query == "usual" and asked is None:  # "is that a lot"
        told = before if isinstance(last, Inquiry) else None
        return replace(clause, parameter=Parameter(told.attribute)) if told is not None else None
    if clause.query != "value" or clause.targets or clause.conditions or asked is None:
        return None
    if asked.attribute in AMBIENT and not follows:
        there = isinstance(last, Inquiry) and before is not None and before.attribute in AMBIENT - {asked.attribute}
        return replace(clause, targets=last.targets) if there and last.targets else None
    if base.reads(asked.attribute):
        return replace(clause, targets=(base.them,))
    there = asked.attribute in AMBIENT and bool(base.spoken_of)
    return replace(clause, targets=(Target(reference="there"),)) if there else None


def _acted_there(edit: Edit, base: Base) -> Order | None:
    """As "two degrees warmer", or perhaps "22", after a room was asked about: what does that there."""
    asked, wished, order, mere = base.last.parameter, edit.parameter, edit.order, edit.said is not edit.order
    if asked is None or wished is None or asked.attribute not in AMBIENT or edit.when or edit.said.conditions:
        return None
    if order is None or (mere and not isinstance(wished.value, float)):
        return None
    if mere:
        wished, order = replace(wished, attribute=asked.attribute), replace(order, implicit=True)
    bare = all(item.only("kind", "quantifier") for item in edit.targets)
    alike = wished.attribute in ("value", asked.attribute)
    if not (bare and alike) or len({item.area for item in base.spoken_of}) != 1:
        return None
    return replace(order, parameter=wished, targets=(replace(base.them, unsaid=True),))


def asked_anew(said: Program) -> Program:
    """As "what about the hall light?" where nothing was asked before: how it is. Anything else stays as it is."""
    clause = said.clauses[0]
    asks = isinstance(clause, Fix) and clause.move == "follow" and (clause.query == "value" or clause.targets)
    # "Which ones?" - and nobody knows of what.
    return made_of(said, clause.inquiry()) if isinstance(clause, Fix) and asks and clause.query else said


def _asked_of_setting(clause: Inquiry, before: Parameter) -> Inquiry | None:
    """As "is it on for the others too", whether that is set so of other things; None where it is about no setting."""
    asked, target = clause.parameter, clause.targets[0] if len(clause.targets) == 1 else None
    if not is_setting(before.attribute) or asked is None or asked.attribute != "state" or target is None:
        return None
    points = target.reference in {*PRONOUNS, "rest", "other"}
    if not (points if asked.value in _SWITCHED else asked.value in _BOLTED and target.kind not in _BARRED):
        return None
    if points and (target.areas or target.floors):
        target = replace(target, reference=None)  # "is it on in the kitchen too": of what is there
    if target.reference in ("rest", "other"):  # what has no such setting has no say
        target = Target(whole_home=True, quantifier="all", confidence=target.confidence)
        clause = replace(clause, excluded=(*clause.excluded, Target(reference="it")))
    return replace(clause, targets=(target,), parameter=Parameter(before.attribute, value=asked.value))


def of_the_setting(edit: Edit, last: Clause) -> Order | None:
    """As "change it to low", "off again", right after its setting: the same setting; None where that is not meant."""
    before, order = last.parameter, edit.order
    if order is None or before is None or not is_setting(before.attribute):
        return None
    parameter = order.parameter or _switched_to(order, last, before)
    bare = all(item.reference in PRONOUNS and item.only("reference") for item in edit.targets)
    if parameter is None or parameter.attribute != "value" or not bare:
        return None
    return replace(order, action="set", elliptic=False, parameter=replace(parameter, attribute=before.attribute))


def _switched_to(clause: Order, last: Clause, before: Parameter) -> Parameter | None:
    """What a setting that is on or off is switched to; None where it was just switched to that, or is no such one."""
    value = "on" if clause.action in ("turn_on", "open") else "off"
    if clause.action not in _SWITCHES or before.value not in _SWITCHED:
        return None
    return Parameter("value", value=value) if isinstance(last, Inquiry) or before.value != value else None
