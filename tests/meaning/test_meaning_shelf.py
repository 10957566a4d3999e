"""Whatever is wrong with the encoder's files, things go on without it, and it is said once."""

import hashlib
import json
import logging
from pathlib import Path

import pytest

from daemon.errors import ModelCorrupt
from daemon.meaning.encoder import CARD, MODEL, TOKENIZER, Card
from daemon.meaning.limits import Limits
from daemon.meaning.shelf import NAME, Shelf

FILES = (MODEL, TOKENIZER, CARD)


def models(folder: Path, contents: bytes = b"no model", *, claimed: bytes | None = None, name: str = NAME) -> Path:
    (folder / name).mkdir()
    lines = ["version: 1", "models:", f"  - name: {name}", "    kind: encoder", "    engine: onnxruntime"]
    lines += ["    languages: [en, zh]", "    licence: Apache-2.0", "    files:"]
    for file in FILES:
        (folder / name / file).write_bytes(contents)
        digest = hashlib.sha256(contents if claimed is None else claimed).hexdigest()
        lines.append(f"      - {{path: {file}, size: {len(contents)}, sha256: {digest}}}")
    (folder / "manifest.yaml").write_text("\n".join(lines) + "\n")
    return folder


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [item.getMessage() for item in caplog.records if item.levelno >= logging.WARNING]


def test_where_it_is_not_installed_nothing_is_said_aloud(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for file in ("other", "missing"):
        (tmp_path / file).mkdir()
    other = models(tmp_path / "other", name="whisper")
    missing = models(tmp_path / "missing")
    for file in FILES:
        (missing / NAME / file).unlink()
    (missing / NAME).rmdir()
    assert Shelf(other).reader() is None
    assert Shelf(missing).reader() is None
    assert warnings(caplog) == []


@pytest.mark.parametrize("claimed", [b"something else", None])
def test_a_wrong_hash_or_a_file_that_is_no_model_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, claimed: bytes | None
) -> None:
    shelf = Shelf(models(tmp_path, claimed=claimed))
    assert shelf.reader() is None
    assert shelf.reader() is None
    (said,) = warnings(caplog)
    assert "the encoder is not used" in said
    assert str(tmp_path) not in said


def test_without_a_manifest_there_is_no_encoder(tmp_path: Path) -> None:
    assert Shelf(tmp_path).reader() is None


@pytest.mark.parametrize("lost", ["meanings", "frames", "temperature", "alike", "tight", "things"])
def test_a_card_that_lacks_something_is_none(tmp_path: Path, lost: str) -> None:
    card = {"meanings": ["nothing"], "frames": [], "temperature": 1, "alike": 0.5, "tight": 0.1, "things": [["a", "b"]]}
    file = tmp_path / CARD
    file.write_text(json.dumps(card))
    assert Card.load(file) == Card(("nothing",), (), 1.0, Limits(0.5, 0.1), (("a", "b"),))
    del card[lost]
    file.write_text(json.dumps(card))
    with pytest.raises(ModelCorrupt):
        Card.load(file)
