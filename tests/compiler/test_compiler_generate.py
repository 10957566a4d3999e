"""The generator of training pairs, on small banks made here."""

import json
import random
from pathlib import Path

import pytest

from daemon.compiler.draft import parse
from daemon.compiler.filling import Filling
from daemon.compiler.meanings import Meanings
from daemon.core.errors import ConfigError
from daemon.core.ir import Lang
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize
from models.train import generate
from models.train.generate import Generator, Pair
from models.train.phrases import Bank, load, load_all, merged
from models.train.words import Words

EN = {
    "turn_on": ["pop {target} on", "give me {light}", "wake {tv=the goggle box} up", "ping {room} on"],
    "brightness_to": ["{light} at {n}, not more", "I want {n} percent out of {target}"],
    "temperature_to": ["{n} degrees in the {room}"],
    "color_to": ["{light} should look {color}"],
    "scene": ["how about {name}"],
    "where_is": ["where did {name} go"],
    "turn_on_it": ["wake it"],
    "two": ["{cmd} plus {cmd2}", "before you {cmd2} {cmd}"],
    "delayed": ["{duration} from now, {cmd}"],
    "timed": ["{cmd} when it's {time}"],
    "if_hot": ["{cmd} once the {room} beats {n}"],
    "polite": ["be a sport, {cmd}"],
    "doubt": ["{cmd}... nah"],
    "off_except": ["kill {set}, spare {but}"],
    "near": ["the lamp was on all night", "he loves {target}"],
    "vague": ["do the thing"],
}
ZH = {
    "turn_off": ["{target}别亮着了", "把{heater=小太阳}停掉"],
    "volume_to": ["声音弄到{n}"],
    "clean": ["{room}扫扫"],
    "polite": ["劳驾{cmd}呗"],
    "chat": ["今天吃什么"],
}


def bank(lang: Lang, phrases: dict[str, list[str]]) -> Bank:
    return Bank("made_up", lang, {meaning: tuple(said) for meaning, said in phrases.items()})


def made(lang: Lang, grammar: Grammar, meanings: Meanings, *, count: int = 400, seed: int = 1) -> list[Pair]:
    words = Words.load(lang, grammar, held=False)
    generator = Generator([bank(lang, EN if lang == "en" else ZH)], words, meanings)
    return list(generator.pairs(count, random.Random(seed)))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_pair_can_be_read_back_into_a_program(lang: Lang, grammar: Grammar, meanings: Meanings) -> None:
    filling = Filling(meanings, grammar)
    pairs = made(lang, grammar, meanings)
    assert len(pairs) > 200
    for pair in pairs:
        said = normalize(pair.text, lang)
        assert said.text == pair.text, "as it will be at run time"
        draft = parse(pair.out, meanings)
        words = [item.words for part in draft.parts for piece in (part, *part.frames) for item in piece.said]
        assert all(item in pair.text for item in words), "only words of the utterance"
        if draft.verdict is None:
            assert filling.program(draft, said, NameTable(())).clauses


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_told_beside_a_command_changes_nothing_of_it(lang: Lang, grammar: Grammar, meanings: Meanings) -> None:
    words = Words.load(lang, grammar, held=False)
    told = "the dinner is ready" if lang == "en" else "饭好了"
    phrases = bank(lang, EN if lang == "en" else ZH)
    generator = Generator([phrases], words, meanings, {"remarks": [told], "reasons": [told]}, noise=0.0)
    pairs = list(generator.pairs(400, random.Random(1)))
    beside = [pair for pair in pairs if told in pair.text]
    assert 20 < len(beside) < 120
    assert all(told not in pair.out for pair in beside)
    known = {pair.text for pair in pairs}
    assert any(pair.text.replace(told, "").strip(" ,") in known for pair in beside)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_sort_of_phrase_is_used(lang: Lang, grammar: Grammar, meanings: Meanings) -> None:
    used = {name for pair in made(lang, grammar, meanings) for name in pair.ids}
    phrases = EN if lang == "en" else ZH
    verdicts = {"near", "vague", "chat", "doubt", "polite"}
    assert set(phrases) - verdicts - {"two"} <= used
    assert {"nothing"} <= used


def test_two_commands_are_told_in_the_order_in_which_they_are_to_be_done(grammar: Grammar, meanings: Meanings) -> None:
    both = [
        pair for pair in made("en", grammar, meanings) if "<two>" in pair.out and pair.text.startswith("before you")
    ]
    assert both
    for pair in both:
        first = parse(pair.out, meanings).parts[0]
        assert pair.text.find(first.said[0].words if first.said else "it") > 0


def test_a_slang_word_comes_with_its_kind_and_a_plain_one_without(grammar: Grammar, meanings: Meanings) -> None:
    outs = [pair.out for pair in made("en", grammar, meanings)]
    assert any("the goggle box<is:tv>" in out for out in outs)
    assert not any("<is:light>" in out for out in outs)


def test_the_same_seed_makes_the_same_pairs(grammar: Grammar, meanings: Meanings) -> None:
    assert made("en", grammar, meanings, count=60) == made("en", grammar, meanings, count=60)
    assert made("en", grammar, meanings, count=60) != made("en", grammar, meanings, count=60, seed=2)


def test_no_name_is_both_learnt_and_held_out(grammar: Grammar) -> None:
    for lang in ("en", "zh"):
        learnt, held = (Words.load(lang, grammar, held=held).tables for held in (False, True))
        for table in ("names", "people", "titles", "scenes", "things"):
            assert learnt[table]
            assert held[table]
            assert not set(learnt[table]) & set(held[table])


@pytest.mark.parametrize(
    ("phrases", "complaint"),
    [
        ("turn_on: ['{lampe} on']", "is no slot"),
        ("turn_om: ['{target} on']", "is no meaning"),
        ("turn_on: ['{target on']", "stray brace"),
        ("turn_on: [5]", "is no text"),
    ],
)
def test_a_wrong_bank_is_told(phrases: str, complaint: str, tmp_path: Path, meanings: Meanings) -> None:
    file = tmp_path / "odd.yaml"
    file.write_text(f"bank: odd\nlang: en\nphrases:\n  {phrases}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=complaint):
        load(file, meanings)


def test_the_banks_that_are_there_can_be_read(meanings: Meanings) -> None:
    here = Path(generate.__file__).parent
    banks = load_all(here / "banks", meanings)
    held = {item.name for folder in ("heldout", "untouched") for item in load_all(here / folder, meanings)}
    assert {item.lang for item in banks} == {"en", "zh"}
    assert not {item.name for item in banks} & held


def test_the_command_writes_its_files(tmp_path: Path) -> None:
    for folder in ("banks", "heldout", "untouched"):
        (tmp_path / folder / "en").mkdir(parents=True)
        text = "bank: x\nlang: en\nphrases:\n  turn_on: ['pop {target} on']\n  near: ['what a lovely lamp']\n"
        (tmp_path / folder / "en" / f"{folder}.yaml").write_text(text, encoding="utf-8")
    assert generate.main(["--out", str(tmp_path / "out"), "--pairs", "40", "--banks", str(tmp_path)]) == 0
    files = ("train", "heldout", "untouched")
    train, *held = ((tmp_path / "out" / f"{name}.jsonl").read_text().splitlines() for name in files)
    assert len(train) == 20
    for lines in held:
        assert {tuple(json.loads(line)["ids"]) for line in lines} == {("turn_on",), ("nothing",)}


def test_what_banks_say_alike_is_learnt_once_and_what_they_contradict_by_the_greater_number(meanings: Meanings) -> None:
    first = bank("en", {"turn_on": ["Lamp on!", "{target} up", "zap it"], "near": ["blah"]})
    woken = ["lamp on", "wake {light=the lamp}"]
    second = bank("en", {"turn_on": woken, "open": ["{target} up"], "chat": ["blah", "hm"]})
    third = bank("en", {"is_on": ["lamp on"], "turn_off": ["zap it"], "vague": ["hm"]})
    other = bank("zh", {"turn_off": ["zap it"]})
    assert [item.phrases for item in merged([first, second, third, other], meanings)] == [
        {"turn_on": ("Lamp on!", "{target} up"), "near": ("blah",)},
        {"turn_on": ("wake {light=the lamp}",), "open": ("{target} up",), "chat": ()},
        {"is_on": (), "turn_off": (), "vague": ()},
        {"turn_off": ("zap it",)},
    ]
