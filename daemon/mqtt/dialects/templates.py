"""Jinja templates out of untrusted payloads.

What is a mere path into the JSON is looked up, what is simple is rendered here (`template_reading`), and everything
else in a process that may be killed (`template_workshop`). A template that has needed too much there once is *off*: it
is not rendered again.
"""

from __future__ import annotations

import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, TypeVar

from daemon.core.errors import TemplateError, TemplatePending, TemplateWorkerError
from daemon.mqtt.dialects.template_sandbox import Reading, Sandbox, SmallSandbox, reading, rendered
from daemon.mqtt.dialects.template_worker import parsed_json
from daemon.mqtt.dialects.template_workshop import Job, Workshop
from daemon.system.worker import Limit

T = TypeVar("T")

_MAX_INPUT: Final = 64 * 1024
_LONG = Limit(logging.getLogger(__name__), "a state of more than %d bytes is not read: %r ...")
_SHOWN: Final = 60
_SHORT: Final = 4_096
"""Characters that something simple is done with here."""
_READ: Final = 16_384
_MADE: Final = 1_024
_MOST_OFF: Final = 1_024
_MOST_ASKED: Final = 256
"""Renderings that one message may need."""
_MOST_KEPT: Final = 1_000_000
"""Characters of what was rendered, with what it was made of."""
_MOMENT_S: Final = 1.0
"""How long something is kept that looks at the clock, or failed for want of a process."""


_SANDBOX: Final = Sandbox()


@lru_cache(_READ)
def _read(source: str) -> Reading:
    """Long ones take milliseconds: what has been read when it was announced, perhaps in a thread, is not read anew."""
    return reading(source, _SANDBOX)


class Templates:
    """Renders value and command templates; what is not simple in a workshop, where there is one. Not thread-safe."""

    def __init__(self, workshop: Workshop | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._workshop = workshop
        self._clock = clock
        self._made = lru_cache(_MADE)(SmallSandbox().made)
        self._kept: OrderedDict[Job, tuple[str | None, float]] = OrderedDict()
        self._size = 0
        self._off: dict[str, str] = {}

    @property
    def off(self) -> Mapping[str, str]:
        """Template -> why it is no longer rendered."""
        return MappingProxyType(self._off)

    def problem(self, source: str) -> str | None:
        """Why this template can't be used, or None."""
        return _read(source).problem or None

    def path(self, source: str) -> tuple[str | int, ...] | None:
        """Where in the JSON a template looks, if that is all it does: `{{ value_json.a[0] }}` is ("a", 0)."""
        return _read(source).path

    def render(self, source: str, **variables: object) -> str | None:
        """The text that a command template makes of its variables, without white space around it; None where it fails.

        Raises:
            TemplatePending: not yet.
            TemplateError: the template is off, or nothing can render it now.
        """
        if source in self._off:
            raise TemplateError(f"its template {self._off[source]}")
        return self._rendered(Job(source, json.dumps(variables, default=str), payload=False), variables)

    def value(self, source: str, text: str, parsed: object) -> object:
        """What a value template makes of a payload; None where it says nothing. An empty one says the payload itself.

        The value itself where the template is a mere path into the JSON (`parsed`), else text.

        Raises:
            TemplatePending: not yet.
        """
        if not source:
            return text
        path = _read(source).path
        if path is not None:
            return _walk(parsed, path)
        variables = {"value": text} if parsed is None else {"value": text, "value_json": parsed}
        found = self._rendered(Job(source, text, payload=True), variables)
        return None if found in (None, "", "None") else found

    async def stop(self) -> None:
        """Ends the process that renders."""
        if self._workshop is not None:
            await self._workshop.stop()

    def _rendered(self, job: Job, variables: Mapping[str, object]) -> str | None:
        known = _read(job.source)
        if known.problem or job.source in self._off:
            return None
        if known.simple and len(job.text) <= _SHORT:
            try:
                return rendered(self._made(job.source), variables)
            except TemplateError:
                pass  # "*" may be more than it seems
            except Exception:  # noqa: BLE001 - whatever a foreign template does wrong, it says nothing
                return None
        if self._workshop is None:
            return None
        kept = self._kept.get(job)
        if kept is None or kept[1] < self._clock():
            raise TemplatePending(lambda: self._make(job))
        self._kept.move_to_end(job)
        return kept[0]

    async def _make(self, job: Job) -> None:
        assert self._workshop is not None
        lasting = not _read(job.source).timed
        text = None
        try:
            text = await self._workshop.render(job)
        except TemplateWorkerError:
            lasting = False
        except TemplateError as error:
            self._off[job.source] = str(error)
            if len(self._off) > _MOST_OFF:
                del self._off[next(iter(self._off))]
        self._keep(job, text, float("inf") if lasting else self._clock() + _MOMENT_S)

    def _keep(self, job: Job, text: str | None, until: float) -> None:
        before = self._kept.pop(job, None)
        self._size += _size(job, text) - (0 if before is None else _size(job, before[0]))
        self._kept[job] = (text, until)
        while self._size > _MOST_KEPT and len(self._kept) > 1:
            oldest, (its, _) = self._kept.popitem(last=False)
            self._size -= _size(oldest, its)


async def asked(ask: Callable[[], T]) -> T:
    """What `ask` returns once all templates that it needs are rendered.

    Raises:
        TemplateError: it needs too many; or as `ask` itself.
    """
    for _ in range(_MOST_ASKED):
        try:
            return ask()
        except TemplatePending as pending:
            await pending.rendered()
    raise TemplateError("needs too many templates")


def _size(job: Job, text: str | None) -> int:
    return 200 + len(job.text) + len(text or "")


def _walk(value: object, path: Iterable[str | int]) -> object:
    for key in path:
        try:
            value = value[key]  # type: ignore[index]
        except (TypeError, LookupError):
            return None
    return value


def parsed(payload: bytes) -> tuple[str, object] | None:
    """A payload as text and as JSON (None where it is none); None where it is no text, or too long."""
    if len(payload) > _MAX_INPUT:
        _LONG.cuts(_MAX_INPUT, payload[:_SHOWN])
        return None
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text, parsed_json(text)
