"""Whether a write has come true, message by message: sightings in, a verdict out."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.act.judging import Judge, goal_of, takes_time, watched
from daemon.act.states import Sighting
from daemon.core.entities import Address, Capability, Entity, Value
from daemon.core.outcomes import Write
from daemon.core.values import replace
from tests.act.world import device

LAMP = device("lamp", "on_off", "brightness")
BLIND = device("blind", "open_close", "position", kind="blind")
LOCK = device("lock", "lock", kind="lock")
CANDID = replace(LAMP, address=Address("zigbee2mqtt", "zigbee2mqtt/lamp", {"optimistic": False}))
ALARM = device("alarm", Capability("arm", "state", options=("armed_away", "disarmed")), kind="alarm")
ON = Write("lamp", "state", "on", "turn_on")
SETTLE_S = 1.0


@dataclass
class Court:
    """A judge, and the numbers of the messages. Each thing happens a tenth of a second after the one before."""

    judge: Judge
    now: float = 0.0
    sequence: int = 0
    heard: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, write: Write = ON, entity: Entity = LAMP, *, askable: bool = True, **more: Any) -> "Court":
        return cls(Judge(write, entity, askable=askable, settle_s=SETTLE_S, **more))

    def hear(self, *events: object) -> "Court":
        """What happens: "set", "get", "last", "wait", an echo as ("echo", value), what is retained, or a value."""
        for event in events:
            self.now += 0.1
            match event:
                case "set":
                    self.judge.sent()
                case "get":
                    self.judge.asked(self.sequence, self.now)
                case "last":
                    self.judge.final()
                    self.judge.asked(self.sequence, self.now)
                case "wait":
                    self.now += SETTLE_S
                    self.judge.settle(self.now)
                case ("echo" | "retained" as how, value):
                    self._see(self.judge.watched, value, **{how: True})
                case (attribute, value):
                    self._see(attribute, value)
                case value:
                    self._see(self.judge.watched, value)
        return self

    def _see(self, attribute: Any, value: Any, *, echo: bool = False, retained: bool = False) -> None:
        self.sequence += 1
        seen = Sighting(self.judge.write.entity, attribute, value, "", self.now, self.sequence, retained, echo)
        self.judge.see(seen)
        self.judge.settle(self.now)


@pytest.mark.parametrize(
    ("events", "verdict", "contradicted"),
    [
        # Seen after a get, seen again after another, and nothing said against it for a while.
        (["set", "get", "on", "get", "on", "wait"], "done", False),
        (["set", "get", "on", "get", "on"], None, False),
        (["set", "get", "on", "on", "on", "wait"], None, False),
        (["set", "get", "on", "get", "wait"], None, False),
        # Not asked, and retained or echoed: no proof, however often.
        (["set", "on", "on", "wait", "on", "wait"], None, False),
        (["set", "get", ("echo", "on"), "get", ("echo", "on"), "wait"], None, False),
        (["set", "get", ("retained", "on"), "get", ("retained", "on"), "wait"], None, False),
        # A get from before the set says nothing of it.
        (["get", "set", "on", "on", "wait"], None, False),
        (["set", "get", "set", "on", "get", "on", "wait"], None, False),
        (["get", "on", "wait", "get", "on", "set"], None, False),
        # The old state may come first, and is no failure; what stands in the end is.
        (["set", "get", "off", "on", "get", "on", "wait"], "done", False),
        (["set", "get", "off"], None, True),
        (["set", "get", "on", "off", "get", "on", "wait"], None, False),
        (["set", "get", "on", "off", "get", "on", "get", "on", "wait"], "done", False),
        (["set", "get", "on", "get", "on", "off", "wait"], None, True),
        # An echo of something else ends what was seen before.
        (["set", "get", "on", ("echo", "off"), "get", "on", "wait"], None, False),
        # A set that is repeated begins anew.
        (["set", "get", "on", "set", "get", "on", "wait"], None, False),
        # Another attribute proves nothing.
        (["set", "get", ("brightness", 50), "get", ("brightness", 50), "wait"], None, False),
    ],
)
def test_what_proves_it(events: list[object], verdict: str | None, *, contradicted: bool) -> None:
    judge = Court.of().hear(*events).judge
    assert (judge.verdict, judge.contradicted) == (verdict, contradicted)
    assert judge.open == (verdict is None)


def test_who_said_the_wish_and_then_otherwise_was_caught() -> None:
    assert Court.of().hear("set", "get", "on", "off").judge.caught
    assert not Court.of().hear("set", "get", "off", "on").judge.caught


@given(st.lists(st.sampled_from(["set", "get", "on", "off", ("echo", "on"), ("retained", "on"), "wait"]), max_size=12))
def test_done_is_only_said_after_two_gets_each_with_the_wish(events: list[object]) -> None:
    judge = Court.of().hear(*events).judge
    if judge.verdict == "done":
        last = max((at for at, item in enumerate(events) if item == "set"), default=-1)
        plain = [item for item in events[last + 1 :] if item in ("get", "on", "off")]
        rest = iter(plain)
        assert all(wanted in rest for wanted in ("get", "on", "get", "on"))
        assert judge.evidence is not None
        assert judge.evidence.value == "on"


@given(
    st.lists(st.sampled_from(["set", "get", "off", ("echo", "on"), ("retained", "on"), "wait", "last"]), max_size=12)
)
def test_what_was_never_plainly_seen_is_never_done(events: list[object]) -> None:
    assert Court.of().hear(*events).judge.verdict is None


@pytest.mark.parametrize(("value", "verdict"), [("on", "done"), ("off", None)])
def test_who_speaks_for_itself_is_believed_at_once(value: str, verdict: str | None) -> None:
    judge = Court.of(entity=CANDID).hear("set", value).judge
    assert (judge.verdict, judge.contradicted) == (verdict, verdict is None)


@pytest.mark.parametrize(
    ("events", "contradicted"),
    [
        (["set", "off"], False),
        (["set", ("echo", "on"), "off"], False),
        (["set", ("echo", "on"), "wait", "off"], True),
        (["set", ("echo", "on"), "wait", ("echo", "on"), "off"], False),
        (["set", ("echo", "on")], False),
    ],
)
def test_who_cannot_be_asked_contradicts_only_well_after_the_echo(events: list[object], *, contradicted: bool) -> None:
    """What comes before it, or on its heels, may be how things were before."""
    assert Court.of(askable=False).hear(*events).judge.contradicted == contradicted


@pytest.mark.parametrize(
    ("events", "untold"),
    [
        (["set", "get", "off", "last"], True),
        (["set", "get", "off", "last", "off"], False),
        (["set", "get", "last", "off"], False),
        (["set", "get", "off"], False),
    ],
)
def test_what_contradicted_before_the_last_get_decides_no_longer(events: list[object], *, untold: bool) -> None:
    assert Court.of().hear(*events).judge.untold == untold


OPEN, SHUT, HALF = (
    Write("blind", "state", "open", "open"),
    Write("blind", "state", "closed", "close"),
    Write("blind", "position", 50, "set"),
)


@pytest.mark.parametrize(
    ("write", "events", "verdict"),
    [
        (OPEN, [("position", 0), ("position", 20)], "moving"),
        (OPEN, [("position", 20)], None),  # it may have been there all the time
        (OPEN, [("position", 40), ("position", 20)], None),  # the wrong way
        (OPEN, [("position", 0), ("position", 0)], None),
        (OPEN, [("state", "opening")], "moving"),
        (OPEN, [("state", "closing")], None),
        (SHUT, [("state", "closing")], "moving"),
        (SHUT, [("position", 100), ("position", 80)], "moving"),
        (HALF, [("position", 0), ("position", 20)], "moving"),
        (HALF, [("position", 0), ("position", 60)], None),  # beyond it
        (HALF, [("state", "opening")], None),  # where to, that does not say
    ],
)
def test_a_cover_on_its_way(write: Write, events: list[object], verdict: str | None) -> None:
    judge = Court.of(write, BLIND, placed=True).hear("set", "get", *events).judge
    assert judge.verdict == verdict


def test_a_goal_of_before_that_a_bridge_repeats_is_no_place_on_the_way() -> None:
    judge = (
        Court.of(OPEN, BLIND, placed=True, former=(50.0,)).hear("set", "get", ("position", 0), ("position", 50)).judge
    )
    assert judge.verdict is None


def test_a_cover_that_tells_its_position_is_open_where_that_says_so() -> None:
    court = Court.of(OPEN, BLIND)
    assert court.judge.watched == "state"
    court.hear("set", "get", "open", ("position", 3), "get", "open", "wait")
    assert (court.judge.watched, court.judge.verdict) == ("position", None)
    court.hear("get", ("position", 100), "get", ("position", 100), "wait")
    assert court.judge.verdict == "done"


@pytest.mark.parametrize(
    ("places", "apart", "verdict"), [([40, 40], 1, "done"), ([40, 45], 1, None), ([40, 40], 0, None)]
)
def test_a_cover_has_stopped_where_it_stays(places: list[int], apart: int, verdict: str | None) -> None:
    first, second = places
    waits = ["wait"] * apart
    court = Court.of(Write("blind", "command", "stop", "stop"), BLIND)
    court.hear("set", "get", ("position", first), *waits, "get", ("position", second))
    assert court.judge.verdict == verdict


@pytest.mark.parametrize(("said", "verdict"), [("unlocking", None), ("locking", "moving")])
def test_a_bolt_on_its_way(said: str, verdict: str | None) -> None:
    assert Court.of(Write("lock", "state", "locked", "lock"), LOCK).hear("set", said).judge.verdict == verdict


@pytest.mark.parametrize(("value", "verdict"), [("armed_away", "moving"), ("disarmed", None)])
def test_an_alarm_that_waits_until_all_have_left(value: str, verdict: str | None) -> None:
    court = Court.of(Write("alarm", "state", value, "arm"), ALARM).hear("set", "get", "arming")
    assert court.judge.verdict == verdict


@pytest.mark.parametrize(
    ("write", "entity", "placed", "attribute", "goal", "slow"),
    [
        (ON, LAMP, False, "state", None, False),
        (Write("lamp", "brightness", 40, "set"), LAMP, False, "brightness", None, False),
        (OPEN, BLIND, False, "state", 100, True),
        (OPEN, BLIND, True, "position", 100, True),
        (SHUT, BLIND, True, "position", 0, True),
        (HALF, BLIND, False, "position", 50, True),
        (Write("lock", "state", "locked", "lock"), LOCK, True, "state", None, True),
        (Write("blind", "command", "stop", "stop"), BLIND, True, "state", None, False),
    ],
)
def test_what_is_looked_at(
    write: Write, entity: Entity, attribute: str, goal: Value | None, *, placed: bool, slow: bool
) -> None:
    assert watched(write, entity, placed=placed) == attribute
    assert (goal_of(write, entity), takes_time(write, entity)) == (goal, slow)


@pytest.mark.parametrize(
    ("write", "entity", "observable"),
    [
        (ON, LAMP, True),
        (Write("lamp", "volume", 3, "set"), LAMP, False),
        (Write("tv", "command", "next", "next"), device("tv", "media_transport", kind="tv"), False),
        (Write("tv", "command", "pause", "pause"), device("tv", "media_transport", kind="tv"), True),
        (Write("blind", "command", "stop", "stop"), BLIND, True),
    ],
)
def test_what_nothing_could_show_is_not_waited_for(write: Write, entity: Entity, *, observable: bool) -> None:
    judge = Court.of(write, entity).judge
    assert (judge.observable, judge.open) == (observable, observable)
