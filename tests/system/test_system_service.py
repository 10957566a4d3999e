"""What installs and runs the service agrees with itself; that a package works, `make deb-check` tries."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SHELL = sorted(
    path
    for folder in ("scripts", "systemd", "systemd/debian")
    for path in (ROOT / folder).iterdir()
    if path.is_file() and path.read_text(encoding="utf-8").startswith("#!/bin/sh")
)


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("script", SHELL, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_script_can_be_read_and_run(script: Path) -> None:
    done = subprocess.run(["sh", "-n", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert script.stat().st_mode & 0o111


def test_the_command_of_the_service_uses_what_the_unit_gives(tmp_path: Path) -> None:
    unit, command = text("systemd/hearken.service"), text("systemd/hearken")

    def given(key: str) -> str:
        found = re.search(rf"^{key}=(.+)$", unit, re.MULTILINE)
        assert found is not None
        return found[1]

    # The command itself, as far as the interpreter.
    shown = 'env "HEARKEN_SHOWN=$*"'
    python = "/opt/hearken/.venv/bin/python"
    assert command.count(python) == 1
    (tmp_path / "hearken").write_text(command.replace(f'{python} -m daemon "$@"', shown))
    asked, path = ["sh", str(tmp_path / "hearken"), "text", "x"], {"PATH": os.defpath}
    done = subprocess.run(asked, capture_output=True, text=True, check=True, env=path)
    told = dict(line.partition("=")[::2] for line in done.stdout.splitlines())
    assert told["HEARKEN_SHOWN"] == "text x"
    assert f"HEARKEN_HOME={told['HEARKEN_HOME']}" in given("Environment")
    assert told["STATE_DIRECTORY"] == f"/var/lib/{given('StateDirectory')}"
    assert told["RUNTIME_DIRECTORY"] == f"/run/{given('RuntimeDirectory')}"
    assert given("ExecStart") == f"{python} -m daemon run"
    assert told["PYTHONPATH"] == given("WorkingDirectory")


def test_the_container_s_files_are_there() -> None:
    services = yaml.safe_load(text("systemd/container/compose.yaml"))["services"]
    assert set(services) == {"hearken", "mosquitto"}
    beside = [source for item in services.values() for source in item["volumes"] if source.startswith("./")]
    named = {source.partition(":")[0] for source in beside} - {"./devices.yaml"}
    assert [name for name in named if not (ROOT / "systemd/container" / name).is_file()] == []
