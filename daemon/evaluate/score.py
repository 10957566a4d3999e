"""The score of one case: right or not, and the mistakes that are counted apart. See docs/evaluation.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from daemon.evaluate.atoms import (
    Atom,
    Expand,
    Fault,
    Turn,
    command_fault,
    expected_atoms,
    fits,
    sent_atoms,
    values_agree,
)
from daemon.evaluate.cases import Case, Expectation, ExpectedCommand

_FAMILIES = {
    "on": "on",
    "turn_on": "on",
    "open": "on",
    "unlock": "on",
    "start": "on",
    "resume": "on",
    "activate": "on",
    "off": "off",
    "turn_off": "off",
    "close": "off",
    "lock": "off",
    "stop": "off",
    "pause": "off",
    "dock": "off",
    "query": "query",
}


def same_shape(commands: Iterable[ExpectedCommand], clauses: Iterable[dict[str, Any]]) -> bool:
    """Whether there are as many commands of each family (on, off, query, set) as the labels say.

    One clause with several targets counts once for each of them; labels that are equal in every field count once, as
    does a clause.
    """
    wished = Counter(_family(item.action) for item in commands)
    got = Counter[str]()
    for clause in clauses:
        asks = clause.get("intent") == "query"
        family = "set" if clause.get("parameter") and not asks else _family(clause.get("action") or clause["intent"])
        got[family] += max(1, len(clause.get("targets") or ()))
    return wished == got or (set(wished) == set(got) and sum(wished.values()) >= sum(got.values()) > 0)


def _family(action: str) -> str:
    return _FAMILIES.get(action, "set")


IN_SCOPE = frozenset({"execute", "query", "clarify", "reject", "mixed", "schedule"})
"""Expected outcomes of sentences that are for Hearken; the rest are `ignore` and `assistant`."""

_DOES_SOMETHING = frozenset({"execute", "query", "mixed", "schedule"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is right and wrong about one case. The flags are independent of each other."""

    exact: bool
    wrong_act: bool = False
    """Something was sent, or kept for later, that is in no right list of commands."""
    needless_question: bool = False
    missed_question: bool = False
    not_understood: bool = False
    acted: bool = False
    """Anything at all was sent or kept for later."""
    fault: Fault | None = None
    """Where it went wrong first; None where exact."""


def score(case: Case, turn: Turn, after: Turn | None, expand: Expand) -> Verdict | None:
    """The verdict on one case; None where it expects nothing. `after`: what the answer of the user led to."""
    if case.expect is None:
        return None
    if case.home is None:
        return _parse_only(case.expect, turn)
    return _Judge(case, case.expect, turn, after, expand).verdict()


def _parse_only(expect: Expectation, turn: Turn) -> Verdict:
    """Without a home only the shape of the IR can be compared, and nothing can be wrongly done."""
    if turn.clauses and same_shape(expect.commands, turn.clauses):
        return Verdict(exact=True)
    return Verdict(
        exact=False, not_understood=not turn.clauses, fault="wrong_reading" if turn.clauses else "not_understood"
    )


class _Judge(Struct, frozen=True):
    case: Case
    expect: Expectation
    turn: Turn
    after: Turn | None
    expand: Expand

    def verdict(self) -> Verdict:
        outcome_right = self.turn.outcome in self._accepted()
        turns = (self.turn,) if self.after is None else (self.turn, self.after)
        wrong_act = any(not self._allowed(atom, turn) for turn in turns for atom in self._acts(turn))
        broken = any(turn.error is not None for turn in turns)
        exact = outcome_right and not wrong_act and not broken and self._effect_right()
        acted = any(self._acts(turn) for turn in turns)
        needless = self.turn.outcome == "clarify" and not outcome_right
        missed = self.expect.outcome == "clarify" and not outcome_right
        not_understood = self._asks_for_something() and not outcome_right and _unread(self.turn)
        fault: Fault | None = None
        if not exact:
            flags: tuple[tuple[bool, Fault], ...] = (
                (broken, "error"),
                (not self._asks_for_something() and acted, "acted_out_of_scope"),
                (not_understood, "not_understood"),
                (needless, "needless_question"),
                (missed, "missed_question"),
                (self.turn.outcome == "reject" and not outcome_right, "refused"),
            )
            fault = next((name for flag, name in flags if flag), None) or self._later_fault()
        return Verdict(exact, wrong_act, needless, missed, not_understood, acted, fault)

    def _accepted(self) -> frozenset[str]:
        if self.expect.outcome == "assistant":
            # What Hearken does not do is right when it is left alone or declined.
            return self.expect.accepted | {"ignore", "reject"}
        return self.expect.accepted

    def _asks_for_something(self) -> bool:
        return self.expect.outcome in IN_SCOPE - {"reject"}

    def _acts(self, turn: Turn) -> tuple[Atom, ...]:
        return sent_atoms((*turn.sent, *turn.scheduled), self.expand)

    def _wished(self, variant: Iterable[ExpectedCommand]) -> tuple[Atom, ...]:
        return expected_atoms((item for item in variant if item.valid and item.action != "query"), self.expand)

    def _allowed(self, atom: Atom, turn: Turn) -> bool:
        """Whether a sent atom is in any right list, or left its device as `final_state` wants it."""
        if any(fits(wished, atom) for variant in self.expect.variants for wished in self._wished(variant)):
            return True
        return atom.target in self.expect.final_state and self._state_right(turn, atom.target)

    def _effect_right(self) -> bool:
        """Whether, the outcome being right, what was done and read is right too."""
        turn = self.turn
        match turn.outcome:
            case "clarify":
                return not self._acts(turn) and self._answer_right()
            case "execute" | "mixed" | "query":
                return not turn.scheduled and self._done(turn)
            case "schedule":
                return not turn.sent and self._same_commands(self._acts(turn))
            case _:
                return not self._acts(turn)

    def _answer_right(self) -> bool:
        """Whether the answer led to what was meant; right where there was nothing to lead to."""
        if self.case.user_answer is None or self.expect.outcome != "clarify" or not self.expect.commands:
            return True
        return self.after is not None and self.after.outcome in _DOES_SOMETHING and self._done(self.after)

    def _done(self, turn: Turn) -> bool:
        if turn.outcome == "query":
            return not turn.sent and self._read(turn)
        if self.expect.final_state:
            return all(self._state_right(turn, device) for device in self.expect.final_state)
        return self._same_commands(self._acts(turn))

    def _read(self, turn: Turn) -> bool:
        read = {device for target in turn.read for device in self.expand(target)}
        return any(
            read.issuperset(device for item in variant for target in item.targets for device in self.expand(target))
            for variant in self.expect.variants
        )

    def _same_commands(self, sent: tuple[Atom, ...]) -> bool:
        return any(
            all(any(fits(want, got) for got in sent) for want in wished)
            and all(any(fits(want, got) for want in wished) for got in sent)
            for wished in map(self._wished, self.expect.variants)
        )

    def _state_right(self, turn: Turn, device: str) -> bool:
        wished, seen = self.expect.final_state[device], turn.final_state.get(device, {})
        free = self.expect.ignore_changes.get(device, frozenset())
        expected = {"state": wished.get("state"), **(wished.get("attributes") or {})}
        found = {"state": seen.get("state"), **(seen.get("attributes") or {})}
        return all(
            name in free or value is None or values_agree(value, found.get(name)) for name, value in expected.items()
        )

    def _later_fault(self) -> Fault:
        """What went wrong after the outcome, or with it."""
        if self.turn.outcome == "query" and self.expect.outcome == "query":
            return "wrong_entity"
        asked = self.turn.outcome == "clarify" and self.after is not None
        turn = self.after if asked and self.after is not None else self.turn
        if turn.outcome not in _DOES_SOMETHING - {"query"}:
            return "wrong_after_answer" if asked else "wrong_outcome"
        sent, wished = self._acts(turn), self._wished(self.expect.commands)
        fault = command_fault(wished, sent)
        if fault == "wrong_outcome" and self.expect.final_state:
            return "wrong_state"
        return fault


def _unread(turn: Turn) -> bool:
    return turn.outcome == "ignore" or (not turn.clauses and turn.outcome in ("reject", "assistant"))
