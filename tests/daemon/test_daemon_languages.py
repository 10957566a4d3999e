"""A language is a folder of `rules/` and nothing else."""

import shutil
from pathlib import Path

import pytest

from tests.daemon.processes import ROOT, Place, command

WORDS = """
numbers: {spaced: true, units: {zwanzig: 20}}
words:
  KIND: {light: "licht, lampe"}
  ORDINAL: {"1": erste, "2": zweite}
consent: {said: "ja, ja bitte"}
"""
NAMES = "spared: [nicht, außer]"
GRAMMAR = """
de <- Move_de !. / de_commands !.
de_commands <- Clause_de ("und" Clause_de)*
Clause_de <- "mach" Target_de de_onoff / "schließ" Target_de "auf" action__unlock / "ist" query__is Target_de de_is
de_onoff <- "an" action__turn_on / "aus" action__turn_off
de_is <- "an" state__on / "aus" state__off
Target_de <- ("die" / "das")? (DEVICE / KIND / Span_de)
Span_de <- (!("an" / "aus" / "auf") word)+
Move_de <- "die" ORDINAL move__select
"""
SAID = {
    '{one: "{names} is on.", many: "{names} are on."}': '"{names}: an."',
    '"Which one: {options}?"': '"Welche: {options}?"',
    '"Shall I really {act}?"': '"Soll ich wirklich {act}?"',
    'do.unlock: "unlock {names}"': 'do.unlock: "{names} aufschließen"',
}
"""What is said in English, and in its place."""


@pytest.fixture
def german(place: Place) -> Path:
    """The folder of a third language, beside those that there are."""
    rules = place.root / "rules"
    shutil.copytree(ROOT / "rules", rules)
    folder = rules / "de"
    folder.mkdir()
    (folder / "lexicon.yaml").write_text(WORDS, encoding="utf-8")
    (folder / "grammar.peg").write_text(GRAMMAR, encoding="utf-8")
    (folder / "names.yaml").write_text(NAMES, encoding="utf-8")
    replies = (rules / "en" / "replies.yaml").read_text(encoding="utf-8")
    for english, other in SAID.items():
        assert english in replies
        replies = replies.replace(english, other)
    (folder / "replies.yaml").write_text(replies, encoding="utf-8")
    place.extra["HEARKEN_RULES"] = str(rules)
    return folder


async def test_a_third_language_is_a_folder(place: Place, german: Path) -> None:
    assert not (german / "conditions.yaml").exists()
    said = await command(place, "text", "--lang", "de", "mach old friend an", "mach den old friend")
    assert said.out.splitlines()[0] == "Old friend: an."
    assert (await command(place, "text", "turn on old friend")).out == "Old friend is on.\n", "the others are as before"
    assert (await command(place, "text", "打开老伙计")).code == 0


@pytest.mark.usefixtures("german")
async def test_it_is_asked_about_and_answered_in_it(place: Place) -> None:
    said = await command(
        place,
        "text",
        "--lang",
        "de",
        "mach desk lamp an",
        "die zweite",
        "schließ front door auf",
        "ja bitte",
        "ist old friend an",
    )
    which, done, really, unlocked, told = said.out.splitlines()
    assert which.startswith("Welche: ")
    assert done == "Desk lamp: an."
    assert really == "Soll ich wirklich Front door aufschließen?"
    assert (unlocked, told) == ("Front door is unlocked.", "No, Old friend is off.")


@pytest.mark.usefixtures("german")
async def test_what_is_not_meant_is_told_by_its_own_words(place: Place) -> None:
    said = await command(place, "text", "--lang", "de", "mach desk lamp an", "nicht study")
    assert ": an." not in said.out


@pytest.mark.parametrize("name", ["grammar.peg", "lexicon.yaml", "replies.yaml"])
async def test_what_it_lacks_is_told_by_name(place: Place, german: Path, name: str) -> None:
    (german / name).unlink()
    said = await command(place, "text", "--lang", "de", "mach old friend an")
    assert said.code == 2
    assert f"de/{name}: is missing" in said.complaint


async def test_a_language_that_is_no_folder_is_not_spoken(place: Place) -> None:
    said = await command(place, "text", "--lang", "de", "mach old friend an")
    assert said.code == 2
    assert "'de'" in said.err
