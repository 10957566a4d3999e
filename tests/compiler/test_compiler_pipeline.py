"""The small model in the house: when it is asked, what becomes of its answer, and that nobody misses it."""

import asyncio
import contextlib
import logging
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from daemon.app import Opened, open_home
from daemon.compiler.adviser import Beside
from daemon.compiler.calibration import Calibration
from daemon.compiler.compiler import Compiler, Model
from daemon.compiler.draft import parse
from daemon.compiler.drafting import Conditions, Drafting, Tagging
from daemon.compiler.filling import Filling
from daemon.compiler.followups import Follower, FollowUps
from daemon.compiler.loading import compiler
from daemon.compiler.meanings import Meanings
from daemon.compiler.segmenter import Atom, Segmenter, Standing
from daemon.compiler.tagger import Guess
from daemon.converse.replies import Replies
from daemon.core.turn import Utterance
from daemon.core.values import replace
from daemon.dialogue.cutting import MOST_READ, effort
from daemon.home.config import HomeConfig
from daemon.home.loader import load_home
from daemon.pipeline import Pipeline
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.system.languages import LANGS
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize
from tests.brokers import SOON_S

ROOT = Path(__file__).resolve().parents[2]
CONDITIONS = Conditions.load(ROOT / "rules")
REPLIES = Replies.load(ROOT / "rules")
KEPT = load_home(ROOT / "tests" / "daemon" / "home.yaml")
# The counter light there is stuck, and nobody here is to wait for it.
HOME = replace(
    KEPT,
    simulation=replace(
        KEPT.simulation,
        devices={name: replace(item, behaviour="normal") for name, item in KEPT.simulation.devices.items()},
    ),
)
CURVES = dict.fromkeys(LANGS, Calibration((1.0,), 0.0, act=0.9, ask=0.4))
SURE, LIKELY, DOUBTFUL, HOPELESS = 5.0, 1.6, 0.2, -3.0


class Parrot:
    """Says what it was told to say."""

    def __init__(self, meanings: Meanings, drafts: Mapping[str, tuple[str, float]]) -> None:
        self._meanings = meanings
        self.drafts = dict(drafts)
        self.asked: list[str] = []

    def guess(self, text: str) -> Guess:
        self.asked.append(text)
        said, sign = self.drafts.get(text, ("<nothing>", SURE))
        draft = parse(said, self._meanings)
        return Guess(draft, said, (sign,))


@asynccontextmanager
async def house(grammar: Grammar, made: Compiler, home: HomeConfig = HOME) -> AsyncIterator[Pipeline]:
    async with opened_house(grammar, made, home) as opened:
        yield opened.pipeline


@contextlib.asynccontextmanager
async def opened_house(grammar: Grammar, made: Compiler, home: HomeConfig = HOME) -> AsyncIterator[Opened]:
    broker = MemoryBroker()
    async with (
        SimulatedHome(broker.connect(), home.entities, home.simulation),
        open_home(home, broker.connect(), grammar=grammar, replies=REPLIES, compiler=made) as opened,
    ):
        yield opened
    made.close()


def made_of(grammar: Grammar, meanings: Meanings, guesser: Tagging, limit_s: float = 30.0) -> Compiler:
    return Compiler(lambda: Model(guesser, CURVES), Drafting(Filling(meanings, grammar), CONDITIONS), limit_s=limit_s)


def parrot(meanings: Meanings, said: str, draft: str, sign: float) -> Parrot:
    return Parrot(meanings, {normalize(said).text: (draft, sign)})


LISTED = """version: 1
models:
  - {{name: tagger, kind: compiler, engine: onnxruntime, languages: [en, zh], licence: Apache-2.0, files: [{}]}}
"""
ACTED = "<turn_on><target> the counter light"


@pytest.mark.parametrize(
    ("said", "draft", "sign", "outcome", "source"),
    [
        ("wake the counter light for me will ya", ACTED, SURE, "execute", "model"),
        ("wake the counter light for me will ya", ACTED, DOUBTFUL, "clarify", "model"),
        # What is likely is enough for what is slight: one thing, here and now, and no more than switched or set.
        ("wake the counter light for me will ya", ACTED, LIKELY, "execute", "model"),
        ("let grandpa in through the front door", "<unlock><target> the front door", LIKELY, "clarify", "model"),
        ("i am reading this with my nose", "<need_light>", LIKELY, "clarify", "model"),
        ("wake the counter light for 20 minutes", ACTED, LIKELY, "clarify", "model"),
        # What is hopeless is asked about as long as it names one thing of the home, and no more is said of anything.
        ("wake the counter light for me will ya", ACTED, HOPELESS, "clarify", None),
        ("wake it up for me will ya", "<turn_on><target> it", HOPELESS, "ignore", None),
        ("see to the counter light would you please", "<unsure>", SURE, "clarify", None),
        ("操作台灯你给看着办一下吧", "<unsure>", SURE, "clarify", None),
        ("the counter light was a gift", "<nothing>", HOPELESS, "ignore", None),
        # What the grammar only guesses at is not for us where the model is sure of that; else the guess is followed.
        ("did you close the deal", "<nothing>", SURE, "ignore", None),
        ("did you close the deal", "<nothing>", HOPELESS, "reject", "grammar"),
        ("以前巴刹那边五点就开了", "<nothing>", SURE, "ignore", None),
        ("让操作台灯醒醒嘛", "<turn_on><target>操作台灯", SURE, "execute", "model"),
        ("让操作台灯醒醒嘛", "<turn_on><target>操作台灯", DOUBTFUL, "clarify", "model"),
        # A need is never acted on unasked, however sure the model is.
        ("i am reading this with my nose", "<need_light>", SURE, "clarify", "model"),
        # Not for us, or not to be told.
        ("grandma liked that song a lot", "<nothing>", SURE, "ignore", None),
        ("grandma liked that song a lot", "<unsure>", SURE, "ignore", None),
        # Nothing here is called so: the model may have made it up.
        ("wake the zeppelin for me will ya", "<turn_on><target> the zeppelin", SURE, "ignore", None),
        # What the home cannot do.
        ("wake the counter light to red", "<color_to><target> the counter light<color> red", SURE, "ignore", None),
        # What it depends on was not understood, or an amount was left out: never without a yes.
        ("wake the counter light once she is in", "<turn_on><target> the counter light", SURE, "clarify", "model"),
        ("wake the counter light for 20 minutes", "<turn_on><target> the counter light", SURE, "clarify", "model"),
        # Risk stays risk.
        ("let grandpa in through the front door", "<unlock><target> the front door", SURE, "clarify", "model"),
        # A question is no wish, whatever the model makes of it: no yes to it does anything.
        ("what does the counter light do all day", ACTED, SURE, "query", "model"),
        ("what does the counter light do all day", ACTED, DOUBTFUL, "query", "model"),
        ("操作台灯会做什么", "<turn_on><target>操作台灯", SURE, "query", "model"),
        ("could you wake the counter light", ACTED, SURE, "execute", "model"),
        # A question is answered, and nobody is asked whether he asked.
        ("counter light burning then", "<is_on><target> counter light", SURE, "query", "model"),
        ("counter light burning then", "<is_on><target> counter light", DOUBTFUL, "query", "model"),
        ("操作台灯它是不是还睡着呢", "<is_off><target>操作台灯", DOUBTFUL, "query", "model"),
        ("is it burning out back then", "<is_on><target> it", DOUBTFUL, "ignore", None),
        # Nothing is known of it, or it is hopeless: neither an answer nor a question.
        ("zeppelin burning then", "<is_on><target> zeppelin", DOUBTFUL, "ignore", None),
        ("my counter was burning then", "<is_on><target> counter", HOPELESS, "ignore", None),
    ],
)
async def test_what_becomes_of_a_draft(
    said: str, draft: str, sign: float, outcome: str, source: str | None, grammar: Grammar, meanings: Meanings
) -> None:
    async with house(grammar, made_of(grammar, meanings, parrot(meanings, said, draft, sign))) as pipeline:
        result = await pipeline.handle(Utterance(said, area="kitchen"))
    assert (result.outcome, result.source) == (outcome, source)
    assert (outcome == "execute") == bool(result.outcomes)
    assert [event for event in result.trace if event["stage"] == "model"], "the trace says that the model was asked"
    assert "model" in result.ms


@pytest.mark.parametrize(
    ("draft", "sign", "done", "told"),
    [
        ("<turn_off><target> the old friend", SURE, ["kitchen_counter", "old_friend"], False),
        ("<turn_off><target> the old friend", DOUBTFUL, ["kitchen_counter"], True),
        ("<nothing>", SURE, ["kitchen_counter"], False),
    ],
)
async def test_the_model_reads_what_nobody_else_understood_of_an_utterance(
    draft: str,
    sign: float,
    done: list[str],
    told: bool,  # noqa: FBT001
    grammar: Grammar,
    meanings: Meanings,
) -> None:
    strange = "twizzle the old friend to sleep"
    async with house(grammar, made_of(grammar, meanings, parrot(meanings, strange, draft, sign))) as pipeline:
        result = await pipeline.handle(Utterance(f"turn on the counter light and {strange}", area="kitchen"))
    assert [item.write.entity for item in result.outcomes] == done
    assert (strange in result.reply) is told


class Commas:
    """Cuts at commas."""

    def atoms(self, text: str) -> tuple[Atom, ...]:
        found = re.finditer("[^,]+", text)
        return tuple(Atom(item.start(), item.end(), talk=0.1, begins=0.9) for item in found)

    def standing(self, _text: str) -> Standing:
        return Standing()


@pytest.mark.parametrize(
    ("clauses", "together"),
    [
        (["wake the zeppelin"] * 20, 4),
        ([f"wake zeppelin {'abcdefghijklmnopqrstuvwx'[at]}" for at in range(24)], 2),
        ([f"wake the old grey zeppelin {'abcdefghij'[at]}" for at in range(10)], 3),
        ([f"wake zeppelin {'abcdefgh'[at]}" for at in range(8)], 4),
    ],
)
async def test_of_a_long_request_a_bounded_number_of_words_is_read_and_what_is_repeated_in_it_once(
    clauses: list[str], together: int, grammar: Grammar, meanings: Meanings
) -> None:
    asked = Parrot(meanings, {})
    cutter = Beside(lambda: cast("Segmenter", Commas()), "the segmenter", "it goes on", 30.0)
    drafting = Drafting(Filling(meanings, grammar), CONDITIONS)
    made = Compiler(lambda: Model(asked, CURVES), drafting, limit_s=30.0, cutter=cutter)
    async with house(grammar, made) as pipeline:
        await pipeline.handle(Utterance(", ".join(clauses)))
    assert set(clauses) <= set(asked.asked)
    assert effort(set(asked.asked)) <= MOST_READ + effort([", ".join(clauses)])
    # No less is read than that allows.
    found = [words.count(",") + 1 for words in asked.asked]
    assert max(count for count in found if count < len(clauses)) == together


async def test_a_yes_to_a_doubtful_draft_carries_it_out(grammar: Grammar, meanings: Meanings) -> None:
    said = "wake the counter light for me will ya"
    async with house(grammar, made_of(grammar, meanings, parrot(meanings, said, ACTED, DOUBTFUL))) as pipeline:
        assert "ounter light" in (await pipeline.handle(Utterance(said))).reply
        result = await pipeline.handle(Utterance("yes"))
    assert [item.write.entity for item in result.outcomes] == ["kitchen_counter"]


SCENES = """
scenes:
  story:
    name: {en: Stories, zh: 讲故事}
    steps: {old_friend: {state: on}, kitchen_counter: {state: off}}
"""


@pytest.fixture(scope="module")
def with_scenes(tmp_path_factory: pytest.TempPathFactory) -> HomeConfig:
    file = tmp_path_factory.mktemp("scenes") / "home.yaml"
    text = (ROOT / "tests" / "daemon" / "home.yaml").read_text(encoding="utf-8")
    file.write_text(text.replace("\npeople:", f"{SCENES}\npeople:"), encoding="utf-8")
    return load_home(file)


@pytest.mark.parametrize(
    ("said", "draft", "yes", "no"),
    [
        ("right then stories i should say", "<scene><name> stories", "yes please", "no"),
        ("那就讲故事走起咯", "<scene><name>讲故事", "好的", "不要"),
    ],
)
async def test_a_scene_by_the_model_is_asked_back_and_only_a_yes_does_it(
    said: str, draft: str, yes: str, no: str, grammar: Grammar, meanings: Meanings, with_scenes: HomeConfig
) -> None:
    for answer, touched in ((no, set[str]()), (yes, {"old_friend", "kitchen_counter"})):
        bird = parrot(meanings, said, draft, SURE)
        async with house(grammar, made_of(grammar, meanings, bird), with_scenes) as pipeline:
            asked = await pipeline.handle(Utterance(said))
            assert (asked.outcome, asked.source, asked.outcomes) == ("clarify", "model", ())
            result = await pipeline.handle(Utterance(answer))
            assert {item.write.entity for item in result.outcomes} == touched
            assert (await pipeline.handle(Utterance(yes))).outcomes == (), "nothing is asked any more"


@pytest.mark.parametrize(
    ("said", "draft"),
    [
        ("right then story time in the den i should say", "<scene><name> story time in the den"),
        ("那就睡前讲故事走起咯", "<scene><name>睡前讲故事"),
    ],
)
async def test_a_scene_by_a_long_name_of_its_own_needs_no_yes(
    said: str, draft: str, grammar: Grammar, meanings: Meanings, with_scenes: HomeConfig
) -> None:
    story = next(item for item in with_scenes.entities if item.id == "story")
    named = replace(story, names=("Story time in the den", "睡前讲故事"))
    home = replace(with_scenes, entities=tuple(named if item is story else item for item in with_scenes.entities))
    async with house(grammar, made_of(grammar, meanings, parrot(meanings, said, draft, SURE)), home) as pipeline:
        result = await pipeline.handle(Utterance(said))
    assert {item.write.entity for item in result.outcomes} == {"old_friend", "kitchen_counter"}


async def test_the_answer_to_what_to_do_with_the_thing_that_was_named_does_it(
    grammar: Grammar, meanings: Meanings
) -> None:
    said = "see to the counter light would you please"
    async with house(grammar, made_of(grammar, meanings, parrot(meanings, said, "<unsure>", SURE))) as pipeline:
        asked = await pipeline.handle(Utterance(said))
        assert "Counter light" in asked.reply
        assert asked.outcomes == ()
        result = await pipeline.handle(Utterance("turn it on"))
    assert [item.write.entity for item in result.outcomes] == ["kitchen_counter"]


FURTHER = [
    # Of the thing that was named, or of another, in one roundabout sentence more.
    ("see to it that it burns would you", "<turn_on><target> it", SURE, ("execute", ["kitchen_counter"])),
    ("see to it that it burns would you", "<turn_on><target> it", DOUBTFUL, ("clarify", ["kitchen_counter"])),
    ("让它醒醒嘛", "<turn_on><target>它", SURE, ("execute", ["kitchen_counter"])),
    ("wake that old friend for me will ya", "<turn_on><target> old friend", SURE, ("execute", ["old_friend"])),
    ("让老伙计醒醒嘛", "<turn_on><target>老伙计", DOUBTFUL, ("clarify", ["old_friend"])),
    # Of another thing, and nobody knows what.
    ("old friend wants seeing to", "<unsure>", SURE, ("clarify", [])),
    # Nothing for us, or nothing that is known: the same question, once more.
    ("grandma liked that song a lot", "<nothing>", SURE, ("clarify", [])),
    ("wake the zeppelin for me will ya", "<turn_on><target> the zeppelin", SURE, ("clarify", [])),
]


@pytest.mark.parametrize(("said", "draft", "sign", "then"), FURTHER)
async def test_while_it_is_asked_what_to_do_with_a_thing_the_model_hears_on(
    said: str, draft: str, sign: float, then: tuple[str, list[str]], grammar: Grammar, meanings: Meanings
) -> None:
    bird = parrot(meanings, said, draft, sign)
    bird.drafts[normalize(begun := "see to the counter light would you please").text] = ("<unsure>", SURE)
    async with house(grammar, made_of(grammar, meanings, bird)) as pipeline:
        assert "Counter light" in (await pipeline.handle(Utterance(begun))).reply
        result = await pipeline.handle(Utterance(said))
        assert result.outcome == then[0]
        if result.outcome == "clarify" and then[1]:
            assert not result.outcomes
            result = await pipeline.handle(Utterance("yes"))
        assert [item.write.entity for item in result.outcomes] == then[1]
        if not then[1]:
            assert ("Old friend" if "friend" in said else "counter light").casefold() in result.reply.casefold()
            assert (await pipeline.handle(Utterance("hm hm hm"))).outcome == (
                "clarify" if "friend" in said else "ignore"
            )


@pytest.mark.parametrize(
    ("draft", "sign", "outcome"),
    [
        ("<turn_on><target> old friend", SURE, "execute"),
        # What is not sure is no reason to drop a question.
        ("<turn_on><target> old friend", DOUBTFUL, "clarify"),
        ("<nothing>", SURE, "clarify"),
    ],
)
async def test_another_question_gives_way_to_what_the_model_is_sure_of(
    draft: str, sign: float, outcome: str, grammar: Grammar, meanings: Meanings
) -> None:
    said = "wake that old friend for me will ya"
    bird = parrot(meanings, said, draft, sign)
    async with house(grammar, made_of(grammar, meanings, bird)) as pipeline:
        asked = await pipeline.handle(Utterance("unlock the front door"))
        result = await pipeline.handle(Utterance(said))
        assert result.outcome == outcome
        assert outcome == "execute" or asked.reply in result.reply
        # A yes is one to the door only as long as that is asked.
        yes = await pipeline.handle(Utterance("yes"))
    assert [item.write.entity for item in yes.outcomes] == ([] if outcome == "execute" else ["front_door"])


async def test_an_answer_that_may_be_noise_is_not_given_to_the_model(grammar: Grammar, meanings: Meanings) -> None:
    bird = parrot(meanings, "wake that old friend for me will ya", "<turn_on><target> old friend", SURE)
    async with house(grammar, made_of(grammar, meanings, bird)) as pipeline:
        await pipeline.handle(Utterance("unlock the front door"))
        result = await pipeline.handle(Utterance("wake that old friend for me will ya", heard=0.3))
    assert (result.outcome, bird.asked) == ("clarify", [])


@pytest.mark.parametrize(
    "said",
    [
        "turn on the counter light",
        "打开操作台灯",
        "is the counter light on",
        "turn on the",
        "its too dark in here",
        "yes",
    ],
)
async def test_where_the_grammar_is_sure_or_asks_itself_the_model_is_not_asked(
    said: str, grammar: Grammar, meanings: Meanings
) -> None:
    bird = Parrot(meanings, {})
    async with house(grammar, made_of(grammar, meanings, bird)) as pipeline:
        await pipeline.handle(Utterance(said, area="kitchen"))
    assert bird.asked == []


async def missed_once(made: Compiler, grammar: Grammar, caplog: pytest.LogCaptureFixture) -> str:
    """Two utterances for the model and one for the grammar, in a house whose model fails: what was logged of it."""
    with caplog.at_level(logging.WARNING, logger="daemon.compiler"):
        async with house(grammar, made) as pipeline:
            for _ in range(2):
                assert (await pipeline.handle(Utterance("wake that thing up for me will ya"))).outcome == "ignore"
            assert (await pipeline.handle(Utterance("turn on the counter light"))).outcome == "execute"
    told = [record.getMessage() for record in caplog.records if record.name.startswith("daemon.compiler")]
    assert len(told) == 1, "said once"
    return told[0]


async def test_a_missing_model_is_said_once_and_not_missed(
    grammar: Grammar, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    (tmp_path / "manifest.yaml").write_text(LISTED.format("{path: tagger.onnx}"), encoding="utf-8")
    assert "git restore" in await missed_once(compiler(tmp_path, ROOT / "rules", grammar), grammar, caplog)


async def test_a_model_with_another_hash_is_not_loaded(
    grammar: Grammar, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    file = f"{{path: tagger.onnx, sha256: {'0' * 64}}}"
    (tmp_path / "manifest.yaml").write_text(LISTED.format(file), encoding="utf-8")
    (tmp_path / "tagger").mkdir()
    (tmp_path / "tagger" / "tagger.onnx").write_bytes(b"not what it says")
    assert "hash" in await missed_once(compiler(tmp_path, ROOT / "rules", grammar), grammar, caplog)


class Moody:
    """Fails at some utterances."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def guess(self, text: str) -> Guess:
        self.asked.append(text)
        if "lamp" in text:
            raise ZeroDivisionError("deep inside")
        if "oven" in text:
            raise KeyError("deeper")
        return Guess(None, "nothing")


async def test_a_model_that_keeps_failing_is_given_up_and_one_that_fails_now_and_then_is_not(
    grammar: Grammar, meanings: Meanings, caplog: pytest.LogCaptureFixture
) -> None:
    moody = Moody()
    made = made_of(grammar, meanings, moody)
    with caplog.at_level(logging.WARNING, logger="daemon.compiler"):
        for said in ("wake lamp", "lamp awake", "wake it", "wake lamp", "wake oven", "wake it"):
            assert await made.compile(normalize(said), NameTable(())) is None
            assert made.problem is None
        for said in ("wake oven", "wake lamp", "wake oven", "wake it", "wake it"):
            assert await made.compile(normalize(said), NameTable(())) is None
    made.close()
    assert moody.asked[6:] == ["wake oven", "wake lamp", "wake oven"]
    assert made.problem == "KeyError: 'deeper'"
    told = [record.getMessage() for record in caplog.records if record.name.startswith("daemon.compiler")]
    assert ["deep inside" in line for line in told] == [True, False, False]
    assert ["out of use" in line for line in told] == [False, False, True]


async def test_a_model_that_takes_too_long_is_not_waited_for(
    grammar: Grammar, meanings: Meanings, caplog: pytest.LogCaptureFixture
) -> None:
    released = threading.Event()

    class Slow:
        def guess(self, text: str) -> Guess:
            if text != "first":
                released.wait()
            return Guess(None, "nothing")

    made = made_of(grammar, meanings, Slow(), limit_s=0.02)
    assert await made.compile(normalize("first"), NameTable(())) is None
    assert made.problem is None
    try:
        assert "longer than" in await missed_once(made, grammar, caplog)
        assert made.problem is None
    finally:
        released.set()


async def test_a_draft_that_no_program_can_be_made_of_is_no_failure(grammar: Grammar, meanings: Meanings) -> None:
    bird = parrot(meanings, "make it so", "<brightness_to><n> so", SURE)
    made = made_of(grammar, meanings, bird)
    assert await made.compile(normalize("make it so"), NameTable(())) is None
    assert made.problem is None
    made.close()


@pytest.mark.parametrize("said", ["", "x" * 500])
async def test_what_is_no_command_by_its_length_is_not_compiled(
    said: str, grammar: Grammar, meanings: Meanings
) -> None:
    bird = Parrot(meanings, {})
    assert await made_of(grammar, meanings, bird).compile(normalize(said), NameTable(())) is None
    assert bird.asked == []


async def test_where_the_tagger_could_not_read_to_the_end_the_decoder_is_not_asked(
    grammar: Grammar, meanings: Meanings
) -> None:
    class Short:
        def guess(self, text: str) -> Guess:
            return Guess(parse(ACTED, meanings), "turn_on", (SURE,), whole=False)

    asked: list[None] = []
    second = partial(asked.append, None)
    made = Compiler(
        lambda: Model(Short(), CURVES),
        Drafting(Filling(meanings, grammar), CONDITIONS),
        limit_s=30.0,
        second=second,
    )
    assert await made.compile(normalize("turn on the counter light and so on no leave it"), NameTable(())) is None
    assert (made.problem, asked) == (None, [])
    made.close()


class Slow:
    """Says nothing until it is let go; of the first lamp, at once."""

    def __init__(self, meanings: Meanings) -> None:
        self._meanings = meanings
        self.begun, self.let_go = threading.Event(), threading.Event()
        self.asked: list[str] = []

    def guess(self, text: str, opinion: Mapping[str, float] | None = None) -> Guess:
        self.asked.append(text)
        self.begun.set()
        assert text == "first lamp" or self.let_go.wait(30)
        return Guess(parse("<turn_on><target> lamp", self._meanings), "turn_on", (SURE,))


async def test_two_who_speak_at_once_are_both_compiled_also_while_the_model_is_loaded(
    grammar: Grammar, meanings: Meanings
) -> None:
    slow, loading = Slow(meanings), threading.Event()

    def load() -> Model:
        loading.set()
        assert slow.let_go.wait(30)
        return Model(slow, CURVES)

    made = Compiler(load, Drafting(Filling(meanings, grammar), CONDITIONS), limit_s=30.0)
    both = asyncio.gather(*(made.compile(normalize(said), NameTable(())) for said in ("wake lamp", "lamp awake")))
    await asyncio.to_thread(loading.wait, 30)
    slow.let_go.set()
    assert [found and found.verdict for found in await both] == ["act", "act"]
    assert slow.asked == ["wake lamp", "lamp awake"]
    made.close()


async def test_who_cannot_wait_longer_for_another_is_not_compiled(grammar: Grammar, meanings: Meanings) -> None:
    slow = Slow(meanings)
    made = made_of(grammar, meanings, slow)
    assert await made.compile(normalize("first lamp"), NameTable(())) is not None
    slow.begun.clear()
    one = asyncio.ensure_future(made.compile(normalize("lamp one"), NameTable(())))
    await asyncio.to_thread(slow.begun.wait, 30)
    made._limit_s = 0.02
    assert await made.compile(normalize("lamp two"), NameTable(())) is None
    slow.let_go.set()
    assert await one is not None
    assert slow.asked == ["first lamp", "lamp one"]
    made.close()


async def test_what_is_late_is_waited_for_by_nobody_else(grammar: Grammar, meanings: Meanings) -> None:
    slow = Slow(meanings)
    made = made_of(grammar, meanings, slow)
    assert await made.compile(normalize("first lamp"), NameTable(())) is not None
    made._limit_s = 0.02
    while made._overdue is None:  # where the machine is slow, it is not even begun in time
        assert await made.compile(normalize("lamp one"), NameTable(())) is None
    made._limit_s = 600.0
    assert await made.compile(normalize("lamp two"), NameTable(())) is None
    slow.let_go.set()
    await asyncio.to_thread(made._overdue.result, 30)
    assert await made.compile(normalize("lamp three"), NameTable(())) is not None
    assert slow.asked == ["first lamp", "lamp one", "lamp three"]
    made.close()


async def test_a_model_that_fails_after_its_time_is_loaded_no_second_time(
    grammar: Grammar, meanings: Meanings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.compiler.compiler._FIRST_LIMIT_S", 0.0)
    let_go, loads = threading.Event(), [0]

    def load() -> Model:
        loads[0] += 1
        assert let_go.wait(30)
        raise OSError("the card is gone")

    made = Compiler(load, Drafting(Filling(meanings, grammar), CONDITIONS), limit_s=0.02)
    assert await made.compile(normalize("wake lamp"), NameTable(())) is None
    let_go.set()
    assert made._overdue is not None
    await asyncio.to_thread(made._overdue.exception, 30)
    assert await made.compile(normalize("wake lamp"), NameTable(())) is None
    assert "the card is gone" in (made.problem or "")
    assert loads == [1]


def test_a_model_that_hangs_keeps_no_process_from_ending() -> None:
    code = """
import asyncio, threading
from pathlib import Path
from daemon.compiler.compiler import Compiler
from daemon.compiler.drafting import Conditions
from daemon.compiler.drafting import Drafting
from daemon.compiler.filling import Filling
from daemon.compiler.meanings import Meanings
from daemon.compiler.segmenter import Atom, Segmenter
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize

async def main():
    begun = threading.Event()
    rules = Path("rules")
    drafting = Drafting(Filling(Meanings.load(rules), Grammar.load(rules)), Conditions.load(rules))
    made = Compiler(lambda: begun.set() or threading.Event().wait(), drafting)
    asked = asyncio.ensure_future(made.compile(normalize("wake the lamp"), NameTable(())))
    await asyncio.to_thread(begun.wait)
    asked.cancel()
    made.close()

asyncio.run(main())
print("ended")
"""
    # A process that doesn't end is ended by the limit, and that fails.
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60)
    assert out.stdout.strip() == "ended"


async def test_those_who_waited_while_the_model_was_given_up_bring_it_not_back(
    grammar: Grammar, meanings: Meanings
) -> None:
    class Broken:
        asked = 0

        def guess(self, text: str) -> Guess:
            self.asked += 1
            raise ValueError(text)

    broken = Broken()
    made = made_of(grammar, meanings, broken)
    said = [normalize(f"wake lamp {name}") for name in ("a", "b", "c", "d", "e")]
    assert await asyncio.gather(*(made.compile(item, NameTable(())) for item in said)) == [None] * len(said)
    assert made.problem is not None
    assert broken.asked == 3
    assert await made.compile(said[0], NameTable(())) is None
    assert broken.asked == 3


async def test_a_prepared_model_is_loaded_before_it_is_needed(grammar: Grammar, meanings: Meanings) -> None:
    loaded = threading.Event()

    def load() -> Model:
        loaded.set()
        return Model(parrot(meanings, "wake the lamp", "<turn_on><target> the lamp", SURE), CURVES)

    made = Compiler(load, Drafting(Filling(meanings, grammar), CONDITIONS))
    made.prepare()
    assert await asyncio.to_thread(loaded.wait, 20)
    found = await made.compile(normalize("wake the lamp"), NameTable(()))
    assert found is not None
    assert found.verdict == "act"
    made.close()


async def test_a_prepared_pipeline_loads_its_model_before_anybody_speaks(grammar: Grammar, meanings: Meanings) -> None:
    loaded, bird = threading.Event(), Parrot(meanings, {})

    def load() -> Model:
        loaded.set()
        return Model(bird, CURVES)

    made = Compiler(load, Drafting(Filling(meanings, grammar), CONDITIONS))
    async with opened_house(grammar, made) as opened:
        assert not loaded.is_set()
        await asyncio.to_thread(opened.prepare)
        assert await asyncio.to_thread(loaded.wait, 30)
    assert bird.asked == [], "nothing was said to it"


async def test_a_load_that_hangs_is_waited_for_once(
    grammar: Grammar, meanings: Meanings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.compiler.compiler._FIRST_LIMIT_S", 0.0)
    let_go = threading.Event()

    def load() -> Model:
        assert let_go.wait(60)
        return Model(parrot(meanings, "wake the lamp", "<turn_on><target> the lamp", SURE), CURVES)

    made = Compiler(load, Drafting(Filling(meanings, grammar), CONDITIONS), limit_s=0.02)
    made.prepare()
    said = normalize("wake the lamp")
    assert await made.compile(said, NameTable(())) is None
    made._limit_s = 600.0
    async with asyncio.timeout(SOON_S):
        assert await made.compile(said, NameTable(())) is None
    let_go.set()
    assert made._loading is not None
    await asyncio.to_thread(made._loading.result, 30)
    assert await made.compile(said, NameTable(())) is not None
    made.close()


FOLLOWUPS = FollowUps.load(ROOT / "rules")


@pytest.mark.parametrize(
    "case",
    [
        ("turn on the counter light", "zork that", "did light", "<power_off>", SURE, "execute", "Counter light"),
        ("turn on the counter light", "zork that", "did light", "<power_off>", DOUBTFUL, "clarify", "Shall I turn off"),
        ("turn on the counter light", "zork that", "did light", "<power_off>", HOPELESS, "ignore", "understand"),
        # What cannot follow is nothing, however sure it is.
        ("turn on the counter light", "zork that", "did light", "<every_one>", SURE, "ignore", "understand"),
        ("turn on the oven", "zork the counter light", "did device", "<instead><target> the counter light", SURE,
         "execute", "Counter light"),
        ("is the counter light on", "zork that", "told light", "<power_on>", SURE, "execute", "Counter light"),
        ("set a pasta timer for ten minutes", "zork rice five", "timer device",
         "<another_named><duration> five<word> rice", SURE, "assistant", "The rice timer: 5 minutes"),
        ("put milk on the shopping list", "zork eggs", "list device", "<rather><title> eggs", DOUBTFUL, "assistant",
         "eggs on the shopping list"),
        ("turn off the counter light at nine pm", "zork weekdays", "planned light", "<every><time> weekdays", SURE,
         "schedule", "weekday"),
        # A question: a doubtful answer is none, and a yes to what is at stake is none at all.
        ("it's too dark", "zork", "whether light", "<agreed>", SURE, "execute", ""),
        ("it's too dark", "zork", "whether light", "<agreed>", DOUBTFUL, "clarify", "Shall I"),
        ("it's too dark", "zork not the counter light", "whether light", "<rather_other><target> the counter light",
         SURE, "clarify", "understand"),
        ("unlock the front door", "zork", "whether lock", "<agreed>", SURE, "clarify", "Shall I really"),
        ("unlock the front door", "zork", "whether lock", "<refused>", SURE, "ignore", ""),
    ],
)  # fmt: skip
async def test_what_goes_on_from_what_was_before_is_done_in_plain_words(
    grammar: Grammar, meanings: Meanings, case: tuple[str, str, str, str, float, str, str]
) -> None:
    before, said, heard, drafted, sign, outcome, reply = case
    bird = Parrot(FOLLOWUPS.meanings, {f"{heard} : {said}": (drafted, sign)})
    follower = Beside(lambda: Follower(bird, CURVES, FOLLOWUPS), "the model of follow-ups", "it goes on", 30.0)
    silent = Parrot(meanings, {})
    drafting = Drafting(Filling(meanings, grammar), CONDITIONS)
    made = Compiler(lambda: Model(silent, CURVES), drafting, limit_s=30.0, follower=follower)
    async with house(grammar, made) as pipeline:
        await pipeline.handle(Utterance(before, area="kitchen"))
        result = await pipeline.handle(Utterance(said, area="kitchen"))
    assert bird.asked[-1] == f"{heard} : {said}"
    assert result.outcome == outcome, result.reply
    assert reply in result.reply


async def test_what_the_grammar_reads_as_a_command_is_no_follow_up(grammar: Grammar, meanings: Meanings) -> None:
    bird = Parrot(FOLLOWUPS.meanings, {})
    follower = Beside(lambda: Follower(bird, CURVES, FOLLOWUPS), "the model of follow-ups", "it goes on", 30.0)
    drafting = Drafting(Filling(meanings, grammar), CONDITIONS)
    made = Compiler(lambda: Model(Parrot(meanings, {}), CURVES), drafting, limit_s=30.0, follower=follower)
    async with house(grammar, made) as pipeline:
        for said in ("turn on the counter light", "turn off the counter light", "undo that", "yes"):
            await pipeline.handle(Utterance(said, area="kitchen"))
    assert bird.asked == []
