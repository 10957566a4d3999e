"""The words that usually stand around the slots of a meaning."""

from pathlib import Path

import numpy as np
import pytest

from daemon.compiler.draft import Draft, Part, Said
from daemon.compiler.tagger import ANYWHERE, WORDS, Usual
from daemon.core.errors import ModelCorrupt

LAMP = Said("target", "the lamp")
ON = Draft((Part("turn_on", (LAMP,)),))
LATER = Draft((Part("turn_on", (LAMP,), (Part("delayed", (Said("duration", "an hour"),)),)),))
HEATER = Draft((Part("turn_off", (Said("target", "小太阳"),)),))
PHRASES = [
    (ANYWHERE, "please | "),
    ("turn_on", "switch | on"),
    ("turn_on", "lets have | "),
    ("turn_off", "switch | off"),
    ("turn_off", "把 | 给我关了"),
    ("delayed", "in | | "),
    ("two", " | and also | "),
]
USUAL = Usual.of(PHRASES)
BOTH = Draft((*ON.parts, *HEATER.parts))


@pytest.mark.parametrize(
    ("text", "draft", "share"),
    [
        ("switch the lamp on", ON, 0.0),
        ("please on switch the lamp", ON, 0.0),
        ("switch the lamp off", ON, -0.25),  # off is no word of it
        ("hammer the lamp on", ON, -0.25),
        ("the lamp is on, said the old vicar", ON, -1.0),
        ("in an hour switch the lamp on", LATER, 0.0),
        ("in an hour switch the lamp on", ON, -0.75),
        ("in a lamp the lamp on", ON, -0.75),  # what fills a slot is no word of the command
        ("小太阳给我关了", HEATER, 0.0),
        ("小太阳给他关了", HEATER, -0.5),
        ("switch the lamp on and also 小太阳关了", BOTH, 0.0),
        ("anything at all", Draft(()), 0.0),
    ],
)
def test_what_was_never_said_in_such_a_command_is_unusual(text: str, draft: Draft, share: float) -> None:
    assert USUAL.share(text, draft) == share


def test_it_is_the_same_when_read_back(tmp_path: Path) -> None:
    USUAL.save(tmp_path)
    again = Usual.load(tmp_path)
    assert [again.share(said, ON) for _, said in PHRASES] == [USUAL.share(said, ON) for _, said in PHRASES]


def test_where_nothing_is_usual_everything_is_unusual() -> None:
    assert Usual.of([]).share("switch the lamp on", ON) == -0.5


@pytest.mark.parametrize("data", [b"", b"not an array", np.arange(3, dtype=np.int64), np.array([3, 2], np.uint32)])
def test_a_damaged_list_is_said_to_be_one(tmp_path: Path, data: bytes | np.ndarray) -> None:
    if isinstance(data, bytes):
        (tmp_path / WORDS).write_bytes(data)
    else:
        np.save(tmp_path / WORDS, data)
    with pytest.raises(ModelCorrupt, match=WORDS):
        Usual.load(tmp_path)


def test_a_missing_list_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelCorrupt, match=WORDS):
        Usual.load(tmp_path)
