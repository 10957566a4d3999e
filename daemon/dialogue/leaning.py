"""What a program says by itself, what it leans on, what it points at; which clauses are one sentence, and lean so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from daemon.core.ir import Chat, Clause, DialogueMove, Inquiry, Order, Program, Target, Unread
from daemon.core.values import replace
from daemon.dialogue.cutting import MOST_READ, comes_to_same, effort
from daemon.home.sensing import AMBIENT
from daemon.understand.names import NameTable


def is_open(program: Program) -> bool:
    """Whether it leaves something to be understood, or takes a long story for a greeting."""
    chat = program.needs_fallback and any(isinstance(clause, Chat) for clause in program.clauses)
    return program.is_guess or program.is_partial or program.is_beyond or chat


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
        if not isinstance(clause, Order) or len(clause.targets) > 1 or not all(item.points for item in clause.targets):
            return replace(program, clauses=(*clauses, *program.clauses[len(clauses) :]))
        clauses.append(replace(clause, targets=(topic,)))
    return replace(program, clauses=tuple(clauses))


def placed(program: Program, names: NameTable, talk: str) -> Program:
    """The program, its first thing "there" in the only room that the talk before it names."""
    rooms = {item.text for item in names.find(talk) if item.roles[0] == "area"}
    at = next((at for at, clause in enumerate(program.clauses) if clause.targets), None)
    said = program.clauses[at] if at is not None else None
    if len(rooms) != 1 or not isinstance(said, Order | Inquiry) or said.targets[0].reference != "there":
        return program
    first, *others = said.targets
    there = replace(said, targets=(replace(first, reference=None, areas=tuple(rooms)), *others))
    clauses = (there if clause is said else clause for clause in program.clauses)
    return replace(program, clauses=tuple(clauses))


def tells(program: Program) -> bool:
    """Whether it is a need, that may be why something else is asked for."""
    return any(isinstance(clause, Order) and clause.implicit for clause in program.clauses)


def asked_of_it(program: Program) -> Program | None:
    """A question that names nothing, as one about what was spoken of; None where it is of something, or of the air."""
    said = program.sole
    if not isinstance(said, Inquiry) or said.targets or said.parameter is None or said.parameter.attribute in AMBIENT:
        return None
    return replace(program, clauses=(replace(said, targets=(Target(reference="it"),)),))


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


_MOST_TOGETHER: Final = 4
"""So many clauses are read as one sentence, where all of them are none."""
_UNREAD_COST: Final = 4.0
"""Of a clause that nobody understands, beside that of a sentence, which is 1."""

Read = Callable[[str], Sequence[Program]]


def once(said: Sequence[str], read: Read, made: Mapping[str, Program]) -> Callable[[int, int], Program | None]:
    """What these clauses from the one to the other say together.

    What is said over and over is read once; of several together, no more than somebody waits for.

    Args:
        said: The clauses.
        read: The grammar's readings of a text, best first.
        made: What the small model reads in clauses, where the grammar reads nothing.
    """
    known: dict[tuple[str, ...], Program | None] = {}
    left = MOST_READ - effort(set(said))

    def together(start: int, end: int) -> Program | None:
        nonlocal left
        words = tuple(said[start:end])
        if words not in known:
            text = ", ".join(words)
            alone = made.get(text) if len(words) == 1 else None
            left -= effort([text]) if len(words) > 1 else 0
            known[words] = next(filter(is_whole, read(text)), alone) if left >= 0 or len(words) == 1 else None
        return known[words]

    return together


def sentences(count: int, read: Callable[[int, int], Program | None]) -> list[tuple[int, int]]:
    """Which of so many clauses are read as one sentence, from where to where: all, or the fewest, the fewest unread.

    A clause that says all that it means is read by itself; one that wants another, with its neighbours.
    """
    if read(0, count) is not None:
        return [(0, count)]

    def leans(start: int, end: int) -> bool:
        alone = (read(at, at + 1) for at in range(start, end))
        return end - start == 1 or any(program is None or points_back(program) for program in alone)

    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, count + 1):
        ways = [(best[end - 1][0] + _UNREAD_COST, end - 1)]
        starts = [start for start in range(max(0, end - _MOST_TOGETHER), end) if leans(start, end)]
        ways += [(best[start][0] + 1.0, start) for start in starts if read(start, end) is not None]
        best.append(min(ways))
    cuts = [count]
    while cuts[-1]:
        cuts.append(best[cuts[-1]][1])
    return [(start, end) for end, start in pairwise(cuts)][::-1]
