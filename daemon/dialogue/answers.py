"""Answers to a pending question: what was said, what else may have been said, and what is left of it without talk."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence

from daemon.core.ir import Clause, Inquiry, Order, Program, Target, Unread
from daemon.core.messages import Words, say
from daemon.core.questions import NOTHING_SETTLED, Answer, Question, Settled
from daemon.core.result import Report
from daemon.core.thresholds import Thresholds
from daemon.core.trace import Trace
from daemon.core.values import replace
from daemon.dialogue.amending import refused
from daemon.dialogue.consenting import at_stake
from daemon.dialogue.interpret import interpret
from daemon.dialogue.leaning import is_whole, points_back
from daemon.dialogue.which import Tongue
from daemon.home.registry import Registry
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.readings import Heard


class Answers:
    """Finds the answer to a question, in one home.

    Args:
        registry: The home.
        comprehension: Reads texts.
        thresholds: How sure the hearing of a yes must be.
        bare: What an utterance may say without the talk around it.
    """

    def __init__(
        self,
        registry: Registry,
        comprehension: Comprehension,
        thresholds: Thresholds,
        bare: Callable[[Heard, Trace], AsyncIterator[Heard]],
    ) -> None:
        self._registry = registry
        self._comprehension = comprehension
        self._thresholds = thresholds
        self._bare = bare

    async def of(
        self, question: Question, first: Heard, others: Iterator[Heard], trace: Trace
    ) -> tuple[Answer, Heard, float]:
        """What was said means as the answer; what that is, less its talk; and how surely it was heard.

        A lower hypothesis counts only where the better ones fit nothing, and never as a yes; nor is a yes with talk
        around it one where anything is at stake. A no is one, whatever is said behind it.
        """
        tongue = self._tongue(question)
        answer = interpret(question, first.said, first.text, first.readings, tongue, self._registry)
        if answer.kind == "yes" and self._thresholds.is_doubtful(first.confidence):
            answer = Answer("misheard")  # a yes that may have been noise opens no door
        trace.note("converse", question=question.reason, answer=answer.kind, entities=answer.entities)
        if answer.kind != "misheard":
            return answer, first, first.confidence
        for heard in others:
            lower = interpret(question, heard.said, heard.text, heard.readings, tongue, self._registry)
            if lower.kind not in ("misheard", "other", "yes"):
                trace.note("hear", taken=heard.text, instead_of=first.text, answer=lower.kind)
                return lower, first, heard.confidence
        risky = at_stake(question, self._registry) or self._thresholds.is_doubtful(first.confidence)
        async for less in self._bare(first, trace):
            found = interpret(question, less.said, less.text, less.readings, tongue, self._registry)
            if found.kind != "misheard" and not (found.kind == "yes" and risky):
                trace.note("converse", question=question.reason, answer=found.kind, entities=found.entities)
                return found, less, less.confidence
        return refused(question, first.said, tongue, self._concerns) or answer, first, first.confidence

    def is_command(self, program: Program) -> bool:
        """Whether it is a sure command of its own, whatever is open."""
        return is_whole(program) and not self._thresholds.is_doubtful(program.confidence)

    def _concerns(self, words: str) -> bool:
        return self._comprehension.concerns(words) or self._comprehension.depends(words)

    def _tongue(self, question: Question) -> Tongue:
        lang, known = question.program.lang, self._comprehension

        def read(whole: str) -> Sequence[Program]:
            return known.read_text(whole, lang)

        def named(words: str) -> tuple[Target, ...]:
            return known.named(words, lang)

        return Tongue(read, named, known.essence, known.consent, known.heads, self._thresholds)


def confirmed(question: Question) -> dict[int, Settled]:
    """What a yes settles of all that was asked in the same breath."""
    before = {other.at: question.settled.get(other.at, NOTHING_SETTLED) for other in question.also}
    return {
        other.at: replace(
            before[other.at], confirmed=other.options, despite=(*before[other.at].despite, *other.despite)
        )
        for other in question.also
    }


def less_refused(question: Question) -> Program | None:
    """What was said beside that to which the answer is no, and is nothing of it; None where that is nothing.

    A no to whether it was understood is one to all of it.
    """
    gone = {question.at, *(other.at for other in question.also)}
    program, left = question.program, list[Clause]()
    of_it = [program.clauses[at].targets for at in gone if at < len(program.clauses)]
    for at, clause in enumerate(program.clauses):
        if (
            at in gone
            or clause.targets in of_it
            or (at - 1 in gone and points_back(replace(program, clauses=(clause,))))
        ):
            gone.add(at)
        elif isinstance(clause, Order | Inquiry | Unread):
            left.append(clause)
    understood = question.kind == "confirm" and question.reason != "confirm_reading"
    wanted = understood and any(isinstance(clause, Order) for clause in left)
    return replace(program, clauses=tuple(left), source="dialogue") if wanted else None


def refusal(answer: Answer) -> Report:
    """That nothing is done, and what nobody understood of the no."""
    unread = (say("unread", words=Words(answer.unread)),) if answer.unread else ()
    return Report("ignore", (say("confirmed_no"), *unread))
