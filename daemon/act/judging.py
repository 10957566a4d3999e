"""Whether one write has come true, judged message by message. Pure: no clock, no bus.

A bridge publishes what it was told before the device has done it (an echo), may say so again, out of its memory and
after a get too, and may publish the old state first. One message that shows the wish is like another, so

- an echo, as `States` marks it, is no proof, and neither is a retained message;
- the wished value after a get is a *hint*; it proves the write when it is seen again after another get, and nothing
  was said against it for a while: so long a device may take to say the truth after its bridge has repeated the wish;
- another value is not failure, and ends the hint: only what stands at the deadline is; of a device that can't be asked,
  what comes so soon after the echo may be older than the set, and tells nothing;
- a device whose address says `optimistic: false` speaks for itself: what it publishes after the set is proof, unless it
  is at stake and nobody knows what made it;
- a cover that tells its position is open, or closed, where that says so;
- a cover or a bolt that moves the right way is under way, which is proof enough to say so, but not to say "open".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from daemon.act.states import Sighting
from daemon.act.values import fulfilled, number, toward
from daemon.core.entities import Entity, Value
from daemon.core.outcomes import Write
from daemon.home.actions import is_risky
from daemon.home.verbs import end_of, fulfilling

Verdict = Literal["done", "moving"]

_MOTION: dict[Value, Value] = {"opening": "open", "closing": "closed", "locking": "locked", "unlocking": "unlocked"}
"""A state on the way -> the state that it leads to."""
_ARMING = "arming"
"""What an alarm says until everybody has left."""
_REST = 0.5
_REST_S = 0.5
"""A cover that needs a minute from end to end moves by more than `_REST` percent in this time."""


class Judge:
    """Collects the evidence for one write."""

    def __init__(
        self,
        write: Write,
        entity: Entity,
        *,
        askable: bool,
        placed: bool = False,
        former: Sequence[float] = (),
        settle_s: float = 0.0,
    ) -> None:
        """Prepares.

        Args:
            write: What was, or is about to be, sent.
            entity: The device.
            askable: Whether it answers a get for what is watched.
            placed: Whether it is known to tell its position.
            former: The positions that it was told before, which its bridge may still repeat.
            settle_s: From the get that brought a hint until what nothing contradicts is proof.
        """
        self.write = write
        self.askable = askable
        self.watched = watched(write, entity, placed=placed)
        self.verdict: Verdict | None = None
        self.evidence: Sighting | None = None
        """What decided, or the last thing that contradicts."""
        self.contradicted = False
        """The device answered otherwise, and has not taken that back."""
        self.caught = False
        """It was heard to say the wish after a get, and then otherwise."""
        self.echoes = 0
        """How many messages were discounted as echoes."""
        self._echo_s = 0.0
        """When the last of them came."""
        self.nearing = False
        """The last two contradicting values approached the wish."""
        self.slow = takes_time(write, entity)
        """Whether it takes its time: a cover, a lock."""
        self.candid = speaks_itself(entity)
        """Whether what the device publishes by itself is proof."""
        self.settle_s = settle_s
        self._entity = entity
        self._goal = goal_of(write, entity)
        self._told = (*former, *([] if self._goal is None else [self._goal]))
        self._asked_at: int | None = None
        """The message before the first get after the set."""
        self._asked_s = 0.0
        """When the last get went out."""
        self._hint: Sighting | None = None
        self._hint_s = 0.0
        """When the get went out that brought the hint."""
        self._checked_at: int | None = None
        """The message before the first get after the hint."""
        self._again: Sighting | None = None
        """The hint was seen again, after that get."""
        self._last_word: int | None = None
        """The evidence when the last get went out."""
        self._from: float | None = None
        self._stops = write.attribute == "command" and write.value == "stop" and entity.reads("position") is not None

    @property
    def observable(self) -> bool:
        """Whether the device can tell at all how the write went."""
        tells = self.write.attribute != "command" or bool(fulfilling(self._entity, self.write.value))
        return tells and (self._entity.reads(self.watched) is not None or self._stops)

    @property
    def open(self) -> bool:
        """Whether more evidence could change the verdict."""
        return self.observable and self.verdict is None

    @property
    def expected(self) -> tuple[tuple[str, Value], ...]:
        """The attributes and values that an echo would show."""
        write = self.write
        if write.attribute == "command":
            return tuple(("state", state) for state in fulfilling(self._entity, write.value)[:1])
        goal = self._goal if write.attribute == "state" else None
        return ((write.attribute, write.value), *([] if goal is None else [("position", goal)]))

    @property
    def hinted(self) -> bool:
        """Whether the wish was seen after a get, and nothing else since."""
        return self._hint is not None

    @property
    def check_s(self) -> float | None:
        """When the get is due that a hint has to be seen again after; None where none is, or it is out."""
        return self._hint_s + self.settle_s / 2 if self.hinted and self._checked_at is None else None

    @property
    def proven_s(self) -> float | None:
        """When the hint, seen again, will be proof; None where it was not."""
        return self._hint_s + self.settle_s if self._again is not None else None

    def sent(self) -> None:
        """A set goes out: gets from before it count no longer, nor does what they have shown."""
        if self.verdict is not None:
            self.verdict = self.evidence = None
        self._asked_at = None
        self._forget()

    def asked(self, sequence: int, now: float) -> None:
        """A get goes out after the message of this number; what has a higher one is newer than the get."""
        if self._asked_at is None:
            self._asked_at = sequence
        self._asked_s = now
        if self.hinted and self._checked_at is None:
            self._checked_at = sequence

    def final(self) -> None:
        """The last get goes out: what contradicted before it decides no longer."""
        self._last_word = self.evidence.sequence if self.evidence is not None else 0

    def settle(self, now: float) -> None:
        """Takes the time into account: what was seen twice, and not contradicted for long enough, is done."""
        if self.open and self.proven_s is not None and now >= self.proven_s:
            self.verdict, self.evidence = "done", self._again

    @property
    def untold(self) -> bool:
        """Whether the device contradicted, and has not answered the last get."""
        return self._last_word is not None and self.evidence is not None and self.evidence.sequence <= self._last_word

    def see(self, sighting: Sighting) -> None:
        """Takes one sighting of this device into account."""
        if not self.open or sighting.retained:
            return
        if sighting.attribute == "position" and self.watched != watched(self.write, self._entity, placed=True):
            self.watched = "position"
            self._forget()
        if self._moves(sighting):
            self.verdict, self.evidence = "moving", sighting
        elif sighting.echo:
            if sighting.attribute in (self.watched, self.write.attribute):
                self.echoes, self._echo_s = self.echoes + 1, sighting.at
            if sighting.attribute == self.watched and not self._fulfilled(sighting):
                self._forget()  # of an older act, or the truth; either way the wish is no longer all that is said
        elif self._stops and sighting.value != "stopped":
            if sighting.attribute == "position":
                self._see_rest(sighting)
        elif sighting.attribute == self.watched:
            self._hear(sighting)

    def _hear(self, sighting: Sighting) -> None:
        if self._fulfilled(sighting):
            self._affirmed(sighting)
        elif self._proves(sighting) or self._outlasts(sighting):
            self._contradicted(sighting)

    def _outlasts(self, sighting: Sighting) -> bool:
        """Whether this is no old state that the bridge of a device which can't be asked sent after its echo."""
        return not self.askable and self.echoes > 0 and sighting.at - self._echo_s > self.settle_s

    def _fulfilled(self, sighting: Sighting) -> bool:
        return fulfilled(self._entity, self.write.attribute, self.write.value, sighting.attribute, sighting.value)

    def _proves(self, sighting: Sighting) -> bool:
        if self.candid:
            return True
        return self._asked_at is not None and sighting.sequence > self._asked_at

    def _affirmed(self, sighting: Sighting) -> None:
        if self.candid:
            self.verdict, self.evidence = "done", sighting
        elif not self._proves(sighting):
            return
        elif self._hint is None:
            self._hint, self._hint_s = sighting, self._asked_s
            self.contradicted = False
        elif self._checked_at is not None and sighting.sequence > self._checked_at:
            self._again = sighting

    def _contradicted(self, sighting: Sighting) -> None:
        wish, now = number(self.write.value), number(sighting.value)
        then = number(self.evidence.value) if self.evidence is not None else None
        self.nearing = wish is not None and now is not None and then is not None and toward(wish, then, now)
        self.contradicted = True
        self.caught |= self.hinted
        self.evidence = sighting
        self._forget()

    def _forget(self) -> None:
        self._hint = self._again = self._checked_at = None

    def _moves(self, sighting: Sighting) -> bool:
        """Whether this shows a cover on its way; a bridge repeats goals, but it does not make up the way there."""
        if self._stops:
            return False
        if sighting.attribute == "state" and sighting.value in _MOTION:
            return self.write.attribute == "state" and _MOTION[sighting.value] == self.write.value
        if sighting.attribute == self.watched and sighting.value == _ARMING:
            return str(self.write.value).startswith("armed_")
        if self._goal is None or sighting.attribute != "position":
            return False
        now = number(sighting.value)
        if now is None or (self.askable and not self._proves(sighting)):
            return False
        if any(abs(now - told) < 1 for told in self._told):
            return False
        if self._from is None or abs(self._goal - now) > abs(self._goal - self._from):
            self._from = now
        between = min(self._from, self._goal) < now < max(self._from, self._goal)
        return between and toward(self._goal, self._from, now)

    def _see_rest(self, sighting: Sighting) -> None:
        """Stopped: two answers that show one position, far enough apart in time."""
        now = number(sighting.value)
        if now is None or not self._proves(sighting):
            return
        then = number(self.evidence.value) if self.evidence is not None else None
        if then is None or self.evidence is None or abs(now - then) >= _REST:
            self.contradicted = then is not None
            self.evidence = sighting
        elif sighting.at - self.evidence.at >= _REST_S:
            self.verdict, self.evidence = "done", sighting


def speaks_itself(entity: Entity) -> bool:
    """Whether nobody repeats our own words on this device's topics (`optimistic: false` in its address).

    Where nobody knows what made it (`unknown_maker`), a bridge may stand before it: of a lock, a garage door and
    whatever else is at stake, the wish that is heard is no proof then.
    """
    options = entity.address.options if entity.address is not None else {}
    return options.get("optimistic") is False and not (options.get("unknown_maker") and is_risky(entity))


def leaves(write: Write, state: Value | None) -> bool:
    """Whether what says this is on its way to something else: at its end and opening, it is not closed already."""
    return write.attribute == "state" and state in _MOTION and _MOTION[state] != write.value


def watched(write: Write, entity: Entity, *, placed: bool) -> str:
    """The attribute that tells whether it has come true: of a cover that tells its position (`placed`), that."""
    if write.attribute == "state" and placed and end_of(entity, write.value) is not None:
        return "position" if entity.reads("position") is not None else "state"
    return "state" if write.attribute == "command" else write.attribute


def takes_time(write: Write, entity: Entity) -> bool:
    """Whether this moves something heavy: a cover or a bolt."""
    return goal_of(write, entity) is not None or (write.attribute == "state" and entity.capability("lock") is not None)


def goal_of(write: Write, entity: Entity) -> float | None:
    """The position that a cover is to reach; None for anything else."""
    if write.attribute == "position":
        return number(write.value) if entity.capability("position") is not None else None
    return end_of(entity, write.value) if write.attribute == "state" else None
