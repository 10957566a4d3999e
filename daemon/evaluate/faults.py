"""Where a case went wrong first: what tells which part to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from daemon.evaluate.atoms import Atom, fits, same_reading

Fault = Literal[
    "error",
    "acted_out_of_scope",
    "not_understood",
    "needless_question",
    "missed_question",
    "refused",
    "wrong_reading",
    "wrong_entity",
    "wrong_value",
    "wrong_state",
    "wrong_after_answer",
    "wrong_outcome",
]
"""`wrong_reading`: another action or attribute (understanding). `wrong_entity`: other devices, too many or too few
(the home). `wrong_value`: the right devices, another value (planning). `wrong_state`: the right commands, and yet
another state in the end. `wrong_after_answer`: asked rightly, and the answer led nowhere. `wrong_outcome`: all of
these right, called by another word. `error`: the pipeline raised."""


def command_fault(wished: Sequence[Atom], sent: Sequence[Atom]) -> Fault:
    """The first difference between what should have been sent and what was; `wrong_outcome` where there is none."""
    if not _covers(wished, sent):
        return "wrong_reading"
    if {atom.target for atom in wished} != {atom.target for atom in sent}:
        return "wrong_entity"
    if not all(any(fits(want, got) for got in sent) for want in wished) or not all(
        any(fits(want, got) for want in wished) for got in sent
    ):
        return "wrong_value"
    return "wrong_outcome"


def _covers(wished: Sequence[Atom], sent: Sequence[Atom]) -> bool:
    return all(any(same_reading(want, got) for got in sent) for want in wished) and all(
        any(same_reading(want, got) for want in wished) for got in sent
    )
