"""What goes on from the last act by what it was done to: again, both of them, only the left one, the right one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from daemon.core.ir import Action, Clause, DialogueMove, Fix, Inquiry, Order, Program, Target, Timer
from daemon.core.questions import Settled
from daemon.core.values import replace
from daemon.dialogue.dialogue import Dialogue
from daemon.dialogue.edits import UNSAID, Named, Revision, edit_of, made_of, pronoun
from daemon.dialogue.options import recognise
from daemon.dialogue.second_thoughts import revision
from daemon.home.names import contains, has_han
from daemon.home.registry import Registry
from daemon.resolve.evidence import paired

_BOTH: Final = 2
_OPPOSITE: Final[Mapping[Action | None, Action]] = {
    "open": "close", "close": "open", "turn_on": "turn_off", "turn_off": "turn_on"
}  # fmt: skip


class Others:
    """Knows what was done last, and what there is like that.

    Args:
        registry: The home.
        essence: Text -> the same less the words that may stand around any name.
    """

    def __init__(self, registry: Registry, essence: Callable[[str], str]) -> None:
        self._registry = registry
        self._essence = essence

    def of(
        self, text: str, readings: Sequence[Program], dialogue: Dialogue, named: Named, now: float
    ) -> Revision | None:
        """What is to be done again, or with others than it was done to; None where this says nothing such.

        Args:
            text: What was said, normalized.
            readings: Of that, best first.
            dialogue: What was done before.
            named: What words name, where they name something and no more.
            now: `time.monotonic()` seconds.
        """
        said, before = readings[0] if readings else None, dialogue.program
        move = said.sole if said is not None else None
        if said is None or before is None or not isinstance(move, DialogueMove) or not dialogue.just_spoken(now):
            return None
        last = before.clauses[-1]
        if move.move == "repeat" and move.text is not None:
            return _again(before, last, dialogue.last)
        if not isinstance(last, Order) or last.is_scene or not dialogue.just_acted(now):
            return None
        match move.move:
            case "both" | "all":
                found = self._each(said, move, last, dialogue.last)
            case "not" if move.text is not None:
                found = self._without(said, recognise(move.text, dialogue.last, self._registry), dialogue.last)
            case "select" if move.text is not None:
                found = self._there(text, dialogue, named(text), now) or self._only(said, move.text, dialogue.last)
                # Left out as a filler, a word may say that it is meant too: "the right one as well".
                found = found or (self._instead(move.text, dialogue, now) if said.text == text else None)
            case "correct" if isinstance(move, Fix) and _is_named(move):
                found = self._instead(move.targets[0].mention or "", dialogue, now)
            case "only" if isinstance(move, Fix) and len(move.targets) == 1:
                words = " ".join((*move.targets[0].areas, move.targets[0].mention or ""))
                ways = (last.action, _OPPOSITE.get(last.action))
                wrong = ways.index(move.action) if move.action in ways else -1
                found = self._only(said, words, dialogue.last, these=wrong == 1) if wrong >= 0 else None
            case _:
                found = None
        return found

    def settled(self, found: Revision, dialogue: Dialogue) -> Revision:
        """The same, of the one that is meant by a part of its name: "the right one too", after the left lamp."""
        clauses, settled = list(found.program.clauses), dict(found.settled)
        for at, clause in enumerate(clauses):
            if not isinstance(clause, Order | Inquiry) or len(clause.targets) != 1 or at in settled:
                continue
            target = clause.targets[0]
            if target.mention is None or target.areas or target.floors:
                continue
            meant = self._called(target.mention, self._alike(dialogue.last))
            if len(meant) == 1:
                clauses[at] = replace(clause, targets=(replace(target, confidence=UNSAID),), confidence=UNSAID)
                settled[at] = Settled(meant=meant)
        if settled == found.settled:
            return found
        program = replace(found.program, clauses=tuple(clauses), needs_fallback=False)
        return Revision(replace(program, confidence=min(item.confidence for item in clauses)), settled)

    def _each(self, said: Program, move: DialogueMove, last: Order, done: Sequence[str]) -> Revision | None:
        """As "both of them", after one of two: the other one too."""
        rooms = {self._registry.room_of(item) for item in done}
        near = [self._registry[item] for item in self._alike(done) if {self._registry.room_of(item)} == rooms]
        pair = paired([self._registry[item] for item in done], near) if move.move == "both" else near
        here = tuple(item.id for item in pair)
        if not here or (move.move == "both" and len(here) + len(done) != _BOTH):
            return None
        others = Target(reference="them", confidence=UNSAID)
        made = replace(last, targets=(others,), excluded=(), when=None, conditions=(), confidence=UNSAID)
        return Revision(made_of(said, made), {0: Settled(meant=here)}) if not (last.when or last.conditions) else None

    def _only(self, said: Program, words: str, done: Sequence[str], *, these: bool = False) -> Revision | None:
        """As "only the left one", after both: what was done to the others, or to `these`, is taken back."""
        meant = self._called(words, done)
        if not meant or len(meant) == len(done):
            return None
        return self._without(said, [item for item in done if (item in meant) == these], done)

    def _without(self, said: Program, gone: Sequence[str], done: Sequence[str]) -> Revision | None:
        """As "not the lamp", after several: what was done to that is taken back, and to nothing else."""
        named = tuple(Target(mention=self._registry[item].names[0]) for item in gone)
        return Revision(made_of(said, DialogueMove("undo", targets=named))) if 0 < len(gone) < len(done) else None

    def _there(self, text: str, dialogue: Dialogue, named: Sequence[Target], now: float) -> Revision | None:
        """As "the study one", and nothing more: it was done to another than was meant."""
        target = named[0] if len(named) == 1 else Target()
        if not target.areas or target.kind != "device" or not target.only("areas", "kind"):
            return None
        return self._corrected(text, target, dialogue, now)

    def _instead(self, words: str, dialogue: Dialogue, now: float) -> Revision | None:
        """As "the right one", and nothing more, after the left one: it was done to another than was meant."""
        if len(self._called(words, self._alike(dialogue.last))) != 1:
            return None
        return self._corrected(words, Target(mention=words, kind="device"), dialogue, now)

    def _corrected(self, words: str, target: Target, dialogue: Dialogue, now: float) -> Revision | None:
        return revision(Fix("correct", text=words, targets=(target,)), words, dialogue, self._registry, now)

    def _alike(self, done: Sequence[str]) -> tuple[str, ...]:
        """What is of the sort of all that it was done to, and none of it."""
        types = {self._registry[item].type for item in done if item in self._registry}
        alike = (item.id for item in self._registry.devices if {item.type} == types and item.exposed)
        return tuple(item for item in alike if item not in done)

    def _called(self, words: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Those that have these words in their names, which are the whole name of nothing else."""
        core = words if not has_han(words) else self._essence(words) or words
        whole = {name.casefold() for item in self._registry for name in item.names}
        if not core or not whole.isdisjoint((words, core)):
            return ()
        names = {
            item: [name.casefold() for name in self._registry[item].names] for item in ids if item in self._registry
        }
        return tuple(item for item in names if any(contains(name, core) for name in names[item]))


def _is_named(fix: Fix) -> bool:
    """Whether it says nothing but a name, which may be part of one: "no, the right one"."""
    edit, target = edit_of(fix), fix.targets[0] if len(fix.targets) == 1 else Target()
    if edit is None or not edit.fills("targets") or fix.conditions:
        return False
    return target.mention is not None and target.only("mention", "kind") and target.kind in (None, "device")


def _again(before: Program, last: Clause, done: Sequence[str]) -> Revision | None:
    """The last command or question once more, of what it was about."""
    if not isinstance(last, Order | Inquiry | Timer) or last.when is not None or last.conditions:
        return None
    if isinstance(last, Order) and not last.is_scene and done:
        last = replace(last, targets=(pronoun(done),), excluded=())
    return Revision(replace(before, clauses=(last,), source="dialogue"))
