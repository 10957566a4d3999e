"""What the curve for two models is fitted on."""

import hashlib
import json
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest

from daemon.compiler.calibration import Calibration
from daemon.compiler.draft import parse
from daemon.compiler.drafting import Conditions, Drafting
from daemon.compiler.filling import Filling
from daemon.compiler.gbnf import Refused
from daemon.compiler.meanings import Meanings
from daemon.compiler.tagger import Guess
from daemon.core.values import replace
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized
from models.train.card import _COLUMNS, DECODER, TAGGER, Kind, card, listed
from models.train.score import Scored, alone, fitted, fitted_together, heard, preferred, report, together

CONDITIONS = Conditions.load(Path(__file__).resolve().parents[2] / "rules")

ON, OFF = "<turn_on><target> the lamp", "<turn_off><target> the lamp"
TOLD = {
    "learnt_from": "7 phrases in 3 banks",
    "pairs": 12,
    "passes": 2.0,
    "pairs_seen": 24,
    "steps": 3,
    "minutes": 0.5,
    "weights": 7,
    "seed": 1,
    "device": "cpu",
}
ROW = dict.fromkeys(_COLUMNS, 1.0)
CASES = [
    # said, right, tagger, decoder
    ("put the lamp on", ON, ON, ON),
    ("no light from the lamp", OFF, ON, OFF),
    ("the lamp away", OFF, ON, OFF),
    ("the lamp to me", ON, ON, OFF),
    ("the lamp was nice", "<nothing>", "<unsure>", ON),
]


class Tags:
    """The first model."""

    def __init__(self, meanings: Meanings, column: int) -> None:
        self._said = {case[0]: parse(case[column], meanings) for case in CASES}

    def guess(self, text: str) -> Guess:
        draft = self._said[text]
        return Guess(draft, draft.verdict or draft.parts[0].meaning, (-1.0,))


class Writes:
    """The second."""

    def __init__(self, tags: Tags) -> None:
        self._tags = tags

    def guess(self, said: Normalized, names: NameTable, refused: AbstractSet[Refused], deadline: float) -> Guess:
        return self._tags.guess(said.text)


def test_where_two_differ_the_better_one_is_followed(tmp_path: Path, meanings: Meanings, filling: Filling) -> None:
    rows = [{"text": said, "lang": "en", "bank": "b", "out": right} for said, right, _, _ in CASES]
    (tmp_path / "heldout.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    file, drafting = tmp_path / "heldout.jsonl", Drafting(filling, CONDITIONS)
    items = list(heard(file, Tags(meanings, 2), Writes(Tags(meanings, 3)), drafting, meanings))
    assert [item.exact for item in alone(items)] == [True, False, False, True, True]
    assert [item.exact for item in together(items, "tagger")] == [True, False, False, True, True]
    assert [item.exact for item in together(items, "decoder")] == [True, True, True, False, False]
    assert [item.signs for item in together(items, "decoder")] == [(-1.0, -1.0, 1.0)] + [(-1.0, -1.0, 0.0)] * 4
    assert preferred(items[:4]) == "decoder"
    assert preferred(items[3:]) == "tagger"
    curve = fitted_together(items)
    assert len(curve.weights) == 3
    assert curve.chance((-1.0, -1.0, 1.0)) > curve.chance((-1.0, -1.0, 0.0))


CURVE = {"weights": [1], "bias": 0, "act": 0.9, "ask": 0.5}


def judged(
    signs: tuple[float, ...], *, right: bool, command: bool = True, timid: bool = False, asks: bool = False
) -> Scored:
    """A reading that is right to the last slot, or something else."""
    return Scored("x", "en", "b", "m", "m", right, right, command and not right, command, signs, timid, asks)


@pytest.mark.parametrize(("kind", "row", "other"), [(TAGGER, "| en |", "| both: en |"), (DECODER, "| en |", "| zh |")])
def test_a_card_tells_of_one_model_its_own_scores(kind: Kind, row: str, other: str, tmp_path: Path) -> None:
    for name in (*kind.files, "calibration.json"):
        (tmp_path / name).write_text(json.dumps(dict.fromkeys(("en", "zh"), CURVE)), encoding="utf-8")
    scores = {"en": ROW, "both: en": ROW} | ({"zh": ROW} if kind is DECODER else {})
    sizes = {"heldout": "4 phrases in 2 banks", "untouched": "3 phrases in 1 banks"}
    text = card(kind, TOLD, sizes, scores, tmp_path)
    assert "7 phrases in 3 banks, as 12 generated pairs" in text
    assert sizes["heldout"] in text
    assert sizes["untouched"] in text
    assert row in text
    assert other not in text


def test_the_manifest_gets_what_was_trained_and_nothing_else_of_it_changes(tmp_path: Path) -> None:
    (tmp_path / "tagger").mkdir()
    (tmp_path / "tagger" / "tagger.onnx").write_bytes(b"new")
    before = """# Models
  - name: other
    files:
      - {path: tagger.onnx, size: 1, sha256: 0}

  # Ours.
  - name: tagger
    licence: Apache-2.0
    files:
      - {path: tagger.onnx, size: 1, sha256: 0}
"""
    digest = hashlib.sha256(b"new").hexdigest()
    head, _, tail = before.rpartition("size: 1, sha256: 0")
    assert listed(before, tmp_path) == f"{head}size: 3, sha256: {digest}{tail}"


def test_no_sign_speaks_against_what_it_speaks_for() -> None:
    # The second sign is higher where it is wrong: as a weight below zero it would make what is unsure surer.
    signs = {(-0.1, -3.0): True, (-0.2, -2.0): True, (-2.0, -0.1): False, (-1.5, -0.2): False}
    items = [judged(pair, right=right) for pair, right in signs.items() for _ in range(8)]
    curve = fitted(items)
    assert curve.weights[0] > 0
    assert curve.weights[1] == 0
    assert curve.chance((-3.0, -24.0)) < 0.5


def test_what_is_timid_is_asked_back_and_a_question_does_nothing_wrong() -> None:
    def item(sign: float, *, exact: bool = True, timid: bool = False, asks: bool = False) -> Scored:
        return Scored(
            "x",
            "en",
            "b",
            "m",
            "m",
            exact=exact,
            right=exact,
            harm=not exact,
            command=True,
            signs=(sign,),
            timid=timid,
            asks=asks,
        )

    curve = Calibration((1.0,), 0.0, act=0.9, ask=0.5)  # taken as said from 2.2 on, asked back from 0 on
    sure = [item(5.0), item(5.0, timid=True), item(5.0, exact=False, timid=True), item(5.0, exact=False, asks=True)]
    unsure = [item(1.0), item(1.0, exact=False), item(1.0, asks=True), item(1.0, exact=False, asks=True)]
    found = report([*sure, *unsure, item(-1.0), item(5.0, exact=False)], curve)
    assert found["acted_right"] == 20.0
    assert found["asked_right"] == 20.0
    assert (found["wrong_acts"], found["wrong_answers"]) == (10.0, 20.0)


def test_the_threshold_is_found_by_what_is_done_only() -> None:
    def items(kind: str) -> list[Scored]:
        wrong = judged((60.0,), right=False)
        right = [judged((at,), right=at > 9) for at in range(50)]
        return [replace(wrong, timid=kind == "timid", asks=kind == "asks"), *right]

    assert fitted(items("timid")).act == fitted(items("asks")).act < fitted(items("order")).act


def test_what_the_second_can_say_nothing_of_is_never_taken_as_said(
    tmp_path: Path, meanings: Meanings, filling: Filling
) -> None:
    class Mute(Writes):
        def guess(self, said: Normalized, names: NameTable, refused: AbstractSet[Refused], deadline: float) -> Guess:
            return Guess(None, "")

    rows = [{"text": said, "lang": "en", "bank": "b", "out": right} for said, right, _, _ in CASES]
    (tmp_path / "heldout.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    items = list(
        heard(
            tmp_path / "heldout.jsonl",
            Tags(meanings, 2),
            Mute(Tags(meanings, 3)),
            Drafting(filling, CONDITIONS),
            meanings,
        )
    )
    curve = Calibration((9.0,) * 3, 50.0, 0.9, 0.5)
    assert [curve.chance(item.signs) for item in together(items, "decoder")] == [0.0] * len(items)


def test_who_makes_no_command_of_anything_is_never_taken_at_his_word() -> None:
    curve = fitted(
        [
            Scored(
                "x",
                "en",
                "b",
                "turn_on",
                "nothing",
                exact=False,
                right=False,
                harm=False,
                command=False,
                signs=(-0.1, -0.2),
            )
        ]
    )
    assert curve.chance((0.0, 0.0)) < min(curve.ask, curve.act)
