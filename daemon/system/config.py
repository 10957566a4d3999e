"""Where things are: rules, models, state, the control socket and the home file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from msgspec import Struct


def find_root(code: Path) -> Path:
    """The folder that holds `rules/`, `models/` and `devices.yaml`.

    In a checkout it holds the package too. A wheel puts it into `share/hearken` of the prefix, some folders above.

    Args:
        code: The folder of the package.
    """
    if not (code.parent / "rules").is_dir():
        for above in code.parents:
            if (installed := above / "share" / "hearken" / "rules").is_dir():
                return installed.parent
    return code.parent


ROOT = find_root(Path(__file__).resolve().parents[1])
_CHECKOUT = (ROOT / "Makefile").exists()
COMMAND = "python -m daemon" if _CHECKOUT else "hearken"
"""How Hearken is called on this machine, for what is to be typed."""
_WITHOUT_MAKE = {
    "llama": f"{sys.prefix}/bin/pip install llama-cpp-python",
    "models": f"{COMMAND} models fetch",
    "run": f"{COMMAND} run",
    "setup": "pip install --force-reinstall hearken",
}


def make(target: str) -> str:
    """What is to be typed for what `make` does in a checkout; from a wheel or a package there is none."""
    return f"make {target}" if _CHECKOUT else _WITHOUT_MAKE[target]


class Paths(Struct, frozen=True):
    """The files and folders that one process uses."""

    home: Path
    """The home file, `devices.yaml` or a JSON home."""
    rules: Path
    models: Path
    state: Path
    """What must survive a restart: the audit log and what was learnt."""
    socket: Path
    """Where a running daemon can be asked."""

    @property
    def learnt(self) -> Path:
        """The file of what was learnt."""
        return self.state / "learnt.db"

    @property
    def later(self) -> Path:
        """The file of what was kept for later."""
        return self.state / "later.db"

    @property
    def lists(self) -> Path:
        """The file of what is on the lists."""
        return self.state / "lists.db"

    @classmethod
    def of(cls, home: Path | None = None) -> Paths:
        """The paths of this process: as systemd gives them, else by the XDG conventions.

        The home is what `--home` said, else `$HEARKEN_HOME`, else `devices.yaml` beside `daemon/`.
        """
        state = _folder("STATE_DIRECTORY", "XDG_STATE_HOME", ".local/state")
        runtime = _folder("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", ".local/state")
        return cls(
            home=home or Path(os.environ.get("HEARKEN_HOME") or ROOT / "devices.yaml"),
            rules=Path(os.environ.get("HEARKEN_RULES") or ROOT / "rules"),
            models=Path(os.environ.get("HEARKEN_MODELS") or ROOT / "models"),
            state=state,
            socket=runtime / "control.sock",
        )


def _folder(systemd: str, xdg: str, fallback: str) -> Path:
    if given := os.environ.get(systemd):
        return Path(given.split(":", maxsplit=1)[0])
    base = os.environ.get(xdg)
    return (Path(base) if base else Path.home() / fallback) / "hearken"
