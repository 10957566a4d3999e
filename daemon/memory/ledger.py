"""What was learnt, as its owner edits it: told as facts, with errors for what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from daemon.core.entities import Entity
from daemon.core.errors import HearkenError, UsageError
from daemon.home.actions import is_risky
from daemon.home.names import key
from daemon.home.registry import Registry
from daemon.memory.learnt import LONGEST, Learnt, Naming, Origin, Problem, Reserved
from daemon.memory.memory import MOST, Memory

_PROBLEMS = {
    "empty": "has nothing in it that could be said",
    "too_long": f"is longer than {LONGEST} characters",
    "unfit": "has control characters in it",
    "reserved": "is a word that commands need",
    "taken": "is the name of {bearers} already",
    "already": "is a name of {bearers} already",
    "full": f"can't be learnt: {MOST} words are, and there is room for no more; remove one first",
}


class Ledger:
    """Lists and edits one home's memory. One event loop."""

    def __init__(self, registry: Registry, memory: Memory, reserved: Callable[[str], Reserved | None]) -> None:
        """`reserved` says what a text means by itself, if anything."""
        self._registry = registry
        self._memory = memory
        self._naming = Naming(registry, reserved)

    def facts(self) -> list[dict[str, Any]]:
        """Everything that was learnt, JSON-ready, the oldest first; `applies` is False for what is no longer there."""
        return [item.to_dict() | {"applies": self._memory.applies(item)} for item in self._memory.items]

    def problem(self, word: str, entity: Entity) -> Problem | None:
        """Why this may not become a name of this entity, or None."""
        return self._naming.problem(word, entity) if self._memory.has_room(word) else Problem("full")

    async def name(self, word: str, meaning: str, *, agreed: bool = False) -> None:
        """Gives a thing, by its id or a name, one name more; what asks before it acts only where that was `agreed`.

        Raises:
            HearkenError: there is no such thing, or several; this can be no name of it; or there is room for none.
        """
        self._needs_room(word)
        await self._name(word, self._entity(meaning), agreed=agreed)

    async def _name(self, word: str, entity: Entity, *, agreed: bool) -> None:
        if (problem := self._naming.problem(word, entity)) is not None:
            bearers = ", ".join(item.id for item in problem.bearers)
            raise HearkenError(f"{word!r} {_PROBLEMS[problem.reason].format(bearers=bearers)}")
        if not agreed and is_risky(entity):
            raise HearkenError(f"{entity.id} is asked about before it acts; add --yes to give it a name")
        await self._learn(Learnt("name", word, entity.id, Origin("command", self._memory.now())))

    async def prefer(self, word: str, meaning: str, speaker: str | None = None) -> None:
        """Notes what somebody, or the household, means by a word: a thing, else a value.

        Raises:
            HearkenError: nobody of that name lives here, or the word or its meaning cannot be kept.
        """
        person = self._person(speaker) if speaker is not None else None
        if not key(word) or not meaning.strip() or max(len(word), len(meaning)) > LONGEST:
            raise HearkenError(f"a word and its meaning have 1 to {LONGEST} characters")
        self._needs_room(word)
        found = self._called(meaning)
        means = found[0].id if len(found) == 1 else meaning
        await self._learn(Learnt("preference", word, means, Origin("command", self._memory.now()), speaker=person))

    async def forget(self, word: str, speaker: str | None = None) -> None:
        """Forgets what was learnt of a word; with a speaker, only what is theirs.

        Raises:
            HearkenError: nothing was.
        """
        person = self._person(speaker) if speaker is not None else None
        await self._kept(await self._memory.forget(self._known(word, person)))

    async def rename(self, word: str, other: str) -> None:
        """Puts another name in the place of a learnt one.

        Raises:
            HearkenError: there is no such learnt name, or the other one cannot be a name.
        """
        found = [item for item in self._known(word, None) if item.kind == "name"]
        if not found:
            raise HearkenError(f"{word!r} is no learnt name")
        # The old one goes only when the new one is there.
        await self._name(other, self._entity(found[0].meaning), agreed=True)
        await self._kept(await self._memory.forget(found))

    def _needs_room(self, word: str) -> None:
        if not self._memory.has_room(word):
            raise HearkenError(f"{MOST} words are learnt, and there is room for no more; remove one first")

    def _known(self, word: str, speaker: str | None) -> list[Learnt]:
        found = [item for item in self._memory.called(word) if speaker is None or item.speaker == speaker]
        if not found:
            raise HearkenError(f"nothing was learnt of {word!r}")
        return found

    def _called(self, name: str) -> list[Entity]:
        wanted = key(name)
        exact = self._registry.get(name)
        found = [item for item in self._registry if any(key(one) == wanted for one in item.names)]
        return [exact] if exact is not None else found

    def _entity(self, name: str) -> Entity:
        found = self._called(name)
        if len(found) != 1:
            several = f"is the name of {', '.join(item.id for item in found)}; say which id" if found else "is unknown"
            raise HearkenError(f"{name!r} {several}")
        return found[0]

    def _person(self, name: str) -> str:
        wanted = key(name)
        for person in self._registry.people:
            if person.id == name or any(key(one) == wanted for one in person.names):
                return person.id
        known = ", ".join(person.id for person in self._registry.people) or "none"
        raise UsageError(f"there is no speaker {name!r} in this home; known: {known}")

    async def _learn(self, item: Learnt) -> None:
        await self._kept(await self._memory.learn(item))

    async def _kept(self, kept: bool) -> None:  # noqa: FBT001 - the answer of the memory
        if not kept:
            raise HearkenError("it could not be written down, and is known only until the end; the log says why")
