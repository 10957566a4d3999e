"""Keeping commands for later: what stands against it, what is kept, and how that is said back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from daemon.converse.replies import Replies
from daemon.core.ir import Clause, Parameter, Program, When
from daemon.core.outcomes import Outcome
from daemon.core.result import Command, Scheduled
from daemon.core.turn import Judged, Report, Turn
from daemon.core.values import replace
from daemon.home.actions import risk_of
from daemon.home.registry import Registry
from daemon.schedule.agenda import Agenda
from daemon.schedule.clock import Clock
from daemon.schedule.endings import BACK, THEM, Ending, ending, worked
from daemon.schedule.entries import Entry, Origin
from daemon.schedule.moments import Doubt, Moments
from daemon.schedule.phrases import Phrases
from daemon.schedule.tracks import without

_SAID_FIRST = ("full", "mixed")
_TOP_OF_RANGE = ("max", "min")


@dataclass(frozen=True, slots=True)
class Kept:
    """What was kept of one command, in words."""

    words: str
    ids: tuple[int, ...] = ()
    scheduled: Scheduled | None = None


class Schedule:
    """Keeps commands in one home's agenda. One event loop."""

    def __init__(
        self, *, agenda: Agenda, clock: Clock, moments: Moments, phrases: Phrases, registry: Registry, replies: Replies
    ) -> None:
        self.agenda = agenda
        self.phrases = phrases
        self.clock = clock
        self.moments = moments
        self.registry = registry
        self.replies = replies

    def doubt(self, when: When) -> str | None:
        """What stands against keeping a command for this time: the end of a key `later.*`; None where nothing does."""
        if self.agenda.full:
            return "full"
        if when.repeating:
            return "mixed" if when.days else None
        start = self.moments.first(when)
        if isinstance(start, Doubt):
            return start.reason
        end = self.moments.end(when, start)
        return end.reason if isinstance(end, Doubt) else None

    def risky_end(self, clause: Clause, entities: Sequence[str]) -> tuple[str, ...]:
        """The devices for which what ends the command needs a yes of its own: "lock the door for an hour"."""
        if not ends(clause.when):
            return ()
        back, level = BACK.get(clause.action or ""), None
        if back is None and clause.parameter is not None:
            # Nobody knows yet where it stands: what goes back to a position may open.
            back, level = "set", replace(clause.parameter, op="set", value=None)
        return tuple(item for item in entities if back and risk_of(self.registry[item], back, level) == "confirm")

    async def keep(self, judged: Judged, commands: Sequence[Command]) -> Report:
        """Keeps a command for a time, or until something happens; the report says it back."""
        turn, lang = judged.turn, judged.turn.lang
        when = turn.clause.when
        assert when is not None
        entry = self._entry(judged)
        stored, safe = await self.agenda.keep(entry)
        parts = [self.said(stored, lang)]
        if judged.holds and when.repeating and not any(item.for_s for item in turn.clause.conditions):
            parts.append(self.replies.say("later.holds", lang))
        if not safe:
            parts.append(self.replies.say("later.unsaved", lang))
        waits = self.what(stored, lang) if when.repeating else None
        moment = None if stored.due is None else self.clock.local(stored.due).isoformat(timespec="seconds")
        return Report(
            "schedule",
            self.replies.sentences(parts, lang),
            judged.decision.reason,
            judged.decision.entities,
            scheduled=(Scheduled(tuple(commands), when=moment, condition=waits),),
            kept=(stored.id,),
        )

    async def end(self, judged: Judged, report: Report, began: float) -> Report:
        """The report of an act that is to last so long, with its end kept.

        `began` is the moment at which it was begun: an hour until which it lasts may strike while it is done.
        """
        turn, when = judged.turn, judged.turn.clause.when
        if when is None or not ends(when) or not any(worked(item) for item in report.outcomes):
            return report
        due = self.moments.end(when, turn.since if turn.since is not None and when.until is not None else began)
        if not isinstance(due, float):
            return report
        kept = [(self.agenda.due(item), item) for item in self.agenda.entries if item.sort == "end"]
        found = ending(turn.clause, report.outcomes, self.registry, due, kept)
        await self._release(found.released)
        # The way back lasts for good: what would end it in its turn would go round for ever.
        last = When(delay_s=when.duration_s) if when.duration_s is not None else None
        ids = []
        for clause, devices in found.backs.items():
            program = replace(turn.program, clauses=(replace(clause, when=last),), source="dialogue", missing=None)
            entry = replace(self._bare(turn), sort="end", due=due, program=program, them=tuple(devices),
                            entities=tuple(devices), confirmed=turn.settled.confirmed)  # fmt: skip
            ids.append((await self.agenda.keep(entry))[0].id)
        for _, item in kept:
            if (off := found.put_off.get(item.id)) is not None:
                await self.agenda.keep(replace(item, due=due, them=tuple(off), entities=tuple(off)))
        parts = self._ended(found, report.outcomes, self.phrases.when(last, due, turn.lang), turn.lang)
        return replace(report, reply=self.replies.sentences((report.reply, *parts), turn.lang), kept=tuple(ids))

    def over(self, entry: Entry, due: float, now: float) -> bool:
        """Whether what was to begin at `due` would have ended already."""
        when = entry.clause.when
        until = self.moments.end(when, due) if when is not None and when.until is not None else None
        return isinstance(until, float) and until <= now

    def said(self, entry: Entry, lang: str) -> str:
        """The sentence that says an entry back."""
        act = self._whole(entry, lang)
        if entry.sort == "rule":
            key = "later.every" if entry.standing else "later.once"
            return self._upper(self.replies.say(key, lang, what=self.what(entry, lang), act=act))
        words = self.when(entry, lang)
        return self._upper(self.replies.say("later.made", lang, when=words, act=act))

    def brief(self, entry: Entry, lang: str) -> str:
        """An entry in a list: "turn off Hall light at six in the evening"."""
        act = self._whole(entry, lang)
        if entry.sort == "rule":
            key = "later.brief.every" if entry.standing else "later.brief.once"
            return self.replies.say(key, lang, what=self.what(entry, lang), act=act)
        return self.replies.say("later.brief", lang, when=self.when(entry, lang), act=act)

    def when(self, entry: Entry, lang: str) -> str:
        """When an entry is due, in words."""
        due = self.agenda.due(entry) if entry.due is not None else None
        return self.phrases.when(entry.clause.when, due, lang)

    def asked(self, question: str, clause: Clause, watched: Sequence[Sequence[str]], lang: str) -> str:
        """A question about a command, with when, how long and on what condition it would be carried out."""
        when = clause.when
        if when is None:
            return question
        when = replace(when, beyond=None)
        frames, start = [], self.moments.first(when)
        if when.repeating and len(watched) == len(clause.conditions):
            what = self.phrases.conditions(clause.conditions, clause.condition_join, watched, lang)
            frames.append(self.replies.say(f"later.frame.{'every' if when.every else 'once'}", lang, what=what))
        elif begins(when) and isinstance(start, float):
            frames.append(self.phrases.when(when, start, lang))
            if clause.conditions and len(watched) == len(clause.conditions):
                what = self.phrases.given(clause.conditions, clause.condition_join, watched, lang)
                frames.append(self.replies.say("later.frame.if", lang, what=what))
        if (lasts := self._lasting(when, start, lang)) is not None:
            frames.append(lasts)
        if not frames:
            return question
        return self.replies.say(
            "later.asked", lang, when=self._upper(self.replies.listed(frames, lang)), question=question
        )

    def what(self, entry: Entry, lang: str) -> str:
        """What has to happen, in words."""
        return self.phrases.conditions(entry.clause.conditions, entry.clause.condition_join, entry.watched, lang)

    def _whole(self, entry: Entry, lang: str) -> str:
        """What is to be done, how long, and on what condition: "turn off Hall light, if it is on then"."""
        clause = entry.clause
        act = self.act(clause, entry.entities, lang)
        if entry.sort == "end":
            return act
        lasts = self._lasting(clause.when, entry.due, lang)
        if lasts is not None:
            act = self.replies.say("later.lasts", lang, act=act, length=lasts)
        if clause.conditions and entry.sort == "time":
            what = self.phrases.given(clause.conditions, clause.condition_join, entry.watched, lang)
            act = self.replies.say("later.if", lang, act=act, what=what)
        return act

    def _lasting(self, when: When | None, start: float | Doubt | None, lang: str) -> str | None:
        """How long a command is to last; None where that was not said."""
        if when is None or not ends(when):
            return None
        if when.duration_s is not None:
            return self.replies.say(
                "later.frame.for", lang, length=self.phrases.length(when.duration_s, lang, exact=True)
            )
        until = self.moments.end(when, start if isinstance(start, float) else self.clock.wall())
        if not isinstance(until, float):
            return None
        return self.replies.say("later.frame.until", lang, time=self.phrases.clock(until, lang))

    def act(self, clause: Clause, entities: Sequence[str], lang: str) -> str:
        """What is to be done, in words: "turn off Hall light"."""
        parameter = clause.parameter
        action: str = clause.action or "activate"
        if action == "set" and parameter is not None and parameter.op in _TOP_OF_RANGE:
            action = parameter.op
        key = f"do.{action}" if self.replies.has(f"do.{action}", lang) else "do.other"
        return self.replies.say(
            key,
            lang,
            names=self._names(entities, lang),
            attribute=self.replies.attribute(parameter.attribute, lang) if parameter is not None else "",
            value=self._value(parameter, lang) if parameter is not None else "",
        )

    def _value(self, parameter: Parameter, lang: str) -> str:
        return self.replies.value(parameter.value, lang, attribute=parameter.attribute, unit=parameter.unit)

    def _names(self, entities: Sequence[str], lang: str) -> str:
        names = [self._name(item, lang) for item in entities if item in self.registry]
        # Of what has gone nobody knows the name any more.
        return self.replies.names(names or [self.replies.say("later.nameless", lang)] if entities else [], lang)

    def _name(self, entity: str, lang: str) -> str:
        """The name, with the room where something else is called the same."""
        name, area = self.registry[entity].name(lang), self.registry.area_of(entity)
        alone = sum(item.name(lang) == name for item in self.registry.devices) <= 1
        if alone or area is None:
            return name
        return self.replies.option("name.area", lang, area=area.name(lang), name=name)

    def _upper(self, text: str) -> str:
        return text[:1].upper() + text[1:]

    def _entry(self, judged: Judged) -> Entry:
        turn, entities = judged.turn, judged.decision.entities
        when = turn.clause.when
        assert when is not None
        start = None if when.repeating else self.moments.first(when)
        clause, them = self._pinned(judged)
        return replace(
            self._bare(turn),
            sort="rule" if when.repeating else "time",
            due=start if isinstance(start, float) else None,
            # What was agreed to when it was made is as sure as can be.
            program=replace(turn.program, clauses=(replace(clause, confidence=1.0),), confidence=1.0, missing=None),
            them=them,
            entities=entities,
            confirmed=turn.settled.confirmed,
            watched=judged.watched,
        )

    def _bare(self, turn: Turn) -> Entry:
        context = turn.context
        origin = Origin(turn.said, turn.lang, turn.satellite, self.clock.wall(), context.area, context.speaker)
        return Entry(0, "time", origin, of=turn.plan)

    def _pinned(self, judged: Judged) -> tuple[Clause, tuple[str, ...]]:
        """The clause with the devices that were chosen in it held fast; sets are looked up when it is carried out.

        "The lamp" that was meant because it is the only one that is on now must be the same lamp then, while
        "all lights" are those that there are then.
        """
        clause, entities = judged.turn.clause, judged.decision.entities
        spoken = any(item.reference not in (None, "here") for item in clause.targets)
        single = len(entities) <= len(clause.targets) and not any(item.quantifier == "all" for item in clause.targets)
        devices = all(self.registry[item].kind == "device" for item in entities) and not judged.decision.cleans
        if devices and (spoken or single or judged.turn.settled.choices):
            return replace(clause, targets=(THEM,), excluded=(), either=False, implicit=False), entities
        return replace(clause, implicit=False), ()

    async def _release(self, released: Mapping[int, Collection[str]]) -> None:
        """Takes devices out of what was kept; what is about none any more is dropped."""
        for number, devices in released.items():
            entry = self.agenda.get(number)
            if entry is None or set(devices).issuperset(entry.them):
                await self.agenda.drop([number])
            else:
                await self.agenda.put(without(entry, devices))

    def _ended(self, found: Ending, outcomes: Sequence[Outcome], when: str, lang: str) -> list[str]:
        """What is said about the end of an act."""
        done = tuple(dict.fromkeys(item.write.entity for item in outcomes if worked(item)))
        parts = []
        if found.backs:
            said, spoken = next(iter(found.backs)), self._upper(when)
            if said.action in BACK.values() and len(found.backs) == 1:
                parts.append(self.replies.say("later.until", lang, when=spoken, act=self.act(said, done, lang)))
            else:
                parts.append(self.replies.say("later.back", lang, when=spoken, names=self._names(done, lang)))
        elif not found.unknown:
            parts.append(self.replies.say("later.same", lang, names=self._names(done, lang)))
        if found.unknown:
            parts.append(self.replies.say("later.no_back", lang, names=self._names(found.unknown, lang)))
        return parts


def begins(when: When) -> bool:
    """Whether a command is for later, rather than for now and only so long."""
    return bool(
        when.repeating
        or when.delay_s is not None
        or when.time
        or when.days
        or when.vague
        or when.day_offset is not None
        or when.beyond
    )


def ends(when: When | None) -> bool:
    """Whether a command is to last only so long."""
    return when is not None and (when.duration_s is not None or when.until is not None)


def now_of(when: When | None) -> When | None:
    """What is left of a time once its moment has come: how long it is to last, or a delay after what happened."""
    if when is None:
        return None
    if when.repeating:
        rest = replace(when, repeating=False, every=False)
    else:
        rest = When(duration_s=when.duration_s, until=when.until, until_twelve=when.until_twelve)
    return rest if rest != When() else None


def as_now(program: Program) -> Program:
    """A kept program as it is carried out when its moment has come: what has happened is no condition any more."""
    clause = program.clauses[0]
    happened = clause.when is not None and clause.when.repeating
    now = replace(clause, when=now_of(clause.when), conditions=() if happened else clause.conditions)
    return replace(program, clauses=(now,))
