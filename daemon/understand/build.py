"""The tree of a whole utterance -> `Program`. Nothing here knows a language: the grammar's marks say it all."""

from __future__ import annotations

from typing import cast

from daemon.core.ir import Clause, DialogueMove, Inquiry, Lang, Order, Program, Target, Timer, Unread
from daemon.core.values import replace
from daemon.understand.build_cases import Case, with_case
from daemon.understand.build_clause import build_clause
from daemon.understand.build_leaning import (
    all_the_same,
    blown,
    completed,
    named_last,
    narrowed_last,
    of_its_setting,
    of_same_kind,
    of_those,
)
from daemon.understand.build_level import levelled, not_too, said_better, unless_said, with_warmth
from daemon.understand.build_places import beside, led
from daemon.understand.build_reach import about_asked, about_condition, after_all, halted, reach, within
from daemon.understand.build_sets import (
    but_for,
    but_the_rest,
    is_everything,
    left_alone,
    numbered_alike,
    of_the_last,
    spared_rightly,
    sparing,
    taken_back,
    tells_which,
)
from daemon.understand.build_talk import build_move
from daemon.understand.corrections import asked_further, bounded, corrected, instead, is_value, moved, refined
from daemon.understand.matchers import Node
from daemon.understand.moments import at_each_time
from daemon.understand.parts import Parts, Reading, parts_of
from daemon.understand.sequence import besides, in_order, no_hour

SURE_ENOUGH = 0.5
"""Below this a reading is not acted on without the model or the user."""


def build_program(tree: Node, reading: Reading, lang: Lang, text: str) -> Program | None:
    """The program that a tree says; None where it says nothing that can be meant."""
    clauses: list[Clause] = []
    fronts: list[bool] = []
    leads: list[bool] = []
    missing: str | None = None
    loosely = keeps = sequel = closely = same = False
    parts = parts_of(tree)
    try:
        for node in parts.all("Clause", "Move", "Next", "Unread"):
            if node.rule.startswith("Next"):
                closely, same = (parts_of(node).has(mark) for mark in ("closely", "same"))
                sequel = not same
                continue
            inner = parts_of(node)
            if not node.rule.startswith("Clause"):
                unread = node.rule == "Unread"
                clauses.append(Unread(text=reading.text(node)) if unread else build_move(inner, reading))
                fronts.append(False)
                leads.append(False)
                continue
            made = _clause(inner, reading, clauses, sequel=sequel)
            kept = inner.has("unwanted") and not clauses  # 书房那个不要了 may be of what was kept for later
            if kept or made is None or (closely and tells_which(clauses, made[-1])):
                return None
            built = unless_said(made)
            if _taken_back(inner):
                return Program((DialogueMove("cancel"),), source="grammar", lang=lang, text=text)
            further = len(built) == len(clauses) + 1
            if loosely and further and (better := said_better(built[-1], clauses[-1])) is not None:
                built = [*clauses[:-1], better]
            built = but_the_rest(built) if keeps and further else all_the_same(built) if same and further else built
            loosely, keeps = inner.has("loosely"), inner.has("keep")
            missing = missing or inner.mark("missing")
            if _asks(inner) and (asked := _valueless(built[-1])) is not None:
                missing, built = "value", [*built[:-1], asked]
            clauses = after_all(built) if sequel and len(built) > 1 else halted(built, inner)
            sequel = closely = same = False
            clauses, fronts, leads = beside(clauses, fronts, leads, inner, reading)
    except (ValueError, OverflowError):  # such as a time of day that there is not
        return None
    if not clauses:
        return None
    spared = taken_back(reach(spared_rightly(led(clauses, leads)), fronts))
    reached = at_each_time(in_order(refined(spared)))
    confidence = min([clause.confidence for clause in (*clauses, *reached)])
    return Program(
        reached,
        source="grammar",
        lang=lang,
        text=text,
        confidence=confidence,
        needs_fallback=doubtful(confidence, missing),
        missing=missing,
    )


def doubtful(confidence: float, missing: str | None) -> bool:
    """Whether a program is too doubtful to be acted on without the model or the user."""
    return missing is not None or confidence < SURE_ENOUGH


def _front(parts: Parts) -> bool:
    """Whether the condition was said before what is to be done: not in "at ten turn it off if it is on"."""
    conditions, things = parts.all("Condition"), parts.all("Target")
    return parts.has("front") and not (conditions and things and things[0].start < conditions[0].start)


def _clause(parts: Parts, reading: Reading, before: list[Clause], *, sequel: bool = False) -> list[Clause] | None:
    """The clauses so far with this one, which may correct or complete the one before; `sequel`: "and then"."""
    made = within(about_asked(build_clause(parts, reading), before), front=_front(parts), every=parts.has("every"))
    if "clause" in parts.marks.get("replace", ()):
        return _replaced(made, parts, reading, before)
    made = not_too(made, before, parts)
    made = besides(made, before) if parts.has("besides") else made
    no_hour(made, before, said=parts.has("hour"))
    if parts.has("then"):
        # "If any lights are on, all off but the lamp": it names nothing that is switched.
        bare = replace(made, targets=()) if isinstance(made, Order) and made.excluded else made
        meant = about_condition(bare, before, every=parts.has("every"))
        if meant is None:
            return None
        made = meant
    if parts.has("else"):
        led = _leaning(made, before, parts, reading, alone=False) if parts.has("again") else [*before, made]
        return with_case(led[-1], before, cast("Case", parts.mark("else"))) if led is not None else None
    if parts.has("again"):
        led = _leaning(made, before, parts, reading, alone=reading.is_afterthought(parts.node), sequel=sequel)
        return [*led[:-1], *with_warmth(led[-1], parts, reading)] if led else led
    if isinstance(made, Timer) and parts.has("tells") and not made.conditions and made.when is None:
        return _told_then(made, parts, reading, before)
    if (made.negated or parts.has("keep")) and before:
        done = sparing(made, before[-1], kept=parts.has("keep"))
        if done is not None:
            return [*before[:-1], done]
        made = left_alone(made, kept=parts.has("keep"))
    if isinstance(made, Order) and before:
        before, made = _with_the_last([*before[:-1], but_for(before[-1], made)], made, parts, reading)
    levels = levelled(made, parts, reading)
    return [*before, *levels] if levels is not None else None


def _told_then(made: Timer, parts: Parts, reading: Reading, before: list[Clause]) -> list[Clause] | None:
    """The clauses with "... and let me know": of what they wait for; what is done once is told anyway.

    What is done at seven each day is done without a word, and that cannot be changed: so it is not understood.
    """
    waiting = next((item for item in before if item.when is not None and item.when.repeating), None)
    if waiting is None:
        daily = any(item.when is not None and item.when.days and not item.when.once for item in before)
        return [*before, Unread(text=reading.text(parts.node))] if daily else before or None
    told = replace(made, conditions=waiting.conditions, condition_join=waiting.condition_join, when=waiting.when)
    return [*before, told]


def _with_the_last(before: list[Clause], made: Order, parts: Parts, reading: Reading) -> tuple[list[Clause], Order]:
    """The clauses before an order, and what it takes from the last of them."""
    last = before[-1]
    made = of_its_setting(made, last, parts)
    if not made.targets and made.parameter is not None and last.targets:
        made = replace(made, targets=(Target(reference="it", unsaid=True, confidence=reading.sure.unsaid),))
        if isinstance(last, Order):
            before = [*before[:-1], _later(last, made, parts)]
    made = replace(made, targets=of_the_last(numbered_alike(made.targets, last.targets), last))
    alike = of_same_kind(of_those(made, before, parts, reading), last, reading)
    if alike.targets != made.targets and alike.action == last.action and alike.when is None:
        alike = replace(alike, when=last.when)  # "the lamp to 40 at eight in the study, 30 in the hall"
    return before, alike


def _replaced(made: Clause, parts: Parts, reading: Reading, before: list[Clause]) -> list[Clause] | None:
    """The clauses with those that are said instead of `made`."""
    done = before
    for inner in parts.parts["Clause"]:
        fix = build_clause(parts_of(inner), reading)
        if parts_of(inner).has("again") or is_value(fix):
            better = _corrected(made, parts, fix)
            if better is None:
                return None
            made, done = better, [*before, better]
            continue
        built = _clause(parts_of(inner), reading, done)
        if built is None:
            return None
        done = built
    first = done[len(before)]
    return [*before, first if first is made else _about_same(first, made), *done[len(before) + 1 :]]


def _corrected(made: Clause, parts: Parts, fix: Clause) -> Clause | None:
    """`made`, but for what is said instead of a part of it: "..., no, half past eight"; of several parts the last one.

    None where nobody knows of which.
    """
    if (at := moved(made, fix)) is not None:
        return at
    if isinstance(fix, Order) and fix.action is None and fix.parameter is not None:
        fix = replace(fix, action="set")
    if not isinstance(made, Order | Inquiry) or fix.when is not None or fix.conditions:
        return None
    valueless = made.parameter is None or made.parameter.value is None
    if fix.parameter is not None and valueless and (made.conditions or made.when is not None):
        return bounded(made, fix.parameter)
    named = bool(fix.targets) and fix.action is None and fix.parameter is None
    if named and made.excluded and _end_of(parts, "Except") > _end_of(parts, "Target"):
        return replace(made, excluded=fix.targets)
    return corrected(made, fix)


def _end_of(parts: Parts, name: str) -> int:
    """Where the last part of a kind begins, inside of targets too."""
    inner = [node for target in parts.parts.get("Target", ()) for node in parts_of(target).parts.get(name, ())]
    return max((node.start for node in (*parts.parts.get(name, ()), *inner)), default=-1)


def _about_same(clause: Clause, before: Clause) -> Clause:
    """As "open the curtain at eight, no, close it": what was spoken of first, and then, unless another time is said."""
    if not isinstance(clause, Order | Inquiry):
        return clause
    if clause.when is None and not clause.conditions:
        clause = replace(clause, when=before.when, conditions=before.conditions, condition_join=before.condition_join)
    return replace(clause, targets=instead(before.targets, clause.targets))


def _leaning(
    made: Clause, before: list[Clause], parts: Parts, reading: Reading, *, alone: bool, sequel: bool = False
) -> list[Clause] | None:
    """The clauses with one that leans on the last of them."""
    last = before[-1] if before else None
    bare = made.action is None and made.parameter is None
    if isinstance(last, Inquiry) and (further := asked_further(last, made)) is not None:
        return [*before, further]
    others = parts.has("contrast") and last is not None and last.negated  # "don't ..., just in the hall"
    if isinstance(last, Order) and bare and (narrowed := narrowed_last(made, last)) is not None and alone > others:
        return [*before[:-1], narrowed]
    only = parts.has("contrast") and isinstance(last, Order) and not last.negated  # "the fan on, only the TV"
    only |= parts.has("share") and (last is None or last.parameter is None) and not parts.has("action")
    only |= parts.has("bare") and (last is None or last.action != "set")  # "turn on the spots, 3 in the hall"
    if not isinstance(last, Order) or last.is_scene or not isinstance(made, Order) or only:
        return None
    if parts.has("behind") and (meant := named_last(made, last, reading.sure)) is not None:
        return [*before[:-1], meant]
    all_but = bare and bool(made.excluded) and all(map(is_everything, made.targets))
    # "All but the lamp, and then the fan": nothing is spared next.
    if not sequel and (last.excluded or all_but) and (spared := _of_spared(made, last, bare=bare)) is not None:
        return [*before[:-1], *spared]
    made = completed(blown(made, before, parts), last, parts, reading)
    if bare and not last.targets:  # "22 degrees, the heater": said of one thing, whose name comes last
        said = replace(last, targets=made.targets, parameter=made.parameter, confidence=made.confidence)
        return [*before[:-1], said]
    if _off(last) and made.action == "set" and made.targets == last.targets and not _moves(made):
        return None  # "turn off the lamp and the AC to 22": what is switched off has no value, so it is no list
    if made.when is None and (parts.has("contrast") or not parts.parts.get("Target") or not parts.has("action")):
        made = replace(made, when=last.when)
    elif made.targets == last.targets and not parts.has("action"):
        last = _later(last, made, parts)
    return [*before[:-1], *(() if _says_more(made, last) else (but_for(last, made),)), made]


def _of_spared(made: Order, last: Order, *, bare: bool) -> tuple[Order, ...] | None:
    """As "all but those in the kids' room, and the hall light", "all off but the lamp, at ten percent".

    Or as "every blind shut, everything but the nursery blind".
    """
    if made.targets:
        spared = made.excluded or made.targets
        return (replace(last, excluded=(*last.excluded, *spared)),) if bare else None
    return (last, replace(made, targets=last.excluded)) if _off(last) else None


def _says_more(made: Order, last: Order) -> bool:
    """Whether a value is all that there is to do: "on at 50 percent", "open it at eight, to 75 percent"."""
    if made.action != "set" or made.parameter is None or made.when != last.when or made.targets != last.targets:
        return False
    lit = last.action == "turn_on" and made.parameter.attribute == "brightness"  # a colour switches nothing on
    return lit or (last.action == "open" and _moves(made))


def _later(last: Order, made: Order, parts: Parts) -> Order:
    """As "put the AC on, 17 degrees, please, in 5 minutes": nothing of it now."""
    if last.when is not None or made.when is None:
        return last
    said = max((child for child in parts.node.children if child.start < child.end), key=lambda node: node.start)
    return replace(last, when=made.when) if said.rule.startswith("When") else last


def _off(clause: Clause) -> bool:
    return clause.action in ("turn_off", "close")


def _moves(clause: Clause) -> bool:
    return clause.parameter is not None and clause.parameter.attribute == "position"


def _taken_back(parts: Parts) -> bool:
    """Whether a sentence ends as "... never mind"."""
    if "cancel" in parts.marks.get("replace", ()):
        return True
    inner = parts.parts.get("Clause")
    return inner is not None and any(_taken_back(parts_of(node)) for node in inner)


def _asks(parts: Parts) -> bool:
    """Whether what is said last in a sentence is to be asked about."""
    inner = parts.parts.get("Clause", ())
    return parts.has("ask") or any(_asks(parts_of(node)) for node in inner)


def _valueless(clause: Clause) -> Order | None:
    """As "make it blue, no, perhaps green, ask me": the clause less its value; None where it has none."""
    if not isinstance(clause, Order) or clause.either or clause.parameter is None:
        return None
    return replace(clause, parameter=replace(clause.parameter, value=None, unit=None))
