"""No word of a language in code: what is written in Chinese stands in the folder of the language."""

import ast
import re
from pathlib import Path

DAEMON = Path(__file__).resolve().parent.parent / "daemon"
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")

LANGUAGE = {
    "commands/run.py": "the sentences that are shown to be tried",
    "core/digits.py": "digits of any script",
    "hear/tongues.py": "how the numbers of a language are spoken to its recogniser",
    "understand/normalize.py": "what two scripts write differently",
    "evaluate/bench.py": "sentences that are measured",
    "evaluate/sample.py": "homes that are made up",
}
"""The language modules: letters are what they are about."""

LEFT = {
    "discovery/find.py",
    "discovery/homeassistant/assemble.py",
    "dialogue/options.py",
    "home/names.py",
    "resolve/evidence.py",
    "resolve/resolver.py",
    "understand/numbered.py",
    "understand/tidy.py",
}
"""Modules that still have words of their own, which belong in a lexicon. None may come to them."""


def test_no_letter_of_a_language_stands_in_code() -> None:
    found = {str(path.relative_to(DAEMON)) for path in DAEMON.rglob("*.py") if any(map(_is_written, _literals(path)))}
    assert found - set(LANGUAGE) - LEFT == set(), "move the words to rules/<lang>/"
    assert found >= LEFT, "take those that have no words any more out of the list"


def _literals(path: Path) -> list[str]:
    """The strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in told)
    return [node.value for node in nodes if isinstance(node.value, str)]


def _is_written(text: str) -> bool:
    """Whether there is a character in it that is no bound of a range: "[\u4e00-\u9fff]" names a script, no word."""
    return HAN.search(re.sub("[\u3400\u4dbf\u4e00\u9fff]", "", text)) is not None
