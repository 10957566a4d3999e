from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.hear.network import Network, Token
from daemon.understand.peg import read

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL = """
sentence <- "please"? !"never" verb thing / "stop" ("it")? / "say" [a-z]+ / "find" UNICORN
verb     <- "turn on" / "open"
thing    <- "the"? LAMP ("and" "the"? LAMP)*
"""
LAMPS = ("desk lamp", "lamp", "灯")


def words(phrase: str) -> Sequence[Token] | None:
    return [(word, word.upper()) for word in phrase.split()] if phrase.isascii() else None


def network(text: str = SMALL) -> Network:
    return Network.of(read(text, Path("small.peg")), lambda name: LAMPS if name == "LAMP" else (), words)


@pytest.mark.parametrize(
    ("sentence", "known"),
    [
        ("turn on the desk lamp", True),
        ("please open lamp", True),
        ("open lamp and the lamp and desk lamp", True),
        ("stop", True),
        ("stop it", True),
        ("turn on the", False),
        ("turn the lamp on", False),
        ("open lamp and", False),
        ("find", False),
        ("say", False),
        ("open 灯", False),
        ("", False),
    ],
)
def test_a_grammar_is_expanded(sentence: str, known: bool) -> None:  # noqa: FBT001
    built = network()
    assert built.acceptor().accepts(sentence.split()) is known
    assert bool(built.texts(sentence.split())) is known


def test_what_was_heard_is_written_as_the_grammar_has_it() -> None:
    assert network().texts(["open", "the", "desk", "lamp"]) == ("OPEN THE DESK LAMP",)


def test_what_sounds_alike_gives_several_texts_in_order() -> None:
    rules = read('s <- "关" ("灯" / "登") / "开"', Path("x.peg"))
    sounds = {"关": "guan", "灯": "deng", "登": "deng", "开": "kai"}
    built = Network.of(rules, lambda _name: (), lambda phrase: [(sounds[phrase], phrase)])
    assert built.texts(["guan", "deng"]) == ("关 灯", "关 登")
    assert built.texts(["guan", "deng"], limit=1) == ("关 灯",)
    assert len(built.acceptor().arcs) == 3


def test_the_acceptor_is_small() -> None:
    """Sentences that go on alike share what follows."""
    rules = read('s <- ("a" / "b" / "c") X "end"', Path("x.peg"))
    names = [f"name {number}" for number in ["one", "two", "three", "four", "five"]]
    acceptor = Network.of(rules, lambda _name: names, words).acceptor()
    assert acceptor.states == 5
    assert len(acceptor.arcs) == 3 + 1 + 5 + 1


def test_a_rule_that_contains_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="contains itself"):
        network('s <- "a" s / "b"')


def test_a_grammar_that_says_nothing_has_no_sentence() -> None:
    acceptor = network('s <- UNICORN / [a-z]+ "x"').acceptor()
    assert acceptor.arcs == ()
    assert not acceptor.finals


TREES = st.recursive(
    st.sampled_from(['"a"', '"b"', '"c"', '"a b"']),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda items: "(" + " ".join(items) + ")"),
        st.lists(inner, min_size=2, max_size=3).map(lambda items: "(" + " / ".join(items) + ")"),
        inner.map(lambda item: f"({item})?"),
        inner.map(lambda item: f"({item})*"),
    ),
    max_leaves=8,
)


@given(TREES, st.lists(st.sampled_from("abc"), max_size=6))
def test_the_acceptor_and_the_network_agree_on_every_sentence(tree: str, sentence: list[str]) -> None:
    built = network(f"s <- {tree}")
    assert built.acceptor().accepts(sentence) == bool(built.texts(sentence))


def test_a_sentence_that_breaks_off_has_endings() -> None:
    acceptor = network('s <- "what" ("time" "is" "it" / "is" "the" ("date" / "time"))').acceptor()
    assert list(acceptor.endings(("what", "time", "is"))) == [("what", "time", "is", "it")]
    assert sorted(acceptor.endings(("what", "is"))) == [("what", "is", "the", "date"), ("what", "is", "the", "time")]
    assert list(acceptor.endings(("what", "day"))) == []


def test_examples_are_sentences_and_each_choice_is_drawn() -> None:
    built = network()
    drawn = list(islice(built.examples(Random(1)), 300))
    assert all(built.acceptor().accepts(text.lower().split()) for text in drawn)
    assert {text.split()[0] for text in drawn} == {"PLEASE", "TURN", "OPEN", "STOP"}


def test_a_grammar_without_sentences_has_no_examples() -> None:
    assert list(network("s <- UNICORN").examples(Random(1))) == []
