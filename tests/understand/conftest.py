from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable, Role
from daemon.understand.normalize import normalize
from tests.rules import GRAMMAR
from tests.tables import read_table

ROOT = Path(__file__).parents[2]
TABLES = Path(__file__).parent / "tables"


@pytest.fixture(scope="session")
def grammar() -> Grammar:
    GRAMMAR.read(normalize("胡说八道"), NameTable())  # loads the dictionary of sounds, which no test should wait for
    return GRAMMAR


@pytest.fixture(scope="session")
def home(grammar: Grammar) -> NameTable:
    names = read_table(TABLES / "names.yaml")
    own = read_table(TABLES.parent / "settings.yaml")
    things = [NamedThing(text, cast("Role", role)) for role, texts in names.items() for text in texts]
    settings = [NamedThing(text, "setting", meaning, common=True) for meaning, texts in own.items() for text in texts]
    takes = read_table(TABLES.parent / "options.yaml")
    options = [NamedThing(text, "option", " ".join(of), common=True) for text, of in takes.items()]
    return grammar.names([*things, *settings, *options])
