"""Edits of what was just kept for later, of a timer and of a list: "make it eight", "not at weekends", "and butter"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from daemon.core.ir import AboutAgenda, AboutList, Clause, DialogueMove, Fix, Order, Program, Target, Timer, When
from daemon.core.values import replace
from daemon.core.vocabulary import PRONOUNS, WEEK
from daemon.dialogue.dialogue import Dialogue
from daemon.dialogue.edits import CANCEL, Base, Edit, Named, Revision, edit_of
from daemon.home.names import has_han
from daemon.understand.corrections import MOVED, corrected, is_offered, moved, says_time, says_value
from daemon.understand.moments import as_time
from daemon.understand.sequence import in_order

_OF_ONE = frozenset({"increase", "decrease", "pause", "resume"})
"""What is done to one timer."""
_TOGETHER = 2
"""Parts between commas that are one edit: "six is too early, make it seven"."""
_DAY = 24
"""Hours; what is more is an hour with its minutes."""
_WARMED = frozenset({"climate", "air_conditioner", "heater", "water_heater"})
"""What may as well be set to a number."""


def of_planned(edit: Edit, base: Base) -> tuple[Clause, ...] | None:
    """What is to be kept instead, or as well; nothing where it is meant of what was kept, and may be of several things.

    None where it is no edit of that.
    """
    clauses, last, said = base.program.clauses, base.last, edit.worded
    if edit.targets and (at := _time_of(edit)) is not None and (meant := [c for c in clauses if _is_of(c, edit)]):
        later = tuple(one for item in meant if (one := moved(item, at)) is not None)
        price = CANCEL if len(meant) == len(clauses) else AboutAgenda("cancel_all", targets=edit.targets, just=True)
        return (price, *later) if len(later) == len(meant) else ()
    if edit.way == "also":
        plain = edit.fills("targets") and isinstance(last, Order) and not last.is_scene and last.when is not None
        # Of several, what is done to such things.
        like = next((item for item in reversed(clauses) if _is_of(item, edit)), last)
        return (replace(corrected(like, said), excluded=()),) if plain and isinstance(like, Order) else None
    if says_time(said) or says_value(said):
        together = all(item.when == clauses[0].when for item in clauses)
        alone = len(clauses) == 1
        ways = (
            _at_another_bound(item, edit) or _for_longer(item, edit) or _set_anew(item, said, alone=alone)
            for item in clauses
        )
        made = [one for one in ways if one is not None]
        return (CANCEL, *made) if together and len(made) == len(clauses) else () if said is edit.said else None
    match edit.said:
        case Fix(move="correct") | DialogueMove(move="value") if len(clauses) == 1:
            otherwise = _measured_otherwise(last, edit) or _of_another(last, edit) or _for_longer(last, edit)
            return (CANCEL, otherwise) if otherwise is not None else None
        case DialogueMove(move="always"):
            return _again(
                clauses, lambda when: replace(when, every=True) if when.repeating and not when.every else None
            )
        case DialogueMove(move="not", when=When() as less):
            return _again(clauses, lambda when: _less(when, less))
        case DialogueMove(move="not"):
            return _without(clauses, edit)
        case _:
            return None


def _set_anew(kept: Clause, said: Clause, *, alone: bool) -> Clause | None:
    """What was kept, at the time, for the length or to the value that is said instead: "ten", "open it only half"."""
    made = moved(kept, said)
    if not isinstance(said, Order | Fix) or not isinstance(kept, Order) or made is not None or not alone:
        return made
    if not says_value(said) or says_time(said) or said.parameter is None:
        return None
    if kept.parameter is not None:
        return corrected(kept, replace(said, targets=())) if not kept.conditions else None
    share = said.parameter.unit == "%" and kept.action in MOVED
    half = replace(said.parameter, attribute="position")
    return replace(kept, action="set", parameter=half) if share else None


def _at_another_bound(kept: Clause, edit: Edit) -> Clause | None:
    """The same from another value on: "make that twenty-two" of what is to be done below 24. None where it has none.

    Nor where a number may be what is set then, or when that is.
    """
    said = edit.parameter
    if said is None or not isinstance(kept, Order | Timer) or len(kept.conditions) != 1:
        return None
    [condition], timed = kept.conditions, kept.when is not None and (kept.when.time or kept.when.delay_s)
    is_bound = isinstance(said.value, float) and isinstance(condition.value, float)
    warmed = any(item.kind in _WARMED for item in getattr(kept, "targets", ()))
    if not is_bound or said.unit not in (None, condition.unit) or timed or warmed:
        return None
    if kept.parameter is not None and isinstance(kept.parameter.value, float):
        return None
    return replace(kept, conditions=(replace(condition, value=said.value),))


def _for_longer(kept: Clause, edit: Edit) -> Clause | None:
    """The same once it was so for another length: "make that fifteen" of what has been open for ten minutes."""
    said, length = edit.parameter, edit.when.duration_s if edit.when is not None else None
    if not isinstance(kept, Order | Timer) or len(kept.conditions) != 1 or not kept.conditions[0].for_s:
        return None
    if said is not None and isinstance(said.value, float) and said.attribute == "value":
        length = (as_time(DialogueMove("value", value=said.value, unit=said.unit or "min")) or When()).delay_s
    [condition] = kept.conditions
    return replace(kept, conditions=(replace(condition, for_s=length),)) if length else None


def _time_of(edit: Edit) -> Clause | None:
    """The time for which it says that something is to be: "make the lights ten thirty"; None where it says none."""
    said, value = edit.said, edit.parameter
    if isinstance(said, DialogueMove):
        return DialogueMove("time", when=said.when) if said.move == "time" else None
    clear = value is not None and isinstance(value.value, float) and value.value > _DAY and value.unit is None
    when = as_time(DialogueMove("value", value=value.value)) if value is not None and clear else None
    return DialogueMove("time", when=when) if when is not None and edit.action == "set" and not edit.when else None


def _is_of(kept: Clause, edit: Edit) -> bool:
    """Whether it is about what an edit names."""
    of = [(item.kind, item.mention or "") for item in getattr(kept, "targets", ())]
    said = [(item.kind, item.mention) for item in edit.targets]
    return any((kind and kind == other) or (name and name in whole) for other, whole in of for kind, name in said)


def in_a_row(
    text: str, base: Base, read: Callable[[str], Sequence[Program]], named: Named, concerns: Callable[[str], bool]
) -> tuple[Clause, ...] | None:
    """What several edits between commas, with talk among them, make of what was kept: "make it ten, and the fan too".

    None where anything else is said that `concerns` us.
    """
    parts, first, price, at = text.split(","), base.program.clauses, tuple[Clause, ...](), 0
    while at < len(parts):
        ends = range(min(len(parts), at + _TOGETHER), at, -1)
        ways = ((end, next(iter(read(", ".join(parts[at:end]).strip())), None)) for end in ends)
        found = next(((end, way.sole) for end, way in ways if way and isinstance(way.sole, DialogueMove)), None)
        if found is None and concerns(parts[at]):
            return None
        edit = edit_of(found[1], named) if found is not None and found[1] is not None else None
        at = found[0] if found is not None else at + 1
        if found is None:
            continue
        made = of_planned(edit, base) if edit is not None else None
        if not made or (made[0] != CANCEL and isinstance(made[0], AboutAgenda)):
            return None
        price, kept = (made[:1], made[1:]) if made[0] == CANCEL else (price, (*base.program.clauses, *made))
        base = replace(base, program=replace(base.program, clauses=kept))
    return (*price, *base.program.clauses) if price else base.program.clauses[len(first) :]


def _of_another(kept: Clause, edit: Edit) -> Clause | None:
    """The same of another thing, or elsewhere: "no, the tree lights", 不对，是卧室的."""
    if not edit.targets or edit.action or edit.parameter or edit.query or any(map(is_offered, edit.targets)):
        return None
    made = corrected(kept, edit.said) if isinstance(kept, Order) and not kept.is_scene else kept
    return replace(made, excluded=()) if isinstance(made, Order) and made.targets != kept.targets else None


def _measured_otherwise(kept: Clause, edit: Edit) -> Clause | None:
    """The same, where something else goes above or below what was said: "no, I mean the humidity"."""
    measured = edit.parameter if edit.parameter is not None and edit.parameter.value is None else None
    if measured is None or edit.action or len(kept.conditions) != 1 or not isinstance(kept, Order | Timer):
        return None
    [condition] = kept.conditions
    if not isinstance(condition.value, float):
        return None
    place = replace(condition.target, mention=None, kind=None) if condition.target.areas else Target(reference="here")
    target = edit.targets[0] if edit.targets else place
    return replace(kept, conditions=(replace(condition, attribute=measured.attribute, target=target, unit=None),))


def _again(clauses: Sequence[Clause], change: Callable[[When], When | None]) -> tuple[Clause, ...] | None:
    """The same at other times, after what was kept is dropped; None where one of them has no such."""
    found = [change(item.when) if item.when and isinstance(item, Order | Timer) else None for item in clauses]
    made = [replace(item, when=when) for item, when in zip(clauses, found, strict=True) if when is not None]
    return (CANCEL, *made) if len(made) == len(clauses) else None


def _less(when: When, less: When) -> When | None:
    """On fewer days; None where it is on none of those, or on no other."""
    days = WEEK if "daily" in when.days else when.days
    left = tuple(day for day in days if day not in less.days)
    return replace(when, days=left) if not when.once and 0 < len(left) < len(days) else None


def _without(clauses: Sequence[Clause], edit: Edit) -> tuple[Clause, ...] | None:
    """Without some of it: of one command all but these, of several not those about these."""
    if edit.excluded and len(clauses) > 1:
        return (AboutAgenda("cancel_all", targets=edit.excluded, just=True),)
    [clause, *_] = clauses
    if not edit.excluded or not isinstance(clause, Order):
        return None
    if all(_is_of(replace(clause, targets=(item,)), replace(edit, targets=edit.excluded)) for item in clause.targets):
        return (CANCEL,)
    return (CANCEL, replace(clause, excluded=(*clause.excluded, *edit.excluded)))


def of_timer(edit: Edit, timer: Timer, *, beside: bool = False) -> tuple[Clause, ...] | None:
    """As "go on" after "pause the timer", "another minute" after "how long on the eggs", "half an hour" once set.

    `beside`: it was set beside something that was done, which stays so.
    """
    said = edit.said
    if isinstance(said, Timer):
        named = said.name or said.place or said.start_seconds or said.reminds is not None
        bare = timer.name is not None and said.op in _OF_ONE and not named
        return (replace(said, name=timer.name),) if bare else None
    if timer.op != "start":
        other: Literal["pause", "resume"] = "resume" if timer.op == "pause" else "pause"
        return (replace(timer, op=other),) if edit.fills("action") and edit.action == other != timer.op else None
    alarm = beside and timer.reminds is not None and says_value(said)  # of a lamp and a timer, 六十 may be of both
    if isinstance(said, Order) and not alarm:
        if edit.parameter is None or edit.parameter.attribute != "value":
            return None
        said = DialogueMove("time", when=edit.when if not edit.targets else None)  # "a bit less, half an hour"
    meant = (beside or timer.reminds is None) and isinstance(edit.said, DialogueMove | Order)
    made = moved(timer, said) if meant else None
    price = CANCEL if timer.reminds is None else AboutAgenda("cancel_all", just=True)
    return (price, made) if isinstance(made, Timer) else None


def of_list(said: Sequence[Program], dialogue: Dialogue, now: float) -> Revision | None:
    """As "and butter" right after something of a list: the same with that; None where it is nothing of the sort.

    What is to go for something else, as people say it of whatever they have, goes from there: 牛奶不要了，换成豆浆.
    """
    last = dialogue.program.clauses[-1] if dialogue.program is not None and dialogue.just_spoken(now) else None
    if not isinstance(last, AboutList) or not last.items:
        return None
    for program in said:
        also = program.clauses[0]
        if isinstance(also, Fix) and also.move == "correct" and also.text and not also.action:
            also = AboutList("instead", items=(also.text,))  # "make that oat milk"
        swap = [replace(item, implicit=False) for item in program.clauses if isinstance(item, AboutList)]
        passing = any(item.implicit for item in program.clauses if isinstance(item, AboutList))
        if not isinstance(also, AboutList) or not (
            also.elliptic or (passing and len(swap) == len(program.clauses) > 1)
        ):
            continue
        if clauses := _in_list(also, last) if also.elliptic else tuple(swap):
            return Revision(replace(program, clauses=clauses, source="dialogue", confidence=1.0, needs_fallback=False))
    return None


def _in_list(also: AboutList, last: AboutList) -> tuple[Clause, ...]:
    """These as well; or for the one thing that was put there, if it is known which: "milk" where it is "oat milk"."""
    if also.op == "also":
        return (replace(last, items=also.items),)
    last = replace(last, implicit=False)
    added = replace(last, op="add", items=also.items)
    if last.op == "remove":
        return (added,)
    like = [item for item in last.items if also.items[0].endswith(item)]
    gone = last.items if len(last.items) == 1 else tuple(like)
    return (replace(last, op="remove", items=gone), added) if last.op == "add" and len(gone) == 1 else ()


def then(said: Program, dialogue: Dialogue, now: float) -> Program:
    """The same; "and stop it at five" comes after what was just planned: half past midnight."""
    planned, wish = dialogue.just_planned(now), said.clauses[0]
    if planned is None or not isinstance(wish, Order) or any(item.reference not in PRONOUNS for item in wish.targets):
        return said
    timed = len(said.clauses) == 1 and wish.when is not None and wish.when.twelve
    return replace(said, clauses=in_order((planned.clauses[-1], wish))[-1:]) if timed else said


def reminded(said: Program, dialogue: Dialogue, read: Callable[[str], Sequence[Program]], now: float) -> Program:
    """As 提醒我去关 behind a question: to close what that was about, by the name that it was called by."""
    timer, before = said.clauses[0], dialogue.program
    if not isinstance(timer, Timer) or not timer.reminds or before is None or not dialogue.just_spoken(now):
        return said
    named = [target.mention for target in before.clauses[-1].targets if target.mention is not None]
    task = next(iter(read(timer.reminds)), None)
    if len(said.clauses) > 1 or len(named) != 1 or task is None or task.missing != "target":
        return said
    joint = "" if has_han(named[0]) else " "
    return replace(said, clauses=(replace(timer, reminds=joint.join((timer.reminds, named[0]))),))
