"""`/metrics` in the text form of Prometheus, and `/healthz`. No name and no sentence is in any of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client import generate_latest as written
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from daemon import __version__
from daemon.console.view import View

if TYPE_CHECKING:
    from starlette.requests import Request

_BOUNDS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """Counts what becomes of what is said, wherever it is said."""

    def __init__(self, connected: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        began, self._registry = clock(), CollectorRegistry()
        self._utterances = Counter(
            "hearken_utterances", "What was said, by what became of it.", ["outcome", "source"], registry=self._registry
        )
        self._acts = Counter(
            "hearken_acts", "What was sent to devices, by what was seen of it.", ["status"], registry=self._registry
        )
        self._seconds = Histogram(
            "hearken_stage_seconds",
            "How long each stage of an utterance took, and all of it (total).",
            ["stage"],
            buckets=_BOUNDS_S,
            registry=self._registry,
        )
        gauges: dict[str, tuple[str, Callable[[], float]]] = {
            "hearken_uptime_seconds": ("How long the daemon has served its pages.", lambda: clock() - began),
            "hearken_broker_connected": ("Whether the broker is there.", lambda: float(connected())),
        }
        for name, (told, value) in gauges.items():
            Gauge(name, told, registry=self._registry).set_function(value)
        Gauge("hearken_info", "Which Hearken this is.", ["version"], registry=self._registry).labels(__version__).set(1)
        ProcessCollector(registry=self._registry)

    def count(self, result: dict[str, Any]) -> None:
        """Counts one result, as `Result.to_dict` gives it."""
        self._utterances.labels(result["outcome"], result["source"] or "none").inc()
        for item in result.get("outcomes", ()):
            self._acts.labels(item["status"]).inc()
        for stage, ms in result["ms"].items():
            self._seconds.labels(stage).observe(ms / 1000)

    def written(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return written(self._registry)


def routes(view: View) -> Sequence[BaseRoute]:
    """The routes of programs that look after this one."""
    connected = view.opened.pipeline.parts.access.connected
    metrics = Metrics(connected)
    view.listen(metrics.count)

    async def healthz(_: Request) -> Response:
        return JSONResponse({"status": "ok", "broker": "connected" if connected() else "away"})

    async def told(_: Request) -> Response:
        return Response(metrics.written(), media_type=CONTENT_TYPE_LATEST)

    return [Route("/healthz", healthz), Route("/metrics", told)]
