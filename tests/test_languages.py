"""No word of a language in code: what belongs to one language stands in its folder of rules."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.system.languages import LANGS, naming
from daemon.understand.lexicon import Lexicon

DAEMON = Path(__file__).resolve().parent.parent / "daemon"
RULES = DAEMON.parent / "rules"
LONGEST = 160
"""Characters in a line of a grammar."""
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")

LANGUAGE = {
    "commands/run.py": "the sentences that are shown to be tried",
    "system/languages.py": "digits of any script, and how Chinese characters are read; the main language",
    "resolve/sounds.py": "how words sound that are misheard",
    "hear/tongues.py": "how the numbers of a language are spoken to its recogniser",
    "understand/normalize.py": "what two scripts write differently",
}
"""The language modules: letters are what they are about."""


OTHERWISE = {
    "compiler/meanings.py": {"but"},
    "mqtt/dialects/template_sandbox.py": {"in"},
    "schedule/entries.py": {"of"},
}
"""What only looks like a word of a language: a slot of the model, a word of Jinja, a
field in the store, the main language."""

TERMS = {"on", "at", "not"}
"""Little words of English that are terms as well: a state, a column, a part of the IR."""


def test_no_line_of_a_grammar_is_too_long_to_read() -> None:
    files = sorted(RULES.rglob("*.peg"))
    lines = [(file, line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert lines
    assert [(file.name, line) for file, line in lines if len(line) > LONGEST] == []


def test_no_letter_of_a_language_stands_in_code() -> None:
    found = {name for name, tree in _others() if any(map(_is_written, _literals(tree)))}
    assert found == set(), "move the words to rules/<lang>/"


def test_no_code_looks_for_a_little_word_of_a_language() -> None:
    """A name is taken apart by the words that the folders tell, not by "the", "my" and "of"."""
    little = _little_words()
    assert {"the", "my", "except"} <= little
    found = {
        (name, text)
        for name, tree in _others()
        for text in _looked_for(tree)
        if _is_little(text, little - OTHERWISE.get(name, set()))
    }
    assert found == set(), "move the words to rules/<lang>/"


def test_no_code_names_a_language() -> None:
    found = {
        (name, text)
        for name, tree in _others()
        for text in _literals(tree)
        if text in LANGS and text not in OTHERWISE.get(name, set())
    }
    assert found == set(), "a language is a folder: what holds of it is told there"


@pytest.mark.parametrize(
    "source",
    [
        'ARTICLES = ("the", "my")',
        'if word == "my": pass',
        'rest = name.removeprefix("the ")',
        'found = re.compile(r"\\b(?:not|except|without)\\b")',
        'joined = " of ".join(names)',
        '{"my": 1}.get(word)',
    ],
)
def test_a_little_word_is_found(source: str) -> None:
    assert any(_is_little(text, _little_words()) for text in _looked_for(ast.parse(source)))


def _others() -> Iterator[tuple[str, ast.Module]]:
    """The modules that know no language, by name."""
    for path in sorted(DAEMON.rglob("*.py")):
        name = path.relative_to(DAEMON).as_posix()
        if name not in LANGUAGE:
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def _little_words() -> set[str]:
    """What stands around names: of places, of owners, of what is not meant."""
    around = Lexicon.load(DAEMON.parent / "rules").around_places
    told = (word for one in naming().values() for word in (*one.mine, *one.of, *one.spared))
    return {word for word in (*around, *told) if len(word) > 1}


def _looked_for(tree: ast.Module) -> Iterator[str]:
    """Texts that are compared, listed, looked up, or searched for in another: not those that are said."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=attr), args=args) if attr in _SEARCHES:
                parts: list[ast.AST | None] = [value, *args]
            case ast.Compare() | ast.Set() | ast.Tuple() | ast.List():
                parts = list(ast.iter_child_nodes(node))
            case ast.Dict(keys=keys):
                parts = list(keys)
            case _:
                continue
        yield from (part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))


_SEARCHES = {
    *("compile", "fullmatch", "match", "search", "sub", "get", "startswith", "endswith", "removeprefix"),
    *("removesuffix", "split", "partition", "rpartition", "replace", "join"),
}


def _is_little(text: str, little: set[str]) -> bool:
    """Whether a text, or a pattern without what it is written with, is made of such words alone."""
    words = set(re.findall(r"(?<![A-Za-z_])[a-z]{2,}(?![A-Za-z_])", re.sub(r"\\[a-zA-Z]|\[[^\]]*\]|\(\?", " ", text)))
    return words <= little and not words <= TERMS


def _literals(tree: ast.Module) -> list[str]:
    """The strings of a module that are no docstrings."""
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in told)
    return [node.value for node in nodes if isinstance(node.value, str)]


def _is_written(text: str) -> bool:
    """Whether there is a character in it that is no bound of a range: "[\u4e00-\u9fff]" names a script, no word."""
    return HAN.search(re.sub("[\u3400\u4dbf\u4e00\u9fff]", "", text)) is not None
