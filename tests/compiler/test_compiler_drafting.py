"""Two models: when the second is told what was wrong, whom to believe, and what remains where one of them fails."""

import json
import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest

from daemon.compiler.adviser import Adviser, Second
from daemon.compiler.calibration import Calibration
from daemon.compiler.compiler import Compiler, Model
from daemon.compiler.draft import parse
from daemon.compiler.drafting import Conditions, Drafted, Drafting, signs_of, surely_silent, weighed
from daemon.compiler.filling import Filling
from daemon.compiler.gbnf import Refused
from daemon.compiler.loading import Wanted, _curves, compiler
from daemon.compiler.meanings import Meanings
from daemon.compiler.tagger import NO_SIGNS, Guess
from daemon.core.errors import ModelCorrupt, ModelLate
from daemon.system.languages import LANGS
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized, normalize
from tests.compiler.ggufs import random_decoder

ROOT = Path(__file__).resolve().parents[2]
NOBODY = NameTable(())
CONDITIONS = Conditions({})
"""Half of a sentence is drafted here as if the rest had not been said."""
SAID = normalize("wake the lamp in five minutes")
ON, OFF = "<turn_on><target> the lamp", "<turn_off><target> the lamp"
SURE, DOUBTFUL = 5.0, 0.2
ALONE = Calibration((1.0,), 0.0, act=0.9, ask=0.4)
BOTH = Calibration((1.0, 1.0, 4.0), -5.5, act=0.9, ask=0.4)
EACH_ALONE, EACH_BOTH = (dict.fromkeys(LANGS, curve) for curve in (ALONE, BOTH))
"""Signs: the tagger's, the decoder's, whether they agree."""
NOBODYS = Drafted(Guess(None, ""))


def guess(meanings: Meanings, text: str | None, sign: float = SURE) -> Guess:
    if text is None:
        return Guess(None, "", (sign,))
    draft = parse(text, meanings)
    return Guess(draft, draft.verdict or draft.parts[0].meaning, (sign,))


class Scribe:
    """Writes what it was told to write, one thing after the other."""

    def __init__(self, guesses: Sequence[Guess | Exception]) -> None:
        self._guesses = list(guesses)
        self.told: list[AbstractSet[Refused]] = []
        self.left_s: list[float] = []

    def guess(self, said: Normalized, names: NameTable, refused: AbstractSet[Refused], deadline: float) -> Guess:
        self.told.append(refused)
        self.left_s.append(deadline - time.monotonic())
        found = self._guesses.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


class Tags:
    """The tagger's part."""

    def __init__(self, found: Guess) -> None:
        self._found = found

    def guess(self, text: str) -> Guess:
        return self._found


@pytest.mark.parametrize(
    ("wrong", "refused"),
    [
        ("<turn_on><target> the lamp<delayed><duration> the lamp", Refused("duration", "the lamp")),
        ("<turn_on><timed><time> minutes", Refused("time", "minutes")),
        ("<brightness_to><n> wake", Refused("n", "wake")),
        ("<brightness_to>", Refused("brightness_to", None)),
    ],
)
def test_the_second_try_is_told_what_was_wrong_with_the_first(
    wrong: str, refused: Refused, meanings: Meanings, filling: Filling
) -> None:
    scribe = Scribe([guess(meanings, wrong), guess(meanings, ON)])
    drafted = Drafting(filling, CONDITIONS).written(scribe, SAID, NOBODY, math.inf)
    assert drafted.program is not None
    assert drafted.program.clauses[0].action == "turn_on"
    assert scribe.told[0] == frozenset()
    (told,) = scribe.told[1]
    assert (told.name, told.words) == (refused.name, refused.words)
    assert told.name in told.why


def test_there_is_no_third_try(meanings: Meanings, filling: Filling) -> None:
    scribe = Scribe([guess(meanings, "<brightness_to><n> wake"), guess(meanings, "<volume_to><n> lamp")])
    drafted = Drafting(filling, CONDITIONS).written(scribe, SAID, NOBODY, math.inf)
    assert drafted.draft is None
    assert len(scribe.told) == 2


@pytest.mark.parametrize("text", ["<nothing>", "<unsure>", None, ON])
def test_a_verdict_nothing_and_a_program_need_no_second_try(
    text: str | None, meanings: Meanings, filling: Filling
) -> None:
    scribe = Scribe([guess(meanings, text)])
    Drafting(filling, CONDITIONS).written(scribe, SAID, NOBODY, math.inf)
    assert len(scribe.told) == 1


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (ON, ON, True),
        (ON, "<turn_on><target> lamp", True),  # the article changes nothing
        (ON, OFF, False),
        (ON, "<turn_on><target> the lamp<delayed><duration> five minutes", False),
        (ON, "<nothing>", False),
        ("<nothing>", "<unsure>", True),
        (None, ON, False),
        (None, None, False),
        ("<brightness_to><n> wake", "<brightness_to><n> wake", False),
    ],
)
def test_two_drafts_are_the_same_if_they_do_the_same(
    first: str | None,
    second: str | None,
    meanings: Meanings,
    filling: Filling,
    *,
    same: bool,
) -> None:
    drafting = Drafting(filling, CONDITIONS)
    one = drafting.tagged(Tags(guess(meanings, first)), SAID, NOBODY)
    other = drafting.tagged(Tags(guess(meanings, second)), SAID, NOBODY)
    assert one.same(other) is same
    assert other.same(one) is same


@pytest.fixture
def drafted(meanings: Meanings, filling: Filling) -> Callable[[str | None, float], Drafted]:
    drafting = Drafting(filling, CONDITIONS)
    return lambda text, sign: drafting.tagged(Tags(guess(meanings, text, sign)), SAID, NOBODY)


Make = Callable[[str | None, float], Drafted]


def test_alone_the_first_is_as_sure_as_its_own_curve_says(drafted: Make) -> None:
    found = weighed(drafted(ON, DOUBTFUL), ALONE)
    assert found.chance == ALONE.chance((DOUBTFUL,))
    assert (found.act, found.ask) == (0.9, 0.4)


@pytest.mark.parametrize(
    ("second", "verdict"),
    [(ON, "act"), (OFF, "ask"), ("<nothing>", "nothing"), ("<unsure>", "nothing"), (None, "ask")],
)
def test_a_second_without_a_curve_can_only_object(second: str | None, verdict: str, drafted: Make) -> None:
    found = weighed(drafted(ON, SURE), ALONE, drafted(second, SURE))
    reached = "act" if found.chance >= found.act else "ask" if found.chance >= found.ask else "nothing"
    assert reached == verdict
    assert found.drafted == drafted(ON, SURE)


@pytest.mark.parametrize("prefers", ["tagger", "decoder"])
def test_where_they_differ_the_one_that_is_right_more_often_counts(prefers: str, drafted: Make) -> None:
    both = Calibration(BOTH.weights, BOTH.bias, BOTH.act, BOTH.ask, prefers=prefers)  # type: ignore[arg-type]
    found = weighed(drafted(ON, 1.0), ALONE, drafted(OFF, 2.0), both)
    assert found.drafted.guess.meaning == {"tagger": "turn_on", "decoder": "turn_off"}[prefers]
    assert found.chance == both.chance((1.0, 2.0, 0.0))
    # What says nothing that makes sense is not preferred to what does.
    assert weighed(drafted(None, 0.0), ALONE, drafted(OFF, 2.0), both).drafted.guess.meaning == "turn_off"
    assert weighed(drafted(ON, 1.0), ALONE, drafted(None, 2.0), both).drafted.guess.meaning == "turn_on"


def test_agreement_is_a_sign_and_a_guess_that_is_none_has_signs_beside_another(drafted: Make) -> None:
    assert weighed(drafted(ON, 1.0), ALONE, drafted(ON, 2.0), BOTH).chance == BOTH.chance((1.0, 2.0, 1.0))
    assert signs_of(NOBODYS, drafted(ON, 2.0), same=False) == (*NO_SIGNS, 2.0, 0.0)


def made_of(filling: Filling, first: Guess, second: Callable[[], Second | None], limit_s: float = 30.0) -> Compiler:
    return Compiler(
        lambda: Model(Tags(first), EACH_ALONE),
        Drafting(filling, CONDITIONS),
        limit_s=limit_s,
        second=second,
    )


async def test_both_together_decide_and_the_trace_says_what_each_heard(meanings: Meanings, filling: Filling) -> None:
    scribe = Scribe([guess(meanings, ON), guess(meanings, OFF)])
    made = made_of(filling, guess(meanings, ON, DOUBTFUL), lambda: Second(scribe, EACH_BOTH))
    agreed = await made.compile(SAID, NOBODY)
    differed = await made.compile(SAID, NOBODY)
    made.close()
    assert agreed is not None
    assert differed is not None
    assert (agreed.verdict, agreed.facts()["heard"]) == ("act", ["turn_on", "turn_on"])
    assert (differed.verdict, differed.facts()["heard"]) == ("ask", ["turn_on", "turn_off"])
    assert all(0.0 < left <= 30.0 for left in scribe.left_s)


async def told_of(made: Compiler, caplog: pytest.LogCaptureFixture) -> list[str]:
    """Two utterances whose second opinion fails: the first model is heard alone. What was logged of it."""
    with caplog.at_level(logging.WARNING, logger="daemon.compiler"):
        for _ in range(2):
            found = await made.compile(normalize("wake the lamp"), NOBODY)
            assert found is not None
            assert (found.verdict, found.heard) == ("act", ("turn_on",))
    made.close()
    assert made.problem is None
    return [record.getMessage() for record in caplog.records if record.name.startswith("daemon.compiler")]


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("deep inside"), ImportError("no llama_cpp"), OSError("no file"), MemoryError()]
)
async def test_a_decoder_that_fails_is_said_once_and_the_tagger_goes_on(
    error: Exception, meanings: Meanings, filling: Filling, caplog: pytest.LogCaptureFixture
) -> None:
    scribe = Scribe([error] * 5)
    made = made_of(filling, guess(meanings, ON), lambda: Second(scribe, EACH_BOTH))
    (told,) = await told_of(made, caplog)
    assert type(error).__name__ in told
    before = made.missing
    caplog.clear()
    (told,) = await told_of(made, caplog)
    assert "out of use" in told
    assert before is None
    assert type(error).__name__ in str(made.missing)
    assert len(scribe.told) == 3


async def test_a_decoder_that_cannot_be_loaded_is_not_loaded_twice(
    meanings: Meanings, filling: Filling, caplog: pytest.LogCaptureFixture
) -> None:
    loads: list[None] = []

    def load() -> Second:
        loads.append(None)
        raise OSError("no file")

    made = made_of(filling, guess(meanings, ON), load)
    (told,) = await told_of(made, caplog)
    assert "no file" in told
    assert (made.missing, len(loads)) == ("OSError: no file", 1)


async def test_a_decoder_that_is_late_is_asked_again(
    meanings: Meanings, filling: Filling, caplog: pytest.LogCaptureFixture
) -> None:
    scribe = Scribe([ModelLate("late"), ModelLate("late")])
    (told,) = await told_of(made_of(filling, guess(meanings, ON), lambda: Second(scribe, EACH_BOTH)), caplog)
    assert "longer than" in told
    assert len(scribe.told) == 2


def test_a_decoder_that_takes_long_to_load_is_not_waited_for_twice(meanings: Meanings, filling: Filling) -> None:
    loaded = threading.Event()
    scribe = Scribe([guess(meanings, ON)])

    def load() -> Second:
        loaded.wait()
        return Second(scribe, EACH_BOTH)

    adviser = Adviser(load, Drafting(filling, CONDITIONS), 0.01)
    assert adviser.advice(SAID, NOBODY) is None
    assert adviser.advice(SAID, NOBODY) is None
    loaded.set()
    assert adviser._loading is not None
    adviser._loading.result(10)
    found = adviser.advice(SAID, NOBODY)
    assert found is not None
    assert found.drafted.guess.meaning == "turn_on"


async def test_no_decoder_is_nothing_to_speak_of(
    meanings: Meanings, filling: Filling, caplog: pytest.LogCaptureFixture
) -> None:
    assert await told_of(made_of(filling, guess(meanings, ON), lambda: None), caplog) == []


LISTED = """version: 1
models:
  - {{name: tagger, kind: compiler, engine: onnxruntime, languages: [en], licence: x, files: [{{path: tagger.onnx}}]}}
  - {{name: {name}, kind: {kind}, engine: {engine}, languages: [en], licence: x, files: [{{path: a.gguf{more}}}]}}
"""


def loaded_with(tmp_path: Path, grammar: Grammar, meanings: Meanings, wanted: str | None, **listed: str) -> Compiler:
    """A compiler as installed, with the tagger's part played."""
    listed = {"name": "decoder", "kind": "compiler", "engine": "llama-cpp", "more": ""} | listed
    (tmp_path / "manifest.yaml").write_text(LISTED.format(**listed), encoding="utf-8")
    made = compiler(tmp_path, ROOT / "rules", grammar, wanted=Wanted(wanted, limit_s=30.0))
    made._load = lambda: Model(Tags(guess(meanings, ON)), EACH_ALONE)
    return made


async def test_without_llama_cpp_the_tagger_goes_on_alone(
    tmp_path: Path,
    grammar: Grammar,
    meanings: Meanings,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "llama_cpp", None)
    (tmp_path / "decoder").mkdir()
    (tmp_path / "decoder" / "a.gguf").write_bytes(b"never read")
    (told,) = await told_of(loaded_with(tmp_path, grammar, meanings, None), caplog)
    assert "make llama" in told


async def test_a_missing_decoder_is_told_with_what_gets_it(
    tmp_path: Path, grammar: Grammar, meanings: Meanings, caplog: pytest.LogCaptureFixture
) -> None:
    (told,) = await told_of(loaded_with(tmp_path, grammar, meanings, "decoder"), caplog)
    assert "git restore models/decoder" in told


async def test_a_decoder_with_another_hash_is_not_loaded(
    tmp_path: Path, grammar: Grammar, meanings: Meanings, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "decoder").mkdir()
    (tmp_path / "decoder" / "a.gguf").write_bytes(b"not what it says")
    made = loaded_with(tmp_path, grammar, meanings, None, more=f", sha256: {'a0' * 32}")
    (told,) = await told_of(made, caplog)
    assert "hash" in told


@pytest.mark.parametrize("wanted", ["nobody", "decoder"])
async def test_a_name_that_is_no_such_model_is_told(
    wanted: str, tmp_path: Path, grammar: Grammar, meanings: Meanings, caplog: pytest.LogCaptureFixture
) -> None:
    (told,) = await told_of(loaded_with(tmp_path, grammar, meanings, wanted, kind="voice", engine="piper"), caplog)
    assert wanted in told


@pytest.mark.parametrize(("wanted", "name"), [("tagger", "decoder"), (None, "another")])
async def test_the_tagger_alone_is_a_choice_and_what_is_not_listed_is_not_missed(
    wanted: str | None,
    name: str,
    tmp_path: Path,
    grammar: Grammar,
    meanings: Meanings,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert await told_of(loaded_with(tmp_path, grammar, meanings, wanted, name=name), caplog) == []


@pytest.mark.llm
async def test_a_decoder_that_is_there_is_heard(tmp_path: Path, grammar: Grammar, meanings: Meanings) -> None:
    (tmp_path / "decoder").mkdir()
    random_decoder(tmp_path / "decoder" / "a.gguf", meanings)
    made = loaded_with(tmp_path, grammar, meanings, None)
    found = await made.compile(SAID, NOBODY)
    made.close()
    assert found is not None
    assert len(found.heard) == 2


@pytest.mark.parametrize(
    ("first", "second", "surely"),
    [
        ("<nothing>", None, True),
        ("<nothing>", "<nothing>", True),
        ("<nothing>", ON, False),
        ("<nothing>", "<brightness_to><n> wake", False),  # it heard a command, whatever became of it
        (ON, "<nothing>", False),
    ],
)
def test_it_is_surely_nothing_where_nobody_hears_a_command(
    first: str, second: str | None, surely: object, meanings: Meanings, filling: Filling
) -> None:
    drafting = Drafting(filling, CONDITIONS)
    tagged = drafting.tagged(Tags(guess(meanings, first, math.log(0.95))), SAID, NOBODY)
    written = None if second is None else drafting.tagged(Tags(guess(meanings, second)), SAID, NOBODY)
    assert surely_silent(tagged, written) == (pytest.approx(0.95) if surely else 0.0)


def test_a_curve_for_other_signs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "calibration.json").write_text(
        json.dumps({lang: {"weights": [1, 2], "bias": 0, "act": 0.9, "ask": 0.5} for lang in LANGS})
    )
    assert [curve.weights for curve in _curves(tmp_path, 2).values()] == [(1.0, 2.0)] * len(LANGS)
    with pytest.raises(ModelCorrupt, match="2 weights for 5 signs"):
        _curves(tmp_path, 5)
