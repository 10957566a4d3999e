"""What each of the home's names may stand for in a sentence, for engines that hear only sentences they know."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.core.entities import Entity
from daemon.hear.transcript import Roles


def spoken_roles(entities: Iterable[Entity]) -> Roles:
    """Name -> kind, type and capabilities of what is called so; a group can do what any of its members can."""
    exposed = [entity for entity in entities if entity.exposed]
    own = {entity.id: {capability.name for capability in entity.capabilities} for entity in exposed}
    roles: dict[str, frozenset[str]] = {}
    for entity in exposed:
        found = {entity.kind, *own[entity.id], *([entity.type] if entity.type else [])}
        if entity.kind == "group":
            found |= {name for member in entity.members for name in own.get(member, ())}
        for name in entity.names:
            roles[name] = roles.get(name, frozenset()) | found
    return roles
