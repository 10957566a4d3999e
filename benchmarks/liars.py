"""What Hearken says of devices that lie: `python -m benchmarks.liars --acts 10000 [--seed N] [--broker ...]`.

Many devices of all kinds (`benchmarks.lying_devices` lists their lies) are told things at once, over a real mosquitto,
the embedded broker (`both`: half of the acts each) or, in virtual time and on no socket, `memory`. One act in six is
crossed by another caller, who wants the same or something else of the same device. The truth is the device's own log.

| column      | acts                                                                                      |
| ----------- | ----------------------------------------------------------------------------------------- |
| done        | called done                                                                               |
| failed      | called failed                                                                             |
| unconfirmed | sent, and not known                                                                       |
| refused     | not sent                                                                                  |
| behind      | as the next two, while the machine held up messages for more than 0.1 s                   |
| FALSE DONE  | called done, and the device was otherwise                                                 |
| apart       | the same, where the device itself lies in answer to a get, or nothing could have told it  |
| FALSE FAIL  | called failed, and the device was as wished                                               |
| WRONG       | another device was told, or something else                                                |
| MORE        | told again by what can't be an act's one repetition (`benchmarks.lying_ledger`)           |
| CRASH       | an exception                                                                              |

Ends with 1 where any of those in capitals is not 0.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from benchmarks.lying_brokers import Postman, Probe, buses
from benchmarks.lying_devices import APART, LIES, Liar, lie
from benchmarks.lying_kinds import KINDS, entity_of
from benchmarks.lying_ledger import Asked, too_often, unasked
from daemon.act.executor import Executor
from daemon.act.states import States
from daemon.act.values import fulfilled, number
from daemon.core.entities import Entity, Value
from daemon.core.outcomes import Write
from daemon.core.values import replace
from daemon.evaluate.report import table
from daemon.home.registry import Registry
from daemon.mqtt.bus import Bus
from daemon.mqtt.dialects import DIALECTS
from daemon.simulate.actor import State
from tests.virtual_time import VirtualLoop

_STUCK: Final = 0.4
_CROSSED: Final = 1 / 6
"""The shares of acts whose device does nothing, and of those that another caller crosses."""
_SHOWN: Final = 20
_CARRIED_S: Final = 10.0
"""However busy the machine, what went out has come by then."""
_BEHIND_MS: Final = 100
"""A machine that is so late has no say about what comes within `Patience.settle_s`."""
_SLACK_S: Final = 0.5
"""What was so a moment before it was heard, or while the reply was made, was so."""
_COLUMNS: Final = (
    *("acts", "done", "failed", "unconfirmed", "refused", "behind"),
    *("FALSE DONE", "apart", "FALSE FAIL", "WRONG", "MORE", "CRASH"),
)


@dataclass
class Score:
    """What was counted, by kind of lie; and the first of each that must not be."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    seen: list[str] = field(default_factory=list)

    def add(self, name: str, column: str, what: str = "") -> None:
        """Counts one; `what` it was, where it must not be."""
        self.counts[name, column] += 1
        if column.isupper() and len(self.seen) < _SHOWN:
            self.seen.append(f"{column}: {name}: {what}")

    @property
    def bad(self) -> int:
        """How many must not be."""
        return sum(count for (_, column), count in self.counts.items() if column.isupper())

    def total(self, column: str) -> int:
        """Of all lies."""
        return sum(count for (_, its), count in self.counts.items() if its == column)

    def text(self) -> str:
        """The table."""
        names = [name for name in LIES if any(self.counts[name, column] for column in _COLUMNS)]
        rows = [(name, *(str(self.counts[name, column]) for column in _COLUMNS)) for name in names]
        return table(("lie", *_COLUMNS), [*rows, ("all", *(str(self.total(column)) for column in _COLUMNS))])


class Campaign:
    """Tells liars things, and judges what is said of them."""

    def __init__(self, house: Bus, outside: Sequence[Bus], dice: random.Random, devices: int) -> None:
        self.score = Score()
        self._dice = dice
        self._postmen = [Postman(bus) for bus in outside]
        self._liars = [self._liar(index) for index in range(devices)]
        self._bystanders = [self._liar(index, "bystander") for index in range(len(KINDS))]
        for index, one in enumerate(self._liars):
            one.neighbour = self._bystanders[index % len(KINDS)]
        registry = Registry([item.entity for item in (*self._liars, *self._bystanders)])
        self._states = States(house, registry, DIALECTS, clock=asyncio.get_running_loop().time)
        self._executor = Executor(house, registry, DIALECTS, self._states)
        self._probe = Probe(house, outside[0])

    async def run(self, acts: int) -> Score:
        """So many acts, many devices at once, each with one at a time."""
        await self._states.start()
        for index, liar in (*enumerate(self._liars), *enumerate(self._bystanders)):
            for topic in liar.topics:
                await self._postman(index).bus.subscribe(topic, liar.hear)
        working = [asyncio.create_task(work()) for work in (*(item.work for item in self._postmen), self._probe.work)]
        shares = [acts // len(self._liars) + (index < acts % len(self._liars)) for index in range(len(self._liars))]
        await asyncio.gather(*(self._drive(index, share) for index, share in enumerate(shares)))
        for task in working:
            task.cancel()
        for liar in self._bystanders:
            for told in liar.sets:
                self.score.add("neighbour", "WRONG", f"{liar.entity.id} {told}")
        await self._states.stop()
        return self.score

    def _liar(self, index: int, role: str = "device") -> Liar:
        kind = list(KINDS)[index % len(KINDS)]
        entity = entity_of(kind, f"{kind}_{role}_{index}")
        return Liar(entity, self._postman(index).say, random.Random(self._dice.random()))

    def _postman(self, index: int) -> Postman:
        return self._postmen[index % len(self._postmen)]

    async def _drive(self, index: int, acts: int) -> None:
        liar, held = self._liars[index], self._postman(index).held
        dice = liar.dice
        await asyncio.sleep(dice.uniform(0, 1))
        for _ in range(acts):
            liar.place(self._wish(liar))
            name = dice.choice(list(LIES))
            told = lie(name, dice)
            if dice.random() < _STUCK:
                told = replace(told, obeys=(None,))
            liar.begin(told)
            await asyncio.sleep(dice.uniform(0.2, 0.4))
            held[liar.entity.id] = 0
            writes = [self._write(liar)]
            if dice.random() < _CROSSED:
                writes.append(dice.choice((writes[0], self._write(liar))))
            crossed = zip(writes, (0, 0.2), strict=False)
            asked = await asyncio.gather(*(self._act(liar, write, wait, held) for write, wait in crossed))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CARRIED_S):
                    while len(liar.sets) < sum(act.sent for act in asked):  # noqa: ASYNC110 - a device has no event for this
                        await asyncio.sleep(0.01)
            for more in too_often(liar.sets, asked):
                self.score.add(name, "MORE", f"{liar.entity.id} {more} of {liar.sets} for {asked}")
            for more in unasked(liar.sets, asked):
                self.score.add(name, "WRONG", f"{liar.entity.id} {more} for {asked}")
            # What it is told from now on, nobody has said.
            liar.sets = []
            await asyncio.sleep(0.05)
            if liar.sets:
                self.score.add(name, "WRONG", f"{liar.entity.id} {liar.sets} afterwards")

    async def _act(self, liar: Liar, write: Write, wait: float, held: Counter[str]) -> Asked:
        """One act, judged."""
        await asyncio.sleep(wait * liar.dice.random())
        asked = Asked(write, asyncio.get_running_loop().time())
        name = liar.lie.name
        self.score.add(name, "acts")
        try:
            [outcome] = await self._executor.execute([write])
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            self.score.add(name, "CRASH", repr(error))
            return asked
        self.score.add(name, outcome.status)
        now = asyncio.get_running_loop().time()
        since = now - _SLACK_S - (outcome.evidence.age_s if outcome.evidence is not None else 0.0)
        states = _during(liar, since)
        so = [_true(liar.entity, write, state) for state in states]
        about = f"{write.entity} {write.attribute}={write.value} {liar.lie} was {states} seen {outcome}"
        behind = max(held[liar.entity.id], self._probe.slowest(since)) > _BEHIND_MS
        if outcome.status == "done" and not (_went(liar) if outcome.reason == "moving" else any(so)):
            self.score.add(name, "apart" if name in APART else "behind" if behind else "FALSE DONE", about)
        if outcome.status == "failed" and all(so):
            self.score.add(name, "behind" if behind else "FALSE FAIL", about)
        return replace(asked, sent=len(outcome.published))

    def _wish(self, liar: Liar) -> dict[str, Value]:
        write = self._write(liar)
        return {write.attribute: write.value}

    def _write(self, liar: Liar) -> Write:
        wishes = KINDS[liar.entity.id.split("_")[0]][2]
        attribute, values = liar.dice.choice(wishes)
        return Write(liar.entity.id, attribute, liar.dice.choice(values), "set")


def _during(liar: Liar, since: float) -> list[State]:
    """What it was from then on until now."""
    before = [state for at, state in liar.history if at <= since]
    return before[-1:] + [state for at, state in liar.history if at > since]


def _true(entity: Entity, write: Write, state: State) -> bool:
    if write.attribute == "state" and (place := state.get("position")) is not None:
        return fulfilled(entity, "state", write.value, "position", place)
    attribute = "state" if write.attribute == "command" else write.attribute
    return fulfilled(entity, write.attribute, write.value, attribute, state.get(attribute))


def _went(liar: Liar) -> bool:
    """Whether it moved at all since the act began."""
    places = [number(state.get("position")) for _, state in liar.history]
    return len(set(places)) > 1


async def campaign(broker: str, acts: int, seed: int, devices: int) -> Score:
    """The score of so many acts over one broker."""
    async with buses(broker) as (house, liars):
        return await Campaign(house, liars, random.Random(seed), min(devices, acts)).run(acts)


def played(broker: str, acts: int, seed: int, devices: int) -> Score:
    """As `campaign`, in the time that belongs to the broker."""
    with asyncio.Runner(loop_factory=VirtualLoop if broker == "memory" else None) as runner:
        return runner.run(campaign(broker, acts, seed, devices))


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables; 1 where something was said that is not so."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.liars", description=__doc__.splitlines()[0])
    parser.add_argument("--acts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--devices", type=int, help="at once; 60, or 10 over the embedded broker")
    parser.add_argument("--broker", choices=("mosquitto", "embedded", "both", "memory"), default="both")
    chosen = parser.parse_args(arguments)
    brokers = ("mosquitto", "embedded") if chosen.broker == "both" else (chosen.broker,)
    bad = 0
    for broker in brokers:
        started = time.monotonic()
        devices = chosen.devices or (10 if broker == "embedded" else 60)
        score = played(broker, chosen.acts // len(brokers), chosen.seed, devices)
        print(f"{broker}, seed {chosen.seed}, {time.monotonic() - started:.0f} s\n{score.text()}")
        print("\n".join(score.seen))
        bad += score.bad
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
