"""One line that tells how far a fetch is."""

from __future__ import annotations

from typing import TextIO

from daemon.models.fetch import Progress

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
