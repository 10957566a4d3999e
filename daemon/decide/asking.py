"""Putting things into words that end a clause or wait for an answer: questions, refusals, offers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from daemon.converse import wording
from daemon.converse.replies import Replies
from daemon.core.ir import Attribute, Clause
from daemon.core.questions import EXPIRY_S, Question, QuestionKind
from daemon.core.resolution import ClauseResolution, Decision
from daemon.core.result import ResultOutcome
from daemon.core.turn import Judged, Report, Turn
from daemon.core.values import replace
from daemon.decide.gate import Gate
from daemon.decide.settling import open_to
from daemon.home.registry import Registry
from daemon.schedule.keeping import Schedule

_OFFERED = 2
"""So many names that are nearly what was said are offered."""
_MOST_CHOICES = 12
"""Of more than so many nobody can choose: then the name is asked for."""


class Asking:
    """Asks, offers and refuses in one home."""

    def __init__(
        self,
        *,
        registry: Registry,
        gate: Gate,
        replies: Replies,
        schedule: Schedule,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._gate = gate
        self._replies = replies
        self._schedule = schedule
        self._clock = clock

    def dimension(self, options: Sequence[str]) -> str:
        """What tells options apart best."""
        return self._gate.dimension(options)

    def expiry(self) -> float:
        """When a question that is asked now expires."""
        return self._clock() + EXPIRY_S

    def asked(self, question: Question, lang: str) -> Report:
        """A question in words."""
        words = wording.question(question, self._registry, self._replies, lang)
        said = question.clause.when
        if said is not None and question.kind == "confirm":
            words = self._schedule.asked(words, question.clause, question.watched, lang)
            if said.beyond is not None:
                words = self._replies.say("later.beyond.unread", lang, question=words)
        return Report("clarify", words, question.reason, question=question)

    def refused(self, turn: Turn, decision: Decision, found: ClauseResolution) -> Report:
        """Why not, with the names that come nearest where one is not known."""
        lang = turn.lang
        if decision.reason == "not_understood":
            return Report("ignore", self._replies.say("not_understood", lang), decision.reason)
        named = turn.clause.parameter.attribute if turn.clause.parameter is not None else None
        asked, changed = (named, None) if turn.clause.intent == "query" else (None, named)
        names = (*found.targets, *found.excluded, *found.conditions)
        unknown = next((item for item in names if open_to(item, "not_found")), None)
        asked = asked or _untold(turn.clause, found)
        if unknown is not None and decision.mention is not None and unknown.nearest == decision.nearest:
            return self._offered(turn, decision)
        reply = wording.refusal(
            decision,
            self._registry,
            self._replies,
            lang,
            asked=asked,
            action=turn.clause.action,
            attribute=changed,
        )
        return Report("reject", reply, decision.reason, decision.entities)

    def about(self, turn: Turn, decision: Decision) -> Report:
        """The question that the gate wants answered."""
        if decision.reason.startswith("confirm"):
            return self.question(turn, "confirm", decision.reason, decision.entities, word=decision.mention)
        if 0 < len(decision.options) <= _MOST_CHOICES:
            return self.question(
                turn, "choose", decision.reason, decision.options, decision.dimension, word=decision.mention
            )
        return self.question(turn, "target", decision.reason, ())

    def question(
        self,
        turn: Turn,
        kind: QuestionKind,
        reason: str,
        options: tuple[str, ...],
        dimension: str | None = None,
        *,
        word: str | None = None,
    ) -> Report:
        """A question about this clause, that expires."""
        told = [self._registry[item] for item in options] if dimension == "kind" else ()
        question = Question(
            kind,
            reason,
            turn.program,
            options,
            self.expiry(),
            turn.at,
            dimension=dimension,
            kinds=tuple(self._replies.kind(item.type or item.kind, turn.lang) for item in told),
            heard=turn.heard,
            word=word,
            watched=turn.watched,
            choice=turn.choice,
        )
        return self.asked(question, turn.lang)

    def ends(self, turn: Turn, outcome: ResultOutcome, key: str) -> Judged:
        """The clause ended with a sentence of the reply tables."""
        return Judged(turn, report=Report(outcome, self._replies.say(key, turn.lang), key))

    def _offered(self, turn: Turn, decision: Decision) -> Report:
        """A refusal that names what comes nearest, and waits a while whether that was meant."""
        nearest = decision.nearest[:_OFFERED]
        alone = turn.alone()
        question = self.question(alone, "choose", decision.reason, nearest, "name", word=decision.mention).question
        assert question is not None
        question = replace(question, settled={0: turn.settled})
        return replace(self.asked(question, turn.lang), outcome="reject")


def _untold(clause: Clause, found: ClauseResolution) -> Attribute | None:
    """What nothing here tells, of what the conditions are about: the weather, whether somebody is at home."""
    if any(item.status not in ("resolved", "ambiguous") for item in found.targets):
        return None
    tests = zip(found.conditions, clause.conditions, strict=False)
    blind = (test for item, test in tests if item.status not in ("resolved", "ambiguous"))
    return next(
        (test.attribute for test in blind if test.target.mention is None and test.target.kind in (None, "sensor")), None
    )
