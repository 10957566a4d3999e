"""What nobody else is to know: never in the home file, which only says where it is to be found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from daemon.core.errors import ConfigError
from daemon.home.config import HomeConfig, PasswordSource
from daemon.system.nodes import Value


class Secret:
    """A string that does not print: not in a repr, a log, a trace or a traceback."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The string itself; only for the call that needs it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str:
        raise TypeError("a secret is not pickled")


def parse_secret(value: Value, what: str) -> PasswordSource:
    """Where a secret is to be found."""
    if not isinstance(value.data, dict):
        # Not quoted back: what stands here may be the secret.
        value.fail(f"{what} does not belong in this file", "write {env: NAME}, {file: PATH} or {credential: NAME}")
    entry = value.mapping(("env", "file", "credential"))
    if len(entry) != 1:
        value.fail("needs exactly one place", "write {env: NAME}, {file: PATH} or {credential: NAME}")
    return PasswordSource(
        env=entry["env"].text() if "env" in entry else None,
        file=beside(entry["file"]) if "file" in entry else None,
        credential=entry["credential"].text() if "credential" in entry else None,
    )


def read_secret(source: PasswordSource, home: Path, key: str, environ: Mapping[str, str] | None = None) -> Secret:
    """What is kept there, without the line break that may end its file. `key` is where the home file asks for it.

    Raises:
        ConfigError: it is not there, cannot be read, or is empty.
    """
    environ = os.environ if environ is None else environ
    if source.env is not None:
        if not (value := environ.get(source.env)):
            raise ConfigError(home, None, key, f"the environment variable {source.env} is not set", "set it")
        return Secret(value)
    path = source.file
    if source.credential is not None:
        folder = environ.get("CREDENTIALS_DIRECTORY")
        if folder is None:
            remedy = f"let systemd start the daemon, with LoadCredential={source.credential}:FILE, or use env or file"
            raise ConfigError(home, None, key, "there are no systemd credentials here", remedy)
        path = Path(folder) / source.credential
    if path is None:
        raise ConfigError(home, None, key, "names no place", "write {env: NAME}, {file: PATH} or {credential: NAME}")
    try:
        value = path.read_text(encoding="utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise ConfigError(home, None, key, f"{path} is not UTF-8 text", "write the secret into it") from None
    except OSError as error:
        remedy = "write the secret into it, readable for the daemon"
        raise ConfigError(home, None, key, f"cannot read {path}: {error.strerror}", remedy) from None
    if not value:
        raise ConfigError(home, None, key, f"{path} is empty", "write the secret into it")
    return Secret(value)


def places(home: HomeConfig) -> tuple[str, ...]:
    """Where all that is that nobody else is to know: files, variables and credentials, in words."""
    tls = home.mqtt.tls if home.mqtt is not None else None
    boxes = [item.esphome.key for item in home.satellites.values() if item.esphome is not None]
    sources = [home.mqtt.password if home.mqtt is not None else None, *boxes]
    files = [] if tls is None else [path for path in (tls.ca, tls.certificate, tls.key) if path is not None]
    named = [_place(source) for source in sources if source is not None]
    return tuple(dict.fromkeys([*(str(path) for path in files), *named]))


def _place(source: PasswordSource) -> str:
    if source.env is not None:
        return f"the environment variable {source.env}"
    return str(source.file) if source.file is not None else f"the credential {source.credential}"


def beside(value: Value) -> Path:
    """A path beside the home file, unless it is absolute."""
    return value.file.parent / Path(value.text(1000)).expanduser()
