"""The whole way of one utterance: understand, look who is meant, read, decide, do, and say what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from daemon.act.acting import Acting
from daemon.act.broadcasting import Broadcasting
from daemon.act.executor import Access
from daemon.act.follower import Tracking
from daemon.converse.conclusion import Announcements, conclude
from daemon.converse.help import Help
from daemon.converse.words import Speech
from daemon.core.decisions import CHANGES, Act, Ask, Decision, Keep, Note, Query, Refuse, Teach, Tell, Undo
from daemon.core.messages import say
from daemon.core.result import Occasion, Report, Result
from daemon.core.trace import Trace
from daemon.core.turn import Task, Turn, Utterance
from daemon.core.values import replace, whole
from daemon.decide.asking import asked_first
from daemon.decide.decider import Decider
from daemon.decide.looking import Look
from daemon.decide.parting import once
from daemon.dialogue.conversations import Conversations, Exchange
from daemon.dialogue.dialogue import Open
from daemon.home.registry import Registry
from daemon.memory.teaching import Teaching
from daemon.resolve.comprehension import Comprehension, language
from daemon.schedule.keeping import Keeping
from daemon.understand.normalize import normalize


class Parts(Struct, frozen=True):
    """What a pipeline is made of; `daemon.app` puts them together."""

    registry: Registry
    languages: tuple[str, ...]  # of the home, its main one first
    comprehension: Comprehension
    conversations: Conversations
    decider: Decider
    access: Access
    acting: Acting
    keeping: Keeping
    teaching: Teaching
    help: Help
    tracking: Tracking
    speech: Speech
    announcements: Announcements  # what is said without having been asked just now
    broadcasting: Broadcasting


class Pipeline:
    """Text in, result out. One event loop; utterances of one satellite are to be handled one after the other."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._handlers: Mapping[type[Decision], Callable[[Any], Awaitable[Report]]] = {
            Act: self._act,
            Query: self._query,
            Keep: parts.keeping.keep,
            Note: parts.keeping.note,
            Tell: parts.broadcasting.tell,
            Teach: parts.teaching.teach,
            Undo: self._undo,
            **dict.fromkeys((Ask, Refuse), _ended),
        }

    async def handle(self, utterance: Utterance) -> Result:
        """Carries one utterance all the way; never raises for anything that was said."""
        trace, parts, utterance = Trace(), self.parts, replace(utterance, text=whole(utterance.text))
        exchange = await parts.conversations.exchange(utterance, trace)
        task = exchange.task
        reports = (task,) if isinstance(task, Report) else await self._carry_out(task, exchange, trace)
        asked = next((report.question for report in reports if report.question is not None), None)
        if asked is not None:
            offered = parts.speech.offered(asked, exchange.context.lang)
            exchange.dialogue.ask(replace(asked, kinds=offered, area=exchange.context.area), parts.conversations.now())
        program = None if isinstance(task, Report) else task.program
        exchange.dialogue.end(program, reports)
        return conclude(utterance.text, program, reports, exchange.context.lang, trace, parts.speech)

    def sorry(self, utterance: Utterance) -> Result:
        """What to say where Hearken itself failed; what had been begun is not known."""
        lang, sorry = normalize(utterance.text, language(utterance.lang)).lang, Report("reject", (say("went_wrong"),))
        return conclude(utterance.text, None, (sorry,), lang, Trace(), self.parts.speech)

    async def fire(self, turn: Turn, occasion: Occasion) -> Report:
        """Carries out what was kept for later, the same way as what is said now."""
        look = self.parts.decider.look(turn, Open(self.parts.access.connected()))
        (decision,) = await self._decided([look], turn.trace)
        report = await self._do(decision)
        self.parts.tracking.note(report, occasion)
        return report

    async def _carry_out(self, task: Task, exchange: Exchange, trace: Trace) -> tuple[Report, ...]:
        """Decides on every clause before anything is done; only when no question is open, each is done in order."""
        parts, dialogue, now = self.parts, exchange.dialogue, self.parts.conversations.now
        open_ = dialogue.open(now(), connected=parts.access.connected())
        turns = parts.decider.parted(exchange.turns(task, trace), open_)
        decisions = await self._decided(once(parts.decider.looks(turns, open_)), trace)
        ended = [item for item in decisions if isinstance(item, Ask | Refuse)]
        if (asked := asked_first(ended)) is not None:
            return (replace(asked, question=replace(asked.question, settled=task.settled)).report,)
        if task.whole and ended:
            # What is offered instead would be half of it; the one thing that was named is spoken of all the same.
            dialogue.mention(ended[-1].report.entities, now())
            return tuple(replace(item.report, question=None) for item in ended)
        reports: list[Report] = []
        # What only asks waits for its devices together; all else is done one after the other.
        for _, batch in groupby(enumerate(decisions), lambda item: item[0] if isinstance(item[1], CHANGES) else -1):
            together = [item for _, item in batch]
            for item, report in zip(together, await asyncio.gather(*map(self._do, together)), strict=True):
                reports.append(report)
                dialogue.mention(report.entities or parts.conversations.passed_over(item.turn), now(), item.turn.clause)
                parts.tracking.note(report, exchange.occasion(task))
        dialogue.remember(turns[0].program, task.answered, task.choice, decisions, reports, now())
        return (*reports, *await parts.teaching.after(task.choice, reports, decisions[-1].turn))

    async def _decided(self, looks: Sequence[Look | Decision], trace: Trace) -> list[Decision]:
        """The decisions, after one read for all of them together."""
        needs = tuple(dict.fromkeys(pair for item in looks if isinstance(item, Look) for pair in item.needs))
        with trace.timed("read"):
            observed = await self.parts.access.reader.read(needs, trace=trace) if needs else {}
        return [self.parts.decider.decide(item, observed) if isinstance(item, Look) else item for item in looks]

    async def _do(self, decision: Decision) -> Report:
        if isinstance(decision, Act | Keep | Query):
            self.parts.teaching.used(decision)
        return await self._handlers[type(decision)](decision)

    async def _act(self, decision: Act) -> Report:
        began = self.parts.keeping.now()
        return await self.parts.keeping.lasting(decision, await self.parts.acting.act(decision), began)

    async def _query(self, decision: Query) -> Report:
        if decision.reason == "help":
            return self.parts.help.report(decision.turn)
        return await (self.parts.keeping.tell if decision.of_kept else self.parts.acting.query)(decision)

    async def _undo(self, decision: Undo) -> Report:
        return await self.parts.keeping.undone(decision, self.parts.acting.undo)


async def _ended(decision: Ask | Refuse) -> Report:
    return decision.report
