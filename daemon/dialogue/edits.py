"""Edits: what a turn says of what stands before it, which slots of that it fills, and how it relates to it.

"No, the bedroom one", "22", "make it Monday", "and the hall", "not the lamp", "for ten minutes", 关了吧: none of
these is a command by itself. What may be edited is a base, and each of them has a price: an act is put back, what was
kept for later is dropped, of a question nothing is left to undo.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from daemon.act.planner import undo
from daemon.core.entities import Entity
from daemon.core.ir import Clause, DialogueMove, Fix, Inquiry, Order, Program
from daemon.core.outcomes import Outcome
from daemon.core.questions import Settled
from daemon.core.slots import Parameter, Target, When
from daemon.core.values import replace
from daemon.core.vocabulary import Action, Move, Op, QueryKind
from daemon.dialogue.dialogue import Dialogue
from daemon.home.registry import Registry

Way = Literal["open", "instead", "also", "less", "back"]
"""In place of what stands there, beside it, without it, the other way round; or as the base has it."""
Named = Callable[[str], Sequence[Target]]
"""Words -> what they name, where they name something and no more."""
UNDO, CANCEL = DialogueMove("undo"), DialogueMove("cancel")
UNSAID = 0.98
"""How sure it is that what was not named is what was spoken of just now."""
OPPOSITE: Mapping[Op, Op] = {"increase": "decrease", "decrease": "increase"}
CHANGES: Mapping[Op, Action] = {"increase": "increase", "decrease": "decrease"}
_WAYS: Mapping[Move, Way] = {
    "correct": "instead", "follow": "also", "back": "back", "not": "less", "always": "open",
    "value": "open", "time": "open",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edit:
    """What a turn says of what stands before it: of a slot that it does not fill, nothing."""

    way: Way
    said: Clause
    targets: tuple[Target, ...] = ()
    excluded: tuple[Target, ...] = ()
    action: Action | None = None
    query: QueryKind | None = None
    parameter: Parameter | None = None
    when: When | None = None

    @property
    def confidence(self) -> float:
        """How sure it is that this was said."""
        return self.said.confidence

    def fills(self, *slots: str) -> bool:
        """Whether it fills these slots, and no other one."""
        return all(bool(getattr(self, name)) == (name in slots) for name in _SLOTS)

    @property
    def order(self) -> Order | None:
        """The same as an order; a mere value is to be set. None where it is no such thing."""
        if isinstance(self.said, Fix):
            return self.said.order()
        if isinstance(self.said, DialogueMove) and self.parameter is not None:
            return Order("set", parameter=self.parameter, confidence=self.confidence)
        return self.said if isinstance(self.said, Order) else None

    @property
    def worded(self) -> Clause:
        """The same as it was said, but a mere value with a unit as what is to be set; a number may be of anything."""
        mere = isinstance(self.said, DialogueMove) and self.said.move == "value"
        counted = self.order if mere and self.parameter is not None and self.parameter.unit is not None else None
        return counted or self.said


_SLOTS = ("targets", "excluded", "action", "query", "parameter", "when")


def edit_of(clause: Clause, named: Named = lambda _: ()) -> Edit | None:
    """The edit that a clause may be; None where it is one of nothing.

    Args:
        clause: What was said.
        named: What words name, of what is to be left out.
    """
    action = None if isinstance(clause, Inquiry) else clause.action
    slots = (action, getattr(clause, "query", None), clause.parameter, clause.when)
    if not isinstance(clause, DialogueMove):
        if isinstance(clause, Order) and clause.negated:
            return Edit("less", clause, (), clause.targets, *slots)
        return Edit("open", clause, clause.targets, clause.excluded, *slots)
    way = _WAYS.get(clause.move)
    if way is None:
        return None
    if not isinstance(clause, Fix):
        spared = tuple(named(clause.text)) if clause.text is not None and way == "less" else ()
        return Edit(way, clause, clause.targets, spared, None, None, _value(clause), clause.when)
    spares = way == "also" and clause.excluded and not (clause.targets or clause.action)
    return Edit("less" if spares else way, clause, clause.targets, clause.excluded, *slots)


def _value(move: DialogueMove) -> Parameter | None:
    """The value that is all that a turn says: of what, is not said."""
    if move.move != "value" or move.value is None:
        return None
    if move.unit == "fraction" and isinstance(move.value, float):
        return Parameter("value", value=move.value * 100, unit="%")
    if move.value in ("max", "min"):
        return Parameter("value", op="max" if move.value == "max" else "min")
    return Parameter("value", value=move.value, unit=move.unit)


@dataclass(frozen=True, slots=True)
class Revision:
    """What is to be done instead; nothing of it is done unless all of it can be."""

    program: Program
    settled: Mapping[int, Settled] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Base:
    """What stands before a turn and may be edited by it."""

    program: Program
    spoken_of: tuple[Entity, ...] = ()
    """What it was about."""
    outcomes: tuple[Outcome, ...] = ()
    """What it led to, where that was the last thing that was done."""
    kept: bool = False
    """Whether it was kept for later."""
    registry: Registry = field(kw_only=True, repr=False)

    @property
    def last(self) -> Clause:
        """Its last clause, of which a turn says more."""
        return self.program.clauses[-1]

    def like(self, targets: Sequence[Target]) -> Clause:
        """Its last clause of what is of the same kind as these: after the lamp and the TV, "the hall lamp too"."""
        named = {target.kind for target in targets} - {None}
        alike = (item for item in reversed(self.program.clauses) if named & {target.kind for target in item.targets})
        return next(alike, self.last)

    @property
    def them(self) -> Target:
        """What it was about, pointed at."""
        return pronoun(self.spoken_of)

    def reads(self, attribute: str) -> bool:
        """Whether all that it was about tells this."""
        return bool(self.spoken_of) and all(item.reads(attribute) is not None for item in self.spoken_of)

    def price(self) -> tuple[Clause, ...]:
        """What is to be done first where something else takes its place: it goes, if it may go unasked."""
        if self.kept:
            return (CANCEL,)
        back = undo(self.outcomes, self.registry) if self.outcomes else None
        return (UNDO,) if back is not None and back.writes and not back.risky else ()


def pronoun(spoken_of: Sequence[object]) -> Target:
    """What was spoken of, pointed at."""
    return Target(reference="them" if len(spoken_of) > 1 else "it", confidence=UNSAID)


def base_of(program: Program, dialogue: Dialogue, registry: Registry, now: float, *, sets: bool = False) -> Base:
    """A program that was done, answered or kept just now, as what may be edited; what `sets` is of what is on."""
    last = (sets and dialogue.spoken.on) or dialogue.last
    spoken_of = tuple(registry.present(last))
    kept = program is dialogue.just_planned(now)
    return Base(program, spoken_of, () if kept else dialogue.just_acted(now), kept, registry=registry)


def made_of(said: Program, *clauses: Clause) -> Program:
    """What was said, as what it comes to together with what was before."""
    first = clauses[0]
    confidence = min(first.confidence, said.confidence) if first.implicit else first.confidence
    return replace(said, clauses=clauses, source="dialogue", confidence=confidence, missing=None, needs_fallback=False)
