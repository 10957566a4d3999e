from pathlib import Path

import pytest

from daemon.compiler.meanings import Meanings
from daemon.understand.grammar import Grammar

RULES = Path(__file__).resolve().parents[2] / "rules"


@pytest.fixture(scope="session")
def grammar() -> Grammar:
    return Grammar.load(RULES)


@pytest.fixture(scope="session")
def meanings() -> Meanings:
    return Meanings.load(RULES)
