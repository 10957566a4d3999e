"""Numbers that share a name."""

import pytest

from daemon.understand.numbered import spelt_out

NAMES = {"booth 3", "booth 7", "booth 21", "reading nook 1", "reading nook 2", "吊灯1", "吊灯2", "吊灯三"}
JOINTS = {"and": "and", "&": "and", "和": "和", "跟": "和"}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("turn on booth 3 and 7", "turn on booth 3 and booth 7"),
        ("booths 3, 7 and 21 off", "booth 3 and booth 7 and booth 21 off"),
        ("open reading nooks 1 & 2 and the door", "open reading nook 1 and reading nook 2 and the door"),
        ("turn on booths 3 and 9", "turn on booth 3 and booth 9"),
        ("打开吊灯1和2", "打开吊灯1和吊灯2"),
        ("把吊灯1,2都关了", "把吊灯1和吊灯2都关了"),
    ],
)
def test_each_number_gets_the_name(said: str, meant: str) -> None:
    assert spelt_out(said, JOINTS, NAMES.__contains__) == meant


@pytest.mark.parametrize(
    "said",
    [
        "turn on booth 3 and 30",
        "set booth 3 to 7 and 21",
        "turn on booth 3",
        "wake me at 3 and 7",
        "booths 4 and 5",
        "打开吊灯1和30",
        "",
    ],
)
def test_what_may_be_something_else_stays(said: str) -> None:
    assert spelt_out(said, JOINTS, NAMES.__contains__) == said
