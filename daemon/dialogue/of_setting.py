"""What is said right after a setting, and is about that: "off again", "is it on for the others too"."""

from __future__ import annotations

from typing import Final

from daemon.core.ir import Clause, Fix, Inquiry, Order, Parameter, Target
from daemon.core.values import replace
from daemon.home.settings import is_setting

_SWITCHES: Final = frozenset({"turn_on", "turn_off", "open", "close"})
_SWITCHED: Final = ("on", "off")
_POINTS: Final = frozenset({"it", "that", "them", "rest", "other"})
_BOLTED: Final = frozenset({"locked", "unlocked"})
_BARRED: Final = frozenset({"lock", "door", "gate", "garage_door", "window"})


def asked_of_setting(clause: Inquiry, before: Parameter) -> Inquiry | None:
    """As "is it on for the others too", whether that is set so of other things; None where it is not about a setting.

    Args:
        clause: What is asked.
        before: What was set, or asked about, just before.
    """
    asked, target = clause.parameter, clause.targets[0] if len(clause.targets) == 1 else None
    if not is_setting(before.attribute) or asked is None or asked.attribute != "state" or target is None:
        return None
    bolted = asked.value in _BOLTED and target.kind not in _BARRED
    pointed = asked.value in _SWITCHED and target.reference in _POINTS
    if not (bolted or pointed):
        return None
    if target.reference in _POINTS and (target.areas or target.floors):
        target = replace(target, reference=None)  # "is it on in the kitchen too": of what is there
    if target.reference in ("rest", "other"):  # what has no such setting has no say
        target = Target(whole_home=True, quantifier="all", confidence=target.confidence)
        clause = replace(clause, excluded=(*clause.excluded, Target(reference="it")))
    return replace(clause, targets=(target,), parameter=Parameter(before.attribute, value=asked.value))


def of_the_setting(clause: Clause, last: Clause) -> Order | None:
    """As "change it to low", "off again", right after its setting: the same setting; None where that is not meant."""
    before, clause = last.parameter, clause.order() if isinstance(clause, Fix) else clause
    if not isinstance(clause, Order) or before is None or not is_setting(before.attribute):
        return None
    parameter = clause.parameter or _switched_to(clause, last, before)
    if parameter is None:
        return None
    plain = all(replace(item, reference=None, confidence=1.0) == Target() for item in clause.targets)
    pointed = all(item.reference in ("it", "that", "them") for item in clause.targets)
    if parameter.attribute != "value" or not plain or not pointed:
        return None
    return replace(clause, action="set", elliptic=False, parameter=replace(parameter, attribute=before.attribute))


def _switched_to(clause: Order, last: Clause, before: Parameter) -> Parameter | None:
    """What a setting that is on or off is switched to; None where it was just switched to that, or is no such one."""
    value = "on" if clause.action in ("turn_on", "open") else "off"
    if clause.action not in _SWITCHES or before.value not in _SWITCHED:
        return None
    return Parameter("value", value=value) if isinstance(last, Inquiry) or before.value != value else None
