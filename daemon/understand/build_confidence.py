"""How sure a clause is: as its least sure part."""

from __future__ import annotations

from daemon.core.ir import Chat, Clause, Condition, Fix, Inquiry, Order, Target, When
from daemon.core.values import replace
from daemon.understand.confidence import Confidences
from daemon.understand.parts import Parts

_ROLLED = frozenset({"blind", "shade", "shutter", "awning", "projector_screen", "garage_door"})
_HARDLY_SO_LITTLE = frozenset({"brightness", "position", "humidity"})
"""What is seldom set to less than a tenth."""


def surely(clause: Clause, parts: Parts, sure: Confidences) -> Clause:
    """The clause with its confidence, that of its least sure part; its parameter with its own."""
    if isinstance(clause, Inquiry) and any(target.confidence in sure.unknowns for target in clause.targets):
        clause = replace(clause, targets=tuple(_asked(target, sure) for target in clause.targets))
    valued = _value_confidence(clause, parts, sure)
    if isinstance(clause, Order | Inquiry | Fix) and clause.parameter is not None:
        clause = replace(clause, parameter=replace(clause.parameter, confidence=valued))
    least = min(valued, _about(clause, sure), least_sure(clause.targets, clause.excluded, clause.conditions))
    if (mark := parts.mark("sure")) is not None:
        least = min(least, {"low": sure.low, "half": sure.half}.get(mark, sure.some))
    if parts.has("pulled") and not all(target.kind in _ROLLED for target in clause.targets):
        least = min(least, sure.half)
    untold = parts.has("timed") and not lasts(clause.when)  # "the fan at nine" may be on or off
    if untold or (parts.has("purpose") and not any(map(_is_named, clause.targets))):
        least = min(least, sure.half)
    if parts.has("further") and (clause.parameter is None or clause.parameter.value is None):
        least = min(least, sure.half)
    if parts.has("ask") and not clause.either and clause.parameter is None:
        least = min(least, sure.low)
    if clause.implicit:
        least = min(least, sure.implicit)
    if isinstance(clause, Chat):
        least = sure.chat
    return clause if least == clause.confidence else replace(clause, confidence=least)


def lasts(when: When | None) -> bool:
    """Whether it says how long."""
    return when is not None and (when.duration_s is not None or when.until is not None)


def least_sure(targets: tuple[Target, ...], excluded: tuple[Target, ...], conditions: tuple[Condition, ...]) -> float:
    """The confidence of the least sure of these names; 1 where there is none."""
    least = 1.0
    for target in (*targets, *excluded):
        least = min(least, target.confidence)
    for condition in conditions:
        least = min(least, condition.confidence)
    return least


def _about(clause: Clause, sure: Confidences) -> float:
    """How sure a command is by what it names, besides how sure the names are."""
    if not isinstance(clause, Order | Inquiry):
        return 1.0
    if not clause.targets:
        return sure.nameless if not clause.conditions else 1.0
    return sure.pronoun if any(map(_is_pronoun, clause.targets)) else 1.0


def _asked(target: Target, sure: Confidences) -> Target:
    """What is asked about, where nobody knows its name: not as sure as what is to be done to it."""
    return replace(target, confidence=sure.asked_unknown) if target.confidence in sure.unknowns else target


def _is_named(target: Target) -> bool:
    return bool(target.mention or target.kind or target.areas or target.floors)


def _is_pronoun(target: Target) -> bool:
    return target.reference not in (None, "here") and target.kind is None and target.mention is None


def _value_confidence(clause: Clause, parts: Parts, sure: Confidences) -> float:
    parameter = clause.parameter
    if parameter is None:
        return 1.0
    if parameter.attribute == "media":
        return sure.title_sort if parameter.unit is not None else sure.title
    doubtful = is_for_a_place(clause) or _of_thousands(clause, parts) or _of_which(clause, parts)
    return sure.half if doubtful else 1.0


def _of_which(clause: Clause, parts: Parts) -> bool:
    """Whether a number may say which one: "humidifier three" hardly means three percent."""
    parameter = clause.parameter
    return parts.has("digit") and parameter is not None and parameter.attribute in _HARDLY_SO_LITTLE


def _of_thousands(clause: Clause, parts: Parts) -> bool:
    """Whether only its size makes a number the white of a light: "the lamp at 3000" may be a price as well."""
    parameter = clause.parameter
    return (
        parameter is not None
        and parameter.attribute == "color_temp"
        and parameter.unit is None
        and isinstance(parameter.value, float)
        and parts.word("ATTR") is None
        and parts.mark("attribute") is None
    )


def is_for_a_place(clause: Clause) -> bool:
    """Whether a bare number is given to a place: "set the bedroom to 19" may be about its heating or its lights."""
    parameter = clause.parameter
    return (
        isinstance(clause, Order)
        and parameter is not None
        and parameter.attribute == "value"
        and parameter.op == "set"
        and parameter.unit is None
        and isinstance(parameter.value, float)
        and bool(clause.targets)
        and all((item.areas or item.floors) and not (item.kind or item.mention) for item in clause.targets)
    )
