"""Edits of what was just done: "and the hall light too", "a bit more", "too bright", "22", "for ten minutes"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from daemon.act.palette import COLORS
from daemon.act.values import suits
from daemon.core.entities import Entity
from daemon.core.ir import Attribute, Clause, Fix, Inquiry, Order, Parameter, Program
from daemon.core.values import replace
from daemon.dialogue.asked import of_the_setting, of_told
from daemon.dialogue.dialogue import Dialogue
from daemon.dialogue.edits import CANCEL, CHANGES, OPPOSITE, UNSAID, Base, Edit, Named, base_of, edit_of, made_of
from daemon.dialogue.replanned import of_planned, of_timer, then
from daemon.dialogue.second_thoughts import back, limited, set_before, way_of
from daemon.home import kinds
from daemon.home.actions import capability_for, member_for
from daemon.home.registry import Registry
from daemon.resolve.request import toned
from daemon.understand.build_act import switched
from daemon.understand.build_reach import about_last
from daemon.understand.corrections import MOVED, corrected, is_offered, is_step, onto
from daemon.understand.sequence import in_order

_BEGINS = ("turn_on", "open", "start", "resume")
_COUNTED: tuple[Attribute, ...] = ("brightness", "color_temp")
"""What a lamp is set to by numbers, each of them in a range of its own."""
_NAMED = frozenset({"color", "media", "source", "mode", "preset"})
"""What is no quantity where it was set by a word."""


def continued(
    said: Program, dialogue: Dialogue, registry: Registry, now: float, named: Named = lambda _: ()
) -> Program | None:
    """What is to be done or told, where this says so only together with what was said just before; else None.

    Without clauses, where it is meant of what was kept for later, and nobody can tell of what of it.

    Args:
        said: What was understood.
        dialogue: What was done or asked before.
        registry: The home.
        now: `time.monotonic()` seconds.
        named: What words name, where they name something and no more.
    """
    planned, done = dialogue.just_planned(now), dialogue.program if dialogue.just_spoken(now) else None
    before = planned or done
    depends = _depending(said, before.clauses[-1]) if before is not None else None
    said = depends or said
    if len(said.clauses) != 1:
        return _together(said, dialogue, registry, now) or depends
    edit, timer = edit_of(said.clauses[0], named), dialogue.just_timed(now)
    if edit is None:
        return depends
    if timer is not None and (made := of_timer(edit, timer, beside=planned is None)):
        return made_of(said, *made)
    leans = edit.way == "also" or is_step(edit.said) or _is_elliptic(edit.said)
    for program in filter(None, (planned, None if planned and leans else done)):
        base = base_of(program, dialogue, registry, now, sets=edit.parameter is not None)
        if (made := _applied(edit, base, leans=leans)) is not None:
            if not made or made[0] == CANCEL:
                return replace(program, clauses=made, source="dialogue")
            return then(made_of(said, *made), dialogue, now)
    return depends


def _applied(edit: Edit, base: Base, *, leans: bool) -> tuple[Clause, ...] | None:
    """What an edit makes of a base; None where that cannot take it."""
    if not base.kept:
        return _gone_on(edit, base, leans=leans)
    mere = edit.worded is not edit.said  # "22 degrees" is set then as well, where that can be
    made = of_planned(edit, base) if not mere else None
    made = made if made is not None else _gone_on(edit, base, leans=leans)
    return of_planned(edit, base) if made is None and mere else made


def _depending(said: Program, last: Clause) -> Program | None:
    """What was said, with what its conditions leave out: "how humid is it?" - "if it's over seventy, turn on the fan".

    None where they leave out nothing. What ends a thing that is done every time ends it every time.
    """
    made = [about_last(clause, last) for clause in said.clauses]
    every = last.when is not None and last.when.every
    clauses = [
        replace(one, when=replace(one.when, every=True)) if every and one.when and one.when.repeating else one
        for one in (about or item for about, item in zip(made, said.clauses, strict=True))
    ]
    return replace(said, clauses=tuple(clauses)) if any(made) else None


def _together(said: Program, dialogue: Dialogue, registry: Registry, now: float) -> Program | None:
    """As "a bit dimmer and warmer", of what was spoken of; all of it is asked about where that cannot do all of it."""
    if any(item.parameter is None or item.parameter.op not in CHANGES or item.targets for item in said.clauses):
        return None
    each = [continued(replace(said, clauses=(item,)), dialogue, registry, now) for item in said.clauses]
    if not any(each):
        return None
    made = [
        replace(clause, implicit=not all(each)) if isinstance(clause, Order) else clause
        for item, found in zip(said.clauses, each, strict=True)
        for clause in (found.clauses if found is not None else (item,))
    ]
    return made_of(said, *made)


def _gone_on(edit: Edit, base: Base, *, leans: bool) -> tuple[Clause, ...] | None:
    """What is to be done, or told, of what was done, asked or kept."""
    if base.outcomes and (less := limited(edit, base)):
        return less
    made = of_told(edit, base)
    if made is not None:
        return (made,)
    if isinstance(edit.said, Inquiry) or edit.way == "instead" or not (base.spoken_of or edit.way == "also"):
        return None
    same = of_the_setting(edit, base.last) if not base.kept else None
    if same is not None and _is_able(same, base.spoken_of):
        made = replace(same, targets=(base.them,))
    elif edit.way == "back":
        made = back(edit, base)
    elif edit.way == "also":
        made = _step(edit, base) if is_step(edit.said) else _also(edit, base.like(edit.targets))
        return (*set_before(edit, base), made) if made is not None else None
    elif base.kept and not leans:
        made = _set_then(edit, base)
    else:
        made = _changed_or_set(edit, base)
    return (made,) if made is not None else None


def _also(edit: Edit, last: Clause) -> Clause | None:
    """The last clause for other targets, or another verb for the same."""
    fix = edit.said
    if not isinstance(fix, Fix) or any(map(is_offered, edit.targets)) or not isinstance(last, Order | Inquiry):
        return None  # of what was asked about before, which is not told here
    if last.is_scene or edit.query or not (edit.targets or edit.action):
        return fix.order() if edit.action is not None and not last.is_scene else None  # may be a question or a wish
    if edit.action is None:
        return replace(corrected(last, fix), excluded=edit.excluded)
    if not any(target.areas or target.floors for target in edit.targets):
        return fix.order()
    made = corrected(last, fix)  # 卧室的也关了: of the bedroom, what was spoken of
    order = made if isinstance(made, Order) else Order(edit.action, made.targets, parameter=made.parameter)
    return switched(replace(order, excluded=(), confidence=made.confidence))


def _step(edit: Edit, base: Base) -> Order | None:
    """As "ten more", so much of what was changed or asked about; as "another one", the next song once more."""
    last, order = base.last, edit.order
    if not base.spoken_of or edit.parameter is None or order is None:
        return None
    if isinstance(last, Order) and last.action in ("next", "previous"):
        return replace(last, targets=(base.them,))
    made = _more(order, edit.parameter, base) if last.parameter is not None else None
    return replace(made, targets=(base.them,)) if made is not None else None


def _set_then(edit: Edit, base: Base) -> Order | None:
    """As "22 degrees" after what is to be switched on later: that is set then as well, and not now."""
    last = base.last
    made = _unsaid(edit, base) if isinstance(last, Order) and last.action in _BEGINS else None
    if made is None or not isinstance(last, Order) or made.when or made.parameter is None:
        return None
    if made.parameter.attribute == "position":
        return None  # "only half" of what is to be opened is no second thing
    then = replace(made, targets=last.targets, excluded=last.excluded, conditions=last.conditions, when=last.when)
    return replace(then, condition_join=last.condition_join)


def _changed_or_set(edit: Edit, base: Base) -> Order | None:
    """What is to be done to what was spoken of, which was left out: "22 degrees", "a bit more", 关了吧."""
    made, order = _unsaid(edit, base), edit.order
    if made is None and order is not None and order is edit.said and edit.parameter and _unnamed(order, base.last):
        made = _whiter(order, edit.parameter, base.spoken_of) or _more(order, edit.parameter, base)
    if made is not None and base.kept:  # what is said after what was planned: in the evening, too, and on each day
        after = next(islice(in_order((base.last, replace(made, targets=base.last.targets))), 1, None), made)
        made = after if isinstance(after, Order) else made
    return replace(made, targets=(base.them,)) if made is not None else None


def _unsaid(edit: Edit, base: Base) -> Order | None:
    """The edit where only what it is done to was left out: 关了吧, "40 percent" of what was switched on.

    None where not all that was spoken of can do it, or where there is nothing that it could be but for its value.
    """
    order = edit.order
    if order is not None and order.action is not None and _is_elliptic(order):
        able = all(member_for(item, order.action) is not None for item in base.spoken_of)
        return replace(order, elliptic=False) if able else None
    if order is None or order.action != "set" or order.targets or order.implicit or order.parameter is None:
        return None
    parameter = _onto(base, order.parameter)
    most = parameter.op in ("max", "min") and order is edit.said  # a mere "full" may be of anything
    if not most and (parameter.value is None or parameter.op != "set"):
        return None
    made = replace(order, parameter=parameter)
    return made if _is_able(made, base.spoken_of) else None


def _onto(base: Base, said: Parameter) -> Parameter:
    """A value of what was set or moved just before, where nobody says of what it is.

    Without a unit, it is of nothing else than degrees where there is a thermostat.
    """
    last = base.last
    before = last.parameter if isinstance(last, Order) else None
    if said.attribute != "value":
        return said
    if isinstance(said.value, str):
        return replace(said, attribute="color") if said.value in COLORS else said
    if before is not None and (said.unit is not None or isinstance(before.value, float)):
        counts = said.unit or (None if before.unit in ("step", "fraction") else before.unit)
        return _fitting(base.spoken_of, replace(onto(said, before), unit=counts), said)
    if said.unit is None and said.op == "set":
        return replace(said, attribute="temperature")
    return onto(said, None, last.action)


def _fitting(spoken_of: Sequence[Entity], meant: Parameter, said: Parameter) -> Parameter:
    """What a number is of: what was said last, unless it can only be of something else that these can be set to."""
    if said.attribute != "value" or all(suits(item, meant) for item in spoken_of):
        return meant
    for attribute in _COUNTED:
        other = replace(said, attribute=attribute)
        if attribute != meant.attribute and all(suits(item, other) for item in spoken_of):
            return other
    return meant


def _is_elliptic(clause: Clause) -> bool:
    return isinstance(clause, Order) and clause.elliptic and clause.action is not None and not clause.targets


def _is_able(order: Order, spoken_of: Sequence[Entity]) -> bool:
    """Whether all that was spoken of has what is to be set, or is a lamp without colour: then that is told of it."""
    said = order.parameter
    if not spoken_of:
        return False
    if said is not None and said.attribute == "color" and all(item.type == "light" for item in spoken_of):
        return True
    return said is None or all(capability_for(item, said) is not None for item in spoken_of)


def _unnamed(clause: Order, last: Clause) -> bool:
    """Whether it changes something by some amount and does not say what; a need names no more than a kind.

    A value goes on only from another one of its sort: "set the heating to 20" - "22 degrees".
    """
    parameter, before = clause.parameter, last.parameter
    if parameter is None:
        return False
    alike = before is not None and parameter.attribute in ("value", before.attribute)
    position = last.action in MOVED and parameter.attribute == "position"
    if parameter.op not in CHANGES and not (alike or position):
        return False
    if clause.implicit:
        return all(item.quantifier == "all" and item.only("kind", "quantifier") for item in clause.targets)
    return not clause.targets


def _changed(parameter: Parameter, base: Base) -> Parameter | None:
    """What is changed, and which way: "more" is more of what was done, also of less; "up" is up.

    None where a lamp and a thermostat would understand it differently. "More" after a whole command, "less", takes it
    back.
    """
    last, before = base.last, base.last.parameter
    if parameter.attribute == "temperature" and before is not None and before.attribute == "color_temp":
        return None
    if parameter.attribute != "value":
        return parameter
    if before is not None and before.attribute in _NAMED and isinstance(before.value, str):
        before = None  # of a title there is no more: of what plays it
    op = before.op if before is not None else MOVED.get(last.action)
    if before is not None and (before.attribute, before.op) == ("position", "set"):
        # The way that it went: "a bit more" after "close it half way".
        shut = {way_of(item) for item in base.outcomes if item.sent} == {("decrease", "position")}
        op = "decrease" if shut else op
    less = op == "decrease" and parameter.op == "increase" and parameter.toward is None
    less = less and (base.program.source == "grammar" or parameter.value is not None)
    op = OPPOSITE[parameter.op] if less else parameter.op
    made = replace(onto(parameter, before, last.action), op=op, toward=None)
    return _fitting(base.spoken_of, made, replace(parameter, toward=None))


def _more(clause: Order, parameter: Parameter, base: Base) -> Order | None:
    """More, or less, of what was done; None where what was spoken of cannot do that."""
    last, changed = base.last, _changed(parameter, base)
    if changed is None or not all(_takes(item, changed, clause) for item in base.spoken_of):
        return None
    made = replace(clause, action=CHANGES.get(changed.op, clause.action), parameter=changed)
    # As "still too bright", of what was lit just now: nobody needs to ask what is wanted.
    of_that = last.parameter.attribute == changed.attribute if last.parameter else changed.attribute != "temperature"
    plain = clause.implicit and isinstance(last, Order) and of_that
    return replace(made, implicit=False, confidence=UNSAID) if plain else made


def _whiter(clause: Order, parameter: Parameter, spoken_of: Sequence[Entity]) -> Order | None:
    """As "warmer" after a lamp was switched on: its white, or the air, so it is asked. None where it is no lamp."""
    if parameter.attribute != "temperature" or parameter.op not in CHANGES or clause.implicit:
        return None
    white = replace(toned(clause, parameter), implicit=True)
    tone = white.parameter
    if tone is None or any(capability_for(item, parameter) or not capability_for(item, tone) for item in spoken_of):
        return None
    return white


def _takes(item: Entity, parameter: Parameter, clause: Order) -> bool:
    if clause.implicit and any(kinds.fit(item, target.kind) <= 0 for target in clause.targets):
        return False
    whiter = parameter.attribute == "color_temp" and parameter.op in CHANGES  # else a warm or a cool colour
    white = whiter and not capability_for(item, parameter)
    return capability_for(item, Parameter("color") if white else parameter) is not None
