"""A clause without a verb of its own -> the clause that it is after the one that it leans on."""

from __future__ import annotations

from daemon.ir import Attribute, Clause
from daemon.understand.build_value import CLIMATES, KIND_ATTRIBUTE, PERCENT
from daemon.understand.confidence import Confidences
from daemon.understand.parts import Parts
from daemon.values import replace


def completed(clause: Clause, before: Clause, parts: Parts, sure: Confidences) -> Clause:
    """A clause without a verb of its own, after the one that it leans on."""
    targets = clause.targets or before.targets
    if len(targets) == len(before.targets) == 1 and targets[0].kind is targets[0].mention is None:
        # "... and blue in the hall": of the kind that was said before
        targets = (replace(targets[0], kind=before.targets[0].kind, quantifier=before.targets[0].quantifier),)
    confidence = min(clause.confidence, sure.leaning)
    if parts.has("action"):
        return replace(clause, targets=targets, confidence=confidence)
    action, parameter = before.action, before.parameter
    if clause.parameter is not None and clause.parameter.value is not None:
        attribute = clause.parameter.attribute
        if attribute == "value":
            attribute = _main_value(before, clause.parameter.value)
        action, parameter = "set", replace(clause.parameter, attribute=attribute)
        if parameter.unit is None and parameter.op == "set" and isinstance(parameter.value, float):
            parameter = replace(parameter, unit="%" if attribute in PERCENT else None)
        if (
            not clause.targets
            and before.action == "set"
            and before.parameter
            and before.parameter.attribute == attribute
        ):
            confidence = sure.either  # "to green and red": it can only be one of them
    negated = clause.negated or before.negated
    return replace(clause, targets=targets, action=action, parameter=parameter, negated=negated, confidence=confidence)


def _main_value(before: Clause, value: float | str) -> Attribute:
    """What a second value is about, where it does not say: "the AC to 22 on low" is of two attributes."""
    kind = before.targets[0].kind if before.targets else None
    if isinstance(value, str) and kind in CLIMATES:
        return "speed"
    return before.parameter.attribute if before.parameter is not None else KIND_ATTRIBUTE.get(kind or "", "value")
