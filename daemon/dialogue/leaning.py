"""What a program says by itself, what it leans on, and what it points at."""

from __future__ import annotations

from typing import Final

from daemon.core.ir import Chat, Clause, DialogueMove, Inquiry, Order, Program, Target, Unread
from daemon.core.values import replace
from daemon.dialogue.cutting import comes_to_same
from daemon.home.sensing import AMBIENT

_PRONOUNS: Final = frozenset({"it", "that", "them"})


def is_whole(program: Program) -> bool:
    """Whether it says something for us, all of it."""
    if program.missing is not None or program.is_partial or program.is_guess:
        return False
    return not any(isinstance(clause, Chat) or _leans(clause) for clause in program.clauses)


def _leans(clause: Clause) -> bool:
    """Whether it is a move that says nothing by itself; what names the thing that is to be put back does."""
    return isinstance(clause, DialogueMove) and not (clause.move == "undo" and clause.targets)


def waits(program: Program) -> bool:
    """Whether anything of it is for later, or depends on something."""
    return any(clause.when is not None or clause.conditions for clause in program.clauses if isinstance(clause, Order))


def points_back(program: Program) -> bool:
    """Whether it does not say what it is about: "turn it down", "the one in the hall off", "and 30 percent"."""
    orders = [clause for clause in program.clauses if isinstance(clause, Order)]
    targets = (target for clause in orders for target in clause.targets)
    unsaid = any(target.mention is None and target.kind in (None, "device") for target in targets)
    return unsaid or any(not clause.targets for clause in orders)


def told_of(program: Program, topic: Target) -> Program:
    """The program, done to what was told of before it: "the telly is on again, would you switch that off"."""
    clauses: list[Clause] = []
    for clause in program.clauses:
        if not isinstance(clause, Order) or len(clause.targets) > 1 or not all(map(_is_pronoun, clause.targets)):
            return replace(program, clauses=(*clauses, *program.clauses[len(clauses) :]))
        clauses.append(replace(clause, targets=(topic,)))
    return replace(program, clauses=tuple(clauses))


def asked_of_it(program: Program) -> Program | None:
    """A question that names nothing, as one about what was spoken of; None where it is of something, or of the air."""
    said = program.clauses[0] if len(program.clauses) == 1 else None
    if not isinstance(said, Inquiry) or said.targets or said.parameter is None or said.parameter.attribute in AMBIENT:
        return None
    return replace(program, clauses=(replace(said, targets=(Target(reference="it"),)),))


def _is_pronoun(target: Target) -> bool:
    plain = Target(reference=target.reference, confidence=target.confidence, quantifier=target.quantifier)
    return target.reference in _PRONOUNS and target == plain


def values(program: Program) -> frozenset[float]:
    """The numbers to which, or by which, something is set by it."""
    said = (clause.parameter.value for clause in program.clauses if clause.parameter is not None)
    return frozenset(value for value in said if isinstance(value, float))


def asks(program: Program) -> bool:
    """Whether anything of it is understood."""
    return not all(isinstance(clause, Unread) for clause in program.clauses)


def is_revised(program: Program, by: Program) -> bool:
    """Whether another program is the same with something else in its last clause: another value, or another thing."""
    first, last = program.clauses, by.clauses
    if len(first) != len(last) or not all(isinstance(clause, Order) for clause in (*first, *last)):
        return False
    timed = [(clause.when, clause.conditions, clause.negated) for clause in first]
    same = timed == [(clause.when, clause.conditions, clause.negated) for clause in last]
    return same and not comes_to_same(program, by)


def names_only_places(program: Program) -> bool:
    """Whether it says where, and not what: "and half in the bedroom"."""
    targets = (target for clause in program.clauses if isinstance(clause, Order) for target in clause.targets)
    return any(
        (target.areas or target.floors) and not (target.mention or target.kind or target.reference)
        for target in targets
    )


def names_kinds(program: Program) -> bool:
    """Whether it says of what kind of thing something is."""
    return any(target.kind for clause in program.clauses if isinstance(clause, Order) for target in clause.targets)
