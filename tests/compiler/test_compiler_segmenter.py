"""The segmenter that comes with Hearken, and the thread that asks it."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from pathlib import Path

import pytest

from daemon.compiler.adviser import Beside
from daemon.compiler.segmenter import LONGEST, ORDER, QUESTION, TALK, Atom, Segmenter, pauses
from daemon.compiler.vocabulary import TOKENIZER, Vocabulary
from daemon.core.errors import ModelCorrupt
from daemon.core.thresholds import Thresholds
from daemon.understand.normalize import normalize
from models.train.viterbi import segments

FOLDER = Path(__file__).resolve().parents[2] / "models" / "segmenter"


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return Segmenter(FOLDER)


@pytest.mark.parametrize(
    ("said", "sorts"),
    [
        ("the baby is finally asleep turn down the tv please", [TALK, ORDER]),
        ("put the heater on in the study because my fingers are frozen", [ORDER, TALK]),
        ("is the back door locked and turn off the radio", [QUESTION, ORDER]),
        ("turn off the lamp", [ORDER]),
        ("今天可把我累坏了，把浴室的灯打开，再把窗帘拉上", [TALK, ORDER, ORDER]),
        ("大门锁了吗顺便把电视关了", [QUESTION, ORDER]),
    ],
)
def test_it_tells_clauses(segmenter: Segmenter, said: str, sorts: list[str]) -> None:
    text = normalize(said).text
    found = segments(segmenter, text)
    assert [item.sort for item in found] == sorts
    assert found[0].start == 0
    assert found[-1].end == len(text)
    assert all(0 < item.chance <= 1 for item in found)


@pytest.mark.parametrize(
    ("said", "waits"),
    [
        ("the minute the jam sets you can switch the hob off", "the minute the jam sets"),
        ("dim the landing lamp once the twins have dropped off", "once the twins have dropped off"),
        ("soon as the guests have gone shut the gate", "soon as the guests have gone"),
        ("把音箱关了，等我妈打完电话", "等我妈打完电话"),
        ("人一走就把客厅的电视关了", "人一走"),
    ],
)
def test_it_tells_what_an_order_waits_for(segmenter: Segmenter, said: str, waits: str) -> None:
    text = normalize(said).text
    standing = segmenter.standing(text)
    assert standing.waits is not None
    assert waits in text[standing.waits.start : standing.waits.end]
    assert standing.waits.chance >= Thresholds().waits


@pytest.mark.parametrize(
    "said",
    [
        "turn off the lamp",
        "it's getting dark in here so turn on the reading lamp",
        "since everybody has left already switch the radio off",
        "if you'd be so kind open the curtain",
        "把灯关了",
        "天都黑了，把灯打开",
        "麻烦你有空的话把窗帘拉上",
        "",
    ],
)
def test_reasons_and_courtesy_hold_nothing_up(segmenter: Segmenter, said: str) -> None:
    waits = segmenter.standing(normalize(said).text).waits
    assert waits is None or waits.chance < Thresholds().waits


@pytest.mark.parametrize(
    "said",
    [
        "my brother told the plumber to turn off the boiler and he never did",
        "she keeps leaving the garage door open",
        "我爸老说要把暖气关小，从来不动手",
        "昨天我已经把阳台的灯关掉了",
    ],
)
def test_what_somebody_only_tells_of_is_talk(segmenter: Segmenter, said: str) -> None:
    assert segmenter.standing(normalize(said).text).talk >= Thresholds().told_of
    assert segmenter.standing(normalize("turn off the lamp").text).talk < Thresholds().told_of


@pytest.mark.parametrize(
    ("said", "corrects"),
    [
        ("turn on the desk lamp oh what am i saying no not that one the floor lamp please", "what am i saying"),
        ("set the oven to ninety hang on no that's far too hot make it seventy", "no thats far too hot"),
        ("把客厅的灯关了哎不对我说错了是卧室的灯", "不对我说错了"),
        ("空调开二十八度吧瞧我这脑子二十六度", "瞧我这脑子"),
    ],
)
def test_it_tells_what_takes_an_order_back(segmenter: Segmenter, said: str, corrects: str) -> None:
    text = normalize(said).text
    found = [item for item in segmenter.standing(text).corrects if item.chance >= Thresholds().corrects]
    assert any(corrects in text[item.start : item.end] for item in found), found


@pytest.mark.parametrize(
    "said",
    [
        "turn off the lamp and open the blind",
        "sorry to bother you but could you turn the heater on",
        "i mean it's december so put the heating on and close the curtains",
        "不好意思麻烦你把灯关了再把窗帘拉上",
        "",
    ],
)
def test_courtesy_takes_nothing_back(segmenter: Segmenter, said: str) -> None:
    assert all(item.chance < Thresholds().corrects for item in segmenter.standing(normalize(said).text).corrects)


def test_the_models_have_one_vocabulary() -> None:
    folders = (FOLDER, FOLDER.parent / "tagger", FOLDER.parent / "followups")
    first, *others = (Vocabulary.of(folder) for folder in folders)
    assert first.table is not None
    assert all(other is first for other in others)


def test_what_is_too_long_is_not_cut(segmenter: Segmenter) -> None:
    assert segments(segmenter, "turn on the lamp and " * LONGEST) == ()
    assert segments(segmenter, "") == ()
    assert segmenter.atoms("turn on the lamp and " * LONGEST) == ()


@pytest.mark.parametrize(
    ("said", "firsts"),
    [
        ("my feet are like ice, put the heater on", ["my feet", "put the"]),
        ("turn off the lamp", ["turn off"]),
        ("饭做好了，把油烟机关了", ["饭做", "把油"]),
    ],
)
def test_atoms_lie_side_by_side_and_tell_talk(segmenter: Segmenter, said: str, firsts: list[str]) -> None:
    text = normalize(said).text
    found = segmenter.atoms(text)
    assert [text[item.start :].startswith(first) for item, first in zip(found, firsts, strict=False)] == [True] * len(
        firsts
    )
    assert found[-1].end == len(text)
    assert all(item.end <= after.start for item, after in pairwise(found))
    assert all(0 <= item.talk <= 1 and 0 <= item.begins <= 1 for item in found)
    assert (found[0].talk > 0.5) is (len(firsts) > 1)
    assert found[-1].talk < 0.5


def test_a_pause_stands_before_the_word_behind_the_comma() -> None:
    assert pauses("so, on it", [(0, 2), (4, 6), (7, 9)]) == [0.0, 1.0, 0.0]


def test_what_is_no_segmenter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "segmenter.onnx").write_bytes(b"no model")
    (tmp_path / TOKENIZER).write_bytes((FOLDER.parent / "tagger" / TOKENIZER).read_bytes())
    with pytest.raises(ModelCorrupt, match="no segmenter of ours"):
        Segmenter(tmp_path)


async def test_without_a_model_nothing_is_cut_and_it_is_told_why() -> None:
    def lacking() -> Segmenter:
        raise ModelCorrupt("segmenter: damaged")

    cutter = Beside(lacking, "the segmenter", "it goes on", 1.0)
    none: tuple[Atom, ...] = ()
    assert await cutter.ask(lambda model: model.atoms("turn on the lamp and open the blinds"), none) == ()
    assert cutter.problem == "segmenter: damaged"
    cutter.close(1.0)


async def test_nobody_waits_longer_than_the_limit(segmenter: Segmenter) -> None:
    class Slow:
        def atoms(self, text: str) -> tuple[Atom, ...]:
            time.sleep(0.2)
            return segmenter.atoms(text)

    cutter = Beside(Slow, "the segmenter", "it goes on", 0.02)
    none: tuple[Atom, ...] = ()
    await asyncio.wrap_future(cutter.prepare())  # the first time it would wait for the load
    assert await cutter.ask(lambda model: model.atoms("turn on the lamp"), none) == ()
    assert cutter.problem is None  # once is forgiven
    cutter.close(1.0)
