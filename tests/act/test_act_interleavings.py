"""Whatever bridges say, in whatever order, once or twice: "done" is never said of a device that is otherwise.

Nor is "failed" ever said of one that is as was wished when the deadline has come.
"""

import asyncio
import json
from functools import partial
from typing import Any

from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from daemon.act.observations import TWIN_S
from daemon.act.reader import Patience
from daemon.core.outcomes import Outcome, Write
from daemon.mqtt.bus import Publication
from tests.act.world import Home, device, run

maybe = st.none() | st.floats(0, 4)
states = st.sampled_from(["ON", "OFF"])


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "truth": draw(states),
        "cache": draw(states),
        "retained": draw(st.none() | states),
        "old_first": draw(st.booleans()),
        "echoes": draw(st.lists(maybe, min_size=2, max_size=2)),
        "obeys": draw(st.lists(maybe, min_size=2, max_size=2)),
        "answers": draw(st.lists(maybe, min_size=6, max_size=6)),
        "by_hand": draw(st.lists(st.tuples(st.floats(0, 4), states), max_size=3)),
        "retained_lies": draw(st.lists(st.tuples(st.floats(0, 4), states), max_size=3)),
        "neighbours": draw(st.lists(st.tuples(st.floats(0, 4), states), max_size=3)),
        "garbage": draw(st.lists(st.tuples(st.floats(0, 4), st.binary(max_size=20)), max_size=2)),
        "twins": draw(st.lists(st.none() | st.floats(0, TWIN_S * 0.9), min_size=4, max_size=4)),
        "wish": draw(states),
    }


class Story:
    """Plays one world, and keeps the device's true state and the time at each message."""

    def __init__(self, home: Home, name: str, world: dict[str, Any]) -> None:
        self.truth, self.cache = world["truth"], world["cache"]
        self.truth_at: dict[int, tuple[str, float]] = {}
        self._topic = f"zigbee2mqtt/{name}"
        self._said = 0
        self._home, self._world = home, world
        self._sets = self._gets = 0
        loop = asyncio.get_running_loop()
        if world["retained"] is not None:
            home.bus.deliver(self._topic, {"state": world["retained"]}, retained=True)
            self.cache = world["retained"]
        for at, state in world["by_hand"]:
            loop.call_later(at, self._by_hand, state)
        for at, state in world["retained_lies"]:
            loop.call_later(at, partial(home.bus.deliver, self._topic, {"state": state}, retained=True))
        for at, state in world["neighbours"]:
            loop.call_later(at, home.bus.deliver, "zigbee2mqtt/other", {"state": state})
        for at, body in world["garbage"]:
            loop.call_later(at, home.bus.deliver, self._topic, body)
        home.bus.on_publish.append(self._hear)

    def _say(self, state: str) -> None:
        self.cache = state
        self._said += 1
        deliver = partial(self._deliver, state, self._said, self.truth)
        deliver()
        twin = self._world["twins"][self._said % 4]
        if twin is not None:
            asyncio.get_running_loop().call_later(twin, deliver)

    def _deliver(self, state: str, number: int, truth: str) -> None:
        """Delivers what was said when the `truth` was so: a twin says nothing newer."""
        if number == self._said:  # what is delivered twice does not overtake what was said after it
            self.truth_at[self._home.bus.sequence + 1] = (truth, asyncio.get_running_loop().time())
            self._home.bus.deliver(self._topic, {"state": state})

    def _by_hand(self, state: str) -> None:
        self.truth = state
        self._say(state)

    def _obey(self, state: str) -> None:
        self.truth = state

    def _hear(self, publication: Publication) -> None:
        loop = asyncio.get_running_loop()
        if publication.topic == f"{self._topic}/set":
            wish = json.loads(publication.payload)["state"]
            echo, obeys = self._world["echoes"][self._sets], self._world["obeys"][self._sets]
            self._sets += 1
            if self._world["old_first"]:
                self._say(self.cache)
            if echo is not None:
                loop.call_later(echo, self._say, wish)
            if obeys is not None:
                loop.call_later(obeys, self._obey, wish)
        elif publication.topic == f"{self._topic}/get":
            answer = self._world["answers"][min(self._gets, 5)]
            self._gets += 1
            if answer is not None:
                loop.call_later(answer, lambda: self._say(self.truth))


ECHO_AFTER_THE_SWITCH: dict[str, Any] = {
    "truth": "ON",
    "cache": "OFF",
    "retained": None,
    "old_first": True,
    "echoes": [0.0, 1.0],
    "obeys": [None, None],
    "answers": [None, 0.0, None, 0.0, None, None],
    "by_hand": [(2.0, "OFF")],
    "retained_lies": [],
    "neighbours": [],
    "garbage": [],
    "twins": [None] * 4,
    "wish": "ON",
}
"""Three true answers are taken for echoes, someone switches it off by hand, and then the second echo comes."""
TWIN_AS_IT_OBEYS: dict[str, Any] = {
    **{key: [] for key in ("by_hand", "retained_lies", "neighbours", "garbage")},
    "truth": "ON",
    "cache": "ON",
    "retained": None,
    "old_first": True,
    "echoes": [None, 0.0],
    "obeys": [None, 2.0],
    "answers": [None, 0.0, 0.0, 2.0, None, None],
    "twins": [None, None, 0.0, None],
    "wish": "OFF",
}
"""The last answer comes twice, and between the two it does what it was told."""


@settings(max_examples=300, deadline=None)
@example([ECHO_AFTER_THE_SWITCH])
@example([TWIN_AS_IT_OBEYS])
@given(st.lists(worlds(), min_size=1, max_size=3))
def test_what_is_said_of_a_device_is_true(drawn: list[dict[str, Any]]) -> None:
    async def main() -> tuple[tuple[Outcome, ...], list[Story]]:
        names = [f"lamp{index}" for index in range(len(drawn))]
        home = await Home.of(*map(device, names), device("other"))
        stories = [Story(home, name, world) for name, world in zip(names, drawn, strict=True)]
        writes = [
            Write(name, "state", world["wish"].lower(), "turn_on" if world["wish"] == "ON" else "turn_off")
            for name, world in zip(names, drawn, strict=True)
        ]
        return await home.executor.execute(writes), stories

    for outcome, story, world in zip(*run(main), drawn, strict=True):
        event(outcome.status)
        assert outcome.sent
        if outcome.status not in ("done", "failed"):
            continue
        assert outcome.evidence is not None
        truth, at = story.truth_at[outcome.evidence.sequence]
        assert (truth == world["wish"]) == (outcome.status == "done")
        assert (outcome.evidence.value == world["wish"].lower()) == (outcome.status == "done")
        assert outcome.status == "done" or at >= Patience().deadline_s
