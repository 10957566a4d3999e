"""Second thoughts: a clause with what was said instead of a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from daemon.core.ir import Action, Clause, Inquiry, Order, Parameter, Target
from daemon.core.values import replace

_Spoken = TypeVar("_Spoken", bound=Order | Inquiry)
_PRONOUNS = frozenset({"it", "that", "them"})


def corrected(clause: Order | Inquiry, fix: Clause) -> Order | Inquiry:
    """`clause` with what `fix` names instead: other targets, another value, another verb, or all of it.

    What the fix leaves out stays: the verb ("no, the floor lamp"), the attribute ("no, 25"), the kind and the place of
    a target ("no, the bedroom one"), conditions and time.
    """
    made = _of_others(clause, fix)
    action, parameter = fix.action, fix.parameter
    if action is None:
        return made
    if parameter is not None:
        action, parameter = _value(action, parameter, clause)
    if isinstance(made, Inquiry):
        return replace(made, parameter=parameter)
    return replace(made, action=action, parameter=parameter)


def is_offered(target: Target) -> bool:
    """Whether it only says which of several that were offered: "the second one"."""
    return target.ordinal is not None and target == Target(ordinal=target.ordinal, confidence=target.confidence)


def asked_of(clause: Inquiry, others: Clause) -> Inquiry:
    """The question `clause` asked of other targets: "is the door locked, and what about the window?"."""
    made = replace(_of_others(clause, others), excluded=())
    state = made.parameter is not None and made.parameter.attribute == "state"
    # What is locked, and what about the window? That may be open.
    return replace(made, query="state", parameter=None) if made.query == "is" and state else made


def instead(first: Sequence[Target], last: Sequence[Target]) -> tuple[Target, ...]:
    """The targets that are meant after a correction; they are of the kind, and in the place, that was said first."""
    if not last or all(target.reference in _PRONOUNS for target in last):
        return tuple(first)  # "no, turn it off": what was spoken of
    return tuple(_like(first[0], target) for target in last) if first else tuple(last)


def _of_others(clause: _Spoken, fix: Clause) -> _Spoken:
    targets = instead(clause.targets, fix.targets)
    # Where the name that was taken back was what was least sure, nothing is unsure any more.
    doubted = targets != clause.targets and clause.confidence >= min(
        (item.confidence for item in clause.targets), default=1.0
    )
    confidence = fix.confidence if doubted else min(clause.confidence, fix.confidence)
    return replace(clause, targets=targets, confidence=confidence)


def _value(action: Action, said: Parameter, clause: Clause) -> tuple[Action, Parameter]:
    """What "no, 25" sets: the attribute that was spoken of, by as much where it was a change."""
    before = clause.parameter
    if before is None or action != "set" or said.attribute not in ("value", before.attribute):
        return action, said
    unit = said.unit or before.unit
    if clause.action in ("increase", "decrease") and before.value is not None and said.op == "set":
        return clause.action, replace(before, value=said.value, unit=unit)
    return action, replace(said, attribute=before.attribute, unit=unit)


def _like(first: Target, last: Target) -> Target:
    placed = last.areas or last.floors or last.reference == "here"
    if last.mention is not None or last.kind not in (None, "device") or not placed:
        return last
    if first.kind is None and first.mention is None:
        return last
    single = first.quantifier == "one" and not first.plural
    return replace(
        last,
        kind=first.kind,
        mention=first.mention if first.kind is None else None,
        areas=last.areas or first.areas,
        # "The bedroom one" is one of them, though "the light in the bedroom" may be all that there are.
        quantifier="n" if single else first.quantifier,
        count=1 if single else first.count,
        plural=first.plural,
    )
