"""Utterances that go on from what was just done or asked: "and the hall light too", "a bit more", "too bright"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from daemon.act.palette import COLORS
from daemon.core.entities import Entity
from daemon.core.ir import Action, Attribute, Clause, DialogueMove, Fix, Inquiry, Op, Order, Parameter, Program, Target
from daemon.core.values import replace
from daemon.dialogue.asked import UNSAID, goes_on, gone_on, more_of, pronoun, wished
from daemon.dialogue.dialogue import Dialogue
from daemon.dialogue.of_setting import of_the_setting
from daemon.dialogue.second_thoughts import as_it_moved, back, less_or_shorter
from daemon.home import kinds
from daemon.home.actions import capability_for, member_for
from daemon.home.registry import Registry
from daemon.resolve.request import toned
from daemon.understand.build_act import switched
from daemon.understand.corrections import asked_of, corrected, is_offered, is_step
from daemon.understand.sequence import in_order

_OPPOSITE: dict[Op, Op] = {"increase": "decrease", "decrease": "increase"}
_CHANGES: dict[Op, Action] = {"increase": "increase", "decrease": "decrease"}
_BEGINS = ("turn_on", "open", "start", "resume")
_MOVED: dict[Action | None, Op] = {"open": "increase", "close": "decrease"}
_NAMED = frozenset({"color", "media", "source", "mode", "preset"})
"""What is no quantity where it was set by a word."""


def continued(said: Program, dialogue: Dialogue, registry: Registry, now: float) -> Program | None:
    """What is to be done or told, where this says so only together with what was said just before; else None.

    Args:
        said: What was understood.
        dialogue: What was done or asked before.
        registry: The home.
        now: `time.monotonic()` seconds.
    """
    if len(said.clauses) != 1:
        return _continued_together(said, dialogue, registry, now)
    if timers := goes_on(said.clauses[0], dialogue.just_timed(now)):
        return replace(_program(said, timers[0]), clauses=timers)
    return _continued(said, said.clauses[0], dialogue, registry, now)


def _continued(said: Program, clause: Clause, dialogue: Dialogue, registry: Registry, now: float) -> Program | None:
    """The same, of one clause about things in the home."""
    follows = clause.move == "follow" or is_step(clause) if isinstance(clause, Fix) else _is_elliptic(clause)
    kept = dialogue.just_planned(now)
    planned = kept if follows else None
    before = planned or dialogue.program or kept
    if before is None or not (kept or dialogue.just_spoken(now)):
        return None
    last = before.clauses[-1]
    spoken_of = [registry[item] for item in dialogue.last if item in registry]
    if not planned and dialogue.just_acted(now) and (more := less_or_shorter(clause, before)):
        return replace(_program(said, more[0]), clauses=more)
    if isinstance(clause, DialogueMove) and isinstance(last, Inquiry):
        clause = wished(clause, last)
    if (there := gone_on(clause, last, spoken_of)) is not None:
        return _program(said, there)
    same = of_the_setting(clause, last) if spoken_of and not planned else None
    if same is not None and _is_able(same, spoken_of):
        return _program(said, replace(same, targets=(pronoun(spoken_of),)))
    if isinstance(clause, Fix) and clause.move == "back":
        gone = back(clause, last, dialogue.outcomes) if spoken_of and dialogue.just_acted(now) else None
        return _program(said, replace(gone, targets=(pronoun(spoken_of),))) if gone is not None else None
    if isinstance(clause, Fix) and follows:
        made = _also_later(clause, last) if planned else _also_now(clause, before, spoken_of)
        return _program(said, made) if made is not None else None
    if isinstance(clause, DialogueMove) and clause.move == "value" and isinstance(last, Order):
        clause = _valued(clause, last)
    if kept is not None and not planned:
        return _set_then(said, clause, kept.clauses[-1], spoken_of)
    moved = before if planned else as_it_moved(before, dialogue.outcomes)
    made = _changed_or_set(clause, moved, spoken_of) if spoken_of else None
    made = made if planned is None or made is None else _at_its_hour(made, last)
    return _program(said, replace(made, targets=(pronoun(spoken_of),))) if made is not None else None


def _at_its_hour(made: Order, planned: Clause) -> Order:
    """What is said after what was planned: in the evening, too, and on each day."""
    after = next(islice(in_order((planned, replace(made, targets=planned.targets))), 1, None), made)
    return after if isinstance(after, Order) else made


def _also_now(fix: Fix, before: Program, spoken_of: Sequence[Entity]) -> Clause | None:
    return _step(fix, before, spoken_of) if is_step(fix) else _also(fix, before.clauses[-1])


def _continued_together(said: Program, dialogue: Dialogue, registry: Registry, now: float) -> Program | None:
    """As "a bit dimmer and warmer", of what was spoken of; all of it is asked about where that cannot do all of it."""
    if any(item.parameter is None or item.parameter.op not in _CHANGES or item.targets for item in said.clauses):
        return None
    each = [continued(replace(said, clauses=(item,)), dialogue, registry, now) for item in said.clauses]
    if not any(each):
        return None
    whole = all(each)
    made = [
        replace(clause, implicit=not whole) if isinstance(clause, Order) else clause
        for item, found in zip(said.clauses, each, strict=True)
        for clause in (found.clauses if found is not None else (item,))
    ]
    return replace(_program(said, made[0]), clauses=tuple(made))


def _changed_or_set(clause: Clause, before: Program, spoken_of: Sequence[Entity]) -> Order | None:
    """What is to be done to what was spoken of, which was left out: "22 degrees", "a bit more", 关了吧."""
    last = before.clauses[-1]
    made = _unsaid(clause, spoken_of)
    if made is not None and _is_able(made, spoken_of):
        return made
    if not isinstance(clause, Order) or clause.parameter is None or not _unnamed(clause, last):
        return None
    return _whiter(clause, clause.parameter, spoken_of) or _more(clause, clause.parameter, before, spoken_of)


def _step(fix: Fix, before: Program, spoken_of: Sequence[Entity]) -> Order | None:
    """As "ten more", so much of what was changed or asked about; as "another one", the next song once more."""
    last, amount = before.clauses[-1], fix.parameter
    if not spoken_of or amount is None:
        return None
    if isinstance(last, Order) and last.action in ("next", "previous"):
        return replace(last, targets=(pronoun(spoken_of),))
    made = _more(fix.order(), amount, before, spoken_of) if last.parameter is not None else None
    return replace(made, targets=(pronoun(spoken_of),)) if made is not None else None


def asked_anew(said: Program) -> Program:
    """As "what about the hall light?" where nothing was asked before: how it is. Anything else stays as it is."""
    clause = said.clauses[0]
    asks = isinstance(clause, Fix) and clause.move == "follow" and (clause.query == "value" or clause.targets)
    # "Which ones?" - and nobody knows of what.
    return _program(said, clause.inquiry()) if isinstance(clause, Fix) and asks and clause.query else said


def _also(fix: Fix, last: Clause) -> Clause | None:
    """The last clause for other targets, or another verb for the same."""
    if any(is_offered(target) for target in fix.targets) or not isinstance(last, Order | Inquiry) or last.is_scene:
        return None  # of what was asked about before, which is not told here
    if fix.action is not None:
        if any(target.areas or target.floors for target in fix.targets):
            # 卧室的也关了: of the bedroom, what was spoken of
            made = corrected(last, fix)
            order = made if isinstance(made, Order) else Order(fix.action, made.targets, parameter=made.parameter)
            return switched(replace(order, excluded=(), confidence=made.confidence))
        return fix.order()
    if fix.query and not fix.targets and isinstance(last, Inquiry):
        return more_of(last, fix)
    if not fix.targets or (fix.query and not isinstance(last, Inquiry)):
        return None  # "what about the hall light?" after an act may be a question or a wish
    if fix.query and isinstance(last, Inquiry):
        made = asked_of(last, fix)
        return replace(made, query=fix.query) if fix.query in ("which", "count") else made
    return replace(corrected(last, fix), excluded=fix.excluded)


def _also_later(fix: Fix, last: Clause) -> Clause | None:
    """What was kept for later, at the same time for other targets: "and the hall light too"."""
    if fix.query is not None or fix.action is not None or fix.excluded or not fix.targets:
        return None
    if not isinstance(last, Order) or last.is_scene or last.when is None:
        return None
    return replace(corrected(last, fix), excluded=())


def _set_then(said: Program, clause: Clause, last: Clause, spoken_of: Sequence[Entity]) -> Program | None:
    """As "22 degrees" after what is to be switched on later: that is set then as well, and not now."""
    made = _unsaid(clause, spoken_of) if spoken_of and isinstance(last, Order) and last.action in _BEGINS else None
    if made is None or not isinstance(last, Order) or made.when or made.parameter is None:
        return None
    if not _is_able(made, spoken_of):
        return None
    then = replace(made, targets=last.targets, excluded=last.excluded, conditions=last.conditions, when=last.when)
    return _program(said, replace(then, condition_join=last.condition_join))


def _valued(move: DialogueMove, last: Order) -> Clause:
    """As "halfway", "40 percent", the value of what was set; a bare number may be of anything."""
    before = last.parameter.attribute if last.parameter is not None else "position" if last.action in _MOVED else None
    if before is None or move.unit is None or not isinstance(move.value, int | float):
        return move
    share = move.unit == "fraction"
    value = move.value * 100 if share else move.value
    return Order("set", parameter=Parameter(before, "set", value, "%" if share else move.unit))


def _unsaid(clause: Clause, spoken_of: Sequence[Entity]) -> Order | None:
    """The clause where only what it is done to was left out: 关了吧, "40 percent" of what was switched on.

    None where not all that was spoken of can do it, or where there is nothing that it could be but for its value.
    """
    if isinstance(clause, Order) and clause.action is not None and _is_elliptic(clause):
        able = all(member_for(item, clause.action) is not None for item in spoken_of)
        return replace(clause, elliptic=False) if able else None
    match clause:
        case DialogueMove(move="value", value=float(value), unit=unit):
            wish = Order("set", parameter=Parameter("value", value=value, unit=unit), confidence=clause.confidence)
        case DialogueMove(move="value", value=str(value), unit=None) if value in COLORS:
            wish = Order("set", parameter=Parameter("color", value=value), confidence=clause.confidence)
        case Order(action="set", targets=(), implicit=False):
            wish = clause
        case _:
            return None
    parameter = wish.parameter
    if parameter is None or (parameter.op not in ("max", "min") and (parameter.value is None or parameter.op != "set")):
        return None
    if parameter.attribute == "value" and parameter.unit is None:
        # A bare number is about nothing else than degrees where there is a thermostat.
        parameter = replace(parameter, attribute="temperature")
    return replace(wish, parameter=parameter)


def _is_elliptic(clause: Clause) -> bool:
    return isinstance(clause, Order) and clause.elliptic and clause.action is not None and not clause.targets


def _is_able(order: Order, spoken_of: Sequence[Entity]) -> bool:
    """Whether all that was spoken of has what is to be set, or is a lamp without colour: then that is told of it."""
    said = order.parameter
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
    moved = last.action in _MOVED and parameter.attribute == "position"
    if parameter.op not in _CHANGES and not (alike or moved):
        return False
    if clause.implicit:
        return all(replace(item, kind=None, confidence=1.0) == Target(quantifier="all") for item in clause.targets)
    return not clause.targets


def _changed(parameter: Parameter, last: Clause, *, said_so: bool) -> Parameter | None:
    """What is changed, and which way: "more" is more of what was done, also of less; "up" is up.

    None where a lamp and a thermostat would understand it differently.

    Args:
        parameter: As said.
        last: What was done.
        said_so: Whether that was a whole command: "more" after "less" takes it back.
    """
    before = last.parameter
    if parameter.attribute == "temperature" and before is not None and before.attribute == "color_temp":
        return None
    if parameter.attribute != "value":
        return parameter
    if before is not None and before.attribute in _NAMED and isinstance(before.value, str):
        before = None  # of a title there is no more: of what plays it
    attribute: Attribute = before.attribute if before is not None else "value"
    op = before.op if before is not None else _MOVED.get(last.action)
    if last.action in _MOVED and before is None:
        attribute = "position"
    less = op == "decrease" and parameter.op == "increase" and (said_so or parameter.value is not None)
    less = less and parameter.toward is None
    return replace(parameter, attribute=attribute, op=_OPPOSITE[parameter.op] if less else parameter.op, toward=None)


def _more(clause: Order, parameter: Parameter, before: Program, spoken_of: Sequence[Entity]) -> Order | None:
    """More, or less, of what was done; None where what was spoken of cannot do that."""
    last = before.clauses[-1]
    changed = _changed(parameter, last, said_so=before.source == "grammar")
    if changed is None or not all(_takes(item, changed, clause) for item in spoken_of):
        return None
    made = replace(clause, action=_CHANGES.get(changed.op, clause.action), parameter=changed)
    # As "still too bright", of what was lit just now: nobody needs to ask what is wanted.
    of_that = last.parameter.attribute == changed.attribute if last.parameter else changed.attribute != "temperature"
    plain = clause.implicit and isinstance(last, Order) and of_that
    return replace(made, implicit=False, confidence=UNSAID) if plain else made


def _whiter(clause: Order, parameter: Parameter, spoken_of: Sequence[Entity]) -> Order | None:
    """As "warmer" after a lamp was switched on: its white, or the air, so it is asked. None where it is no lamp."""
    if parameter.attribute != "temperature" or parameter.op not in _CHANGES or clause.implicit:
        return None
    white = replace(toned(clause, parameter), implicit=True)
    tone = white.parameter
    if tone is None or any(capability_for(item, parameter) or not capability_for(item, tone) for item in spoken_of):
        return None
    return white


def _takes(item: Entity, parameter: Parameter, clause: Order) -> bool:
    if clause.implicit and any(kinds.fit(item, target.kind) <= 0 for target in clause.targets):
        return False
    whiter = parameter.attribute == "color_temp" and parameter.op in _CHANGES  # else a warm or a cool colour
    return (
        capability_for(item, Parameter("color") if whiter and not capability_for(item, parameter) else parameter)
        is not None
    )


def _program(said: Program, clause: Clause) -> Program:
    return replace(
        said,
        clauses=(clause,),
        source="dialogue",
        confidence=min(clause.confidence, said.confidence) if clause.implicit else clause.confidence,
        missing=None,
        needs_fallback=False,
    )
