"""What is said about what was kept: "what is planned", "cancel the fan one", and everything about timers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.core.ir import Clause, Target, When
from daemon.core.questions import ALL_KEPT, EXPIRY_S, Question
from daemon.core.resolution import Decision
from daemon.core.turn import Judged, Report, Turn
from daemon.core.values import replace
from daemon.home.names import key
from daemon.resolve.needs import Need
from daemon.resolve.resolver import Resolver
from daemon.schedule.entries import Entry, Origin
from daemon.schedule.keeping import Schedule
from daemon.schedule.timers import Timers

_MOST_SAID = 5
"""So many entries one spoken answer lists."""
_MOST_OPTIONS = 3
_SORTS = {"timers": ("timer",), "rules": ("rule",), "times": ("time", "end")}
_HALF = 12 * 60
_SMALL_HOURS_S = 5 * 3600.0
_NIGHTFALL = 12
"""What is due so late on a day (as the night is counted, until five) is due "tonight"."""
_NEAR_S = 60.0
"""By so much may differ when a thing is due from when it is said to be: "the one in ten minutes"."""


class Appointments:
    """Talks about one home's agenda. One event loop."""

    def __init__(self, *, schedule: Schedule, timers: Timers, resolver: Resolver) -> None:
        self.schedule = schedule
        self.timers = timers
        self._agenda = schedule.agenda
        self._clock = schedule.clock
        self._replies = schedule.replies
        self._registry = schedule.registry
        self._resolver = resolver

    def judge(self, turn: Turn) -> Judged:
        """Which of it is meant; nothing is dropped or changed yet."""
        clause, lang = turn.clause, turn.lang
        if clause.intent == "timer":
            return Judged(turn, Decision("act", "timer"))
        agenda = clause.agenda
        assert agenda is not None
        if agenda.op in ("clock", "day"):
            now = self.schedule.phrases.now if agenda.op == "clock" else self.schedule.phrases.today
            return Judged(turn, report=Report("assistant", now(lang), agenda.op))
        found = self._meant(turn)
        if agenda.op == "list":
            return Judged(turn, report=Report("assistant", self._listed(found, clause, lang), "list"))
        if not found:
            none = "later.none.such" if len(self._agenda) else "later.none"
            return Judged(turn, report=Report("reject", self._replies.say(none, lang), "later.none"))
        if len(found) > 1 and agenda.op == "cancel":
            return Judged(turn, report=Report("clarify", self._which(found, lang), "later.which"))
        if agenda.op == "cancel_all" and agenda.sort != "timers":
            # What was kept while the question waited was no part of it.
            agreed = [item for item in found if str(item.id) in turn.settled.confirmed]
            if len(found) > 1 and not agreed:
                return Judged(turn, report=self._really(found, turn))
            found = agreed or found
        return Judged(turn, Decision("act", "later"), dropped=tuple(item.id for item in found))

    async def carry_out(self, judged: Judged) -> Report:
        """Does to timers what was said, or drops what was to be dropped."""
        turn, lang = judged.turn, judged.turn.lang
        if judged.dropped:
            found = [item for number in judged.dropped if (item := self._agenda.get(number)) is not None]
            await self._agenda.drop(judged.dropped)
            if not found:
                return Report("reject", self._replies.say("later.none.such", lang), "later.none")
            what = self._replies.names(self._brief(found, lang), lang)
            return Report("assistant", self._replies.say("later.cancelled", lang, n=len(found), what=what), "cancelled")
        timer = turn.clause.timer
        assert timer is not None
        origin = Origin(turn.said, lang, turn.satellite, self._clock.wall(), turn.context.area, turn.context.speaker)
        if timer.reminds is not None and timer.op == "start":
            words, kept = await self._remind(timer.reminds, turn.clause.when or When(), origin)
        else:
            words, kept = await self.timers.change(timer, origin)
        return Report("assistant", words, "timer", kept=kept)

    async def _remind(self, task: str, when: When, origin: Origin) -> tuple[str, tuple[int, ...]]:
        due = self.schedule.moments.first(when)
        if not isinstance(due, float):
            return self._replies.say(f"later.{due.reason}", origin.lang), ()
        said = self.schedule.phrases.when(when, due, origin.lang)
        return await self.timers.remind(task, due, when.delay_s or 0.0, said, origin)

    async def drop(self, numbers: Sequence[int]) -> int | None:
        """Drops what has these numbers; nothing at all, where one of them is not known: that one."""
        unknown = next((number for number in numbers if self._agenda.get(number) is None), None)
        if unknown is None:
            await self._agenda.drop(numbers)
        return unknown

    def facts(self) -> list[dict[str, object]]:
        """Everything that is kept, JSON-ready."""
        return [self._facts(item) for item in self._agenda.entries]

    def _facts(self, entry: Entry) -> dict[str, object]:
        lang = entry.origin.lang
        due = None if entry.due is None else self._agenda.due(entry)
        facts: dict[str, object] = {
            "id": entry.id,
            "sort": entry.sort,
            "due": None if due is None else self._clock.local(due).astimezone().isoformat(timespec="seconds"),
            "standing": entry.standing,
            "text": " ".join(self._words([entry], lang)),
            "said": entry.origin.said,
            "satellite": entry.origin.satellite,
            "entities": list(entry.entities),
            "name": entry.name,
            "paused": True if entry.left is not None else None,
        }
        return {name: value for name, value in facts.items() if value not in (None, [])}

    def _words(self, entries: Iterable[Entry], lang: str) -> list[str]:
        return [
            self.timers.left(item, lang) if item.sort == "timer" else self.schedule.said(item, lang) for item in entries
        ]

    def _brief(self, entries: Iterable[Entry], lang: str) -> list[str]:
        return [
            self.timers.name(item, lang) if item.sort == "timer" else self.schedule.brief(item, lang)
            for item in entries
        ]

    def _listed(self, found: Sequence[Entry], clause: Clause, lang: str) -> str:
        if not found:
            sort = clause.agenda.sort if clause.agenda is not None else None
            narrowed = clause.targets or clause.action or clause.when
            none = (
                "later.none.such" if narrowed else f"later.none.{sort}" if sort in ("timers", "rules") else "later.none"
            )
            return self._replies.say(none, lang)
        parts = self._words(found[:_MOST_SAID], lang)
        if len(found) > _MOST_SAID:
            parts.append(self._replies.say("later.more", lang, n=len(found) - _MOST_SAID))
        return self._replies.sentences(parts, lang)

    def _really(self, found: Sequence[Entry], turn: Turn) -> Report:
        """The question whether all of it is to be dropped."""
        question = Question(
            "confirm",
            ALL_KEPT,
            turn.program,
            tuple(str(item.id) for item in found),
            self._clock.monotonic() + EXPIRY_S,
            turn.at,
            heard=turn.heard,
        )
        words = self._replies.say(ALL_KEPT, turn.lang, n=len(found))
        return Report("clarify", words, ALL_KEPT, question=question)

    def _which(self, found: Sequence[Entry], lang: str) -> str:
        if len(found) > _MOST_OPTIONS:
            return self._replies.say("later.which.many", lang, n=len(found))
        return self._replies.say("later.which", lang, options=self._replies.choices(self._brief(found, lang), lang))

    def _meant(self, turn: Turn) -> list[Entry]:
        clause = turn.clause
        agenda = clause.agenda
        assert agenda is not None
        found = list(self._agenda.entries)
        if agenda.sort is not None:
            found = [item for item in found if item.sort in _SORTS[agenda.sort]]
        if clause.action is not None:
            found = [item for item in found if item.program is not None and item.clause.action == clause.action]
        if clause.targets:
            wanted = self._wanted(clause.targets, turn)
            words = [key(item.mention) for item in clause.targets if item.mention is not None]
            found = [item for item in found if self._about(item, wanted) or self._called(item, words)]
        if clause.when is not None and (clause.when.time is not None or clause.when.delay_s is not None):
            found = [item for item in found if self._at(item, clause)]
        elif clause.when is not None and clause.when.day_offset is not None:
            found = [item for item in found if self._on(item, clause.when)]
        return [max(found, key=lambda item: item.id)] if agenda.last and found else found

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
        return ahead == said.day_offset and (not night or due.hour >= _NIGHTFALL)

    def _at(self, entry: Entry, clause: Clause) -> bool:
        said = clause.when
        assert said is not None
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
