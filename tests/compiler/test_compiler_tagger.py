"""The tagger, on a model that is too small to be right: whatever it says is well formed."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.compiler.calibration import curves
from daemon.compiler.draft import NONE, Draft, Labels, Part, Said, Tagged, drafted, led, parse, pieces
from daemon.compiler.filling import Filling
from daemon.compiler.meanings import Meanings
from daemon.compiler.tagger import LONGEST, NO_SIGNS, Guess, Tagger
from daemon.core.errors import IRError, ModelCorrupt
from daemon.core.ir import Lang
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize
from models.train.score import Scored, fitted, report
from models.train.writing import tagged, write
from tests.rules import GRAMMAR

TINY = Path(__file__).parent / "tiny"
"""A network of 32 numbers and one layer, begun with nothing, trained for seconds."""
SWAPPED = ("turn_on", "turn_off")
RULES = Path(__file__).resolve().parents[2] / "rules"
WORDS = st.sampled_from(
    ["turn", "the", "lamp", "on", "30", "percent", "kitchen", "打开", "厨房", "灯", "<target>", "é", "🜚", ","]
)


@pytest.fixture(scope="module")
def tiny(meanings: Meanings) -> Tagger:
    return Tagger(TINY, meanings)


MEANINGS = Meanings.load(RULES)
TAGGER = Tagger(TINY, MEANINGS, GRAMMAR.lexicon)


@given(st.lists(WORDS, min_size=1, max_size=12).map(" ".join))
def test_whatever_is_said_a_draft_has_only_words_of_it_and_makes_an_ir_or_none(text: str) -> None:
    said = normalize(text)
    if not said.text:
        return
    guess = TAGGER.guess(said.text)
    if guess.draft is None:
        assert guess.signs == ()
        return
    assert len(guess.signs) == len(NO_SIGNS)
    assert all(np.isfinite(guess.signs))
    assert parse(write(guess.draft, said.text), MEANINGS) == guess.draft
    words = [item.words for part in guess.draft.parts for piece in (part, *part.frames) for item in piece.said]
    assert all(item in said.text for item in words)
    try:
        Filling(MEANINGS, GRAMMAR).program(guess.draft, said, NameTable(()))
    except IRError:
        return  # a number that is none, a time that is no time


def test_what_is_longer_than_the_tagger_reads_is_no_draft(tiny: Tagger) -> None:
    guesses = [tiny.guess("把灯打开" + "啊" * more) for more in range(LONGEST + 8)]
    longest = sum(guess.whole for guess in guesses)
    assert 0 < longest < len(guesses)
    assert all(guess.whole and guess.signs for guess in guesses[:longest] if guess.draft is not None)
    assert all(guess == Guess(None, "", whole=False) for guess in guesses[longest:])


def test_a_model_for_other_meanings_is_refused(tmp_path: Path) -> None:
    (tmp_path / "meanings.yaml").write_text(
        "act:\n  turn_on: {about: x, clause: {intent: act, action: turn_on, targets: [$target]}}\n", encoding="utf-8"
    )
    with pytest.raises(ModelCorrupt, match="other meanings"):
        Tagger(TINY, Meanings.load(tmp_path))


def test_a_model_for_the_same_meanings_in_another_order_is_refused(tmp_path: Path) -> None:
    text = (RULES / "meanings.yaml").read_text(encoding="utf-8")
    lines = text.splitlines()
    first, second = (next(at for at, line in enumerate(lines) if line.startswith(f"  {name}:")) for name in SWAPPED)
    lines[first], lines[second] = lines[second], lines[first]
    (tmp_path / "meanings.yaml").write_text("\n".join(lines), encoding="utf-8")
    other = Meanings.load(tmp_path)
    assert Labels.of(other) != Labels.of(MEANINGS)
    with pytest.raises(ModelCorrupt, match="other meanings"):
        Tagger(TINY, other)


@pytest.mark.parametrize("broken", ["tagger.onnx", "tokenizer.json"])
def test_a_broken_file_is_told(broken: str, tmp_path: Path, meanings: Meanings) -> None:
    shutil.copytree(TINY, tmp_path / "model")
    (tmp_path / "model" / broken).write_bytes(b"\x00rubbish")
    with pytest.raises(ModelCorrupt, match="no tagger of ours"):
        Tagger(tmp_path / "model", meanings)


CASES = [
    ("pop the desk lamp on", Draft((Part("turn_on", (Said("target", "the desk lamp"),)),))),
    ("wake the goggle box up", Draft((Part("turn_on", (Said("target", "the goggle box", "tv"),)),))),
    (
        "把老伙计叫醒十分钟",
        Draft((Part("turn_on", (Said("target", "老伙计"),), (Part("for_a_while", (Said("duration", "十分钟"),)),)),)),
    ),
    ("lamp 30 to 30", Draft((Part("brightness_to", (Said("target", "lamp 30"), Said("n", "30"))),))),
    (
        "kill the fan plus wake bob",
        Draft((Part("turn_off", (Said("target", "the fan"),)), Part("turn_on", (Said("target", "bob"),)))),
    ),
    ("nice weather", Draft(verdict="nothing")),
]


@pytest.mark.parametrize(("text", "draft"), CASES)
def test_labels_say_a_draft_and_are_read_back_to_it(text: str, draft: Draft, meanings: Meanings) -> None:
    places = pieces(text)
    labels = tagged(draft, text, places)
    assert labels is not None
    assert drafted(labels, text, places, meanings) == draft
    every = Labels.of(meanings)
    assert labels.meaning in every.meaning
    assert labels.frame in every.frame
    assert set(labels.tags) <= set(every.tag)


@pytest.mark.parametrize(
    "draft",
    [
        Draft((Part("turn_on", (Said("target", "nobody"),)),)),
        Draft((Part("turn_on"), Part("turn_off"), Part("play"))),
        Draft((Part("turn_on"), Part("turn_off", (), (Part("delayed", (Said("duration", "the lamp"),)),)))),
        Draft((Part("turn_on", (Said("target", "lam"),)),)),
    ],
)
def test_what_labels_cannot_say_they_do_not_say(draft: Draft) -> None:
    assert tagged(draft, "pop the lamp on", pieces("pop the lamp on")) is None


@pytest.mark.parametrize(
    ("meaning", "frame", "second", "tags"),
    [
        ("turn_on", NONE, NONE, [NONE, "B n"]),
        ("brightness_to", NONE, NONE, [NONE, "B target"]),
        ("speed_to", NONE, NONE, [NONE, "B target"]),
        ("turn_on", "delayed", NONE, [NONE, "B target"]),
        ("turn_on", NONE, NONE, [NONE, "B f:duration"]),
        ("turn_on", NONE, NONE, [NONE, "B 2:target"]),
        ("turn_on", NONE, NONE, ["B target", "B target"]),
        ("nothing", "delayed", NONE, [NONE, NONE]),
    ],
)
def test_labels_that_contradict_each_other_are_no_draft(
    meaning: str, frame: str, second: str, tags: list[str], meanings: Meanings
) -> None:
    said = Tagged(meaning, frame, second, tuple(tags), (NONE, NONE))
    assert drafted(said, "lamp 30", pieces("lamp 30"), meanings) is None


def test_a_tag_on_half_a_word_means_all_of_it(meanings: Meanings) -> None:
    said = Tagged("turn_on", NONE, NONE, (NONE, "B target"), (NONE, NONE))
    draft = drafted(said, "wake wuffles", [(0, 5), (5, 8)], meanings)
    assert draft == Draft((Part("turn_on", (Said("target", "wuffles"),)),))


def test_a_word_for_a_thing_is_not_cut_in_two(meanings: Meanings) -> None:
    said = Tagged("lock", NONE, NONE, (NONE, "B target", "I target", "I target", NONE), (NONE,) * 5)
    text = "把智能门锁"
    draft = drafted(said, text, pieces(text), meanings, [(1, 5)])
    assert draft == Draft((Part("lock", (Said("target", "智能门锁"),)),))


@pytest.mark.parametrize(("text", "lang"), [("lamp on", "en"), ("开灯", "zh")])
def test_a_latin_word_at_the_start_has_its_space(text: str, lang: Lang) -> None:
    assert led(text) == (f" {text}" if lang == "en" else text)


def test_a_calibration_is_a_curve_and_no_signs_are_no_chance(tmp_path: Path) -> None:
    data = {"weights": [1.0, 2.0], "bias": 0.0, "act": 0.9, "ask": 0.5}
    other = data | {"weights": [2.0, 1.0], "act": 0.8}
    (tmp_path / "calibration.json").write_text(json.dumps({"en": data, "zh": other}), encoding="utf-8")
    found = curves(tmp_path)
    curve = found["en"]
    assert (found["zh"].weights, found["zh"].act) == ((2.0, 1.0), 0.8)
    assert curve.chance((0.0, 0.0)) == 0.5
    assert curve.chance((-9.0, -9.0)) < 0.01
    assert curve.chance((9.0, 9.0)) > 0.99
    assert curve.chance(()) == 0.0


@pytest.mark.parametrize(
    "text", ["", "[]", '{"en": {"weights": ["x"], "bias": 0, "act": 1, "ask": 1}}', '{"weights": [1]}']
)
def test_a_wrong_calibration_is_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "calibration.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelCorrupt):
        curves(tmp_path)


def scored(wanted: str, got: str, sign: float, *, command: bool = True) -> Scored:
    right = wanted == got
    return Scored("", "en", "", wanted, got, right, right, not right, command, (sign,) * 6)


def test_the_threshold_leaves_no_more_wrong_acts_than_allowed() -> None:
    right = [scored("turn_on", "turn_on", -0.1 - at / 1000) for at in range(200)]
    wrong = [scored("nothing", "turn_on", -2.0 - at / 100) for at in range(100)]
    quiet = [scored("nothing", "nothing", -0.1, command=False) for _ in range(100)]
    curve = fitted([*right, *wrong, *quiet])
    found = report([*right, *wrong, *quiet], curve)
    assert found["wrong_acts"] <= 1.0
    assert found["acted_right"] > 95
    assert found["needless_questions"] <= 2.0
    assert found["not_for_us_left_alone"] >= 95


def test_where_nothing_tells_right_from_wrong_hardly_anything_is_done() -> None:
    items = [scored("turn_on", "turn_on" if at % 2 else "turn_off", -1.0) for at in range(200)]
    assert report(items, fitted(items))["wrong_acts"] <= 1.0
