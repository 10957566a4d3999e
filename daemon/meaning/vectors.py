"""The vectors of texts: read once, kept in memory and on disk. What another model read is thrown away."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zipfile import BadZipFile

from daemon.errors import ModelError
from daemon.meaning.shelf import Shelf

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from daemon.meaning.encoder import Read, Reader

_FILE: Final = "meaning-{}.npz"
_MOST: Final = 200_000
"""Texts that are kept; beyond, all but those asked for now are forgotten."""
_log = logging.getLogger(__name__)


class Vectors:
    """The vectors of texts. Never raises; several threads may ask, one is served at a time.

    Args:
        shelf: Where the encoder is.
        folder: Where the vectors are kept from one start to the next; None: they are not.
    """

    def __init__(self, shelf: Shelf, folder: Path | None = None) -> None:
        self._shelf = shelf
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[str, NDArray[np.float32]] = {}
        self._loaded = False

    @property
    def reader(self) -> Reader | None:
        """The encoder, or None. Blocking."""
        return self._shelf.reader()

    def of(self, texts: Sequence[str], *, keep: bool) -> NDArray[np.float32] | None:
        """A row for each text; None where there is no encoder. Blocking: a millisecond for each text not yet known.

        Args:
            texts: At least one.
            keep: Whether they will be asked for again: what a home's things are called, but not what is said.
        """
        import numpy as np

        reader = self.reader
        if reader is None:
            return None
        with self._lock:
            if not self._loaded:
                self._loaded = True
                self._known = self._stored(reader)
            new = [text for text in dict.fromkeys(texts) if text not in self._known]
            read = self._read(reader, new) if new else None
            if new and read is None:
                return None
            fresh = dict(zip(new, read.vectors, strict=True)) if read is not None else {}
            rows = np.stack([fresh[text] if text in fresh else self._known[text] for text in texts])
            if keep and fresh:
                if len(self._known) + len(fresh) > _MOST:
                    self._known = {text: self._known[text] for text in texts if text in self._known}
                self._known |= fresh
                self._store(reader)
            return rows

    def _read(self, reader: Reader, texts: Sequence[str]) -> Read | None:
        try:
            return reader.read(texts)
        except ModelError as error:
            _log.warning("names were not read: %s", error)
            return None

    def _stored(self, reader: Reader) -> dict[str, NDArray[np.float32]]:
        import numpy as np

        if self._folder is None or not (file := self._file(reader)).exists():
            return {}
        try:
            with file.open("rb") as source, np.load(source, allow_pickle=False) as data:
                texts, rows = data["texts"].tolist(), data["vectors"].astype(np.float32)
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            _log.info("%s cannot be read (%s) and is made anew", file.name, type(error).__name__)
            return {}
        return dict(zip(texts, rows, strict=False))

    def _store(self, reader: Reader) -> None:
        """Writes what is known beside what is there, then in its stead. Half precision is enough for a cosine."""
        if self._folder is None:
            return
        import numpy as np

        file = self._file(reader)
        part = file.with_suffix(".part")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as out:
                rows = np.stack(list(self._known.values())).astype(np.float16)
                np.savez(out, texts=np.array(list(self._known)), vectors=rows)
            part.replace(file)
            _remove(other for other in self._folder.glob(_FILE.format("*")) if other != file)
        except OSError as error:
            _log.info("what names mean is not kept: %s", error.strerror)

    def _file(self, reader: Reader) -> Path:
        assert self._folder is not None
        return self._folder / _FILE.format(reader.name[:12])


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
