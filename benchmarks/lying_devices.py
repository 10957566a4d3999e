"""Devices and bridges that lie in every way that is known of them, with a log of what they really are.

| lie             | what the bridge or the device does                                                          |
| --------------- | ------------------------------------------------------------------------------------------- |
| honest          | echoes once, obeys, answers a get with the truth                                            |
| no echo         | says nothing until it is asked                                                              |
| echo late       | the echo comes 0.3 to 1.2 s after the set                                                   |
| echo twice      | the echo comes again 11 to 300 ms later                                                     |
| memory          | a get is answered with the wish, out of the cache, and with the truth up to 0.4 s later     |
| memory, late    | as memory, but the truth comes 0.9 to 1.5 s later: what can't be told, counted apart        |
| old after new   | what was so before the set is published once more, after the echo                           |
| old first       | what was so before the set is published first                                               |
| mute            | no get is answered                                                                          |
| late            | a get is answered after 0.4 to 1.3 s                                                        |
| too late        | a get is answered after 4 to 6 s                                                            |
| half            | answers leave out a part, often what was asked for                                          |
| another's get   | answers tell what was so up to 0.6 s ago                                                    |
| neighbour       | another device says the wish on its own topic                                               |
| retained        | the wish and its opposite are published as retained, over and over                          |
| refuses         | answers a set with an error, does nothing                                                   |
| clamps          | takes four fifths of every number                                                           |
| part-way        | gets half of the way and stops there                                                        |
| second set      | obeys only when it is told again                                                            |
| slow            | obeys after 0.3 to 2.5 s                                                                    |
| reverts         | obeys, and somebody puts it back after 0.2 to 1 s                                           |
| leaves          | goes offline in the middle of it                                                            |
| twins           | all that it says is delivered twice                                                         |
| rubbish         | text, broken JSON, wrong types and errors between its messages                              |
| lies when asked | answers every get with the wish, whatever it is: the device's own lie, counted apart        |

Each of them may also be stuck: it says what it says, and does nothing.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from benchmarks.announcing import SIDES
from daemon.core.entities import Entity, Value
from daemon.core.values import replace
from daemon.mqtt.bus import Message, Publication
from daemon.simulate.actor import State, changed, initial

_TOLERABLE: Final = 0.4
"""Seconds after a get within which the truth follows the wish from memory: less than `Patience.settle_s`."""
_RUBBISH: Final = (
    b"",
    b"ON",
    b"{",
    b"[1,2",
    b'{"state": {"a": 1}}',
    b'{"state": null}',
    b"\xff\xfe",
    b'{"error": "TIMEOUT"}',
)
APART: Final = frozenset({"memory, late", "lies when asked"})
"""Where nothing that is seen could tell the truth."""


@dataclass(frozen=True)
class Lie:
    """How a device behaves during one act; seconds."""

    name: str = "honest"
    echoes: tuple[float, ...] = (0.03,)
    obeys: tuple[float | None, ...] = (0.02,)
    """After the n-th set; None: never."""
    answers: float | None = 0.05
    memory: float | None = None
    old: tuple[float, ...] = ()
    half: bool = False
    stale: bool = False
    false: bool = False
    refuses: bool = False
    share: float = 1.0
    part_way: bool = False
    reverts: float | None = None
    leaves: float | None = None
    twins: float | None = None
    rubbish: bool = False
    retained: bool = False
    neighbour: bool = False


def lie(name: str, dice: random.Random) -> Lie:
    """One of `LIES`, with times by chance."""
    common = Lie(name, (dice.uniform(0.005, 0.1),), (dice.uniform(0.0, 0.1),), dice.uniform(0.01, 0.25))
    return replace(common, **LIES[name](dice))


LIES: Final[Mapping[str, Callable[[random.Random], Mapping[str, Any]]]] = {
    "honest": lambda _: {},
    "no echo": lambda _: {"echoes": ()},
    "echo late": lambda dice: {"echoes": (dice.uniform(0.3, 1.2),)},
    "echo twice": lambda dice: {"echoes": (0.03, 0.03 + dice.uniform(0.011, 0.3))},
    "memory": lambda dice: {"memory": dice.uniform(0.0, 0.1), "answers": dice.uniform(0.1, _TOLERABLE)},
    "memory, late": lambda dice: {"memory": dice.uniform(0.0, 0.3), "answers": dice.uniform(0.9, 1.5)},
    "old after new": lambda dice: {"old": (dice.uniform(0.05, 0.6),)},
    "old first": lambda _: {"old": (0.0,)},
    "mute": lambda _: {"answers": None},
    "late": lambda dice: {"answers": dice.uniform(0.4, 1.3)},
    "too late": lambda dice: {"answers": dice.uniform(4.0, 6.0)},
    "half": lambda _: {"half": True},
    "another's get": lambda dice: {"stale": True, "answers": dice.uniform(0.1, 0.6)},
    "neighbour": lambda _: {"neighbour": True},
    "retained": lambda _: {"retained": True},
    "refuses": lambda _: {"refuses": True, "echoes": (), "obeys": (None,)},
    "clamps": lambda _: {"share": 0.8},
    "part-way": lambda _: {"part_way": True},
    "second set": lambda _: {"obeys": (None, 0.05)},
    "slow": lambda dice: {"obeys": (dice.uniform(0.3, 2.5),)},
    "reverts": lambda dice: {"reverts": dice.uniform(0.2, 1.0)},
    "leaves": lambda dice: {"leaves": dice.uniform(0.0, 0.8)},
    "twins": lambda dice: {"twins": dice.uniform(0.0, 0.1)},
    "rubbish": lambda _: {"rubbish": True},
    "lies when asked": lambda _: {"false": True},
}


@dataclass
class Liar:
    """One device, and the bridge before it. `say` publishes; what it really is stands in `history`."""

    entity: Entity
    say: Callable[[Publication], None]
    dice: random.Random
    neighbour: Liar | None = None
    """A device of the same kind that nobody tells anything."""
    truth: State = field(default_factory=dict)
    lie: Lie = field(default_factory=Lie)
    sets: list[tuple[float, Mapping[str, Value]]] = field(default_factory=list)
    """When it was told what, since the act began."""
    history: list[tuple[float, State]] = field(default_factory=list)
    """From when on it was what, since the act began."""

    def __post_init__(self) -> None:
        assert self.entity.address is not None
        self._side = SIDES[self.entity.address.dialect]
        self.truth = self.truth or initial(self.entity, {})
        self._cache = dict(self.truth)
        self._wish: Mapping[str, Value] = {}
        self._away = False
        self._turn = 0

    @property
    def topics(self) -> tuple[str, ...]:
        """Where it listens."""
        return self._side.inbox(self.entity)

    def begin(self, lie: Lie) -> None:
        """A new act: what it still had in mind is forgotten, and the bridge knows what is so."""
        self._turn += 1
        self.lie = lie
        self.sets = []
        self._wish = {}
        self._become(self.truth, anew=True)
        self._cache = dict(self.truth)
        if self._away:
            self._away = False
            self._present()
        self.publish(self.truth)

    def place(self, values: Mapping[str, Value]) -> None:
        """It is put into another state by hand, between two acts."""
        self.truth = changed(self.entity, self.truth, values)

    def hear(self, message: Message) -> None:
        """Takes a set or a get."""
        if message.retained:
            return
        wishes = self._side.requested(self.entity, message)
        if wishes:
            self._told(wishes)
        elif self._side.asked(self.entity, message):
            self._asked()

    def publish(self, state: Mapping[str, Value], *, without: str | None = None) -> None:
        """Says a state."""
        if self._away:
            return
        said = {key: value for key, value in state.items() if key != without}
        for publication in self._side.report(self.entity, said):
            self.say(replace(publication, retain=False))
            if self.lie.twins is not None:
                self._later(self.lie.twins, partial(self.say, replace(publication, retain=False)))
        if self.lie.rubbish and self.entity.address is not None:
            self.say(Publication(self.entity.address.topic, self.dice.choice(_RUBBISH)))

    def _told(self, wishes: Mapping[str, Value]) -> None:
        lie, old = self.lie, dict(self._cache)
        self.sets.append((asyncio.get_running_loop().time(), wishes))
        self._wish = wishes
        obeys = lie.obeys[min(len(self.sets), len(lie.obeys)) - 1]
        for delay in lie.old:
            self._later(delay, lambda: self.publish(old))
        for delay in lie.echoes:
            self._later(delay, lambda: self._echo(wishes))
        if obeys is not None:
            self._later(obeys, lambda: self._obey(wishes))
        if lie.refuses and self.entity.address is not None:
            self.say(Publication(self.entity.address.topic, b'{"error": "not allowed"}'))
        if lie.neighbour and self.neighbour is not None:
            self.neighbour.publish({**self.neighbour.truth, **wishes})
        if lie.leaves is not None:
            self._later(lie.leaves, self._leave)
        if lie.retained:
            for delay in (0.1, 0.3, 0.5, 0.9):
                self._later(delay, lambda: self._retain(wishes))

    def _asked(self) -> None:
        lie, then = self.lie, dict(self.truth)
        if lie.memory is not None and self._wish:
            self._later(lie.memory, lambda: self._echo(self._wish))
        if lie.answers is not None:
            self._later(lie.answers, lambda: self._answer(then))

    def _answer(self, then: State) -> None:
        if self.lie.false and self._wish:
            self._echo(self._wish)
            return
        self._cache = then if self.lie.stale else dict(self.truth)
        self.publish(self._cache, without=self.dice.choice(("state", *self._cache)) if self.lie.half else None)

    def _echo(self, wishes: Mapping[str, Value]) -> None:
        self._cache = changed(self.entity, self._cache, wishes)
        self.publish(self._cache)

    def _obey(self, wishes: Mapping[str, Value]) -> None:
        before = dict(self.truth)
        after = changed(self.entity, self.truth, wishes)
        for attribute, value in wishes.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                after[attribute] = round(value * self.lie.share)
        if self.lie.part_way:
            after = self._halfway(before, after)
        self._become(after)
        if self.lie.reverts is not None:
            self._later(self.lie.reverts, partial(self._revert, before))

    def _revert(self, before: State) -> None:
        self._become(before)
        self.publish(before)

    def _halfway(self, before: State, after: State) -> State:
        """Half of the way of each number; of what has none, nothing."""
        made = dict(before)
        for attribute, goal in after.items():
            start = before.get(attribute)
            if isinstance(goal, int | float) and isinstance(start, int | float) and not isinstance(goal, bool):
                made = changed(self.entity, made, {attribute: round((start + goal) / 2)})
        return made

    def _become(self, state: State, *, anew: bool = False) -> None:
        self.truth = dict(state)
        self.history = [] if anew else self.history
        self.history.append((asyncio.get_running_loop().time(), dict(state)))

    def _retain(self, wishes: Mapping[str, Value]) -> None:
        state = self.dice.choice((self.truth, changed(self.entity, self._cache, wishes)))
        for publication in self._side.report(self.entity, {} if self._away else state):
            self.say(replace(publication, topic=f"{publication.topic}/retained", retain=True))

    def _leave(self) -> None:
        self._present(online=False)
        self._away = True

    def _present(self, *, online: bool = True) -> None:
        for publication in self._side.presence(self.entity, online=online):
            self.say(publication)

    def _later(self, delay: float, act: Callable[[], object]) -> None:
        turn = self._turn
        loop = asyncio.get_running_loop()
        loop.call_later(delay, lambda: act() if turn == self._turn else None)
