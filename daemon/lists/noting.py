"""Carries out what was decided about lists, and tells of them. Facts only."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.core.decisions import Note, Undo
from daemon.core.ir import AboutList
from daemon.core.lists import Change
from daemon.core.messages import Listing, ListName, Said, Say, Words, say
from daemon.core.result import Report
from daemon.core.values import replace
from daemon.lists.lists import Lists


class Noting:
    """Keeps the lists of one home. One event loop."""

    def __init__(self, lists: Lists) -> None:
        self._lists = lists

    async def note(self, decision: Note) -> Report:
        """Changes a list, or tells what is on it."""
        clause = decision.turn.clause
        assert isinstance(clause, AboutList)
        if clause.op == "lists":
            counts = [(name, len(items)) for name, items in self._lists.contents.items()]
            counted = Listing(tuple(_named("list.counted", name, n) for name, n in counts), "items")
            return Report("assistant", (say("list.lists", len(counts), lists=counted),), "list")
        name = clause.name
        assert name is not None
        there = [found for item in clause.items if (found := self._lists.on(name, item))]
        absent = [item for item in clause.items if not self._lists.on(name, item)]
        match clause.op:
            case "add" | "make":
                already = (_told("list.there", name, there),) if there else ()
                done, kept = await self._lists.add(name, clause.items)
                idle = (_named("list.exists", name),) if clause.op == "make" and not done.made else ()
                return _report(done, (*already, *idle), kept=kept)
            case "remove":
                done, kept = await self._lists.remove(name, clause.items)
                report = _report(done, (_told("list.absent", name, absent),) if absent else (), kept=kept)
                return report if done.removed else replace(report, outcome="reject")
            case "clear" | "drop":
                done, kept = await self._lists.clear(name, drop=clause.op == "drop")
                said = _named(f"list.{clause.op}.done" if done.removed or done.dropped else "list.empty", name)
                return Report("assistant", (said, *_unsaved(kept=kept)), "list", listed=name, changes=(done,))
            case "has":
                has = (_told("list.there", name, there),) if there else ()
                lost = (_told("list.absent", name, absent),) if absent else ()
                return Report("assistant", (*has, *lost), "list", listed=name)
            case _:
                return Report("assistant", (self._asked(name, clause),), "list", listed=name)

    async def take_back(self, decision: Undo) -> Report:
        """Puts lists back as they were before what was done to them."""
        said: Said = ()
        for change in reversed(decision.changes):
            done, kept = await self._lists.take_back(change)
            said = (*said, *_report(done, (), kept=kept).said)
        return Report("assistant", said or (say("list.same"),), "undo", listed=decision.changes[-1].name)

    def _asked(self, name: str, clause: AboutList) -> Say:
        items = self._lists.contents.get(name, ())
        if not items:
            return _named("list.empty", name)
        return _named("list.count", name, len(items)) if clause.op == "count" else _told("list.tell", name, items)


def _report(done: Change, beside: Said, *, kept: bool) -> Report:
    """What was done to a list, and what there was nothing to do to."""
    said: list[Say] = []
    if done.dropped:
        said.append(_named("list.drop.done", done.name))
    elif done.added:
        said.append(_told("list.started" if done.made else "list.added", done.name, done.added))
    elif done.made:
        said.append(_named("list.made", done.name))
    if done.removed and not done.dropped:
        said.append(_told("list.removed", done.name, [item for _, item in done.removed]))
    changes = (done,) if said else ()
    return Report("assistant", (*said, *beside, *_unsaved(kept=kept)), "list", listed=done.name, changes=changes)


def _told(key: str, name: str, items: Sequence[str]) -> Say:
    them = Listing(tuple(Words(item) for item in items), "items")
    return say(key, len(items), list=ListName(name), items=them)


def _named(key: str, name: str, n: int = 1) -> Say:
    return say(key, n, list=ListName(name))


def _unsaved(*, kept: bool) -> Said:
    return () if kept else (say("list.unsaved"),)
