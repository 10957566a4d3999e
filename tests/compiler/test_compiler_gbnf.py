"""The grammar of drafts, by what llama.cpp takes it for: whole words of the utterance in a row, and nothing else."""

import ctypes
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.compiler.draft import led, pieces
from daemon.compiler.filling import Filling
from daemon.compiler.gbnf import DraftGrammar, Refused, plain
from daemon.compiler.llama import Llama
from daemon.compiler.meanings import Meanings
from tests.compiler.ggufs import random_decoder
from tests.rules import GRAMMAR

RULES = Path(__file__).resolve().parents[2] / "rules"
MEANINGS = Meanings.load(RULES)
DRAFTS = DraftGrammar(MEANINGS, Filling(MEANINGS, GRAMMAR))
WORDS = ["turn", "the", "lamp", "on", "30", "bob's", "é", "打", "开", "客厅", "🜚", "<target>", '"', "\\", "|", "hdmi"]


class Checker:
    """Whether a grammar takes a text, by llama.cpp."""

    def __init__(self, file: Path) -> None:
        import llama_cpp

        self._cpp: Any = llama_cpp
        self._llama = Llama(random_decoder(file, MEANINGS))

    def takes(self, grammar: str, text: str) -> bool:
        cpp, vocabulary = self._cpp, self._llama._vocabulary
        sampler = cpp.llama_sampler_init_grammar(vocabulary, grammar.encode(), b"root")
        assert sampler
        try:
            for token in [*self._llama.tokens(text), cpp.llama_vocab_eos(vocabulary)]:
                data = (cpp.llama_token_data * 1)(cpp.llama_token_data(id=token, logit=1.0, p=0.0))
                row = cpp.llama_token_data_array(data=data, size=1, selected=-1, sorted=False)
                cpp.llama_sampler_apply(sampler, ctypes.byref(row))
                if data[0].logit != 1.0:
                    return False
                if not cpp.llama_vocab_is_eog(vocabulary, token):
                    cpp.llama_sampler_accept(sampler, token)
            return True
        finally:
            cpp.llama_sampler_free(sampler)


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    return Checker(tmp_path_factory.mktemp("gbnf") / "random.gguf")


def spaced(said: str, start: int, end: int) -> str:
    """A part of what was said with the space before it."""
    before = (led(said)[:1] if not start else said[start - 1]) == " "
    return " " * before + said[start:end]


@pytest.mark.llm
@given(st.data())
def test_words_of_a_slot_are_a_row_of_whole_words_of_the_utterance(checker: Checker, data: st.DataObject) -> None:
    said = " ".join(data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)))
    places = [(start, end) for start, end in pieces(said) if said[start:end] not in ("<", ">")]
    if not places:
        return
    first = data.draw(st.integers(0, len(places) - 1))
    last = data.draw(st.integers(first, len(places) - 1))
    start, end = places[first][0], places[last][1]
    grammar = DRAFTS.text(said)
    foreign = "<" in said[start:end] or ">" in said[start:end]
    assert checker.takes(grammar, f"<turn_on><target>{spaced(plain(said), start, end)}") is not foreign
    other = data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join))
    if other not in said:
        assert not checker.takes(grammar, f"<turn_on><target> {other}")
        assert not checker.takes(grammar, f"<turn_on><target>{other}")


@pytest.mark.llm
@pytest.mark.parametrize(
    ("said", "draft", "taken"),
    [
        ("lamp on", "<turn_on>", True),
        ("lamp on", "<turn_on><target> lamp", True),
        ("lamp on", "<turn_on><target> lamp<is:light>", True),
        ("lamp on", "<nothing>", True),
        ("lamp on", "<unsure>", True),
        ("lamp on", "", False),
        ("lamp on", "lamp", False),
        ("lamp on", "<turn_on><target> lam", False),
        ("lamp on", "<turn_on><target> amp", False),
        ("lamp on", "<turn_on><target> lamp on on", False),
        ("lamp on", "<turn_on><target>", False),
        ("lamp on", "<turn_on><is:light>", False),
        ("lamp on", "<turn_on><target> lamp<is:sofa>", False),
        ("lamp on", "<turn_on><target> lamp<target> lamp", False),
        ("lamp on", "<explode>", False),
        ("lamp on", "<nothing><turn_on>", False),
        ("lamp on", "<turn_on><two>", False),
        ("lamp on", "<delayed><duration> on", False),
        ("lamp on fan off", "<turn_on><target> lamp<two><turn_off><target> fan", True),
        ("lamp on in ten minutes", "<turn_on><target> lamp<delayed><duration> ten minutes", True),
        ("lamp on in ten minutes", "<turn_on><delayed>", False),
        ("fan on if its over 30 in here", "<turn_on><target> fan<if_hot><n> 30", True),
        ("fan on if its over 30 in the den", "<turn_on><target> fan<if_hot><room> den<n> 30", True),
        ("fan on if the lamp is", "<turn_on><target> fan<if_on>", False),
        # A number and a colour must be there, and be such.
        ("lamp to thirty five", "<brightness_to><target> lamp<n> thirty five", True),
        ("lamp to thirty five", "<brightness_to><target> lamp", False),
        ("lamp to thirty five", "<brightness_to><n> lamp", False),
        ("lamp to me", "<brightness_to><target> lamp<n> me", False),
        ("lamp red please", "<color_to><target> lamp<color> red", True),
        ("lamp red please", "<color_to><target> lamp<color> please", False),
        ("fan to high", "<speed_to><target> fan<mode> high", True),
        ("fan to 3", "<speed_to><target> fan<n> 3", True),
        ("fan to 3", "<speed_to><target> fan", False),
        ("lamp to 45%", "<brightness_to><target> lamp<n> 45", True),
        ("lamp to 45%", "<brightness_to><target> lamp<n> 4", False),
        ("把客厅的灯调到百分之三十", "<brightness_to><target>客厅的灯<n>三十", True),
        ("把客厅的灯调到百分之三十", "<brightness_to><target>客厅的灯<n>十", False),
        ("把客厅的灯调到30%", "<brightness_to><target>客厅的灯<n>30", True),
        ("把客厅的灯打开", "<turn_on><target>客厅的灯", True),
        ("把客厅的灯打开", "<turn_on><target>客的灯", False),
    ],
)
def test_what_may_be_written(said: str, draft: str, checker: Checker, *, taken: bool) -> None:
    assert checker.takes(DRAFTS.text(said), draft) is taken


@pytest.mark.llm
def test_what_was_refused_is_not_taken_again(checker: Checker) -> None:
    said = "the lamp by the lamp 30 40"
    for refused, gone, left in (
        (Refused("target", "the lamp"), "<turn_on><target> the lamp", "<turn_on><target> the lamp by"),
        (Refused("target", "the lamp"), "<is_on><target> the lamp", "<off_except><set> by<but> the lamp"),
        (Refused("n", "30"), "<volume_to><n> 30", "<volume_to><n> 40"),
        (Refused("turn_on"), "<turn_on><target> the lamp", "<turn_off><target> the lamp"),
    ):
        assert checker.takes(DRAFTS.text(said), gone)
        grammar = DRAFTS.text(said, {refused})
        assert not checker.takes(grammar, gone)
        assert checker.takes(grammar, left)


@pytest.mark.llm
@pytest.mark.parametrize(
    "said", ["", "<", "<>", "\x00\x01", "lamp\x00on", '"] | root', "🜚" * 40, "a" * 600, "a " * 300]
)
def test_anything_makes_a_grammar(said: str, checker: Checker) -> None:
    assert checker.takes(DRAFTS.text(said), "<nothing>")


def test_all_numbers_refused_nothing_needs_one() -> None:
    assert "brightness_to" in DRAFTS.text("lamp 30")
    assert "brightness_to" not in DRAFTS.text("lamp 30", {Refused("n", "30")})
