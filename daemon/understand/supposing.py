"""Rules as expressions: those of conditions, made of `rules/frames.yaml`; and that none begins with itself.

What a condition may be made of is said in whatever order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import accumulate
from operator import or_
from pathlib import Path

from msgspec import Struct

from daemon.core.errors import ConfigError
from daemon.system.nodes import read_yaml
from daemon.understand.peg import AnyOrder, Choice, Expression, Frame, Literal, Look, OneOf, Ref
from daemon.understand.peg import Sequence as InOrder

FILE = "frames.yaml"
SECTION = "conditions"


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """What makes up one condition."""

    of: tuple[str, ...]
    """In this order: 灯开着 tests, 打开灯 does not."""
    may: tuple[str, ...] = ()
    """What may be said as well, wherever."""


class Rows(Struct, frozen=True, forbid_unknown_fields=True):
    """What makes up conditions."""

    midst: tuple[str, ...]
    """What may stand anywhere in one, and makes it one: 卧室*要是*没人."""
    known: tuple[Row, ...]
    guesses: tuple[Row, ...]
    """Where no other fits."""
    apart: dict[str, tuple[Row, ...]]
    """Conditions of a sort of their own."""


def add_conditions(
    rules: Path, langs: Iterable[str], definitions: dict[str, Expression], where: dict[str, Path]
) -> None:
    """Adds the rules of conditions to a grammar, and the file that they come from."""
    made = condition_rules(rules, langs, definitions)
    definitions |= made
    where |= dict.fromkeys(made, rules / FILE)


def condition_rules(rules: Path, langs: Iterable[str], defined: Collection[str]) -> dict[str, Expression]:
    """The rules `Condition_<lang>`, and `Condition_<sort>_<lang>` for each sort in the midst and each that is apart.

    `Condition_known_<lang>` is the first without guesses.

    Args:
        rules: Where `frames.yaml` is.
        langs: The languages.
        defined: The rules that there are: of a language those sorts are known of which it has `test_<sort>_<lang>`.
    """
    rows = read_yaml(rules / FILE).mapping()[SECTION].into(Rows, "write {of: [sorts], may: [sorts]}")
    said: dict[str, tuple[str | None, tuple[Sequence[Row], ...]]] = {"": (None, (rows.known, rows.guesses))}
    said |= {"_known": (None, (rows.known,))}  # of nothing that nobody here calls so
    said |= {f"_{sort}": (sort, (rows.known, rows.guesses)) for sort in rows.midst}
    said |= {f"_{sort}": (None, (apart,)) for sort, apart in rows.apart.items()}
    made: dict[str, Expression] = {}
    for lang in langs:
        for name, (besides, groups) in said.items():
            found = [row for group in groups if (row := _any_of(group, lang, defined, besides)) is not None]
            made |= {f"Condition{name}_{lang}": Choice(tuple(found))} if found else {}
    return made


def _any_of(rows: Sequence[Row], lang: str, defined: Collection[str], besides: str | None) -> AnyOrder | None:
    """Those of these that a language can say, with what must stand in the midst of each; None where it can say none."""
    named = dict.fromkeys(sort for row in rows for sort in (*row.of, *row.may))
    sorts = [sort for sort in (*named, *([besides] if besides else [])) if f"test_{sort}_{lang}" in defined]
    bits = {sort: 1 << index for index, sort in enumerate(sorts)}
    can = [row for row in rows if bits.keys() >= {*row.of}]
    if not can or (besides and besides not in bits):
        return None
    refs = {sort: Ref(f"test_{sort}_{lang}", 0) for sort in sorts}
    anywhere = bits[besides] if besides else 0
    least = Choice(tuple(InOrder(tuple(refs[sort] for sort in row.of)) for row in can))
    return AnyOrder(tuple(refs.values()), tuple(_frame(row, bits, anywhere) for row in can), least)


def _frame(row: Row, bits: dict[str, int], anywhere: int) -> Frame:
    order = tuple(accumulate((bits[sort] for sort in row.of), or_, initial=0))
    must = order[-1] | anywhere
    return Frame(order, must, reduce(or_, (bits[sort] for sort in row.may if sort in bits), must))


def refuse_circles(rules: Mapping[str, Expression], where: Mapping[str, Path]) -> None:
    """Goes through what each rule can begin with.

    Args:
        rules: The grammar; other rules that they use match something.
        where: The file of each rule, for errors.

    Raises:
        ConfigError: a rule begins with itself.
    """
    check = _Check(rules, where)
    for name in rules:
        check.rule(name, 1)


class _Check:
    def __init__(self, rules: Mapping[str, Expression], where: Mapping[str, Path]) -> None:
        self._rules = rules
        self._where = where
        self._open: list[str] = []
        self._known: dict[str, bool] = {}

    def rule(self, name: str, line: int) -> bool:
        """Whether this rule can match nothing; every rule that it can begin with is looked at, too."""
        if name not in self._rules:
            return False
        known = self._known.get(name)
        if known is None:
            if name in self._open:
                circle = " > ".join([*self._open[self._open.index(name) :], name])
                raise ConfigError(
                    self._where[self._open[-1]],
                    line,
                    name,
                    f"begins with itself ({circle})",
                    "let something else come first",
                )
            self._open.append(name)
            known = self._known[name] = self._nothing(self._rules[name])
            self._open.pop()
        return known

    def _nothing(self, expression: Expression) -> bool:
        # Ten thousand of them are asked for: a `match` takes twice as long.
        if isinstance(expression, Literal):
            return not expression.text
        if isinstance(expression, InOrder):
            return all(map(self._nothing, expression.items))
        if isinstance(expression, Ref):
            return self.rule(expression.rule, expression.line)
        if isinstance(expression, Choice):
            found = False
            for item in expression.items:  # each of them, and not until the first
                found = self._nothing(item) or found
            return found
        if isinstance(expression, AnyOrder):
            list(map(self._nothing, expression.items))
            return False
        if isinstance(expression, OneOf):
            return False
        nothing = self._nothing(expression.item)
        return nothing or isinstance(expression, Look) or not expression.low
