"""An answer that says more than yes or no: "yes but only half", "by two degrees", "no, until ten", "yes and the radio".

What is said besides is read as it would be right after the act: as another value, amount, time, place or thing of what
was asked about, as an exception to it, or as something else to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from daemon.core.ir import Clause, Fix, Inquiry, Order, Program, Timer
from daemon.core.questions import STILL_OFF, Answer, Question
from daemon.core.resolution import deed_of
from daemon.core.values import replace
from daemon.dialogue.edits import CANCEL, CHANGES, Base, Edit, Way, edit_of, pronoun
from daemon.dialogue.leaning import is_whole
from daemon.dialogue.moves import at_stake
from daemon.dialogue.options import is_another, recognise
from daemon.dialogue.replanned import of_planned
from daemon.dialogue.which import Tongue, is_the_same, revised, says_how
from daemon.home.actions import capability_for
from daemon.home.registry import Registry
from daemon.understand.consent import Head
from daemon.understand.corrections import MOVED, by_so_much, corrected, moved, says_time, says_value
from daemon.understand.normalize import plain_text

_READINGS = 3
"""So many readings of what is said besides are tried."""
_SET = frozenset({"all", "n", "both"})


def amended(question: Question, said: str, text: str, tongue: Tongue, registry: Registry) -> Answer | None:
    """What an answer that says more comes to; None where it says no more, or nothing that fits.

    A yes is never dropped for what is said besides. Where something is at stake, one that is not joined to a command of
    something else, or for later, is none: then all of it is asked about.

    Args:
        question: What was asked.
        said: The answer, as it was said.
        text: The same, normalized.
        tongue: Reads a part of it.
        registry: The home.
    """
    kinds, clause = ("confirm", "choose", "target"), question.clause
    if question.kind == "confirm" and (isinstance(clause, Timer) or clause.when or clause.conditions):
        found = _kept_otherwise(question, clause, text, tongue, registry)
        if found is not None or isinstance(clause, Timer):
            return found
    if not isinstance(clause, Order) or clause.is_scene or not question.offers or question.kind not in kinds:
        return None
    amending = _Amending(question, clause, tongue, registry)
    for head in tongue.heads.of(said):
        found = amending.agreed(head) if head.yes else amending.refused(head)
        if found is not None:
            return found
    beside = question.kind == "choose" or question.reason == STILL_OFF  # what was asked beside an act may be left alone
    return amending.instead(text) if not beside else None


def _kept_otherwise(question: Question, kept: Clause, text: str, tongue: Tongue, registry: Registry) -> Answer | None:
    """The plan, rule or timer that was asked about, as it is to be instead: "no, make that four, I'm dead".

    Of what stands between commas, one part may say that, and no more. It is asked about anew.
    """
    said_then = tuple(item for item in question.program.clauses if item.when == kept.when)
    found: list[tuple[Clause, ...]] = []
    for part in dict.fromkeys((text, *text.split(","))):
        said = next((item.sole for item in tongue.read(part.strip()) if item.sole is not None), None)
        edit = edit_of(said, tongue.named) if said is not None else None
        if said is None or edit is None:
            continue
        then = said_then if says_time(said) else (kept,)
        base = Base(replace(question.program, clauses=then), kept=True, registry=registry)
        if isinstance(kept, Timer):
            at = moved(kept, said) if says_time(said) or says_value(said) else None
            made: tuple[Clause, ...] = (at,) if at is not None else ()
        else:
            planned = of_planned(edit, base) or ()
            made = planned[1:] if planned[:1] == (CANCEL,) else (*then, *planned) if edit.way == "also" else ()
        whole = _with(question.program.clauses, then, made)
        found += [whole] if made and whole != question.program.clauses else []
    if len(found) != 1:
        return None
    return Answer("more", program=replace(question.program, clauses=found[0], source="dialogue"))


def _with(clauses: Sequence[Clause], old: Sequence[Clause], new: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses with new ones in the place of the old; each of them in its own, if there are as many."""
    if len(old) == len(new):
        anew = dict(zip(map(id, old), new, strict=True))
        return tuple(anew.get(id(item), item) for item in clauses)
    first = next(at for at, item in enumerate(clauses) if item is old[0])
    left = tuple(item for item in clauses if all(item is not one for one in old))
    return (*left[:first], *new, *left[first:]) if new else tuple(clauses)


def refused(question: Question, said: str, tongue: Tongue, concerns: Callable[[str], bool]) -> Answer | None:
    """A no, with what nobody understands behind it where that `concerns` us; None where it is none."""
    head = next((head for head in tongue.heads.of(said) if not head.yes), None) if question.kind == "confirm" else None
    return Answer("no", unread=head.rest if concerns(head.rest) else "") if head is not None else None


@dataclass(frozen=True, slots=True)
class _Amending:
    """What may be said of one act that was asked about."""

    question: Question
    asked: Order
    tongue: Tongue
    registry: Registry

    def agreed(self, head: Head) -> Answer | None:
        """A yes, and more."""
        if self.question.kind != "confirm":
            return None
        if not head.rest:
            return Answer("yes", self.question.options)
        if self._is_at_stake:
            given = bool(head.joined) and not head.weak and self.tongue.consent.given(head.said)
            more = self._commands(head.rest) if given else ()
            apart = bool(more) and all(map(self._is_apart, more))
            return self._answer((self.asked, *more), agreed=True) if apart else None
        made = self._amended(head.rest, others=False) if not head.joined else self._also(head.joined)
        if not made and (head.joined or not head.weak):
            more = self._commands(head.rest)
            made = (self.asked, *more) if more else ()
        return self._answer(made, agreed=True) if made else None

    def refused(self, head: Head) -> Answer | None:
        """A no, and what is wanted instead."""
        if not head.rest:
            return None
        made = self._amended(head.rest, others=True) if not head.drops else ()
        # Where something is at stake, only to something else, and that as if nothing had been asked.
        if made and (made[0].targets != self.asked.targets or not self._is_at_stake):
            return self._answer(made, agreed=True)
        more = next(self._whole(head.rest), None)
        return Answer("more", program=more) if more is not None else None

    def instead(self, text: str) -> Answer | None:
        """Neither, and what says all the same how, when or to what: "by two degrees", "the gym"."""
        made = self._amended(self.tongue.heads.meant(text), others=True) if not self._is_at_stake else ()
        when = self.asked.when
        unread = when is not None and when.beyond == "unread"  # only a yes means that it goes without that
        return self._answer(made, agreed=not unread) if made else None

    @property
    def _is_at_stake(self) -> bool:
        return at_stake(self.question, self.registry)

    def _answer(self, clauses: Sequence[Clause], *, agreed: bool) -> Answer:
        """What was asked about in these clauses; a yes to it is one to what else was asked in the same breath."""
        program, at = self.question.program, self.question.at
        first, *more = clauses
        same = isinstance(first, Order) and first.targets == self.asked.targets
        agreed = agreed and same and self.question.kind == "confirm"
        kept = (replace(item, confidence=min(item.confidence, program.confidence)) for item in program.clauses)
        made = [
            item if place != at or not isinstance(first, Order) or first is self.asked else _said(first)
            for place, item in enumerate(kept)
            if same or place == at or not self._is_of_it(item)
        ]
        whole = replace(
            program, clauses=(*made, *more), source="dialogue", confidence=1.0, missing=None, needs_fallback=False
        )
        return Answer("more", self.question.options if agreed else (), program=whole)

    def _amended(self, words: str, *, others: bool) -> tuple[Clause, ...]:
        """What was asked about, with what these words say of it; with `others`, also to something else."""
        if self.question.also:
            return ()
        for said in self._single(words):
            if self.question.kind == "confirm" and (made := self._how(said)):
                return made
            if others and (made := self._of_others(said)):
                return made
        if self.question.kind == "confirm" and (amount := self.tongue.heads.amount(words)) is not None:
            for said in self._single(amount):
                if made := self._by(said):
                    return made
        named = self._named(words) if others else ()
        return named or (self._told_on(words) if self.question.kind == "confirm" else ())

    def _single(self, words: str) -> Iterator[Clause]:
        """What these words may say, where that is one thing."""
        for program in self.tongue.read(words)[:_READINGS]:
            if program.sole is not None:
                yield program.sole

    def _how(self, said: Clause) -> tuple[Clause, ...]:
        """The same to another value, by so much, at another time, or less what is spared."""
        edit = edit_of(said, self.tongue.named)
        if edit is None or edit.way != "open" or said.targets or said.implicit or not says_how(said):
            return self._less(edit) if edit is not None and edit.way == "less" else ()
        if self._is_same_way(said) or (isinstance(said, Order) and is_the_same(said, self.asked)):
            return (self.asked,)
        if self.asked.when is not None and (later := moved(self.asked, said)) is not None:
            return (later,)
        timed = said.when is not None and not (said.action or said.parameter)
        switched_on = self.asked.action == "turn_on"
        asked = replace(self.asked, parameter=None) if switched_on and not timed else self.asked
        made = replace(asked, when=said.when) if timed and not asked.when else revised(asked, said)
        if made is None or made == self.asked:
            return ()
        made = self._by_so_much(made)
        if switched_on and asked.parameter is None and made.parameter is not None:
            return (self.asked, _said(replace(made, targets=(pronoun(self.question.options),))))
        return (made,)

    def _less(self, edit: Edit) -> tuple[Clause, ...]:
        """The same, except these: "not the lamp", "don't turn off the lamp"."""
        plain = edit.action in (None, self.asked.action) and not (edit.parameter or edit.query or edit.when)
        several = any(item.quantifier in _SET or item.plural for item in self.asked.targets)
        if any(is_another(item, self.question.options, self.registry) for item in edit.excluded):
            return ()  # which would make more of it, all lights of the house but that one
        spared = replace(self.asked, excluded=(*self.asked.excluded, *edit.excluded))
        return (spared,) if edit.excluded and plain and several else ()

    def _is_same_way(self, said: Clause) -> bool:
        """Whether it says which way, as was asked about: "okay, just up" to opening a blind."""
        way = said.parameter
        if way is None or way.value is not None or way.op not in CHANGES or said.when is not None:
            return False
        asked = self.asked.parameter
        same = way.attribute in ("value", asked.attribute if asked is not None else "position")
        return same and way.op in (MOVED.get(self.asked.action), self.asked.action)

    def _by(self, said: Clause) -> tuple[Clause, ...]:
        """The same by so much: "by two degrees"."""
        asked, edit = self.asked.parameter, edit_of(said)
        amount = edit.parameter if edit is not None else None
        if asked is None or asked.op not in CHANGES or amount is None or not isinstance(amount.value, float):
            return ()
        return (replace(self.asked, parameter=by_so_much(amount, asked)),)

    def _by_so_much(self, made: Order) -> Order:
        """A change by so much, where it was asked about one and the number can't be its end: "yes, two degrees"."""
        asked, said = self.asked.parameter, made.parameter
        if asked is None or said is None or asked.op not in CHANGES or asked.value is not None:
            return made
        if said.op != "set" or said.attribute != asked.attribute or not isinstance(said.value, float):
            return made
        found = [capability_for(item, said) for item in self.registry.present(self.question.options)]
        least = [item.minimum for item in found if item is not None and item.minimum is not None]
        if not least or said.value >= min(least):
            return made
        return replace(self.asked, parameter=by_so_much(said, asked))

    def _of_others(self, said: Clause, way: Way = "instead") -> tuple[Order, ...]:
        """The same of other things, or elsewhere: "just the lights in the basement"."""
        edit = edit_of(said)
        made = corrected(self.asked, said) if edit is not None and edit.way == way and edit.fills("targets") else None
        return (made,) if isinstance(made, Order) and made.targets != self.asked.targets else ()

    def _named(self, words: str) -> tuple[Clause, ...]:
        """The same of what these words name, and nothing more: "the gym", 床头灯."""
        targets = self.tongue.named(words)
        if len(targets) != 1:
            return ()
        if self.question.kind == "confirm" and not is_another(targets[0], self.question.options, self.registry):
            one = recognise(words, self.question.options, self.registry, self.question.kinds)
            if one == self.question.options:
                return (self.asked,)
        return self._of_others(Fix("correct", text=words, targets=targets))

    def _told_on(self, words: str) -> tuple[Clause, ...]:
        """What was asked about as it was said, with these words at its end: when, on what condition, except what."""
        begun, asked = self.question.program, self.asked
        if len(begun.clauses) > 1 or not begun.text or asked.when or asked.conditions or asked.excluded:
            return ()
        for joint in (" ", ", "):
            for program in self.tongue.read(plain_text(joint.join((begun.text, words))))[:_READINGS]:
                made = program.clauses[0]
                more = isinstance(made, Order) and (made.when or made.conditions or made.excluded)
                if not more or len(program.clauses) > 1 or not (is_whole(program) and self.tongue.is_sure(program)):
                    continue
                if made == replace(asked, when=made.when, conditions=made.conditions, excluded=made.excluded,
                                   condition_join=made.condition_join, confidence=made.confidence):  # fmt: skip
                    return (made,)
        return ()

    def _also(self, words: str) -> tuple[Clause, ...]:
        """What was asked about, and the same of something else: "and the radio"."""
        made = [one for said in self._single(words) for one in self._of_others(said, "also")]
        return (self.asked, _said(replace(made[0], excluded=()))) if made else ()

    def _commands(self, words: str) -> tuple[Clause, ...]:
        """The commands that these words say by themselves."""
        program = next(self._whole(words), None)
        return program.clauses if program is not None else ()

    def _whole(self, words: str) -> Iterator[Program]:
        for program in self.tongue.read(words)[:1]:
            if is_whole(program) and self.tongue.is_sure(program):
                yield program

    def _is_apart(self, clause: Clause) -> bool:
        """Whether a command is about something else than what was asked about, or for later."""
        if isinstance(clause, Inquiry) or clause.when is not None:
            return True
        options = self.question.about
        named = (" ".join((*item.areas, *item.floors, item.mention or item.kind or "")) for item in clause.targets)
        return bool(clause.targets) and all(
            words and not recognise(words, options, self.registry, self.question.kinds) for words in named
        )

    def _is_of_it(self, clause: Clause) -> bool:
        """Whether it is the same deed, done to what was asked about: there it is of nothing any more."""
        return clause.leans and isinstance(clause, Order) and deed_of(clause) == deed_of(self.asked)


def _said(clause: Order) -> Order:
    """What its speaker says otherwise than it was asked about: to the rest of it that is a yes."""
    return replace(clause, implicit=False, confidence=1.0)
