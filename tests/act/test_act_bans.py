"""What a ban is about, and what would break it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.act.bans import broken, forbidden
from daemon.core.entities import Capability, Entity, Value
from daemon.core.outcomes import Ban, Write
from daemon.home.registry import Registry
from tests.act.world import device
from tests.schedule.kept import clause

HOME = Registry(
    [
        device("lamp", "on_off", "brightness"),
        device("blind", "open_close", "position", kind="blind"),
        device("lock", "lock", kind="lock"),
        device("tv", "on_off", "volume", Capability("mute", "muted"), kind="tv"),
        device(
            "ac", "on_off", "temperature", Capability("mode", "mode", options=("heat", "cool")), kind="air_conditioner"
        ),
        device("heater", "on_off", "temperature", kind="heater"),
        device(
            "thermostat",
            Capability("temperature", "temperature", minimum=5, maximum=30, unit="C"),
            kind="thermostat",
        ),
        device("strip", "on_off", "color", "color_temp"),
        device(
            "radio",
            "on_off",
            Capability("media_select", "source", options=("jazz", "news")),
            Capability("play_media", "media"),
            kind="speaker",
        ),
        Entity("movie", "scene", ("movie",)),
    ]
)


@pytest.mark.parametrize(
    ("said", "entity", "ban"),
    [
        ("never turn on the lamp", "lamp", Ban("lamp", "state", "on")),
        ("never turn off the lamp", "lamp", Ban("lamp", "state", "off")),
        ("never unlock the door", "lock", Ban("lock", "state", "unlocked")),
        ("never open the blinds", "blind", Ban("blind", "state", "open")),
        # A verb takes the member that the device has.
        ("never open the door", "lock", Ban("lock", "state", "unlocked")),
        ("never close the lamp", "lamp", Ban("lamp", "state", "off")),
        ("never set the lamp to 50 percent", "lamp", Ban("lamp", "brightness", 50.0)),
        # What has a mode may do all but this; what has none is not to be on at all.
        ("never heat the room to 22 degrees", "ac", Ban("ac", "mode", "heat")),
        ("never heat the room to 22 degrees", "heater", Ban("heater", "state", "on")),
        # It is forbidden in the words of the device, as it would be sent.
        ("never set the thermostat to 77 fahrenheit", "thermostat", Ban("thermostat", "temperature", 25)),
        ("never set the strip to blue", "strip", Ban("strip", "color", "#0000ff")),
        ("never set the strip to warm white", "strip", Ban("strip", "color_temp", 2700)),
        ("never set the lamp to full brightness", "lamp", Ban("lamp", "brightness", 100)),
        ("never set the lamp to zero percent", "lamp", Ban("lamp", "state", "off")),
        ("never play jazz on the radio", "radio", Ban("radio", "source", "jazz")),
        ("never make the lamp brighter", "lamp", Ban("lamp", "brightness")),
        # What cannot be told apart is left alone altogether.
        ("never toggle the lamp", "lamp", Ban("lamp")),
        ("never lock the lamp", "lamp", Ban("lamp")),
        ("never turn on the lamp", "movie", Ban("movie")),
    ],
)
def test_what_is_forbidden(said: str, entity: str, ban: Ban) -> None:
    assert forbidden(clause(said), [entity], HOME) == (ban,)


def test_each_of_several_is_forbidden() -> None:
    assert [ban.entity for ban in forbidden(clause("never turn on the lamp"), ["lamp", "tv"], HOME)] == ["lamp", "tv"]


ANY, ON, OFF = Ban("x"), Ban("x", "state", "on"), Ban("x", "state", "off")
OPEN, SHUT, UNLOCKED = Ban("x", "state", "open"), Ban("x", "state", "closed"), Ban("x", "state", "unlocked")
DIM, HALF = Ban("x", "brightness"), Ban("x", "brightness", 50)


@pytest.mark.parametrize(
    ("attribute", "value", "strikes"),
    [
        ("state", "on", [ANY, ON, OPEN]),
        ("state", "off", [ANY, OFF, SHUT]),
        ("state", "open", [ANY, OPEN, ON]),
        ("state", "closed", [ANY, SHUT, OFF]),
        ("state", "unlocked", [ANY, UNLOCKED, ON, OPEN]),
        ("brightness", 50, [ANY, ON, OPEN, DIM, HALF]),
        ("brightness", 0, [ANY, OFF, SHUT, DIM]),
        ("position", 0, [ANY, SHUT, OFF]),
        ("position", 1, [ANY, OPEN, ON]),
        ("temperature", 0, [ANY, ON, OPEN]),
        ("command", "stop", [ANY, OFF, SHUT]),
        ("command", "start", [ANY, ON, OPEN]),
        ("muted", True, [ANY, OFF, SHUT]),
        ("muted", False, [ANY, ON, OPEN]),
    ],
)
def test_what_a_write_breaks(attribute: str, value: Value, strikes: list[Ban]) -> None:
    bans = [ANY, ON, OFF, OPEN, SHUT, UNLOCKED, DIM, HALF]
    assert set(broken([Write("x", attribute, value, "set")], bans)) == set(strikes)


writes = st.builds(
    Write,
    st.sampled_from(["x", "y"]),
    st.sampled_from(["state", "brightness", "position", "command", "mode"]),
    st.sampled_from(["on", "off", "open", "closed", "locked", "unlocked", "stop", 0, 50, True]),
    st.just("set"),
)
bans = st.builds(
    Ban,
    st.sampled_from(["x", "y"]),
    st.sampled_from([None, "state", "brightness", "mode"]),
    st.sampled_from([None, "on", "off", "open", "locked", 0, 50]),
)


@given(st.lists(writes, max_size=4), st.lists(bans, max_size=4))
def test_each_write_stands_for_itself_and_breaks_only_bans_of_its_device(told: list[Write], held: list[Ban]) -> None:
    found = broken(told, held)
    assert set(found) == {ban for write in told for ban in broken([write], held)}
    assert all(any(write.entity == ban.entity for write in told) for ban in found)
    assert list(found) == [ban for ban in held if ban in found]


@given(writes)
def test_either_on_or_off_is_left_to_do(write: Write) -> None:
    """What is neither to go on nor off is to be left alone; no write slips between the two."""
    held = [Ban(write.entity, "state", "on"), Ban(write.entity, "state", "off")]
    assert len(broken([write], held)) == 1
