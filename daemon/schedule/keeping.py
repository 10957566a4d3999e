"""Keeping for later: commands for a time or until something happens, the ends of what is to last, and timers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from daemon.act import answers
from daemon.act.acting import Acting, foreseen, missing
from daemon.act.answers import Hindered, Told
from daemon.act.reader import Reader
from daemon.core.decisions import Act, Keep, Query, Undo
from daemon.core.ir import AboutAgenda, Inquiry, Order, Parameter, Prohibition, Timer, When
from daemon.core.messages import Due, Message, Moment, Names, say
from daemon.core.result import Command, Report, Scheduled
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.home.registry import Registry
from daemon.lists.lists import Lists, Noting
from daemon.schedule.agenda import Agenda, Standing
from daemon.schedule.endings import THEM, ending, superseded, worked
from daemon.schedule.entries import Entry, Happens, Kept, Origin, ToDo, without
from daemon.schedule.moments import Doubt, Moments
from daemon.schedule.timers import Timers
from daemon.schedule.times import DoneAway, dated, day_of, end_of, ending_so, ends, told_end, waits

_MAY_PASS = frozenset({"no_value", "is_off", "above_already", "below_already"})
"""Problems of now that may be none when the moment has come."""
_CALENDARS = Inquiry("value", parameter=Parameter("agenda"))


class Keeping:
    """Keeps things in one home's agenda, tells of them and drops them. One event loop."""

    def __init__(
        self, agenda: Agenda, lists: Lists, moments: Moments, registry: Registry, acting: Acting, reader: Reader
    ) -> None:
        self._agenda = agenda
        self._noting = Noting(lists)
        self.note = self._noting.note
        self._clock = agenda.clock
        self._moments = moments
        self._timers = Timers(agenda, moments, registry)
        self._registry = registry
        self._acting = acting
        self._reader = reader
        self._done_away = DoneAway()
        self._standing = Standing(agenda, moments)

    async def keep(self, decision: Keep) -> Report:
        """Keeps a command for a time, or until something happens; or does to timers what was said.

        What is out of range is said now, not at the moment.
        """
        turn = decision.turn
        clause, when = turn.clause, turn.clause.when
        if isinstance(clause, Timer) and not waits(clause):
            said, about = await self._timers.change(clause, self._origin(turn))
            set_now = clause.op == "start"
            return Report("assistant", said, "timer", kept=about if set_now else (), about=() if set_now else about)
        if isinstance(clause, Prohibition):
            return await self._forbid(decision)
        assert when is not None
        planned = () if isinstance(clause, Timer) else await self._planned(decision)
        if isinstance(planned, Report):
            return planned
        stored, safe = await self._agenda.keep(self._entry(decision, when))
        parts: list[Message] = [Kept((stored,))]
        if decision.holds and when.repeating and not any(item.for_s for item in turn.clause.conditions):
            parts.append(say("later.holds"))
        if decision.spared:
            parts.append(say("spared.then", len(decision.spared), names=Names(decision.spared)))
        if not safe:
            parts.append(say("later.unsaved"))
        moment = None if stored.due is None else self._clock.local(stored.due).isoformat(timespec="seconds")
        happens = Happens.of(turn.clause, decision.watched)
        return Report(
            "schedule",
            tuple(parts),
            decision.reason,
            decision.entities,
            scheduled=(Scheduled(planned, when=moment),),
            waits=happens if when.repeating else None,
            kept=(stored.id,),
        )

    async def _planned(self, decision: Keep) -> Report | tuple[Command, ...]:
        """What will be sent; or the refusal, where that is out of range or nobody is left."""
        plan = await self._acting.plan(decision)
        if (gone := self._acting.gone(decision)) and not set(decision.entities) - set(gone):
            return missing(gone, decision.entities)
        if stops := tuple(item for item in plan.problems if item.reason not in _MAY_PASS):
            return Report("reject", (Hindered(stops),), stops[0].reason, decision.entities)
        return foreseen(decision, plan.writes, self._registry)

    async def _forbid(self, decision: Keep) -> Report:
        """Keeps what is never to be done; what is kept already is not kept twice."""
        turn = decision.turn
        clause, them = self._pinned(decision)
        entry = replace(
            self._bare(turn),
            sort="ban",
            program=replace(turn.program, clauses=(replace(clause, confidence=1.0),), confidence=1.0, missing=None),
            them=them,
            entities=decision.entities,
            watched=decision.watched,
        )
        same = (item for item in self._agenda.entries if item.sort == "ban" and _alike(item, entry))
        stored, safe = next(((item, True) for item in same), None) or await self._agenda.keep(entry)
        said: tuple[Message, ...] = (Kept((stored,)),) if safe else (Kept((stored,)), say("later.unsaved"))
        return Report("schedule", said, decision.reason, decision.entities, kept=(stored.id,))

    def now(self) -> float:
        """The moment by the clock that nobody sets."""
        return self._clock.monotonic()

    async def lasting(self, decision: Act, report: Report, began: float) -> Report:
        """The report of an act, with its end kept where it is to last only so long.

        `began` is the moment (as of `now`) at which it was begun: an hour until which it lasts may strike while it is
        done, and the clock on the wall may be set.
        """
        turn, when = decision.turn, decision.turn.clause.when
        if turn.ends or not any(worked(item) for item in report.outcomes):
            return report
        kept = [(self._agenda.due(item), item) for item in self._agenda.entries if item.sort == "end"]
        if when is None or not ends(when):
            return await self._for_good(report, kept)
        since = self._clock.wall() - (self._clock.monotonic() - began)
        due = self._moments.end(when, turn.since if turn.since is not None and when.until is not None else since)
        if not isinstance(due, float):
            return report
        found = ending(turn.order, report.outcomes, self._registry, due, kept)
        await self._release(found.released)
        # The way back lasts for good: what would end it in its turn would go round for ever.
        last = When(delay_s=when.duration_s) if when.duration_s is not None else None
        end = replace(self._bare(turn), sort="end", due=due, confirmed=turn.settled.confirmed,
                      despite=turn.settled.despite)  # fmt: skip
        if when.until_so:
            end, last = replace(end, due=None, watched=turn.watched), When(repeating=True)
        so = turn.clause if when.until_so else Order()
        ids = []
        for back, devices in found.backs.items():
            program = replace(turn.program, clauses=(ending_so(back, last, so),), source="dialogue", missing=None)
            entry = replace(end, program=program, them=tuple(devices), entities=tuple(devices))
            ids.append((await self._agenda.keep(entry))[0].id)
        for at, item in kept:
            if (off := found.put_off.get(item.id)) is not None:
                program = replace(item.program or turn.program, clauses=(ending_so(item.order, last, so),))
                then = replace(item, due=end.due, program=program, watched=end.watched)
                await self._agenda.keep(replace(then, them=tuple(off), entities=tuple(off)))
            for level, device in ((level, device) for number, level, device in found.levels if number == item.id):
                assert item.program is not None
                program = replace(item.program, clauses=(ending_so(level, item.order.when, item.order),))
                then = replace(item, due=None if item.watched else at, program=program)
                await self._agenda.keep(replace(then, them=(device,), entities=(device,)))
        said = told_end(found, report.outcomes, end_of(end, Due(last, due), turn.clause))
        return replace(report, said=(*report.said, *said), kept=tuple(ids))

    async def _for_good(self, report: Report, kept: Sequence[tuple[float, Entry]]) -> Report:
        """The report of an act that is to last: the ends that it has done away with are dropped, and told."""
        gone = superseded(report.outcomes, kept)
        self._done_away.note(report.outcomes, kept, gone)
        await self._release({number: set(devices) for number, devices in gone.items()})
        said = []
        for at, item in kept:
            if told := tuple(device for device, another in gone.get(item.id, {}).items() if another):
                said.append(say("later.dropped", act=ToDo(item.clause, told), when=end_of(item, Due(None, at))))
        return replace(report, said=(*report.said, *said)) if said else report

    async def undone(self, decision: Undo, put_back: Callable[[Undo], Awaitable[Report]]) -> Report:
        """The report of an undo: the ends with which the act has done away come, unless their moment has gone by."""
        dropped = await self.drop(decision)
        if decision.back is None:
            return dropped
        report = await put_back(decision)
        back = {item.write.entity for item in report.outcomes if worked(item)}
        said: dict[tuple[str, ...], Message] = {}
        for item in self._done_away.taken(decision.undone, back):
            entry, late = item.entry, item.due <= self._clock.wall()
            act, when = ToDo(entry.clause, entry.them), end_of(entry, Due(None, item.due))
            if not late:
                await self._agenda.keep(entry)
            told = say("later.over", act=act) if late else say("later.again", act=act, when=when)
            said.setdefault(item.entry.them, told)  # a level comes back with its light
        return replace(report, said=(*report.said, *said.values())) if said else report

    async def tell(self, decision: Query) -> Report:
        """What is kept, and what calendars in the home say beside it; or what time, what day it is."""
        clause = decision.turn.clause
        assert isinstance(clause, AboutAgenda)
        if decision.reason in ("clock", "day"):
            return Report("assistant", (Moment(self._clock.wall(), decision.reason),), decision.reason)
        if decision.reason == "sun":
            return self._sun(clause.when or When(time="sunset"))
        found = self.snapshots(decision.kept)
        of = f".{clause.sort}" if clause.sort in ("timers", "rules", "bans") else ""
        none = ".such" if clause.targets or clause.action or clause.when else of
        said: Message = Kept(found) if found else say(f"later.none{none}")
        report = Report("assistant", (said,), "list", about=tuple(item.id for item in found if len(found) == 1))
        if not decision.entities:
            return report
        observed = await self._reader.read(answers.needs(_CALENDARS, decision.entities, self._registry))
        answer = answers.answer(_CALENDARS, decision.entities, self._registry, observed)
        facts = tuple(item for item in answer.facts if item.observation.fresh)
        if not facts:
            return report
        return replace(
            report,
            said=(said, Told(replace(answer, facts=facts))),
            read=tuple(item.entity for item in facts),
            readings=tuple(item.observation for item in facts),
        )

    def _sun(self, when: When) -> Report:
        """When the sun rises or sets: on the day that is asked about, else the next time."""
        at = self._moments.first(when)
        if isinstance(at, Doubt):
            return Report("reject", (say(f"later.{at.reason}"),), at.reason)
        return Report("assistant", (Moment(at, when.time or "sunset"),), "sun")

    async def drop(self, decision: Undo) -> Report:
        """Drops what was kept, and takes back what was done to lists."""
        if decision.changes:
            return await self._noting.take_back(decision)
        found = self.snapshots(decision.dropped)
        if decision.reason == "later.skip":
            assert decision.turn.clause.when is not None
            day = day_of(decision.turn.clause.when, self._clock)
            left = [(item, await self._standing.skip(item, day)) for item in found]
            again = [
                say("later.skipped", when=Due(None, at), act=ToDo(item.clause, item.entities)) for item, at in left
            ]
            return Report("assistant", tuple(again), "skipped", about=decision.dropped)
        await self._agenda.drop(decision.dropped)
        if not found:
            return Report("reject", (say("later.none.such"),), "later.none")
        how = "forbidden.lifted" if all(item.sort == "ban" for item in found) else "later.cancelled"
        return Report("assistant", (say(how, len(found), what=Kept(found, "names")),), "cancelled")

    def snapshots(self, numbers: Sequence[int]) -> tuple[Entry, ...]:
        """The entries of these ids that there are, each due when it is by the clock as it goes now."""
        found = (item for number in numbers if (item := self._agenda.get(number)) is not None)
        return tuple(map(self._agenda.as_now, found))

    def _entry(self, decision: Keep, when: When) -> Entry:
        turn = decision.turn
        start, when = None if when.repeating else self._moments.first(when), dated(when, self._clock)
        clause, them = (turn.clause, ()) if isinstance(turn.clause, Timer) else self._pinned(decision)
        return replace(
            self._bare(turn),
            reminds=clause.reminds if isinstance(clause, Timer) else None,
            sort="rule" if when.repeating else "time",
            due=start if isinstance(start, float) else None,
            # What was agreed to when it was made is as sure as can be.
            program=replace(
                turn.program, clauses=(replace(clause, when=when, confidence=1.0),), confidence=1.0, missing=None
            ),
            them=them,
            entities=decision.entities,
            confirmed=turn.settled.confirmed,
            watched=decision.watched,
            despite=turn.settled.despite,
        )

    def _bare(self, turn: Turn) -> Entry:
        return Entry(0, "time", self._origin(turn), of=turn.plan)

    def _origin(self, turn: Turn) -> Origin:
        context = turn.context
        return Origin(turn.said, turn.lang, turn.satellite, self._clock.wall(), context.area, context.speaker)

    def _pinned(self, decision: Keep) -> tuple[Order | Prohibition, tuple[str, ...]]:
        """The clause with the devices that were chosen in it held fast; sets are looked up when it is carried out.

        "The lamp" that was meant because it is the only one that is on now must be the same lamp then, while
        "all lights" are those that there are then.
        """
        clause, entities = decision.turn.clause, decision.entities
        assert isinstance(clause, Order | Prohibition)
        spoken = any(item.reference not in (None, "here") for item in clause.targets)
        single = len(entities) <= len(clause.targets) and not any(item.quantifier == "all" for item in clause.targets)
        devices = all(self._registry[item].kind == "device" for item in entities) and not decision.cleans
        if devices and (spoken or single or decision.turn.settled.choices):
            clause, them = replace(clause, targets=(THEM,), excluded=()), entities
        else:
            them = ()
        return (replace(clause, either=False, implicit=False) if isinstance(clause, Order) else clause), them

    async def _release(self, released: Mapping[int, Collection[str]]) -> None:
        """Takes devices out of what was kept; what is about none any more is dropped."""
        for number, devices in released.items():
            entry = self._agenda.get(number)
            if entry is None or set(devices).issuperset(entry.them):
                await self._agenda.drop([number])
            else:
                await self._agenda.put(without(entry, devices))


def _alike(one: Entry, other: Entry) -> bool:
    """Whether two prohibitions are the same."""
    return (one.clause, one.entities, one.watched) == (other.clause, other.entities, other.watched)
