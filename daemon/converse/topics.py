"""What can be asked about: the help corpora, `rules/<lang>/help.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from daemon.core.errors import ConfigError
from daemon.system.languages import optional


@dataclass(frozen=True, slots=True)
class Example:
    """Something that can be said where the home has what it needs."""

    text: str
    needs: str | None = None
    """A capability or an attribute that can be read, `scene`, `area`; None: nothing."""
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """What can be asked about."""

    about: tuple[str, ...]
    examples: tuple[Example, ...] = ()
    kinds: tuple[str, ...] = ()
    overview: bool = False


def load_topics(rules: Path) -> dict[str, tuple[Topic, ...]]:
    """The corpus of each language that has one; without one there is nothing to ask about.

    Raises:
        ConfigError: a corpus says what none does.
    """
    return {lang: _read(file) for lang, file in optional(rules, "help.yaml").items()}


def _read(file: Path) -> tuple[Topic, ...]:
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(file, None, "", f"cannot be read ({error})", "restore the file") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise ConfigError(file, mark.line + 1 if mark else None, "", "is not YAML", "mend the line") from None
    if not isinstance(data, dict):
        raise ConfigError(file, None, "", "has no topics", "restore the file")
    return tuple(_topic(name, entry, file) for name, entry in data.items())


def _topic(name: str, entry: Any, file: Path) -> Topic:
    try:
        return Topic(
            tuple(word.strip() for word in entry["about"].split(",")),
            tuple(
                Example(item["text"], item.get("needs"), tuple(item.get("kinds", ()))) for item in entry.get("say", ())
            ),
            tuple(entry.get("kinds", ())),
            entry.get("overview", False),
        )
    except (AttributeError, KeyError, TypeError):
        raise ConfigError(file, None, str(name), "is no topic", "see the top of the file") from None
