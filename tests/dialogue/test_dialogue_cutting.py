"""Of all ways to lay requests and talk side by side, the likeliest is taken."""

from __future__ import annotations

import pytest

from daemon.compiler.segmenter import ORDER, TALK, Atom
from daemon.dialogue.cutting import LONGEST, Read, likeliest, starts


def atoms(*talk: float, begins: float = 0.8) -> tuple[Atom, ...]:
    """One of ten characters for each chance of talk."""
    return tuple(Atom(10 * at, 10 * at + 9, share, begins) for at, share in enumerate(talk))


NEED = Read(0.99, tells=True)


@pytest.mark.parametrize(
    ("talk", "readings", "cut"),
    [
        # What is read as well without the talk before it is cut from that.
        ((0.9, 0.1), {(0, 2): 0.7, (1, 2): 0.98}, [(TALK, 0, 1), (ORDER, 1, 2)]),
        # What is only half said goes on.
        ((0.1, 0.1), {(0, 1): 0.0, (1, 2): 0.5, (0, 2): 0.9}, [(ORDER, 0, 2)]),
        ((0.1, 0.1), {(0, 1): 0.97, (1, 2): 0.97, (0, 2): 0.6}, [(ORDER, 0, 1), (ORDER, 1, 2)]),
        # Nobody reads anything in an order.
        ((0.05, 0.95), {}, [(ORDER, 0, 1), (TALK, 1, 2)]),
        # Talk goes on through talk.
        ((0.9, 0.6, 0.1), {(2, 3): 0.95}, [(TALK, 0, 2), (ORDER, 2, 3)]),
        # A whole utterance is read however long it is.
        ((0.05,) * (LONGEST + 2), {(0, LONGEST + 2): 0.95}, [(ORDER, 0, LONGEST + 2)]),
    ],
)
def test_the_likeliest_cut(
    talk: tuple[float, ...], readings: dict[tuple[int, int], float], cut: list[tuple[str, int, int]]
) -> None:
    found = likeliest(atoms(*talk), lambda start, end: Read(readings.get((start, end), 0.0)))
    assert [(item.sort, item.start, item.end) for item in found] == [
        (sort, 10 * start, 10 * end - 1) for sort, start, end in cut
    ]


def test_a_need_beside_an_order_is_why_it_is_given() -> None:
    readings = {(0, 1): NEED, (1, 2): Read(0.98), (0, 2): Read(0.3)}
    found = likeliest(atoms(0.1, 0.1), lambda start, end: readings[start, end])
    assert [item.sort for item in found] == [TALK, ORDER]


def test_a_boundary_that_is_unlikely_is_not_made_for_little() -> None:
    readings = {(0, 1): Read(0.9), (1, 2): Read(0.9), (0, 2): Read(0.8)}
    unlikely = likeliest(atoms(0.1, 0.1, begins=0.05), lambda start, end: readings[start, end])
    likely = likeliest(atoms(0.1, 0.1, begins=0.95), lambda start, end: readings[start, end])
    assert (len(unlikely), len(likely)) == (1, 2)


def test_nothing_is_looked_for_from_talk_to_something_else() -> None:
    assert starts(atoms(0.99, 0.1, 0.1, 0.99), 3) == [1, 2]
    assert starts(atoms(0.99, 0.1, 0.1, 0.99), 4) == [0, 3]
