"""What was just kept for later, with less of it, or more often: "not at weekends", "every time please", 电视不要了."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from daemon.core.ir import AboutAgenda, Clause, DialogueMove, Fix, Order, Program, Target, Timer, When
from daemon.core.values import replace
from daemon.dialogue.dialogue import Dialogue
from daemon.dialogue.second_thoughts import Revision
from daemon.home.names import has_han
from daemon.understand.corrections import corrected, is_offered, moved, says_time, says_value

_WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def replanned(
    readings: Sequence[Program], named: Callable[[str], Sequence[Target]], dialogue: Dialogue, now: float
) -> Revision | None:
    """What is to be done instead; None where nothing was kept just now, or that isn't about it.

    Args:
        readings: Of what was said.
        named: What words name, where they name something and no more.
        dialogue: What was kept before.
        now: `time.monotonic()` seconds.
    """
    planned = dialogue.just_planned(now)
    move = readings[0].clauses[0] if readings and len(readings[0].clauses) == 1 else None
    if planned is None or not isinstance(move, DialogueMove) or move.move not in ("always", "not", "correct"):
        return None
    made: tuple[Clause, ...] | None
    if move.move == "correct":
        made = _measured_otherwise(planned.clauses, move) or _of_another(planned.clauses, move)
    elif move.move == "always":
        made = _again(planned.clauses, _always)
    elif move.when is not None:
        less = move.when
        made = _again(planned.clauses, lambda when: _less(when, less))
    else:
        made = _without(planned.clauses, tuple(named(move.text))) if move.text is not None else None
    return Revision(replace(planned, clauses=made, source="dialogue")) if made is not None else None


def _of_another(clauses: Sequence[Clause], fix: DialogueMove) -> tuple[Clause, ...] | None:
    """The same of another thing, or elsewhere: "no, the tree lights", 不对，是卧室的."""
    if not isinstance(fix, Fix) or not fix.targets or fix.action or fix.parameter or fix.query or len(clauses) != 1:
        return None
    [clause] = clauses
    if not isinstance(clause, Order) or clause.is_scene or any(map(is_offered, fix.targets)):
        return None
    made = corrected(clause, fix)
    return (DialogueMove("cancel"), replace(made, excluded=())) if made.targets != clause.targets else None


def _measured_otherwise(clauses: Sequence[Clause], fix: DialogueMove) -> tuple[Clause, ...] | None:
    """The same, where something else goes above or below what was said: "no, I mean the humidity"."""
    measured = fix.parameter if fix.parameter is not None and fix.parameter.value is None and not fix.action else None
    if measured is None or len(clauses) != 1 or len(clauses[0].conditions) != 1:
        return None
    [clause], [condition] = clauses, clauses[0].conditions
    if not isinstance(condition.value, float) or not isinstance(clause, Order | Timer):
        return None
    place = replace(condition.target, mention=None, kind=None) if condition.target.areas else Target(reference="here")
    target = fix.targets[0] if fix.targets else place
    about = replace(condition, attribute=measured.attribute, target=target, unit=None)
    return (DialogueMove("cancel"), replace(clause, conditions=(about,)))


def _again(clauses: Sequence[Clause], change: Callable[[When], When | None]) -> tuple[Clause, ...] | None:
    """The same at other times, after what was kept is dropped; None where one of them has no such."""
    made: list[Clause] = []
    for clause in clauses:
        when = change(clause.when) if clause.when is not None and isinstance(clause, Order | Timer) else None
        if when is None:
            return None
        made.append(replace(clause, when=when))
    return (DialogueMove("cancel"), *made)


def _always(when: When) -> When | None:
    """Each time that it happens."""
    return replace(when, every=True) if when.repeating and not when.every else None


def _less(when: When, less: When) -> When | None:
    """On fewer days; None where it is on none of those, or on no other."""
    days = _WEEK if "daily" in when.days else when.days
    left = tuple(day for day in days if day not in less.days)
    return replace(when, days=left) if not when.once and 0 < len(left) < len(days) else None


def _without(clauses: Sequence[Clause], named: tuple[Target, ...]) -> tuple[Clause, ...] | None:
    """Without some of it: of one command all but these, of several not those about these."""
    if not named:
        return None
    if len(clauses) > 1:
        return (AboutAgenda("cancel_all", targets=named, just=True),)
    [clause] = clauses
    if not isinstance(clause, Order):
        return None
    return (DialogueMove("cancel"), replace(clause, excluded=(*clause.excluded, *named)))


def retimed(readings: Sequence[Program], dialogue: Dialogue, now: float) -> Revision | None:
    """What was kept for later just now, with the time, the length or the value that is said instead: "make it eight".

    None where nothing was kept, or nothing is said instead. The caller finds a program without clauses where that may
    be meant of several things, or of none.
    """
    planned = dialogue.just_planned(now)
    said = readings[0].clauses if readings else ()
    if planned is None or len(said) != 1 or not (says_time(said[0]) or says_value(said[0])):
        return None
    kept, fix = planned.clauses[0], said[0]
    if len(planned.clauses) > 1 and all(item.when == kept.when for item in planned.clauses):
        all_moved = [one for item in planned.clauses if (one := moved(item, fix)) is not None]
        if len(all_moved) == len(planned.clauses):  # all that was to be at that time
            return Revision(replace(planned, clauses=(DialogueMove("cancel"), *all_moved), source="dialogue"))
    made = moved(kept, fix) if len(planned.clauses) == 1 else None
    if made is None and isinstance(kept, Order) and isinstance(fix, Order | Fix) and not says_time(fix):
        made = corrected(kept, replace(fix, targets=())) if kept.parameter and not kept.conditions else None
    clauses = (DialogueMove("cancel"), made) if made is not None else ()
    return Revision(replace(planned, clauses=clauses, source="dialogue"))


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
