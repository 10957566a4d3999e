"""The comparison by which misreadings are found: what a sentence says against what another one does."""

from pathlib import Path

import pytest

from benchmarks.contradicting import CONTRADICTIONS, VERDICTS, Verdict, judged
from benchmarks.misreadings import Reader, told
from daemon.compiler.meanings import Meanings
from daemon.core.ir import Lang, Program
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize
from models.train.generate import Pair
from tests.rules import GRAMMAR

RULES = Path(__file__).resolve().parents[2] / "rules"
READER = Reader(GRAMMAR, Meanings.load(RULES))


def program(said: str) -> Program | None:
    return next(iter(GRAMMAR.read(normalize(said), NameTable())), None)


@pytest.mark.parametrize(
    ("meant", "read", "verdict"),
    [
        ("turn on the lamp", "open the lamp", "agreed"),
        ("turn on the lamp", "turn off the lamp", "opposite"),
        ("unlock the door", "lock the door", "opposite"),
        ("raise the volume", "lower the volume", "opposite"),
        ("turn on the lamp", "dim the lamp", "act"),
        ("turn the volume down", "turn the brightness down", "act"),
        ("dim the lamp to 40", "dim the lamp to 14", "value"),
        ("dim the lamp", "dim the lamp a bit", "agreed"),
        ("set the lamp to full brightness", "set the lamp to 100 percent", "agreed"),
        ("turn on the lamp", "turn on the fan", "thing"),
        ("turn on the kitchen lamp", "turn on the bedroom lamp", "thing"),
        ("turn on the lamp", "turn it on", "agreed"),
        ("turn off all the lights except the lamp", "turn off all the lights", "thing"),
        ("turn on the lamp in ten minutes", "turn on the lamp", "time"),
        ("if the fan is on turn on the lamp", "turn on the lamp", "time"),
        ("turn on the lamp", "turn on the lamp and turn off the fan", "number"),
        ("is the lamp on", "turn on the lamp", "question"),
        ("leave the lamp off", "turn off the lamp", "agreed"),
        ("dont turn on the lamp", "turn on the lamp", "question"),
        ("is the lamp on", "how is the lamp", "agreed"),
        ("how warm is the kitchen", "how humid is the kitchen", "answer"),
        ("turn on the lamp", "is the lamp on", "kept"),
        ("打开台灯", "关掉台灯", "opposite"),
        ("把台灯调到四十", "把台灯调到十四", "value"),
    ],
)
def test_what_a_reading_does_against_what_was_meant(meant: str, read: str, verdict: Verdict) -> None:
    assert judged(program(meant), program(read), sure=True) == verdict


@pytest.mark.parametrize(
    ("read", "vague", "verdict"),
    [
        ("turn on the lamp", False, "talk"),
        ("turn on the lamp", True, "talk"),
        ("a bit more", False, "talk"),
        ("a bit more", True, "agreed"),
        ("is the lamp on", False, "answer"),
        ("thank you", False, "agreed"),
    ],
)
def test_what_a_reading_does_where_nothing_was_meant(read: str, *, vague: bool, verdict: Verdict) -> None:
    assert judged(None, program(read), sure=True, vague=vague) == verdict


def test_what_is_not_sure_or_not_read_contradicts_nothing() -> None:
    lamp = program("turn on the lamp")
    assert judged(lamp, program("turn off the lamp"), sure=False) == "asked"
    assert judged(lamp, None, sure=False) == "unread"
    assert not {"agreed", "asked", "unread"} & set(CONTRADICTIONS)


@pytest.mark.parametrize(
    ("text", "lang", "out", "verdict"),
    [
        ("turn on zorblat", "en", "<turn_on><target> zorblat", "agreed"),  # the home has what the phrase names
        ("turn off zorblat", "en", "<turn_on><target> zorblat", "opposite"),
        ("打开书房的灯", "zh", "<turn_on><target>书房的灯", "agreed"),
        ("its too dark in here", "en", "<need_light>", "asked"),
        ("turn on the lamp", "en", "<nothing>", "talk"),
        ("the weather was lovely last week", "en", "<nothing>", "unread"),
    ],
)
def test_a_phrase_is_read_for_a_home_that_has_what_it_names(text: str, lang: Lang, out: str, verdict: Verdict) -> None:
    assert READER.read(Pair(text, lang, out, (), "bank")).verdict == verdict


def test_the_table_has_a_row_for_each_bank_and_one_for_the_language() -> None:
    pairs = [Pair("turn on the lamp", "en", out, (), "bank") for out in ("<turn_on><target> the lamp", "<nothing>")]
    lines = told([READER.read(pair) for pair in pairs]).splitlines()
    assert lines[0].split()[-len(VERDICTS) :] == list(VERDICTS)
    assert [line.split()[:3] for line in lines[1:]] == [["en", "bank", "2"], ["en", "together", "2"]]
    assert lines[1].split()[3] == "50.00"  # half of them are talk that is acted on
