"""What languages there are, and which engines hear and speak them, is what the folders say."""

from pathlib import Path

import pytest

from daemon.core.errors import ConfigError
from daemon.system.languages import LANGS, Engines, engines, languages, optional, required


def folders(rules: Path, *names: str) -> Path:
    for name in names:
        (rules / name).mkdir()
    return rules


def test_a_language_is_a_folder_the_main_one_first(tmp_path: Path) -> None:
    assert languages(folders(tmp_path, "zh", "de", "en", "Notes", "drafts")) == ("en", "de", "zh")
    assert languages(tmp_path / "none") == ()
    assert LANGS == ("en", "zh")


def test_a_file_that_each_has_and_one_that_some_have(tmp_path: Path) -> None:
    folders(tmp_path, "de", "en")
    (tmp_path / "en" / "replies.yaml").write_text("{}", encoding="utf-8")
    assert optional(tmp_path, "replies.yaml") == {"en": tmp_path / "en" / "replies.yaml"}
    with pytest.raises(ConfigError, match=r"de/replies\.yaml: is missing"):
        required(tmp_path, "replies.yaml")


def test_the_engines_of_a_language_are_data(tmp_path: Path) -> None:
    folders(tmp_path, "de", "nl")
    (tmp_path / "de" / "speech.yaml").write_text('{whisper: "", espeak: de}', encoding="utf-8")
    assert engines(tmp_path) == {"de": Engines(whisper="", espeak="de"), "nl": Engines()}


@pytest.mark.parametrize("text", ["espeack: de", "sphinx: letters", "[", "- de"])
def test_a_wrong_file_is_told(tmp_path: Path, text: str) -> None:
    folders(tmp_path, "de")
    (tmp_path / "de" / "speech.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"de/speech\.yaml"):
        engines(tmp_path)
