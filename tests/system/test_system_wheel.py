"""What `pip wheel .` makes is whole: with the third-party packages alone, it understands and acts."""

import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from daemon import __version__
from daemon.system.config import ROOT, find_root

_LEFT_OUT = ("models/train/",)
"""What trains the models is no part of what runs."""


def tracked() -> set[str]:
    """The files of the product."""
    listed = ["git", "ls-files", "daemon", "rules", "models", "devices.yaml"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"this is no checkout: {done.stderr.strip()}")
    return {name for name in done.stdout.splitlines() if not name.startswith(_LEFT_OUT) and (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that the checkout stays clean."""
    version = importlib.metadata.version("setuptools") if importlib.util.find_spec("setuptools") else "0"
    if int(version.split(".")[0]) < 77:
        pytest.skip(f"setuptools is {version}, the wheel needs 77: pip install -r requirements-dev.lock")
    source = tmp_path_factory.mktemp("source")
    for name in tracked() | {"pyproject.toml", "README.md", "LICENSE"}:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, source / name)
    built = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(built), str(source))
    return next(built.glob("*.whl"))


def pip(*args: str) -> None:
    """Without a network and without what a configuration says."""
    command = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--quiet", *args]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_every_file_of_the_product_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition(".data/data/share/hearken/")[2] or name for name in archive.namelist()}
    assert {name for name in names if ".dist-info/" not in name} == tracked()


@pytest.mark.slow
def test_an_installed_wheel_needs_no_checkout(wheel: Path, tmp_path: Path) -> None:
    prefix, folder = tmp_path / "prefix", tmp_path / "elsewhere"
    folder.mkdir()
    pip("install", "--no-deps", "--no-index", "--ignore-installed", "--prefix", str(prefix), str(wheel))
    packages = next(path.parent for path in prefix.rglob("daemon/__main__.py")).parent
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("HEARKEN_", "XDG_", "PYTHON"))}
    environ |= {"HOME": str(folder), "PYTHONPATH": str(packages)}

    def said(*args: str) -> str:
        command = [sys.executable, "-m", "daemon", *args]
        done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert said("--version") == f"hearken {__version__}\n"
    answer = json.loads(said("text", "--json", "turn on the lamp"))
    assert [outcome["status"] for outcome in answer["outcomes"]] == ["done"]
    cases = folder / "cases.jsonl"
    cases.write_text('{"id": "one", "lang": "en", "text": "turn on the lamp"}\n', encoding="utf-8")
    assert json.loads(said("eval", str(cases), "--json"))["file"] == "cases"


@pytest.mark.slow
def test_the_version_is_the_package_s(wheel: Path) -> None:
    assert wheel.name.startswith(f"hearken-{__version__}-")


@pytest.mark.parametrize("above", ["lib/python3.13/site-packages", "lib/python3/dist-packages", "."])
def test_what_a_wheel_installed_is_found_in_its_prefix(above: str, tmp_path: Path) -> None:
    code, shared = tmp_path / above / "daemon", tmp_path / "share" / "hearken"
    code.mkdir(parents=True)
    assert find_root(code) == code.parent
    (shared / "rules").mkdir(parents=True)
    assert find_root(code) == shared
    (code.parent / "rules").mkdir()
    assert find_root(code) == code.parent
