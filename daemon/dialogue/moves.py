"""What a remark about the talk ("yes", "the second one", "whichever") means as the answer to a question.

Where something is at stake, a yes is one that can mean nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from daemon.core.ir import (
    Clause,
    DialogueMove,
    Fix,
    Inquiry,
    Move,
    Order,
    Parameter,
    Program,
    Target,
    Timer,
    When,
)
from daemon.core.questions import FORBIDDEN, NEAREST, Answer, Question
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.dialogue.options import is_another, nth, recognise
from daemon.dialogue.second_thoughts import answer_instead
from daemon.home import kinds
from daemon.home.actions import direction, is_risky
from daemon.home.names import has_han, key
from daemon.home.registry import Registry
from daemon.understand.moments import as_time, completed, told

_WHATEVER_IS_ASKED: dict[Move, Answer] = {
    "cancel": Answer("cancel"),
    "stop": Answer("cancel"),
    "leave": Answer("cancel"),
    "neither": Answer("cancel"),
    "wait": Answer("wait"),
}
"""Remarks that mean the same whatever was asked."""
_PAIR = 2


def from_move(question: Question, move: DialogueMove, registry: Registry) -> Answer | None:
    """The answer that a move gives; None where it does not fit the question."""
    if move.move in _WHATEVER_IS_ASKED:
        return _WHATEVER_IS_ASKED[move.move]
    match move.move:
        case "repeat" if move.text is None:
            return Answer("again")
        case "enough" if question.kind != "rest":
            return Answer("cancel")  # "nothing", to "turn on what?"
        case "value" if question.takes_value:
            return filled(question, move)
        case _:
            return _of_kind(question, move, registry)


def _of_kind(question: Question, move: DialogueMove, registry: Registry) -> Answer | None:
    match question.kind:
        case "choose":
            return _choosing(question, move, registry)
        case "confirm":
            return _confirming(question, move) or _only_there(question, move, registry)
        case "rest" if move.move in ("no", "neither", "enough"):
            return _nothing_more(question)
        case "when" | "half" | "length" if (said := move.when or as_time(move)) is not None:
            return timed(question, said)
        case _:
            return Answer("cancel") if move.move == "no" else None


def from_correction(question: Question, said: Program, move: DialogueMove, text: str, registry: Registry) -> Answer:
    """As "no, the second one", an option of the question; as "no, the fan", another thing than was asked about."""
    others = any(is_another(target, question.options, registry) for target in said.clauses[0].targets)
    if question.kind == "choose" and not others:
        named = recognise(move.text or text, question.options, registry, question.kinds)
        chosen = _selected(question, move, registry) or (Answer("chosen", named) if len(named) == 1 else None)
        if (chosen := chosen or _among(question, said.clauses[0].targets, registry)) is not None:
            return chosen
    whole = answer_instead(question, said.clauses[0])
    return Answer("target", program=whole) if whole is not None else Answer("misheard")


def _among(question: Question, targets: Sequence[Target], registry: Registry) -> Answer | None:
    """The options that are called so, or are of such a kind: "not that one, the lamp" is still one of them."""
    found: dict[str, None] = {}
    for target in targets:
        if target.mention is not None:
            found |= dict.fromkeys(recognise(target.mention, question.options, registry, question.kinds))
        elif target.kind is not None and not (target.areas or target.floors):
            found |= dict.fromkeys(item for item in question.options if kinds.belongs(registry[item], target.kind))
    if not found or len(found) == len(question.options):
        return None
    return Answer("chosen" if len(found) == 1 else "narrowed", tuple(found))


def filled(question: Question, move: DialogueMove) -> Answer:
    """The clause that was asked about with the value of a move; every clause with a bound that was asked about."""
    if question.program.missing in ("above", "below"):
        bounded = tuple(_bounded(clause, move) for clause in question.program.clauses)
        done = replace(question.program, clauses=bounded, source="dialogue", missing=None, needs_fallback=False)
        return Answer("value", program=done) if isinstance(move.value, float) else Answer("misheard")
    clause = question.clause
    if not isinstance(clause, Order | Inquiry):
        return Answer("misheard")
    parameter = clause.parameter or Parameter("value")
    if question.reason == NEAREST:
        parameter = replace(parameter, op="set", unit=None)  # whatever was offered, this is said instead of it
    complete = replace(clause, parameter=replace(parameter, value=move.value, unit=move.unit or parameter.unit))
    return Answer("value", program=question.with_clause(complete))


def _bounded(clause: Clause, move: DialogueMove) -> Clause:
    """As "if it's hot", with how hot."""
    conditions = tuple(
        replace(item, value=move.value, unit=move.unit)
        if item.value is None and item.comparator in ("gt", "lt")
        else item
        for item in clause.conditions
    )
    return replace(clause, conditions=conditions)


def timed(question: Question, said: When) -> Answer | None:
    """The clause that was asked about with its time, or its length; None where that is not what was said."""
    clause = question.clause
    if question.kind == "length":
        length = said.duration_s or said.delay_s
        if not isinstance(clause, Timer) or length is None:
            return None
        complete: Clause = replace(clause, seconds=length)
    else:
        when = completed(clause.when or When(), said) if question.kind == "half" else told(clause.when or When(), said)
        if when is None:
            return None
        complete = replace(clause, when=when)
    return Answer("time", program=question.with_clause(complete))


def _nothing_more(question: Question) -> Answer:
    """What stands for itself is done as it is: "turn off the lamp and" - "that's all"."""
    program = question.program
    if program.missing != "more" or not all(clause.action for clause in program.clauses):
        return Answer("cancel")
    return Answer("target", program=replace(program, source="dialogue", missing=None, needs_fallback=False))


def _choosing(question: Question, move: DialogueMove, registry: Registry) -> Answer | None:
    options = question.options
    match move.move:
        case "select":
            return _selected(question, move, registry)
        case "not":
            return _less(question, move, registry)
        case "any":
            return Answer("chosen", options[:1])  # the likeliest stands first
        case "all":
            return Answer("chosen", options)
        case "both" if len(options) == _PAIR:
            return Answer("chosen", options)
        case "yes" | "always" if len(options) == 1:
            return Answer("yes", options)
        case "no":
            return Answer("cancel")
        case _:
            return None


def _less(question: Question, move: DialogueMove, registry: Registry) -> Answer | None:
    """What is left without the one that is not meant: "not the bedroom"."""
    wrong = _selected(question, move, registry)
    left = tuple(item for item in question.options if wrong is not None and item not in wrong.entities)
    if not left:
        return None
    return Answer("chosen", left) if len(left) == 1 else Answer("narrowed", left)


def _confirming(question: Question, move: DialogueMove) -> Answer | None:
    match move.move:
        case "yes" | "always":
            return Answer("yes", question.options)
        case "both" | "all" if len(question.options) > 1:
            return Answer("yes", question.options)
        case "no":
            return Answer("no")
        case _:
            return None


def _only_there(question: Question, move: DialogueMove, registry: Registry) -> Answer | None:
    """The one place that is said where a set of the whole home was asked about: "all of them?" - "just the kitchen"."""
    if question.reason not in ("confirm_everything", "confirm_scope") or move.move != "select" or not move.text:
        return None
    places = (*registry.areas, *registry.floors)
    called = [item.id for item in places if key(move.text) in map(key, item.names)]
    found = called or recognise(move.text.casefold(), [item.id for item in places], registry)
    if len(found) != 1:
        return None
    place = registry[found[0]]
    where = Target(areas=place.names[:1]) if place.kind == "area" else Target(floors=place.names[:1])
    whole = answer_instead(question, Fix("correct", text=move.text, targets=(where,)))
    return Answer("target", program=whole) if whole is not None else None


def _selected(question: Question, move: DialogueMove, registry: Registry) -> Answer | None:
    if move.text and len(chosen := recognise(move.text.casefold(), question.options, registry, question.kinds)) == 1:
        return Answer("chosen", chosen)
    chosen = nth(question.options, move.index)
    return Answer("chosen", chosen) if chosen else None


_VERB = 2
"""Characters of a bare verb: 打开, 解锁."""


def at_stake(question: Question, registry: Registry) -> bool:
    """Whether anything that can be done to what was asked about needs a yes.

    Whatever was asked, and for whatever reason: a yes to the one question stands for all that could be asked of it.
    """
    if question.reason == FORBIDDEN:
        return True
    found = registry.present(question.about)
    members = registry.present(item for entity in found for item in entity.members)
    return any(map(is_risky, (*found, *members)))


def told_again(question: Question, again: Program, registry: Registry, thresholds: Thresholds) -> bool:
    """Whether this, behind a yes, is the very act that was asked about, of exactly what was asked about."""
    said, asked = again.clauses[0], question.clause
    if (
        len(again.clauses) > 1
        or question.also
        or thresholds.is_doubtful(again.confidence)
        or not isinstance(said, Order)
        or said.parameter != asked.parameter
    ):
        return False
    if not said.is_plain or not (again.missing is None or _bare(again)):
        return False
    return _same_deed(question, said, asked, registry) and _same_things(question, said, registry)


def _bare(again: Program) -> bool:
    """Whether it is a verb and nothing else: 打开, but not "open both"."""
    return again.missing == "target" and " " not in again.text and (len(again.text) <= _VERB or not has_han(again.text))


def _same_deed(question: Question, said: Clause, asked: Clause, registry: Registry) -> bool:
    """Whether both verbs mean the same of each thing: "open" the lock that is to be unlocked."""
    if said.action is None or asked.action is None or question.reason == "confirm_after":
        return False  # what is asked about there is how it ends
    ways = [
        (direction(item, said.action, said.parameter), direction(item, asked.action, asked.parameter))
        for item in registry.present(question.options)
    ]
    return bool(ways) and all(one == other for one, other in ways)


def _same_things(question: Question, said: Clause, registry: Registry) -> bool:
    """Whether nothing is named, or what was asked about: "it", or by its very name."""
    if not said.targets:
        return True
    if len(said.targets) > 1:
        return False
    target = said.targets[0]
    one = len(question.options) == 1
    if target.reference is not None:
        pointed = "it" if one else "them"
        return target.reference == pointed and target.only("reference")
    named = target.mention is not None and target.only("mention", "kind")
    return one and named and key(target.mention or "") in map(key, registry[question.options[0]].names)
