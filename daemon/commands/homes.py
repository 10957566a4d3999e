"""A home file of either format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daemon.home.config import HomeConfig


def load_any(path: Path) -> HomeConfig:
    """Reads `devices.yaml`, or a JSON home as `eval` reads them.

    Raises:
        ConfigError: it is wrong; says where.
    """
    if path.suffix == ".json":
        from daemon.home.foreign import load_foreign

        return load_foreign(path)
    from daemon.home.loader import load_home

    return load_home(path)
