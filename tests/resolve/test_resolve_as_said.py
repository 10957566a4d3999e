"""Names are published as they were said: what the IR calls a mention, an area or a floor stands in the sentence."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.core.values import to_dict
from daemon.home.registry import Registry
from daemon.resolve.named import kinds_of
from daemon.understand.lexicon import WordClass
from daemon.understand.names import NamedThing
from daemon.understand.normalize import normalize, plain_text, rejoined
from tests.home.houses import default_home
from tests.rules import GRAMMAR
from tests.tables import read_table

TESTS = Path(__file__).resolve().parents[1]
TABLES = TESTS / "understand" / "tables"
REWRITTEN = WordClass(GRAMMAR.lexicon.rewrites)
"""What the lexicon puts in the stead of a word ("telly", 烧水) is as good as said."""


def the_default_home() -> tuple[NamedThing, ...]:
    home = default_home()
    registry = Registry(home.entities, home.people)
    registry.imply(kinds_of(GRAMMAR.lexicon), GRAMMAR.lexicon.place_words)
    return tuple(NamedThing(text, role) for text, role in registry.named())


def the_home_of_the_tables() -> tuple[NamedThing, ...]:
    names = read_table(TABLES / "names.yaml")
    return tuple(NamedThing(text, role) for role, texts in names.items() for text in texts)


@pytest.mark.parametrize("things", [the_default_home(), the_home_of_the_tables()], ids=["default", "tables"])
def test_names_are_published_as_they_were_said(things: tuple[NamedThing, ...]) -> None:
    names = GRAMMAR.names(list(things))
    owners = sorted({re.escape(plain_text(item.text)) for item in things if item.role != "floor"})
    owned = re.compile(rf"\b({'|'.join(owners)})s\b")
    sayings, wrong = 0, []
    for sentence in sentences():
        said = normalize(sentence)
        texts = [said.text, REWRITTEN.replaced(said.text)]
        texts += [owned.sub(r"\1", text) for text in texts]  # "the kitchen's light" has lost its apostrophe
        texts.append(rejoined(said, GRAMMAR.lexicon.words).text)  # a length of time may part a verb and its object
        for program in GRAMMAR.read(said, names)[:1]:
            sayings += 1
            wrong += [
                (name, said.text) for name in named(to_dict(program)) if not any(in_words(name, text) for text in texts)
            ]
    assert wrong == []
    assert sayings > 4000


def in_words(name: str, text: str) -> bool:
    """Whether it stands there in whole words: "upstair" is not in "upstairs"; a scooter has its charger."""
    name = name.removesuffix(" charger")
    return re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text) is not None


def sentences() -> Iterator[str]:
    for path in sorted(TABLES.glob("*.yaml")):
        if path.name != "names.yaml":
            for entry in read_table(path):
                yield from entry["say"]


def named(part: Any) -> Iterator[str]:
    """Every mention, area and floor in a part of the IR."""
    if isinstance(part, dict):
        yield from filter(None, [part.get("mention"), *part.get("areas", ()), *part.get("floors", ())])
        for item in part.values():
            yield from named(item)
    elif isinstance(part, list):
        for item in part:
            yield from named(item)
