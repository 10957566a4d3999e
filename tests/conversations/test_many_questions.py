"""Many questions in one utterance: what is silent is waited for once."""

from __future__ import annotations

import pytest

from daemon.core.result import Result
from daemon.core.turn import Utterance
from daemon.core.values import replace
from daemon.home.config import SimulatedDevice, Simulation
from tests.conversations.house import Time, home_of, open_house
from tests.virtual_time import now

pytestmark = pytest.mark.virtual

QUESTIONS = {
    "en": ("how many lights are on", ", "),
    "zh": ("有几盏灯开着", "，"),
}


async def asked(text: str, *, silent: bool) -> tuple[Result, float]:
    """What is answered, and after how many seconds."""
    home = home_of(None)
    device = SimulatedDevice("sleepy" if silent else "normal")
    devices = {item.id: device for item in home.entities if item.kind == "device"}
    home = replace(home, simulation=Simulation(devices=devices))
    async with open_house(home, Time()) as house:
        begun = now()
        result = await house.opened.pipeline.handle(Utterance(text))
        return result, now() - begun


@pytest.mark.parametrize("lang", QUESTIONS)
@pytest.mark.parametrize("silent", [False, True])
async def test_twenty_five_take_no_longer_than_one(lang: str, silent: bool) -> None:  # noqa: FBT001 - a table
    question, joint = QUESTIONS[lang]
    one, once = await asked(question, silent=silent)
    many, together = await asked(joint.join([question] * 25), silent=silent)
    assert one.outcome == many.outcome
    assert sum(event["stage"] == "answer" for event in many.trace) == 25
    assert (once > 1) == silent
    assert together == pytest.approx(once, abs=0.1)


async def test_a_question_between_two_acts_is_answered_between_them() -> None:
    text = "turn on the kitchen ceiling light. is the kitchen ceiling light on? turn off the kitchen ceiling light. "
    text += "is the kitchen ceiling light on?"
    result, _ = await asked(text, silent=False)
    told = [event for event in result.trace if event["stage"] in ("act", "answer")]
    assert [event["stage"] for event in told] == ["act", "answer", "act", "answer"]
    assert [event["verdict"] for event in told if event["stage"] == "answer"] == [True, False]
