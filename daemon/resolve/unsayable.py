"""Names that nothing can be called by, for the language says something else with them: "the second one", "the light".

What means something by itself in every home is nobody's name (`Phrases.own`). A word for a kind of thing is no name of
a thing of quite another kind where there are such things: "the light" is none of a kettle's. Groups and scenes are
what somebody called so on purpose, and what is only measured takes no command over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from daemon.core.entities import Entity
from daemon.home.kinds import KIN, fit, related, says_little
from daemon.home.registry import Registry
from daemon.understand.normalize import plain_text
from daemon.understand.spotting import HOME, Phrases


def unsayable(registry: Registry, phrases: Phrases) -> Mapping[str, tuple[str, ...]]:
    """Each such name of the home's devices, with the ids of what bears it."""
    others = {plain_text(name) for name, role in registry.named() if role != "device"}
    own = {name for name in _bearers(registry) if phrases.own(plain_text(name)) and plain_text(name) not in others}
    return {
        name: tuple(item.id for item in bearers)
        for name, bearers in _bearers(registry).items()
        if name in own or _usurps(plain_text(name), bearers, registry, phrases)
    }


def usurping(registry: Registry, phrases: Phrases) -> frozenset[str]:
    """The names that would take over what is said of the home, or of a kind of thing."""
    found = _bearers(registry).items()
    return frozenset(name for name, bearers in found if _usurps(plain_text(name), bearers, registry, phrases))


def _bearers(registry: Registry) -> dict[str, list[Entity]]:
    bears: dict[str, list[Entity]] = {}
    for item in registry:
        for name in item.names if item.kind == "device" else ():
            bears.setdefault(name, []).append(item)
    return bears


def _usurps(name: str, bearers: Iterable[Entity], registry: Registry, phrases: Phrases) -> bool:
    kind = phrases.alone(name)
    if kind == HOME:
        return not all(map(_only_tells, bearers))
    if kind is None or any(map(_may_be(kind), bearers)):
        return False
    return any(item.kind == "device" and fit(item, kind) >= KIN for item in registry)


def _may_be(kind: str) -> Callable[[Entity], bool]:
    """Whether people may call it by the word for a kind; a plug may well have the lights on it."""

    def so(item: Entity) -> bool:
        return fit(item, kind) > 0.0 or says_little(item.type) or related(item.type or kind, kind)

    return so


def _only_tells(item: Entity) -> bool:
    return item.type == "sensor" or not item.capabilities
