"""What a place begins with decides what is tried there: it must never leave out what would have matched."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from daemon.core.ir import Lang
from daemon.understand import peg
from daemon.understand.first import Firsts
from daemon.understand.grammar import Grammar
from daemon.understand.lexicon import WordClass
from daemon.understand.matchers import Node, Terminal
from daemon.understand.names import NameTable
from daemon.understand.normalize import MAX_LENGTH, Normalized, normalize
from daemon.understand.openings import Openings, Room, Table
from daemon.understand.parser import Parser
from tests.understand.plain_peg import PlainParser

FILE = Path("test.peg")
STEPS_PER_CHARACTER = 4_000
"""Of six hundred characters at most, read in two languages where they are of two scripts."""

WORDS = ["turn", "on", "off", "the", "a", "lamp", "s", "5", "%", ",", "打", "打开", "打开灯", "灯", "开"]
PIECES = st.sampled_from(
    [*(f'"{word}"' for word in WORDS), '"turn on"', '"the other lamp"', '"开灯"', "KIND", "word", "."]
)


def combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=2, max_size=3)
    marked = st.sampled_from(["({})?", "({})*", "({})+", "&({})", "!({})"])
    return (
        several.map(" ".join)
        | several.map(lambda items: f"({' / '.join(items)})")
        | st.builds(str.format, marked, inner)
    )


EXPRESSIONS = st.recursive(PIECES, combined, max_leaves=8)
GRAMMARS = st.builds(
    "start <- {} !.\nstart_of_it <- {}\nA__x <- {}\nPart <- A__x? leaf / leaf\n"
    "leaf <- {}\nsure <- !(Part Part) {}".format,
    st.sampled_from(["start_of_it", "start_of_it Part?", "(Part / start_of_it)+", "sure* Part", "&sure start_of_it"]),
    EXPRESSIONS,
    EXPRESSIONS,
    EXPRESSIONS,
    EXPRESSIONS,
)


CASES = [
    ('start <- (!"turn on" word word / "turn on" KIND) !.', "turn a"),
    ('start <- (!"打开" word word word / "打开") !.', "打灯灯"),
    ('start <- (!("off" / "turn") word / "turn on") !.', "turn on"),
    ('start <- ("turn"? &"on" word / "turn" KIND) !.', "turn on"),
    ('start <- ("the" !"lamp" word / "the" KIND) !.', "the lamp"),
    ('start <- ("打" "开" / "打开" KIND) !.', "打开"),
    ('start <- ("打"? "开" word / "打开") !.', "打开灯"),
    ('start <- ((!"on" / "a") word / "on") !.', "on"),
    ('start <- ("a"? !. / "a" "lamp") !.', "a"),
    ("start <- (!. / KIND)", ""),
]


@pytest.mark.parametrize(("grammar", "text"), CASES)
def test_what_is_looked_for_ahead_is_not_left_out(grammar: str, text: str) -> None:
    terminals: dict[str, Terminal] = {"KIND": WordClass({"lamp": "light", "灯": "light"}), "word": _Any()}
    rules = peg.read(grammar, FILE)
    where = dict.fromkeys(rules, FILE)
    made = Parser(rules, terminals, where).parse("start", text)
    assert made is not None
    assert made == PlainParser(rules, terminals).parse("start", text)


class _Any:
    """A terminal that may begin with anything; as all real ones, it ends inside of no Latin word ("turn5")."""

    first: frozenset[str] | None = None

    def match(self, text: str, at: int) -> int:
        end = at
        while text[end] not in " ,\n" and (end == at or (text[end].isascii() and text[end].isalnum())):
            end += 1
        return end if end > at else -1


@given(GRAMMARS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.booleans())
@settings(max_examples=400)
def test_what_is_left_out_would_not_have_matched(grammar: str, said: list[str], spaced: bool) -> None:  # noqa: FBT001
    """The parser that tries everything finds the same tree."""
    text = normalize((" " if spaced else "").join(said)).text
    assume(re.search("[a-z][0-9]+[a-z]", text) is None)  # "turn5turn" is one word, in which nothing else begins
    rules = peg.read(grammar, FILE)
    terminals: dict[str, Terminal] = {
        "KIND": WordClass({"lamp": "light", "灯": "light", "off": "x", "打开灯": "y"}),
        "word": _Any(),
    }
    assert Parser(rules, terminals, dict.fromkeys(rules, FILE)).parse("start", text) == PlainParser(
        rules, terminals
    ).parse("start", text)


def steps(call: Callable[[], object]) -> int:
    """How many functions a call calls."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    gc.disable()  # what is told of each collection is called too
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
        gc.enable()
    return count


def test_a_sentence_costs_what_its_words_can_mean_not_what_the_grammar_holds() -> None:
    def cost(others: int) -> int:
        verbs = " / ".join(f'"verb{number}" KIND' for number in range(others))
        grammar = f'start <- any / "turn" ("on" / "off") KIND !.\nany <- {verbs or chr(34) * 2 + " KIND"}'
        rules = peg.read(grammar, FILE)
        made = Parser(rules, {"KIND": WordClass({"lamp": "light"})}, dict.fromkeys(rules, FILE))
        found: list[Node | None] = [made.parse("start", "turn on lamp")]
        count = steps(lambda: found.append(made.parse("start", "turn on lamp")))
        assert None not in found
        return count

    assert cost(2) == cost(500)


@pytest.mark.parametrize("most", [50, 500])
def test_what_is_remembered_of_rare_words_is_bounded_and_read_as_by_a_new_parser(most: int) -> None:
    words = [f"{one}{two}o" for one in "bdfgklmn" for two in "aeiouy"]
    rules = peg.read("\n".join(
        [f"start <- pair+ !.\npair <- {' / '.join(f'Rule{word}' for word in words)} / WORD word"]
        + [f'Rule{one} <- "{one}" ("{two}" / "a" / WORD)? / "{two} {one}"' for one, two in pairwise(words)]
        + [f'Rule{words[-1]} <- "{words[-1]}"'],
    ), FILE)  # fmt: skip
    terminals: dict[str, Terminal] = {"WORD": WordClass(dict.fromkeys(words[::2], "w")), "word": _Any()}
    made = Parser(rules, terminals, dict.fromkeys(rules, FILE), most)
    held = []
    for at, first in enumerate(words):
        for step in (1, 5, 7):
            text = f"{first} {words[(at + step) % len(words)]} {words[at * step % len(words)]}"
            assert made.parse("start", text) == PlainParser(rules, terminals).parse("start", text)
            held.append(len(made.room))
    assert max(held) <= most
    assert held != sorted(held)


def test_what_is_compiled_for_rare_words_goes_with_what_is_remembered_of_them() -> None:
    words = [f"{one}{two}o" for one in "bdfgklmn" for two in "aeiouy"]
    rules = peg.read("\n".join(
        [f"start <- ({' / '.join(f'of_{word} word?' for word in words)}) !."]
        + [f'of_{one} <- "{one}" (("a" KIND / "the" KIND)? ("{two}" / "on" KIND)? / "{two}" "off")'
           for one, two in pairwise(words)]
        + [f'of_{words[-1]} <- "{words[-1]}"'],
    ), FILE)  # fmt: skip
    terminals: dict[str, Terminal] = {"KIND": WordClass({"lamp": "light"}), "word": _Any()}

    def tables(most: int) -> int:
        gc.collect()
        before = sum(isinstance(item, Table) for item in gc.get_objects())
        made = Parser(rules, terminals, dict.fromkeys(rules, FILE), most)
        for word in words[:-1]:
            assert made.parse("start", f"{word} the lamp") is not None
        found = sum(isinstance(item, Table) for item in gc.get_objects()) - before
        assert made.parse("start", f"{words[0]} the lamp") is not None
        return found

    assert tables(60) < tables(100_000) / 4


def test_what_begins_alike_holds_its_beginnings_once() -> None:
    rules = peg.read('start <- one / other\none <- "on"? &"off"\nother <- "on"? &"off"', FILE)
    openings = Openings(["on ", "off ", *"abcdefghij"])  # so many that no mask is a number that there is once anyway
    firsts = Firsts(rules, {}, openings)
    assert firsts.beginning(rules["one"]).reading
    assert firsts.beginning(rules["one"]).empty
    assert firsts.can_begin(rules["one"]) is firsts.can_begin(rules["other"])


def test_what_is_nested_too_deep_is_not_found_and_raises_nothing() -> None:
    rules = peg.read('start <- Nested !.\nNested <- "no" ("lamp" / Nested)', FILE)
    made = Parser(rules, {}, dict.fromkeys(rules, FILE))
    few, many = "no " * 9 + "lamp", "no " * 9_999 + "lamp"
    begun = made.begun(["Nested"])
    assert made.parse("start", few) is not None
    assert [node.end for node in made.found(begun, made.begin(few), [0])] == [len(few)]
    assert made.parse("start", many) is None
    assert [*made.found(begun, made.begin(many), [0])] == []


def test_what_is_in_use_is_held_where_room_is_made() -> None:
    made: list[str] = []
    room = Room(8)

    def make(said: str) -> str:
        made.append(said)
        return said.upper()

    table = room.shared(Table(make, room))
    for number in range(40):
        assert (table["a"], table[f"b{number}"]) == ("A", f"B{number}")
        assert len(table) <= 4
    assert made.count("a") == 1
    assert table["b0"] == "B0"
    assert made.count("b0") == 2


def _bounded(grammar: Grammar, home: NameTable, text: str) -> None:
    normalized = normalize(text)
    langs: tuple[Lang, ...] = ("en", "zh")
    for lang in langs:
        again = partial(grammar.read, Normalized(normalized.text, lang, text), home)
        again()  # once, to compile what it needs
        assert steps(again) < STEPS_PER_CHARACTER * (len(normalized.text) + 10)


@pytest.fixture(scope="module")
def words(grammar: Grammar) -> list[str]:
    return sorted(peg.survey(grammar.rules).literals - {""}) + [" "] * 40


@given(st.lists(st.integers(0, 9_999), min_size=1, max_size=6), st.sampled_from(["", " "]))
@settings(max_examples=60, deadline=None)
def test_words_of_the_grammar_said_over_and_over_take_a_bounded_number_of_steps(
    grammar: Grammar, home: NameTable, words: list[str], chosen: list[int], between: str
) -> None:
    piece = [words[number % len(words)] for number in chosen]
    _bounded(grammar, home, (between.join(piece) + between) * MAX_LENGTH)
    _bounded(grammar, home, ((between.join(piece) + between) * MAX_LENGTH)[: MAX_LENGTH - 1])


@given(st.text(min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_ten_thousand_characters_of_anything_take_a_bounded_number_of_steps(
    grammar: Grammar, home: NameTable, piece: str
) -> None:
    _bounded(grammar, home, (piece * 10_000)[:10_000])
    _bounded(grammar, home, (piece * MAX_LENGTH)[: MAX_LENGTH // 2])


@pytest.mark.parametrize(
    "piece",
    [
        "and ",
        "ac对了",
        "turn on the lamp and ",
        "set the lamp to 5 and ",
        "the lamp in the lamp by the ",
        "no turn on the tv ",
        "if the lamp is on ",
        "heat , ",
        "and i can not hear ",
        "不对打开灯",
        "就这样放下抬高",
        "把音乐停了",
        "如果灯开了",
        "或是一盏增加打开声音且",
    ],
)
def test_repeated_pieces_take_a_bounded_number_of_steps(grammar: Grammar, home: NameTable, piece: str) -> None:
    _bounded(grammar, home, (piece * MAX_LENGTH)[: MAX_LENGTH - 1])
