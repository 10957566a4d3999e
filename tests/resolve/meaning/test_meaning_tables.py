"""What the encoder learns from, and what it is measured by: no word of two things, nothing measured that was learnt."""

import random
from collections import Counter
from pathlib import Path

from daemon.compiler.meanings import Meanings
from daemon.core.ir import KINDS
from models.train.encoder_data import Senses
from models.train.encoder_words import HERE, of_wordnet, said, things
from models.train.phrases import SLOT, load_all
from tests.rules import GRAMMAR
from tests.tables import read_table

ROOT = Path(__file__).resolve().parents[3]
MENTIONS = read_table(ROOT / "benchmarks" / "mentions.yaml")


def test_no_word_is_of_two_things_and_every_thing_has_words_in_both_languages() -> None:
    every = things()
    twice = [word for word, count in Counter(word for item in every for word in item.all).items() if count > 1]
    assert twice == []
    assert all(item.words["en"] and item.words["zh"] for item in every)


def test_what_is_measured_was_not_learnt() -> None:
    learnt = {word for item in things() for word in (*item.all, *item.purposes)}
    for bank in load_all(HERE / "banks", Meanings.load(ROOT / "rules")):
        for phrases in bank.phrases.values():
            learnt |= {slot[2].lower() for phrase in phrases for slot in SLOT.finditer(phrase) if slot[2]}
    measured = {lang: [word for item in MENTIONS for word in item["mentions"][lang]] for lang in ("en", "zh")}
    for words in measured.values():
        assert len(set(words)) >= 150
        assert learnt.isdisjoint({form for word in words for form in (word, word.removeprefix("the "))})
    assert all(item["type"] in KINDS for item in MENTIONS)


def test_pairs_are_of_one_thing_and_no_two_pairs_of_the_same() -> None:
    banks = load_all(HERE / "banks", Meanings.load(ROOT / "rules"))
    senses = Senses(banks, GRAMMAR, None)
    pairs = senses.pairs(random.Random(2), 50)
    assert len({one for _, one in pairs}) == 50
    television = next(group for group in senses.groups if "television" in group)
    assert any("goggle" in word or "telly" in word for word in television)


def test_what_is_held_back_is_learnt_by_nothing() -> None:
    every = things()
    held = {word for thing in every for word in thing.held}
    assert len(held) > 300
    assert held.isdisjoint(word for thing in every for words in thing.words.values() for word in words[:1])
    banks = load_all(HERE / "banks", Meanings.load(ROOT / "rules"))
    senses = Senses(banks, GRAMMAR, None)
    assert held == {word for word, _ in senses.held}
    assert all(word in (*senses.things[at].all, *senses.things[at].purposes) for word, at in senses.held)
    assert held.isdisjoint(word for group in (*senses.groups, *senses.purposes) for word in group)
    assert held.isdisjoint(said())


def test_words_of_wordnet_are_counted_by_how_often_they_are_used(tmp_path: Path) -> None:
    (tmp_path / "cntlist.rev").write_text("lamp%1:06:00:: 1 7\nlamp%1:06:01:: 2 3\nhot_dog%1:13:00:: 1 9\n")
    assert of_wordnet(tmp_path) == {"lamp": 10}
