"""What a remark about the talk ("yes", "the second one", "whichever") means as the answer to a question."""

from __future__ import annotations

from dataclasses import replace

from daemon.converse.options import recognise
from daemon.converse.questions import Answer, Question
from daemon.converse.second_thoughts import answer_instead
from daemon.home.registry import Registry
from daemon.ir import DialogueMove, Move, Parameter, Program

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
    if move.move == "repeat" and move.text is None:
        return Answer("again")
    match question.kind:
        case "choose":
            return _choosing(question, move, registry)
        case "confirm":
            return _confirming(question, move)
        case "value" if move.move == "value":
            return filled(question, move)
        case _:
            return Answer("cancel") if move.move == "no" else None


def from_correction(question: Question, said: Program, move: DialogueMove, text: str, registry: Registry) -> Answer:
    """As "no, the second one", an option of the question; as "no, the fan", another thing than was asked about."""
    if question.kind == "choose":
        named = recognise(move.text or text, question.options, registry)
        chosen = _selected(question, move, registry) or (Answer("chosen", named) if len(named) == 1 else None)
        if chosen is not None:
            return chosen
    whole = answer_instead(question, said)
    return Answer("target", program=whole) if whole is not None else Answer("misheard")


def filled(question: Question, move: DialogueMove) -> Answer:
    """The clause that was asked about with the value of a move."""
    clause = question.clause
    parameter = clause.parameter or Parameter("value")
    complete = replace(clause, parameter=replace(parameter, value=move.value, unit=move.unit or parameter.unit))
    clauses = (*question.program.clauses[: question.at], complete, *question.program.clauses[question.at + 1 :])
    program = replace(question.program, clauses=clauses, source="dialogue", missing=None, needs_fallback=False)
    return Answer("value", program=program)


def _choosing(question: Question, move: DialogueMove, registry: Registry) -> Answer | None:
    options = question.options
    match move.move:
        case "select":
            return _selected(question, move, registry)
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


def _selected(question: Question, move: DialogueMove, registry: Registry) -> Answer | None:
    if move.text and len(chosen := recognise(move.text.casefold(), question.options, registry)) == 1:
        return Answer("chosen", chosen)
    count = len(question.options)
    if move.index is not None and (1 <= move.index <= count or move.index == -1):
        return Answer("chosen", (question.options[move.index - 1 if move.index > 0 else -1],))
    return None
