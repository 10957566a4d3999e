"""What a question asks about -> its attribute, the value that is asked after, and what it is compared with."""

from __future__ import annotations

from typing import Final, cast

from daemon.core.ir import ATTRIBUTES, Attribute, Inquiry, Op, Parameter, Target, Unit
from daemon.core.values import replace
from daemon.understand.build_condition import build_condition, own_state, state_of
from daemon.understand.build_value import Said, as_kind_has_it
from daemon.understand.parts import Parts, Reading, parts_of

_NOT_ASKED_FOR = frozenset({"degree", "step"})
"""Words beside numbers that name no scale."""

_FELT: Final = ("temperature", "humidity")
"""What it is like indoors, which is first of all in this room."""
_MEASURED: Final[dict[str, Attribute]] = {
    "warmth": "temperature",
    "brightness": "illuminance",
    "volume": "noise",
    "more": "value",
}
"""What a sensor tells, for what a device changes."""


def build_query(clause: Inquiry, parts: Parts, said: Said, reading: Reading) -> Inquiry:
    """The clause with what is asked of its targets."""
    if parts.has("compare"):
        inner = build_condition(parts.node, reading, unless=False)
        targets = clause.targets or ((inner.target,) if inner.target != Target() else ())
        return replace(clause, targets=targets, conditions=(inner,), parameter=Parameter(inner.attribute))
    if clause.query == "which" and (most := _most(parts, said, reading)) is not None:
        return replace(clause, parameter=most)
    asserted = _asserted(parts, said, reading) if clause.query not in ("value", "where") else None
    if parts.has("not") and not clause.negated:
        clause = replace(clause, negated=True)
    if asserted is not None and asserted[1] in ("home", "not_home") and not clause.targets:
        return replace(clause, parameter=Parameter("location", value=asserted[1]))
    if asserted is not None:
        sensed = clause.targets[0].senses if clause.targets else None
        if sensed is not None and asserted[0] == "state":
            asserted = sensed, asserted[1]
        kind = clause.targets[0].kind if clause.targets and asserted[0] == "state" else None
        attribute, value = as_kind_has_it(*asserted, kind, parts)
        return replace(clause, parameter=Parameter(attribute, value=value))
    if said.attribute is not None:
        felt = said.attribute in _FELT and _is_inside(clause, parts, reading)
        targets = (Target(reference="here"),) if felt else clause.targets
        return replace(clause, targets=targets, parameter=Parameter(said.attribute, unit=_unit(parts, reading)))
    if clause.query == "value" and clause.targets and clause.targets[0].senses is not None:
        return replace(clause, parameter=Parameter(clause.targets[0].senses))
    if clause.query == "where":
        return replace(clause, parameter=Parameter("location"))
    return clause


def _is_inside(clause: Inquiry, parts: Parts, reading: Reading) -> bool:
    """Whether it is asked how it is indoors, which is here where that is known: 屋里多少度."""
    said = (parts_of(node).word("WHOLE") for name in ("Target", "Scope") for node in parts.parts.get(name, ()))
    inside = any(word is not None and reading.lexicon.value("WHOLE", reading.text(word)) == "indoors" for word in said)
    return inside and all(item == Target(whole_home=True, confidence=item.confidence) for item in clause.targets)


def _asserted(parts: Parts, said: Said, reading: Reading) -> tuple[Attribute, str] | None:
    """What is asked to be so: of the device, or of a setting of it that is named."""
    found = state_of(parts, reading)
    own = said.attribute is not None and said.attribute not in ATTRIBUTES
    return own_state(said.attribute, found) if found is not None and own and said.attribute is not None else found


def _most(parts: Parts, said: Said, reading: Reading) -> Parameter | None:
    """Of what the most or the least is asked for: "the warmest room", "is it warmer in the bedroom or in the study"."""
    if (word := parts.word("MOST")) is not None:
        attribute, op = reading.lexicon.value("MOST", reading.text(word)).split()
    elif (more := parts.word("MORE")) is not None:
        attribute, way = reading.lexicon.value("MORE", reading.text(more)).split()
        op = "max" if way == "increase" else "min"
    elif (marked := parts.mark("op")) in ("max", "min") and said.attribute is not None:
        attribute, op = said.attribute, marked
    else:
        return None
    return Parameter(_MEASURED.get(attribute, attribute), cast("Op", op))


def _unit(parts: Parts, reading: Reading) -> Unit | None:
    """What the answer is to be in: "in fahrenheit"."""
    node = parts.word("UNIT")
    unit = None if node is None else reading.lexicon.value("UNIT", reading.text(node))
    return None if unit in _NOT_ASKED_FOR else cast("Unit | None", unit)
