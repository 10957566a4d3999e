"""Whether the conditions of a clause hold now. What is stale or missing is unknown, and then nothing may be done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from daemon.act.facts import Fact, deciding, fact, telling, together
from daemon.core.entities import Entity
from daemon.core.ir import Condition
from daemon.core.plans import Observed
from daemon.home.registry import Registry

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Test:
    """A condition and the devices that its target was resolved to."""

    __test__ = False  # pytest takes the name for its own

    condition: Condition
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`holds` is None where it cannot be told; `facts` are the readings it rests on."""

    holds: bool | None
    facts: tuple[Fact, ...] = ()


def needs(tests: Sequence[Test], registry: Registry) -> tuple[Pair, ...]:
    """What must be read freshly before `evaluate`."""
    found: dict[Pair, None] = {}
    for test in tests:
        for entity in _entities(test, registry):
            capability = telling(entity, test.condition.attribute, test.condition.value)
            if capability is not None:
                found[entity.id, capability.attribute] = None
    return tuple(found)


def evaluate(tests: Sequence[Test], join: Literal["and", "or"], observed: Observed, registry: Registry) -> Verdict:
    """The conditions in three-valued logic; no conditions hold."""
    verdicts = [_one(test, observed, registry) for test in tests]
    if not verdicts:
        return Verdict(holds=True)
    holds = together("all" if join == "and" else "any", None, (verdict.holds for verdict in verdicts))
    # What decided it goes first: a false one in an "and", a true one in an "or", an unknown one where it is unknown.
    verdicts.sort(key=lambda verdict: verdict.holds is not holds)
    return Verdict(holds, tuple(item for verdict in verdicts for item in verdict.facts))


def blind(conditions: Iterable[Condition], watched: Iterable[Iterable[str]], registry: Registry) -> tuple[str, ...]:
    """Those of the devices that cannot tell what they are watched for."""
    return tuple(
        item
        for condition, ids in zip(conditions, watched, strict=True)
        for item in ids
        if item in registry and telling(registry[item], condition.attribute, condition.value) is None
    )


def _one(test: Test, observed: Observed, registry: Registry) -> Verdict:
    target = test.condition.target
    entities = _entities(test, registry)
    facts = [item for entity in entities if (item := fact(test.condition, entity, observed)) is not None]
    # A device that cannot tell is as good as one that does not answer.
    mute = len(test.entities) - len(facts)
    facts = deciding(target, facts, registry)
    answers: list[bool | None] = [*(item.holds for item in facts), *[None] * mute]
    holds = together(target.quantifier, target.count, answers)
    if holds is not None and test.condition.negated:
        holds = not holds
    return Verdict(holds, tuple(facts))


def _entities(test: Test, registry: Registry) -> list[Entity]:
    return [found for entity in test.entities if (found := registry.get(entity)) is not None]
