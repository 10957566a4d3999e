"""What an utterance may mean: probabilities that add up, and silence without a model."""

import pytest

from daemon.meaning.judge import Judge
from tests.meaning.readers import Held, Words


def test_a_judgement_says_how_likely_it_is_for_us_and_what_it_means() -> None:
    found = Judge(Held(Words()).reader).judge("my feet are ice")
    assert found is not None
    assert found.best == "turn_on"
    assert sum(found.chances.values()) == pytest.approx(1)
    assert found.for_us == pytest.approx(1 - found.chances["nothing"])
    # exp(3) : exp(1) : 1 : 1, for the temperature is 2
    assert found.sure == pytest.approx(20.0855 / (20.0855 + 2.71828 + 2), rel=1e-4)
    assert [name for name, _ in found.frames] == ["delayed"]


def test_what_is_not_for_us_is_told_from_what_is() -> None:
    judge = Judge(Held(Words()).reader)
    film, order = judge.judge("what a film"), judge.judge("on with it")
    assert film is not None
    assert order is not None
    assert film.best == "nothing"
    assert film.for_us < 0.5 < order.for_us


def test_without_a_model_nothing_is_judged() -> None:
    assert Judge(Held(None).reader).judge("on with it") is None
    words = Words()
    words.broken = True
    assert Judge(Held(words).reader).judge("on with it") is None
    assert Judge(Held(Words()).reader).judge("  ") is None
