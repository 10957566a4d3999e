"""The chain of evidence before a question: each step in the trace, and only where it can tell something."""

from typing import Any

import pytest

from daemon.core.result import Result
from daemon.core.turn import Utterance
from tests.conversations.house import Time, home_of, open_house

pytestmark = pytest.mark.virtual


async def talk(home: str | None, *said: Utterance, setup: dict[str, Any] | None = None) -> Result:
    """What came of the last of these."""
    async with open_house(home_of(home), Time()) as house:
        for device, values in (setup or {}).items():
            await house.simulated.place(device, values)
        results = [await house.opened.pipeline.handle(item) for item in said]
    return results[-1]


def note(result: Result, stage: str) -> dict[str, Any]:
    """The only event of a stage."""
    (found,) = [event for event in result.trace if event["stage"] == stage and ("steps" in event or stage != "resolve")]
    return found


def steps(result: Result) -> list[tuple[str, str | None]]:
    """The steps that were taken, with the one that each of them told."""
    taken = note(result, "resolve")["steps"]
    assert taken != "none needed"
    return [(step["evidence"], step.get("found")) for step in taken]


@pytest.mark.parametrize("sentence", ["turn on the heater", "打开取暖器"])
async def test_no_step_is_taken_where_one_is_meant(sentence: str) -> None:
    result = await talk("terrace", Utterance(sentence))
    assert note(result, "resolve")["steps"] == "none needed"
    assert note(result, "gate")["verdict"] == "act"


@pytest.mark.parametrize("sentence", ["turn on the fan", "打开排气扇"])
async def test_the_room_tells_two_of_one_name_apart(sentence: str) -> None:
    result = await talk("terrace", Utterance(sentence, area="bath_down"))
    assert note(result, "resolve")["evidence"] == "room"
    assert note(result, "resolve")["entities"] == ["bath_down_fan"]


@pytest.mark.parametrize("sentence", ["turn off the table lamp", "关掉台灯"])
async def test_the_only_one_that_is_on_is_meant(sentence: str) -> None:
    on, off = {"state": "on", "brightness": 50}, {"state": "off", "brightness": 0}
    result = await talk("terrace", Utterance(sentence, area="kitchen"), setup={"study_table": on, "bedroom_table": off})
    assert steps(result) == [("preference", None), ("state", "study_table")]
    looked_at = note(result, "resolve")["steps"][-1]["known"]
    assert set(looked_at) == {"study_table on", "bedroom_table off"}


@pytest.mark.parametrize("sentence", ["turn on the desk lamp", "打开台灯"])
async def test_a_preference_goes_before_everything_else(sentence: str) -> None:
    result = await talk(None, Utterance(sentence, area="landing", speaker="mei"))
    found = "bedroom_desk_lamp" if "台" in sentence else None
    assert steps(result)[0] == ("preference", found)
    assert (note(result, "gate")["verdict"] == "act") is (found is not None)


@pytest.mark.parametrize("sentence", ["turn on the table lamp", "打开台灯"])
async def test_where_nothing_tells_it_is_asked(sentence: str) -> None:
    result = await talk("terrace", Utterance(sentence, area="kitchen"))
    assert steps(result) == [("preference", None)], "states tell nothing of what is to be turned on in other rooms"
    assert note(result, "gate")["verdict"] == "ask"


@pytest.mark.parametrize(("first", "then"), [("turn on the oven", "turn it off"), ("打开烤箱", "把它关掉")])
async def test_what_was_spoken_of_is_in_the_summary_of_what_is_known(first: str, then: str) -> None:
    result = await talk("terrace", Utterance(first, area="kitchen"), Utterance(then, area="kitchen"))
    known = note(result, "context")
    assert (known["area"], known["last"]) == ("kitchen", ["stove"])
    assert "speaker" not in known, "what is not known is left out"
    assert note(result, "resolve")["evidence"] == "last"


@pytest.mark.parametrize(("first", "then"), [("turn on the table lamp", "the study"), ("打开台灯", "书房")])
async def test_an_answer_has_the_question_in_the_summary(first: str, then: str) -> None:
    result = await talk("terrace", Utterance(first, area="kitchen"), Utterance(then, area="kitchen"))
    assert note(result, "context")["asked"] == "which"
