"""What of a device a command is about, and which of two commands has the last word about it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.core.ir import Clause
from daemon.core.values import replace
from daemon.home.fulfilment import SWITCHING
from daemon.schedule.entries import Entry

_ABSOLUTE = frozenset({"set", "max", "min"})
_OFF = frozenset({"turn_off", "close"})
_TRACKS = {
    "mute": "mute",
    "unmute": "mute",
    "pause": "command",
    "resume": "command",
    "start": "command",
    "stop": "command",
    "dock": "command",
}
_WATCHES = frozenset({"arm", "disarm"})
"""Whatever way an alarm is armed, that is its state."""


def track(clause: Clause) -> str:
    """The attribute that a command changes; "state" for what switches, opens or locks."""
    if clause.parameter is not None and clause.action not in _WATCHES:
        return clause.parameter.attribute
    return _TRACKS.get(clause.action or "", "state")


def left_over(entries: Sequence[Entry]) -> dict[int, tuple[str, ...]]:
    """Of commands that are done one after the other, by id: the devices for which none that follows undoes them.

    An end is done all the same before what is to last only so long itself: that goes back to how it is then.
    """
    return {
        entry.id: tuple(
            item
            for item in entry.entities
            if not any(item in later.entities and _undone(entry, later) for later in entries[at + 1 :])
        )
        for at, entry in enumerate(entries)
    }


def without(entry: Entry, gone: Iterable[str]) -> Entry:
    """The entry for fewer devices."""
    left = tuple(item for item in entry.them if item not in set(gone))
    return replace(entry, them=left, entities=left)


def _undone(entry: Entry, later: Entry) -> bool:
    when = later.clause.when
    lasts = when is not None and (when.duration_s is not None or when.until is not None)
    return _overrules(later.clause, entry.clause) and not (lasts and entry.sort == "end")


def _overrules(later: Clause, earlier: Clause) -> bool:
    """Whether nothing is left of the earlier one; not where the later one depends on how things are then."""
    if later.conditions or later.action == "toggle" or any(item.state for item in later.targets):
        return False
    if later.parameter is not None and later.parameter.op not in _ABSOLUTE:
        return False
    mine, others = track(later), track(earlier)
    if mine == "state" and others in SWITCHING:
        return later.action in _OFF
    return mine == others or (mine in SWITCHING and earlier.action in _OFF)
