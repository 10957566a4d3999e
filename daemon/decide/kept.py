"""What is said about what was kept: which of it is meant. No words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from daemon.core.decisions import Ask, Decision, Keep, Query, Refuse, Undo
from daemon.core.ir import AboutAgenda, Order, Target, Timer, When
from daemon.core.messages import Message, say
from daemon.core.questions import ALL_KEPT, Question
from daemon.core.resolution import Context
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.home.actions import direction
from daemon.home.names import key
from daemon.home.registry import Registry
from daemon.resolve.request import Need
from daemon.resolve.resolver import Resolver
from daemon.schedule.agenda import Agenda
from daemon.schedule.entries import Entry, Kept
from daemon.schedule.times import Times, comes_on, day_of

_MOST_OPTIONS = 3
_SORTS = {"timers": ("timer",), "rules": ("rule", "ban"), "bans": ("ban",), "times": ("time", "end")}
_HALF = 12 * 60
_SMALL_HOURS_S = 5 * 3600.0
_NIGHTFALL = 12
"""What is due so late on a day (as the night is counted, until five) is due "tonight"."""
_NEAR_S = 60.0
"""By so much may differ when a thing is due from when it is said to be: "the one in ten minutes"."""


@dataclass(frozen=True, slots=True)
class KeptThings:
    """Decides on what is said about one home's agenda; changes nothing in it."""

    _agenda: Agenda
    _times: Times
    _registry: Registry
    _resolver: Resolver
    _asking: Asking

    def decide(self, turn: Turn, just: Sequence[int] = ()) -> Decision:
        """Which of it is meant, and what is to be done with that; `just` are the ids of what was kept just now."""
        clause = turn.clause
        if isinstance(clause, Timer):
            return self._timed(turn, clause)
        assert isinstance(clause, AboutAgenda)
        if clause.op in ("clock", "day", "sun"):
            return Query(turn, clause.op)
        found = [item for item in self._meant(clause, turn) if not clause.just or item.id in just]
        if clause.op == "skip":
            return self._skipped(turn, clause, found)
        if clause.op == "list":
            return Query(turn, "list", self._diaries(clause), tuple(item.id for item in found))
        if not found:
            none = "later.none.such" if len(self._agenda) else "later.none"
            return Refuse(turn, (say(none),), "later.none")
        if len(found) > 1 and clause.op == "cancel":
            return Refuse(turn, (_which(found),), "later.which", "clarify")
        if clause.op == "cancel_all" and clause.sort != "timers":
            # What was kept while the question waited was no part of it.
            agreed = [item for item in found if str(item.id) in turn.settled.confirmed]
            if len(found) > 1 and not agreed:
                return self._really(found, turn)
            found = agreed or found
        return Undo(turn, "later", dropped=tuple(item.id for item in found))

    def forgone(self, turn: Turn) -> Decision | None:
        """What was kept and would do what is not to be done, called off: "don't switch it off"; None: nothing would."""
        clause = turn.clause
        if not isinstance(clause, Order) or clause.conditions:
            return None
        wanted = self._wanted(clause.targets, turn.context) if clause.targets else set(turn.context.last)
        every = self._meant(AboutAgenda("cancel", when=clause.when), turn)
        found = [item for item in every if self._does(item, clause, wanted)]
        standing = next(filter(_is_standing, found), None)
        if standing is not None:  # only the next time; that it goes on is said
            skip = AboutAgenda("skip", when=clause.when or When(day_offset=self._ahead(standing)))
            return self._skipped(turn.instead(skip), skip, found)
        return Undo(turn, "later", dropped=tuple(item.id for item in found)) if found else None

    def _does(self, entry: Entry, clause: Order, wanted: set[str]) -> bool:
        """Whether it would do to one of these what a clause is about."""
        kept = entry.clause if entry.program is not None else None
        if not isinstance(kept, Order) or kept.action is None or clause.action is None:
            return False
        return any(
            direction(item, clause.action, clause.parameter) == direction(item, kept.action, kept.parameter)
            for item in self._registry.present(wanted.intersection(entry.entities))
        )

    def _skipped(self, turn: Turn, clause: AboutAgenda, found: Sequence[Entry]) -> Decision:
        """What is for each day is left out on the one that is said."""
        day = day_of(clause.when or When(), self._agenda.clock)
        due = [item for item in found if item.due is not None and item.standing and comes_on(item.clause.when, day)]
        if not due:
            return Refuse(turn, (say("later.none.such"),), "later.none")
        if len(due) > 1 and not clause.just:
            return Refuse(turn, (_which(due),), "later.which", "clarify")
        return Undo(turn, "later.skip", dropped=tuple(item.id for item in due))

    def _timed(self, turn: Turn, timer: Timer) -> Decision:
        """A timer wants a length; a reminder is one for a moment, and when, is asked where nobody said it."""
        if timer.reminds is None or timer.op != "start":
            alike = [item.seconds for item in self._agenda.entries if item.name is not None and item.name == timer.name]
            if timer.op == "start" and timer.seconds is None and alike:  # "another egg timer"
                return Keep(turn.instead(replace(timer, seconds=alike[-1])), "timer")
            unknown = timer.seconds is None and timer.op in ("start", "increase", "decrease")
            return self._asking.question(turn, "length", "later.length", ()) if unknown else Keep(turn, "timer")
        when = timer.when or When(vague=True)
        doubt = self._times.doubt(when)
        if doubt == "past" and when.daytime is not None:
            doubt = "vague"  # the hour of a part of the day, which goes on
        return Keep(turn, "timer") if doubt is None else self._asking.about_time(turn, doubt)

    def _diaries(self, clause: AboutAgenda) -> tuple[str, ...]:
        """The calendars of the home: "what are my plans" may mean those too."""
        if clause.sort is not None or clause.targets or clause.action is not None:
            return ()
        return tuple(item.id for item in self._registry.devices if item.exposed and item.reads("agenda") is not None)

    def _really(self, found: Sequence[Entry], turn: Turn) -> Ask:
        """The question whether all of it is to be dropped."""
        ids = tuple(str(item.id) for item in found)
        until = self._asking.expiry()
        return Ask(turn, Question("confirm", ALL_KEPT, turn.program, ids, until, turn.at, heard=turn.heard))

    def _meant(self, clause: AboutAgenda, turn: Turn) -> list[Entry]:
        every = list(self._agenda.entries)
        found = self._fitting(every if clause.sort is None else self._of_sort(every, clause), clause, turn)
        if not found and clause.sort == "rules" and clause.op == "cancel" and (clause.targets or clause.parameter):
            found = self._fitting(every, clause, turn)  # what comes at its time is called a rule as well
        return [max(found, key=lambda item: item.id)] if clause.last and found else found

    def _of_sort(self, found: Sequence[Entry], clause: AboutAgenda) -> list[Entry]:
        sorts, timers = _SORTS[clause.sort or ""], clause.sort == "timers"
        standing = clause.op == "cancel" and clause.sort == "rules"  # "the rule for the fan" may be for each day
        return [
            item
            for item in found
            if item.sort in sorts or (timers and item.reminds is not None) or (standing and _is_standing(item))
        ]

    def _fitting(self, found: list[Entry], clause: AboutAgenda, turn: Turn) -> list[Entry]:
        if clause.action is not None:
            found = [item for item in found if item.program is not None and item.clause.action == clause.action]
        elif clause.parameter is not None:
            found = [item for item in found if self._measures(item, clause.parameter.attribute)]
        if clause.targets:
            found = self._naming(found, clause.targets, turn.context)
        if clause.op == "skip" or (when := clause.when) is None:
            return found
        if when.time is not None or when.delay_s is not None:
            return [item for item in found if self._at(item, when)]
        return found if when.day_offset is None else [item for item in found if self._on(item, when)]

    def _naming(self, found: Sequence[Entry], targets: Sequence[Target], context: Context) -> list[Entry]:
        """What is about these, here or else anywhere; or was said with these words."""
        words = [key(item.mention) for item in targets if item.mention is not None]
        words = words or [key(area) for item in targets if item.kind is None for area in item.areas]
        for place in (context, replace(context, area=None)):
            wanted = self._wanted(targets, place)
            if near := [item for item in found if self._about(item, wanted) or self._called(item, words)]:
                return near
        return [item for item in found if _says(item, words)]

    def _wanted(self, targets: Sequence[Target], context: Context) -> set[str]:
        """The devices that are named: all that may be, so that nothing is missed because two are called alike."""
        wanted: set[str] = set()
        for target in targets:
            found = self._resolver.resolve(replace(target, quantifier="all"), Need(), context)
            wanted.update(found.entities, found.left_out, (item.entity for item in found.candidates))
        return wanted

    def _called(self, entry: Entry, words: Sequence[str]) -> bool:
        """Whether something in it bears one of these words in its name: "the front door" of the sensor in its frame."""
        ids = (*entry.entities, *(item for ids in entry.watched for item in ids))
        names = [key(name) for item in self._registry.present(ids) for name in item.names]
        return any(word in name for word in words for name in names)

    def _measures(self, entry: Entry, attribute: str) -> bool:
        """Whether it waits for this to be so much, or sets it."""
        clause = entry.clause if entry.program is not None else Order()
        watched = self._registry.present(item for ids in entry.watched for item in ids)
        tested = [item.attribute for item in clause.conditions]
        sets = clause.parameter is not None and clause.parameter.attribute == attribute
        valued = "value" in tested and any(item.reads(attribute) for item in watched)
        return attribute in tested or sets or valued

    def _about(self, entry: Entry, wanted: set[str]) -> bool:
        watched = {item for ids in entry.watched for item in ids}
        return not wanted.isdisjoint(entry.entities) or not wanted.isdisjoint(watched)

    def _on(self, entry: Entry, said: When) -> bool:
        """Whether it is due on a day; the night of a day ends on the next morning."""
        if entry.due is None:
            return False
        less = _SMALL_HOURS_S if said.daytime == "night" else 0.0
        morning = self._agenda.clock.local(self._agenda.due(entry) - less).hour < _NIGHTFALL
        ahead = self._ahead(entry, less)
        halves = {"night": not morning, "pm": not morning, "am": morning}
        return ahead == said.day_offset and (said.daytime is None or halves[said.daytime])

    def _ahead(self, entry: Entry, less_s: float = 0.0) -> int:
        """On how many days from now it is due."""
        due = self._agenda.clock.local(self._agenda.due(entry) - less_s)
        return (due.date() - self._agenda.clock.today(self._agenda.clock.wall())).days

    def _at(self, entry: Entry, said: When) -> bool:
        if entry.due is None:
            return False
        if said.delay_s is not None:
            kept = entry.clause.when if entry.program is not None else None
            left = self._agenda.due(entry) - self._agenda.clock.wall()
            return kept is not None and (kept.delay_s == said.delay_s or abs(left - said.delay_s) <= _NEAR_S)
        if said.time in ("sunrise", "sunset"):
            return entry.program is not None and entry.clause.when is not None and entry.clause.when.time == said.time
        local = self._agenda.clock.local(self._agenda.due(entry) + 30)
        hour, _, minutes = (said.time or "").partition(":")
        apart = (local.hour * 60 + local.minute) - (int(hour) * 60 + int(minutes))
        return apart == 0 or (said.twelve and abs(apart) == _HALF)


def _says(entry: Entry, words: Sequence[str]) -> bool:
    """Whether one of these words was said when it was made: "the tree one", of "the christmas tree at nine"."""
    said = [key(item) for item in (entry.origin.said, entry.name, entry.reminds) if item]
    return any(word in item for word in words for item in said)


def _is_standing(entry: Entry) -> bool:
    """Whether it is done on each of some days."""
    when = entry.clause.when if entry.program is not None else None
    return when is not None and bool(when.days) and not when.once


def _which(found: Sequence[Entry]) -> Message:
    if len(found) > _MOST_OPTIONS:
        return say("later.which.many", len(found))
    return say("later.which", len(found), options=Kept(tuple(found), "choices"))
