"""What `pip wheel .` makes is whole: with the third-party packages alone, it understands and acts."""

import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
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
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    command = installed(wheel, tmp_path / "environment")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("HEARKEN_", "XDG_", "PYTHON"))}
    environ |= {"HOME": str(folder)}

    def said(*args: str) -> str:
        done = subprocess.run([command, *args], cwd=folder, env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert said("--version") == f"hearken {__version__}\n"
    assert said("--help").startswith("usage: hearken ")
    answer = json.loads(said("text", "--json", "turn on the lamp"))
    assert [outcome["status"] for outcome in answer["outcomes"]] == ["done"]
    cases = folder / "cases.jsonl"
    cases.write_text('{"id": "one", "lang": "en", "text": "turn on the lamp"}\n', encoding="utf-8")
    assert json.loads(said("eval", str(cases), "--json"))["file"] == "cases"
    found = {item["subject"]: item for item in map(json.loads, said("doctor", "--json").splitlines())}
    assert found["home"]["note"].startswith(str(tmp_path / "environment" / "share" / "hearken" / "devices.yaml"))
    assert found["tagger"]["state"] == "ok"
    # There is no Makefile, and so nothing says that it would help.
    assert [item for item in found.values() if "make " in item["note"] or "python -m daemon" in item["note"]] == []
    said("backup", "a.tar.gz")
    said("restore", "a.tar.gz")


def installed(wheel: Path, environment: Path) -> Path:
    """The command of a new environment, with the wheel and the packages of this one: their versions are the lock's."""
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    pip("--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    site = next(environment.glob("lib/python*/site-packages"))
    ours = [sysconfig.get_path(name) for name in ("purelib", "platlib")]
    (site / "packages.pth").write_text("\n".join(dict.fromkeys(ours)), encoding="utf-8")
    return environment / "bin" / "hearken"


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
