"""What one of several names takes from the one that is said last: "birch and elm lights" are both lights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from daemon.core.ir import Target
from daemon.core.resolution import Resolution
from daemon.core.values import replace
from daemon.home import kinds
from daemon.home.names import tokens
from daemon.resolve.candidates import of_kind
from daemon.resolve.request import House, Request

_OF_ANY: Final = frozenset({"device", "switch", "plug", "appliance"})
"""Kinds that say too little to tell one thing from another of its name."""


def of_one_kind(
    house: House,
    request: Request,
    last: Target,
    found: Resolution,
    resolve: Callable[[Target], Resolution],
    sure: float,
) -> Resolution:
    """What a name means beside a last one that says its kind, where something of that kind bears the name too.

    "Birch and elm lights" are two lights, though an air conditioner is called Birch; 白桦和榆树灯 may be either, and is
    asked about. Where no light is called so, it is what it is by itself.

    Args:
        house: The home.
        request: The name that says no kind.
        last: The target that is said last.
        found: What the name means by itself.
        resolve: What another target means in its place.
        sure: From this confidence on, a name is found.
    """
    target, kind = request.target, last.kind
    bare = target.mention is not None and target.kind is None and target.quantifier == "one" and not target.reference
    if not bare or kind is None or kind in _OF_ANY or last.mention is None or found.status == "not_found":
        return found
    own = [house.registry[item] for item in found.entities]
    if found.status == "resolved" and all(kinds.fit(item, kind) >= kinds.KIN for item in own):
        return found
    words = tokens(last.mention)
    core = house.kind_words.core(words)
    rest = words[len(core) :] if words[: len(core)] == core else ()
    join = " " if rest and rest[0].isascii() else ""
    named = resolve(replace(target, mention=join.join((target.mention or "", *rest)), kind=kind))
    meant = [house.registry[item] for item in named.entities]
    if (
        named.status != "resolved"
        or named.confidence < sure
        or any(kinds.fit(item, kind) < kinds.KIN for item in meant)
    ):
        return found
    if found.status == "ambiguous" or last.plural:
        return replace(named, target=target)
    both = tuple(of_kind(house, request, ((item, 1.0) for item in (*own, *meant))))
    return Resolution(target, "ambiguous", candidates=both)
