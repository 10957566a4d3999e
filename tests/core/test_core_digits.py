"""Numerals of every script, in what is said and in what things are called: read as what they stand for, or let be."""

import sys
import unicodedata
from pathlib import Path

import pytest

from daemon.core.turn import Utterance
from daemon.home.loader import load_home
from daemon.home.names import tokens
from daemon.home.registry import Registry
from daemon.system.languages import in_digits
from daemon.understand.names import NamedThing, NameTable
from daemon.understand.normalize import normalize
from tests.conversations.house import Time, open_house
from tests.rules import GRAMMAR

NUMERALS = [
    letter
    for letter in map(chr, range(sys.maxunicode + 1))
    if letter.isnumeric() or letter.isdigit() or letter.isdecimal()
]
DIGITS = [letter for letter in NUMERALS if unicodedata.digit(letter, None) is not None]


def test_every_digit_is_read_as_what_it_stands_for() -> None:
    assert len(DIGITS) > 700
    for letter in DIGITS:
        assert in_digits(letter) == str(unicodedata.digit(letter))
        assert normalize(f"lamp {letter}").text == f"lamp {unicodedata.digit(letter)}"
        assert tokens(f"Lamp {letter}")[-1] == str(unicodedata.digit(letter))


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        *(("➁", "2"), ("❶", "1"), ("❿", "10"), ("٣٥", "35"), ("२१", "21"), ("㊿", "50")),
        *(("五", "五"), ("½", "1 2"), ("lamp➂", "lamp3")),
    ],
)
def test_a_numeral_is_a_number_and_a_word_is_none(said: str, plain: str) -> None:
    assert normalize(said).text == plain


@pytest.mark.parametrize("number", ["≤40", "< 40", "±40", "√4", "≠40", "40‰", "40 ‱"])
def test_a_sign_that_makes_another_number_is_not_dropped(number: str) -> None:
    names = NameTable([NamedThing("lamp", "device"), NamedThing("台灯", "device")])
    for said in (f"turn the lamp to {number}", f"把台灯调到{number}"):
        parameters = [item.clauses[0].parameter for item in GRAMMAR.read(normalize(said), names)]
        assert all(parameter is None or parameter.value is None for parameter in parameters)


@pytest.mark.parametrize("said", ["turn on the lamp -> now", "turn on the <lamp>", "turn on the lamp >:)"])
def test_a_sign_beside_no_number_is_none(said: str) -> None:
    assert not set("<>") & set(normalize(said).text)


def test_no_numeral_breaks_a_sentence() -> None:
    names = NameTable([NamedThing("lamp", "device"), NamedThing("台灯", "device")])
    frames = (
        "turn the lamp to {}",
        "turn on the lamp at {}",
        "把台灯调到{}",
        "{}分钟后打开台灯",
        "set lamp {} to {} percent",
    )
    read: dict[str, float | str | None] = {}
    for letter in NUMERALS:
        for frame in frames:
            normalized = normalize(frame.replace("{}", letter))
            assert normalize(normalized.text).text == normalized.text
            if normalized.text not in read:
                found = GRAMMAR.read(normalized, names)
                parameter = found[0].clauses[0].parameter if found else None
                read[normalized.text] = parameter.value if parameter is not None else None
    assert [read[f"turn the lamp to {number}"] for number in range(10)] == [float(number) for number in range(10)]


async def test_no_numeral_in_a_name_breaks_its_neighbours(tmp_path: Path) -> None:
    lines = ["languages: [en, zh]", "areas:"]
    lines += [f"  area_{ord(letter):x}: {{name: Room {ord(letter):x}}}" for letter in NUMERALS]
    lines += ["devices:", "  desk: {name: {en: Desk lamp, zh: 台灯}, type: lamp, capabilities: [on_off]}"]
    for letter in NUMERALS:
        code = f"{ord(letter):x}"
        lines += [f"  lamp_{code}: {{name: 'Spot {letter}', area: area_{code}, type: light, capabilities: [on_off]}}"]
    file = tmp_path / "devices.yaml"
    file.write_text("\n".join(lines), encoding="utf-8")
    home = load_home(file)
    assert len(Registry(home.entities, home.people).devices) == len(NUMERALS) + 1
    async with open_house(home, Time()) as house:
        for said in (
            "turn on the desk lamp",
            "打开台灯",
            "turn off the third desk lamp",
            "turn on spot 2",
            "turn on the spot ➁",
        ):
            result = await house.opened.pipeline.handle(Utterance(said))
            if "spot" not in said and "third" not in said:
                assert [item.targets for item in result.commands] == [("desk",)], result.reply
            else:
                assert result.outcome in ("clarify", "reject", "execute")
