"""Which engines hear and speak each language: `rules/<lang>/speech.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

from daemon.system.config import Paths
from daemon.system.languages import languages, optional
from daemon.system.nodes import read_yaml

Sounds = Literal["words", "syllables"]


class Engines(Struct, frozen=True, forbid_unknown_fields=True):
    """What each engine has to know of one language; None: it does not know the language."""

    whisper: str | None = None
    """What stands before the home's names in its prompt."""
    simplified: bool = False
    """Whether what was heard is written in simplified characters."""
    sphinx: Sounds | None = None
    """What its sentences are made of: words of the dictionary in its wheel, or syllables of an installed model."""
    espeak: str | None = None
    """The name of espeak-ng's voice."""


def engines(rules: Path | None = None) -> Mapping[str, Engines]:
    """The engines of every language of a folder of rules; without one, of this installation's.

    Raises:
        ConfigError: a file says what none does.
    """
    return _read(rules or Paths.of().rules)


@lru_cache(maxsize=8)
def _read(rules: Path) -> Mapping[str, Engines]:
    known = f"write whisper, simplified, sphinx ({' or '.join(get_args(Sounds))}) and espeak"
    files = optional(rules, "speech.yaml")
    return {
        lang: read_yaml(files[lang]).into(Engines, known) if lang in files else Engines() for lang in languages(rules)
    }
