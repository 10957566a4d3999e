"""Renders templates in a process of its own, which may be killed at any moment: `python -m` this module.

One job a line on standard input, one answer a line on standard output, both JSON:

    [number, seconds of processor time, source, text, whether the text is a payload or the variables]
    [number, the text that came of it, or null where nothing did]

The work is done by a child, which the kernel ends when a job has used up its time, even within a regular expression,
and which ends itself where it has used up its memory; then comes `[0, null]`, and another child goes on with the next
job at once, for all is loaded already.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from daemon.core.values import loads
from daemon.mqtt.dialects.template_sandbox import Sandbox, rendered

if TYPE_CHECKING:
    import jinja2

MAX_MEMORY: Final = 128 * 1024 * 1024
"""Bytes of address space; what is loaded takes about 30 MB of it."""
_MOST_MADE: Final = 256
_DIED: Final = [0, None]


def main() -> None:
    """Serves until the end of the input."""
    _bounded()
    sandbox = Sandbox()
    gc.freeze()
    while True:
        child = os.fork()
        if child == 0:
            _serve(sandbox)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) == 0:
            return
        _answer(_DIED)


def _bounded() -> None:
    """Gives up what a template has no use for; what the system doesn't allow is left to the limits on time."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for what, most in ((resource.RLIMIT_AS, MAX_MEMORY), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))
    with contextlib.suppress(OSError):
        os.nice(10)
    with contextlib.suppress(OSError):
        # Where memory is short, this process goes first.
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _serve(sandbox: Sandbox) -> None:
    made: dict[str, jinja2.Template] = {}
    for line in sys.stdin.buffer:
        number, seconds, source, text, payload = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            if source not in made:
                if len(made) >= _MOST_MADE:
                    made.clear()
                made[source] = sandbox.made(source)
            answer = [number, rendered(made[source], variables_of(text, payload=payload))]
        except MemoryError:
            os._exit(1)
        except Exception:  # noqa: BLE001 - whatever a foreign template does wrong, it says nothing
            answer = [number, None]
        signal.setitimer(signal.ITIMER_PROF, 0)
        _answer(answer)


def variables_of(text: str, *, payload: bool) -> dict[str, Any]:
    """What a template may look at."""
    if not payload:
        found: dict[str, Any] = json.loads(text)
        return found
    content = parsed_json(text)
    return {"value": text} if content is None else {"value": text, "value_json": content}


def parsed_json(text: str) -> object:
    """A text as JSON; None where it is none."""
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def _answer(answer: list[Any]) -> None:
    os.write(sys.stdout.fileno(), json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main()
