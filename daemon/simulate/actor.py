"""One simulated device, and the bridge before it, which says more than it knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct

from daemon.core.entities import Entity, Value
from daemon.home import events
from daemon.home.config import Behaviour
from daemon.mqtt.bus import Message, Publication
from daemon.mqtt.dialects import Device
from daemon.simulate.physics import State, changed


class Timing(Struct, frozen=True):
    """How long simulated things take, in seconds."""

    late_s: float = 10.0
    """What a `late` device adds to its latency: more than anyone waits."""
    nap_s: float = 60.0
    """How long a `sleepy` device sleeps between two pushes."""
    travel_s: float = 12.0
    """A cover from one end to the other; 0: at once."""
    steps: int = 12
    """How often it tells its position on that way."""


class Stage(Protocol):
    """What an actor needs of the home that it plays in."""

    timing: Timing

    def say(self, publication: Publication) -> None:
        """Publishes, in the order of the calls."""

    def soon(self, actor: Actor, act: Callable[[], None], extra_s: float = 0.0) -> None:
        """Calls `act` after the device's latency; what one device does stays in order."""

    def later(self, delay_s: float, act: Callable[[], None]) -> Callable[[], None]:
        """Calls `act` after `delay_s`; returns what calls it off."""


class Actor:
    """Plays one device.

    As with zigbee2mqtt, a set is answered twice: first with the state as it was, then, when the command has gone out,
    with the wished state, whether or not the device took it. Only a get brings the truth, and what the device reports
    by itself. A device whose address says `optimistic: false` has no bridge before it: it tells what it is, when it has
    obeyed.
    """

    def __init__(self, entity: Entity, side: Device, behaviour: Behaviour, truth: State, stage: Stage) -> None:
        self.entity = entity
        self.side = side
        self.behaviour = behaviour
        self.truth = truth
        self._shown = dict(truth)
        self._stage = stage
        self._candid = entity.address is not None and entity.address.options.get("optimistic") is False
        self._pending: dict[str, Value] = {}
        self._halt: Callable[[], None] | None = None

    def begin(self) -> None:
        """Publishes what is retained, and falls asleep if that is its nature."""
        self._present()
        self._report(self._shown)
        if self.behaviour == "sleepy":
            self._stage.later(self._stage.timing.nap_s, self._wake)

    def announce(self) -> None:
        """Publishes its presence and what was last shown, again."""
        self._present()
        self._report(self._shown)

    def hear(self, message: Message) -> dict[str, Value] | None:
        """Takes one message; returns what it commands, if it commands anything."""
        wishes = self.side.requested(self.entity, message)
        if wishes:
            self.command(wishes)
            return wishes
        if self.side.asked(self.entity, message) and self.behaviour not in ("sleepy", "offline"):
            self._stage.soon(self, self.tell, self._delay())
        return None

    def command(self, wishes: Mapping[str, Value]) -> None:
        """Is told to change."""
        if self.behaviour == "offline":
            return
        if self.behaviour == "sleepy":
            self._pending |= wishes
            return
        if not self._candid:
            self._report(self._shown)
        self._stage.soon(self, lambda: self._obey(wishes), self._delay())

    def tell(self) -> None:
        """Publishes the truth."""
        self._shown = dict(self.truth)
        self._report(self._shown)

    def place(self, values: Mapping[str, Value]) -> None:
        """Changes from outside: someone opens the door, the sun comes out. The device reports it."""
        self._stand_still()
        if events.NAME in values:
            self._report({**self._shown, **values})  # a moment: told once, and never so
            return
        self.truth |= values
        if self.behaviour != "offline":
            self.tell()

    def _obey(self, wishes: Mapping[str, Value]) -> None:
        if self.behaviour != "stuck" and not self._travels(wishes):
            self._stand_still()
            self.truth = changed(self.entity, self.truth, wishes)
        if self._candid:
            self._shown = dict(self.truth)
        else:
            self._shown |= changed(self.entity, self._shown, wishes)
        if not self._candid or self.behaviour != "stuck":
            self._report(self._shown)

    def _travels(self, wishes: Mapping[str, Value]) -> bool:
        """Sets a cover in motion; False where there is nothing to move, or it stops."""
        start, timing = self.truth.get("position"), self._stage.timing
        if self.entity.capability("position") is None or not isinstance(start, int | float) or timing.travel_s <= 0:
            return False
        goal = changed(self.entity, self.truth, wishes).get("position")
        if not isinstance(goal, int | float) or goal == start or wishes.get("command") == "stop":
            return False
        self._stand_still()
        stride = 100 / timing.steps if goal > start else -100 / timing.steps
        pause = timing.travel_s / timing.steps

        def move() -> None:
            here = float(self.truth["position"]) + stride
            if (stride > 0 and here >= goal) or (stride < 0 and here <= goal):
                self._halt = None
                self.truth = changed(self.entity, self.truth, {"position": goal})
            else:
                self.truth["position"] = round(here)
                self._halt = self._stage.later(pause, move)
            self.tell()

        if self.entity.capability("open_close") is not None:
            self.truth["state"] = "opening" if stride > 0 else "closing"
        self._halt = self._stage.later(pause, move)
        return True

    def _stand_still(self) -> None:
        if self._halt is None:
            return
        self._halt()
        self._halt = None
        if "state" in self.truth:
            self.truth["state"] = "closed" if self.truth.get("position") == 0 else "open"

    def _wake(self) -> None:
        if self._pending:
            self.truth = changed(self.entity, self.truth, self._pending)
            self._pending = {}
        self.tell()
        self._stage.later(self._stage.timing.nap_s, self._wake)

    def _delay(self) -> float:
        return self._stage.timing.late_s if self.behaviour == "late" else 0.0

    def _report(self, state: Mapping[str, Value]) -> None:
        for publication in self.side.report(self.entity, state):
            self._stage.say(publication)

    def _present(self) -> None:
        for publication in self.side.presence(self.entity, online=self.behaviour != "offline"):
            self._stage.say(publication)
