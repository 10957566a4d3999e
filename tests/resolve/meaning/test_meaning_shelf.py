"""Whatever is wrong with the encoder's files, things go on without it, and it is said once."""

import hashlib
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import pytest

from daemon.core.errors import ModelCorrupt
from daemon.resolve.meaning.encoder import CARD, MODEL, TOKENIZER, Card
from daemon.resolve.meaning.limits import Limits
from daemon.resolve.meaning.vectors import NAME, Shelf

FILES = (MODEL, TOKENIZER, CARD)


def models(
    folder: Path,
    contents: bytes = b"no model",
    *,
    claimed: bytes | None = None,
    name: str = NAME,
    others: Mapping[str, bytes] | None = None,
) -> Path:
    (folder / name).mkdir(parents=True)
    lines = ["version: 1", "models:", f"  - name: {name}", "    kind: encoder", "    engine: onnxruntime"]
    lines += ["    languages: [en, zh]", "    licence: Apache-2.0", "    files:"]
    for file in FILES:
        held = (others or {}).get(file, contents)
        (folder / name / file).write_bytes(held)
        digest = hashlib.sha256(held if claimed is None else claimed).hexdigest()
        lines.append(f"      - {{path: {file}, size: {len(held)}, sha256: {digest}}}")
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


def broken(*_: object) -> NoReturn:
    raise OSError(5, "Input/output error", "/a/secret/path")


@pytest.mark.parametrize("breaks", ["daemon.models.store.digest", "daemon.resolve.meaning.vectors._name"])
def test_a_disk_that_fails_is_said_once(
    breaks: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breaks, broken)
    shelf = Shelf(models(tmp_path))
    assert [shelf.reader(), shelf.reader()] == [None, None]
    (said,) = warnings(caplog)
    assert "Input/output error" in said
    assert "secret" not in said


def test_other_words_read_by_the_same_weights_are_another_encoder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[str] = []
    monkeypatch.setattr("daemon.resolve.meaning.encoder.Encoder", lambda folder, name: named.append(name))
    for contents in ({}, {}, {TOKENIZER: b"other words"}, {CARD: b"other card"}):
        folder = models(tmp_path / str(len(named)), others=contents)
        Shelf(folder).reader()
    assert len(named) == 4
    assert named[0] == named[1]
    assert len({name[:12] for name in named}) == 3


def test_without_a_manifest_there_is_no_encoder(tmp_path: Path) -> None:
    assert Shelf(tmp_path).reader() is None


@pytest.mark.parametrize("lost", ["alike", "tight", "same", "things"])
def test_a_card_that_lacks_something_is_none(tmp_path: Path, lost: str) -> None:
    card = {"alike": 0.5, "tight": 0.1, "same": 0.8, "things": [["a", "b"]]}
    file = tmp_path / CARD
    file.write_text(json.dumps(card))
    assert Card.load(file) == Card(Limits(0.5, 0.1, 0.8), (("a", "b"),))
    del card[lost]
    file.write_text(json.dumps(card))
    with pytest.raises(ModelCorrupt):
        Card.load(file)
