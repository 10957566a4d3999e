"""Deciding one clause: what it means, whether its conditions hold, what the gate says. No I/O, no words.

In two steps, as what must be read is known only once it is known who is meant: `look` resolves the clause, once, and
says what to read; `decide` takes the readings.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from daemon.act.planner import Scenes
from daemon.core.decisions import Act, Ask, Decision, Query, Refuse, Teach, Undo
from daemon.core.ir import (
    AboutAgenda,
    AboutList,
    Broadcast,
    Clause,
    DialogueMove,
    Help,
    Inquiry,
    Lesson,
    Order,
    Permission,
    Prohibition,
    Target,
    Timer,
    Unread,
)
from daemon.core.messages import Words, say
from daemon.core.outcomes import Ban, Observed
from daemon.core.questions import QuestionKind
from daemon.core.resolution import ClauseResolution, Ruling, union
from daemon.core.thresholds import Thresholds
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.decide.gate import Gate
from daemon.decide.kept import KeptThings
from daemon.decide.listed import ListThings, needed
from daemon.decide.looking import Look, Looking
from daemon.decide.parting import after, at_its_end, held_in, is_parted, of_the_house, parts_of
from daemon.decide.parts import unheeded_at_all
from daemon.decide.prohibitions import Prohibitions
from daemon.decide.remarks import Remarks
from daemon.decide.telling import Telling
from daemon.decide.weighing import Weighing
from daemon.dialogue.dialogue import Open
from daemon.home import kinds
from daemon.home.actions import capability_for
from daemon.home.registry import Registry
from daemon.lists.lists import Lists
from daemon.memory.teaching import Teaching
from daemon.resolve.request import need_of
from daemon.resolve.resolver import Resolver
from daemon.schedule.agenda import Agenda
from daemon.schedule.moments import Moments
from daemon.schedule.times import Times, waits


class Decider:
    """Decides clauses in one home."""

    def __init__(
        self,
        *,
        registry: Registry,
        resolver: Resolver,
        teaching: Teaching,
        agenda: Agenda,
        moments: Moments,
        lists: Lists,
        scenes: Scenes,
        thresholds: Thresholds,
    ) -> None:
        asking, gate = Asking(thresholds, agenda.clock.monotonic), Gate(registry, thresholds, scenes)
        times = Times(agenda, moments, registry)
        self._registry = registry
        self._resolver = resolver
        self._teaching = teaching
        self._thresholds = thresholds
        self._asking = asking
        self._kept = KeptThings(agenda, times, registry, resolver, asking)
        self._listed = ListThings(lists=lists, registry=registry, asking=asking)
        self._telling = Telling(resolver, thresholds, asking)
        self._remarks = Remarks(registry=registry, resolver=resolver, gate=gate, asking=asking, thresholds=thresholds)
        self._looking = Looking(registry=registry, resolver=resolver, gate=gate, teaching=teaching, asking=asking)
        self._prohibitions = Prohibitions(agenda, moments, registry, scenes, resolver, asking)
        self._weighing = Weighing(registry=registry, times=times, remarks=self._remarks, asking=asking)

    def look(self, turn: Turn, open_: Open) -> Look | Decision:
        """What a clause means and what must be read before `decide`; or the decision, where nothing must.

        Never raises for anything that was said.
        """
        found = self._looked(turn, open_)
        if isinstance(found, Look) and (found.later or found.ruling.verdict == "refuse"):
            return found
        if not isinstance(found, Look | Act | Undo):
            return found
        entities = found.ruling.entities if isinstance(found, Look) else found.entities
        needs = self._prohibitions.needs(found.turn.clause, entities)
        if isinstance(found, Look):
            return replace(found, needs=(*found.needs, *needs))
        ruling = Ruling("act", found.reason, entities)
        return Look(found.turn, open_, ClauseResolution(), ruling, needs=needs, decided=found)

    def _looked(self, turn: Turn, open_: Open) -> Look | Decision:
        clause = turn.clause
        noise = self._thresholds.is_noise(turn.sure)
        ended = "not_understood" if noise else _let_be(clause)
        if clause.negated and not noise and (forgone := self._kept.forgone(turn)) is not None:
            return forgone
        if ended == "negated" and (back := self._remarks.not_that(turn, open_)) is not None:
            return back
        if ended is not None:
            end = self._asking.ends(turn, "reject" if ended in ("anyone", "no_promise") else "ignore", ended)
            return replace(end, entities=self._let_alone(turn)) if clause.negated else end
        kind = self._of_words if isinstance(clause, AboutList | Broadcast) else self._of_kind
        return self._broken_off(turn) or kind(turn, open_)

    def _let_alone(self, turn: Turn) -> tuple[str, ...]:
        """Whom nothing is to be done to; what "it" is behind that: "don't switch it off, just dim it"."""
        return self._resolver.resolve_clause(turn.clause, turn.context).entities if turn.clause.targets else ()

    def _of_words(self, turn: Turn, open_: Open) -> Look | Decision:
        told = isinstance(turn.clause, Broadcast)
        if not told and (meant := self._listed.elsewhere(turn, open_)) is not None:
            return self._looking.look(meant, open_)
        # What is said in passing is offered however sure it is; only a mishearing is no offer.
        sure = turn.heard if turn.clause.implicit else turn.sure
        if self._thresholds.is_doubtful(sure) and not turn.settled.confirmed:
            return self._asking.ends(turn, "ignore", "not_understood")
        return unheeded_at_all(turn) or (self._telling.decide(turn) if told else self._listed.decide(turn, open_))

    def _of_kind(self, turn: Turn, open_: Open) -> Look | Decision:
        match turn.clause:
            case Help() | Inquiry() as clause if _lists(clause):
                return unheeded_at_all(turn, "list") or Query(turn, "help")
            case Order() | Inquiry() | Prohibition():
                look = self._looking.look(turn, open_)
                wanted = needed(look)
                return look if wanted is None else self._listed.decide(wanted, open_)
            case Permission():
                return unheeded_at_all(turn) or self._asking.doubtful(turn) or self._permitted(turn, open_)
            case Timer() | AboutAgenda():
                looks = waits(turn.clause) or turn.plan is not None  # at what it waits for
                kept = self._looking.look(turn, open_) if looks else self._kept.decide(turn, open_.kept)
                return unheeded_at_all(turn) or self._asking.doubtful(turn) or kept
            case Lesson():
                return unheeded_at_all(turn) or self._taught(turn, open_)
            case DialogueMove():
                return unheeded_at_all(turn) or self._remarks.decide(turn, open_)
            case Unread(text=text):
                return Refuse(turn, (say("unread", words=Words(text)),), "unread")
            case _:
                return self._asking.ends(turn, "ignore", "chat")

    def looks(self, turns: Sequence[Turn], open_: Open) -> list[Look | Decision]:
        """What each clause of an utterance means; what "it" is in one is what the one before it was about."""
        looks: list[Look | Decision] = []
        bans: list[Ban] = []
        context = turns[0].context
        unknown: str | None = None
        held: str | None = None
        for turn in turns:
            if unknown is not None and leans(turn.clause):
                first = all(isinstance(item, Refuse) for item in looks)  # and "it" no thing of this utterance
                if unknown == "not_found" or not (first and context.last and isinstance(turn.clause, Order)):
                    # What "it" is was told already: nothing that this home knows.
                    looks.append(Refuse(turn, (), "no_last"))
                    continue
                # Nobody knows whether "it" is what was spoken of before, or in words that were not understood.
                turn = turn.instead(replace(turn.clause, implicit=True))  # noqa: PLW2901 - as it is meant
            if (wide := of_the_house(turn.program.clauses, turn.at)) is not None:
                turn = turn.instead(wide)  # noqa: PLW2901 - as it is meant
            before = looks[-1].ruling.entities if looks and isinstance(looks[-1], Look) else ()
            look = self.look(_of_the_same(replace(turn, context=context), before, self._registry), open_)
            if held is not None and isinstance(look, Look) and (there := held_in(look, held, self._registry)):
                look = self.look(look.turn.instead(there), open_)
            found = look.ruling if isinstance(look, Look) else look
            named = any(target.areas or target.floors for target in turn.clause.targets)
            held = self._resolver.room_of(turn.clause, context) if named else held
            context = after(context, look.turn.clause, found.entities, self._registry, held)
            reason = found.reason if not isinstance(found, Ask) else None
            unknown = reason if reason in ("not_found", "unread") else None
            looks.append((isinstance(look, Look) and at_its_end(look, looks)) or look)
            bans += self._prohibitions.said_with(replace(turn, context=context))
        return [item.barred(bans) if isinstance(item, Look) else item for item in looks]

    def parted(self, turns: list[Turn], open_: Open) -> list[Turn]:
        """The turns, where what can't be done of a list stands for itself."""
        if not is_parted(turns):
            return turns
        found = [
            clause
            for turn, look in zip(turns, self.looks(turns, open_), strict=True)
            for clause in parts_of(look, turn.clause, partial(self.look, open_=open_))
        ]
        program = replace(turns[0].program, clauses=tuple(found))
        parted = [replace(turns[0], program=program, at=at) for at in range(len(found))]
        return parted if len(found) > len(turns) else turns

    def decide(self, look: Look, observed: Observed) -> Decision:
        """What is to be done about a clause, with the readings that `look` asked for, less what is forbidden."""
        single = union(item.entities for item in look.resolution.targets if not item.is_set)
        return self._prohibitions.weigh(look.decided or self._unbarred(look, observed), observed, single)

    def _unbarred(self, look: Look, observed: Observed) -> Decision:
        """What would be done, were nothing forbidden for good."""
        if not isinstance(look.turn.clause, Lesson | Prohibition):
            return self._weighing.decide(look, observed)
        decision = self._weighing.now(look, observed)
        if not isinstance(decision, Act):
            return decision
        learns = isinstance(look.turn.clause, Lesson)
        return self._unobjected(look.turn, look.ruling.entities) if learns else self._prohibitions.kept(decision)

    def _permitted(self, turn: Turn, open_: Open) -> Look | Decision:
        """That something may be done again. Where nothing forbids it, that is only a polite way to ask for it."""
        lifted = self._prohibitions.lifted(turn)
        clause = turn.clause
        asked = isinstance(lifted, Refuse) and lifted.reason == "forbidden.none" and clause.action is not None
        if not asked or not isinstance(clause, Permission):
            return lifted
        return self._looking.look(turn.instead(clause.order()), open_)

    def _broken_off(self, turn: Turn) -> Ask | Refuse | None:
        """The question for what is missing at the end; None where nothing is."""
        missing = turn.program.missing
        if missing is None or turn.at != len(turn.program.clauses) - 1:
            return None
        if self._thresholds.is_doubtful(turn.sure):
            return self._asking.ends(turn, "ignore", "not_understood")
        kinds: dict[str, QuestionKind] = {"value": "value", "above": "value", "below": "value", "target": "target"}
        return self._asking.question(turn, kinds.get(missing, "rest"), f"missing_{missing}", ())

    def _taught(self, turn: Turn, open_: Open) -> Look | Decision:
        """A lesson is taken where it is clear who is meant and nothing speaks against it."""
        turn = self._teaching.respelled(turn)
        lesson = turn.clause
        assert isinstance(lesson, Lesson)
        if lesson.targets and lesson.op != "forget" and not turn.settled.confirmed:
            return self._looking.now(turn, open_)
        return self._asking.doubtful(turn) or self._unobjected(turn, turn.settled.confirmed)

    def _unobjected(self, turn: Turn, entities: tuple[str, ...]) -> Decision:
        objection = self._teaching.objection(turn, entities)
        if objection is None:
            return Teach(turn, "learn", entities)
        if objection.ask:
            return self._asking.question(turn, "confirm", objection.reason, entities)
        return Refuse(turn, objection.said, objection.reason)


def _let_be(clause: Clause) -> str | None:
    """Why nothing is to be done; None where something is.

    What is forbidden only once, or until something happens, is kept by nobody: better to say so than to promise it.
    """
    if clause.negated:
        return "no_promise" if clause.conditions or clause.when is not None else "negated"
    return "anyone" if isinstance(clause, Order) and clause.anyone else None


def _lists(clause: Help | Inquiry) -> bool:
    """Whether nothing is asked but what there is, or what can be said: "what is in the kitchen"."""
    if isinstance(clause, Help):
        return True
    told = (
        clause.parameter is not None
        or clause.conditions
        or any(target.state or target.reference == "them" for target in clause.targets)
    )
    return clause.query in ("which", "count") and not told and clause.when is None


_BACK = frozenset({"it", "that", "them", "other", "rest"})
"""References to what was spoken of before."""


def _of_the_same(turn: Turn, entities: Sequence[str], registry: Registry) -> Turn:
    """The turn, where it sets something that the things of the clause before it have: "the AC on and the fan to high".

    Nothing else may be named, and nothing of such a kind may be in this room.
    """
    clause = turn.clause
    devices = [registry[item] for item in entities]
    kind = need_of(clause).implied_kind
    if not isinstance(clause, Order) or clause.parameter is None or kind is None or not devices or clause.implicit:
        return turn
    said = [replace(target, mention=None, confidence=1.0) for target in clause.targets]
    if said not in ([], [Target(kind=kind)]) or any(kinds.fit(item, kind) for item in devices):
        return turn
    area = turn.context.area
    near = said and any(kinds.belongs(item, kind) for item in registry.devices if item.area == area is not None)
    if near or any(capability_for(item, clause.parameter) is None for item in devices):
        return turn
    them = Target(reference="it" if len(devices) == 1 else "them", confidence=clause.confidence)
    return turn.instead(replace(clause, targets=(them,)))


def leans(clause: Clause) -> bool:
    """Whether all that it is about is what was spoken of before it: "turn it off", "the others"."""
    named = (item.mention or item.kind or item.areas or item.floors for item in clause.targets)
    back = (item.reference in _BACK for item in clause.targets)
    return bool(clause.targets) and all(back) and not any(named)
