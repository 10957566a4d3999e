"""Decisions that end a clause or wait for an answer: questions, refusals, offers. Data only."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from daemon.core.decisions import Ask, Decision, Refuse
from daemon.core.ir import Attribute, Clause, Inquiry, Order
from daemon.core.messages import Refused, say
from daemon.core.questions import EXPIRY_S, Question, QuestionKind
from daemon.core.resolution import ClauseResolution, Ruling
from daemon.core.result import ResultOutcome
from daemon.core.thresholds import Thresholds
from daemon.core.turn import Turn
from daemon.core.values import replace

_OFFERED = 2
"""So many names that are nearly what was said are offered."""
_MOST_CHOICES = 12
"""Of more than so many nobody can choose: then the name is asked for."""
_OF_TIME: Mapping[str, QuestionKind] = {"vague": "when", "half": "half"}
"""What of a time is asked about, and how."""


_DOUBTS = frozenset({"confirm_reading", "confirm_name"})
"""Of these, a yes says only that it was understood: it does for all of an utterance."""


def asked_first(decisions: Sequence[Decision]) -> Ask | None:
    """The first question of an utterance, behind what can't be done of it: a yes is to be one to the rest."""
    asked = _asked_first(decisions)
    refused = tuple(said for item in decisions if isinstance(item, Refuse) for said in item.said)
    return None if asked is None else replace(asked, before=(*refused, *asked.before))


def _asked_first(decisions: Iterable[Decision]) -> Ask | None:
    """Where it asks whether that is meant, so for all of which that is asked."""
    asks = [item for item in decisions if isinstance(item, Ask) and item.outcome == "clarify"]
    alike = [item for item in asks if _is_doubt(item)]
    if not asks or asks[0] not in alike or len(alike) == 1:
        return asks[0] if asks else None
    first, *others = alike
    also = tuple(item.question for item in others)
    question = replace(first.question, reason="confirm_reading", word=None, also=also)
    before = tuple(dict.fromkeys(said for item in alike for said in item.before))
    return replace(first, question=question, before=before, entities=question.about)


def _is_doubt(ask: Ask) -> bool:
    now = isinstance(ask.turn.clause, Order) and ask.turn.clause.when is None
    return now and ask.question.kind == "confirm" and ask.question.reason in _DOUBTS


class Asking:
    """Asks, offers and refuses in one home."""

    def __init__(self, thresholds: Thresholds, clock: Callable[[], float] = time.monotonic) -> None:
        self._thresholds = thresholds
        self._clock = clock

    def expiry(self) -> float:
        """When a question that is asked now expires."""
        return self._clock() + EXPIRY_S

    def refused(self, turn: Turn, ruling: Ruling, found: ClauseResolution) -> Refuse | Ask:
        """Why not, with the names that come nearest where one is not known."""
        if ruling.reason == "not_understood":
            return self.ends(turn, "ignore", "not_understood")
        named = turn.clause.parameter.attribute if turn.clause.parameter is not None else None
        asked, changed = (named, None) if isinstance(turn.clause, Inquiry) else (None, named)
        names = (*found.targets, *found.excluded, *found.conditions)
        unknown = next((item for item in names if item.open_to("not_found")), None)
        untold = _untold(turn.clause, found)
        if ruling.reason == "unsupported" and any(item.entities == ruling.entities for item in found.conditions):
            ruling = replace(ruling, reason="later.no_senses" if untold is None else "empty")  # it is no act
        asked = asked or untold
        if unknown is not None and ruling.mention is not None and unknown.nearest == ruling.nearest:
            return self._offered(turn, ruling)
        if ruling.reason == "empty" and isinstance(turn.clause, Inquiry) and turn.clause.excluded:
            return Refuse(turn, (say("answer.none_else"),), "none_else", "query")
        said = Refused(ruling, asked, turn.clause.action, changed)
        return Refuse(turn, (said,), ruling.reason, entities=ruling.entities)

    def about(self, turn: Turn, ruling: Ruling) -> Ask:
        """The question that the gate wants answered."""
        if ruling.reason.startswith("confirm"):
            return self.question(turn, "confirm", ruling.reason, ruling.entities, word=ruling.mention)
        if 0 < len(ruling.options) <= _MOST_CHOICES:
            return self.question(turn, "choose", ruling.reason, ruling.options, ruling.dimension, word=ruling.mention)
        return self.question(turn, "target", ruling.reason, ())

    def question(
        self,
        turn: Turn,
        kind: QuestionKind,
        reason: str,
        options: tuple[str, ...],
        dimension: str | None = None,
        *,
        word: str | None = None,
    ) -> Ask:
        """A question about this clause, that expires."""
        question = Question(
            kind,
            reason,
            turn.program,
            options,
            self.expiry(),
            turn.at,
            dimension=dimension,
            heard=turn.heard,
            word=word,
            watched=turn.watched,
            choice=turn.choice,
        )
        return Ask(turn, question, options)

    def about_time(self, turn: Turn, doubt: str) -> Ask | Refuse:
        """What stands against a time: asked, where an answer helps."""
        if doubt in _OF_TIME:
            return self.question(turn, _OF_TIME[doubt], f"later.{doubt}", ())
        return self.ends(turn, "reject", f"later.{doubt}")

    def doubtful(self, turn: Turn) -> Refuse | None:
        """The end of what was hardly heard, and not confirmed either."""
        if turn.settled.confirmed or not self._thresholds.is_doubtful(turn.sure):
            return None
        return self.ends(turn, "ignore", "not_understood")

    def ends(self, turn: Turn, outcome: ResultOutcome, key: str) -> Refuse:
        """The clause ended with a sentence of the reply tables."""
        return Refuse(turn, (say(key),), key, outcome)

    def _offered(self, turn: Turn, ruling: Ruling) -> Ask:
        """A refusal that names what comes nearest, and waits a while whether that was meant."""
        nearest = ruling.nearest[:_OFFERED]
        asked = self.question(turn.alone(), "choose", ruling.reason, nearest, "name", word=ruling.mention)
        question = replace(asked.question, settled={0: turn.settled})
        return Ask(turn, question, outcome="reject")


def _untold(clause: Clause, found: ClauseResolution) -> Attribute | None:
    """What nothing here tells, of what the conditions are about: the weather, whether somebody is at home."""
    if any(item.status not in ("resolved", "ambiguous") for item in found.targets):
        return None
    tests = zip(found.conditions, clause.conditions, strict=False)
    blind = (test for item, test in tests if item.status not in ("resolved", "ambiguous"))
    return next(
        (test.attribute for test in blind if test.target.mention is None and test.target.kind in (None, "sensor")), None
    )
