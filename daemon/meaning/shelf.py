"""Where the encoder is taken from: loaded when it is first needed; where it cannot be, things go on without it."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from daemon.errors import HearkenError
from daemon.models.store import Store

if TYPE_CHECKING:
    from daemon.meaning.encoder import Reader

NAME: Final = "encoder"
"""In `models/manifest.yaml`."""
_log = logging.getLogger(__name__)


class Shelf:
    """The encoder under a folder of models.

    Args:
        models: The folder with `manifest.yaml`.
    """

    def __init__(self, models: Path) -> None:
        self._models = models
        self._lock = threading.Lock()
        self._looked = False
        self._encoder: Reader | None = None

    def reader(self) -> Reader | None:
        """The encoder, its hashes checked; None where it is missing or wrong, which is logged once. Blocking."""
        with self._lock:
            if not self._looked:
                self._looked = True
                self._encoder = self._load()
            return self._encoder

    def _load(self) -> Reader | None:
        from daemon.meaning.encoder import MODEL, Encoder

        try:
            store = Store(self._models)
            model = next((item for item in store.manifest.models if item.name == NAME), None)
            if model is None:
                return None
            status = store.status(model, deep=True)
            if status.state == "missing":
                _log.info("no encoder under %s: names are found by what they look and sound like", self._models.name)
                return None
            if status.state == "corrupt":
                _log.warning("the encoder is not used: %s", status.problem)
                return None
            file = next(item for item in model.files if item.name == MODEL)
            return Encoder(store.folder(model), file.sha256 or "unknown")
        except (HearkenError, StopIteration) as error:
            _log.warning("the encoder is not used: %s", error)
            return None
        except ImportError as error:
            _log.warning("the encoder is not used: %s is not installed", error.name)
            return None
