"""The models that come with Hearken: whole, made for these meanings, and able to do what they are there for."""

from pathlib import Path

import pytest

from daemon.compiler.loading import DECODER, NAME, Wanted, compiler
from daemon.models.store import Store
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", [NAME, DECODER])
def test_it_is_what_the_manifest_says_and_small(name: str) -> None:
    store = Store(ROOT / "models")
    model = store.manifest.get(name)
    status = store.status(model, deep=True)
    assert (status.state, status.problem) == ("installed", "")
    assert model.size is not None
    assert model.size < 30e6


@pytest.mark.parametrize("second", [NAME, pytest.param(DECODER, marks=pytest.mark.llm)])
@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("would you pop the desk lamp on for me love", "turn_on"),
        ("i want the hall lamp a good bit brighter", "brighter"),
        ("劳驾把书桌灯给我弄亮点儿呗", "brighter"),
        ("把客厅那个电视给我关了得了", "turn_off"),
        ("my sister wants to learn the violin", "nothing"),
        ("昨天那个电影真好看", "nothing"),
    ],
)
async def test_it_reads_what_is_said_plainly_in_other_words(
    said: str, meaning: str, second: str, grammar: Grammar
) -> None:
    made = compiler(ROOT / "models", ROOT / "rules", grammar, Wanted(second, 60.0))
    found = await made.compile(normalize(said), NameTable(()))
    made.close()
    assert made.problem is None
    assert found is not None
    assert found.meaning == meaning
    assert (found.verdict == "nothing") == (meaning == "nothing")
