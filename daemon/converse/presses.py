"""Buttons in words: what they wait for, and how they can be pressed."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.act.messages import Presses
from daemon.converse.replies import Replies
from daemon.core.ir import Condition
from daemon.home import events

_WAYS = frozenset({"rotate", "slide", "tilt"})
"""What goes some way, rather than being done to one of several buttons."""
_MOST = 8


def happens(condition: Condition, names: str, many: int, replies: Replies, lang: str) -> str:
    """What a button waits for: "the left button of Remote is pressed twice"."""
    kind, button = str(condition.value), condition.button
    if button is not None:
        word = events.spoken(events.button_of(button), lang)
        if kind in _WAYS:
            return replies.say(f"happens.event.{kind}.way", lang, n=many, names=names, way=word)
        names = replies.say(
            "happens.button.number" if word.isdecimal() else "happens.button", lang, button=word, names=names
        )
    return replies.say(f"happens.event.{kind}", lang, n=many, names=names)


def can(message: Presses, names: Sequence[str], replies: Replies, lang: str) -> str:
    """How these can be pressed: "left pressed or held"."""
    kinds: dict[str, list[str]] = {}
    for press in message.presses:
        kinds.setdefault(press.button, []).append(replies.say(f"event.{press.kind}", lang))
    told = [
        replies.say("event.of", lang, button=events.spoken(button, lang), presses=replies.choices(done, lang))
        if button
        else replies.choices(done, lang)
        for button, done in kinds.items()
    ]
    key = "later.no_press" if message.lacked else "event.can"
    return replies.say(
        key, lang, n=len(names), names=replies.names(names, lang), options=replies.names(told[:_MOST], lang)
    )
