from __future__ import annotations

import pytest

from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable
from daemon.understand.normalize import normalize
from daemon.understand.spellings import Homophones

WORDS = Homophones(["打开", "关掉", "客厅", "空调", "灯", "tv", "音量"])


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("大开客听", "打开客厅"),
        ("官掉空条", "关掉空调"),
        ("打开空条", "打开空调"),
        ("关掉空调", None),
        ("等", None),
        ("big 大开 tv", "big 打开 tv"),
        ("", None),
    ],
)
def test_words_are_mended_by_their_sound(heard: str, meant: str | None) -> None:
    assert WORDS.mended(heard) == meant


def test_what_was_only_guessed_from_its_sound_is_not_sure(grammar: Grammar, home: NameTable) -> None:
    sure, guessed = (grammar.read(normalize(text), home)[0] for text in ("把厨房的风扇关了", "把厨房的风扇官了"))
    assert guessed.clauses[0].targets == sure.clauses[0].targets
    assert guessed.confidence < 0.6 < sure.confidence


def test_nothing_unknown_is_guessed_at(grammar: Grammar, home: NameTable) -> None:
    assert grammar.read(normalize("把眼界官了"), home) == ()


def test_a_name_that_ends_in_a_verb_is_left_where_it_explains_nothing(grammar: Grammar) -> None:
    names = NameTable([NamedThing("大门", "device"), NamedThing("大门锁", "device")])
    (program, *_) = grammar.read(normalize("大门锁了吗"), names)
    assert program.clauses[0].targets[0].mention == "大门"
