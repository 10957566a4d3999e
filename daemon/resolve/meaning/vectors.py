"""The vectors of texts: read once by an encoder, loaded when it is first needed; kept in memory and on disk.

What another model read is thrown away. Where no encoder can be loaded, things go on without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from daemon.core.errors import HearkenError, ModelCorrupt, ModelError
from daemon.models.store import Store, digest
from daemon.system import storage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from daemon.models.store import Model
    from daemon.resolve.meaning.encoder import Reader


NAME: Final = "encoder"
"""Of our own, in `models/manifest.yaml`."""
_log = logging.getLogger(__name__)


class Shelf:
    """The encoder under a folder of models: our own, or the one that is `wanted` in its place."""

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
    from daemon.resolve.meaning.encoder import CARD, Card, Encoder, Sentences

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


_FILE: Final = "meaning-{}.npz"
_PART: Final = "meaning-*.part"
_LEFT_S: Final = 3600.0
"""So old a part is what a process left that was ended."""
_SPARE: Final = 10_000
"""Texts that are kept beside those asked for now; when there are more, all of them are forgotten."""
_AT_ONCE: Final = 128
"""Texts between two looks at whether anybody still wants them."""
_LENGTH: Final = 1.01
"""No vector is longer than one, but for its rounding."""


class Vectors:
    """The vectors of texts, kept in a folder from one start to the next. Never raises; several threads may ask."""

    def __init__(self, shelf: Shelf, folder: Path | None = None) -> None:
        self._shelf = shelf
        self._folder = folder
        self._lock = threading.Lock()
        self._known: Mapping[str, NDArray[np.float32]] = {}
        self._loaded = self._failed = False
        self._closed = threading.Event()

    @property
    def reader(self) -> Reader | None:
        """The encoder, or None. Blocking."""
        return self._shelf.reader()

    def of(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """A row for each text, which will be asked for again: what the things of a home are called.

        None where there is no encoder, it fails, or nobody wants them any more. Blocking: a millisecond for each text
        that is not yet known, and one caller is served at a time.
        """
        try:
            with self._lock:
                return self._rows(texts)
        except Exception as error:  # noqa: BLE001 - a model may fail in any way; the house goes on without it
            self._say(error)
            return None

    def said(self, text: str) -> NDArray[np.float32] | None:
        """The row of what was said, not kept; None as for `of`. Once the encoder is loaded it waits for nobody."""
        known = self._known.get(text)
        if known is not None:
            return known
        try:
            reader = self.reader
            return reader.read([_encodable(text)])[0] if reader is not None else None
        except Exception as error:  # noqa: BLE001 - as above
            self._say(error)
            return None

    def close(self) -> None:
        """Soon ends what is being read, and keeps what was."""
        self._closed.set()

    def _say(self, error: Exception) -> None:
        if not self._failed:
            self._failed = True
            why = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
            _log.warning("names were not read: %s", why)

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        import numpy as np

        reader = self.reader
        if reader is None:
            return None
        if not self._loaded:
            self._loaded = True
            self._known = self._stored(reader)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        known = self._known
        fresh: dict[str, NDArray[np.float32]] = {}
        for at in range(0, len(new), _AT_ONCE):
            if self._closed.is_set():
                break
            block = new[at : at + _AT_ONCE]
            fresh |= zip(block, reader.read([_encodable(text) for text in block]), strict=True)
        if fresh:
            if len(known) + len(fresh) > len(texts) + _SPARE:
                known = {text: known[text] for text in texts if text in known}
            # As a whole: somebody may be looking into the old one.
            self._known = known = {**known, **fresh}
            self._store(reader)
        return np.stack([known[text] for text in texts]) if len(fresh) == len(new) else None

    def _stored(self, reader: Reader) -> Mapping[str, NDArray[np.float32]]:
        import numpy as np

        if self._folder is None:
            return {}
        file = self._file(reader)
        try:
            with file.open("rb") as source, np.load(source, allow_pickle=False) as data:
                return _checked(data["texts"], data["vectors"], reader.width)
        except FileNotFoundError:
            return {}
        except Exception as error:  # noqa: BLE001 - numpy and zipfile raise a dozen kinds of errors at a damaged file
            _log.info("%s cannot be read (%s) and is made anew", file.name, type(error).__name__)
            return {}

    def _store(self, reader: Reader) -> None:
        """Writes what is known beside what is there, then in its stead. Half precision is enough for a cosine."""
        if self._folder is None:
            return
        import numpy as np

        file, part = self._file(reader), None
        try:
            storage.folder(self._folder)
            # The daemon and a command may write at once, each its own.
            with tempfile.NamedTemporaryFile(
                dir=self._folder, prefix=f"{file.stem}-", suffix=".part", delete=False
            ) as out:
                part = Path(out.name)
                rows = np.stack(list(self._known.values())).astype(np.float16)
                np.savez(out, texts=np.array(list(self._known)), vectors=rows)
            part.replace(file)
            for other in self._folder.glob(_FILE.format("*")):
                if other != file:
                    other.unlink(missing_ok=True)
            for other in self._folder.glob(_PART):
                if other.stat().st_mtime < time.time() - _LEFT_S:
                    other.unlink(missing_ok=True)
        except Exception as error:  # noqa: BLE001 - a disk that is full, or names that numpy cannot hold
            _log.info("what names mean is not kept: %s", getattr(error, "strerror", None) or type(error).__name__)
            if part is not None:
                with contextlib.suppress(OSError):
                    part.unlink(missing_ok=True)

    def _file(self, reader: Reader) -> Path:
        assert self._folder is not None
        return self._folder / _FILE.format(reader.name[:12])


def _checked(texts: NDArray[np.str_], rows: NDArray[np.float16], width: int) -> Mapping[str, NDArray[np.float32]]:
    """What was kept, by its text.

    Raises:
        ValueError: it is none of that: not a text for each row, or no vectors of this width.
    """
    import numpy as np

    if texts.dtype.kind != "U" or texts.ndim != 1 or rows.dtype != np.float16 or rows.shape != (len(texts), width):
        raise ValueError("not a text for each vector")
    vectors = rows.astype(np.float32)
    if not bool((np.linalg.norm(vectors, axis=1) <= _LENGTH).all()):  # nor what is not a number
        raise ValueError("no vectors of length one")
    return dict(zip(texts.tolist(), vectors, strict=True))


def _encodable(text: str) -> str:
    """Without halves of characters, which a name out of JSON may have: one of them would spoil what is read with it."""
    return text.encode("utf-8", "replace").decode("utf-8")
