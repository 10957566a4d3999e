"""Which of its readings an utterance has in this home, and which of the things that may have been heard was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from daemon.core.ir import Chat, Clause, DialogueMove, Inquiry, Order, Program
from daemon.core.resolution import Context
from daemon.core.thresholds import Thresholds
from daemon.core.trace import Trace
from daemon.core.turn import Utterance
from daemon.core.values import replace, to_dict
from daemon.resolve.comprehension import Comprehension, language
from daemon.resolve.resolver import Resolver
from daemon.understand.build import doubtful
from daemon.understand.build_confidence import is_for_a_place, least_sure
from daemon.understand.normalize import normalize

_MOST = 6
"""How many readings of one text the home is asked about."""
_STATUS_WORTH = {"ambiguous": 0.9, "missing": 0.6, "empty": 0.5, "unsupported": 0.4, "not_found": 0.3}
"""What a reading is still worth when the home has such an answer to its names. One that resolves: as it is sure."""
_ANSWER_WORTH = 0.5
"""What a reading as an answer is still worth while no question is pending."""
_LOST = ("not_found", "unsupported")
"""What of several things named keeps none of the others waiting."""
_POSSIBLE = 0.7
"""From this worth on, the home can do what a reading says, or ask which one is meant."""
_HOURS = range(13)
"""What a bare number may be that is none of a value: "the kitchen at 7"."""
_UNDERSTOOD = 0.5
"""A reading from this confidence on says something for certain."""
_LOWER = 0.8
"""What a lower hypothesis is still worth: that the better ones fail is a sign of bad hearing."""


class Heard(Struct, frozen=True):
    """One thing that may have been said, with what it can mean."""

    text: str
    """Normalized."""
    lang: str
    readings: tuple[Program, ...]
    """Best first; none where it says nothing for us."""
    confidence: float
    """How sure it is that this was said, 0 to 1."""
    said: str = ""
    """As it came in."""


class Choice(Struct, frozen=True):
    """The reading that is taken, and how sure the hearing of it is."""

    program: Program
    heard: float


class Readings:
    """Reads utterances in one home."""

    def __init__(self, comprehension: Comprehension, resolver: Resolver, thresholds: Thresholds | None = None) -> None:
        self._thresholds = thresholds or Thresholds()
        self._comprehension = comprehension
        self._resolver = resolver

    def of(self, utterance: Utterance, trace: Trace) -> Iterator[Heard]:
        """What may have been said, best first. Each is read only when it is asked for."""
        for text, confidence in ((utterance.text, utterance.heard), *utterance.alternatives):
            with trace.timed("normalize"):
                normalized = normalize(text, language(utterance.lang))
            trace.note(
                "normalize", text=normalized.text, lang=normalized.lang, original=text, heard=round(confidence, 3)
            )
            with trace.timed("grammar"):
                readings = self._comprehension.read(normalized)
            for program in readings[:_MOST]:
                trace.note(
                    "understand", source=program.source, confidence=round(program.confidence, 3), ir=to_dict(program)
                )
            yield Heard(normalized.text, normalized.lang, readings, confidence, text)

    def best(self, readings: Sequence[Program], context: Context) -> tuple[Program, float]:
        """The reading that this home can make most of, and what it is worth here (0 to 1); of equals the first.

        What this home cannot do never beats what it can, however sure it is.
        """
        best, best_rank, best_worth = readings[0], (False, -1.0), 0.0
        for program in readings[:_MOST]:
            worth = self._worth(program, context)
            rank = (worth >= _POSSIBLE, round(program.confidence * worth, 9))
            if rank > best_rank:
                best, best_rank, best_worth = program, rank, worth
            if worth >= 1.0:
                break  # all of it resolves: no later reading, being less sure, can be worth more
        return best, best_worth

    def possible(self, program: Program, context: Context) -> bool:
        """Whether this home can do what a program says, or ask which one is meant."""
        return self._worth(program, context) >= _POSSIBLE

    def chosen(self, first: Heard, others: Iterator[Heard], context: Context, trace: Trace) -> Choice | None:
        """What was said, and its reading; None where nothing was understood.

        A lower hypothesis is taken only where the better ones say nothing, which is then asked back, or where they say
        the same about a name that this home does not have. It never puts another act in the place of one that was
        understood; but one that is nearly as likely, and would do something else, has that asked back.
        """
        top, worth = self.best(first.readings, context) if first.readings else (None, 0.0)
        if top is not None and (_is_settled(top) or (worth >= _POSSIBLE and _says_something(top))):
            return Choice(self._in_home(top, context), self._rivalled(first, top, others, context, trace))
        for heard in others:
            if not heard.readings:
                continue
            program, worth = self.best(heard.readings, context)
            if worth < _POSSIBLE or not _says_something(program):
                continue
            if top is None or not _says_something(top):
                sure = min(heard.confidence * _LOWER, self._thresholds.asked)
            elif _shape(program) == _shape(top):
                sure = heard.confidence * _LOWER
            else:
                continue
            trace.note("hear", taken=heard.text, instead_of=first.text, confidence=round(sure, 3))
            return Choice(self._in_home(program, context), sure)
        return Choice(self._in_home(top, context), first.confidence) if top is not None else None

    def _rivalled(self, first: Heard, top: Program, others: Iterator[Heard], context: Context, trace: Trace) -> float:
        """How surely it was heard: to be asked back where something else is nearly as likely to have been said."""
        if self._thresholds.is_doubtful(first.confidence):
            return first.confidence
        for heard in others:
            if heard.confidence < self._thresholds.rival * first.confidence:
                break
            program, worth = self.best(heard.readings, context) if heard.readings else (None, 0.0)
            if program is None or worth < _POSSIBLE or self.same(program, top, context):
                continue
            trace.note("hear", rival=heard.text, of=first.text, confidence=round(heard.confidence, 3))
            return min(first.confidence, self._thresholds.asked)
        return first.confidence

    def same(self, one: Program, other: Program, context: Context) -> bool:
        """Whether two programs do the same here, however they were said."""
        return _shape(one) == _shape(other) and self._concerned(one, context) == self._concerned(other, context)

    def _concerned(self, program: Program, context: Context) -> list[list[object]]:
        """What each clause is about, as far as this home knows it."""
        clauses = [clause for clause in program.clauses if isinstance(clause, Order | Inquiry)]
        found = [self._resolver.resolve_clause(clause, context) for clause in clauses]
        return [
            [
                item.entities or [candidate.entity for candidate in item.candidates] or item.target.mention
                for item in (*each.targets, *each.excluded)
            ]
            for each in found
        ]

    def _in_home(self, program: Program, context: Context) -> Program:
        """The program, as sure of its names as this home makes it."""
        clauses: list[Clause] = []
        for clause in self._of_what(program.clauses, context):
            there, *lost = self._apart(clause, context)
            known = self._known_here(there, context)
            # That it is not here is told, however its name was read: it makes nothing else less sure.
            clauses += [known, *(replace(item, confidence=known.confidence) for item in lost)]
        found = _as_sure_as(tuple(self._beside(clauses, context)), program)
        if found.confidence >= self._comprehension.sure.some:
            return found
        # What the grammar's table says to ask about is asked about in every home.
        return replace(found, confidence=self._thresholds.doubted(found.confidence))

    def _beside(self, clauses: Sequence[Clause], context: Context) -> Sequence[Clause]:
        """The clauses; one that names only what is not here makes no other less sure: "lamp off and open the hatch"."""
        lost = [self._is_lost(clause, context) for clause in clauses]
        here = [clause.confidence for clause, gone in zip(clauses, lost, strict=True) if not gone]
        if not here or not any(lost):
            return clauses
        least = min(here)
        return [
            replace(clause, confidence=max(clause.confidence, least)) if gone else clause
            for clause, gone in zip(clauses, lost, strict=True)
        ]

    def _is_lost(self, clause: Clause, context: Context) -> bool:
        """Whether it is an order or a question about nothing but what this home does not have."""
        if not isinstance(clause, Order | Inquiry) or not clause.targets or clause.conditions:
            return False
        found = self._resolver.resolve_clause(clause, context).targets
        return all(item.status == "not_found" for item in found)

    def named(self, program: Program, at: int) -> Program:
        """The program, once somebody has said what the names of one clause mean."""
        clause = program.clauses[at]
        clear = self._comprehension.sure.in_home(clause, [True] * len(clause.targets))
        return _as_sure_as((*program.clauses[:at], clear, *program.clauses[at + 1 :]), program)

    def _apart(self, clause: Clause, context: Context) -> tuple[Clause, ...]:
        """The clause; of several things named, what cannot be done to some apart from what can: none waits."""
        if not isinstance(clause, Order | Inquiry) or len(clause.targets) == 1 or clause.negated or clause.either:
            return (clause,)
        if clause.parameter is not None and isinstance(clause, Inquiry) and clause.parameter.op in ("max", "min"):
            return (clause,)  # which of the two it is, nobody says of one
        found = self._resolver.resolve_clause(clause, context).targets
        lost = [target for target, item in zip(clause.targets, found, strict=False) if item.status in _LOST]
        if not lost or len(lost) == len(clause.targets):
            return (clause,)
        there = tuple(target for target in clause.targets if target not in lost)
        # Where a name that is not here was what was least sure, nothing else is.
        least = min(target.confidence for target in lost)
        sure = min(target.confidence for target in there) if clause.confidence == least else clause.confidence
        kept = replace(clause, targets=there, confidence=sure)
        return (kept, *(replace(clause, targets=(target,)) for target in lost))

    def _of_what(self, clauses: tuple[Clause, ...], context: Context) -> tuple[Clause, ...]:
        """The clauses; where they give places bare numbers, with what these are of: "living room 21, kitchen 60".

        What people like in a room is a temperature where something there can be set to it, and is asked about where
        nothing can; any other number is the brightness of the lights. All numbers of one sentence are of one sort.
        """
        given = [clause for clause in clauses if isinstance(clause, Order) and is_for_a_place(clause)]
        if not given:
            return clauses
        lit = any(clause.parameter is not None and clause.parameter.attribute == "brightness" for clause in clauses)
        likely = not lit and all(self._is_liked(clause, context, heated=False) for clause in given)
        warm = likely and any(self._is_liked(clause, context, heated=True) for clause in given)
        timed = not lit and all(clause.parameter is not None and clause.parameter.value in _HOURS for clause in given)
        return tuple(_meant_as(clause, warm=warm, sure=warm or not (likely or timed)) if clause in given else clause
                     for clause in clauses)  # fmt: skip

    def _is_liked(self, clause: Order, context: Context, *, heated: bool) -> bool:
        """Whether a number for a place may be its temperature; `heated`: one that something there can be set to."""
        if any(target.quantifier == "all" for target in clause.targets):
            return False  # nobody heats all that is there
        number = clause.parameter.value if clause.parameter is not None else None
        assert isinstance(number, float)
        if not heated:
            return self._resolver.is_room_temperature(number)
        found = self._resolver.resolve_clause(_meant_as(clause, warm=True, sure=True), context)
        there = all(item.status == "resolved" for item in found.targets)
        return there and self._resolver.is_room_temperature(number, found.entities)

    def _known_here(self, clause: Clause, context: Context) -> Clause:
        sure = self._comprehension.sure
        if not isinstance(clause, Order | Inquiry) or not any(
            target.confidence in sure.strange for target in clause.targets
        ):
            return clause
        # Known is what there is, spared or not: what is spared altogether is none of what is found.
        found = self._resolver.resolve_clause(replace(clause, excluded=()), context).targets
        return sure.in_home(clause, [item.status != "not_found" for item in found])

    def _worth(self, program: Program, context: Context) -> float:
        worth = 1.0
        if all(isinstance(clause, DialogueMove) for clause in program.clauses):
            return _ANSWER_WORTH  # nothing was asked: a reading that says something by itself goes first
        for clause in program.clauses:
            if isinstance(clause, Order | Inquiry) and not clause.negated:
                worth = min(worth, self._clause_worth(clause, context))
        return worth

    def _clause_worth(self, clause: Clause, context: Context) -> float:
        found = self._resolver.resolve_clause(clause, context)
        worths = (
            item.confidence if item.status == "resolved" else _STATUS_WORTH[item.status] for item in found.targets
        )
        return min(worths, default=_STATUS_WORTH["missing"])


def _meant_as(clause: Order, *, warm: bool, sure: bool) -> Order:
    """The order with its number as a temperature or a brightness; no less sure than its names, if that is `sure`."""
    number = clause.parameter
    assert number is not None
    meant = replace(number, attribute="temperature") if warm else replace(number, attribute="brightness", unit="%")
    made = replace(clause, parameter=meant)
    if not sure or clause.confidence != number.confidence:
        return made
    return replace(made, confidence=least_sure(clause.targets, clause.excluded, clause.conditions))


def _as_sure_as(clauses: tuple[Clause, ...], program: Program) -> Program:
    """The program with these clauses, as sure as they are."""
    if clauses == program.clauses:
        return program
    # Another reading, or one of misspelt words, is less sure than its clauses.
    # Where each clause is as sure as its own, the least sure one says nothing of the others.
    less = min(1.0, program.confidence / min(clause.confidence for clause in program.clauses))
    confidence = round(less * min(clause.confidence for clause in clauses), 3)
    return replace(
        program, clauses=clauses, confidence=confidence, needs_fallback=doubtful(confidence, program.missing)
    )


def _says_something(program: Program) -> bool:
    """Whether this is a command or a question by itself, whole and sure."""
    doubtful_ = program.needs_fallback or program.missing is not None or program.is_partial
    if doubtful_ or program.confidence < _UNDERSTOOD:
        return False
    return not any(isinstance(clause, Chat | DialogueMove) for clause in program.clauses)


def _is_settled(program: Program) -> bool:
    """Whether this is surely something other than a command: a remark about the talk, a need, talk among people."""
    first = program.clauses[0]
    remark = isinstance(first, DialogueMove) and program.confidence >= _UNDERSTOOD
    return first.implicit or remark or isinstance(first, Chat)


def _shape(program: Program) -> tuple[Clause, ...]:
    """What a program does, whoever it is done to."""
    return tuple(
        replace(clause, targets=(), excluded=(), confidence=1.0)
        if isinstance(clause, Order | Inquiry) and not clause.conditions
        else clause
        for clause in program.clauses
    )
