"""Whatever a bridge publishes, in whatever order: "done" is never said of a device that is not as was wished."""

import asyncio
import json
from functools import partial
from typing import Any

from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from daemon.act.outcomes import Outcome, Write
from daemon.mqtt.bus import Publication
from tests.act.world import Home, device, run

TOPIC = "zigbee2mqtt/lamp"

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
        "wish": draw(states),
    }


class Story:
    """Plays one world, and keeps the device's true state at each message."""

    def __init__(self, home: Home, world: dict[str, Any]) -> None:
        self.truth, self.cache = world["truth"], world["cache"]
        self.truth_at: dict[int, str] = {}
        self._home, self._world = home, world
        self._sets = self._gets = 0
        loop = asyncio.get_running_loop()
        if world["retained"] is not None:
            home.bus.deliver(TOPIC, {"state": world["retained"]}, retained=True)
            self.cache = world["retained"]
        for at, state in world["by_hand"]:
            loop.call_later(at, self._by_hand, state)
        for at, state in world["retained_lies"]:
            loop.call_later(at, partial(home.bus.deliver, TOPIC, {"state": state}, retained=True))
        for at, state in world["neighbours"]:
            loop.call_later(at, home.bus.deliver, "zigbee2mqtt/other", {"state": state})
        for at, body in world["garbage"]:
            loop.call_later(at, home.bus.deliver, TOPIC, body)
        home.bus.on_publish.append(self._hear)

    def _say(self, state: str) -> None:
        self.cache = state
        self.truth_at[self._home.bus.sequence + 1] = self.truth
        self._home.bus.deliver(TOPIC, {"state": state})

    def _by_hand(self, state: str) -> None:
        self.truth = state
        self._say(state)

    def _obey(self, state: str) -> None:
        self.truth = state

    def _hear(self, publication: Publication) -> None:
        loop = asyncio.get_running_loop()
        if publication.topic == f"{TOPIC}/set":
            wish = json.loads(publication.payload)["state"]
            echo, obeys = self._world["echoes"][self._sets], self._world["obeys"][self._sets]
            self._sets += 1
            if self._world["old_first"]:
                self._say(self.cache)
            if echo is not None:
                loop.call_later(echo, self._say, wish)
            if obeys is not None:
                loop.call_later(obeys, self._obey, wish)
        elif publication.topic == f"{TOPIC}/get":
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
    "wish": "ON",
}
"""Three true answers are taken for echoes, someone switches it off by hand, and then the second echo comes."""


@settings(max_examples=300, deadline=None)
@example(ECHO_AFTER_THE_SWITCH)
@given(worlds())
def test_done_is_never_said_of_a_device_that_is_otherwise(world: dict[str, Any]) -> None:
    async def main() -> tuple[Outcome, Story]:
        home = await Home.of(device(), device("other"))
        story = Story(home, world)
        action = "turn_on" if world["wish"] == "ON" else "turn_off"
        [outcome] = await home.executor.execute([Write("lamp", "state", world["wish"].lower(), action)])
        return outcome, story

    outcome, story = run(main)
    event(outcome.status)
    assert outcome.sent
    if outcome.status == "done":
        assert outcome.evidence is not None
        assert outcome.evidence.value == world["wish"].lower()
        assert story.truth_at[outcome.evidence.sequence] == world["wish"]
    if outcome.status == "failed":
        assert outcome.evidence is not None
        assert outcome.evidence.value != world["wish"].lower()
