from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from daemon.core.errors import ConfigError
from daemon.hear.acceptor import Acceptor
from daemon.hear.network import Network
from daemon.hear.rivals import MOST_NEAR, Alike, rivals
from daemon.hear.tongues import English
from daemon.understand.peg import read

RULES = Path(__file__).resolve().parents[2] / "rules"
SMALL = """
sentence <- "turn" ("on" / "off") thing / "dim" thing "to" ("fifteen" / "fifty" / "nine") "percent"? / "stop"
thing    <- "the"? ("lamp" / "lamps" / "radio")
"""


def tokens(phrase: str) -> list[tuple[str, str]]:
    return [(word, word) for word in phrase.split()]


@pytest.fixture(scope="module")
def acceptor() -> Acceptor:
    return Network.of(read(SMALL, Path("small.peg")), lambda _name: (), tokens).acceptor()


def found(said: str, acceptor: Acceptor, alike: Alike) -> list[str]:
    return [
        " ".join(words)
        for words in rivals(
            tuple(said.split()),
            acceptor,
            alike,
            lambda some, others: Levenshtein.distance(" ".join(some), " ".join(others)),
        )
    ]


def test_what_does_the_opposite_goes_first(acceptor: Acceptor) -> None:
    alike = Alike.load(RULES / "en" / "alike.yaml", English().tokens)
    assert found("turn on the lamp", acceptor, alike)[0] == "turn off the lamp"
    assert found("dim lamp to fifteen percent", acceptor, alike)[0] == "dim lamp to fifty percent"


def test_what_sounds_nearest_goes_before_what_does_not(acceptor: Acceptor) -> None:
    near = found("turn on radio", acceptor, Alike())
    assert near[:3] == ["turn off radio", "turn on the radio", "turn on lamp"]
    assert "stop" not in near[:4]


def test_a_word_that_changes_nothing_makes_no_rival(acceptor: Acceptor) -> None:
    alike = Alike(nothing=frozenset({"the"}))
    assert "turn on the radio" not in found("turn on radio", acceptor, alike)


def test_even_a_sentence_like_no_other_is_compared(acceptor: Acceptor) -> None:
    assert all(len(other.split()) > 2 for other in found("stop", acceptor, Alike()))


@given(st.integers(0, 10_000))
def test_rivals_are_other_sentences_of_a_few_other_words(seed: int) -> None:
    network = Network.of(read(SMALL, Path("small.peg")), lambda _name: (), tokens)
    acceptor = network.acceptor()
    said = next(network.examples(Random(seed)))
    others = found(said, acceptor, Alike())
    assert len(others) <= MOST_NEAR
    for other in others:
        assert acceptor.accepts(other.split())
        assert Levenshtein.distance(said.split(), other.split()) <= 3


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_table_has_groups_of_several_words(lang: str) -> None:
    alike = Alike.load(RULES / lang / "alike.yaml", tokens)
    assert alike.nothing
    assert all(len(set(group)) > 1 and all(group) for group in alike.groups)


def test_a_wrong_table_says_where(tmp_path: Path) -> None:
    (tmp_path / "alike.yaml").write_text("alike: []\nunlike: []\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="unlike"):
        Alike.load(tmp_path / "alike.yaml", tokens)


def test_without_a_table_only_likeness_decides(tmp_path: Path) -> None:
    assert Alike.load(tmp_path / "alike.yaml", tokens) == Alike()
