"""Whether one write has come true, judged message by message. Pure: no clock, no bus.

A bridge publishes what it was told before the device has done it (an echo), and may publish the old state first. So

- an echo, as `States` marks it, is no proof, and neither is a retained message;
- the wished value proves the write if its message is newer than a get that followed the set;
- another value is not failure: only what stands at the deadline is;
- a device whose address says `optimistic: false` speaks for itself: what it publishes after the set is proof;
- a cover or a bolt that moves the right way is under way, which is proof enough to say so, but not to say "open".
"""

from __future__ import annotations

from typing import Literal

from daemon.act.outcomes import Write
from daemon.act.states import Sighting
from daemon.act.values import number, same, toward
from daemon.home.entities import Entity, Value

Verdict = Literal["done", "moving"]

_COMMAND_STATES: dict[str, tuple[str, ...]] = {
    "play": ("playing", "on"),
    "start": ("cleaning", "mowing", "on", "playing"),
    "resume": ("cleaning", "mowing", "on", "playing"),
    "pause": ("paused",),
    "stop": ("stopped", "idle", "paused", "off", "docked", "returning"),
    "dock": ("returning", "docked"),
}
_COVER_AT_REST = ("stopped", "open", "closed")
_MOTION: dict[Value, Value] = {"opening": "open", "closing": "closed", "locking": "locked", "unlocking": "unlocked"}
"""A state on the way -> the state that it leads to."""
_ARMING = "arming"
"""What an alarm says until everybody has left."""
_REST = 0.5
_REST_S = 0.5
"""A cover that needs a minute from end to end moves by more than `_REST` percent in this time."""
_END = {"open": 100.0, "closed": 0.0}


class Judge:
    """Collects the evidence for one write."""

    def __init__(self, write: Write, entity: Entity, *, askable: bool, before: Value | None = None) -> None:
        """Prepares.

        Args:
            write: What was, or is about to be, sent.
            entity: The device.
            askable: Whether it answers a get for `watched`.
            before: A cover's position by a fresh reading before the set.
        """
        self.write = write
        self.askable = askable
        self.watched = "state" if write.attribute == "command" else write.attribute
        self.verdict: Verdict | None = None
        self.evidence: Sighting | None = None
        """What decided, or the last thing that contradicts."""
        self.contradicted = False
        """The device answered otherwise."""
        self.echoes = 0
        """How many messages were discounted as echoes."""
        self.nearing = False
        """The last two contradicting values approached the wish."""
        self._accepts = _accepted(write, entity)
        self._capability = entity.reads(self.watched)
        self._goal = goal_of(write, entity)
        self._slow = takes_time(write, entity)
        self._candid = speaks_itself(entity)
        self._set_at = 0
        self._asked_at: int | None = None
        self._last_word: int | None = None
        """The evidence when the last get went out."""
        self._from = number(before)
        self._stops = write.attribute == "command" and write.value == "stop" and entity.reads("position") is not None

    @property
    def observable(self) -> bool:
        """Whether the device can tell at all how the write went."""
        return bool(self._accepts) and (self._capability is not None or self._stops)

    @property
    def open(self) -> bool:
        """Whether more evidence could change the verdict."""
        return self.observable and self.verdict is None

    @property
    def expected(self) -> Value | None:
        """The value that an echo would show."""
        return self._accepts[0] if self._accepts else None

    @property
    def candid(self) -> bool:
        """Whether what the device publishes by itself is proof."""
        return self._candid

    @property
    def slow(self) -> bool:
        """Whether it takes its time: a cover, a lock."""
        return self._slow

    def sent(self, sequence: int) -> None:
        """A set goes out after the message of this number: gets from before it count no longer."""
        self._set_at = sequence

    def asked(self, sequence: int) -> None:
        """A get goes out after the message of this number; what has a higher one is newer than the get."""
        if self._asked_at is None or self._asked_at < self._set_at:
            self._asked_at = sequence

    def final(self) -> None:
        """The last get goes out: what contradicted before it decides no longer."""
        self._last_word = self.evidence.sequence if self.evidence is not None else 0

    @property
    def untold(self) -> bool:
        """Whether the device contradicted, and has not answered the last get."""
        return self._last_word is not None and self.evidence is not None and self.evidence.sequence <= self._last_word

    def see(self, sighting: Sighting) -> None:
        """Takes one sighting of this device into account."""
        if not self.open or sighting.retained:
            return
        if sighting.echo:
            self.echoes += sighting.attribute == self.watched
            return
        if self._stops and sighting.value != "stopped":
            if sighting.attribute == "position":
                self._see_rest(sighting)
        elif sighting.attribute == self.watched and self._satisfied(sighting.value):
            if self._proves(sighting):
                self.verdict, self.evidence = "done", sighting
        elif self._moves(sighting):
            self.verdict, self.evidence = "moving", sighting
        elif sighting.attribute == self.watched and (self._proves(sighting) or (not self.askable and self.echoes)):
            self._contradicted(sighting)

    def _satisfied(self, value: Value) -> bool:
        return any(same(self.watched, wish, value, self._capability) for wish in self._accepts)

    def _proves(self, sighting: Sighting) -> bool:
        if self._candid:
            return True
        return self._asked_at is not None and self._asked_at >= self._set_at and sighting.sequence > self._asked_at

    def _contradicted(self, sighting: Sighting) -> None:
        wish, now = number(self.write.value), number(sighting.value)
        then = number(self.evidence.value) if self.evidence is not None else None
        self.nearing = wish is not None and now is not None and then is not None and toward(wish, then, now)
        self.contradicted = True
        self.evidence = sighting

    def _moves(self, sighting: Sighting) -> bool:
        """Whether this shows a cover on its way; a bridge repeats goals, but it does not make up the way there."""
        if sighting.attribute == "state" and sighting.value in _MOTION:
            return self.watched == "state" and _MOTION[sighting.value] == self.write.value
        if sighting.attribute == self.watched and sighting.value == _ARMING:
            return str(self.write.value).startswith("armed_")
        if self._goal is None:
            return False
        now = number(sighting.value) if sighting.attribute == "position" else None
        if now is None or abs(now - self._goal) < 1 or not (self._candid or self._proves(sighting)):
            return False
        if self._from is None:
            self._from = now
            return False
        return toward(self._goal, self._from, now)

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
    """Whether nobody repeats our own words on this device's topics (`optimistic: false` in its address)."""
    return entity.address is not None and entity.address.options.get("optimistic") is False


def _accepted(write: Write, entity: Entity) -> tuple[Value, ...]:
    if write.attribute != "command":
        return (write.value,)
    if write.value == "stop" and entity.capability("open_close") is not None:
        return _COVER_AT_REST
    return _COMMAND_STATES.get(str(write.value), ())


def takes_time(write: Write, entity: Entity) -> bool:
    """Whether this moves something heavy: a cover or a bolt."""
    return goal_of(write, entity) is not None or (write.attribute == "state" and entity.capability("lock") is not None)


def goal_of(write: Write, entity: Entity) -> float | None:
    """The position that a cover is to reach; None for anything else."""
    if entity.capability("open_close") is None and entity.capability("position") is None:
        return None
    if write.attribute == "position":
        return number(write.value)
    return _END.get(str(write.value)) if write.attribute == "state" else None
