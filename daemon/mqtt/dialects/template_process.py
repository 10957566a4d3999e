"""The daemon's side of `template_worker`: a process that is started with the first request, and can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).resolve().parents[3]
_COMMAND: Final = (sys.executable, "-m", "daemon.mqtt.dialects.template_worker")
_KEPT: Final = ("TZ", "LD_LIBRARY_PATH")
"""What it needs to know of the environment."""
_LONGEST: Final = 128 * 1024
"""Bytes of an answer."""


class TemplateProcess:
    """One process at a time. `answer` blocks, and is for one thread at a time; `kill` is for any."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Of the process, as far as there is one."""
        process = self._process
        return None if process is None else process.pid

    def answer(self, request: list[Any]) -> list[Any]:
        """The answer to a request, as `template_worker` has them.

        Raises:
            OSError: the process can't be started, or has ended.
            ValueError: it has ended while it answered.
        """
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        while True:
            answer: list[Any] = json.loads(process.stdout.readline(_LONGEST))
            # Of a request before, it is no longer waited for; the one with 0 tells of a death.
            if answer[0] in (0, request[0]):
                return answer

    def kill(self) -> None:
        """Ends the process, whatever it does; the next request starts another."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            # With its child, which a hopeless job keeps busy.
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]  # both are pipes

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._process is None:
                environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
                self._process = subprocess.Popen(  # noqa: S603 - nothing of it comes from outside
                    _COMMAND,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd=_ROOT,
                    env=environment,
                    start_new_session=True,
                )
            return self._process
