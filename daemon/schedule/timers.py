"""Kitchen timers: several at once, with names, paused, resumed, lengthened and shortened."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.converse.replies import Replies
from daemon.core.ir import Timer
from daemon.core.values import replace
from daemon.home.names import key
from daemon.home.registry import Registry
from daemon.schedule.agenda import Agenda
from daemon.schedule.clock import Clock
from daemon.schedule.entries import Entry, Origin
from daemon.schedule.phrases import Phrases

_LONGEST_S = 7 * 86_400.0


class Timers:
    """The timers of one home."""

    def __init__(self, agenda: Agenda, clock: Clock, phrases: Phrases, registry: Registry, replies: Replies) -> None:
        self._agenda = agenda
        self._clock = clock
        self._phrases = phrases
        self._registry = registry
        self._replies = replies

    @property
    def all(self) -> list[Entry]:
        """Every timer, the next to ring first, paused ones last."""
        return [item for item in self._agenda.entries if item.sort == "timer"]

    async def change(self, timer: Timer, origin: Origin) -> tuple[str, tuple[int, ...]]:
        """Does what was said of a timer.

        Returns:
            What to say, and the ids of what was set, so that it can be taken back.
        """
        if timer.op == "start":
            return await self._start(timer, origin)
        meant = self._meant(timer, origin)
        if timer.op == "cancel_all":
            await self._agenda.drop([item.id for item in meant])
            return self._none(timer, origin.lang) if not meant else self._gone(meant, origin.lang), ()
        if not meant:
            return self._none(timer, origin.lang), ()
        if timer.op == "query":
            parts = [self.left(item, origin.lang) for item in meant]
            return self._replies.sentences(parts, origin.lang), ()
        if len(meant) > 1:
            names = [self.name(item, origin.lang) for item in meant]
            return self._say("timer.which", origin.lang, options=self._replies.choices(names, origin.lang)), ()
        return await self._one(timer, meant[0], origin.lang), ()

    async def remind(
        self, task: str, due: float, delay_s: float, when: str, origin: Origin
    ) -> tuple[str, tuple[int, ...]]:
        """Keeps a reminder.

        Args:
            task: Of what; empty where nobody said it.
            due: When, in seconds since the epoch.
            delay_s: In how many seconds, where it was said so; 0 for a time of the clock.
            when: The same in words.
            origin: Who wants it, and where.

        Returns:
            As `change`.
        """
        stored, safe = await self._agenda.keep(Entry(0, "timer", origin, due, seconds=delay_s, reminds=task))
        key_ = "reminder.set" if task else "reminder.set.bare"
        said = self._say(key_, origin.lang, when=when, task=task)
        parts = [said[:1].upper() + said[1:]]
        if not safe:
            parts.append(self._say("later.unsaved", origin.lang))
        return self._replies.sentences(parts, origin.lang), (stored.id,)

    def name(self, entry: Entry, lang: str) -> str:
        """What a timer is called: by its name, by what it reminds of, or by its length."""
        if entry.reminds is not None:
            return self._replies.say("reminder.named" if entry.reminds else "reminder.plain", lang, task=entry.reminds)
        if entry.name is not None:
            return self._replies.say("timer.named", lang, name=entry.name)
        return self._replies.say("timer.plain", lang, length=self._phrases.length(entry.seconds, lang))

    def left(self, entry: Entry, lang: str) -> str:
        """How much is left of one, as a sentence."""
        key_ = "timer.left" if entry.left is None else "timer.left.paused"
        return self._about(entry, key_, lang)

    def rings(self, entry: Entry, late: float, lang: str) -> str:
        """That one is done; or was, while nobody was here to say it."""
        if entry.reminds is not None:
            key_ = "reminder.rings" if entry.reminds else "reminder.rings.bare"
            if late > 0 and entry.due is not None:
                key_ = "reminder.rang"
            when = self._phrases.past(entry.due, lang) if entry.due is not None else ""
            return self._say(key_, lang, task=entry.reminds or self.name(entry, lang), when=when)
        if late <= 0 or entry.due is None:
            return self._about(entry, "timer.rings", lang)
        return self._about(entry, "timer.rang", lang, when=self._phrases.past(entry.due, lang))

    async def _start(self, timer: Timer, origin: Origin) -> tuple[str, tuple[int, ...]]:
        seconds = timer.seconds or 0.0
        if not 1 <= seconds <= _LONGEST_S:
            return self._say("later.too_far" if seconds > _LONGEST_S else "later.no_length", origin.lang), ()
        if self._agenda.full:
            return self._say("later.full", origin.lang), ()
        due = self._clock.wall() + seconds
        entry = Entry(0, "timer", origin, due, name=timer.name or timer.place, seconds=seconds)
        stored, safe = await self._agenda.keep(entry)
        parts = [self._about(stored, "timer.started", origin.lang)]
        if not safe:
            parts.append(self._say("later.unsaved", origin.lang))
        return self._replies.sentences(parts, origin.lang), (stored.id,)

    async def _one(self, timer: Timer, entry: Entry, lang: str) -> str:
        left = self._left(entry)
        match timer.op:
            case "cancel":
                await self._agenda.drop([entry.id])
                return self._about(entry, "timer.cancelled", lang)
            case "pause":
                if entry.left is not None:
                    return self._about(entry, "timer.is_paused", lang)
                return self._about(await self._set(entry, left, paused=True), "timer.paused", lang)
            case "resume":
                if entry.left is None:
                    return self._about(entry, "timer.is_running", lang)
                return self._about(await self._set(entry, left, paused=False), "timer.resumed", lang)
            case _:
                by = (timer.seconds or 0.0) * (-1 if timer.op == "decrease" else 1)
                if left + by < 1:
                    return self._about(entry, "timer.too_short", lang)
                if left + by > _LONGEST_S:
                    return self._say("later.too_far", lang)
                return self._about(
                    await self._set(entry, left + by, paused=entry.left is not None), "timer.changed", lang
                )

    async def _set(self, entry: Entry, left: float, *, paused: bool) -> Entry:
        changed = replace(entry, due=None if paused else self._clock.wall() + left, left=left if paused else None)
        await self._agenda.put(changed)
        return changed

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

    def _none(self, timer: Timer, lang: str) -> str:
        if timer.reminds is not None:
            return self._say("reminder.none", lang)
        named = timer.op != "cancel_all" and self.all
        return self._say("timer.none.named" if named else "timer.none", lang)

    def _gone(self, meant: Sequence[Entry], lang: str) -> str:
        key_ = "timer.cancelled.all" if meant[0].reminds is None else "reminder.cancelled.all"
        return self._say(key_, lang, n=len(meant))

    def _within(self, found: Sequence[Entry], word: str) -> list[Entry]:
        """Those whose name has the word in it: "the pasta" of "pasta sauce", where only one has."""
        holding = [item for item in found if item.name is not None and key(word) in key(item.name)]
        return holding if len(holding) == 1 else []

    def _left(self, entry: Entry) -> float:
        return entry.left if entry.left is not None else max(0.0, self._agenda.due(entry) - self._clock.wall())

    def _about(self, entry: Entry, what: str, lang: str, when: str = "") -> str:
        length = self._phrases.length(self._left(entry), lang)
        said = self._say(what, lang, timer=self.name(entry, lang), length=length, when=when)
        return said[:1].upper() + said[1:]

    def _say(self, what: str, lang: str, *, n: int = 1, **values: object) -> str:
        return self._replies.say(what, lang, n=n, **values)
