"""What rules watch, when the home changes: "any window" is whatever windows there are."""

from __future__ import annotations

from daemon.core.resolution import Context, Spoken, union
from daemon.core.values import replace
from daemon.home.registry import Registry
from daemon.resolve.resolver import Resolver
from daemon.schedule.agenda import Agenda
from daemon.schedule.edges import Edges
from daemon.schedule.entries import Entry


class Rewatching:
    """Keeps the watched sets of one home's rules. One event loop.

    One device that was said back stays the one that is watched, whatever else is called so by now; and a set stays as
    it was where nothing fits any more, as before a broker has told of its devices.
    """

    def __init__(self, agenda: Agenda, registry: Registry, resolver: Resolver, edges: Edges) -> None:
        self._agenda = agenda
        self._registry = registry
        self._resolver = resolver
        self._edges = edges

    async def start(self) -> None:
        """Begins to watch, in the home as it is now."""
        await self.follow()
        self._edges.start()

    async def follow(self) -> None:
        """Finds anew whom each rule is about, and watches them; what has changed is kept so."""
        for entry in self._agenda.entries:
            if entry.sort in ("rule", "ban") and (found := self._as_now(entry)) != entry:
                await self._agenda.put(found)
        self._edges.follow()

    def _as_now(self, entry: Entry) -> Entry:
        """The entry with the sets that it is about as they are now; of a prohibition, also what it forbids."""
        origin = entry.origin
        context = Context(
            lang=origin.lang,
            area=origin.area,
            speaker=origin.speaker,
            spoken=Spoken(tuple(item for item in entry.them if item in self._registry)),
        )
        clause = replace(entry.clause, when=None)
        found = self._resolver.resolve_clause(clause, context)
        watched = tuple(
            new.entities if new.status == "resolved" and new.is_set else old
            for new, old in zip(found.conditions, entry.watched, strict=True)
        )
        entities = entry.entities
        if entry.sort == "ban" and found.entities and all(item.is_set for item in found.targets):
            entities = union((found.entities, found.left_out))
        return replace(entry, watched=watched, entities=entities)
