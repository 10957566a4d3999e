"""How far a condition or a time reaches: what is said once may hold for several commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.core.ir import Clause, Condition, Inquiry, Order, Prohibition, Quantifier, Target, Timer, When
from daemon.core.values import replace
from daemon.understand.build_act import switched
from daemon.understand.build_value import KIND_ATTRIBUTE, state_word
from daemon.understand.parts import Parts, parts_of
from daemon.understand.sequence import along_with, at_the_time_of, endless

_SWITCHED: Final = frozenset({"on", "off", "playing", "paused"})
_FITTING: Final = {
    "open": frozenset({"open", "closed", "on", "off"}),
    "close": frozenset({"open", "closed", "on", "off"}),
    "lock": frozenset({"locked", "unlocked", "closed"}),
    "unlock": frozenset({"locked", "unlocked"}),
}
"""Action -> the states of what it may be done to; of any other, whatever is switched."""
_ENDS: Final = frozenset({"turn_off", "close", "stop"})
_BEGINS: Final = frozenset({"turn_on", "open", "start", "resume", "play"})
"""What switching off simply ends."""
_PLAYS: Final = frozenset({"play", "pause", "resume", "next", "previous", "mute", "unmute"})
_CHANGES: Final = frozenset({"set", "increase", "decrease"})
"""What is done to that whose value was compared: "if the radio is louder than 40, take it down to 20"."""
_OPENED: Final = {"on": "open", "off": "closed", "open": "open", "closed": "closed"}
_ANYTHING: Final = frozenset({"value", "state", "occupancy"})
"""What is said of whatever was asked about."""
_NOTICED: Final = frozenset({"occupancy", "motion", "presence"})
UNSAID_IT: Final = Target(reference="it", unsaid=True)
_SO_MANY: Final = (Target(quantifier="all"), Target(quantifier="any"))
_AIR: Final = Target(unsaid=True)
"""What "it" is in "if it's over 26"."""


def reach(clauses: Sequence[Clause], fronts: Sequence[bool]) -> tuple[Clause, ...]:
    """The clauses, each with the conditions that hold for it.

    "If the window is open, turn off the heating and close the blinds" is about both; so is "turn off the heating and
    close the blinds if the window is open", as doing less is the safe way to be wrong. A time reaches only what follows
    it: "turn on the light and turn off the fan in ten minutes".

    Args:
        clauses: In their order.
        fronts: Whether the conditions and the time of a clause were said before its verb.
    """
    if len(clauses) == 1:
        return (clauses[0],)
    clauses = _looked_first(clauses)
    out: list[Clause] = []
    front: Clause | None = None
    for clause, is_front in zip(clauses, fronts, strict=True):
        if is_front:
            front = None if _is_of_it(clause) else clause
        elif front is not None:
            clause = _with(clause, front, time=True)  # noqa: PLW2901 - the clause as it is meant
        elif out and _wakes(out[-1]) and (clause.action in _BEGINS or clause.action == "set"):
            clause = _with(clause, out[-1], time=True)  # noqa: PLW2901 - "wake me at seven and open the blinds"
        elif out:
            clause = along_with(clause, out[-1])  # noqa: PLW2901 - as it is meant
        out.append(clause)
    if not out or fronts[-1]:
        return tuple(out)
    if out[-1].when is not None and out[-1].when.beyond is not None:
        # "Turn the lamp on and off three times": nothing of it can be done.
        return tuple(replace(clause, when=out[-1].when) if isinstance(clause, Order) else clause for clause in out)
    if not out[-1].conditions or isinstance(out[-1], Prohibition | Timer):
        return tuple(out)
    return (*(_with(clause, out[-1], time=out[-1].when is not None and out[-1].when.repeating) for clause in out[:-1]),
            out[-1])  # fmt: skip


def _is_of_it(clause: Clause) -> bool:
    """Whether its condition is about "it", which only the clause itself has said: 开着就关掉."""
    return any(condition.target.reference == "it" for condition in clause.conditions)


def _wakes(clause: Clause) -> bool:
    """Whether it is a mere alarm: what begins the day comes with it, what ends one ("and lock the door") does not."""
    return isinstance(clause, Timer) and clause.reminds == "" and clause.when is not None


def _looked_first(clauses: Sequence[Clause]) -> Sequence[Clause]:
    """As "check the pump, if it's on, dim the lamp": what is asked for depends on nothing, what is to be done does."""
    out: list[Clause] = []
    for clause in clauses:
        before = out[-1] if out else None
        looked = isinstance(before, Inquiry) and before.query == "state" and before.conditions
        if before is not None and looked and isinstance(clause, Order):
            out[-1] = replace(before, conditions=())
            clause = replace(clause, conditions=clause.conditions or before.conditions)  # noqa: PLW2901 - as it is meant
        out.append(clause)
    return out


def within(clause: Clause, *, front: bool, every: bool = False) -> Clause:
    """The clause, with what "it" means inside its own sentence: the thing named before.

    "If the TV is on, turn it off", "close the garage if it's still open".

    Args:
        clause: As it was said.
        front: Whether its conditions were said first.
        every: Whether "all" stands beside its verb: 书房没人，灯就全关掉 is about those of the study.
    """
    if not clause.conditions or not isinstance(clause, Order) or clause.is_scene:
        return clause
    if not front:
        clause = replace(clause, conditions=tuple(_in_its_place(item, clause.targets) for item in clause.conditions))
    else:
        first = clause.conditions[0]
        subject, asked = first.target, first.value
        named = (subject.mention is not None or subject.kind is not None) and subject.reference is None
        clause = replace(clause, targets=tuple(_there(target, first, every=every) for target in clause.targets))
        if named and subject.kind != "sensor" and isinstance(asked, float) and clause.action in _CHANGES:
            return replace(clause, targets=tuple(_named_before(target, subject, "all") for target in clause.targets))
        if not named or subject.kind == "sensor" or asked not in _FITTING.get(clause.action or "", _SWITCHED):
            return clause
        targets = tuple(_named_before(target, subject, "all") for target in clause.targets)
        if len(clause.targets) == 1 and clause.targets[0].reference == "them" and targets != clause.targets:
            # "If the fan and the lamp are on, turn both off": both of them.
            alike = (
                item for item in clause.conditions if (item.attribute, item.value) == (first.attribute, first.value)
            )
            targets = tuple(_named_before(clause.targets[0], item.target, "all") for item in alike)
        return switched(replace(clause, targets=targets)) if targets != clause.targets else clause
    if len(clause.targets) != 1 or clause.targets[0].reference is not None:
        return clause
    return replace(
        clause,
        conditions=tuple(
            replace(condition, target=_named_before(condition.target, clause.targets[0], "any"))
            for condition in clause.conditions
        ),
    )


def _in_its_place(condition: Condition, targets: Sequence[Target]) -> Condition:
    """The condition; "in there" is where that is to which something is to be done, as was said before it."""
    if condition.target.reference != "there" or not targets:
        return condition
    return replace(condition, target=replace(condition.target, reference=None, areas=targets[0].areas))


def about_condition(clause: Clause, before: Sequence[Clause], *, every: bool = False) -> Clause | None:
    """The clause, which names nothing, about what its condition is about: "if the door is unlocked, lock".

    Where that is no thing that could be switched or changed so, it is what was done in the other case: 没人就关;
    None where there was none. With `every`, all that they are about: 电视开着，空调也开着，就都关掉.
    """
    if clause.targets or not clause.conditions or not isinstance(clause, Order):
        return clause
    subject, asked = clause.conditions[0].target, clause.conditions[0].value
    if asked == "open" and clause.action not in _FITTING:
        return clause  # "if the door opens, go on with the music"
    kind, changed = subject.kind, clause.parameter.attribute if clause.parameter is not None else None
    if changed not in (None, "value", clause.conditions[0].attribute) and KIND_ATTRIBUTE.get(kind or "") != changed:
        return clause  # "if the window is open, turn it down" is not about the window
    if clause.action in _PLAYS and kind in KIND_ATTRIBUTE and KIND_ATTRIBUTE[kind] != "volume":
        return clause  # nor does a lamp go on with it
    if kind == "sensor" or (subject.mention is None and kind is None and subject.reference != "it"):
        last = before[-1] if before else None
        return switched(replace(clause, targets=last.targets)) if isinstance(last, Order) and last.conditions else None
    subjects = {item.target: None for item in clause.conditions[: None if every else 1] if item.value == asked}
    meant = (replace(item, quantifier="all") if item.quantifier == "any" else item for item in subjects)
    return switched(replace(clause, targets=tuple(meant)))


def about_asked(clause: Clause, before: Sequence[Clause]) -> Clause:
    """The clause, with what its conditions are about where only what was asked, or tested, before says that.

    "How bright is the lamp? If it's over 30, ...", 书房没人吧？没人就把灯关了.
    """
    if not clause.conditions:
        return clause
    if any(item.target in _SO_MANY and item.attribute != "location" for item in clause.conditions):
        return _about_so_many(clause, before)
    known = next((item for item in map(_subject, reversed(before)) if item is not None), None)
    if known is None and any(item.target == UNSAID_IT for item in clause.conditions):
        conditions = (replace(item, target=_AIR) if item.target == UNSAID_IT else item for item in clause.conditions)
        return replace(clause, conditions=tuple(conditions))  # "if it's over 26": as warm as that
    if known is None:
        areas = clause.targets[0].areas if isinstance(clause, Order) and clause.targets else ()
        people = Condition(Target(kind="sensor", areas=areas), "occupancy")
        presence = (
            _about(item, people) if areas and item.attribute == "occupancy" else item for item in clause.conditions
        )
        return replace(clause, conditions=tuple(presence))
    return replace(clause, conditions=tuple(_about(item, known) for item in clause.conditions))


def _about_so_many(clause: Clause, before: Sequence[Clause]) -> Clause:
    """As 有一个开着……，两个都关着……: of those that a condition before it was about.

    Raises:
        ValueError: there are none, or it depends on something else as well.
    """
    known = next((item.conditions for item in reversed(before) if item.conditions), ())
    if not known or len(clause.conditions) != 1:
        raise ValueError("so many, of what nobody has said")
    [said] = clause.conditions
    each = tuple(_about(replace(said, target=Target()), replace(item, negated=False)) for item in known)
    return replace(clause, conditions=each, condition_join="and" if said.target.quantifier == "all" else "or")


def about_last(clause: Clause, last: Clause) -> Clause | None:
    """A clause whose condition leaves out what was asked, or tested, last, with that; None: there is no such thing."""
    waits = last.when.repeating if last.when is not None else isinstance(last, Inquiry) and last.parameter
    bare = (replace(item, target=UNSAID_IT) if item.target == _AIR else item for item in clause.conditions if waits)
    made = about_asked(replace(clause, conditions=tuple(bare)), [last])
    return made if waits and made.conditions != clause.conditions else None


def _subject(clause: Clause) -> Condition | None:
    """What a clause asks about, or depends on; None where it does neither."""
    if (tested := with_question(clause)).conditions:
        return tested.conditions[0]
    if not isinstance(clause, Inquiry) or len(clause.targets) > 1 or not (clause.targets or clause.parameter):
        return None
    attribute = clause.parameter.attribute if clause.parameter is not None else "state"
    return Condition(clause.targets[0] if clause.targets else _AIR, attribute)  # "how humid is it"


def _about(condition: Condition, known: Condition) -> Condition:
    """A condition of which only what was known before says what it is about."""
    target, attribute = condition.target, condition.attribute
    named = target.mention is not None or target.kind is not None
    same = attribute == known.attribute
    unsaid = target == Target() and (same or attribute == "value")
    counted = isinstance(condition.value, float) and known.attribute == "state"  # whether a plug is on has no number
    if named or counted or (target.reference != "it" and not unsaid):
        return condition
    if not (attribute in _ANYTHING or target == UNSAID_IT) or (attribute == "occupancy" and not same):
        return replace(condition, target=known.target)
    value = condition.value
    if isinstance(value, str):
        value = _OPENED.get(value, value) if known.value in _OPENED.values() else state_word(value, known.target.kind)
    unit = condition.unit or known.unit
    return replace(condition, target=known.target, attribute=known.attribute, value=value, unit=unit)


def with_question(clause: Clause) -> Clause:
    """The clause; a question whether something is so, with that as its condition."""
    asked = clause.parameter if isinstance(clause, Inquiry) and clause.query in ("is", "any") else None
    if asked is None or asked.value is None or len(clause.targets) != 1:
        return clause
    [asked_of] = clause.targets
    # "Are the windows open? If so, close them": one that is open will do.
    subject = replace(asked_of, quantifier="any") if asked_of.plural or asked_of.quantifier == "all" else asked_of
    return replace(clause, conditions=(Condition(subject, asked.attribute, value=asked.value),))


def after_all(clauses: list[Clause]) -> list[Clause]:
    """The clauses, the last of which comes when the one before has lasted its time: "on for an hour, then off"."""
    *before, last = clauses
    lasts = before[-1].when
    alone = lasts is None or endless(lasts) == lasts
    if lasts is None or alone or last.when not in (None, lasts) or not isinstance(last, Order):
        return clauses
    pronoun = all(item.reference in ("it", "them") for item in last.targets)
    ends = last.action in _ENDS and (pronoun or last.targets == before[-1].targets)
    start = (lasts.delay_s or 0.0) + (lasts.duration_s or 0.0)
    later = When(delay_s=start)
    if lasts.duration_s is None:
        later = When(time=lasts.until, twelve=lasts.until_twelve)
    elif lasts.time is not None:
        later = replace(lasts, duration_s=None, offset_s=(lasts.offset_s or 0.0) + lasts.duration_s)
    before[-1] = replace(before[-1], when=endless(lasts) if ends else lasts)
    return [*before, replace(last, when=later)]


def halted(clauses: list[Clause], parts: Parts) -> list[Clause]:
    """The clauses, where what was set is switched off later.

    调到二十六度，半小时后关掉 does not put back what was set before.
    """
    last = clauses[-1]
    said = any(parts_of(node).part("Off") for node in parts.parts.get("When", ()))
    if not said or last.action in _BEGINS or last.when is None or last.when.duration_s is None:
        return clauses
    start = (last.when.delay_s or 0.0) + last.when.duration_s
    if last.when.time is not None or not isinstance(last, Order) or last.is_scene:
        return clauses
    off = Order("close", (UNSAID_IT,), when=When(delay_s=start), confidence=last.confidence)
    return [*clauses[:-1], replace(last, when=endless(last.when)), off]


def _named_before(target: Target, named: Target, several: Quantifier) -> Target:
    """What a pronoun stands for; any other target as it is. A set is tested by any of it, and acted on as a whole."""
    if target.reference not in ("it", "them") or target.mention is not None or target.kind is not None:
        return target
    return named if named.quantifier == "one" else replace(named, quantifier=several)


def _there(target: Target, seen: Condition, *, every: bool) -> Target:
    """What is in the place that a condition was about: "nobody in the study? then kill the lamp in there".

    Where somebody is noticed in a place, the lights are those of it: "when there's motion in the hall, lights on".
    """
    subject = seen.target
    if not (subject.areas or subject.floors):
        return target
    # "All the lights" may be those of the home.
    quantifier: Quantifier = "all" if target.plural or every else "one"
    lights = target == Target(kind="light", quantifier=quantifier, plural=target.plural, confidence=target.confidence)
    if target.reference != "there" and not (lights and seen.attribute in _NOTICED and subject.kind == "sensor"):
        return target
    return replace(target, reference=None, areas=subject.areas, floors=subject.floors)


def _with(clause: Clause, giver: Clause, *, time: bool) -> Clause:
    if not isinstance(clause, Order) or clause.conditions:
        return clause
    if time:
        return at_the_time_of(clause, giver)
    return replace(clause, conditions=giver.conditions, condition_join=giver.condition_join)
