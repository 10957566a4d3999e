"""What is to be done in the other case: "otherwise", "if so", "if he is"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from daemon.core.ir import Clause, Order, Prohibition
from daemon.core.values import replace
from daemon.understand.build_act import switched
from daemon.understand.build_reach import with_question, within

Case = Literal["yes", "so", "is"]
"""In the other case; in this one; or where it is so, whichever of them was said before: "if he is"."""


def with_case(clause: Clause, before: Sequence[Clause], case: Case) -> list[Clause] | None:
    """The clauses, with what is to be done in a case of the last conditions; None where that is none of them.

    What said only that nothing is to be done in the other case is left out: "if she's out, don't touch it; if ..."
    """
    done = otherwise(clause, before, case)
    if done is None:
        return None
    left = before[-1]
    if not isinstance(left, Prohibition) or left.when is not None or left.hours is not None:
        return [*before, done]
    it = isinstance(done, Order) and all(target.reference == "it" for target in done.targets)
    return [*before[:-1], replace(done, targets=left.targets) if isinstance(done, Order) and it else done]


def otherwise(clause: Clause, before: Sequence[Clause], case: Case) -> Clause | None:
    """The clause where the last conditions do not hold, or where they do; None for what waits for them.

    "Is the door locked? If not, lock it" has them in the question.
    """
    giver = next((item for item in map(with_question, reversed(before)) if item.conditions), None)
    if giver is None or giver.when is not None:
        return None
    if isinstance(clause, Order) and not clause.targets:
        clause = switched(replace(_of_same_value(clause, before[-1]), targets=before[-1].targets))
    if case != "yes":
        given = giver.conditions if case == "so" else tuple(replace(item, negated=False) for item in giver.conditions)
        then = replace(clause, conditions=given, condition_join=giver.condition_join)
        return within(then, front=True) if given[0].target.quantifier == "any" else then
    opposite = tuple(replace(condition, negated=not condition.negated) for condition in giver.conditions)
    several = len(opposite) > 1
    return replace(
        clause, conditions=opposite, condition_join="or" if several and giver.condition_join == "and" else "and"
    )


def _of_same_value(order: Order, before: Clause) -> Order:
    """As "... to 20 percent, otherwise to 80 percent": of what was set before."""
    said, same = order.parameter, before.parameter
    if said is None or same is None or said.attribute != "value" or said.unit != same.unit:
        return order
    return replace(order, parameter=replace(said, attribute=same.attribute))
