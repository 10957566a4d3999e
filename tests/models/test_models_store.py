from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
import yaml

from daemon.core.errors import ConfigError, ModelCorrupt, ModelMissing, UsageError
from daemon.models.fetch import add
from daemon.models.store import Manifest, Store

ROOT = Path(__file__).resolve().parents[2]
DATA = b"not really a model"


def write(root: Path, **changes: object) -> Store:
    """A store of one model that is brought by hand, with two files."""
    root.mkdir(parents=True, exist_ok=True)
    model: dict[str, object] = {
        "name": "sounds",
        "kind": "transcriber",
        "engine": "pocketsphinx",
        "languages": ["zh"],
        "licence": "MIT",
        "files": [{"path": "means", "size": len(DATA), "sha256": hashlib.sha256(DATA).hexdigest()}, {"path": "mdef"}],
    }
    (root / "manifest.yaml").write_text(yaml.safe_dump({"version": 1, "models": [model | changes]}))
    return Store(root)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "means").write_bytes(DATA)
    (folder / "mdef").write_bytes(b"definitions")
    return folder


def test_the_manifest_of_the_project_is_right() -> None:
    manifest = Manifest.load(ROOT / "models" / "manifest.yaml")
    assert [model.name for model in manifest.defaults()] == ["whisper-base"]
    assert {"faster-whisper", "pocketsphinx", "piper", "onnxruntime", "llama-cpp"} == {
        model.engine for model in manifest.models
    }
    for model in manifest.models:
        names = [file.name for file in model.files]
        assert len(set(names)) == len(names), model.name


def test_a_model_is_added_from_files_and_then_required(tmp_path: Path, source: Path) -> None:
    store = write(tmp_path / "models")
    with pytest.raises(ModelMissing, match="models add sounds FOLDER"):
        store.require("sounds")
    add(store, "sounds", source)
    assert (store.require("sounds") / "mdef").read_bytes() == b"definitions"
    assert [status.state for status in store.verify()] == ["installed"]
    assert [model.name for model in store.installed("pocketsphinx", "zh")] == ["sounds"]
    assert store.installed("pocketsphinx", "en") == ()


def test_a_file_that_changes_after_it_was_first_seen_is_noticed(tmp_path: Path, source: Path) -> None:
    """`mdef` has no hash in the manifest: the one of the first time counts."""
    store = write(tmp_path / "models")
    add(store, "sounds", source)
    path = store.require("sounds") / "mdef"
    path.write_bytes(b"DEFINITIONS")
    (status,) = store.verify()
    assert status.state == "corrupt"
    assert status.problem.startswith("mdef: its hash is")
    (source / "mdef").write_bytes(b"DEFINITIONS")
    with pytest.raises(ModelCorrupt, match="mdef"):
        add(store, "sounds", source)


@pytest.mark.parametrize("damage", ["truncated", "gone"])
def test_a_model_that_is_not_whole_is_not_used(tmp_path: Path, source: Path, damage: str) -> None:
    store = write(tmp_path / "models")
    add(store, "sounds", source)
    path = store.require("sounds") / "means"
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(DATA[:-1])
    assert [status.state for status in store.list()] == ["corrupt"]
    with pytest.raises(ModelCorrupt, match="bytes instead of" if damage == "truncated" else "not there"):
        store.require("sounds")


def test_wrong_files_are_not_installed(tmp_path: Path, source: Path) -> None:
    store = write(tmp_path / "models")
    (source / "means").write_bytes(DATA.upper())
    with pytest.raises(ModelCorrupt, match="means"):
        add(store, "sounds", source)
    shutil.rmtree(source)
    with pytest.raises(ModelMissing, match="is not there"):
        add(store, "sounds", source)
    assert not (tmp_path / "models" / "sounds").exists()


def test_the_models_that_were_given_for_the_tests_fit_the_manifest(tmp_path: Path, models: Path) -> None:
    shutil.copy(ROOT / "models" / "manifest.yaml", tmp_path)
    add(Store(tmp_path), "pocketsphinx-zh", models / "pocketsphinx-zh")


def test_an_unknown_name_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are sounds"):
        write(tmp_path).require("noises")


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"name": "../up"}, "models[0].name"),
        ({"name": None}, "models[0].name"),
        ({"kind": "toaster"}, "models[0].kind"),
        ({"languages": "zh"}, "models[0].languages"),
        ({"repo": "someone/something"}, "models[0]"),
        ({"repo": "someone/something", "revision": "main"}, "models[0].revision"),
        ({"repo": "https://example.org/x", "revision": "0" * 40}, "models[0].repo"),
        ({"files": []}, "models[0].files"),
        ({"files": [{"path": "../../etc/passwd"}]}, "models[0].files[0].path"),
        ({"files": [{"path": "/etc/passwd"}]}, "models[0].files[0].path"),
        ({"files": [{"path": "a", "size": -1}]}, "models[0].files[0].size"),
        ({"files": [{"path": "a", "sha256": "abc"}]}, "models[0].files[0].sha256"),
        ({"files": [{"path": "a", "md5": "abc"}]}, "models[0].files[0].md5"),
        ({"default": "yes"}, "models[0].default"),
        ({"colour": "red"}, "models[0].colour"),
    ],
)
def test_a_wrong_manifest_is_named_by_key(tmp_path: Path, changes: dict[str, object], key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        write(tmp_path, **changes)
    assert caught.value.key == key
    assert caught.value.line is not None


def test_a_manifest_that_is_no_yaml_is_named_by_line(tmp_path: Path) -> None:
    (tmp_path / "manifest.yaml").write_text("version: 1\nmodels: [\n")
    with pytest.raises(ConfigError) as caught:
        Store(tmp_path)
    assert caught.value.line == 3


def test_a_manifest_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        Store(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', '{"a": {"size": "many", "sha256": 1}}'])
def test_a_broken_lock_is_not_taken_for_an_empty_one(tmp_path: Path, source: Path, content: str) -> None:
    store = write(tmp_path / "models")
    add(store, "sounds", source)
    (tmp_path / "models" / "lock.json").write_text(content)
    with pytest.raises(ModelCorrupt, match=r"lock\.json"):
        store.verify()
