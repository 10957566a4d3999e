"""What is kept for later, in words: what, when, how long, on what condition. Only keys and values here."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.act.palette import called
from daemon.converse.questions import deed, located
from daemon.converse.replies import Replies
from daemon.converse.times import TimeWords, length
from daemon.core.entities import Value
from daemon.core.ir import Clause, Order, Parameter, Prohibition, Timer
from daemon.core.questions import Question
from daemon.core.values import replace
from daemon.home.actions import VERB_OF_STATE
from daemon.home.registry import Registry
from daemon.schedule.entries import Entry
from daemon.schedule.moments import Clock, Doubt, Moments
from daemon.schedule.times import begins, dated, ends


class KeptWords:
    """Says what is kept in one home."""

    def __init__(self, replies: Replies, registry: Registry, clock: Clock, moments: Moments, times: TimeWords) -> None:
        self._replies = replies
        self._registry = registry
        self._clock = clock
        self._moments = moments
        self._times = times

    def sentence(self, entry: Entry, lang: str) -> str:
        """The sentence that says an entry back; of a timer, what is left of it."""
        if entry.reminds is not None and entry.sort == "timer" and not entry.elapsing:
            key = "reminder.set" if entry.reminds else "reminder.set.bare"
            return self._replies.say(key, lang, when=self._times.when(None, entry.due, lang), task=entry.reminds)
        if entry.sort == "timer":
            return self.about("timer.left" if entry.left is None else "timer.left.paused", entry, lang)
        return self._said(entry, lang, ("forbidden.kept", "later.every", "later.once", "later.made"))

    def brief(self, entry: Entry, lang: str) -> str:
        """An entry in a list: "turn off Hall light at six in the evening"."""
        if entry.sort == "timer":
            return self.timer(entry, lang)
        return self._said(entry, lang, ("forbidden.brief", "later.brief.every", "later.brief.once", "later.brief.made"))

    def _said(self, entry: Entry, lang: str, keys: tuple[str, str, str, str]) -> str:
        """An entry in the words of a ban, of what is done each time or once that something happens, or at a time."""
        ban, every, once, made = keys
        if entry.sort == "ban":
            return self._forbidden(entry, lang, ban)
        act = self._whole(entry, lang)
        if entry.sort == "rule":
            return self._replies.say(every if entry.standing else once, lang, what=self._what(entry, lang), act=act)
        return self._replies.say(made, lang, when=self._when(entry, lang), act=act)

    def timer(self, entry: Entry, lang: str) -> str:
        """What a timer is called: by its name, by what it reminds of, or by its length."""
        if entry.reminds is not None:
            return self._replies.say("reminder.named" if entry.reminds else "reminder.plain", lang, task=entry.reminds)
        if entry.name is not None:
            return self._replies.say("timer.named", lang, name=entry.name)
        return self._replies.say("timer.plain", lang, length=length(entry.seconds, self._replies, lang))

    def about(self, key: str, entry: Entry, lang: str, rang: float | None = None) -> str:
        """A sentence about a timer, with what is left of it."""
        due = entry.due if entry.due is not None else self._clock.wall()
        left = entry.left if entry.left is not None else max(0.0, due - self._clock.wall())
        timer, lasts = self.timer(entry, lang), length(left, self._replies, lang)
        when = "" if rang is None else self._times.past(rang, lang)
        return self._replies.say(key, lang, timer=timer, length=lasts, task=entry.reminds or timer, when=when)

    def act(self, clause: Clause, entities: Sequence[str], lang: str) -> str:
        """What is to be done, in words: "turn off Hall light"."""
        if isinstance(clause, Timer):
            return self._replies.say("do.remind" if clause.reminds else "do.tell", lang, task=clause.reminds)
        value, said = "", clause.parameter
        if said is not None:
            value = self._replies.value(said.value, lang, attribute=said.attribute, unit=said.unit)
        order = Order(clause.action or "activate", parameter=said)
        return deed(order, order.action, self.names(entities, lang), value, self._replies, lang)

    def step(self, attribute: str, value: Value, entities: Sequence[str], lang: str) -> str:
        """What one change is, in words: "lock Front door"."""
        verb = VERB_OF_STATE.get(str(value)) if attribute == "state" else None
        shown = called(str(value)) if attribute == "color" else None
        reads = next((found.reads(attribute) for item in entities if (found := self._registry.get(item))), None)
        unit = reads.unit if reads is not None else None
        words = self._replies.value(shown or value, lang, attribute=attribute, unit=unit)
        clause = Order(verb or "set", parameter=None if verb else Parameter(attribute))  # type: ignore[arg-type]
        return deed(clause, clause.action, self.names(entities, lang), words, self._replies, lang)

    def names(self, entities: Sequence[str], lang: str) -> str:
        """The names, each with its room where something else is called the same."""
        names = [self._name(item, lang) for item in entities if item in self._registry]
        # Of what has gone nobody knows the name any more.
        return self._replies.names(names or [self._replies.say("later.nameless", lang)] if entities else [], lang)

    def asked(self, words: str, question: Question, lang: str) -> str:
        """A question about a command, with when, how long and on what condition it would be carried out."""
        clause, when = question.clause, question.clause.when
        if when is None or question.kind != "confirm":
            return words
        beyond, when = when.beyond, replace(when, beyond=None)
        frames, start = [], self._moments.first(when)
        told = len(question.watched) == len(clause.conditions)
        if when.repeating and told:
            what = self._happens(clause, question.watched, lang)
            frames.append(self._replies.say(f"later.frame.{'every' if when.every else 'once'}", lang, what=what))
        elif begins(when) and isinstance(start, float):
            frames.append(self._times.when(when, start, lang))
            if clause.conditions and told and not when.until_so:
                what = self._given(clause, question.watched, lang)
                frames.append(self._replies.say("later.frame.if", lang, what=what))
        if (lasts := self._lasting(replace(clause, when=when), question.watched, start, lang)) is not None:
            frames.append(lasts)
        if frames:
            words = self._replies.say(
                "later.asked", lang, when=self._replies.joined(frames, lang, "facts"), question=words
            )
        return words if beyond is None else self._replies.say("later.beyond.unread", lang, question=words)

    def _when(self, entry: Entry, lang: str) -> str:
        if entry.watches:
            return self._replies.say("when.so", lang, what=self._what(entry, lang))
        return self._times.when(entry.clause.when, entry.due, lang)

    def _what(self, entry: Entry, lang: str) -> str:
        return self._happens(entry.clause, entry.watched, lang)

    def _happens(self, clause: Clause, watched: Sequence[tuple[str, ...]], lang: str) -> str:
        """What a command waits for, and in which hours."""
        what = self._times.conditions(clause.conditions, clause.condition_join, watched, lang)
        hours = dated(clause.when, self._clock).hours if clause.when is not None else None
        if hours is None:
            return what
        said = self._replies.joined(self._times.hours(hours, lang), lang, "facts")
        return self._replies.say("later.within", lang, what=what, hours=said)

    def _given(self, clause: Clause, watched: Sequence[tuple[str, ...]], lang: str) -> str:
        """On what condition a command is carried out."""
        return self._times.conditions(clause.conditions, clause.condition_join, watched, lang, so=True)

    def _whole(self, entry: Entry, lang: str) -> str:
        """What is to be done, how long, and on what condition: "turn off Hall light, if it is on then"."""
        clause = entry.clause
        act = self.act(clause, entry.entities, lang)
        if entry.sort == "end":
            return act
        lasts = self._lasting(clause, entry.watched, entry.due, lang)
        if lasts is not None:
            act = self._replies.say("later.lasts", lang, act=act, length=lasts)
        if clause.conditions and entry.sort == "time" and not (clause.when and clause.when.until_so):
            what = self._given(clause, entry.watched, lang)
            act = self._replies.say("later.if", lang, act=act, what=what)
        return act

    def _forbidden(self, entry: Entry, lang: str, frame: str) -> str:
        """What is forbidden, and when: "never to unlock Front door"."""
        clause, replies = entry.clause, self._replies
        way = clause.parameter.by if clause.parameter is not None else None
        bare = "do.touch" if clause.action is None else None if way is None else f"do.{way}"
        names = self.names(entry.entities, lang)
        act = self.act(clause, entry.entities, lang) if bare is None else replies.say(bare, lang, names=names)
        hours = clause.hours if isinstance(clause, Prohibition) else None
        frames = [] if hours is None else self._times.hours(hours, lang)
        if clause.conditions:
            what = self._given(clause, entry.watched, lang)
            frames.append(replies.say("forbidden.while", lang, what=what))
        if not frames:
            return replies.say(f"{frame}.never", lang, act=act)
        return replies.say(f"{frame}.when", lang, act=act, when=replies.joined(frames, lang, "facts"))

    def _lasting(
        self, clause: Clause, watched: Sequence[tuple[str, ...]], start: float | Doubt | None, lang: str
    ) -> str | None:
        """How long a command is to last; None where that was not said."""
        when = clause.when
        if when is None or not ends(when):
            return None
        if when.until_so:
            return self._replies.say("later.frame.until", lang, time=self._happens(clause, watched, lang))
        if when.duration_s is not None:
            told = length(when.duration_s, self._replies, lang, exact=True)
            return self._replies.say("later.frame.for", lang, length=told)
        until = self._moments.end(when, start if isinstance(start, float) else self._clock.wall())
        if not isinstance(until, float):
            return None
        return self._replies.say("later.frame.until", lang, time=self._times.clock(until, lang))

    def _name(self, entity: str, lang: str) -> str:
        name = self._registry[entity].name(lang)
        alone = sum(item.name(lang) == name for item in self._registry.devices) <= 1
        return name if alone else located(self._registry[entity], self._registry, self._replies, lang)
