"""What an utterance may go on from: the topic that the model of follow-ups is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from daemon.compiler.followups import Sort, State, Topic
from daemon.core.entities import Entity
from daemon.core.ir import Inquiry
from daemon.core.questions import Question
from daemon.dialogue.dialogue import Dialogue
from daemon.home import kinds
from daemon.home.registry import Registry

_SORTS: Final[Mapping[Sort, tuple[str, ...]]] = {
    "light": ("light",),
    "cover": ("cover", "window", "valve"),
    "climate": ("climate", "heater", "humidifier", "water_heater"),
    "player": ("media_player",),
    "fan": ("fan", "air_purifier"),
    "cleaner": ("vacuum", "lawn_mower"),
    "lock": ("lock",),
    "sensor": ("sensor", "binary_sensor"),
}
"""The kinds of each sort of thing; all other things are devices."""
_ASKED: Final[Mapping[str, State]] = {"confirm": "whether", "choose": "which"}


def topic_of(dialogue: Dialogue, question: Question | None, registry: Registry, now: float) -> Topic | None:
    """What may be gone on from now; None where nothing was spoken of just before.

    Args:
        dialogue: What was done, told and kept.
        question: What was asked, and is not answered.
        registry: The home.
        now: `time.monotonic()` seconds.
    """
    if question is not None:
        return Topic(_ASKED.get(question.kind, "what"), _sort(_named(question.about, registry)))
    state = _state(dialogue, now)
    return Topic(state, _sort(_named(dialogue.last, registry))) if state is not None else None


def _state(dialogue: Dialogue, now: float) -> State | None:
    if dialogue.just_timed(now) is not None:
        return "timer"
    if dialogue.just_planned(now) is not None:
        return "planned"
    last = dialogue.tried or dialogue.program
    if last is None or not dialogue.just_spoken(now):
        return None
    if dialogue.listed is not None and dialogue.tried is None:
        return "list"
    return "told" if isinstance(last.clauses[-1], Inquiry) else "did"


def _named(ids: Iterable[str], registry: Registry) -> list[Entity]:
    return [registry[item] for item in ids if item in registry]


def _sort(entities: Iterable[Entity]) -> Sort:
    """The sort of most of them."""
    counted = Counter(_sort_of(item) for item in entities)
    return counted.most_common(1)[0][0] if counted else "device"


def _sort_of(item: Entity) -> Sort:
    found = (sort for sort, known in _SORTS.items() if any(kinds.fit(item, kind) >= kinds.MEMBER for kind in known))
    return next(found, "device")
