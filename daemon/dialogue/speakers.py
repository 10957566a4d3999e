"""Who speaks and where: as the utterance says, as a typed line begins, as the satellite is known for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from daemon.core.entities import Entity, Person
from daemon.core.errors import UsageError
from daemon.core.turn import Utterance
from daemon.core.values import replace
from daemon.home.config import Microphone
from daemon.home.registry import Registry

_COLON = re.compile("[:：]")
"""Stands behind a name in a line as in a play: "Amal: turn on the TV"."""


class Speakers:
    """Knows the people and the satellites of one home.

    Args:
        registry: The people and the areas.
        satellites: By the id that a satellite gives itself, where it stands and whose it is.
    """

    def __init__(self, registry: Registry, satellites: Mapping[str, Microphone]) -> None:
        self._registry = registry
        self._satellites = satellites

    def check(self, utterance: Utterance) -> None:
        """Whether its area and its speaker are known here.

        Raises:
            UsageError: one of them is not.
        """
        for kind, name, among in (
            ("area", utterance.area, self._registry.areas),
            ("speaker", utterance.speaker, self._registry.people),
        ):
            if name is not None and _called(name, among) is None:
                known = ", ".join(item.id for item in among) or "none"
                raise UsageError(f"there is no {kind} {name!r} in this home; known: {known}")

    def placed(self, utterance: Utterance) -> Utterance:
        """The utterance with area and speaker as ids where they are known, and without the name that it begins with.

        Only the name of somebody who lives here is one; before a colon, anything else is just words.
        """
        own = self._satellites.get(utterance.satellite, Microphone())
        people, text = self._registry.people, utterance.text
        speaker = _called(utterance.speaker, people) or own.speaker
        name, *said = _COLON.split(text, maxsplit=1)
        if said and said[0].strip() and (named := _called(name.strip(), people)) is not None:
            speaker, text = named, said[0].lstrip()
        area = _called(utterance.area, self._registry.areas) or own.area
        return replace(utterance, text=text, area=area, speaker=speaker)


def _called(name: str | None, among: Sequence[Entity | Person]) -> str | None:
    """The id of what is called so, or has that id; None where nothing is."""
    if name is None:
        return None
    wanted = name.casefold()
    found = (item.id for item in among if item.id == name or wanted in (word.casefold() for word in item.names))
    return next(found, None)
