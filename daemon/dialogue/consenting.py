"""Which yes does for which question: where something is at stake, one that can mean nothing else."""

from __future__ import annotations

from daemon.core.ir import Clause, Order, Program, Target
from daemon.core.questions import FORBIDDEN, Question
from daemon.core.thresholds import Thresholds
from daemon.home.actions import direction, is_risky
from daemon.home.names import has_han, key
from daemon.home.registry import Registry

_VERB = 2
"""Characters of a bare verb: 打开, 解锁."""


def at_stake(question: Question, registry: Registry) -> bool:
    """Whether anything that can be done to what was asked about needs a yes.

    Whatever was asked, and for whatever reason: a yes to the one question stands for all that could be asked of it.
    """
    if question.reason == FORBIDDEN:
        return True
    found = [registry[item] for item in question.about if item in registry]
    members = [registry[item] for entity in found for item in entity.members if item in registry]
    return any(map(is_risky, (*found, *members)))


def told_again(question: Question, again: Program, registry: Registry, thresholds: Thresholds) -> bool:
    """Whether this, behind a yes, is the very act that was asked about, of exactly what was asked about."""
    said, asked = again.clauses[0], question.clause
    if (
        len(again.clauses) > 1
        or question.also
        or thresholds.is_doubtful(again.confidence)
        or not isinstance(said, Order)
        or said.parameter != asked.parameter
    ):
        return False
    if said.negated or said.conditions or said.excluded or said.when or not (again.missing is None or _bare(again)):
        return False
    return _same_deed(question, said, asked, registry) and _same_things(question, said, registry)


def _bare(again: Program) -> bool:
    """Whether it is a verb and nothing else: 打开, but not "open both"."""
    return again.missing == "target" and " " not in again.text and (len(again.text) <= _VERB or not has_han(again.text))


def _same_deed(question: Question, said: Clause, asked: Clause, registry: Registry) -> bool:
    """Whether both verbs mean the same of each thing: "open" the lock that is to be unlocked."""
    if said.action is None or asked.action is None or question.reason == "confirm_after":
        return False  # what is asked about there is how it ends
    ways = [
        (
            direction(registry[item], said.action, said.parameter),
            direction(registry[item], asked.action, asked.parameter),
        )
        for item in question.options
        if item in registry
    ]
    return bool(ways) and all(one == other for one, other in ways)


def _same_things(question: Question, said: Clause, registry: Registry) -> bool:
    """Whether nothing is named, or what was asked about: "it", or by its very name."""
    if not said.targets:
        return True
    if len(said.targets) > 1:
        return False
    target = said.targets[0]
    one = len(question.options) == 1
    if target.reference is not None:
        pointed = "it" if one else "them"
        return target.reference == pointed and target == Target(
            reference=target.reference, confidence=target.confidence
        )
    named = target.mention is not None and target == Target(
        target.mention, kind=target.kind, confidence=target.confidence
    )
    return one and named and key(target.mention or "") in map(key, registry[question.options[0]].names)
