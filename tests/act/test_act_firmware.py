"""Firmware that speaks for itself: whatever it says, and when, "done" is never said of a device that is otherwise."""

import asyncio
import json
from functools import partial
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from daemon.core.entities import Entity
from daemon.core.outcomes import Outcome, Write
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.mqtt.bus import Message, Publication
from tests.act.world import Home, run

COMMAND, STATE, THERE = "relay/set", "relay/state", "relay/there"
states = st.sampled_from(["ON", "OFF"])
moments = st.floats(0, 4)
# Bytes that happen to say a state are no garbage.
garbage = st.binary(max_size=20).filter(lambda body: body.strip().upper() not in (b"ON", b"OFF"))


def relay(**config: Any) -> Entity:
    source = HomeAssistantSource()
    whole = {"uniq_id": "relay", "name": "Relay", "cmd_t": COMMAND, "stat_t": STATE, "avty_t": THERE, **config}
    source.take(Message("homeassistant/switch/relay/config", json.dumps(whole).encode(), True, 0, 1))  # noqa: FBT003
    (find,) = source.finds()
    return find.entity


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "truth": draw(states),
        "retained": draw(st.none() | states),
        "live": draw(st.booleans()),
        "obeys": draw(st.none() | moments),
        "tells_what_it_was": draw(st.booleans()),
        "tells_no_news": draw(st.booleans()),
        "by_hand": draw(st.lists(st.tuples(moments, states), max_size=3)),
        "telemetry": draw(st.lists(moments, max_size=3)),
        "retained_lies": draw(st.lists(st.tuples(moments, states), max_size=2)),
        "garbage": draw(st.lists(st.tuples(moments, garbage), max_size=2)),
        "wish": draw(states),
    }


class Story:
    """Plays one world, and keeps the device's true state at each message."""

    def __init__(self, home: Home, world: dict[str, Any], *, echoing: bool = False) -> None:
        self.truth = world["truth"]
        self.truth_at: dict[int, str] = {}
        self._home, self._world, self._echoing = home, world, echoing
        loop = asyncio.get_running_loop()
        home.bus.deliver(THERE, b"online", retained=True)
        if world["retained"] is not None:
            home.bus.deliver(STATE, world["retained"].encode(), retained=True)
        if world["live"]:
            self._tell()
        for at, state in world["by_hand"]:
            loop.call_later(at, self._become, state)
        for at in world["telemetry"]:
            loop.call_later(at, self._tell)
        for at, state in world["retained_lies"]:
            loop.call_later(at, partial(home.bus.deliver, STATE, state.encode(), retained=True))
        for at, body in world["garbage"]:
            loop.call_later(at, home.bus.deliver, STATE, body)
        home.bus.on_publish.append(self._hear)

    def _tell(self) -> None:
        self.truth_at[self._home.bus.sequence + 1] = self.truth
        self._home.bus.deliver(STATE, self.truth.encode())

    def _become(self, state: str) -> None:
        if state == self.truth and self._world["tells_no_news"]:
            return
        self.truth = state
        self._tell()

    def _hear(self, publication: Publication) -> None:
        assert publication.topic == COMMAND
        wish = publication.payload.decode()
        if self._echoing:
            self.truth_at[self._home.bus.sequence + 1] = self.truth
            self._home.bus.deliver(STATE, wish.encode())
        if self._world["tells_what_it_was"]:
            self._tell()
        if self._world["obeys"] is not None:
            asyncio.get_running_loop().call_later(self._world["obeys"], self._become, wish)


def told(world: dict[str, Any], entity: Entity, *, echoing: bool = False) -> tuple[Outcome, Story]:
    async def main() -> tuple[Outcome, Story]:
        home = await Home.of(entity)
        story = Story(home, world, echoing=echoing)
        action = "turn_on" if world["wish"] == "ON" else "turn_off"
        [outcome] = await home.executor.execute([Write(entity.id, "state", world["wish"].lower(), action)])
        return outcome, story

    return run(main)


@settings(max_examples=300, deadline=None)
@given(worlds())
def test_done_is_never_said_of_a_device_that_is_otherwise(world: dict[str, Any]) -> None:
    outcome, story = told(world, relay())
    event(outcome.status)
    assert outcome.sent
    if outcome.status in ("done", "failed"):
        assert outcome.evidence is not None
        seen = "ON" if outcome.evidence.value == "on" else "OFF"
        assert story.truth_at[outcome.evidence.sequence] == seen
        assert (seen == world["wish"]) == (outcome.status == "done")
    if world["obeys"] is not None and world["obeys"] < 2 and not world["by_hand"] and world["truth"] != world["wish"]:
        assert outcome.status == "done"


@settings(max_examples=150, deadline=None)
@given(worlds(), st.sampled_from([{"opt": True}, {"o": {"name": "Zigbee2MQTT"}}]))
def test_an_echo_alone_never_proves_it(world: dict[str, Any], config: dict[str, Any]) -> None:
    outcome, _ = told(world, relay(**config), echoing=True)
    assert outcome.status in ("unconfirmed", "failed")


def test_a_command_on_the_topic_of_the_state_is_not_the_state() -> None:
    entity = relay(cmd_t=STATE)
    assert entity.address is not None
    assert "optimistic" not in entity.address.options
