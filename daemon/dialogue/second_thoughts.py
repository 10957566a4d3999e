"""What is to be done where somebody has second thoughts about what was just done: "no, the bedroom one", "cancel"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from daemon.act.planner import undo
from daemon.core.ir import (
    AboutList,
    Clause,
    DialogueMove,
    Fix,
    Inquiry,
    Op,
    Order,
    Parameter,
    Program,
    Target,
)
from daemon.core.outcomes import Outcome
from daemon.core.questions import NOTHING_SETTLED, Question, Settled
from daemon.core.values import replace
from daemon.dialogue.dialogue import Dialogue
from daemon.dialogue.options import is_another, recognise
from daemon.home.names import key
from daemon.home.registry import Registry
from daemon.understand.build_act import switched
from daemon.understand.corrections import corrected, is_offered, moved
from daemon.understand.sequence import in_order

_UNDO = DialogueMove("undo")
_ANEW = 0.97
"""How sure another value is of what was just set."""
_TURNED = ("turn_on", "turn_off", "open", "close", "lock")
"""What has an opposite, which puts an end to it."""
_IT = frozenset({"it", "that", "them"})
_MOVED: Mapping[str, Op] = {"open": "increase", "close": "decrease"}


@dataclass(frozen=True, slots=True)
class Revision:
    """What is to be done instead; nothing of it is done unless all of it can be."""

    program: Program
    settled: Mapping[int, Settled] = field(default_factory=dict, hash=False)


def revision(said: Program, text: str, dialogue: Dialogue, registry: Registry, now: float) -> Revision | None:
    """The last program with what was said instead, after an undo of what it did; None where there is nothing to revise.

    Args:
        said: What was understood: one clause, the move `correct`.
        text: What was said, normalized.
        dialogue: What was done before.
        registry: The home.
        now: `time.monotonic()` seconds.
    """
    before = dialogue.tried or dialogue.program
    fix = said.clauses[0]
    if before is None or not dialogue.just_spoken(now) or not isinstance(fix, Fix):
        return None
    if (
        chosen := _another_option(fix, text, dialogue.answered, registry)
    ) is not None and dialogue.answered is not None:
        question = dialogue.answered
        settled = replace(question.settled.get(question.at, NOTHING_SETTLED), choices=(chosen,))
        return _after_undo(question.program, dialogue, registry, {**question.settled, question.at: settled})
    last = before.clauses[-1]
    if not isinstance(last, Order | Inquiry) or not (fix.targets or fix.action):
        return None
    if isinstance(last, Inquiry) and fix.action is not None and fix.query is None:
        # "Is the iron on?" - "Oh no, off!": what was asked about is to be done something to.
        it = Target(reference="them" if len(dialogue.last) > 1 else "it", confidence=fix.confidence)
        order = replace(fix.order(), targets=fix.targets or (it,))
        return Revision(replace(said, clauses=(order,), source="dialogue", missing=None, needs_fallback=False))
    if last.is_scene and fix.targets and not any(item.mention or item.kind == "scene" for item in fix.targets):
        return None  # a scene is no other one in another room
    revised = _called_so(_of_another(corrected(last, fix), fix, dialogue.last), last, registry)
    program = replace(before, clauses=(*before.clauses[:-1], revised), source="dialogue", confidence=revised.confidence)
    if revised.targets == last.targets or isinstance(last, Inquiry) or dialogue.tried is not None:
        return Revision(replace(program, clauses=(revised,)))
    return _after_undo(program, dialogue, registry, {})


def _called_so(revised: Order | Inquiry, last: Order | Inquiry, registry: Registry) -> Order | Inquiry:
    """The same by the name that was said first, where something in the other place bears it: two reading lamps."""
    name = last.targets[0].mention if len(last.targets) == 1 else None
    if name is None or len(revised.targets) != 1 or revised.targets[0].mention is not None:
        return revised
    target = revised.targets[0]
    places = set(map(key, target.areas))
    bearing = (item for item in registry.devices if key(name) in map(key, item.names))
    areas = (area for item in bearing if (area := registry.area_of(item.id)) is not None)
    there = any(places.intersection(map(key, area.names)) for area in areas)
    return replace(revised, targets=(replace(target, mention=name),)) if there else revised


def _of_another(revised: Order | Inquiry, fix: Fix, done: Sequence[str]) -> Order | Inquiry:
    """The same, of another than it was done to, where only a kind is named: "not that one, the lamp"."""
    kind = fix.targets[0] if len(fix.targets) == 1 else Target()
    plain = replace(kind, kind=None, confidence=1.0) == Target() and kind.kind not in (None, "device")
    if not plain or len(done) != 1 or revised.excluded:
        return revised
    return replace(revised, excluded=(Target(reference="it", confidence=kind.confidence),))


def the_one_there(
    readings: Sequence[Program], named: Sequence[Target], dialogue: Dialogue, registry: Registry, now: float
) -> Revision | None:
    """As "the study one", and nothing more, right after an act: it was done to another than was meant.

    Args:
        readings: Of what was said.
        named: What that names.
        dialogue: What was done before.
        registry: The home.
        now: `time.monotonic()` seconds.
    """
    move = readings[0].clauses[0] if readings else None
    if not isinstance(move, DialogueMove) or move.move != "select" or len(named) != 1 or not dialogue.just_acted(now):
        return None
    if replace(named[0], areas=(), confidence=1.0) != Target(kind="device") or not named[0].areas:
        return None
    text = readings[0].text
    fix = Fix("correct", text=text, targets=tuple(named))
    return revision(replace(readings[0], clauses=(fix,)), text, dialogue, registry, now)


def then(said: Program, dialogue: Dialogue, now: float) -> Program:
    """The same; "and stop it at five" comes after what was just planned: half past midnight."""
    planned, wish = dialogue.just_planned(now), said.clauses[0]
    if planned is None or not isinstance(wish, Order) or any(item.reference not in _IT for item in wish.targets):
        return said
    timed = len(said.clauses) == 1 and wish.when is not None and wish.when.twelve
    return replace(said, clauses=in_order((planned.clauses[-1], wish))[-1:]) if timed else said


def anew(said: Program, dialogue: Dialogue, now: float) -> Program:
    """As a guess at "purple, she wants purple" right after the lamp was set to pink: that is no guess any more.

    "Is that a lot" is about what was just asked for.
    """
    said = then(said, dialogue, now)
    before = dialogue.program
    clause, last = said.clauses[0], before.clauses[-1] if before is not None else None
    if isinstance(clause, Inquiry) and clause.query == "usual" and clause.parameter is None:
        if not isinstance(last, Inquiry) or last.parameter is None:
            return said
        asked = replace(clause, parameter=Parameter(last.parameter.attribute))
        return replace(said, clauses=(asked,))
    if len(said.clauses) > 1 or not isinstance(clause, Order) or not isinstance(last, Order):
        return said
    value, first = clause.parameter, last.parameter
    bare = clause.action == last.action == "set" and not (clause.targets or clause.when or clause.conditions)
    if not bare or not dialogue.just_acted(now) or value is None or first is None or last.when is not None:
        return said
    if said.source != "model" or value.attribute != first.attribute or value.op != "set" or value.value == first.value:
        return said
    them = Target(reference="them" if len(dialogue.last) > 1 else "it")
    sure = replace(clause, targets=(them,), implicit=False, confidence=_ANEW)
    return replace(said, clauses=(sure,), source="dialogue", confidence=_ANEW, needs_fallback=False)


def another_too(said: Program, dialogue: Dialogue, now: float) -> Revision | None:
    """The last program of another of the options that were offered, as "the second one too", 第四个也打开.

    Args:
        said: What was understood: one clause, the move `follow`.
        dialogue: What was done before.
        now: `time.monotonic()` seconds.
    """
    question, wish = dialogue.answered, said.clauses[0]
    wanted = [target.ordinal for target in wish.targets if is_offered(target)]
    if question is None or question.kind != "choose" or not dialogue.just_spoken(now) or len(wanted) != 1:
        return None
    place = wanted[0] or 0
    if not -1 <= place <= len(question.options) or place == 0:
        return None
    clause = question.clause
    if isinstance(clause, Order) and wish.action is not None and wish.action != clause.action:
        clause = switched(replace(clause, action=wish.action, parameter=wish.parameter))
    chosen = question.options[place - 1 if place > 0 else place]
    return Revision(replace(question.program, clauses=(clause,), source="dialogue"), {0: Settled(meant=(chosen,))})


def listed_too(said: Sequence[Program], dialogue: Dialogue, now: float) -> Revision | None:
    """As "and butter" right after something of a list: the same with that; None where it is nothing of the sort.

    What is to go for something else, as people say it of whatever they have, goes from there: 牛奶不要了，换成豆浆.
    """
    last = dialogue.program.clauses[-1] if dialogue.program is not None and dialogue.just_spoken(now) else None
    if not isinstance(last, AboutList) or not last.items:
        return None
    for program in said:
        also = program.clauses[0]
        swap = [replace(item, implicit=False) for item in program.clauses if isinstance(item, AboutList)]
        if isinstance(also, AboutList) and (also.elliptic or (also.implicit and len(swap) == len(program.clauses) > 1)):
            clauses = (replace(last, items=also.items),) if also.elliptic else tuple(swap)
            return Revision(replace(program, clauses=clauses, source="dialogue", confidence=1.0, needs_fallback=False))
    return None


def back(fix: Fix, last: Clause, outcomes: Sequence[Outcome]) -> Order | None:
    """As "back a bit", so much the other way than it was just changed; None where it was not, or both ways."""
    ways = {_way(item) for item in outcomes if item.sent}
    way, attribute = ways.pop() if len(ways) == 1 else (None, "")
    if way is None or fix.parameter is None or not isinstance(last, Order):
        return None
    op: Literal["increase", "decrease"] = "decrease" if way == "increase" else "increase"
    known = last.parameter.attribute if last.parameter is not None else "position" if attribute == "state" else None
    return Order(op, parameter=replace(fix.parameter, attribute=known, op=op)) if known is not None else None


def as_it_moved(done: Program, outcomes: Sequence[Outcome]) -> Program:
    """What was done; of a position that was set, the way that it went: "a bit more" after "close it half way"."""
    last, ways = done.clauses[-1], {_way(item) for item in outcomes if item.sent}
    if not isinstance(last, Order) or last.parameter is None or ways != {("decrease", "position")}:
        return done
    if (last.parameter.attribute, last.parameter.op) != ("position", "set"):
        return done
    shut = replace(last, parameter=replace(last.parameter, op="decrease"))
    return replace(done, clauses=(*done.clauses[:-1], shut))


def _way(outcome: Outcome) -> tuple[Op | None, str]:
    """Which way an attribute was changed, as far as that can be told."""
    write = outcome.write
    seen = next((item.value for item in outcome.before if item.attribute == write.attribute), None)
    was, now = write.before if write.before is not None else seen, write.value
    if write.action in _MOVED and write.attribute == "state":
        return _MOVED[write.action], "state"
    if not isinstance(was, int | float) or not isinstance(now, int | float) or was == now:
        return None, write.attribute
    return "increase" if now > was else "decrease", write.attribute


def less_or_shorter(clause: Clause, before: Program) -> tuple[Clause, ...] | None:
    """As "except the lamp", what takes that back again; as "for ten minutes", the same once more with an end.

    What has no opposite is taken back first, so that the end puts back what was before it.
    """
    last = before.clauses[-1]
    if not isinstance(last, Order) or last.is_scene:
        return None
    if isinstance(clause, Order) and clause.negated and clause.targets:  # "don't turn off the lamp", after all of them
        same = clause.action == last.action and last.when is None and clause.when is None
        return (DialogueMove("undo", targets=clause.targets),) if same else None
    if not isinstance(clause, DialogueMove):
        made = moved(last, clause) if last.when is not None and last.action in _TURNED else None
        return (DialogueMove("cancel"), made) if made is not None else None
    if clause.move == "follow" and clause.excluded and not (clause.targets or clause.action):
        return (DialogueMove("undo", targets=clause.excluded),)
    if len(before.clauses) > 1:
        return None
    if last.when is not None:
        # Another end: the one that was kept goes, and what was done stays; what has no opposite would be put back.
        made = moved(last, clause) if last.action in _TURNED else None
        return (DialogueMove("cancel"), made) if made is not None else None
    when = clause.when
    if clause.move != "time" or when is None or (when.duration_s is None and when.until is None):
        return None
    timed = replace(last, when=when, conditions=())
    return (timed,) if last.action in _TURNED else (DialogueMove("undo"), timed)


def answer_instead(question: Question, said: Program) -> Program | None:
    """What is asked about, with what was said instead: "did you mean the lamp?" - "no, the fan"."""
    fix, asked = said.clauses[0], question.clause
    if not isinstance(asked, Order | Inquiry) or not (fix.targets or fix.action):
        return None
    revised = corrected(asked, fix)
    if isinstance(revised, Order) and question.kind == "confirm":
        revised = replace(revised, implicit=False, confidence=fix.confidence)  # who says of what, wants it
    clauses = (*question.program.clauses[: question.at], revised, *question.program.clauses[question.at + 1 :])
    confidence = min(clause.confidence for clause in clauses)
    return replace(
        question.program, clauses=clauses, source="dialogue", confidence=confidence, missing=None, needs_fallback=False
    )


def _another_option(fix: Fix, text: str, question: Question | None, registry: Registry) -> tuple[str, ...] | None:
    """The option of the question before that is named now, in place of the one that was chosen."""
    if question is None or question.kind != "choose" or fix.action is not None:
        return None
    if fix.index is not None:
        place = fix.index - 1 if fix.index > 0 else -1
        return (question.options[place],) if place < len(question.options) else None
    if any(target.reference == "other" for target in fix.targets):
        left = [item for item in question.options if item not in question.chosen]
        return (left[0],) if len(left) == 1 else None
    if any(is_another(target, question.options, registry) for target in fix.targets):
        return None
    found = recognise(fix.text or text, question.options, registry, question.kinds)
    return found if len(found) == 1 else None


def _after_undo(program: Program, dialogue: Dialogue, registry: Registry, settled: Mapping[int, Settled]) -> Revision:
    """The program after an undo, where there is something to undo that may be undone unasked."""
    back = undo(dialogue.outcomes, registry) if dialogue.undoable else None
    if back is None or not back.writes or back.risky:
        return Revision(replace(program, source="dialogue"), settled)
    clauses = (_UNDO, *program.clauses)
    return Revision(
        replace(program, clauses=clauses, source="dialogue"), {place + 1: item for place, item in settled.items()}
    )
