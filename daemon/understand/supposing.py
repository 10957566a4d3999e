"""What a condition may be made of (`conditions` of `rules/frames.yaml`), as rules of the grammar: in whatever order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from itertools import accumulate
from operator import or_
from pathlib import Path

from msgspec import Struct

from daemon.system.nodes import read_yaml
from daemon.understand.peg import AnyOrder, Choice, Expression, Frame, Ref
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
