"""What is a yes where something is at stake: a closed set, of which all that was said must be one."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.understand.consent import Consent
from daemon.understand.grammar import Grammar
from daemon.understand.lexicon import Lexicon
from tests.tables import read_table

HERE = Path(__file__).parent
RULES = HERE.parents[1] / "rules"
TABLE: dict[str, dict[str, list[str]]] = read_table(HERE / "consent.yaml")
LEXICON = Lexicon.load(RULES)
CONSENT = Consent(LEXICON.consent)
YES = list(dict.fromkeys(word for language in LEXICON.consent for word in language.said))


def _said(answer: str) -> list[Any]:
    return [pytest.param(said, id=said) for sentences in TABLE[answer].values() for said in sentences]


@pytest.mark.parametrize("said", _said("granted"))
def test_it_is_a_yes(said: str) -> None:
    assert CONSENT.given(said)


@pytest.mark.parametrize("said", _said("not_granted"))
def test_it_is_none(said: str) -> None:
    assert not CONSENT.given(said)


@pytest.mark.parametrize("said", YES)
def test_each_of_the_sentences_is_a_yes_and_none_as_a_question_or_beside_other_words(said: str) -> None:
    assert CONSENT.given(said)
    assert not CONSENT.given(f"{said}?")
    assert not CONSENT.given(f"not {said}")
    assert not CONSENT.given(f"不{said}")
    assert not CONSENT.given(f"{said}吗")
    assert not CONSENT.given(f"{said} the other one")


@given(st.text(max_size=40))
def test_no_text_breaks_it_and_none_by_chance_is_a_yes(said: str) -> None:
    assert not CONSENT.given(said) or said.strip(" .,!;。，！").casefold() in YES


@pytest.mark.parametrize("name", ["ATTR", "KIND", "KINDS", "ROOM", "ORDINAL", "MODE", "COLOR", "DAYTIME"])
def test_no_word_for_a_thing_a_place_or_a_value_is_a_yes(grammar: Grammar, name: str) -> None:
    assert not any(map(CONSENT.given, grammar.lexicon.words(name)))


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        ("yes, open it", "open it"),
        ("yes please open it", "open it"),
        ("yes, open it then, please", "open it"),
        ("sure, unlock the door", "unlock the door"),
        ("好的，打开它", "打开它"),
        ("对了，打开它", None),
        ("yeah right, open it", "right, open it"),
        ("好的，打开吧", "打开"),
        ("yes", None),
        ("yes, open it?", None),
        ("open it", None),
    ],
)
def test_what_follows_a_yes_is_known(said: str, rest: str | None) -> None:
    assert CONSENT.behind(said) == rest
