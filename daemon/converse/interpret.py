"""What an utterance means as the answer to a pending question. Pure: the caller keeps the dialogue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from daemon.converse.options import recognise
from daemon.converse.questions import Answer, Question
from daemon.home.registry import Registry
from daemon.ir import Clause, DialogueMove, Parameter, Program

Reader = Callable[[str], Sequence[Program]]
"""Text -> its readings, best first."""

_SURE = 0.6
"""A reading from this confidence on is a command of its own rather than a misheard answer."""


def interpret(question: Question, text: str, readings: Sequence[Program], read: Reader, registry: Registry) -> Answer:
    """What `text` (normalized) with its `readings` means as the answer to `question`."""
    answer = _interpreted(question, text, readings, read, registry)
    move = _move(readings[0] if readings else None)
    return replace(answer, always=True) if move is not None and (move.always or move.move == "always") else answer


def _interpreted(
    question: Question, text: str, readings: Sequence[Program], read: Reader, registry: Registry
) -> Answer:
    best = readings[0] if readings else None
    move = _move(best)
    if move is not None and (answer := _from_move(question, move, registry)) is not None:
        return answer
    if question.kind == "choose" and not _another_command(best, question.clause):
        chosen = recognise(text, question.options, registry)
        if len(chosen) == 1:
            return Answer("chosen", chosen)
    if best is not None and _says_enough(best):
        return Answer("other", program=best)
    if question.kind in ("target", "value") and (whole := _completed(question, text, read)) is not None:
        return Answer("target" if question.kind == "target" else "value", program=whole)
    if best is not None and move is None and best.confidence >= _SURE and not best.needs_fallback:
        return Answer("other", program=best)
    return Answer("misheard")


def _says_enough(program: Program) -> bool:
    """Whether this can only be something new: a need, "undo that", or a command that names what it is about."""
    first = program.clauses[0]
    if first.dialogue is not None:
        return first.dialogue.move == "undo"
    if first.implicit:
        return True
    sure = program.confidence >= _SURE and not program.needs_fallback and program.missing is None
    named = any(target.mention is not None or target.kind is not None for target in first.targets)
    return sure and named and first.intent in ("act", "query", "scene", "learn")


def _move(program: Program | None) -> DialogueMove | None:
    if program is None or len(program.clauses) != 1:
        return None
    return program.clauses[0].dialogue


def _from_move(question: Question, move: DialogueMove, registry: Registry) -> Answer | None:
    match move.move:
        case "cancel" | "stop":
            return Answer("cancel")
        case "neither":
            return Answer("cancel")
        case "yes" | "always" if question.kind == "confirm" or len(question.options) == 1:
            return Answer("yes", question.options)
        case "no":
            return Answer("no") if question.kind == "confirm" else Answer("cancel")
        case "both" | "all" if question.kind == "choose":
            return Answer("chosen", question.options)
        case "select" if question.kind == "choose":
            return _selected(question, move, registry)
        case "value" if question.kind == "value":
            return _with_value(question, move)
        case _:
            return None


def _selected(question: Question, move: DialogueMove, registry: Registry) -> Answer | None:
    if move.text and len(chosen := recognise(move.text.casefold(), question.options, registry)) == 1:
        return Answer("chosen", chosen)
    count = len(question.options)
    if move.index is not None and (1 <= move.index <= count or move.index == -1):
        return Answer("chosen", (question.options[move.index - 1 if move.index > 0 else -1],))
    return None


def _with_value(question: Question, move: DialogueMove) -> Answer:
    clause = question.clause
    parameter = clause.parameter or Parameter("value")
    filled = replace(clause, parameter=replace(parameter, value=move.value, unit=move.unit or parameter.unit))
    clauses = (*question.program.clauses[: question.at], filled, *question.program.clauses[question.at + 1 :])
    program = replace(question.program, clauses=clauses, source="dialogue", missing=None, needs_fallback=False)
    return Answer("value", program=program)


def _completed(question: Question, text: str, read: Reader) -> Program | None:
    """The broken-off sentence with the answer as its end: "turn on" + "the hall lamp"."""
    for joint in (" ", ""):
        for program in read(question.program.text + joint + text):
            if program.missing is None and not program.needs_fallback and program.clauses[0].dialogue is None:
                return replace(program, source="dialogue")
    return None


def _another_command(best: Program | None, asked: Clause) -> bool:
    """Whether this is a whole command that names its own target, though it may name one of the options too.

    "Turn on the one in the study" still answers "which one?"; "turn on the hall light" says for itself what it means.
    """
    if best is None or best.needs_fallback or best.confidence < _SURE:
        return False
    clause = best.clauses[0]
    if len(best.clauses) > 1 or clause.intent == "query":
        return True
    if clause.intent != "act" or clause.action is None:
        return False
    named = any(target.mention is not None or target.kind is not None for target in clause.targets)
    return named or clause.action != asked.action
