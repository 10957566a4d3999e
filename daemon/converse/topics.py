"""What can be asked about: the help corpora, `rules/<lang>/help.yaml`."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from daemon.system.languages import optional
from daemon.system.nodes import read_yaml


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that can be said where the home has what it needs."""

    text: str
    needs: str | None = None
    """A capability or an attribute that can be read, `scene`, `area`; None: nothing."""
    kinds: tuple[str, ...] = ()


class Topic(Struct, frozen=True, forbid_unknown_fields=True):
    """What can be asked about."""

    about: str
    """Words with commas."""
    say: tuple[Example, ...] = ()
    kinds: tuple[str, ...] = ()
    overview: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The words of a question that lead here."""
        return tuple(word.strip() for word in self.about.split(","))


def load_topics(rules: Path) -> dict[str, tuple[Topic, ...]]:
    """The corpus of each language that has one; without one there is nothing to ask about.

    Raises:
        ConfigError: a corpus says what none does.
    """
    files = optional(rules, "help.yaml")
    return {lang: tuple(read_yaml(file).into(dict[str, Topic]).values()) for lang, file in files.items()}
