"""Has words said in the rooms of the house, and tells where they were said, and where not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from daemon.core.decisions import Tell
from daemon.core.errors import HearkenError
from daemon.core.ir import Broadcast
from daemon.core.messages import Listing, Message, Names, Words, say
from daemon.core.result import Report
from daemon.home.config import Microphone

_LOG = logging.getLogger(__name__)
_PATIENCE_S: Final = 30.0
"""So long words may wait for a place where something else is being said; later nobody expects them any more."""


class Loudspeaker(Protocol):
    """Something that speaks in a room."""

    name: str

    @property
    def place(self) -> Microphone:
        """Where it stands."""

    async def say(self, text: str, lang: str) -> bool:
        """Returns when it has been said: whether anybody can have heard it.

        Raises:
            HearkenError: it cannot be said there.
        """


class Broadcasting:
    """Says words in one home. One event loop; without loudspeakers nothing is said."""

    def __init__(self) -> None:
        self._loudspeakers: Mapping[str, Loudspeaker] = {}

    def through(self, loudspeakers: Mapping[str, Loudspeaker]) -> None:
        """Speaks through these from now on.

        Args:
            loudspeakers: By the names of the satellites that are there; one may have several names.
        """
        self._loudspeakers = loudspeakers

    async def tell(self, decision: Tell) -> Report:
        """Has it said where it is to be heard, all at once; not where it was said, unless that very room was named."""
        turn, clause = decision.turn, decision.turn.clause
        assert isinstance(clause, Broadcast)
        known = tuple(dict.fromkeys(self._loudspeakers.values()))
        origin = self._loudspeakers.get(turn.satellite)
        named = {name for place in decision.places for name in place.names}
        inside = {area for place in decision.places for area in place.areas} - decision.spared
        wanted = [
            item
            for item in known
            if (item.place.area in inside if decision.places else item.place.area not in decision.spared)
            and (item is not origin or item.place.area in named)
        ]
        heard = await asyncio.gather(*(_said(item, clause.message, turn.lang) for item in wanted))
        said = [item for item, there in zip(wanted, heard, strict=True) if there]
        missed = [item for item, there in zip(wanted, heard, strict=True) if not there]
        areas = {item.place.area for item in known}
        silent = [name for place in decision.places if not areas & place.areas for name in place.names]
        turn.trace.note("act", said=[item.name for item in said], missed=[item.name for item in missed])
        messages = [*_told(decision, said), *_not_told(missed, silent)] or [say("broadcast.nobody")]
        return Report("assistant" if said else "reject", tuple(messages), "broadcast")


async def _said(loudspeaker: Loudspeaker, text: str, lang: str) -> bool:
    """Whether it was said there in time."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return await loudspeaker.say(text, lang)
    except HearkenError as error:
        _LOG.warning("%s: %s", loudspeaker.name, error)
    except TimeoutError:
        _LOG.warning("%s: words waited there for %.0f s, and were not said", loudspeaker.name, _PATIENCE_S)
    return False


def _told(decision: Tell, said: list[Loudspeaker]) -> list[Message]:
    if not said:
        return []
    if decision.places:
        return [say("broadcast.said", places=_rooms(said))]
    return [say("broadcast.told", n=len(said))]


def _not_told(missed: list[Loudspeaker], silent: list[str]) -> list[Message]:
    away: list[Message] = [say("broadcast.missed", places=_rooms(missed))] if missed else []
    return [*away, *([say("broadcast.silent", places=Names(tuple(silent)))] if silent else [])]


def _rooms(loudspeakers: Iterable[Loudspeaker]) -> Listing:
    """Their rooms; of what stands in none, its name."""
    rooms = (Names((item.place.area,)) if item.place.area is not None else Words(item.name) for item in loudspeakers)
    return Listing(tuple(dict.fromkeys(rooms)))
