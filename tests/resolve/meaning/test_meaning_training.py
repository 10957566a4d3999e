"""How the encoder's limits are found, and what its card tells."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models.train.encoder_card import FILES, card
from models.train.encoder_limits import limits, nearest


def words(right: int, wrong: int, cosine: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Words whose nearest of three things is at this cosine, the others far; so many of them are for another thing."""
    near = np.full((right + wrong, 3), 0.1)
    near[:, 0] = cosine
    return near, np.array([0] * right + [1] * wrong)


def found(*groups: tuple[NDArray[np.float64], NDArray[np.int64]]) -> tuple[dict[str, float], dict[str, float]]:
    return limits(np.concatenate([near for near, _ in groups]), np.concatenate([meant for _, meant in groups]))


def test_what_is_alike_is_where_nine_in_ten_are_right() -> None:
    near, told = found(words(60, 0, 0.8), words(30, 3, 0.6), words(10, 30, 0.4))
    assert near["alike"] == pytest.approx(0.6)
    assert told["words"] == 133
    assert told["asked_right"] == pytest.approx(90 / 133, abs=0.001)
    assert told["asked_wrong"] == pytest.approx(3 / 133, abs=0.001)


def test_where_too_few_or_too_many_wrong_ones_are_near_nothing_is_asked() -> None:
    torn = np.full((50, 3), 0.8), np.zeros(50, np.int64)
    for groups in ((words(60, 40, 0.8),), (words(12, 0, 0.9), words(30, 60, 0.5)), (torn,)):
        near, told = found(*groups)
        assert near["alike"] == 1.0
        assert told["asked_right"] == told["asked_wrong"] == 0


def test_two_things_that_are_as_near_are_no_question() -> None:
    near, meant = words(60, 0, 0.8)
    near[:20, 2] = 0.8
    _, told = limits(near, meant)
    assert told["asked_right"] == pytest.approx(40 / 60, abs=0.001)


def test_a_name_is_taken_for_a_word_for_a_thing_only_where_that_is_mostly_right() -> None:
    near, _ = found(words(60, 0, 0.8), words(30, 3, 0.6), words(10, 30, 0.4))
    assert near["same"] == pytest.approx(0.6)


def test_a_word_is_as_near_as_the_nearest_word_for_a_thing() -> None:
    table = np.eye(3)
    near = nearest(np.array([[0.6, 0.8, 0.0]]), table, [2, 1])
    assert near.tolist() == [[0.8, 0.0]]


def test_the_card_tells_what_was_learnt_and_measured(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_bytes(b"0" * 500_000)
    told = {
        "seed": 7, "steps": 11, "minutes": 2.5, "weights": 12345, "words": 678, "kinds": 9, "known": 80, "purposes": 70,
        "synonyms": 60, "limits": {"alike": 0.5, "tight": 0.07, "same": 0.8},
        "things": {"words": 33, "recall_at_5": 0.91, "asked_right": 0.42, "asked_wrong": 0.03},
    }  # fmt: skip
    row = {
        "names": "en", "said": "zh", "mentions": 5, "letters": 0.1, "alike": 0.2, "encoder": 0.8, "both": 0.9,
        "asked_right": 0.4, "asked_wrong": 0.02,
    }  # fmt: skip
    text = card(told, [row], tmp_path, "abacus")
    assert "| en | zh | 5 | 0.1 | 0.2 | 0.8 | 0.9 | 0.4 | 0.02 |" in text
    for part in ("Seed 7", "11 steps", "abacus", "12345 weights", "1.5 MB", "`alike` 0.5", "33 words", "0.91"):
        assert part in text
