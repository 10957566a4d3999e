from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
import yaml

from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable, Role

ROOT = Path(__file__).parents[2]
TABLES = Path(__file__).parent / "tables"


@pytest.fixture(scope="session")
def grammar() -> Grammar:
    return Grammar.load(ROOT / "rules")


@pytest.fixture(scope="session")
def home(grammar: Grammar) -> NameTable:
    names = yaml.safe_load((TABLES / "names.yaml").read_text(encoding="utf-8"))
    return grammar.names([NamedThing(text, cast("Role", role)) for role, texts in names.items() for text in texts])
