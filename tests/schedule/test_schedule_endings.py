"""What ends an act that is to last, and what becomes of the ends that were kept before."""

from typing import Any

import pytest

from daemon.core.entities import Capability, Entity, Value
from daemon.core.outcomes import Observation, Outcome, Status, Write
from daemon.core.values import replace, to_dict
from daemon.home.registry import Registry
from daemon.schedule.endings import Ending, ending, moot, superseded, worked
from daemon.schedule.entries import Entry
from tests.schedule.kept import HOME, NOON, ORIGIN, clause, entry, program

ON = "turn on the lamp"
OFF = "turn off the lamp"
LEVEL = "set the lamp to 50 percent"


def outcome(
    device: str, attribute: str, value: Value, action: str, *, status: Status = "done", **before: Any
) -> Outcome:
    seen = tuple(Observation(device, name, was, "reply", 0.1) for name, was in before.items())
    return Outcome(Write(device, attribute, value, action, unit=None), status, sent=True, before=seen)


def switched(*devices: str, status: Status = "done") -> list[Outcome]:
    return [outcome(device, "state", "on", "turn_on", status=status, state="off") for device in devices]


def dimmed(to: float, **before: Any) -> list[Outcome]:
    return [outcome("lamp", "brightness", to, "set", **before)]


def end(said: str, outcomes: list[Outcome], number: int = 1) -> Entry:
    """The end of an act, as it is kept."""
    [(back, devices)] = ending(clause(said), outcomes, HOME, NOON, []).backs.items()
    made = replace(program(said), clauses=(back,))
    return Entry(number, "end", ORIGIN, NOON, made, tuple(devices), tuple(devices))


def backs(found: Ending) -> list[tuple[str | None, Value | None, list[str]]]:
    """For each command that ends it: its verb, its value, its devices."""
    return [
        (back.action, None if back.parameter is None else back.parameter.value, devices)
        for back, devices in found.backs.items()
    ]


TO_OFF = end(ON, switched("lamp", "fan"))
TO_ON = end(OFF, switched("lamp"))
TO_80 = end(LEVEL, dimmed(50, state="on", brightness=80))


@pytest.mark.parametrize(
    ("said", "action"),
    [
        (ON, "turn_off"),
        (OFF, "turn_on"),
        ("open the blinds", "close"),
        ("close the blinds", "open"),
        ("lock the door", "unlock"),
        ("unlock the door", "lock"),
        ("mute the tv", "unmute"),
        ("pause the robot", "resume"),
    ],
)
def test_a_verb_ends_in_its_opposite(said: str, action: str) -> None:
    assert backs(ending(clause(said), switched("lamp"), HOME, NOON, [])) == [(action, None, ["lamp"])]


@pytest.mark.parametrize(
    ("outcomes", "back", "unknown"),
    [
        (dimmed(50, state="on", brightness=80), [("set", 80, ["lamp"])], ()),
        (dimmed(50, state="off", brightness=80), [("turn_off", None, ["lamp"])], ()),
        (dimmed(50, state="on", brightness=50), [], ()),
        (dimmed(50), [], ("lamp",)),
    ],
)
def test_a_setting_ends_in_what_was(
    outcomes: list[Outcome], back: list[tuple[str, Value | None, list[str]]], unknown: tuple[str, ...]
) -> None:
    found = ending(clause(LEVEL), outcomes, HOME, NOON, [])
    assert (backs(found), found.unknown) == (back, unknown)


@pytest.mark.parametrize(
    ("status", "did"),
    [("done", True), ("unconfirmed", True), ("failed", False), ("refused", False), ("not_found", False)],
)
def test_only_what_was_done_ends(status: Status, *, did: bool) -> None:
    outcomes = switched("lamp", status=status)
    assert worked(outcomes[0]) == did
    assert [devices for _, _, devices in backs(ending(clause(ON), outcomes, HOME, NOON, []))] == (
        [["lamp"]] if did else []
    )


@pytest.mark.parametrize("apart", [600.0, 0.0, -600.0])
def test_of_two_that_end_alike_the_newest_length_counts(apart: float) -> None:
    found = ending(clause(ON), switched("lamp"), HOME, NOON, [(NOON + apart, TO_OFF)])
    assert (backs(found), found.released, found.put_off) == ([("turn_off", None, ["lamp"])], {1: {"lamp"}}, {})


def test_what_the_older_of_two_that_cross_was_to_put_back_is_put_back() -> None:
    """ "Off for twenty minutes", and "on for an hour" meanwhile: it was on before both."""
    found = ending(clause(ON), switched("lamp"), HOME, NOON, [(NOON - 600, TO_ON)])
    assert (backs(found), found.released, found.unknown) == ([], {1: {"lamp"}}, ())


@pytest.mark.parametrize(
    ("kept", "due", "released"),
    [
        (TO_ON, NOON + 600, {}),
        (end(ON, switched("fan")), NOON - 600, {}),
        (end("mute the tv", switched("lamp")), NOON - 600, {}),
    ],
)
def test_only_an_end_of_the_same_that_would_come_meanwhile_is_released(
    kept: Entry, due: float, released: dict[int, set[str]]
) -> None:
    found = ending(clause(ON), switched("lamp"), HOME, NOON, [(due, kept)])
    assert found.released == released
    assert backs(found) == [("turn_off", None, ["lamp"])]


def test_what_another_end_was_to_put_back_is_put_back_when_this_is_over() -> None:
    """50 % for an hour, and 20 % for two: after the two hours it is what it was before both."""
    kept = (NOON - 600, TO_80)
    found = ending(clause(LEVEL), dimmed(20, state="on", brightness=50), HOME, NOON, [kept])
    assert backs(found) == [("set", 80, ["lamp"])]
    assert found.released == {1: {"lamp"}}


def test_what_is_off_meanwhile_gets_its_level_back_when_it_is_on_again() -> None:
    kept = (NOON - 600, TO_80)
    found = ending(clause(OFF), [outcome("lamp", "state", "off", "turn_off", state="on")], HOME, NOON, [kept])
    assert backs(found) == [("turn_on", None, ["lamp"])]
    assert (found.released, found.put_off) == ({1: {"lamp"}}, {1: {"lamp"}})


@pytest.mark.parametrize(
    ("said", "was", "back"),
    [
        # Nothing comes on that was off; what was named itself is calmed, whoever had switched it on.
        ("turn off the lamp", "off", None),
        ("turn on the lamp", "on", ("turn_off", ["lamp"])),
        ("turn off everything", "off", None),
        ("turn on all the lights", "on", None),
        ("turn off everything", "on", ("turn_on", ["lamp"])),
        ("turn on all the lights", "off", ("turn_off", ["lamp"])),
    ],
)
def test_what_was_so_already_stays_so(said: str, was: str, back: tuple[str, list[str]] | None) -> None:
    verb = "turn_on" if " on " in said else "turn_off"
    found = ending(clause(said), [outcome("lamp", "state", verb[5:], verb, state=was)], HOME, NOON, [])
    assert [(action, devices) for action, _, devices in backs(found)] == ([] if back is None else [back])


@pytest.mark.parametrize(
    ("said", "before", "way"),
    [
        ("open the blinds", 50, ("set", 50)),
        ("close the blinds", 50, ("set", 50)),
        ("open the blinds", 0, ("close", None)),
        ("close the blinds", 100, ("open", None)),
    ],
)
def test_what_stood_part_way_goes_back_there(said: str, before: float, way: tuple[str, Value | None]) -> None:
    verb, state = ("open", "open") if said.startswith("open") else ("close", "closed")
    outcomes = [outcome("blind", "state", state, verb, state="open", position=before)]
    assert backs(ending(clause(said), outcomes, HOME, NOON, [])) == [(*way, ["blind"])]


def test_what_a_level_has_switched_on_comes_back_as_bright_as_before() -> None:
    """Off until ten to, and 50 % for longer than that: then it is on again, at its 80 % from before."""
    found = ending(clause(LEVEL), dimmed(50, state="off", brightness=80), HOME, NOON, [(NOON - 600, TO_ON)])
    assert backs(found) == [("set", 80, ["lamp"])]
    assert found.released == {1: {"lamp"}}


def test_off_for_longer_is_off_for_longer() -> None:
    off = [outcome("lamp", "state", "off", "turn_off", state="off")]
    found = ending(clause(OFF), off, HOME, NOON, [(NOON - 600, TO_ON)])
    assert (backs(found), found.released) == ([("turn_on", None, ["lamp"])], {1: {"lamp"}})


def test_what_was_so_already_goes_back_at_the_new_moment() -> None:
    kept = (NOON - 600, TO_80)
    found = ending(clause(LEVEL), dimmed(50, state="on", brightness=50), HOME, NOON, [kept])
    assert (backs(found), found.released) == ([("set", 80, ["lamp"])], {1: {"lamp"}})


def test_devices_of_one_act_may_end_differently() -> None:
    outcomes = [
        *dimmed(50, state="on", brightness=80),
        outcome("fan", "state", "on", "turn_on", state="off"),
        outcome("tv", "volume", 10, "set", state="on", volume=30),
    ]
    found = ending(clause(LEVEL), outcomes, HOME, NOON, [])
    assert {item for devices in found.backs.values() for item in devices} == {"lamp", "fan", "tv"}
    assert all(to_dict(back).get("when") is None for back in found.backs)


@pytest.mark.parametrize(
    ("kept", "off", "spared"),
    [
        (entry("set the lamp to 80 percent", "lamp", "fan", sort="end"), ["lamp"], ("lamp",)),
        (entry("set the lamp to 80 percent", "lamp", sort="end"), ["tv"], ()),
        (entry("set the lamp to 80 percent", "lamp", sort="time"), ["lamp"], ()),
        (entry(ON, "lamp", sort="end"), ["lamp"], ()),
    ],
)
def test_what_is_off_has_no_level_to_put_back(kept: Entry, off: list[str], spared: tuple[str, ...]) -> None:
    assert moot(kept, off) == spared


def test_an_end_is_of_the_devices_that_it_still_has() -> None:
    kept = replace(TO_OFF, them=("fan",))
    found = ending(clause(ON), switched("lamp"), HOME, NOON, [(NOON - 600, kept)])
    assert found.released == {}


@pytest.mark.parametrize(
    ("kept", "write", "dropped"),
    [
        # Nothing else would come: it is as it was said last, and the end would come to the same.
        (TO_OFF, Write("lamp", "state", "off", "turn_off"), False),
        (TO_ON, Write("lamp", "state", "on", "turn_on"), False),
        (TO_OFF, Write("lamp", "state", "on", "turn_on"), True),
        (TO_ON, Write("lamp", "state", "off", "toggle"), True),
        (TO_80, Write("lamp", "brightness", 30, "set"), True),
        (TO_80, Write("lamp", "brightness", 80, "set"), False),
        (TO_ON, Write("lamp", "brightness", 30, "set"), False),
        # What is dimmed while it is on for an hour still goes off; so does what is of another device, or relative.
        (TO_OFF, Write("lamp", "brightness", 30, "set"), None),
        (TO_80, Write("lamp", "brightness", 30, "decrease", delta=-10), None),
        (TO_80, Write("lamp", "state", "off", "turn_off"), None),
        (TO_OFF, Write("heater", "state", "off", "turn_off"), None),
        (TO_OFF, Write("lamp", "volume", 20, "set"), None),
    ],
)
def test_what_is_done_for_good_is_not_ended_by_what_was_said_before(
    kept: Entry, write: Write, *, dropped: bool | None
) -> None:
    found = superseded([Outcome(write, "done", sent=True)], [(NOON, kept)])
    assert found == ({} if dropped is None else {1: {"lamp": dropped}})
    assert superseded([Outcome(write, "failed", sent=True)], [(NOON, kept)]) == {}


def test_the_level_that_was_to_come_with_the_light_goes_with_it() -> None:
    level = replace(TO_80, id=2)
    on = [Outcome(Write("lamp", "state", "on", "turn_on"), "done", sent=True)]
    assert superseded(on, [(NOON, TO_ON), (NOON, level), (NOON + 60, replace(level, id=3))]) == {
        1: {"lamp": False},
        2: {"lamp": False},
    }


@pytest.mark.parametrize(
    ("was", "back"),
    [("armed_away", ("arm", "away")), ("armed_home", ("arm", "home"))],
)
def test_an_alarm_is_armed_again_as_it_was(was: str, back: tuple[str, str]) -> None:
    alarm = Entity(
        "alarm",
        "device",
        ("Alarm",),
        type="alarm",
        capabilities=(Capability("arm", "state", options=("armed_home", "armed_away", "disarmed")),),
    )
    for said, verb in (("disarm the alarm", "disarm"), ("turn off the alarm", "turn_off")):
        outcomes = [outcome("alarm", "state", "disarmed", verb, state=was)]
        found = ending(clause(said), outcomes, Registry([alarm]), NOON, [])
        assert backs(found) == [(*back, ["alarm"])]


def test_an_alarm_that_nobody_knows_is_told() -> None:
    outcomes = [outcome("lock", "state", "disarmed", "disarm", state="triggered")]
    assert ending(clause("disarm the alarm"), outcomes, HOME, NOON, []).unknown == ("lock",)
