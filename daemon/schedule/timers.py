"""Kitchen timers: several at once, with names, paused, resumed, lengthened and shortened."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.core.ir import Timer
from daemon.core.messages import Due, Listing, Message, Said, Words, say
from daemon.core.values import replace
from daemon.home.names import key
from daemon.home.registry import Registry
from daemon.schedule.agenda import Agenda
from daemon.schedule.entries import AboutTimer, Entry, Happens, Kept, Origin, TimerName
from daemon.schedule.moments import Moments

_LONGEST_S = 7 * 86_400.0
_LONGER = ("increase", "decrease")


class Timers:
    """The timers and reminders of one home."""

    def __init__(self, agenda: Agenda, moments: Moments, registry: Registry) -> None:
        self._agenda = agenda
        self._clock = agenda.clock
        self._moments = moments
        self._registry = registry

    @property
    def all(self) -> list[Entry]:
        """Every timer and reminder, the next to ring first, paused ones last."""
        return [item for item in self._agenda.entries if item.sort == "timer" or item.reminds is not None]

    @property
    def _counting(self) -> list[Entry]:
        """What else has its time running: the ends of what was to last so long, and what was put off by so long."""
        return [item for item in self._agenda.entries if item.sort == "end" or (item.sort == "time" and item.elapsing)]

    async def change(self, timer: Timer, origin: Origin) -> tuple[Said, tuple[int, ...]]:
        """Does what was said of a timer, or of a reminder for a time.

        Returns:
            What to say, and the ids of what was set, so that it can be taken back, or of the one that was meant.
        """
        if timer.op == "start":
            return await (self._start(timer, origin) if timer.reminds is None else self._remind(timer, origin))
        meant = self._meant(timer, origin)
        if timer.op == "cancel_all" and meant:
            await self._agenda.drop([item.id for item in meant])
            key_ = "timer.cancelled.all" if meant[0].reminds is None else "reminder.cancelled.all"
            return (say(key_, len(meant)),), ()
        if not (timer.name or timer.place or timer.start_seconds or timer.reminds):
            # "How much longer", "five more minutes" are also about what was put on for an hour.
            meant += self._counting if timer.op == "query" or (timer.op in _LONGER and not meant) else []
        if not meant:
            others = tuple(self._agenda.as_now(item) for item in self.all if item.reminds is None)
            told = (Kept(others),) if timer.op == "query" and timer.reminds is None and others else ()
            return (self._none(timer), *told), ()  # who asks for "the bread" may have said "the sourdough"
        if timer.op == "query":
            one = (meant[0].id,) if len(meant) == 1 else ()
            return (Kept(tuple(self._agenda.as_now(item) for item in meant)),), one
        if len(meant) > 1:
            alike = len({item.name for item in meant}) == 1  # what tells them apart is their length
            names = tuple(TimerName(replace(item, name=None) if alike else item) for item in meant)
            return (say("timer.which", len(names), options=Listing(names, "choices")),), ()
        return (await self._one(timer, meant[0]),), (meant[0].id,) if timer.op != "cancel" else ()

    def rings(self, entry: Entry, late: float) -> Message:
        """That one is done; or was, while nobody was here to say it."""
        rang = entry.due if late > 0 else None
        if entry.sort == "rule" and not entry.reminds:
            return say("reminder.happened", what=Happens.of(entry.clause, entry.watched, so=True))
        if entry.reminds is not None:
            key_ = "reminder.rang" if rang is not None else "reminder.rings" if entry.reminds else "reminder.rings.bare"
            return AboutTimer(key_, entry, rang)
        return AboutTimer("timer.rings" if rang is None else "timer.rang", entry, rang)

    async def _remind(self, timer: Timer, origin: Origin) -> tuple[Said, tuple[int, ...]]:
        if timer.when is None:
            return (), ()  # its moment has come: whoever kept it says so
        when = timer.when
        due = self._moments.first(when)
        if not isinstance(due, float):
            return (say(f"later.{due.reason}"),), ()
        task = timer.reminds or ""
        entry = Entry(0, "timer", origin, due, seconds=when.delay_s or 0.0, reminds=task)
        stored, safe = await self._agenda.keep(entry)
        said = say("reminder.set" if task else "reminder.set.bare", when=Due(when, due), task=Words(task))
        return (said,) if safe else (said, say("later.unsaved")), (stored.id,)

    async def _start(self, timer: Timer, origin: Origin) -> tuple[Said, tuple[int, ...]]:
        seconds = timer.seconds or 0.0
        if not 1 <= seconds <= _LONGEST_S:
            return (say("later.too_far" if seconds > _LONGEST_S else "later.no_length"),), ()
        if self._agenda.full:
            return (say("later.full"),), ()
        due = self._clock.wall() + seconds
        entry = Entry(0, "timer", origin, due, name=timer.name or timer.place, seconds=seconds)
        stored, safe = await self._agenda.keep(entry)
        started = AboutTimer("timer.started", stored)
        return (started,) if safe else (started, say("later.unsaved")), (stored.id,)

    async def _one(self, timer: Timer, entry: Entry) -> Message:
        left, now = self._left(entry), self._agenda.as_now(entry)
        match timer.op:
            case "cancel":
                await self._agenda.drop([entry.id])
                return AboutTimer("timer.cancelled", now)
            case "pause":
                if entry.left is not None:
                    return AboutTimer("timer.is_paused", now)
                return AboutTimer("timer.paused", await self._set(entry, left, paused=True))
            case "resume":
                if entry.left is None:
                    return AboutTimer("timer.is_running", now)
                return AboutTimer("timer.resumed", await self._set(entry, left, paused=False))
            case _:
                by = (timer.seconds or 0.0) * (-1 if timer.op == "decrease" else 1)
                if left + by < 1:
                    return AboutTimer("timer.too_short", now)
                if left + by > _LONGEST_S:
                    return say("later.too_far")
                changed = await self._set(entry, left + by, paused=entry.left is not None)
                return AboutTimer("timer.changed", changed) if entry.sort == "timer" else Kept((changed,))

    async def _set(self, entry: Entry, left: float, *, paused: bool) -> Entry:
        changed = replace(entry, due=None if paused else self._clock.wall() + left, left=left if paused else None)
        await self._agenda.put(changed)
        return changed

    def _none(self, timer: Timer) -> Message:
        if timer.reminds is not None:
            return say("reminder.none")
        return say("timer.none.named" if timer.op != "cancel_all" and self.all else "timer.none")

    def _meant(self, timer: Timer, origin: Origin) -> list[Entry]:
        """The timers that a name, a length or a place tells; with none of these all, those set here first."""
        found = [item for item in self.all if (item.reminds is None) == (timer.reminds is None)]
        if timer.reminds:
            found = [item for item in found if key(timer.reminds) in key(item.reminds or "")]
        if timer.start_seconds is not None:
            found = [item for item in found if abs(item.seconds - timer.start_seconds) < 1]
        for word in (timer.name, timer.place):
            if word is not None:
                found = [item for item in found if self._called(item, word)] or self._within(found, word)
        if timer.op in ("query", "cancel_all") or len(found) < 2 or timer.name or timer.place:  # noqa: PLR2004 - one needs no choice
            return found
        for here in (
            lambda item: item.origin.satellite == origin.satellite,
            lambda item: (item.left is None) == (timer.op == "pause") if timer.op in ("pause", "resume") else True,
        ):  # type: Callable[[Entry], bool]
            found = [item for item in found if here(item)] or found
        return found

    def _called(self, entry: Entry, word: str) -> bool:
        if entry.name is not None and key(entry.name) == key(word):
            return True
        area = self._registry.get(entry.origin.area or "")
        return entry.name is None and area is not None and key(word) in {key(name) for name in area.names}

    def _within(self, found: Sequence[Entry], word: str) -> list[Entry]:
        """Those whose name has the word in it: "the pasta" of "pasta sauce", where only one has."""
        holding = [item for item in found if item.name is not None and key(word) in key(item.name)]
        return holding if len(holding) == 1 else []

    def _left(self, entry: Entry) -> float:
        return entry.left if entry.left is not None else max(0.0, self._agenda.due(entry) - self._clock.wall())
