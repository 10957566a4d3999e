"""What is said about the lists that people keep: which of them is meant. No words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from daemon.core.decisions import Ask, Decision, Note, Refuse
from daemon.core.ir import AboutList, Inquiry, Order, Parameter, Target
from daemon.core.messages import Listing, ListName, Message, say
from daemon.core.questions import LIST_WANTED
from daemon.core.result import SHOPPING, USUAL
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.decide.looking import Look
from daemon.dialogue.dialogue import Open
from daemon.home.registry import Registry
from daemon.lists.lists import Lists, tidied


class ListThings:
    """Decides about lists in one home."""

    def __init__(self, *, lists: Lists, registry: Registry, asking: Asking) -> None:
        self._lists = lists
        self._registry = registry
        self._asking = asking

    def elsewhere(self, turn: Turn, open_: Open) -> Turn | None:
        """The turn as it is about the home: the home's own list, or what is switched off; None where it is none."""
        clause = _of(turn)
        if clause.op == "off" and not open_.noted:
            return turn.instead(Order("turn_off", (Target(reference="that", confidence=clause.confidence),)))
        if clause.op != "tell" or not any(item.reads("todo") for item in self._registry.devices):
            return None
        name = self._lists.named(clause.name or SHOPPING)
        ours = self._lists.contents.get(name) if name is not None else None
        asked = Inquiry("value", parameter=Parameter("todo"), confidence=clause.confidence)
        return None if ours or open_.listed else turn.instead(asked)

    def decide(self, turn: Turn, open_: Open) -> Decision:
        """What is to be done about a clause of a list."""
        clause = replace(_of(turn), items=tidied(_of(turn).items))
        if clause.op == "lists":
            return Note(turn.instead(clause), "list")
        if clause.op == "off":
            clause = replace(clause, op="remove")
        if clause.op == "remove" and not clause.items and open_.noted:
            change = open_.changes[-1]
            clause = replace(clause, name=clause.name or change.name, items=change.added)
        if clause.elliptic or (clause.op in ("add", "remove", "has") and not clause.items):
            return self._asking.ends(turn, "ignore", "not_understood")
        if clause.op == "remove" and clause.implicit and not self._lists.holding(clause.items):
            return self._asking.ends(turn, "ignore", "chat")
        name = self._which(clause, open_)
        if not isinstance(name, str):
            return Refuse(turn, (name,), "list.which", "clarify")
        turn = turn.instead(replace(clause, name=name))
        known = name in self._lists.contents
        if clause.op in ("add", "make"):
            return self._added(turn, name)
        if not known:
            return Refuse(turn, (say("list.unknown", list=ListName(name)),), "list.unknown")
        if clause.op in ("clear", "drop"):
            return self._really(turn, name, clause.op)
        return Note(turn, "list")

    def _added(self, turn: Turn, name: str) -> Decision:
        clause = _of(turn)
        problem = self._lists.problem(name, clause.items)
        if problem is not None:
            return Refuse(turn, (say(f"list.{problem}", list=ListName(name)),), f"list.{problem}")
        if clause.implicit and not turn.settled.confirmed:
            return self._asking.question(turn, "confirm", LIST_WANTED, (name,))
        return Note(turn, "list")

    def _really(self, turn: Turn, name: str, op: Literal["clear", "drop"]) -> Ask | Note | Refuse:
        """Nothing that somebody wrote goes without a yes."""
        if op == "drop" and name in USUAL:
            op = "clear"
        if self._lists.contents[name] and name not in turn.settled.confirmed:
            return self._asking.question(turn, "confirm", f"list.{op}", (name,))
        return Note(turn, "list")

    def _which(self, clause: AboutList, open_: Open) -> str | Message:
        """The list that is meant; where it may be one of several, what is said to that."""
        if clause.name is not None:
            return self._lists.named(clause.name) or clause.name
        if open_.listed is not None and (clause.op != "remove" or self._any(open_.listed, clause.items)):
            return open_.listed
        if clause.op in ("remove", "has") and clause.items:
            holding = self._lists.holding(clause.items)
            if len(holding) > 1 and clause.op == "remove":
                return say("list.which", lists=Listing(tuple(ListName(item) for item in holding), "choices"))
            return holding[0] if holding else SHOPPING
        filled = [name for name, items in self._lists.contents.items() if items]
        if clause.op == "add" or len(filled) != 1:
            return SHOPPING
        return filled[0]

    def _any(self, name: str, items: Sequence[str]) -> bool:
        return not items or any(self._lists.meant(name, item) for item in items)


def needed(look: Look | Decision) -> Turn | None:
    """As "we need coffee" where nothing here is called so: a wish for the list; None where it is no such need."""
    turn, ruling = look.turn, look.ruling.reason if isinstance(look, Look) else getattr(look, "reason", None)
    clause = turn.clause
    if not isinstance(clause, Order) or not clause.implicit or ruling != "not_found" or clause.parameter is not None:
        return None  # what is too bright is not wanted
    words = [item.mention for item in clause.targets if item.mention is not None]
    return turn.instead(AboutList("add", None, tuple(words), implicit=True)) if len(words) == 1 else None


def _of(turn: Turn) -> AboutList:
    clause = turn.clause
    assert isinstance(clause, AboutList)
    return clause
