"""The tables that the tests are made of."""

from pathlib import Path
from typing import Any, Final

import yaml

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""In C where there is one: ten thousand sentences are read again by each process that runs tests."""


def read_table(path: Path) -> Any:
    """What a YAML file says."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
