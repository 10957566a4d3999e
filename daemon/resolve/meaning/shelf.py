"""Where the encoder is taken from: loaded when it is first needed; where it cannot be, things go on without it."""

from __future__ import annotations

import hashlib
import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from daemon.core.errors import HearkenError, ModelCorrupt
from daemon.models.store import Store, digest

if TYPE_CHECKING:
    from daemon.models.manifest import Model
    from daemon.resolve.meaning.encoder import Reader

NAME: Final = "encoder"
"""Of our own, in `models/manifest.yaml`."""
_log = logging.getLogger(__name__)


class Shelf:
    """The encoder under a folder of models.

    Args:
        models: The folder with `manifest.yaml`.
        wanted: The name of a larger one there, which takes the place of our own; None: our own.
    """

    def __init__(self, models: Path, wanted: str | None = None) -> None:
        self._models = models
        self._wanted = wanted
        self._lock = threading.Lock()
        self._looked = False
        self._encoder: Reader | None = None

    def reader(self) -> Reader | None:
        """The encoder, its hashes checked; None where it is missing or wrong, which is logged once. Blocking.

        Where that is so of a larger one, our own is taken.
        """
        with self._lock:
            if not self._looked:
                self._looked = True
                larger = self._load(self._wanted) if self._wanted is not None else None
                self._encoder = larger if larger is not None else self._load(NAME)
            return self._encoder

    def _load(self, name: str) -> Reader | None:
        called = "the encoder" if name == NAME else f"the encoder {name}"
        try:
            store = Store(self._models)
            model = next((item for item in store.manifest.models if item.name == name), None)
            if model is None and name == NAME:
                return None
            model = store.manifest.get(name)
            status = store.status(model, deep=True)
            if status.state == "missing" and name == NAME:
                _log.info("no encoder under %s: names are found by what they look and sound like", self._models.name)
                return None
            if status.state != "installed":
                problem = status.problem or "it is not here"
                _log.warning("%s is not used: %s; `%s` gets it", called, problem, model.command)
                return None
            return _opened(store, model)
        except HearkenError as error:
            _log.warning("%s is not used: %s", called, error)
        except ImportError as error:
            _log.warning("%s is not used: %s is not installed", called, error.name)
        except Exception as error:  # noqa: BLE001 - a disk or an engine may fail in any way; the house goes on without it
            why = getattr(error, "strerror", None) or type(error).__name__
            _log.warning("%s is not used: %s", called, why)
        return None


def _opened(store: Store, model: Model) -> Reader:
    """The encoder in the folder of a model.

    Raises:
        ModelCorrupt: a file is missing, or is no such thing.
    """
    from daemon.resolve.meaning.encoder import CARD, Card, Encoder
    from daemon.resolve.meaning.sentences import Sentences

    file = next((item for item in model.files if item.name.endswith(".onnx")), None)
    if file is None:
        raise ModelCorrupt(f"{model.name} has no file in ONNX")
    name = _name(store, model)
    if model.style != "sentence":
        return Encoder(store.folder(model), name)
    # What other homes have stands with our own.
    things = Card.load(store.root / NAME / CARD).things
    return Sentences(store.folder(model) / file.name, name, model.prefix, things)


def _name(store: Store, model: Model) -> str:
    """A hash of all that its vectors come of: other words, or another prefix, are read as something else."""
    hashes = (store.expected(model, file)[1] or digest(store.folder(model) / file.name) for file in model.files)
    return hashlib.sha256(" ".join((*hashes, model.prefix)).encode()).hexdigest()
