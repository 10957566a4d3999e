"""What `doctor` says, asked in a process of its own: it loads all engines, which the daemon's memory is not for."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from daemon.core.errors import HearkenError
from daemon.system.config import Paths

_CODE: Final = Path(__file__).resolve().parents[2]
_PATIENCE_S: Final = 300.0
_SHOWN: Final = 200
"""Characters of what went wrong."""


class Doctor:
    """Examines one home. One event loop."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._task: asyncio.Task[None] | None = None
        self._listeners: list[Callable[[], None]] = []
        self.findings: Sequence[dict[str, Any]] = ()
        """What was found last: subject, state and note of each."""
        self.problem = ""
        """Why nothing was found, where that is so."""
        self.at: float | None = None
        """When, in monotonic seconds."""

    @property
    def looks(self) -> bool:
        """Whether it is looking just now."""
        return self._task is not None and not self._task.done()

    def examine(self) -> None:
        """Begins to look at everything anew, unless it does so already."""
        if not self.looks:
            self._task = asyncio.create_task(self._examine())

    def heed(self, done: Callable[[], None]) -> Callable[[], None]:
        """Calls this whenever it has looked; gives what ends that."""
        self._listeners.append(done)
        return lambda: self._listeners.remove(done)

    async def _examine(self) -> None:
        self.problem = ""
        try:
            self.findings = await self._examined()
        except (HearkenError, OSError) as error:
            self.problem = str(error)
        self.at, self._task = asyncio.get_running_loop().time(), None
        for done in tuple(self._listeners):
            done()

    async def _examined(self) -> list[dict[str, Any]]:
        command = (sys.executable, "-m", "daemon", "doctor", "--json", "--home", str(self._paths.home))
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            # A checkout is found by where it is begun, and that may be elsewhere by now.
            env=os.environ | {"PYTHONPATH": str(_CODE)},
        )
        try:
            async with asyncio.timeout(_PATIENCE_S):
                out, problem = await process.communicate()
        except TimeoutError:
            raise HearkenError(f"doctor did not end within {_PATIENCE_S:.0f} s") from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        try:
            return [json.loads(line) for line in out.decode().splitlines()]
        except ValueError:
            told = " ".join(problem.decode(errors="replace").split())[-_SHOWN:]
            raise HearkenError(f"doctor failed: {told}") from None
