from __future__ import annotations

from pathlib import Path

import pe
import pytest

from daemon.core.errors import ConfigError
from daemon.system.languages import required
from daemon.understand import peg
from daemon.understand.lexicon import WordClass
from daemon.understand.matchers import Node
from daemon.understand.parser import Parser

FILE = Path("test.peg")


def parser(grammar: str, **classes: str) -> Parser:
    terminals = {name: WordClass(dict.fromkeys(words.split(","), name)) for name, words in classes.items()}
    rules = peg.read(grammar, FILE)
    return Parser(rules, terminals, dict.fromkeys(rules, FILE))


def shape(node: Node) -> object:
    return (node.rule, [shape(child) for child in node.children]) if node.children else node.rule


def test_marks_parts_and_words_make_the_tree() -> None:
    made = parser(
        'start <- on Target\non <- "turn on" action__on\naction__on <- ""\nTarget <- "the"? KIND', KIND="lamp,tv"
    )
    tree = made.parse("start", "turn on the lamp")
    assert tree is not None
    assert shape(tree) == ("start", ["action__on", ("Target", ["KIND"])])


@pytest.mark.parametrize(
    ("grammar", "text", "whole"),
    [
        ('start <- "on"', "on", True),
        ('start <- "on"', "one", False),
        ('start <- "light" "on"', "light on", True),
        ('start <- "开" "灯"', "开灯", True),
        ('start <- "开" / "开灯"', "开灯", False),
        ('start <- "a"* "b"', "a a b", True),
        ('start <- "a"+', "", False),
        ('start <- !"a" .', "b", True),
        ('start <- !"a" .', "a", False),
        ('start <- &"a" . "b"', "a b", True),
        ("start <- [a-c0-9]+", "abc 12", True),
        ("start <- [a-c]", "d", False),
        (r'start <- "\u5f00"', "开", True),
        ('start <- ("a" / "b")? "c" # a comment\n', "b c", True),
        ('start <- "5" "min"', "5min", True),
        ('start <- ("turn on" / "on")+ "b"', "on turn on b", True),
        ('start <- ("a"/"b") "c"', "b c", True),
        (r'start <- ("\u5f00" / "a") "c"', "开 c", True),
        (r'start <- ("a" / "\u5f00") ("b" / "c")', "开c", True),
    ],
)
def test_matching(grammar: str, text: str, *, whole: bool) -> None:
    assert (parser(grammar).parse("start", text) is not None) is whole


def test_what_was_tried_and_failed_leaves_no_nodes() -> None:
    made = parser('start <- A__x "b" / B__x "c"\nA__x <- "a"\nB__x <- "a"')
    tree = made.parse("start", "a c")
    assert tree is not None
    assert shape(tree) == ("start", ["B__x"])


@pytest.mark.parametrize(
    ("grammar", "line", "problem"),
    [
        ('start <- "a" nothing', 1, "nothing is not defined"),
        ('start <- "a"\nother <- other "b"', 2, "begins with itself"),
        ('start <- "a"\nb <- "c"? d\nd <- !"x" b', 3, "begins with itself"),
        ('start <- "a"\nb <- "c" / ("d" / "e")? b', 2, "begins with itself"),
        ('start <- "a"\nb <- ("c" / "") b', 2, "begins with itself"),
        ('start <- "a"\nstart <- "b"', 2, "twice"),
        ('start <- ("a" / "b" %', 1, "cannot read"),
        ('("a" / "b") <- "c"', 1, "expected a rule"),
        ('start <- "a" /', 1, "nothing stands before"),
        ('start <- ("a"\n', 2, "expected )"),
        ('start <- "a', 1, "cannot read"),
        ('\n"a"', 2, "expected a rule"),
    ],
)
def test_a_wrong_grammar_is_told_with_its_line(grammar: str, line: int, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parser(grammar)
    assert caught.value.line == line
    assert problem in str(caught.value)


def test_our_grammar_is_in_the_standard_notation() -> None:
    """Another reader of the notation takes its files as one text, and sees the same rules."""
    rules = Path(__file__).parents[2] / "rules"
    files = [rules / "grammar.peg", *required(rules, "grammar.peg").values()]
    _, definitions = pe._parse.loads("\n".join(file.read_text(encoding="utf-8") for file in files))
    assert set(definitions) == set(peg.load(files)[0])


def test_a_rule_stands_in_one_file_alone(tmp_path: Path) -> None:
    for name in ("a.peg", "b.peg"):
        (tmp_path / name).write_text('start <- "on"', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"b\.peg: start: this rule is also defined in .*a\.peg"):
        peg.load([tmp_path / "a.peg", tmp_path / "b.peg"])
