"""What is said about what was kept, and about the lists that people keep: which of it is meant. No words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from daemon.core.decisions import Ask, Decision, Keep, Note, Query, Refuse, Undo
from daemon.core.ir import AboutAgenda, AboutList, Inquiry, Order, Parameter, Target, Timer, When
from daemon.core.messages import Listing, ListName, Message, say
from daemon.core.questions import ALL_KEPT, LIST_WANTED, Question
from daemon.core.result import SHOPPING, USUAL
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.decide.looking import Look
from daemon.dialogue.dialogue import Open
from daemon.home.names import key
from daemon.home.registry import Registry
from daemon.lists.lists import Lists, tidied
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


class KeptThings:
    """Decides on what is said about one home's agenda; changes nothing in it."""

    def __init__(
        self,
        *,
        agenda: Agenda,
        times: Times,
        registry: Registry,
        resolver: Resolver,
        asking: Asking,
    ) -> None:
        self._agenda = agenda
        self._clock = agenda.clock
        self._times = times
        self._registry = registry
        self._resolver = resolver
        self._asking = asking

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

    def _skipped(self, turn: Turn, clause: AboutAgenda, found: Sequence[Entry]) -> Decision:
        """What is for each day is left out on the one that is said."""
        day = day_of(clause.when or When(), self._clock)
        due = [item for item in found if item.due is not None and item.standing and comes_on(item.clause.when, day)]
        if not due:
            return Refuse(turn, (say("later.none.such"),), "later.none")
        if len(due) > 1 and not clause.just:
            return Refuse(turn, (_which(due),), "later.which", "clarify")
        return Undo(turn, "later.skip", dropped=tuple(item.id for item in due))

    def _timed(self, turn: Turn, timer: Timer) -> Decision:
        """A timer wants a length; a reminder is one for a moment, and when, is asked where nobody said it."""
        if timer.reminds is None or timer.op != "start":
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
        found = list(self._agenda.entries)
        if clause.sort is not None:
            sorts, timers = _SORTS[clause.sort], clause.sort == "timers"
            standing = clause.op == "cancel" and clause.sort == "rules"  # "the rule for the fan" may be for each day
            found = [
                item
                for item in found
                if item.sort in sorts or (timers and item.reminds is not None) or (standing and _is_standing(item))
            ]
        if clause.action is not None:
            found = [item for item in found if item.program is not None and item.clause.action == clause.action]
        if clause.targets:
            wanted = self._wanted(clause.targets, turn)
            words = [key(item.mention) for item in clause.targets if item.mention is not None]
            near = [item for item in found if self._about(item, wanted) or self._called(item, words)]
            found = near or [item for item in found if _says(item, words)]
        if clause.op == "skip":
            return found
        if clause.when is not None and (clause.when.time is not None or clause.when.delay_s is not None):
            found = [item for item in found if self._at(item, clause.when)]
        elif clause.when is not None and clause.when.day_offset is not None:
            found = [item for item in found if self._on(item, clause.when)]
        return [max(found, key=lambda item: item.id)] if clause.last and found else found

    def _wanted(self, targets: Sequence[Target], turn: Turn) -> set[str]:
        """The devices that are named: all that may be, so that nothing is missed because two are called alike."""
        wanted: set[str] = set()
        for target in targets:
            found = self._resolver.resolve(replace(target, quantifier="all"), Need(), turn.context)
            wanted.update(found.entities, found.left_out, (item.entity for item in found.candidates))
        return wanted

    def _called(self, entry: Entry, words: Sequence[str]) -> bool:
        """Whether something in it bears one of these words in its name: "the front door" of the sensor in its frame."""
        ids = (*entry.entities, *(item for ids in entry.watched for item in ids))
        names = [key(name) for item in ids if item in self._registry for name in self._registry[item].names]
        return any(word in name for word in words for name in names)

    def _about(self, entry: Entry, wanted: set[str]) -> bool:
        watched = {item for ids in entry.watched for item in ids}
        return not wanted.isdisjoint(entry.entities) or not wanted.isdisjoint(watched)

    def _on(self, entry: Entry, said: When) -> bool:
        """Whether it is due on a day; the night of a day ends on the next morning."""
        if entry.due is None:
            return False
        night = said.daytime == "night"
        due = self._clock.local(self._agenda.due(entry) - (_SMALL_HOURS_S if night else 0.0))
        ahead = (due.date() - self._clock.today(self._clock.wall())).days
        morning = due.hour < _NIGHTFALL
        halves = {"night": not morning, "pm": not morning, "am": morning}
        return ahead == said.day_offset and (said.daytime is None or halves[said.daytime])

    def _at(self, entry: Entry, said: When) -> bool:
        if entry.due is None:
            return False
        if said.delay_s is not None:
            kept = entry.clause.when if entry.program is not None else None
            left = self._agenda.due(entry) - self._clock.wall()
            return kept is not None and (kept.delay_s == said.delay_s or abs(left - said.delay_s) <= _NEAR_S)
        if said.time in ("sunrise", "sunset"):
            return entry.program is not None and entry.clause.when is not None and entry.clause.when.time == said.time
        local = self._clock.local(self._agenda.due(entry) + 30)
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


class ListThings:
    """Decides about lists in one home."""

    def __init__(self, *, lists: Lists, registry: Registry, asking: Asking) -> None:
        self._lists = lists
        self._registry = registry
        self._asking = asking

    def elsewhere(self, turn: Turn, open_: Open) -> Turn | None:
        """The turn as it is about the home: the home's own list, or what is switched off; None where it is none."""
        clause = _of(turn)
        if clause.op == "off" and not open_.noted:
            return turn.instead(Order("turn_off", (Target(reference="that", confidence=clause.confidence),)))
        if clause.op != "tell" or not any(item.reads("todo") for item in self._registry.devices):
            return None
        name = self._lists.named(clause.name or SHOPPING)
        ours = self._lists.contents.get(name) if name is not None else None
        asked = Inquiry("value", parameter=Parameter("todo"), confidence=clause.confidence)
        return None if ours or open_.listed else turn.instead(asked)

    def decide(self, turn: Turn, open_: Open) -> Decision:
        """What is to be done about a clause of a list."""
        clause = replace(_of(turn), items=tidied(_of(turn).items))
        if clause.op == "lists":
            return Note(turn.instead(clause), "list")
        if clause.op == "off":
            clause = replace(clause, op="remove")
        if clause.op == "remove" and not clause.items and open_.noted:
            change = open_.changes[-1]
            clause = replace(clause, name=clause.name or change.name, items=change.added)
        if clause.op == "also" or (clause.op in ("add", "remove", "has") and not clause.items):
            return self._asking.ends(turn, "ignore", "not_understood")
        if clause.op == "remove" and clause.implicit and not self._lists.holding(clause.items):
            return self._asking.ends(turn, "ignore", "chat")
        name = self._which(clause, open_)
        if not isinstance(name, str):
            return Refuse(turn, (name,), "list.which", "clarify")
        turn = turn.instead(replace(clause, name=name))
        known = name in self._lists.contents
        if clause.op in ("add", "make"):
            return self._added(turn, name)
        if not known:
            return Refuse(turn, (say("list.unknown", list=ListName(name)),), "list.unknown")
        if clause.op in ("clear", "drop"):
            return self._really(turn, name, clause.op)
        return Note(turn, "list")

    def _added(self, turn: Turn, name: str) -> Decision:
        clause = _of(turn)
        problem = self._lists.problem(name, clause.items)
        if problem is not None:
            return Refuse(turn, (say(f"list.{problem}", list=ListName(name)),), f"list.{problem}")
        if clause.implicit and not turn.settled.confirmed:
            return self._asking.question(turn, "confirm", LIST_WANTED, (name,))
        return Note(turn, "list")

    def _really(self, turn: Turn, name: str, op: Literal["clear", "drop"]) -> Ask | Note | Refuse:
        """Nothing that somebody wrote goes without a yes."""
        if op == "drop" and name in USUAL:
            op = "clear"
        if self._lists.contents[name] and name not in turn.settled.confirmed:
            return self._asking.question(turn, "confirm", f"list.{op}", (name,))
        return Note(turn, "list")

    def _which(self, clause: AboutList, open_: Open) -> str | Message:
        """The list that is meant; where it may be one of several, what is said to that."""
        if clause.name is not None:
            return self._lists.named(clause.name) or clause.name
        if open_.listed is not None and (clause.op != "remove" or self._any(open_.listed, clause.items)):
            return open_.listed
        if clause.op in ("remove", "has") and clause.items:
            holding = self._lists.holding(clause.items)
            if len(holding) > 1 and clause.op == "remove":
                return say("list.which", lists=Listing(tuple(ListName(item) for item in holding), "choices"))
            return holding[0] if holding else SHOPPING
        filled = [name for name, items in self._lists.contents.items() if items]
        if clause.op == "add" or len(filled) != 1:
            return SHOPPING
        return filled[0]

    def _any(self, name: str, items: Sequence[str]) -> bool:
        return not items or any(self._lists.meant(name, item) for item in items)


def needed(look: Look | Decision) -> Turn | None:
    """As "we need coffee" where nothing here is called so: a wish for the list; None where it is no such need."""
    turn, ruling = look.turn, look.ruling.reason if isinstance(look, Look) else getattr(look, "reason", None)
    clause = turn.clause
    if not isinstance(clause, Order) or not clause.implicit or ruling != "not_found" or clause.parameter is not None:
        return None  # what is too bright is not wanted
    words = [item.mention for item in clause.targets if item.mention is not None]
    return turn.instead(AboutList("add", None, tuple(words), implicit=True)) if len(words) == 1 else None


def _of(turn: Turn) -> AboutList:
    clause = turn.clause
    assert isinstance(clause, AboutList)
    return clause
