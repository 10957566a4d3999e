"""A clause that leans on the one before: it takes its verb, says what that was about, or how it is to be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.core.ir import ATTRIBUTES, Action, Attribute, Clause, Kind, Op, Order, Parameter, Quantifier, Target, Unit
from daemon.core.values import replace
from daemon.core.vocabulary import PRONOUNS
from daemon.understand.build_act import SWITCHED, switched
from daemon.understand.build_places import in_the_same
from daemon.understand.build_target import elsewhere, hardly_there
from daemon.understand.build_value import BLOWERS, CLIMATES, KIND_ATTRIBUTE, PERCENT
from daemon.understand.confidence import Confidences
from daemon.understand.parts import Parts, Reading, any_has, parts_of

_FAMILY: Final[dict[Kind, Kind]] = {
    "lamp": "light",
    "tv": "media_player",
    "speaker": "media_player",
    "lock": "door",
    "gate": "door",
    "garage_door": "door",
    "thermostat": "climate",
    "air_conditioner": "climate",
    "heater": "climate",
    "curtain": "cover",
    "blind": "cover",
    "shade": "cover",
    "shutter": "cover",
    "awning": "cover",
}
"""What a verb alone may be about ("unlock"), of what is then said to be meant ("the side door")."""

_SHADES: Final = frozenset({"color", "color_temp"})
_SET: Final = PERCENT | {"temperature"}
_COUNTED: Final = frozenset({"color", "color_temp", "temperature"})
"""What no percentage is of."""
_WAYS: Final[dict[Op, Action]] = {"increase": "increase", "decrease": "decrease"}
_SWITCHES: Final = frozenset({"turn_on", "turn_off", "open", "close", "toggle"})


def named_last(clause: Order, before: Order, sure: Confidences) -> Order | None:
    """As "turn it up, the lamp", 解锁,侧门: the clause before, about what was named behind it; None where that is more.

    Args:
        clause: Nothing but targets.
        before: What was said first.
        sure: How sure that is.
    """
    if len(before.targets) != 1 or clause.action is not None or clause.parameter is not None:
        return None
    [open_] = before.targets
    targets = clause.targets
    if open_.kind is None and open_.reference in PRONOUNS:
        bare = open_.only("reference", "quantifier", "plural", "unsaid", "pointed")
    elif open_.kind == "device" and open_.quantifier == "all":
        bare = open_.only("kind", "quantifier", "plural")  # "all off, the lights"
    elif open_.kind is not None and all(_narrows(target, open_.kind) for target in clause.targets):
        bare = open_.only("kind", "numberless")
        targets = tuple(_narrowed(target, open_.kind, before) for target in clause.targets)
    else:
        return None
    if not bare or any(target.reference for target in targets):
        return None
    confidence = min(sure.leaning, *(target.confidence for target in targets))
    return replace(before, targets=targets, confidence=confidence)


def narrowed_last(clause: Clause, before: Order) -> Order | None:
    """As "make the lamp brighter, in the study": the clause before, in the place that was named behind it.

    None where more was named, or it had a place.
    """
    if len(before.targets) != 1 or len(clause.targets) != 1:
        return None
    [named], [place] = before.targets, clause.targets
    if named.areas or named.floors or named.whole_home or not (named.kind or named.mention):
        return None
    if place.kind not in (None, "device") or place.mention or place.reference or not (place.areas or place.floors):
        return None
    cleans = before.action == "start"
    return replace(before, targets=(replace(named, areas=place.areas, floors=place.floors, cleans=cleans),))


def of_those(clause: Order, before: Sequence[Clause], parts: Parts, reading: Reading) -> Order:
    """The clause, where it points at what was spoken of: "the study one", "in those rooms"."""
    named = (parts, *map(parts_of, parts.all("Target", "Scope")))
    if any_has(named, "sameplaces"):
        clause = replace(clause, targets=in_the_same(clause.targets, before))
    # "In the gym turn the fan off, and in the study turn it on": that of the study
    there = all(target.reference in ("it", "them") and target.areas and not target.kind for target in clause.targets)
    rooms = {area for target in before[-1].targets for area in target.areas} if before else set()
    elsewhere = there and rooms and all(rooms.isdisjoint(target.areas) for target in clause.targets)
    if not (elsewhere or any_has(named, "ones")):
        return clause
    return _one_of_those(clause, before, reading, all_=any(item.mark("ones") == "alike" for item in named))


def _one_of_those(clause: Order, before: Sequence[Clause], reading: Reading, *, all_: bool) -> Order:
    """As "the AC in the study to 25, ..., the bedroom one to dry", 卧室的调到二十度: of the kind spoken of last.

    Args:
        clause: What was said.
        before: What was said before it.
        reading: The sentence.
        all_: Of each kind that was named there: 客厅的灯和窗帘打开,书房的也打开.
    """
    # 主卧的全关: all of those that are there
    pointed = tuple(
        replace(item, reference=None, pointed=False) if item.reference in ("it", "them") else item
        for item in clause.targets
    )
    sided = [item.kind for item in pointed if item.mention] == ["device"]
    if not (sided or _are_places(pointed, ("one", "all"))):
        return clause
    clause = replace(clause, targets=pointed)
    named = ([target for target in item.targets if _tells_what(target)] for item in reversed(before))
    alike = next(filter(None, named), [])
    if not alike:
        return replace(clause, targets=tuple(replace(item, kind=item.kind or "device") for item in pointed))
    kind = alike[-1]
    several = {target.kind: target for target in alike}.values() if all_ and not sided else (kind,)
    targets = tuple(_like(place, target, reading) for place in clause.targets for target in several)
    said = clause.parameter
    if said is not None and said.value is not None:
        last = next((item for item in reversed(before) if isinstance(item, Order)), None)
        same = last.parameter if last is not None and kind in last.targets else None
        if said.attribute == "value":
            attribute = _main_value(last, said) if last is not None and same is not None else _main_of(kind, said)
            said = replace(said, attribute=attribute, unit=said.unit or _unit(attribute, said))
        sure = min(kind.confidence, reading.sure.leaning)
        told = clause.parameter is not said or (same is not None and same.attribute == said.attribute)
        clause = replace(clause, parameter=said, confidence=sure if told else clause.confidence)
    return switched(replace(clause, targets=targets))


def _tells_what(target: Target) -> bool:
    """Whether it says what something is, by its kind or by a name that says more than where: "the diffuser"."""
    return target.kind not in (None, "device") or target.mention is not None


def _are_places(targets: Sequence[Target], quantifiers: tuple[Quantifier, ...] = ("one",)) -> bool:
    """Whether nothing but places is named."""
    return bool(targets) and all(
        not (place.mention or place.reference or place.plural or place.whole_home)
        and (place.kind in (None, "device") and (place.areas or place.floors) and place.quantifier in quantifiers)
        for place in targets
    )


def _like(place: Target, named: Target, reading: Reading) -> Target:
    """What was named before, in another place: as many of it; or "the right one" of its kind."""
    return replace(
        elsewhere(place, named, reading),
        quantifier=named.quantifier,
        plural=named.plural,
        numberless=named.numberless,
        reference=None if place.areas or place.floors else place.reference,  # "... and all of them in the bedroom"
    )


def of_same_kind(clause: Order, before: Clause, reading: Reading) -> Order:
    """As "the kitchen light on and the bedroom one off", 客厅的灯打开,卧室的关掉: the same, in another place."""
    if not isinstance(before, Order) or len(before.targets) != 1 or not _are_places(clause.targets):
        return clause
    [named] = before.targets
    said, same = clause.parameter, before.parameter
    shaded = said is not None and said.attribute in _SHADES  # "lights red in the kitchen and blue in the hall"
    of_kind = KIND_ATTRIBUTE.get(named.kind or "")
    if said is not None and said.attribute == "value" and (same is not None or of_kind in _SET):
        sure = min(before.confidence, reading.sure.leaning)
        attribute = _main_value(before, said) if same is not None else of_kind or "value"
        alike = same is not None and same.attribute == attribute
        unit = said.unit or (same.unit if same is not None and alike else _unit(attribute, said))
        parameter = replace(said, attribute=attribute, unit=unit)
        clause = replace(clause, parameter=parameter, confidence=sure)
    elif not shaded and (said is not None or not {clause.action, before.action} <= _SWITCHES):
        return clause
    if not _tells_what(named):
        return clause
    targets = tuple(_like(place, named, reading) for place in clause.targets)
    return switched(replace(clause, targets=targets))


def _narrows(target: Target, kind: Kind) -> bool:
    """Whether a target may be all that was meant by a kind: one of it, or the place of it."""
    if target.kind is None:
        return target.mention is None and bool(target.areas or target.floors)
    return _FAMILY.get(target.kind, target.kind) == _FAMILY.get(kind, kind)


def _narrowed(target: Target, kind: Kind, before: Order) -> Target:
    if target.kind is not None:
        return target
    return replace(target, kind=kind, cleans=before.action == "start")


def all_the_same(clauses: Sequence[Clause]) -> list[Clause]:
    """As "the lamp to 20, warm white, and the same for the fan": all that is set of the lamp."""
    those: list[Order] = []
    for item in reversed(clauses[:-1]):
        pointed = bool(those) and all(target.reference in PRONOUNS for target in those[-1].targets)
        if not isinstance(item, Order) or (those and not pointed and item.targets != those[-1].targets):
            break
        those.append(item)
    again = (replace(item, targets=clauses[-1].targets) for item in reversed(those[1:]))
    return [*clauses[:-1], *again, clauses[-1]]


def blown(clause: Order, before: Sequence[Clause], parts: Parts) -> Order:
    """As "..., fan speed low": what was spoken of last blows so, where it can; else a fan does."""
    if not parts.has("blows") or clause.targets:
        return clause
    named = (target for item in reversed(before) for target in reversed(item.targets))
    last = next((target for target in named if target.kind is not None), None)
    blows = last if last is not None and last.kind in BLOWERS else Target(kind="fan")
    return replace(clause, targets=(blows,))


def completed(clause: Order, before: Order, parts: Parts, reading: Reading) -> Order:
    """A clause without a verb of its own, after the one that it leans on."""
    targets = clause.targets or before.targets
    if len(targets) == len(before.targets) == 1 and targets[0].mention is None and targets[0].kind in (None, "device"):
        # "... and blue in the hall": of the kind that was said before
        targets = (_like(targets[0], before.targets[0], reading),)
        clause = hardly_there(clause, before, targets[0], reading)
    confidence = min(clause.confidence, reading.sure.leaning)
    if parts.has("action"):
        return switched(replace(clause, targets=targets, confidence=confidence))
    action, parameter = before.action, before.parameter
    if parts.has("share") and parameter is not None and clause.parameter is not None:
        # "by ten in the gym, by five in the kitchen"
        by = clause.parameter
        unit = by.unit or (parameter.unit if parameter.unit != "step" else None) or _unit(parameter.attribute, by)
        parameter = replace(parameter, value=by.value, unit=unit)
        confidence = min(before.confidence, reading.sure.leaning, *(target.confidence for target in targets))
    elif clause.parameter is not None and (clause.parameter.value is not None or clause.parameter.op != "set"):
        attribute = clause.parameter.attribute
        if attribute == "value":
            attribute = _main_value(before, clause.parameter)
        same = before.parameter is not None and before.parameter.attribute == attribute != "value"
        if same and clause.targets and isinstance(clause.parameter.value, float):
            confidence = min(before.confidence, reading.sure.leaning)
        action = clause.action or _WAYS.get(clause.parameter.op, "set")  # "brighter, ... dimmer": each its own way
        parameter = replace(clause.parameter, attribute=attribute)
        if parameter.unit is None and parameter.op == "set" and isinstance(parameter.value, float):
            parameter = replace(parameter, unit="%" if attribute in PERCENT else None)
        if (
            not clause.targets
            and not (parts.has("else") or parts.has("instead"))
            and before.action == "set"
            and before.parameter
            and before.parameter.attribute == attribute
            and before.parameter.value != parameter.value
        ):
            confidence = reading.sure.either  # "to green and red": it can only be one of them
    negated = clause.negated or (before.negated and not parts.has("contrast"))
    return replace(clause, targets=targets, action=action, parameter=parameter, negated=negated, confidence=confidence)


def _main_of(target: Target, said: Parameter) -> Attribute:
    """What a value is about, as far as the kind tells: "low" is no temperature."""
    worded = isinstance(said.value, str) and target.kind in CLIMATES
    return "speed" if worded else KIND_ATTRIBUTE.get(target.kind or "", "value")


def _unit(attribute: Attribute, said: Parameter) -> Unit | None:
    return "%" if attribute in PERCENT and isinstance(said.value, float) else None


def _main_value(before: Order, said: Parameter) -> Attribute:
    """What a second value is about, where it does not say: "the AC to 22 on low" is of two attributes."""
    if before.parameter is not None and before.parameter.attribute not in ATTRIBUTES:
        return before.parameter.attribute  # what only this home's things have
    last, other = before.parameter, _main_of(before.targets[0], said) if before.targets else "value"
    if other == "speed" and isinstance(said.value, str):
        return other
    alike = last is not None and isinstance(last.value, str) == isinstance(said.value, str)
    odd = last is not None and said.unit == "%" and last.attribute in _COUNTED  # "red in the hall, 15 percent in ..."
    return last.attribute if last and alike and not odd else other


def of_its_setting(made: Order, last: Clause, parts: Parts) -> Order:
    """As "disable the child lock of the fan and enable it on the plug", "..., then enable it": it is the child lock.

    Where that is so already, the thing itself is meant: "enable the child lock of the plug and turn it on".
    """
    said = last.parameter if isinstance(last, Order) else None
    if said is None or said.attribute in ATTRIBUTES or said.value not in ("on", "off"):
        return made
    value = SWITCHED.get(made.action)
    if value is None or made.parameter is not None or not made.targets:
        return made
    again = len(made.targets) == 1 and made.targets[0].reference in ("it", "that") and value != said.value
    if not (again or parts.has("pronoun")):
        return made
    return replace(made, action="set", parameter=Parameter(said.attribute, "set", value))
