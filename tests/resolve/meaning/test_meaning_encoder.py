"""The encoder that is in the repository: that it is whole and small, and that it knows a few plain things."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from daemon.models.store import Store
from daemon.resolve.meaning.encoder import Reader
from daemon.resolve.meaning.vectors import NAME, Shelf

ROOT = Path(__file__).resolve().parents[3]
SHELF = Shelf(ROOT / "models")


@cache
def reader() -> Reader:
    found = SHELF.reader()
    assert found is not None
    return found


def test_the_files_are_those_of_the_manifest_and_small() -> None:
    store = Store(ROOT / "models")
    model = store.manifest.get(NAME)
    assert store.status(model, deep=True).state == "installed"
    assert model.size is not None
    assert model.size < 12_000_000


def test_vectors_are_of_length_one_and_do_not_hang_on_what_else_is_read() -> None:
    texts = ["telly", "把灯关了", "the lamp by the window that my aunt gave us " * 3, "", "42", "!?"]
    together = reader().read(texts)
    assert together.shape == (len(texts), reader().width)
    lengths = np.linalg.norm(together, axis=1)
    assert lengths[[0, 1, 2, 4]] == pytest.approx(1, abs=1e-3)
    assert lengths[[3, 5]] == pytest.approx(0)
    for at in (0, 1, 2, 4):
        alone = reader().read([texts[at]])[0]
        assert float(alone @ together[at]) > 0.97  # eight bits are scaled by what is read together


def test_what_is_too_long_means_nothing() -> None:
    long = ["the lamp by the window that my aunt gave us " * 9, "灯" * 100]
    assert not reader().read(long).any()


@pytest.mark.parametrize(
    ("said", "near", "far"),
    [
        ("telly", "television", "heater"),
        ("烤火的", "取暖器", "空调"),
        ("hoover", "扫地机", "窗帘"),
        ("refrigerator", "冰箱", "lamp"),
        ("电风扇", "fan", "vacuum"),
        ("drapes", "curtain", "speaker"),
    ],
)
def test_words_of_one_meaning_are_near_in_both_languages(said: str, near: str, far: str) -> None:
    one, two, three = reader().read([said, near, far])
    assert float(one @ two) > float(one @ three) + 0.2


def test_nothing_of_it_is_loaded_before_it_is_needed() -> None:
    heavy = ("onnxruntime", "tokenizers")
    code = f"import sys, daemon.commands.session; print([name for name in {heavy} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.strip() == "[]"
