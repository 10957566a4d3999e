"""What happened between a sentence and its reply, drawn from the trace that every result carries."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

_UNSAID: Final = frozenset({"confidence", "unsaid", "intent"})
_STAGES: Final = ("resolve", "gate", "condition", "read", "answer", "act", "verify")


class Candidate(Struct, frozen=True):
    """What a name may mean."""

    name: str
    chosen: bool
    score: float | None = None
    """0 to 1; None: it was not weighed against any other."""
    features: str = ""


class Step(Struct, frozen=True):
    """One thing that happened."""

    stage: str
    """The key of its words, in `talk.stage`."""
    at_ms: float
    text: str = ""
    facts: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    word: str = ""
    """What came of it: the key of its words, in `talk`."""


def story(result: Mapping[str, Any], named: Callable[[str], str]) -> Iterator[Step]:
    """The steps of a result (`Result.to_dict` with its trace), in order. `named` tells the name of an entity id."""
    trace: list[dict[str, Any]] = result.get("trace", [])
    heard = next((item for item in trace if item["stage"] == "normalize" and "text" in item), None)
    if heard is not None:
        sure = () if heard["heard"] >= 1 else (f"{heard['heard']:.0%}",)
        yield Step("heard", heard["at_ms"], heard["text"], (heard["lang"], *sure))
    if result["source"]:
        clauses = [_clause(item) for item in (result["ir"] or {}).get("clauses", ())]
        understood = [item["at_ms"] for item in trace if item["stage"] in ("understand", "model")]
        at_ms = max(understood, default=0.0)
        yield Step("read_by", at_ms, result["source"], (f"{result['confidence']:.0%}", *clauses))
    for event in trace:
        if event["stage"] in _STAGES and (step := _DRAWN[event["stage"]](event, named)) is not None:
            yield step


def _clause(clause: Mapping[str, Any]) -> str:
    """A clause in short: `act: action turn_on; targets desk lamp (lamp)`."""
    told = "; ".join(f"{name} {_short(value)}" for name, value in clause.items() if name not in _UNSAID)
    return f"{clause['intent']}: {told}" if told else str(clause["intent"])


def _short(value: object) -> str:
    if isinstance(value, Mapping):
        kept = [(name, item) for name, item in value.items() if name not in _UNSAID]
        return ", ".join(_short(item) if name == "mention" else f"{name} {_short(item)}" for name, item in kept)
    if isinstance(value, list):
        return " + ".join(map(_short, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _resolve(event: Mapping[str, Any], named: Callable[[str], str]) -> Step | None:
    if "target" not in event:
        return None
    found = event["entities"]
    candidates = tuple(
        Candidate(
            named(item["entity"]),
            item["entity"] in found,
            item["score"],
            ", ".join(f"{name} {value:.2f}" for name, value in item["features"].items()),
        )
        for item in event["candidates"]
    )
    rounds = tuple(f"{item['name']}: {item['decision']}, {item['reason']}" for item in event["rounds"])
    if not candidates:
        candidates = tuple(Candidate(named(item), chosen=True) for item in found[:5])
        rounds = (f"+{len(found) - 5}", *rounds) if len(found) > 5 else rounds  # noqa: PLR2004 - as many as above
    return Step("resolve", event["at_ms"], _short(event["target"]), rounds, candidates, f"found.{event['status']}")


def _gate(event: Mapping[str, Any], _: Callable[[str], str]) -> Step:
    return Step("gate", event["at_ms"], facts=(event["reason"],), word=f"verdict.{event['verdict']}")


def _condition(event: Mapping[str, Any], named: Callable[[str], str]) -> Step:
    return Step(
        "condition", event["at_ms"], str(event["holds"]).lower(), tuple(_fact(item, named) for item in event["facts"])
    )


def _read(event: Mapping[str, Any], named: Callable[[str], str]) -> Step:
    return Step("read", event["at_ms"], _fact(event, named), (event["source"], *_age(event)))


def _answer(event: Mapping[str, Any], named: Callable[[str], str]) -> Step | None:
    facts = tuple(_fact(item, named) for item in event["facts"])
    return Step("answer", event["at_ms"], facts=facts) if facts else None


def _act(event: Mapping[str, Any], named: Callable[[str], str]) -> Step:
    return Step("act", event["at_ms"], named(event["device"]), (f"{event['topic']} {_payload(event['payload'])}",))


def _verify(event: Mapping[str, Any], named: Callable[[str], str]) -> Step:
    seen = f"{event['attribute']} = {event['seen']}" if event["seen"] is not None else ""
    told = tuple(item for item in (seen, event["source"], event["reason"]) if item)
    return Step("verify", event["at_ms"], named(event["device"]), told, word=f"status.{event['status']}")


def _fact(item: Mapping[str, Any], named: Callable[[str], str]) -> str:
    device = item.get("device") or item.get("entity")
    return f"{named(device) if device else ''} {item.get('attribute', '')} = {item.get('value')}".strip()


def _age(item: Mapping[str, Any]) -> tuple[str, ...]:
    return () if item["age_s"] is None else (f"{item['age_s']:g} s",)


def _payload(payload: object) -> str:
    return payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)


_DRAWN: Final[Mapping[str, Callable[[Mapping[str, Any], Callable[[str], str]], Step | None]]] = {
    "resolve": _resolve,
    "gate": _gate,
    "condition": _condition,
    "read": _read,
    "answer": _answer,
    "act": _act,
    "verify": _verify,
}
