"""What is said twice between commas."""

import pytest

from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable
from daemon.understand.normalize import normalize
from daemon.understand.spellings import Spellings


def kinds(grammar: Grammar, names: NameTable, text: str) -> list[str | None]:
    [program, *_] = grammar.read(normalize(text), names)
    return [target.mention or target.kind for clause in program.clauses for target in clause.targets]


def test_a_name_is_none_of_another_that_ends_so(grammar: Grammar) -> None:
    names = grammar.names([NamedThing("Desk lamp", "device"), NamedThing("Lamp", "device")])
    assert kinds(grammar, names, "desk lamp, lamp off") == ["desk lamp", "lamp"]
    assert kinds(grammar, names, "the desk lamp, the desk lamp, off") == ["desk lamp"]


def test_a_command_said_twice_is_two(grammar: Grammar, home: NameTable) -> None:
    [program, *_] = grammar.read(normalize("turn on the kitchen light, turn on the kitchen light"), home)
    assert len(program.clauses) == 2


def test_nothing_else_is_said(grammar: Grammar, home: NameTable) -> None:
    [program, *_] = grammar.read(normalize("next song, next song"), home)
    assert len(program.clauses) == 2


@pytest.mark.parametrize(
    ("name", "said", "is_one"),
    [
        ("圆圆房间", "圆圆那屋", True),
        ("圆圆房", "圆圆屋里", True),
        ("书房", "书那屋", False),
        ("圆圆灯", "圆圆那屋", False),
    ],
)
def test_whose_room_it_is(grammar: Grammar, name: str, said: str, *, is_one: bool) -> None:
    spellings = Spellings(grammar.numbers, grammar.lexicon.words("ROOMENDS"))
    assert (said in spellings(name)) is is_one
