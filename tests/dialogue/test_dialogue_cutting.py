"""Of all ways to lay requests and talk side by side, the likeliest is taken."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from daemon.compiler.segmenter import ORDER, TALK, Atom
from daemon.core.ir import Order, Parameter, Program, Source, Target
from daemon.dialogue.cutting import LONGEST, Read, Run, is_sure, joined, likeliest, starts

FOUR = (0.05,) * (LONGEST + 2)


def atoms(*talk: float, begins: float = 0.8) -> tuple[Atom, ...]:
    """One of ten characters for each chance of talk."""
    return tuple(Atom(10 * at, 10 * at + 9, share, begins) for at, share in enumerate(talk))


def does(*names: str) -> Program:
    return Program(tuple(Order(action="turn_on", targets=(Target(mention=name),)) for name in names), "model", "en")


def reads(chances: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], Read]:
    return {run: Read(chance, does("lamp")) for run, chance in chances.items()}


@pytest.mark.parametrize(
    ("talk", "chances", "cut"),
    [
        # What is read as well without the talk before it is cut from that.
        ((0.9, 0.1), {(0, 2): 0.7, (1, 2): 0.98}, [(TALK, 0, 1), (ORDER, 1, 2)]),
        # What is only half said goes on.
        ((0.1, 0.1), {(1, 2): 0.3, (0, 2): 0.9}, [(ORDER, 0, 2)]),
        ((0.1, 0.1), {(0, 1): 0.97, (1, 2): 0.97, (0, 2): 0.5}, [(ORDER, 0, 1), (ORDER, 1, 2)]),
        # Nobody reads anything in an order.
        ((0.05, 0.95), {}, [(ORDER, 0, 1), (TALK, 1, 2)]),
        # Talk goes on through talk.
        ((0.9, 0.6, 0.1), {(2, 3): 0.95}, [(TALK, 0, 2), (ORDER, 2, 3)]),
        # A whole utterance is read however long it is.
        (FOUR, {(0, LONGEST + 2): 0.95}, [(ORDER, 0, LONGEST + 2)]),
    ],
)
def test_the_likeliest_cut(
    talk: tuple[float, ...], chances: dict[tuple[int, int], float], cut: list[tuple[str, int, int]]
) -> None:
    begins = 0.3 if talk is FOUR else 0.8
    found = likeliest(atoms(*talk, begins=begins), reads(chances))
    assert [(item.sort, item.start, item.end) for item in found] == cut


@pytest.mark.parametrize(
    ("source", "order", "sort"),
    [
        ("grammar", Order("close", (Target(kind="blind"),)), ORDER),
        ("grammar", Order("set", parameter=Parameter("volume", value=40.0)), ORDER),
        ("grammar", Order("close", (Target(reference="it"),)), TALK),  # of which somebody may tell a story
        ("model", Order("close", (Target(kind="blind"),)), TALK),
    ],
)
def test_what_surely_reads_as_an_order_is_hardly_talk(source: Source, order: Order, sort: str) -> None:
    told = Read(0.95, Program((order,), source, "en"))
    [run] = likeliest(atoms(0.6), {(0, 1): told})
    assert run.sort == sort


def test_a_need_beside_an_order_is_why_it_is_given() -> None:
    said = {(0, 1): Read(0.99, does("lamp"), tells=True)} | reads({(1, 2): 0.98, (0, 2): 0.3})
    assert [item.sort for item in likeliest(atoms(0.1, 0.1), said)] == [TALK, ORDER]


def test_a_boundary_that_is_unlikely_is_not_made_for_little() -> None:
    said = reads({(0, 1): 0.9, (1, 2): 0.9, (0, 2): 0.8})
    assert len(likeliest(atoms(0.1, 0.1, begins=0.05), said)) == 1
    assert len(likeliest(atoms(0.1, 0.1, begins=0.95), said)) == 2


def test_what_the_tagger_hears_nothing_in_is_surer_talk() -> None:
    alone = likeliest(atoms(0.7, 0.1), reads({(1, 2): 0.98}))
    both = likeliest(atoms(0.7, 0.1), reads({(1, 2): 0.98}) | {(0, 1): Read(silent=0.9)})
    assert (alone[0].sort, both[0].sort) == (TALK, TALK)
    assert alone[0].chance == pytest.approx(0.7)
    assert both[0].chance > 0.9


def test_nothing_is_looked_for_from_talk_to_something_else() -> None:
    assert starts(atoms(0.99, 0.1, 0.1, 0.99), 3) == [1, 2]
    assert starts(atoms(0.99, 0.1, 0.1, 0.99), 4) == [0, 3]


def test_a_request_is_as_sure_as_the_same_request_in_parts() -> None:
    whole = {(0, 2): Read(0.8, does("hall lamp", "kettle"), bar=0.9)}
    run = Run(0, 2, ORDER, 0.9)
    sure = {(0, 1): Read(0.98, does("lamp"), bar=0.9), (1, 2): Read(0.97, does("kettle"), bar=0.9)}
    assert is_sure(run, whole | sure, lambda _at: False)
    assert not is_sure(run, whole, lambda _at: False)
    assert not is_sure(run, whole | sure | {(1, 2): Read(0.97, does("fan"), bar=0.9)}, lambda _at: False)
    assert not is_sure(run, whole | sure | {(1, 2): Read(0.5, does("kettle"), bar=0.9)}, lambda _at: False)


def test_what_is_idle_may_be_left_out_of_a_request() -> None:
    said = {(0, 2): Read(0.8, does("lamp"), bar=0.9), (1, 2): Read(0.97, does("lamp"), bar=0.9)}
    run = Run(0, 2, ORDER, 0.9)
    assert is_sure(run, said, lambda at: at == 0)
    assert not is_sure(run, said, lambda _at: False)


def test_no_name_is_cut_in_two() -> None:
    """ "shut the garden sprinkler off": a bound within a name goes, one at its end stays."""
    four = atoms(0.9, 0.1, 0.4, 0.1)
    assert joined(four, {(14, 24), (30, 39)}) == (four[0], Atom(10, 29, 0.1, 0.8), four[3])
