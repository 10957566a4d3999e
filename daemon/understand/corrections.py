"""Second thoughts: a clause with what was said instead of a part of it; the time that an answer says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from daemon.core.ir import (
    Action,
    Clause,
    DialogueMove,
    Fix,
    Inquiry,
    Op,
    Order,
    Parameter,
    Program,
    Target,
    Timer,
    Unit,
    When,
)
from daemon.core.values import replace
from daemon.core.vocabulary import PRONOUNS
from daemon.understand.moments import ON, as_time, hours_of, in_the_half, lasting_of, told
from daemon.understand.sequence import in_those_rooms

_Spoken = TypeVar("_Spoken", bound=Order | Inquiry)
_SECONDS: dict[Unit | None, float] = {"s": 1.0, "min": 60.0, "h": 3600.0}
_TEN = 10.0
"""Before it, an hour of the night is one after midnight."""
_SMALL_SHARE, _MAY_BE_STEP = 25.0, 0.55
"""Up to so many percent behind "louder" may be how much louder, and a value is only so sure: it is asked back."""

_CLOSED = frozenset({"color", "color_temp", "speed"})
"""Of these, a word says what it is of."""
_INSTEAD = 0.5
"""So sure a value is said instead of the one before; the less sure one of "green and red" is of something else."""
_PLAYERS = frozenset({"media_player", "tv", "speaker"})
MOVED: Mapping[Action | str | None, Op] = {"open": "increase", "close": "decrease"}
"""Which way what is moved goes."""


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
        # "Not off, 26 degrees" is on, and at that.
        parameter = replace(parameter, powers=parameter.powers or (clause.action, action) == ("turn_off", "set"))
    if isinstance(made, Inquiry):
        return replace(made, parameter=parameter)
    return replace(made, action=action, parameter=parameter)


def refined(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses; what is changed "a bit" and then to a value is set to that: "quieter, fifteen", 亮点儿，百分百.

    Of two values of the same in a row, the last one is meant: "volume fifty, er, forty".
    """
    made: list[Clause] = []
    for clause in clauses:
        last = made[-1] if made else None
        if isinstance(last, Order) and isinstance(clause, Order) and _is_refined(last, clause):
            may_be = _may_be_step(last.parameter, clause.parameter) or _may_be_one(last.parameter, clause.parameter)
            doubt = _MAY_BE_STEP if may_be else 1.0
            sure = min(last.confidence, clause.confidence, doubt)
            made[-1] = replace(clause, targets=last.targets, excluded=last.excluded, confidence=sure)
        elif isinstance(last, Order) and isinstance(clause, Order) and _is_silenced(last, clause):
            made[-1] = clause
        elif (there := in_those_rooms(last, clause)) is not None:
            made[-1] = there
        else:
            made.append(clause)
    return tuple(made)


def _is_silenced(first: Order, second: Order) -> bool:
    """Whether what plays is to stop, and then the one that plays to be off: 别唱了，收音机关了."""
    plain = not any(item.when or item.conditions or item.negated for item in (first, second))
    stopped = [(target.kind, target.mention, target.areas) for target in first.targets] == [("media_player", None, ())]
    off = len(second.targets) == 1 and second.targets[0].kind in _PLAYERS
    return plain and stopped and off and (first.action, second.action) == ("stop", "turn_off")


def _is_refined(first: Order, second: Order) -> bool:
    """Whether a value follows on another one of the same thing, or on a change that has no amount."""
    vague, value = first.parameter, second.parameter
    if vague is None or value is None or value.op != "set" or value.value is None:
        return False
    instead = first.action == second.action == "set" and vague.op == "set" and second.confidence >= _INSTEAD
    if not (isinstance(value.value, float) or (instead and vague.attribute in _CLOSED)):
        return False  # "towels, extra dry" may be of two settings
    plain = not any(item.when or item.conditions or item.negated for item in (first, second))
    bare = instead or (vague.op in ("increase", "decrease") and (vague.value is None or vague.unit == "step"))
    same = all(target.reference in PRONOUNS for target in second.targets) or [
        replace(target, confidence=1.0) for target in second.targets
    ] == [replace(target, confidence=1.0) for target in first.targets]
    spared = not second.excluded or second.excluded == first.excluded
    return plain and bare and same and spared and vague.attribute == value.attribute


def _may_be_step(vague: Parameter | None, value: Parameter | None) -> bool:
    """Whether a value may also be by how much: "louder, five percent" is hardly to five."""
    if vague is None or value is None or vague.op != "increase" or value.unit != "%":
        return False
    return isinstance(value.value, float) and value.value <= _SMALL_SHARE


def _may_be_one(first: Parameter | None, second: Parameter | None) -> bool:
    """Whether two values may be one number with a pause in it: "twenty, five"."""
    if first is None or second is None or first.op != "set":
        return False
    tens, ones = first.value, second.value
    if not isinstance(tens, float) or not isinstance(ones, float):
        return False
    return tens >= 2 * _TEN and tens % _TEN == 0 and 0 < ones < _TEN


def is_offered(target: Target) -> bool:
    """Whether it only says which of several that were offered: "the second one"."""
    return target.ordinal is not None and target.only("ordinal")


def asked_of(clause: Inquiry, others: Clause) -> Inquiry:
    """The question `clause` asked of other targets: "is the door locked, and what about the window?"."""
    made = replace(_of_others(clause, others), excluded=())
    state = made.parameter is not None and made.parameter.attribute == "state"
    # What is locked, and what about the window? That may be open.
    return replace(made, query="state", parameter=None) if made.query == "is" and state else made


def asked_further(before: Inquiry, made: Clause) -> Inquiry | None:
    """As "..., and the study", "..., and the humidity" behind a question; None where it is a command of its own."""
    if isinstance(made, Inquiry) and not made.targets:
        return replace(made, targets=before.targets)
    return asked_of(before, made) if made.targets and made.action is None and made.parameter is None else None


def instead(first: Sequence[Target], last: Sequence[Target]) -> tuple[Target, ...]:
    """The targets that are meant after a correction; they are of the kind, and in the place, that was said first."""
    if not last or all(target.reference in PRONOUNS and not (target.mention or target.kind) for target in last):
        return tuple(first)  # "no, turn it off": what was spoken of
    return tuple(_like(first[0], target) for target in last) if first else tuple(last)


def _of_others(clause: _Spoken, fix: Clause) -> _Spoken:
    targets = instead(clause.targets, fix.targets)
    # Where the name that was taken back was what was least sure, nothing is unsure any more.
    doubted = targets != clause.targets and clause.confidence >= min(
        (item.confidence for item in clause.targets), default=1.0
    )
    confidence = fix.confidence if doubted else min(clause.confidence, fix.confidence)
    asked = clause.parameter
    if isinstance(clause, Inquiry) and clause.rooms and asked is not None and any(item.areas for item in targets):
        # "And the study?" after a question for the warmest room: how warm it is there.
        clause = replace(clause, query="value", rooms=False, parameter=replace(asked, op="set", value=None))
    return replace(clause, targets=targets, confidence=confidence)


def _value(action: Action, said: Parameter, clause: Clause) -> tuple[Action, Parameter]:
    """What "no, 25" sets: the attribute that was spoken of, by as much where it was a change."""
    before = clause.parameter
    if before is None or action != "set" or said.attribute not in ("value", before.attribute):
        return action, said
    said = replace(onto(said, before), unit=said.unit or before.unit)
    if clause.action in ("increase", "decrease") and before.value is not None and said.op == "set":
        return clause.action, by_so_much(said, before)
    return action, said


def onto(said: Parameter, before: Parameter | None, action: Action | None = None) -> Parameter:
    """A value of what stands before it, where nobody says of what it is; of what is moved, of where that stands."""
    of = before.attribute if before is not None else "position" if action in MOVED else None
    return replace(said, attribute=of) if said.attribute == "value" and of is not None else said


def by_so_much(said: Parameter, before: Parameter) -> Parameter:
    """A change by the number that is said: "two degrees", of "warmer"."""
    return replace(before, value=said.value, unit=said.unit)


def _like(first: Target, last: Target) -> Target:
    placed = last.areas or last.floors or last.reference == "here"
    if last.mention is not None and last.kind == "device" and first.kind is not None:
        return replace(last, kind=first.kind)  # "the back one": of the doors
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


def says_time(clause: Clause) -> bool:
    """Whether this says a time and nothing else; a bare number is one where a time is spoken of."""
    return _moment(clause, None) is not None or lasting_of(clause) is not None or hours_of(clause) is not None


def says_value(clause: Clause) -> bool:
    """Whether this says a value of what was spoken of and nothing else: "make it 60"."""
    fixed = isinstance(clause, Order) or (isinstance(clause, DialogueMove) and clause.move == "correct")
    return fixed and _number(clause) is not None and not clause.when


def is_value(clause: Clause) -> bool:
    """Whether it is a mere value, though it may stand for itself: "28 degrees"."""
    mere = isinstance(clause, Order) and clause.action == "set" and clause.parameter is not None
    return mere and not (clause.targets or clause.when)


def is_step(said: Clause) -> bool:
    """Whether it is as "ten more", "back a bit", or "another one", which may be the next song as well."""
    if not isinstance(said, Fix) or said.move not in ("follow", "back") or said.targets or said.query:
        return False
    return said.parameter is not None and said.parameter.op in ("increase", "decrease")


def bounded(made: Order | Inquiry, said: Parameter) -> Order | Inquiry | None:
    """As "when it's above 26, no, 28": the number of the last condition; None where that has none, or another sort."""
    if not made.conditions or not isinstance(said.value, float):
        return None
    *others, last = made.conditions
    if not isinstance(last.value, float) or last.comparator == "between":
        return None
    return replace(made, conditions=(*others, replace(last, value=said.value, unit=said.unit or last.unit)))


def moved(kept: Clause, said: Clause) -> Clause | None:
    """`kept` at the time, or for the length, that is `said` instead.

    None where that says no time, where it is of another sort (an hour for a timer), and where a bare number may as well
    be the value of what is kept.
    """
    return (_bounded(kept, kept.when, said) if kept.when is not None else None) or _moved(kept, said)


def _bounded(kept: Clause, when: When, said: Clause) -> Clause | None:
    """As "five minutes of it will do", "only after dark": on for so long, or in those hours."""
    lasting, hours = lasting_of(said), hours_of(said)
    if lasting is not None and isinstance(kept, Order) and kept.action in ON:
        return replace(kept, when=replace(when, duration_s=lasting))
    return replace(kept, when=replace(when, hours=hours)) if hours is not None and when.repeating else None


def _moved(kept: Clause, said: Clause) -> Clause | None:
    when = _moment(said, _unit(kept))
    if when is None or (_number(said) is not None and kept.parameter is not None and kept.parameter.value is not None):
        return None
    length = when.delay_s if when.delay_s is not None else when.duration_s
    if isinstance(kept, Timer) and kept.seconds is not None:
        return replace(kept, seconds=length) if length is not None and when.time is None else None
    if kept.when is None:
        return None
    if length is not None and when.time is None:
        if kept.when.delay_s is None and kept.when.time is None:
            return replace(kept, when=replace(kept.when, duration_s=length))
        return replace(kept, when=replace(kept.when, delay_s=length, time=None, twelve=False))
    if kept.when.time is None and kept.when.delay_s is None:
        until = kept.when.until is not None and when.time is not None
        return replace(kept, when=replace(kept.when, until=when.time, until_twelve=when.twelve)) if until else None
    if _number(said) is not None and (kept.when.duration_s is not None or kept.when.until is not None):
        return None  # "at seven for ten minutes, no, twenty": of which of them?
    at = told(kept.when, in_the_half(when, kept.when))
    return replace(kept, when=at) if at is not None else None


def _moment(clause: Clause, unit: Unit | None) -> When | None:
    if isinstance(clause, DialogueMove) and clause.move == "time":
        return clause.when if hours_of(clause) is None else None
    if isinstance(clause, Order) and clause.action is None and clause.parameter is None and not clause.targets:
        return clause.when
    number = _number(clause)
    if number is None or clause.when is not None:
        return None
    return as_time(DialogueMove("value", value=number.value, unit=number.unit or unit))


def _number(clause: Clause) -> Parameter | None:
    """The bare number that is all that this says, as "eight", "make it eight"."""
    parameter = clause.parameter
    it = [item.reference for item in clause.targets] in ([], ["it"], ["that"])
    plain = clause.action == "set" and parameter is not None and parameter.attribute == "value"
    return parameter if plain and it else None


def _unit(kept: Clause) -> Unit | None:
    """The unit that a bare number is of, where how long was said: that of the length."""
    when = kept.when
    length = kept.seconds if isinstance(kept, Timer) else None
    if length is None and when is not None and when.time is None:
        length = when.delay_s if when.delay_s is not None else when.duration_s
    if length is None:
        return None
    return "h" if length % _SECONDS["h"] == 0 else "min" if length % _SECONDS["min"] == 0 else "s"


def names_only(program: Program) -> bool:
    """Whether it is only a name, which may answer a question or correct one."""
    return isinstance(move := program.clauses[0], DialogueMove) and move.move in ("select", "other")
