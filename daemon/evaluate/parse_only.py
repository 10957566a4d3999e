"""A rough comparison of an IR with surface labels, for cases without a home."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from daemon.evaluate.cases import ExpectedCommand

_FAMILIES = {
    "on": "on",
    "turn_on": "on",
    "open": "on",
    "unlock": "on",
    "start": "on",
    "resume": "on",
    "activate": "on",
    "off": "off",
    "turn_off": "off",
    "close": "off",
    "lock": "off",
    "stop": "off",
    "pause": "off",
    "dock": "off",
    "query": "query",
}


def same_shape(commands: Iterable[ExpectedCommand], clauses: Iterable[dict[str, Any]]) -> bool:
    """Whether there are as many commands of each family (on, off, query, set) as the labels say.

    One clause with several targets counts once for each of them; labels that are equal in every field count once, as
    does a clause.
    """
    wished = Counter(_family(item.action) for item in commands)
    got = Counter[str]()
    for clause in clauses:
        family = "set" if clause.get("parameter") else _family(clause.get("action") or clause.get("intent") or "")
        got[family] += max(1, len(clause.get("targets") or ()))
    return wished == got or (set(wished) == set(got) and sum(wished.values()) >= sum(got.values()) > 0)


def _family(action: str) -> str:
    return _FAMILIES.get(action, "set")
