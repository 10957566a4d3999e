"""What tells of moments: `event` entities, and the triggers of `device_automation`; all of a device are one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from daemon.core.values import replace
from daemon.discovery.homeassistant.draft import Draft
from daemon.home import events
from daemon.home.foreign_words import CLASS_TAGS

if TYPE_CHECKING:
    from daemon.discovery.homeassistant.assemble import Named

COMPONENTS: Final = frozenset({"event", "device_automation"})
_BELL: Final = "doorbell"


def event(draft: Draft) -> None:
    """An event entity: JSON with the event's type in it, whatever else it tells."""
    draft.type = "sensor"
    draft.tags |= {draft.text("device_class")} & (CLASS_TAGS | {_BELL})
    words = {raw: events.word_of(raw) for raw in draft.words("event_types").values()}
    if words and draft.tell(events.NAME, "state_topic", "value_template", form="event", words=tuple(words.items())):
        _able(draft)


def automation(draft: Draft) -> None:
    """One trigger: what is done (`type`), to which button (`subtype`)."""
    draft.type = "sensor"
    option = events.word_of(f"{draft.text('subtype')} {draft.text('type')}")
    if draft.text("automation_type") != "trigger" or not option:
        return
    payload = draft.text("payload")
    words = ((payload, option),) if payload else ()
    otherwise = None if payload else option
    if draft.tell(events.NAME, "topic", "value_template", words=words, otherwise=otherwise):
        _able(draft)


def moments_as_one(named: Sequence[Named]) -> list[Named]:
    """The components of a device, with all of them that tell of moments as one, which is called as the device is.

    Where several entities do, each event has the name of its own.
    """
    pressed = [item for item in named if item.draft.config.component in COMPONENTS]
    if not pressed:
        return list(named)
    first, tells = pressed[0], []
    for item in pressed:
        own = item.own if len(pressed) > 1 and item.draft.config.component == "event" else ""
        for tell in item.draft.tells:
            words = tuple((raw, f"{own} {option}".strip().casefold()) for raw, option in tell.words)
            tells.append(replace(tell, words=words))
    whole = Draft(first.draft.config, first.draft.templates, type="sensor", tells=tells)
    whole.tags = set().union(*(item.draft.tags for item in pressed))
    _able(whole)
    others = [item for item in named if item not in pressed]
    return (
        [*others, replace(first, draft=whole, own="" if first.device else first.own)] if whole.capabilities else others
    )


def _able(draft: Draft) -> None:
    options = [
        str(ours) for tell in draft.tells for ours in (*(word for _, word in tell.words), tell.otherwise) if ours
    ]
    if (capability := events.event(options)) is not None:
        draft.capabilities.append(capability)
