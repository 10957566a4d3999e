"""Fetching models: by pinned revision over HTTPS, resumed where it broke off, checked, and never half there."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO, Any, TextIO
from urllib.parse import quote, urlsplit

from msgspec import Struct

from daemon.core.errors import ModelCorrupt, ModelError, ModelMissing
from daemon.models.store import CHUNK, Model, ModelFile, Store

ENDPOINT = "https://huggingface.co"
TIMEOUT = 30.0
"""Seconds without a byte."""
MAX_BYTES = 4 << 30
"""No model file is larger."""

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class Progress(Struct, frozen=True):
    """Bytes of one file so far; `total` is None where the server does not say."""

    model: str
    file: str
    done: int
    total: int | None


def fetch(
    store: Store,
    names: Sequence[str] = (),
    *,
    endpoint: str | None = None,
    progress: Callable[[Progress], None] = lambda _progress: None,
) -> tuple[Model, ...]:
    """Fetches models, those marked `default` if none is named; what is installed and whole is left alone.

    `endpoint` replaces $HF_ENDPOINT and the default; it must be https unless it is this machine. Returns what was
    fetched now; `progress` is told every megabyte.

    Raises:
        UsageError: no model is called that.
        ModelMissing: a model has no source to fetch it from.
        ModelCorrupt: what came is not what it should be.
        ModelError: the source cannot be reached, or the disk is full.
    """
    endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")
    _check_address(endpoint)
    models = [store.manifest.get(name) for name in names] or list(store.manifest.defaults())
    with _alone(store):
        return tuple(model for model in models if _fetch_model(store, model, endpoint, progress))


def add(store: Store, name: str, folder: Path) -> Model:
    """Installs a model from files that are already on this machine; they are copied.

    Raises:
        UsageError: no model is called that.
        ModelMissing: a file is not in the folder.
        ModelCorrupt: a file is not what the manifest says.
    """
    model = store.manifest.get(name)
    with _alone(store):
        staging = _staging(store, model)
        for file in model.files:
            source = folder / file.name
            if not source.is_file():
                raise ModelMissing(name, f"{source} is not there")
            if problem := store.problem(model, file, source, deep=True):
                raise ModelCorrupt(f"{source}: {problem}")
            shutil.copyfile(source, staging / file.name)
        _install(store, model, staging)
    return model


def _fetch_model(store: Store, model: Model, endpoint: str, progress: Callable[[Progress], None]) -> bool:
    if store.status(model, deep=True).state == "installed":
        return False
    if model.repo is None:
        raise ModelMissing(model.name, f"it cannot be fetched: `{model.command}` installs it from files you have")
    staging = _staging(store, model)
    _check_space(store, model)
    for file in model.files:
        target = staging / file.name
        for here in (target, store.folder(model) / file.name):
            known = store.expected(model, file)[1] is not None
            if known and not store.problem(model, file, here, deep=True):
                if here != target:
                    shutil.copyfile(here, target)
                break
        else:
            url = f"{endpoint}/{model.repo}/resolve/{model.revision}/{quote(file.path)}"
            _fetch_file(store, model, file, url, target, progress)
    _install(store, model, staging)
    return True


def _fetch_file(
    store: Store, model: Model, file: ModelFile, url: str, target: Path, progress: Callable[[Progress], None]
) -> None:
    part = target.with_name(target.name + ".part")
    try:
        size, _ = store.expected(model, file)
        _download(url, part, size, lambda done, total: progress(Progress(model.name, file.name, done, total)))
    except urllib.error.HTTPError as error:
        error.close()
        raise ModelError(f"{model.name}: {url} answered {error.code} {error.reason}") from error
    except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", None) or error
        host = urlsplit(url).netloc
        raise ModelError(
            f"{model.name}: {host} cannot be reached ({_one_line(reason)}); run the same command again to go on"
        ) from error
    except OSError as error:
        raise ModelError(f"{model.name}: cannot write to {part.parent} ({error.strerror})") from error
    if problem := store.problem(model, file, part, deep=True):
        part.unlink()
        raise ModelCorrupt(f"{model.name}: what came as {file.name} is wrong ({problem}); nothing was installed")
    part.replace(target)


def _download(url: str, part: Path, size: int | None, progress: Callable[[int, int | None], None]) -> None:
    done = part.stat().st_size if part.is_file() else 0
    if size is not None and done > size:
        part.unlink()
        done = 0
    if size is not None and done == size:
        return
    headers = {"User-Agent": "hearken", "Accept-Encoding": "identity"} | ({"Range": f"bytes={done}-"} if done else {})
    try:
        response = _OPENER.open(urllib.request.Request(url, headers=headers), timeout=TIMEOUT)  # noqa: S310 - checked
    except urllib.error.HTTPError as error:
        if error.code != 416 or not done:  # noqa: PLR2004 - range not satisfiable: what is there is no beginning of it
            raise
        error.close()
        part.unlink()
        _download(url, part, size, progress)
        return
    with response:
        if response.status != 206:  # noqa: PLR2004 - partial content; any other answer is the whole file
            done = 0
        total = size or _total(response, done)
        with part.open("ab" if done else "wb") as out:
            _copy(response, out, done, total, progress)


def _copy(
    response: HTTPResponse, out: IO[bytes], done: int, total: int | None, progress: Callable[[int, int | None], None]
) -> None:
    limit = MAX_BYTES if total is None else total
    while chunk := response.read(CHUNK):
        done += len(chunk)
        if done > limit:
            raise HTTPException("the file is longer than it should be")
        out.write(chunk)
        progress(done, total)
    if total is not None and done < total:
        raise HTTPException("the connection broke off")


def _total(response: HTTPResponse, done: int) -> int | None:
    length = response.headers.get("Content-Length")
    return done + int(length) if length is not None and length.isdecimal() else None


def _install(store: Store, model: Model, staging: Path) -> None:
    """Puts a whole folder in its place in one step."""
    for file in model.files:
        if file.sha256 is None and store.expected(model, file)[1] is None:
            store.record(model, file, staging / file.name)
    folder, old = store.folder(model), staging.with_name(f"{staging.name}.old")
    if folder.exists():
        folder.rename(old)
    staging.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _staging(store: Store, model: Model) -> Path:
    """Where a model is put together; what is there from last time is used."""
    staging = store.root / ".incoming" / f"{model.name}@{(model.revision or 'local')[:12]}"
    staging.mkdir(parents=True, exist_ok=True)
    return staging


@contextlib.contextmanager
def _alone(store: Store) -> Iterator[None]:
    """Keeps two commands from writing the same files."""
    folder = store.root / ".incoming"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError as error:
        raise ModelError("another command is fetching models now") from error
    except PermissionError as error:
        raise ModelError(f"{store.root}: cannot be written ({error.strerror})") from error


def _check_space(store: Store, model: Model) -> None:
    needed, free = model.size or 0, shutil.disk_usage(store.root).free
    if needed > free:
        raise ModelError(f"{model.name}: {needed >> 20} MB are needed, and {free >> 20} MB are free in {store.root}")


def _check_address(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise ModelError(f"{address}: models are fetched over https only")


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but never to where the line is open."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        try:
            _check_address(newurl)
        except ModelError:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_OPENER = urllib.request.build_opener(_Redirects)


def _one_line(reason: object) -> str:
    return " ".join(str(reason).split())[:120]


MEGABYTE = 1_000_000


class ProgressLine:
    """Rewrites its line on a terminal; elsewhere writes one line per file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = stream.isatty()
        self._last: tuple[str, str, int] | None = None

    def __call__(self, progress: Progress) -> None:
        """Takes news."""
        percent = 100 * progress.done // progress.total if progress.total else 0
        whole = progress.total is not None and progress.done >= progress.total
        now = (progress.model, progress.file, percent)
        if now == self._last or not (self._live or whole):
            return
        self._last = now
        of = f" of {progress.total / MEGABYTE:.1f}" if progress.total else ""
        line = f"{progress.model}/{progress.file}: {progress.done / MEGABYTE:.1f}{of} MB"
        self._stream.write(f"\r\x1b[K{line}" if self._live else f"{line}\n")
        if self._live and whole:
            self._stream.write("\n")
        self._stream.flush()
