"""Conversations, each in the home that its table names: from what is said to what was sent, seen and answered."""

import re
from datetime import datetime
from typing import Any

import pytest

from daemon.core.result import Result
from daemon.core.turn import Utterance
from daemon.pipeline import Pipeline
from tests.conversations.house import HERE, ZONE, House, Time, home_of, open_house
from tests.tables import read_table

pytestmark = pytest.mark.virtual

SENDS = ("execute", "mixed")


def _cases() -> list[Any]:
    """All conversations. A table is a list of them, or `home:` (a file in `homes/`) and `conversations:`."""
    found = []
    for path in sorted(HERE.glob("*.yaml")):
        table = read_table(path)
        if isinstance(table, list):
            table = {"conversations": table}
        for case in table["conversations"]:
            home = case.get("home", table.get("home"))
            found.append(pytest.param(home, case, id=f"{path.stem}: {case['name']}"))
    return found


@pytest.mark.parametrize(("home", "case"), _cases())
async def test_conversation(home: str | None, case: dict[str, Any]) -> None:
    time = Time()
    if "now" in case:
        time.wall = datetime.fromisoformat(case["now"]).replace(tzinfo=ZONE).timestamp()
    async with open_house(home_of(home), time) as house:
        for device, values in case.get("setup", {}).items():
            await house.simulated.place(device, values)
        for turn in case["turns"]:
            if "say" in turn:
                await _said(turn, case, house)
            else:
                await _later(turn, house)
        assert await _week(house) == case.get("week", {})


async def _said(turn: dict[str, Any], case: dict[str, Any], house: House) -> None:
    house.time.wait(turn.get("after", 0))
    house.simulated.received.clear()
    pipeline = house.opened.pipeline
    result = await pipeline.handle(
        Utterance(
            turn["say"],
            area=turn.get("area", case.get("area")),
            speaker=turn.get("speaker", case.get("speaker")),
            satellite=turn.get("at", "console"),
            lang=turn.get("lang"),
            heard=turn.get("heard", 1.0),
            alternatives=tuple((text, sure) for text, sure in turn.get("or", ())),
        )
    )
    outcome = turn.get("outcome", "execute")
    told = f"{turn['say']!r} -> {result.outcome}: {result.reply!r}"
    assert result.outcome == outcome, told
    assert outcome not in SENDS or "sent" in turn, f"say what is sent for {turn['say']!r}"
    assert _sent(result) == {_wanted(item) for item in turn.get("sent", ())}, told
    # Whatever a device got, the result owns up to.
    assert {device for device, _ in house.simulated.received} <= _reached(result, pipeline), told
    assert turn.get("reply", "") in result.reply, told
    assert turn.get("not") is None or turn["not"] not in result.reply, told


async def _later(turn: dict[str, Any], house: House) -> None:
    """Time goes by, or something happens in the house; then, what was said unasked and how things stand."""
    house.told.clear()
    if "broker" in turn:
        (house.broker.come_up if turn["broker"] else house.broker.go_down)()
        await house.simulated.settled()
    house.time.wait(turn.get("wait", 0))
    for device, values in turn.get("place", {}).items():
        await house.simulated.place(device, values)
    await house.opened.firing.tick()
    said = [item.reply for item in house.told]
    wanted = turn.get("told", [])
    wanted = wanted if isinstance(wanted, list) else [wanted]
    assert len(said) == len(wanted), said
    for text, part in zip(said, wanted, strict=True):
        assert part in text
    if "aloud" in turn:
        assert [item.aloud for item in house.told] == [turn["aloud"]] * len(said)
    for device, values in turn.get("state", {}).items():
        truth = house.simulated.truth(device)
        assert {name: truth.get(name) for name in values} == values, device


async def _week(house: House) -> dict[str, list[str]]:
    """What is sent to each device in the week that follows, where something is still kept: `on 7`, seven times."""
    week: dict[str, list[str]] = {}
    if house.opened.later.agenda.entries:
        for (device, wish), times in sorted((await house.live(7 * 86_400)).items()):
            week.setdefault(device, []).append(f"{wish} {times}")
    return week


def _sent(result: Result) -> set[tuple[str, frozenset[str], str]]:
    return {
        (
            item.action,
            frozenset(item.targets),
            f"{item.attribute}={_number(item.value)}" if item.attribute is not None else "",
        )
        for item in result.commands
    }


def _reached(result: Result, pipeline: Pipeline) -> set[str]:
    """The devices of what was sent, those of a scene among them."""
    targets = {target for item in result.commands for target in item.targets}
    return targets | {member for target in targets for member in pipeline.parts.registry[target].members}


def _wanted(text: str) -> tuple[str, frozenset[str], str]:
    """`turn_on lamp,spot_1..3 brightness=40` as a command."""
    action, devices, *parameter = text.split()
    named: set[str] = set()
    for device in devices.split(","):
        if found := re.fullmatch(r"(.+_)(\d+)\.\.(\d+)", device):
            named |= {f"{found[1]}{number}" for number in range(int(found[2]), int(found[3]) + 1)}
        else:
            named.add(device)
    return action, frozenset(named), "".join(parameter)


def _number(value: object) -> object:
    return f"{value:g}" if isinstance(value, float) else value
