"""What the daemon remembers is bounded: no cache grows with what is said, or with what a broker tells."""

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

DAEMON = Path(__file__).resolve().parent.parent / "daemon"
MOST = 20_000
"""Entries of one cache."""
BY_NATURE = {
    "daemon.core.values._defaults",  # types
    "daemon.understand.parts._said_by",  # rules of the grammar
    "daemon.compiler.llama._quiet",  # the library
}
"""Functions without a bound whose arguments are few, whatever is said."""
USES_OF_RE = [f"re.{name}" for name in ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")]


@cache
def modules(having: str = "") -> list[tuple[str, ast.Module]]:
    """The modules in whose text this stands."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(DAEMON.rglob("*.py"))}
    return [
        (".".join(path.relative_to(DAEMON.parent).with_suffix("").parts), ast.parse(text))
        for path, text in texts.items()
        if having in text
    ]


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def endless() -> Iterator[str]:
    """The functions with arguments of which everything is remembered."""
    for module, tree in modules("cache"):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and ast.unparse(node.args):
                yield from (f"{module}.{node.name}" for item in node.decorator_list if _name(item) == "cache")


def bounds() -> Iterator[object]:
    """The bound of every other cache."""
    for module, tree in modules("lru_cache"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _name(node.func) == "lru_cache":
                bound = (*node.args, *(item.value for item in node.keywords if item.arg == "maxsize"))[0]
                found = (
                    getattr(import_module(module), bound.id) if isinstance(bound, ast.Name) else ast.literal_eval(bound)
                )
                yield pytest.param(found, id=f"{module} {node.lineno}")


def patterns() -> Iterator[str]:
    """Where a pattern is made of something else and used at once: `re` keeps the last five hundred of them."""
    for module, tree in modules("re."):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in USES_OF_RE and not _is_constant(node.args[0]):
                yield f"{module} {node.lineno}"


def _is_constant(pattern: ast.expr) -> bool:
    return isinstance(pattern, ast.Constant) or (isinstance(pattern, ast.Name) and pattern.id.lstrip("_").isupper())


def test_no_pattern_is_made_of_what_is_said() -> None:
    assert list(patterns()) == []


def test_everything_is_remembered_only_of_what_is_little() -> None:
    assert set(endless()) == BY_NATURE


@pytest.mark.parametrize("bound", list(bounds()))
def test_every_cache_has_a_bound(bound: object) -> None:
    assert isinstance(bound, int)
    assert bound <= MOST
