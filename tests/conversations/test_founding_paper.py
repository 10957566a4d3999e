"""What the paper that this project started from asks for that only the trace, the wire, or the audit log can show.

The sentences themselves are in founding_paper.yaml.
"""

from pathlib import Path
from typing import Any

import pytest

from daemon.act.audit import Audit
from daemon.core.result import Result
from daemon.core.turn import Utterance
from daemon.mqtt.bus import Message
from tests.conversations.house import House, Time, home_of, open_house

pytestmark = pytest.mark.virtual

UPSTAIRS = 34


async def say(house: House, sentence: str, area: str | None = None) -> Result:
    return await house.opened.pipeline.handle(Utterance(sentence, area=area))


def noted(result: Result, stage: str, key: str) -> list[dict[str, Any]]:
    """What the trace says at one stage, of the events that have this key."""
    return [event for event in result.trace if event["stage"] == stage and key in event]


@pytest.mark.parametrize("sentence", ["turn on xyz", "打开XYZ"])
async def test_risk_a_the_name_alone_makes_it_the_first_candidate(sentence: str) -> None:
    async with open_house(home_of("odd"), Time()) as house:
        result = await say(house, sentence)
    (found,) = noted(result, "resolve", "candidates")
    assert found["status"] == "resolved"
    assert found["entities"] == ["xyz"]
    assert found["rounds"][0]["decision"] == "stop", "a name that is found exactly is looked for once"


@pytest.mark.parametrize("sentence", ["turn on the table lamp", "打开台灯"])
async def test_risk_e_the_gate_notes_that_it_asks_and_by_what(sentence: str) -> None:
    async with open_house(home_of("terrace"), Time()) as house:
        result = await say(house, sentence, "kitchen")
    (gate,) = noted(result, "gate", "verdict")
    assert (gate["verdict"], gate["dimension"]) == ("ask", "area")
    assert set(gate["options"]) == {"bedroom_table", "study_table"}
    assert not house.simulated.received


@pytest.mark.parametrize(
    "sentence", ["if it's above 26 turn on the air conditioner", "如果现在室温超过 26 度，就打开空调"]
)
async def test_risk_f_the_sensor_is_asked_before_anything_is_sent(sentence: str) -> None:
    async with open_house(home_of("hatches"), Time()) as house:
        wire: list[Message] = []
        await house.broker.connect().subscribe("#", wire.append)
        wire.clear()
        result = await say(house, sentence, "office")
    asked = [index for index, item in enumerate(wire) if item.topic.endswith("office_air/get")]
    told = [index for index, item in enumerate(wire) if item.topic.endswith("office_air")]
    sent = [index for index, item in enumerate(wire) if item.topic.endswith("ac/set")]
    assert asked
    assert sent
    assert asked[0] < told[0] < sent[0]
    (condition,) = noted(result, "condition", "facts")
    assert [(fact["device"], fact["source"]) for fact in condition["facts"]] == [("office_air", "reply")]


@pytest.mark.parametrize(
    ("sentence", "yes", "device"),
    [
        ("unlock the back door", "yes", "back_door"),
        ("解锁后门", "是的", "back_door"),
        ("open the gas valve", "yes", "gas"),
        ("打开燃气阀", "好的", "gas"),
    ],
)
async def test_risk_f_what_is_risky_is_confirmed_and_written_down(
    sentence: str, yes: str, device: str, tmp_path: Path
) -> None:
    audit = Audit(tmp_path / "audit.db")
    async with open_house(home_of("hatches"), Time(), audit) as house:
        asked = await say(house, sentence)
        assert asked.outcome == "clarify"
        assert not house.simulated.received
        done = await say(house, yes)
        assert done.outcome == "execute"
        await audit.flush()
        rows = await audit.rows(device=device)
    (row,) = rows
    assert (row["said"], row["allowed_because"], row["status"]) == (yes, "confirmed", "done")


@pytest.mark.parametrize("sentence", ["turn off all the lights upstairs", "把楼上所有的灯都关掉"])
async def test_kill_shot_1_the_floor_is_the_candidate_and_is_expanded_when_it_is_acted_on(sentence: str) -> None:
    async with open_house(home_of("villa"), Time()) as house:
        result = await say(house, sentence)
        reached = {device for device, _ in house.simulated.received}
    (found,) = noted(result, "resolve", "via")
    assert found["via"] == "upper"
    assert len(found["candidates"]) <= 1, "no list of devices that could be cut off"
    assert len(reached) == len(found["entities"]) == UPSTAIRS


@pytest.mark.parametrize(
    "sentence", ["turn on all the lights upstairs except the bedroom", "打开楼上除卧室以外所有的灯"]
)
async def test_kill_shot_3_what_is_spared_is_no_candidate(sentence: str) -> None:
    async with open_house(home_of("terrace"), Time()) as house:
        result = await say(house, sentence)
    (found,) = noted(result, "resolve", "candidates")
    spared = {"bedroom_light", "bedroom_table"}
    assert found["entities"]
    assert not spared & {*found["entities"], *(item["entity"] for item in found["candidates"])}
    assert not spared & {device for device, _ in house.simulated.received}
