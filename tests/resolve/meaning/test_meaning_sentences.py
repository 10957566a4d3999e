"""A public encoder in the stead of ours: how its vectors are made, what is near, and what becomes of a wrong one."""

import json
import logging
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from daemon.core.errors import ModelCorrupt
from daemon.home.registry import Registry
from daemon.resolve.meaning.encoder import CARD, Sentences
from daemon.resolve.meaning.index import AS_OFTEN, Meanings
from daemon.resolve.meaning.limits import Limits, centred, centres, fitted
from daemon.resolve.meaning.vectors import NAME, Shelf, Vectors
from tests.resolve.meaning.onnxes import INPUTS, encoder_of
from tests.resolve.meaning.test_meaning_index import device, home

WORDS = {"cold": (3.0, 0.0), "warm": (0.0, 4.0), "query:": (0.0, 0.0)}


@cache
def senses() -> dict[str, list[str]]:
    """Made-up words for made-up things, in two scripts."""
    return {
        f"thing{at}": [*(f"word{at}x{number}" for number in range(4)), f"词{at}甲", f"词{at}乙"] for at in range(20)
    }


def space(seed: int = 3) -> dict[str, np.ndarray]:
    """As public encoders have it: everything is alike, most of all what is of one script."""
    random = np.random.default_rng(seed)
    everything, scripts = random.normal(size=64) * 4, random.normal(size=(2, 64)) * 2
    vectors = {}
    for words in senses().values():
        sense = random.normal(size=64)
        for word in words:
            vectors[word] = everything + scripts[int(word[0] == "词")] + sense + random.normal(size=64) * 0.4
    for number in range(20):
        vectors[f"stray{number}"] = everything + scripts[0] + random.normal(size=64)
    return vectors


def reader(folder: Path, **form: object) -> Sentences:
    return Sentences(encoder_of(folder / "model.onnx", WORDS, **form), "tiny", "query: ", ())  # type: ignore[arg-type]


def test_a_text_is_the_mean_of_its_tokens_of_length_one(tmp_path: Path) -> None:
    vectors = reader(tmp_path).read(["cold", "cold warm", "warm warm warm", "Cold"])
    wanted = np.array([[1, 0], [0.6, 0.8], [0, 1], [1, 0]])
    assert vectors == pytest.approx(wanted, abs=1e-6)
    assert reader(tmp_path).read(["cold"])[0] == pytest.approx(vectors[0])


def test_the_prefix_is_read_before_each_text(tmp_path: Path) -> None:
    file = encoder_of(tmp_path / "model.onnx", WORDS)
    assert Sentences(file, "x", "warm ", ()).read(["cold"])[0] == pytest.approx([0.6, 0.8])


def test_what_has_no_words_means_nothing(tmp_path: Path) -> None:
    both = reader(tmp_path)
    assert both.read(["", "warm", "  "]) == pytest.approx(np.array([[0, 0], [0, 1], [0, 0]]))
    assert not both.read([" "]).any()


@pytest.mark.parametrize("inputs", [INPUTS[:1], INPUTS[:2], (INPUTS[0], INPUTS[2])])
def test_it_is_given_what_it_takes(tmp_path: Path, inputs: tuple[str, ...]) -> None:
    assert reader(tmp_path, inputs=inputs).read(["cold"])[0] == pytest.approx([1, 0])


@pytest.mark.parametrize("form", [{"output": "pooled"}, {"inputs": ("tokens",)}, {"inputs": (*INPUTS, "pixels")}])
def test_a_model_of_another_form_is_told(tmp_path: Path, form: dict[str, object]) -> None:
    with pytest.raises(ModelCorrupt, match=r"model\.onnx"):
        reader(tmp_path, **form)


def test_what_all_texts_share_is_taken_away_and_what_is_near_is_found() -> None:
    known = space()
    words = [word for words in senses().values() for word in words]
    rows = np.array([known[word] / np.linalg.norm(known[word]) for word in words], np.float32)
    starts = np.arange(0, len(words), 6)
    assert (rows @ rows.T).min() > 0.5, "as they are, all are alike"
    found = fitted(centred(words, rows, centres(words, rows)), starts)
    assert found is not None
    assert 0.2 <= found.alike < 0.8
    assert found.alike <= found.same


def test_of_a_space_without_sense_nothing_is_said() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(120, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert fitted(rows, np.arange(0, 120, 6)) is None
    assert fitted(rows[:4], np.arange(4)) is None


def installed(folder: Path, *, damaged: bool = False, style: str = "style: sentence, prefix: 'query: ', ") -> Path:
    """A folder of models with a larger encoder in it, and of ours only the card."""
    (folder / "large").mkdir(parents=True)
    (folder / NAME).mkdir()
    encoder_of(folder / "large" / "model.onnx", {**space(), "query:": np.zeros(64)})
    size = (folder / "large" / "model.onnx").stat().st_size + int(damaged)
    (folder / "manifest.yaml").write_text(
        f"version: 1\nmodels:\n  - {{name: large, kind: encoder, engine: onnxruntime, {style}languages: [en],"
        f" licence: x, files: [{{path: onnx/model.onnx, size: {size}}}, {{path: tokenizer.json}}]}}\n",
        encoding="utf-8",
    )
    card = {"alike": 0.9, "tight": 0.01, "same": 0.9}
    things = {"things": [words[1:] for words in senses().values()]}
    (folder / NAME / CARD).write_text(json.dumps(card | things), encoding="utf-8")
    return folder


def small() -> Registry:
    return home([device(f"thing{at}", f"word{at}x0") for at in range(0, 20, 2)])


def test_it_proposes_as_our_own_does(tmp_path: Path) -> None:
    index = Meanings(Vectors(Shelf(installed(tmp_path), "large"), tmp_path / "kept"), patience_s=30).of(small())
    for said in ("词4乙", "word4x3"):
        found = dict(index.propose(said))
        assert max(found, key=lambda item: found[item]) == "thing4"
        assert found["thing4"] >= AS_OFTEN
    for other in ("词5乙", "word5x3"):
        assert max(dict(index.propose(other)).values(), default=0.0) < AS_OFTEN, "another home has that"
    strays = [dict(index.propose(f"stray{at}")) for at in range(20)]
    assert sum(max(found.values(), default=0.0) >= AS_OFTEN for found in strays) <= 3, "one in ten or so"
    assert len(list((tmp_path / "kept").iterdir())) == 1


def test_the_prefix_is_a_part_of_its_name(tmp_path: Path) -> None:
    names = set()
    for number, style in enumerate(("style: sentence, ", "style: sentence, prefix: 'query: ', ")):
        found = Shelf(installed(tmp_path / str(number), style=style), "large").reader()
        assert found is not None
        names.add(found.name)
    assert len(names) == 2


@pytest.mark.parametrize("wanted", ["large", "larger"])
def test_where_it_cannot_be_had_our_own_is_looked_for_and_that_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, wanted: str
) -> None:
    shelf = Shelf(installed(tmp_path, damaged=True), wanted)
    for _ in range(2):
        assert shelf.reader() is None
    (said,) = [item.getMessage() for item in caplog.records if item.levelno >= logging.WARNING]
    assert said.startswith(f"the encoder {wanted} is not used: ")


def test_in_the_stead_of_a_larger_one_that_is_missing_ours_is_taken() -> None:
    root = Path(__file__).resolve().parents[3] / "models"
    found = Shelf(root, "no-such-encoder").reader()
    own = Shelf(root).reader()
    assert found is not None
    assert own is not None
    assert found.name == own.name
    assert isinstance(found.card.limits, Limits)
