"""Reading the YAML files of `rules/`: what is wrong in one is told with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from daemon.core.errors import ConfigError


def read(file: Path) -> Any:
    """What a file says.

    Raises:
        ConfigError: it is missing, or no YAML.
    """
    try:
        # The loader in C is the safe one as well, and ten times as fast.
        return yaml.load(file.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(file, None, "", f"cannot be read ({error})", "see that the file is there, as UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        problem = getattr(error, "problem", None) or "is not YAML"
        raise ConfigError(file, line, "", str(problem), "correct the YAML") from None


def mapping(value: Any, file: Path, key: str) -> dict[str, Any]:
    """A value that has to be a mapping; `key` is its path in the file.

    Raises:
        ConfigError: it is none.
    """
    if not isinstance(value, dict):
        line = line_of(file, key.rpartition(".")[2]) if key else 1
        raise ConfigError(file, line, key, "is not a mapping", "write `name: value` lines here")
    return {str(name): item for name, item in value.items()}


def line_of(file: Path, key: str) -> int | None:
    """The first line that begins with this key: near enough to find a mistake by."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip().startswith((f"{key}:", f'"{key}":')):
            return number
    return None
