"""What is found and decided, as the trace has it."""

from __future__ import annotations

from daemon.act.facts import Fact
from daemon.core.resolution import ClauseResolution, Decision
from daemon.core.trace import Trace
from daemon.core.values import to_dict


def note(trace: Trace, resolution: ClauseResolution, decision: Decision) -> None:
    """Notes what each name of a clause means, by what evidence, and the gate's verdict."""
    for found in resolution.targets:
        trace.note(
            "resolve",
            target=to_dict(found.target),
            status=found.status,
            via=found.via,
            entities=list(found.entities),
            candidates=[
                {"entity": item.entity, "score": round(item.score, 3), "features": item.features}
                for item in found.candidates[:5]
            ],
            rounds=[to_dict(item) for item in found.rounds],
            evidence=found.evidence,
            steps=[to_dict(item) for item in found.steps] or "none needed",
        )
    trace.note(
        "gate",
        verdict=decision.verdict,
        reason=decision.reason,
        entities=list(decision.entities),
        options=list(decision.options),
        dimension=decision.dimension,
    )


def seen(fact: Fact) -> dict[str, object]:
    """One reading for the trace."""
    observation = fact.observation
    return {
        "device": fact.entity,
        "attribute": fact.attribute,
        "value": observation.value,
        "source": observation.source,
        "holds": fact.holds,
    }
