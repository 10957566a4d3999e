from pathlib import Path

import pytest

from daemon.compiler.filling import Filling
from daemon.compiler.gbnf import DraftGrammar
from daemon.compiler.meanings import Meanings
from daemon.understand.grammar import Grammar
from tests.rules import GRAMMAR

RULES = Path(__file__).resolve().parents[2] / "rules"


@pytest.fixture(autouse=True)
def _llm(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("llm") is not None:
        pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed (`make llama`)")


@pytest.fixture(scope="session")
def grammar() -> Grammar:
    return GRAMMAR


@pytest.fixture(scope="session")
def meanings() -> Meanings:
    return Meanings.load(RULES)


@pytest.fixture(scope="session")
def filling(meanings: Meanings, grammar: Grammar) -> Filling:
    return Filling(meanings, grammar)


@pytest.fixture(scope="session")
def drafts(meanings: Meanings, filling: Filling) -> DraftGrammar:
    return DraftGrammar(meanings, filling)
