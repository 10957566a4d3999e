"""The speech engine of this machine, told about the home."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from daemon.hear.ears import Heard
    from daemon.hear.transcript import Transcriber, Transcript
    from daemon.pipeline import Pipeline
    from daemon.system.config import Paths


async def open_engine(lang: str, paths: Paths, pipeline: Pipeline) -> Transcriber:
    """The best engine for a language that is installed, ready to hear this home's names.

    Raises:
        ModelMissing: none hears this language here.
        ModelError: its files cannot be used.
    """
    from daemon.hear.engines import choose
    from daemon.hear.roles import spoken_roles

    names, roles = pipeline.parts.comprehension.spoken_names(lang), spoken_roles(pipeline.parts.registry)

    def ready() -> Transcriber:
        engine = choose(lang, paths.models, paths.rules)
        engine.prepare(names, roles)
        return engine

    return await asyncio.to_thread(ready)


def heard_as(transcript: Transcript) -> dict[str, Any]:
    """What a request says about how it was heard: how surely, and what may have been said instead."""
    others = [[item.text, item.confidence] for item in transcript.hypotheses[1:] if item.text]
    return {"heard": transcript.confidence, "alternatives": others}


def with_hearing(result: dict[str, Any], heard: Heard) -> dict[str, Any]:
    """The result of what was heard, with how it was heard: in `heard`, in the trace, and `hear` among the times."""
    transcript = heard.transcript
    facts = {
        "text": transcript.text,
        "confidence": round(transcript.confidence, 3),
        "engine": transcript.engine,
        "from_s": round(heard.start_s, 2),
        "to_s": round(heard.end_s, 2),
    }
    if heard.problem is not None:
        facts["problem"] = heard.problem
    trace = [{"at_ms": 0.0, "stage": "hear", **facts}, *result.get("trace", ())]
    return result | {"heard": facts, "ms": {"hear": round(heard.ms, 3)} | result["ms"], "trace": trace}
