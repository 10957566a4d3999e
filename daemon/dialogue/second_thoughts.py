"""Edits that take the place of what was done or asked about: "no, the bedroom one", "the second one too"."""

from __future__ import annotations

from collections.abc import Mapping

from daemon.core.ir import Clause, DialogueMove, Fix, Inquiry, Op, Order, Program, Target
from daemon.core.outcomes import Outcome
from daemon.core.questions import NOTHING_SETTLED, Question, Settled
from daemon.core.values import replace
from daemon.core.vocabulary import PRONOUNS
from daemon.dialogue.dialogue import Dialogue
from daemon.dialogue.edits import CANCEL, CHANGES, OPPOSITE, UNDO, Base, Edit, Revision, base_of, edit_of
from daemon.dialogue.options import is_another, nth, recognise
from daemon.dialogue.replanned import then
from daemon.home.names import key
from daemon.home.registry import Registry
from daemon.understand.build_act import switched
from daemon.understand.corrections import MOVED, corrected, is_offered, moved

_TURNED = ("turn_on", "turn_off", "open", "close", "lock")
"""What has an opposite, which puts an end to it."""
_ANEW = 0.97
"""How sure another value is of what was just set."""


def revision(said: Clause, text: str, dialogue: Dialogue, registry: Registry, now: float) -> Revision | None:
    """The last program with what was said instead, after an undo of what it did; None where there is nothing to revise.

    Args:
        said: What was said.
        text: The same, normalized.
        dialogue: What was done before.
        registry: The home.
        now: `time.monotonic()` seconds.
    """
    before, edit = dialogue.tried or dialogue.program, edit_of(said)
    if before is None or edit is None or edit.way != "instead" or not dialogue.just_spoken(now):
        return None
    base, question = base_of(before, dialogue, registry, now), dialogue.answered
    chosen = _another_option(edit, text, question, registry)
    if chosen is not None and question is not None:
        settled = replace(question.settled.get(question.at, NOTHING_SETTLED), choices=(chosen,))
        return _in_place(question.program, base, {**question.settled, question.at: settled})
    last = base.last
    if not isinstance(last, Order | Inquiry) or not (edit.targets or edit.action):
        return None
    if isinstance(last, Inquiry) and edit.action is not None and edit.query is None and edit.order is not None:
        # "Is the iron on?" - "Oh no, off!": what was asked about is to be done something to.
        it = replace(base.them, confidence=edit.confidence)
        order = replace(edit.order, targets=edit.targets or (it,))
        return Revision(replace(before, clauses=(order,), source="dialogue", missing=None, needs_fallback=False))
    if last.is_scene and edit.targets and not any(item.mention or item.kind == "scene" for item in edit.targets):
        return None  # a scene is no other one in another room
    revised = _like_that(corrected(last, edit.said), edit, base)
    program = replace(before, clauses=(*before.clauses[:-1], revised), confidence=revised.confidence)
    if revised.targets == last.targets or isinstance(last, Inquiry) or dialogue.tried is not None:
        return Revision(replace(program, clauses=(revised,), source="dialogue"))
    return _in_place(program, base, {})


def _like_that(revised: Order | Inquiry, edit: Edit, base: Base) -> Order | Inquiry:
    """The same, of another than it was done to, where only a kind is named: "not that one, the lamp".

    Where only a place is, by the name that was said first, if something there bears it: two reading lamps.
    """
    target = edit.targets[0] if len(edit.targets) == 1 else Target()
    if target.only("kind") and target.kind not in (None, "device"):
        alone = len(base.spoken_of) == 1 and not revised.excluded
        it = Target(reference="it", confidence=target.confidence)
        return replace(revised, excluded=(it,)) if alone else revised
    name = base.last.targets[0].mention if len(base.last.targets) == 1 else None
    if name is None or len(revised.targets) != 1 or revised.targets[0].mention is not None:
        return revised
    places, registry = set(map(key, revised.targets[0].areas)), base.registry
    bearing = (item for item in registry.devices if key(name) in map(key, item.names))
    areas = (area for item in bearing if (area := registry.area_of(item.id)) is not None)
    there = any(places.intersection(map(key, area.names)) for area in areas)
    return replace(revised, targets=(replace(revised.targets[0], mention=name),)) if there else revised


def _another_option(edit: Edit, text: str, question: Question | None, registry: Registry) -> tuple[str, ...] | None:
    """The option of the question before that is named now, in place of the one that was chosen."""
    fix = edit.said
    if question is None or question.kind != "choose" or edit.action is not None or not isinstance(fix, DialogueMove):
        return None
    if fix.index is not None:
        return nth(question.options, fix.index) or None
    if any(target.reference == "other" for target in edit.targets):
        left = [item for item in question.options if item not in question.chosen]
        return (left[0],) if len(left) == 1 else None
    if any(is_another(target, question.options, registry) for target in edit.targets):
        return None
    found = recognise(fix.text or text, question.options, registry, question.kinds)
    return found if len(found) == 1 else None


def _in_place(program: Program, base: Base, settled: Mapping[int, Settled]) -> Revision:
    """The program, once what it takes the place of is taken back."""
    price = base.price()
    later = {at + len(price): item for at, item in settled.items()}
    return Revision(replace(program, clauses=(*price, *program.clauses), source="dialogue"), later)


def limited(edit: Edit, base: Base) -> tuple[Clause, ...] | None:
    """As "except the lamp", what takes that back again; as "for ten minutes", the same once more with an end.

    What has no opposite is taken back first, so that the end puts back what was before it.
    """
    last, said = base.last, edit.said
    if not isinstance(last, Order) or last.is_scene:
        return None
    if edit.way == "less" and edit.excluded:
        # "Don't turn off the lamp", after all of them; of a mere name only the one that knows names can tell.
        again = edit.action == last.action and last.when is None and edit.when is None
        taken = isinstance(said, Fix) or (isinstance(said, Order) and again)
        return (DialogueMove("undo", targets=edit.excluded),) if taken else None
    if last.when is not None:
        # Another end: the one that was kept goes, and what was done stays; what has no opposite would be put back.
        made = moved(last, said) if last.action in _TURNED else None
        return (CANCEL, made) if made is not None else None
    when = edit.when
    if not isinstance(said, DialogueMove) or said.move != "time" or len(base.program.clauses) > 1 or when is None:
        return None
    if when.duration_s is None and when.until is None:
        return None
    timed = replace(last, when=when, conditions=())
    return (timed,) if last.action in _TURNED else (UNDO, timed)


def set_before(edit: Edit, base: Base) -> tuple[Clause, ...]:
    """What was set of the same in the same breath, as the last of it: "the same for the other lamp" is all of that."""
    last, fix = base.last, edit.said
    if not isinstance(fix, Fix) or not fix.targets or edit.action or edit.parameter or edit.query or base.kept:
        return ()
    pointed = all(item.reference in PRONOUNS for item in last.targets)
    these = [item for item in base.program.clauses[:-1] if isinstance(item, Order) and item.parameter is not None]
    alike = [item for item in these if (pointed or item.targets == last.targets) and item.action == last.action]
    return tuple(replace(corrected(item, fix), excluded=edit.excluded) for item in alike)


def back(edit: Edit, base: Base) -> Order | None:
    """As "back a bit", so much the other way than it was just changed; None where it was not, or both ways."""
    ways = {way_of(item) for item in base.outcomes if item.sent}
    way, attribute = ways.pop() if len(ways) == 1 else (None, "")
    if way is None or edit.parameter is None or not isinstance(base.last, Order):
        return None
    before = base.last.parameter
    known = before.attribute if before is not None else "position" if attribute == "state" else None
    if known is None:
        return None
    back = replace(edit.parameter, attribute=known, op=OPPOSITE[way])
    return Order(CHANGES[back.op], (base.them,), parameter=back)


def way_of(outcome: Outcome) -> tuple[Op | None, str]:
    """Which way an attribute was changed, as far as that can be told."""
    write = outcome.write
    seen = next((item.value for item in outcome.before if item.attribute == write.attribute), None)
    was, now = write.before if write.before is not None else seen, write.value
    if write.action in MOVED and write.attribute == "state":
        return MOVED[write.action], "state"
    if not isinstance(was, int | float) or not isinstance(now, int | float) or was == now:
        return None, write.attribute
    return "increase" if now > was else "decrease", write.attribute


def anew(said: Program, dialogue: Dialogue, now: float) -> Program:
    """As a guess at "purple, she wants purple" right after the lamp was set to pink: that is no guess any more."""
    said = then(said, dialogue, now)
    last = dialogue.program.clauses[-1] if dialogue.program is not None and dialogue.just_acted(now) else None
    edit = edit_of(said.sole) if said.sole is not None and said.source == "model" else None
    if edit is None or edit.order is None or last is None or last.parameter is None or last.when is not None:
        return said
    value, first, order = edit.parameter, last.parameter, edit.order
    bare = edit.fills("action", "parameter") and edit.action == last.action == "set" and not order.conditions
    if (
        not bare
        or value is None
        or (value.attribute, value.op) != (first.attribute, "set")
        or value.value == first.value
    ):
        return said
    them = Target(reference="them" if len(dialogue.last) > 1 else "it")
    sure = replace(order, targets=(them,), implicit=False, confidence=_ANEW)
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
    chosen = nth(question.options, wanted[0])
    if not chosen:
        return None
    clause = question.clause
    if isinstance(clause, Order) and wish.action is not None and wish.action != clause.action:
        clause = switched(replace(clause, action=wish.action, parameter=wish.parameter))
    return Revision(replace(question.program, clauses=(clause,), source="dialogue"), {0: Settled(meant=chosen)})


def answer_instead(question: Question, fix: Clause) -> Program | None:
    """What is asked about, with what was said instead: "did you mean the lamp?" - "no, the fan"."""
    asked = question.clause
    if not isinstance(asked, Order | Inquiry) or not (fix.targets or fix.action):
        return None
    revised = corrected(asked, fix)
    if isinstance(revised, Order) and question.kind == "confirm":
        revised = replace(revised, implicit=False, confidence=fix.confidence)  # who says of what, wants it
    program = question.with_clause(revised)
    return replace(program, confidence=min(clause.confidence for clause in program.clauses))
