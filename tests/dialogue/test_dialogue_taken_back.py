"""What is taken back in mid-breath, put in plain words: where what was said lies then."""

from __future__ import annotations

import pytest

from daemon.compiler.segmenter import CORRECTS, Atom, Segment
from daemon.dialogue.taken_back import between, moved, put


def marks(text: str, *words: str) -> list[Segment]:
    return [Segment(text.index(item), text.index(item) + len(item), CORRECTS, 0.9) for item in words]


def atoms(text: str, *words: str) -> list[Atom]:
    starts = [text.index(item) for item in words]
    return [Atom(start, text.index(item) + len(item), 0.1, 0.9) for start, item in zip(starts, words, strict=True)]


@pytest.mark.parametrize(
    ("said", "taken", "word", "plain"),
    [
        ("fan on oh no silly me lamp on", ("oh no silly me",), "no", "fan on, no, lamp on"),
        ("fan on, wait, lamp on hang on heater on", ("wait", "hang on"), "no", "fan on, no, lamp on, no, heater on"),
        ("开风扇瞧我这脑子开灯", ("瞧我这脑子",), "不对", "开风扇,不对,开灯"),
    ],
)
def test_it_is_put_as_the_grammar_knows_it(said: str, taken: tuple[str, ...], word: str, plain: str) -> None:
    found, kept = put(said, marks(said, *taken), word)
    assert found == plain
    assert all(said[low:high] == plain[at : at + high - low] for low, high, at in kept)


@pytest.mark.parametrize(
    ("atoms_said", "atoms_plain"),
    [
        # Nothing begins between what is taken back and what is said in its place.
        (("good day", "fan on", "oh no silly me", "lamp on", "thanks"), ("good day", "fan on, no, lamp on", "thanks")),
        (("good day fan on", "oh no", "silly me lamp", "on thanks"), ("good day fan on, no, lamp", "on thanks")),
        (("good day fan on oh no silly me lamp on thanks",), ("good day fan on, no, lamp on thanks",)),
    ],
)
def test_its_atoms_lie_where_they_lay(atoms_said: tuple[str, ...], atoms_plain: tuple[str, ...]) -> None:
    said = "good day fan on oh no silly me lamp on thanks"
    plain, kept = put(said, marks(said, "oh no silly me"), "no")
    found = moved(kept, atoms(said, *atoms_said))
    assert tuple(plain[item.start : item.end] for item in found) == atoms_plain


def test_it_stands_between_words_and_is_one_where_nothing_else_is() -> None:
    said = "sorry, fan on, oh, what am i saying, not that, lamp on, ok"
    found = between(said, marks(said, "sorry", "oh", "what am i saying", "not that", "ok"))
    assert [said[item.start : item.end] for item in found] == ["oh, what am i saying, not that"]
    assert put(said, found, "no")[0] == "sorry, fan on, no, lamp on, ok"
