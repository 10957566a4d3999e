"""What is told of our own small models before anybody speaks."""

from pathlib import Path

import pytest

from daemon.commands.models import check_name, standings
from daemon.commands.options import show
from daemon.core.errors import ConfigError
from daemon.core.values import replace
from daemon.home.loader import load_home
from daemon.models.store import Manifest
from daemon.system.config import Paths

ROOT = Path(__file__).resolve().parents[2]
LISTED = """version: 1
models:
  - {name: tagger, kind: compiler, engine: onnxruntime, languages: [en, zh], licence: MIT,
     files: [{path: a.onnx, size: 4}]}
"""


def home_at(folder: Path, text: str) -> Path:
    file = folder / "home.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def paths_of(folder: Path, home: Path) -> Paths:
    models = folder / "models"
    models.mkdir()
    (models / "manifest.yaml").write_text(LISTED, encoding="utf-8")
    return replace(Paths.of(home), models=models)


@pytest.mark.parametrize(
    ("content", "says"), [(None, "is not installed; `git restore models/tagger`"), (b"abc", "3 bytes instead of 4")]
)
def test_what_is_wrong_is_said_with_what_to_do(content: bytes | None, says: str, tmp_path: Path) -> None:
    file = home_at(tmp_path, "model: {use: true}\ndevices: {lamp: {name: Lamp, type: light, capabilities: [on_off]}}\n")
    paths = paths_of(tmp_path, file)
    if content is not None:
        (paths.models / "tagger").mkdir()
        (paths.models / "tagger" / "a.onnx").write_bytes(content)
    (found,) = standings(load_home(file), paths, deep=False)
    assert (found.name, found.wanted) == ("tagger", True)
    assert says in found.problem
    assert "git restore" in found.problem


def test_nobody_misses_a_model_that_is_not_used(tmp_path: Path) -> None:
    file = home_at(
        tmp_path, "model: {use: false}\ndevices: {lamp: {name: Lamp, type: light, capabilities: [on_off]}}\n"
    )
    (found,) = standings(load_home(file), paths_of(tmp_path, file), deep=False)
    assert not found.wanted


def test_a_name_that_no_model_has_is_an_error_of_the_home_file(tmp_path: Path) -> None:
    file = home_at(
        tmp_path,
        "model:\n  use: true\n  name: taggr\ndevices: {lamp: {name: Lamp, type: light, capabilities: [on_off]}}\n",
    )
    with pytest.raises(ConfigError) as caught:
        check_name(load_home(file).model, file, ROOT / "models")
    assert (caught.value.file, caught.value.line, caught.value.key) == (file, 3, "model.name")
    for model in Manifest.load(ROOT / "models" / "manifest.yaml").models:
        assert (model.kind != "compiler") or model.name in str(caught.value)


@pytest.mark.parametrize(("source", "told"), [("model", "Done.  [model]"), ("grammar", "Done."), (None, "Done.")])
def test_a_reply_tells_where_the_model_spoke(source: str | None, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    show({"reply": "Done.", "outcome": "execute", "source": source}, as_json=False, trace=False)
    assert capsys.readouterr().out == f"{told}\n"
