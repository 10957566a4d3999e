"""Devices that leave the home while somebody speaks of them: nothing raises, and what is gone is said to be gone."""

from collections.abc import Collection, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.act.executor import Executor
from daemon.act.reader import Reader
from daemon.core.outcomes import Observed, Outcome, Write
from daemon.core.result import Result
from daemon.core.trace import Trace
from daemon.core.turn import Utterance
from daemon.pipeline import Pipeline
from tests.conversations.house import Time, home_of, open_house
from tests.virtual_time import run

pytestmark = pytest.mark.virtual

DIALOGUES = (
    ("turn on the lamp", "the second one", "turn it off", "undo that"),
    ("turn on the lamp", "hmm maybe", "both", "no, the other one"),
    ("unlock the front door", "yes", "lock it again"),
    ("把灯打开", "全部", "再暗一点", "撤销"),
    ("打开台灯", "第一个", "关掉它"),
    ("set the air conditioner to 24", "yes please", "is it on"),
    ("turn off everything", "yes", "undo that"),
    ("close the curtain in ten minutes", "what is planned", "cancel that"),
    ("turn on the kettle for ten minutes", "what is planned", "never mind"),
    ("when the front door opens turn on the hall light", "what is planned", "cancel all of them", "yes"),
    ("open the garage door", "yes", "stop"),
    ("how warm is it in the living room", "and in the bedroom", "why"),
    ("dim the lamp to 30 percent", "the one in the bedroom", "brighter", "always"),
)


HOME = home_of(None)
DEVICES = tuple(item.id for item in HOME.entities if item.kind == "device")
SPOKEN_OF = tuple(sorted({
    "bedroom_lamp", "bedroom_desk_lamp", "old_friend", "living_ac", "living_curtain", "front_door_lock",
    "front_door_contact", "garage_door", "kettle", "hall_light", "living_ceiling", "living_strip", "living_climate",
}))  # fmt: skip


def leave(pipeline: Pipeline, them: Collection[str]) -> None:
    pipeline.parts.registry.replace([item for item in pipeline.parts.registry if item.id not in them])


async def talk(dialogue: Sequence[str], them: Collection[str], at: int) -> list[Result]:
    """The results of a dialogue during which some devices leave before its so-maniest step: a turn, a read, an act."""
    steps = 0

    async with open_house(HOME, Time()) as house:
        pipeline = house.opened.pipeline

        def step() -> None:
            nonlocal steps
            steps += 1
            if steps == at:
                leave(pipeline, them)

        read, execute = Reader.read, Executor.execute

        async def reading(self: Reader, pairs: Sequence[tuple[str, str]], *, trace: Trace | None = None) -> Observed:
            found = await read(self, pairs, trace=trace)
            step()
            return found

        async def acting(self: Executor, writes: Sequence[Write], *, trace: Trace | None = None) -> tuple[Outcome, ...]:
            step()
            gone = {item.entity for item in writes} - {item.id for item in pipeline.parts.registry}
            done = await execute(self, writes, trace=trace)
            assert not [item for item in done if item.write.entity in gone and item.sent]
            step()
            return done

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Reader, "read", reading)
            patch.setattr(Executor, "execute", acting)
            results = []
            for text in dialogue:
                step()
                results.append(await pipeline.handle(Utterance(text)))
            house.time.wait(700)
            step()
            await house.opened.firing.tick()
        told = [*(item.reply for item in results), *(item.reply for item in house.told)]
        assert all(told)
        assert not [reply for reply in told if "{" in reply]
    return results


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(DIALOGUES),
    st.one_of(st.just(DEVICES), st.sets(st.sampled_from(SPOKEN_OF), min_size=1)),
    st.integers(1, 10),
)
def test_nothing_raises_whatever_leaves_at_whatever_moment(
    dialogue: Sequence[str], them: Collection[str], at: int
) -> None:
    run(lambda: talk(dialogue, them, at))


@pytest.mark.parametrize(
    ("dialogue", "them", "at", "reply"),
    [
        (
            ("turn on the desk lamp", "the one in the bedroom"),
            {"bedroom_desk_lamp"},
            2,
            "I can't find Desk lamp in the home now.",
        ),
        (("打开台灯", "第一个"), DEVICES, 2, "家里现在找不到"),
        (("unlock the front door", "yes"), {"front_door_lock"}, 2, "I can't find Front door in the home now."),
        (("打开前门锁", "好的"), {"front_door_lock"}, 2, "家里现在找不到大门。"),
        (("turn on the kettle",), {"kettle"}, 2, "I can't find Kettle in the home now."),
    ],
)
async def test_what_has_gone_is_said_to_be_gone(
    dialogue: Sequence[str], them: Collection[str], at: int, reply: str
) -> None:
    assert reply in (await talk(dialogue, them, at))[-1].reply
