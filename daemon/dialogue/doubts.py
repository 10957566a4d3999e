"""What stands against doing at once what was read: the order waits for something, or somebody only tells of it."""

from __future__ import annotations

from msgspec import Struct

from daemon.compiler.compiler import Compiler
from daemon.compiler.drafting import depending
from daemon.core.ir import Order, Program, Unread
from daemon.core.thresholds import Thresholds
from daemon.core.trace import Trace
from daemon.core.values import replace
from daemon.dialogue.leaning import values
from daemon.dialogue.piecewise import is_bare
from daemon.resolve.comprehension import Comprehension, language
from daemon.resolve.readings import Choice, Heard
from daemon.understand.normalize import Normalized, paused


class Doubts(Struct, frozen=True):
    """Asks the segmenter about what is to be done at once, however it was read.

    Args:
        comprehension: Reads texts.
        thresholds: How sure it must be.
        compiler: The small models; None: nothing is doubted.
    """

    comprehension: Comprehension
    thresholds: Thresholds
    compiler: Compiler | None

    async def of(self, choice: Choice | None, first: Heard, trace: Trace) -> Choice | None:
        """The same reading; with what it leaves out, or to be asked back, where something stands against it."""
        if choice is None or self.compiler is None or not _is_for_now(choice.program):
            return choice
        said = Normalized(first.text, language(first.lang), first.said)
        text = self.comprehension.asked(paused(said) or said).text
        standing = await self.compiler.standing(text)
        waits = standing.waits
        words = text[waits.start : waits.end].strip(" ,") if waits is not None else ""
        if waits is not None and waits.chance >= self.thresholds.waits and not self._is_heeded(words, choice.program):
            trace.note("doubt", waits=words, chance=round(waits.chance, 3))
            left_out = (
                () if any(isinstance(clause, Unread) for clause in choice.program.clauses) else (Unread(text=words),)
            )
            program = depending(choice.program)
            return replace(choice, program=replace(program, clauses=(*left_out, *program.clauses)))
        if standing.talk >= self.thresholds.told_of:
            trace.note("doubt", talk=round(standing.talk, 3))
            sure = self.thresholds.doubted(choice.program.confidence)
            return replace(choice, program=replace(choice.program, confidence=sure))
        return choice

    def _is_heeded(self, words: str, program: Program) -> bool:
        """Whether words that seem to say when are how much is set: 放到放到三十五."""
        amounts = self.comprehension.amounts(words)
        return bool(amounts) and amounts <= values(program) and not self.comprehension.hangs(words, leads=True)

    def none_of(self, choice: Choice | None, first: Heard) -> bool:
        """Whether the grammar surely has a place for each word: names of a home sound like talk ("turn on my son").

        Args:
            choice: How the whole was read, not its clauses one by one.
            first: What was said.
        """
        program = choice.program if choice is not None else None
        sure = self.comprehension.sure.assembled
        return program is not None and program.text == first.text and program.confidence > sure


def _is_for_now(program: Program) -> bool:
    """Whether it orders something, and nothing of it for later or on a condition."""
    orders = [clause for clause in program.clauses if isinstance(clause, Order)]
    return bool(orders) and all(map(is_bare, orders))
