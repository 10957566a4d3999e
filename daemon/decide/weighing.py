"""What is to be done about those who are meant, once what it rests on was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from daemon.act import facts, senses
from daemon.act.answers import Presses, Unmet
from daemon.core.decisions import Act, Ask, Decision, Keep, Query, Refuse
from daemon.core.ir import Clause, Comparator, Inquiry, Op, Order, Parameter, Timer, When
from daemon.core.messages import Names, Words, say
from daemon.core.outcomes import Ban, Observed
from daemon.core.questions import Question
from daemon.core.resolution import Context, union
from daemon.core.result import ResultOutcome
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.decide.looking import Look, for_now
from daemon.decide.parts import unheeded
from daemon.decide.remarks import Remarks
from daemon.home.actions import pursues
from daemon.home.registry import Registry
from daemon.schedule.times import Times

_DOWN: Final[Mapping[str, Comparator]] = {"ge": "le"}
_LIMITS: Final = frozenset({"gt", "ge", "lt", "le"})
_WAYS: Final[Mapping[Op, str]] = {"increase": "heat", "decrease": "cool"}
"""How the temperature of a room goes up and down."""


class Weighing:
    """Decides on commands and questions in one home."""

    def __init__(self, *, registry: Registry, times: Times, remarks: Remarks, asking: Asking) -> None:
        self._registry = registry
        self._times = times
        self._remarks = remarks
        self._asking = asking

    def decide(self, look: Look, observed: Observed) -> Decision:
        """What is to be done, with the readings that the look asked for."""
        when = look.turn.clause.when
        if when is None or for_now(look.turn.clause):
            decision = self._remarks.unset(self.now(look, observed), look.open.just)
            reminds = isinstance(look.turn.clause, Timer) and isinstance(decision, Act)
            return Keep(look.turn, "timer") if reminds else decision
        if when.beyond is not None:
            return self._beyond(look, when, observed)
        if when.until_so:
            look = self._reaching(look, observed)
        return self._remarks.unset(self._timed(look, when, observed), look.open.just)

    def now(self, look: Look, observed: Observed) -> Act | Query | Ask | Refuse:
        """The same, whatever time was said."""
        turn, ruling = look.turn, look.ruling
        clause = turn.clause
        if ruling.verdict == "refuse":
            return self._asking.refused(turn, ruling, look.resolution)
        excepted = union(item.entities for item in look.resolution.excluded)
        said = union((item.via,) if item.via else item.entities for item in look.resolution.excluded)
        spared, cleans = union((said, (item.entity for item in look.bans))), bool(ruling.cleans)
        if dropped := unheeded(turn, ruling.entities, self._registry, spared, kept=look.later, cleans=cleans):
            return dropped
        if look.hangs and (unmet := self._unmet(look, observed)) is not None:
            return unmet
        if (
            ruling.reason == "confirm_reading"
            and (named := self._remarks.only_named(turn, ruling.entities)) is not None
        ):
            return named
        if ruling.verdict == "ask":
            if clause.implicit and not ruling.options and not ruling.entities:
                return self._asking.ends(turn, "ignore", "not_understood")  # "too much", and nobody knows of what
            on = _switched_on(clause, ruling.entities, turn.context, self._registry)
            return self._asking.about(turn if on is None else turn.instead(on), ruling)
        if isinstance(clause, Inquiry):
            return Query(turn, ruling.reason, ruling.entities)
        bans = (*(Ban(item) for item in excepted), *look.bans)
        return Act(turn, ruling.reason, ruling.entities, ruling.left_out, ruling.cleans, ruling.everywhere, bans)

    def _timed(self, look: Look, when: When, observed: Observed) -> Decision:
        """What is not for now, or only for so long: decided as if it were for now, but for its conditions."""
        turn = look.turn
        decision = self.now(look, observed)
        act = decision if isinstance(decision, Act) else None
        if act is None and not look.ruling.reason.startswith("confirm"):
            return decision
        # Whoever is asked for a yes should know when it will be.
        if (doubt := self._times.doubt(when)) is not None:
            return self._asking.about_time(turn, doubt)
        if act is None:
            return decision
        if (when.repeating or when.until_so) and (unseen := self._unseen(turn)) is not None:
            return unseen
        risky = self._times.risky_end(turn.clause, act.entities)
        if unconfirmed := tuple(item for item in risky if item not in turn.settled.confirmed):
            return self._asking.question(turn, "confirm", "confirm_after", unconfirmed)
        if not look.later:
            return act
        holds = when.repeating and self._verdict(look, observed).holds is True
        within = {member for item in act.entities for member in self._registry[item].members}
        spared = tuple(item.entity for item in act.bans if item.entity in within)
        return Keep(turn, act.reason, act.entities, act.cleans, turn.watched, holds, spared)

    def _unseen(self, turn: Turn) -> Decision | None:
        """What nobody here could watch for is refused."""
        conditions = turn.clause.conditions
        if any(item.comparator == "than" for item in conditions):
            return self._asking.ends(turn, "reject", "later.than")
        if blind := senses.blind(conditions, turn.watched, self._registry):
            said = say("later.no_senses", len(blind), names=Names(tuple(blind)))
            return Refuse(turn, (said,), "later.no_senses", entities=tuple(blind))
        if (none := senses.lacks(conditions, turn.watched, self._registry)) is not None:
            return Refuse(turn, (Presses(*none, lacked=True),), "later.no_press", entities=none[0])
        return None

    def _beyond(self, look: Look, when: When, observed: Observed) -> Decision:
        """What depends on something that nothing here can go by is not done.

        Where nobody understood what that is, its speaker may say that it is to be done without.
        """
        turn, decision = look.turn, self.now(look, observed)
        if look.ruling.verdict == "refuse":
            return decision
        if when.beyond == "unread":
            if not isinstance(decision, Act):
                return decision
            return self._asking.question(turn, "confirm", "confirm_reading", decision.entities)
        key = f"later.beyond.{when.beyond}"
        return Refuse(turn, (say(key, said=Words(when.said or "")),), key)

    def _reaching(self, look: Look, observed: Observed) -> Look:
        """The look, where what is to be reached lies below: a drier that runs "until the humidity gets to 50"."""
        clause = look.turn.clause
        holds = self._verdict(look, observed).holds
        if look.later or holds is False or (holds is None and not self._was_above(look)):
            return look
        down = tuple(
            replace(item, comparator=_DOWN.get(item.comparator, item.comparator)) for item in clause.conditions
        )
        return replace(look, turn=look.turn.instead(replace(clause, conditions=down)))

    def _was_above(self, look: Look) -> bool:
        """Whether all that a sleepy sensor told last lies above what is to be reached."""
        known = [
            isinstance(value := look.turn.context.state_of(item, test.condition.attribute), float | int)
            and isinstance(test.condition.value, float)
            and value > test.condition.value
            for test in look.tests
            for item in test.entities
        ]
        return bool(known) and all(known)

    def _unmet(self, look: Look, observed: Observed) -> Refuse | None:
        """The refusal, where conditions do not hold or cannot be told."""
        verdict = self._verdict(look, observed)
        when = look.turn.clause.when
        if when is not None and when.until_so:  # what it waits for may be so already; where nobody knows, it waits
            verdict = replace(verdict, holds=verdict.holds is not True)
        look.turn.trace.note("condition", holds=verdict.holds, facts=[item.to_dict() for item in verdict.facts])
        if verdict.holds:
            return None
        # "If" about now that does not hold is carried out by doing nothing; what cannot be told is refused.
        outcome: ResultOutcome = "reject" if verdict.holds is None else "execute"
        return Refuse(
            look.turn,
            (Unmet(verdict.facts, verdict.holds),),
            "condition",
            outcome,
            read=tuple(item.entity for item in verdict.facts),
            readings=tuple(item.observation for item in verdict.facts),
            offer=self._whenever(look) if verdict.holds is False else None,
        )

    def _whenever(self, look: Look) -> Question | None:
        """The offer to do it whenever it is so, where it is not now: "if it is above 26, turn on the fan"."""
        clause = look.turn.clause
        measured = all(item.comparator in _LIMITS and isinstance(item.value, float) for item in clause.conditions)
        if not isinstance(clause, Order) or clause.when or not measured or not look.turn.attended:
            return None
        turn = replace(look.turn, watched=tuple(item.entities for item in look.tests))
        turn = turn.instead(replace(clause, when=When(repeating=True, every=True)))
        if len(turn.program.clauses) > 1 or look.ruling.verdict != "act" or self._unseen(turn) is not None:
            return None
        return self._asking.question(turn, "confirm", "confirm_reading", look.ruling.entities).question

    def _verdict(self, look: Look, observed: Observed) -> facts.Verdict:
        return facts.evaluate(look.tests, look.turn.clause.condition_join, observed, self._registry)


def _switched_on(clause: Clause, entities: Sequence[str], context: Context, registry: Registry) -> Order | None:
    """A need ("it's so hot") as "switch it on", in the mode that helps; None where that is not what helps.

    Nobody lowers the setting of an air conditioner that is off; and a heater that is off is no help against heat.
    """
    wished = clause.parameter
    if not isinstance(clause, Order) or not clause.implicit:
        return None
    devices = [registry[item] for item in entities]
    if not devices:
        return None
    if wished is not None and wished.attribute == "brightness" and wished.op == "increase":
        dark = all(context.state_of(item.id, "state") == "off" for item in devices)
        dimmed = all(item.capability("brightness") is not None for item in devices)
        return replace(clause, action="turn_on", parameter=None) if dark or not dimmed else None
    if wished is None or wished.attribute != "temperature" or wished.op not in _WAYS:
        return None
    way = _WAYS[wished.op]
    if any(context.state_of(item.id, "state") != "off" or not pursues(item, way) for item in devices):
        return None
    modes = any(item.capability("mode") is not None for item in devices)
    return replace(clause, action="turn_on", parameter=Parameter("mode", "set", way) if modes else None)
