"""A backup: one tar.gz with whole files and a manifest of them, checked as a whole before anything of it is used."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import os
import shutil
import sqlite3
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final

import msgspec
from msgspec import Struct

from daemon.core.errors import BackupError
from daemon.system import storage
from daemon.system.storage import Schema, Storage, checked, reading

FORMAT: Final = 1
"""Of the archive; a newer one is refused."""
_MANIFEST: Final = "manifest.json"
_MOST_MANIFEST: Final = 1 << 16
_MOST_PLAIN: Final = 1 << 26
_MOST_KEPT: Final = 1 << 32
"""Bytes of the manifest, of a plain file and of one of SQLite; half a million acts take half a GiB."""
_BLOCK: Final = tarfile.BLOCKSIZE
_PIECE: Final = 1 << 20
_UNREADABLE: Final = (
    *(EOFError, gzip.BadGzipFile, zlib.error, tarfile.TarError, UnicodeError),
    *(msgspec.MsgspecError, RecursionError, sqlite3.Error),
)


class Part(Struct, frozen=True):
    """One file of a home."""

    path: Path
    """Where it is used."""
    schema: Schema | None = None
    """What is in it, where it is one of SQLite."""


class Item(Struct, frozen=True, forbid_unknown_fields=True):
    """One file of an archive."""

    size: int
    sha256: str
    schema: int | None = None
    """The version of what is in it, where it is one of SQLite."""


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """What an archive says of itself."""

    format: int
    hearken: str
    """The version that made it."""
    made: str
    """When, by ISO 8601."""
    files: dict[str, Item]
    """By their names, in the order of the archive."""


class _Format(Struct, frozen=True):
    """What can be read of the manifest of any format."""

    format: int
    hearken: str = "of a later time"


def pack(file: Path, parts: Mapping[str, Part], version: str, made: str) -> Manifest:
    """Makes a backup, readable for its owner alone. Who uses the files meanwhile is not disturbed.

    What is kept in SQLite and is not there yet is in it as empty: restored, it is empty again.

    Raises:
        BackupError: there is such a file already, or something cannot be read or written.
    """
    if file.exists():
        raise BackupError(f"{file} is there already; name a file that is not")
    try:
        with TemporaryDirectory(prefix=".hearken-", dir=file.parent) as name:
            made_here = Path(name)
            items = {name: _taken(part, made_here / name) for name, part in parts.items()}
            manifest = Manifest(FORMAT, version, made, items)
            written = made_here / "backup"
            _write(written, manifest, made_here)
            written.replace(file)
    except OSError as error:
        raise BackupError(f"{file} cannot be written: {error.strerror or error}") from None
    return manifest


def unpack(file: Path, parts: Mapping[str, Part], into: Path) -> Manifest:
    """Takes a backup apart into an empty folder, each file by its name and as this Hearken wants it.

    Args:
        file: Anything; it is not trusted.
        parts: What may be in it.
        into: Where what is found good is put. What lies there after an error is of no use.

    Raises:
        BackupError: it is none, it is damaged, or it is from a newer Hearken.
    """
    try:
        with file.open("rb") as raw, gzip.GzipFile(fileobj=raw) as stream:
            manifest = _manifest(io.BytesIO(b"".join(_member(stream, _MANIFEST, None))), parts)
            for name, item in manifest.files.items():
                _unpack(stream, name, item, into / name)
            while rest := stream.read(_PIECE):
                _sound(not any(rest), "something lies behind its end")
        for name, item in manifest.files.items():
            if (schema := parts[name].schema) is not None:
                _brought_up(into / name, item, schema)
    except _UNREADABLE as error:
        raise BackupError(f"{file} is no backup, or is damaged ({error}); take another one") from None
    except OSError as error:
        raise BackupError(f"{file} cannot be unpacked: {error.strerror or error}") from None
    except BackupError as error:
        raise BackupError(f"{file} cannot be used: {error}") from None
    return manifest


def _taken(part: Part, copy: Path) -> Item:
    """Copies a file as it is at one moment."""
    if part.schema is None:
        shutil.copyfile(part.path, copy)
        return _item(copy)
    try:
        with contextlib.closing(sqlite3.connect(storage.file(copy))) as base:
            if part.path.exists():
                with contextlib.closing(reading(part.path)) as used:
                    used.backup(base)
                checked(base)
            else:
                Storage(copy, part.schema).open().close()
            # One file is to be all of it.
            base.execute("PRAGMA journal_mode = DELETE")
            version = _version(base)
    except (sqlite3.Error, ValueError) as error:
        raise BackupError(
            f"{part.path} cannot be read ({error}); where it is damaged, the daemon moves it aside at its next start"
        ) from None
    return _item(copy, version)


def _item(file: Path, schema: int | None = None) -> Item:
    with file.open("rb") as stream:
        return Item(file.stat().st_size, hashlib.file_digest(stream, "sha256").hexdigest(), schema)


def _write(file: Path, manifest: Manifest, files: Path) -> None:
    with (
        os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as raw,
        tarfile.open(fileobj=raw, mode="w:gz", format=tarfile.USTAR_FORMAT) as archive,
    ):
        told = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
        archive.addfile(_header(_MANIFEST, len(told)), io.BytesIO(told))
        for name, item in manifest.files.items():
            with (files / name).open("rb") as stream:
                archive.addfile(_header(name, item.size), stream)
        archive.close()
        raw.flush()
        os.fsync(raw.fileno())


def _header(name: str, size: int) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.size, header.mode = size, 0o600
    return header


def _member(stream: BinaryIO | gzip.GzipFile, name: str, size: int | None) -> Iterator[bytes]:
    """The pieces of the next file of a tar, which must be this plain one; nothing else that a tar can hold is read."""
    header = tarfile.TarInfo.frombuf(_exactly(stream, _BLOCK), "ascii", "strict")
    plain = header.type == tarfile.REGTYPE and header.name == name
    _sound(plain, f"{name} is not where it should be")
    fits = header.size == size if size is not None else 0 < header.size <= _MOST_MANIFEST
    _sound(fits, f"{name} has not the size that it should have")
    left = header.size
    while left:
        piece = _exactly(stream, min(left, _PIECE))
        left -= len(piece)
        yield piece
    _exactly(stream, -header.size % _BLOCK)


def _exactly(stream: BinaryIO | gzip.GzipFile, size: int) -> bytes:
    read = stream.read(size)
    if len(read) != size:
        raise EOFError("it ends too early")
    return read


def _manifest(told: BinaryIO, parts: Mapping[str, Part]) -> Manifest:
    text = told.read()
    found = msgspec.json.decode(text, type=_Format)
    newer = f"it was made by a newer Hearken ({found.hearken}): install that one first"
    _sound(found.format <= FORMAT, newer)
    manifest = msgspec.json.decode(text, type=Manifest)
    for name, item in manifest.files.items():
        part = parts.get(name)
        if part is None:
            known = ", ".join(parts)
            raise BackupError(f"it holds {name!r}, which has no place here; there are places for {known}")
        most = _MOST_PLAIN if part.schema is None else _MOST_KEPT
        _sound(0 <= item.size <= most, f"{name} is larger than {most} bytes")
        _sound((item.schema is None) == (part.schema is None), f"{name} is not what its name says")
        _sound(part.schema is None or (item.schema or 0) <= part.schema.version, newer)
    return manifest


def _unpack(stream: BinaryIO | gzip.GzipFile, name: str, item: Item, into: Path) -> None:
    digest = hashlib.sha256()
    with into.open("xb") as file:
        for piece in _member(stream, name, item.size):
            digest.update(piece)
            file.write(piece)
    _sound(digest.hexdigest() == item.sha256, f"{name} is not what was put into it")


def _brought_up(file: Path, item: Item, schema: Schema) -> None:
    """Checks a file of SQLite, and gives it the newest form."""
    with contextlib.closing(sqlite3.connect(file)) as base:
        _sound(_version(base) == item.schema, f"{file.name} has another form than it should have")
    with contextlib.closing(Storage(file, schema).open()) as base, contextlib.closing(_empty(schema)) as empty:
        try:
            checked(base)
        except ValueError as error:
            raise BackupError(f"{file.name} is damaged: {error}") from None
        _sound(_things(base) == _things(empty), f"{file.name} holds something else than {schema.holds}")


def _empty(schema: Schema) -> sqlite3.Connection:
    base = sqlite3.connect(":memory:")
    for script in schema.migrations:
        base.executescript(script)
    return base


def _things(base: sqlite3.Connection) -> set[tuple[str, ...]]:
    return set(base.execute("SELECT type, name, tbl_name FROM sqlite_schema"))


def _version(base: sqlite3.Connection) -> int:
    return int(base.execute("PRAGMA user_version").fetchone()[0])


def _sound(holds: bool, problem: str) -> None:  # noqa: FBT001 - what must hold stands first, as in `assert`
    if not holds:
        raise BackupError(problem)
