"""Lengths of time in words."""

from __future__ import annotations

from daemon.converse.replies import Replies

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_FEW_MINUTES = 10 * _MINUTE
"""Below it, seconds are said as well."""


def length(seconds: float, replies: Replies, lang: str, *, exact: bool = False) -> str:
    """A length of time: "2 hours and 5 minutes"; of long ones to the minute, unless it is `exact`."""
    total = max(0, round(seconds))
    if total >= _FEW_MINUTES and not exact:
        total = round(total / _MINUTE) * _MINUTE
    parts = (
        ("length.d", total // _DAY),
        ("length.h", total % _DAY // _HOUR),
        ("length.min", total % _HOUR // _MINUTE),
        ("length.s", total % _MINUTE),
    )
    said = [replies.say(key, lang, n=count) for key, count in parts if count]
    return replies.lengths(said or [replies.say("length.s", lang, n=0)], lang)
