"""What became of a command that the connection was lost over: read again when it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from daemon.act.follower import AT_MOST_S, Follower, arrived, telling, wait
from daemon.act.job import Patience
from daemon.act.judging import goal_of
from daemon.act.reader import Reader
from daemon.act.states import States
from daemon.core.outcomes import Observation, Outcome
from daemon.core.values import replace
from daemon.home.fulfilment import fulfilling
from daemon.home.registry import Registry
from daemon.mqtt.bus import Bus


class Regained:
    """Looks after what was sent and never acknowledged. One event loop.

    A broker, or a network, that stood still may hand it on when it wakes, whatever was replied meanwhile.

    Args:
        bus: Tells when the connection is back.
        states: What devices say.
        reader: Asks them.
        registry: The home.
        acts: How many times something was sent to a device: a newer act ends the interest in an older one.
        follower: Takes over where something turns out to take its time.
        patience: How long it may still arrive.
    """

    def __init__(
        self,
        bus: Bus,
        states: States,
        reader: Reader,
        registry: Registry,
        acts: Callable[[str], int],
        follower: Follower,
        patience: Patience | None = None,
    ) -> None:
        self._bus = bus
        self._states = states
        self._reader = reader
        self._registry = registry
        self._acts = acts
        self._follower = follower
        self._patience = patience or Patience()

    def concerned(self, outcome: Outcome) -> bool:
        """Whether it may have arrived, and the device could tell."""
        entity = self._registry.get(outcome.write.entity)
        if entity is None or outcome.reason != "connection_lost" or not outcome.sent:
            return False
        tells = outcome.write.attribute != "command" or bool(fulfilling(entity, outcome.write.value))
        return tells and entity.reads(telling(outcome.write, entity)) is not None

    async def to_the_end(self, outcome: Outcome) -> Outcome | None:
        """`done` as soon as it shows, `failed` ("disagrees") where it does not come true for a while.

        None after a newer act, or where the device does not tell: then nothing is known that was not said.

        Args:
            outcome: One that is `concerned`.
        """
        write = outcome.write
        act = self._acts(write.entity)
        # Nothing more is sent for it.
        outcome = replace(outcome, published=(), attempts=0)
        await self._back()
        clock = asyncio.get_running_loop().time
        end = clock() + self._patience.late_s
        last: Observation | None = None
        woken = asyncio.Event()
        with self._states.watching(write.entity, lambda _: woken.set()):
            while self._acts(write.entity) == act and (entity := self._registry.get(write.entity)) is not None:
                pair = (entity.id, telling(write, entity))
                seen = (await self._reader.read([pair], listen_s=self._patience.slow_settle_s))[pair]
                if self._acts(write.entity) != act:
                    return None
                woken.clear()  # the answer was looked at
                last = seen if seen.fresh else last
                if last is not None and arrived(write, entity, last):
                    return replace(outcome, status="done", reason="", evidence=last)
                if clock() >= end:
                    if last is not None and goal_of(write, entity) is not None:
                        return await self._follower.to_the_end(replace(outcome, status="done", reason="moving"))
                    return (
                        None if last is None else replace(outcome, status="failed", reason="disagrees", evidence=last)
                    )
                await asyncio.sleep(AT_MOST_S)
                await wait(woken, min(self._patience.look_s, end - clock()))
        return None

    async def _back(self) -> None:
        """Waits for the connection."""
        back = asyncio.Event()
        end = self._bus.on_connection(lambda up: back.set() if up else back.clear())
        try:
            while not self._bus.connected:
                await back.wait()
                back.clear()
        finally:
            end()
