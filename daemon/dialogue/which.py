"""An answer that says which one, and more of it: "the bedroom one, down to sixteen", "the left one off", 主卧的关掉."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from daemon.core.ir import Clause, DialogueMove, Fix, Order, Parameter, Program, Target
from daemon.core.questions import Answer, Question
from daemon.core.resolution import deed_of
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.dialogue.edits import CHANGES, edit_of
from daemon.dialogue.options import besides, is_another, partly, recognise
from daemon.home.registry import Registry
from daemon.understand.build_act import switched
from daemon.understand.consent import Consent, Heads
from daemon.understand.corrections import onto

Reader = Callable[[str], Sequence[Program]]
"""Text -> its readings, best first."""
Essence = Callable[[str], str]
"""Text -> the same without the words that may stand around any name."""
_POINTS = frozenset({"it", "that", "this"})
_HOURS = 24
_AGAINST = (("increase", "min"), ("decrease", "max"))

_LONGEST_HEAD = 80
"""Characters of what may name an option before a pause."""


@dataclass(frozen=True, slots=True)
class Tongue:
    """Reads words, and knows what they are for an answer."""

    read: Reader
    named: Callable[[str], tuple[Target, ...]]
    """What a text names without a verb ("the bedroom one and the hall light"); empty where it says more or nothing."""
    essence: Essence
    consent: Consent
    heads: Heads
    thresholds: Thresholds

    def is_sure(self, program: Program) -> bool:
        """Whether a reading is a command of its own rather than a misheard answer."""
        return not program.needs_fallback and not self.thresholds.is_doubtful(program.confidence)


def which_and_how(
    question: Question, best: Program | None, text: str, read: Reader, essence: Callable[[str], str], registry: Registry
) -> Answer | None:
    """The option that is chosen, with what is said of it in place of what was asked about, or beside it.

    `misheard` where an option is chosen and what is said of it fits nothing: then it is not done as it was asked about.
    None where nothing more is said than which one, or nothing is chosen.

    Args:
        question: Which of several is meant.
        best: The best reading of the whole answer.
        text: The answer, normalized.
        read: Reads a part of it.
        essence: Text -> the same less the words that may stand around any name.
        registry: The home.
    """
    if question.kind != "choose":
        return None
    names = _Names(question, essence, registry)
    whole = best.sole if best is not None else None
    if isinstance(whole, Order | Fix) and (chosen := names.chosen(whole)):
        return None if is_the_same(whole, question.clause) else _answer(question, chosen, replace(whole, targets=()))
    for chosen, rest in names.apart(text):
        more = next((item.sole for item in read(rest) if item.sole is not None), None)
        if more is not None and says_how(more):
            return None if is_the_same(more, question.clause) else _answer(question, chosen, more)
    return None


@dataclass(frozen=True, slots=True)
class _Names:
    """What may be said for the options of a question."""

    question: Question
    essence: Callable[[str], str]
    registry: Registry

    def chosen(self, said: Order | Fix) -> tuple[str, ...]:
        """The one option that a command is about which only says which one: "turn the bedroom one off"."""
        if not says_how(said) or len(said.targets) != 1:
            return ()
        target = said.targets[0]
        if not target.only("mention", "kind", "areas", "floors") or target.kind not in (None, "device"):
            return ()
        if is_another(target, self.question.options, self.registry) or self._is_name(target.mention):
            return ()
        return self._named(" ".join((*target.areas, *target.floors, target.mention or "")))

    def apart(self, text: str) -> Iterator[tuple[tuple[str, ...], str]]:
        """The one option that is named before a pause, and what is said behind it."""
        pieces = text.split(",")
        for at in range(1, len(pieces)):
            head, rest = ",".join(pieces[:at]).strip(), ",".join(pieces[at:]).strip()
            if len(head) > _LONGEST_HEAD:
                return  # nothing is called so
            if found := self._named(head):
                yield found, rest

    def _named(self, words: str) -> tuple[str, ...]:
        """The one option that is all that these words name; nothing where they say more, or may mean several."""
        options, kinds = self.question.options, self.question.kinds
        found = recognise(words, options, self.registry, kinds)
        if not found:
            found = partly(self.essence(words), options, self.registry)
            return found if len(found) == 1 else ()
        more = self.essence(besides(words, found, self.registry, kinds)).strip()
        return found if len(found) == 1 and not more else ()

    def _is_name(self, mention: str | None) -> bool:
        """Whether it is the whole name of something: then it is a command of its own."""
        return mention is not None and any(mention == name.casefold() for item in self.registry for name in item.names)


def says_how(said: Clause) -> bool:
    """Whether it says what is to be done, how much or when, of nothing else than what is chosen beside it."""
    if isinstance(said, DialogueMove) and not isinstance(said, Fix):
        return said.move in ("value", "time")
    if not isinstance(said, Order | Fix):
        return False
    return said.action is not None or said.parameter is not None or said.when is not None or bool(said.conditions)


def is_the_same(said: Clause, asked: Clause) -> bool:
    """Whether it is what was asked about, told again, and no more: "turn down the bedroom one"."""
    return said.is_plain and said.parameter in (None, asked.parameter) and deed_of(said) == deed_of(asked)


def _answer(question: Question, chosen: tuple[str, ...], said: Clause) -> Answer:
    asked = question.clause
    made = revised(asked, said) if isinstance(asked, Order) and len(asked.targets) == 1 else None
    if made is None:
        return Answer("misheard")
    return Answer("chosen", chosen, program=question.with_clause(made))


def revised(asked: Order, said: Clause) -> Order | None:
    """What was asked about, with what is said of it; None where that cannot be told."""
    plain = all(target.reference in _POINTS for target in said.targets)
    if said.negated or said.excluded or said.either or said.implicit or not plain:
        return None
    if (said.when is not None and asked.when is not None) or (said.conditions and asked.conditions):
        return None
    made = _done(asked, said)
    if made is None:
        return None
    if said.conditions:
        made = replace(made, conditions=said.conditions, condition_join=said.condition_join)
    return replace(made, when=said.when) if said.when is not None else made


def _done(asked: Order, said: Clause) -> Order | None:
    """The deed that is said instead of that which was asked about."""
    edit = edit_of(said)
    parameter = edit.parameter if edit is not None else None
    if parameter is None:
        if said.action in (None, asked.action):
            return asked
        return switched(replace(asked, action=said.action, parameter=None))
    before = asked.parameter
    parameter = onto(parameter, before, asked.action)
    if parameter.op != "set" and before is not None and (before.op, parameter.op) in _AGAINST:
        return None  # "down" - "the study one, all the way"
    if before is None and parameter.unit is None and isinstance(parameter.value, float) and parameter.value <= _HOURS:
        return None  # "at nine": an hour, or how much
    if _is_counted(before) and parameter.op == "set" and parameter.toward is None:
        return None  # "by five" - "the study one, two": by two, or to two
    return replace(asked, action=CHANGES.get(parameter.op, "set"), parameter=parameter)


def _is_counted(before: Parameter | None) -> bool:
    """Whether it was asked about a change by so much."""
    return before is not None and before.op in CHANGES and before.value is not None and before.unit != "step"
