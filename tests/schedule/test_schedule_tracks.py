"""What a command is about, and which of several has the last word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.values import replace
from daemon.schedule.entries import left_over, track, without
from tests.schedule.kept import clause, entry

SENTENCES = (
    "turn on the lamp",
    "turn off the lamp",
    "toggle the lamp",
    "set the lamp to 50 percent",
    "dim the lamp",
    "turn off the lamp if the door is open",
    "mute the tv",
    "pause the robot",
)


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("turn on the lamp", "state"),
        ("lock the door", "state"),
        ("open the blinds", "state"),
        ("set the lamp to 50 percent", "brightness"),
        ("dim the lamp", "brightness"),
        ("make the lamp red", "color"),
        ("mute the tv", "mute"),
        ("unmute the tv", "mute"),
        ("pause the robot", "command"),
    ],
)
def test_what_a_command_is_about(text: str, attribute: str) -> None:
    assert track(clause(text)) == attribute


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ("turn on the lamp", "turn off the lamp", False),
        ("turn on the lamp", "turn on the lamp", False),
        # What is off, has no level; what is on may have any.
        ("set the lamp to 50 percent", "turn off the lamp", False),
        ("set the lamp to 50 percent", "turn on the lamp", True),
        ("turn off the lamp", "set the lamp to 50 percent", False),
        ("turn on the lamp", "set the lamp to 50 percent", True),
        ("set the lamp to 50 percent", "set the lamp to 20 percent", False),
        ("set the lamp to 50 percent", "make the lamp red", True),
        # What hangs on how things are then, overrules nothing.
        ("turn on the lamp", "toggle the lamp", True),
        ("set the lamp to 50 percent", "dim the lamp", True),
        ("turn on the lamp", "turn off the lamp if the door is open", True),
        ("turn off the lamp if the door is open", "turn on the lamp", False),
        ("mute the tv", "unmute the tv", False),
        ("mute the tv", "pause the tv", True),
    ],
)
def test_of_two_commands_the_later_may_leave_nothing_of_the_earlier(first: str, second: str, *, left: bool) -> None:
    one, other = entry(first, "lamp", id=1), entry(second, "lamp", id=2)
    assert left_over([one, other]) == {1: ("lamp",) if left else (), 2: ("lamp",)}


def test_only_the_devices_that_both_are_about_are_overruled() -> None:
    both, one = entry("turn on the lamp", "lamp", "fan", id=1), entry("turn off the lamp", "fan", id=2)
    assert left_over([both, one]) == {1: ("lamp",), 2: ("fan",)}


@given(
    st.lists(
        st.tuples(st.sampled_from(SENTENCES), st.sets(st.sampled_from(["lamp", "fan", "tv"]), min_size=1)), max_size=5
    )
)
def test_the_last_word_about_a_device_is_never_lost(said: list[tuple[str, set[str]]]) -> None:
    entries = [entry(text, *sorted(devices), id=number) for number, (text, devices) in enumerate(said)]
    left = left_over(entries)
    for device in {item for one in entries for item in one.entities}:
        last = max(one.id for one in entries if device in one.entities)
        assert device in left[last]
    # Who is left out is so because of one that comes after: without that, nothing is.
    assert all(left_over([one])[one.id] == one.entities for one in entries)


def test_for_fewer_devices() -> None:
    both = entry("turn on the lamp", "lamp", "fan")
    assert without(both, ["fan", "tv"]) == replace(both, them=("lamp",), entities=("lamp",))


@pytest.mark.parametrize(("later", "left"), [("turn off the lamp for 5 minutes", ("lamp",)), ("turn off the lamp", ())])
def test_an_end_comes_before_what_is_to_last_only_so_long_itself(later: str, left: tuple[str, ...]) -> None:
    """Else it would go back to how it was within what has ended."""
    end, plan = entry("turn on the lamp", "lamp", id=1, sort="end"), entry(later, "lamp", id=2)
    assert left_over([end, plan]) == {1: left, 2: ("lamp",)}
