"""Where nothing was understood: the one thing that was named, and the question what is to be done with it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from daemon.act.answers import Acted, Presses, Was
from daemon.act.planner import undo
from daemon.act.senses import only_pressed
from daemon.compiler.compiler import Compiled
from daemon.compiler.meanings import NOTHING
from daemon.core.ir import DialogueMove, Order, Program
from daemon.core.messages import Message, Names, say
from daemon.core.outcomes import Outcome
from daemon.core.questions import DEED, EXPIRY_S, Question
from daemon.core.resolution import Context
from daemon.core.result import Report, asking
from daemon.core.trace import Trace
from daemon.core.values import replace
from daemon.dialogue.dialogue import Dialogue
from daemon.home.names import has_han, spelt
from daemon.home.registry import Registry
from daemon.resolve.comprehension import language
from daemon.resolve.passing import Passing
from daemon.resolve.readings import Heard
from daemon.resolve.resolver import Resolver
from daemon.understand.normalize import normalize

_SHARE: Final = 0.3
"""So much of what was said has to name the thing: talk that only mentions one says more besides."""
_MOST: Final = {True: 12, False: 7}
"""Words, or Chinese characters, of the longest utterance that is worth a question."""
_SHARE_FOR_US: Final = 0.2
_MOST_FOR_US: Final = {True: 24, False: 14}
"""The same where the model hears something for us, and only does not know what."""

_LAST, BEFORE, WHO = "recalled", "before", "who"
RECALLED: Final = frozenset({_LAST, BEFORE, WHO})
"""The sorts of what is asked about what was done: what that was, how it was before, and who did it."""
_MOST_ACTS = 12
_MOST_NAMED = 30
"""So much nobody wants in one breath; what does is stammered, or read from a list, and would go on for minutes."""


class LastResort:
    """Asks about what was named where nothing else is known of an utterance, or tells what that tells. Never acts."""

    def __init__(self, resolver: Resolver, registry: Registry, clock: Callable[[], float] = time.monotonic) -> None:
        self._resolver = resolver
        self._registry = registry
        self._clock = clock

    def ask(self, first: Heard, model: Compiled | None, context: Context, trace: Trace) -> Report | None:
        """The question about the only thing that was named; None where none was, or nobody should be asked.

        Args:
            first: What was heard.
            model: What the model makes of it; None where there is none, or it cannot tell.
            context: What is known around it.
            trace: Takes notes.
        """
        if model is not None and (model.meaning == NOTHING or model.program is not None):
            return None  # not for us, or something that this home cannot do
        for_us = model is not None
        share, most = (_SHARE_FOR_US, _MOST_FOR_US) if for_us else (_SHARE, _MOST)
        if len(spelt(first.text)) > most[has_han(first.text)]:
            return None
        with trace.timed("resolve"):
            found = self._resolver.spoken_of(first.text, context)
        if found is None or found.share < share:
            return None
        trace.note("understand", named=found.words, entities=list(found.entities), share=round(found.share, 2))
        if (told := only_pressed(found.entities, self._registry)) is not None:
            return Report("assistant", (Presses(*told),), "presses", found.entities)
        return asking(self._question(found, first))

    def lost(self, first: Heard, model: Compiled | None, context: Context) -> Report:
        """The reply to what nobody understood; what it named is what was spoken of last, unless it was not for us."""
        for_others = model is not None and model.meaning == NOTHING
        named = () if for_others else self.named(first.text, context)
        return replace(nothing(first.text), entities=named)

    def named(self, text: str, context: Context) -> tuple[str, ...]:
        """The ids of all that is named in what was not understood, or not carried out."""
        return self._resolver.named_in(text, context)

    def recalled(self, sort: str, dialogue: Dialogue, text: str, context: Context, *, elsewhere: bool) -> Report:
        """The reply to what asks about what was done here: of what is named, where anything is.

        How things were before is known of what was changed, and of nothing else; a room that is named (`elsewhere`) is
        none of that.
        """
        named = self._resolver.spoken_of(text, context)
        steps = dialogue.steps[-1:] if sort == _LAST else dialogue.steps
        all_ = (item for step in steps for item in step if isinstance(item, Outcome))
        done = tuple(item for item in all_ if named is None or item.write.entity in named.entities)
        if not done or (elsewhere and named is None):
            return nothing(text, sort)
        back, touched = undo(done, self._registry), tuple(dict.fromkeys(item.write.entity for item in done))
        what = say("recalled", len(touched), names=Names(touched)) if len(touched) > 1 else Acted(done)
        told: list[Message] = [what] if sort == _LAST else [say("recalled.mine")] if sort == WHO else []
        told += [Was(back.writes)] if back.writes else []
        if back.unknown or (sort == BEFORE and not back.writes):
            unknown = back.unknown or touched
            told.append(say("cannot_undo", len(unknown), names=Names(unknown)))
        return Report("query", tuple(told), sort, touched)

    def _question(self, found: Passing, first: Heard) -> Question:
        said = normalize(found.words, language(first.lang))
        words = said.text
        named = DialogueMove("select", text=words)
        program = Program((named,), "grammar", said.lang, text=words, missing="more", needs_fallback=True)
        return Question(
            "rest", DEED, program, found.entities, self._clock() + EXPIRY_S, heard=first.confidence, word=words
        )


def nothing(text: str, unable: str | None = None) -> Report:
    """The reply to what says nothing to us: that it was not heard, not understood, or that no home does it."""
    said = "not_heard" if not text else "not_understood" if unable is None else f"unable.{unable}"
    return Report("ignore", (say(said),))


def is_breathless(program: Program) -> bool:
    """Whether it wants more at once than anybody says."""
    acts = sum(isinstance(clause, Order) for clause in program.clauses)
    named = sum(max(1, len(item.targets) + len(item.excluded) + len(item.conditions)) for item in program.clauses)
    return acts > _MOST_ACTS or named > _MOST_NAMED
