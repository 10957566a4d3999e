"""What is remembered of the home, and what is believed of it."""

import asyncio
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.act.states import Sighting
from daemon.core.entities import Capability
from daemon.core.outcomes import Observation
from tests.act.world import Bridge, Home, device, run

TOPIC = "zigbee2mqtt/lamp"


def test_a_value_is_as_good_as_the_way_it_came() -> None:
    async def main() -> list[Observation]:
        home = await Home.of(device())
        found = [home.states.seen("lamp", "state")]
        home.bus.deliver(TOPIC, {"state": "ON"}, retained=True)
        found.append(home.states.seen("lamp", "state"))
        await asyncio.sleep(3)
        home.bus.deliver(TOPIC, {"state": "OFF"})
        await asyncio.sleep(2)
        found.append(home.states.seen("lamp", "state"))
        await asyncio.sleep(100)
        found.append(home.states.seen("lamp", "state"))
        return found

    assert [(item.value, item.source, item.age_s) for item in run(main)] == [
        (None, "none", math.inf),
        ("on", "stale", math.inf),
        ("off", "push", 2),
        ("off", "stale", 102),
    ]


def test_what_was_sent_is_not_believed_back_until_it_is_settled() -> None:
    async def main() -> list[tuple[object, str]]:
        home = await Home.of(device())
        said: list[tuple[object, str]] = []

        def hear(state: str) -> None:
            home.bus.deliver(TOPIC, {"state": state})
            seen = home.states.seen("lamp", "state")
            said.append((seen.value, seen.source))

        hear("OFF")
        home.states.sent("lamp", "state", "on", 1)
        hear("OFF")  # the old state, once more: true until now
        hear("ON")  # the echo
        hear("ON")  # the bridge repeats what it believes
        home.states.settled("lamp", "state")
        hear("ON")
        home.states.sent("lamp", "state", "on", 1)
        await asyncio.sleep(6)
        hear("OFF")  # long after: the device speaks for itself again
        hear("ON")
        return said

    assert run(main) == [
        ("off", "push"),
        ("off", "push"),
        ("on", "stale"),
        ("on", "stale"),
        ("on", "push"),
        ("off", "push"),
        ("on", "push"),
    ]


def test_an_echo_taints_what_else_it_repeats() -> None:
    async def main() -> tuple[str, str]:
        home = await Home.of(device("lamp", "on_off", "brightness"))
        home.states.sent("lamp", "brightness", 50, 1)
        home.bus.deliver(TOPIC, {"state": "ON", "brightness": 127})
        tainted = home.states.seen("lamp", "state").source
        home.states.settled("lamp", "brightness")
        home.bus.deliver(TOPIC, {"state": "ON", "brightness": 127})
        return tainted, home.states.seen("lamp", "state").source

    assert run(main) == ("stale", "push")


def test_availability_is_remembered_though_retained() -> None:
    async def main() -> list[bool | None]:
        home = await Home.of(device())
        said = [home.states.online("lamp")]
        for state in ("offline", "online"):
            home.bus.deliver(f"{TOPIC}/availability", {"state": state}, retained=True)
            said.append(home.states.online("lamp"))
        return said

    assert run(main) == [None, False, True]


junk = st.one_of(
    st.binary(max_size=60),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["state", "brightness"]), inner),
        max_leaves=5,
    ),
)


@given(st.lists(st.tuples(st.sampled_from([TOPIC, f"{TOPIC}/availability"]), junk), max_size=5))
def test_no_payload_harms(messages: list[tuple[str, Any]]) -> None:
    async def main() -> None:
        home = await Home.of(device("lamp", "on_off", "brightness"))
        for topic, payload in messages:
            home.bus.deliver(topic, payload)
        brightness = home.states.value("lamp", "brightness")
        assert brightness is None or (isinstance(brightness, int | float) and 0 <= brightness <= 100)
        assert home.states.value("lamp", "state") in (None, "on", "off")

    run(main)


def test_malformed_messages_are_counted() -> None:
    async def main() -> int:
        home = await Home.of(device())
        for payload in (b"{", b"\xff", b"[1]", b"12"):
            home.bus.deliver(TOPIC, payload)
        home.bus.deliver(TOPIC, {"state": "ON"})
        return home.states.malformed

    assert run(main) == 4


def test_hooks_hear_each_value_after_the_whole_message_is_known() -> None:
    async def main() -> list[tuple[str, object, object]]:
        home = await Home.of(device("lamp", "on_off", "brightness"), device("other"))
        heard: list[tuple[str, object, object]] = []

        def hook(sighting: Sighting) -> None:
            heard.append((sighting.attribute, sighting.value, home.states.value("lamp", "brightness")))

        with home.states.watching("lamp", hook):
            home.bus.deliver("zigbee2mqtt/other", {"state": "ON"})
            home.bus.deliver(TOPIC, {"state": "ON", "brightness": 254})
        home.bus.deliver(TOPIC, {"state": "OFF", "brightness": 254})
        return heard

    assert run(main) == [("state", "on", 100), ("brightness", 100, 100)]


def test_reading_asks_each_device_once_and_again_only_where_it_is_silent() -> None:
    async def main() -> tuple[Any, int, int]:
        home = await Home.of(device("lamp", "on_off", "brightness"), device("deaf"))
        bridge = Bridge(home.bus, TOPIC, {"state": "ON", "brightness": 127})
        deaf = Bridge(home.bus, "zigbee2mqtt/deaf", {"state": "ON"}, answers_s=None)
        found = await home.reader.read([("lamp", "state"), ("lamp", "brightness"), ("deaf", "state")], 1.2)
        return found, bridge.gets, deaf.gets

    found, gets, again = run(main)
    assert {pair: item.source for pair, item in found.items()} == {
        ("lamp", "state"): "reply",
        ("lamp", "brightness"): "reply",
        ("deaf", "state"): "none",
    }
    assert (gets, again) == (1, 3)


def test_a_lamp_in_a_colour_has_no_white_tone_any_more() -> None:
    async def main() -> tuple[str, str]:
        tone = Capability("color_temp", "color_temp", minimum=2000, maximum=6500, unit="K")
        home = await Home.of(device("lamp", "on_off", Capability("color", "color"), tone))
        home.bus.deliver(TOPIC, {"state": "ON", "color_mode": "color_temp", "color_temp": 370})
        home.bus.deliver(TOPIC, {"state": "ON"})
        before = home.states.seen("lamp", "color_temp").source
        home.bus.deliver(TOPIC, {"state": "ON", "color_mode": "xy", "color": {"x": 0.7, "y": 0.3}, "color_temp": 370})
        return before, home.states.seen("lamp", "color_temp").source

    assert run(main) == ("push", "none")


def test_an_echo_is_no_answer_to_a_question() -> None:
    async def main() -> Observation:
        home = await Home.of(device())
        bridge = Bridge(home.bus, TOPIC, {"state": "OFF"}, obeys_s=[None], answers_s=0.2)
        bridge.tell()
        await asyncio.sleep(0)
        home.states.sent("lamp", "state", "on", 1)
        asyncio.get_running_loop().call_later(0.1, home.bus.deliver, TOPIC, {"state": "ON"})
        found = await home.reader.read([("lamp", "state")])
        return found["lamp", "state"]

    seen = run(main)
    assert (seen.value, seen.source) == ("off", "reply")


@pytest.mark.parametrize("away", ["offline", "broker"])
def test_who_cannot_be_reached_is_not_asked_and_not_believed(away: str) -> None:
    async def main() -> tuple[Observation, int]:
        home = await Home.of(device("lamp", Capability("on_off", "state")))
        home.bus.deliver(TOPIC, {"state": "ON"})
        if away == "offline":
            home.bus.deliver(f"{TOPIC}/availability", {"state": "offline"})
        else:
            home.bus.connected = False
            await asyncio.sleep(90)
        found = await home.reader.read([("lamp", "state")])
        return found["lamp", "state"], len(home.bus.published)

    seen, published = run(main)
    assert (seen.value, seen.source, published) == ("on", "stale", 0)


def test_a_lamp_that_has_no_colour_to_tell_is_not_waited_for_long() -> None:
    async def main() -> tuple[Any, float]:
        lamp = device("lamp", "on_off", Capability("color", "color"))
        home = await Home.of(lamp)
        Bridge(home.bus, TOPIC, {"state": "ON", "color_mode": "color_temp"})
        found = await home.reader.read([("lamp", "state"), ("lamp", "color")], 5.0)
        return found, asyncio.get_running_loop().time()

    found, seconds = run(main)
    assert found["lamp", "state"].source == "reply"
    assert found["lamp", "color"].source == "none"
    assert seconds < 1


def test_what_was_missed_while_the_broker_was_away_makes_everything_older_stale() -> None:
    async def main() -> list[str]:
        home = await Home.of(device())
        home.bus.deliver(TOPIC, {"state": "ON"})
        said: list[str] = [home.states.seen("lamp", "state").source]
        await asyncio.sleep(1)
        home.bus.lose()
        said.append(home.states.seen("lamp", "state").source)
        await asyncio.sleep(1)
        home.bus.connected = True
        said.append(home.states.seen("lamp", "state").source)
        home.bus.deliver(TOPIC, {"state": "ON"})
        said.append(home.states.seen("lamp", "state").source)
        return said

    assert run(main) == ["push", "stale", "stale", "push"]


def test_what_was_passed_over_in_a_flood_makes_what_is_known_from_before_stale() -> None:
    async def main() -> list[tuple[str, str]]:
        home = await Home.of(device("lamp", "on_off", "brightness"))
        said: list[tuple[str, str]] = []
        for payload, gap in (
            ({"state": "ON", "brightness": 127}, False),
            ({"brightness": 100}, True),
            (b"no json", True),
            ({"state": "OFF"}, False),
        ):
            home.bus.deliver(TOPIC, payload, gap=gap)
            state, brightness = (home.states.seen("lamp", name) for name in ("state", "brightness"))
            said.append((state.source, brightness.source))
        return said

    assert run(main) == [("push", "push"), ("stale", "push"), ("stale", "stale"), ("push", "stale")]
