"""`models/manifest.yaml`, read strictly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NoReturn, get_args

import yaml

from daemon.core.errors import ConfigError, UsageError

Kind = Literal["transcriber", "voice", "encoder", "compiler"]
Engine = Literal["faster-whisper", "pocketsphinx", "piper", "onnxruntime", "llama-cpp"]
Style = Literal["draft", "chat", "sentence"]

MANIFEST = "manifest.yaml"
"""The file in the folder of models."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_REVISION = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
_REPO = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file: its path in the repository, and what it must be where that is known."""

    path: str
    size: int | None = None
    sha256: str | None = None

    @property
    def name(self) -> str:
        """Its name in the model's folder."""
        return PurePosixPath(self.path).name


@dataclass(frozen=True, slots=True)
class Model:
    """One model; without a `repo` its files are brought by hand."""

    name: str
    kind: Kind
    engine: Engine
    languages: tuple[str, ...]
    licence: str
    files: tuple[ModelFile, ...]
    repo: str | None = None
    revision: str | None = None
    default: bool = False
    style: Style = "draft"
    """Of a compiler: trained to write drafts (`draft`), or a model for conversation that is told how (`chat`). Of an
    encoder: `sentence` where it is a public one, whose last layer is averaged over a text."""
    prefix: str = ""
    """Of an encoder of sentences: what it wants before each text."""

    @property
    def size(self) -> int | None:
        """Bytes of all files, or None where one is not known."""
        sizes = [file.size for file in self.files]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def command(self) -> str:
        """The command that gets it."""
        if self.kind in ("compiler", "encoder") and self.repo is None:
            return f"git restore models/{self.name}"
        verb = f"add {self.name} FOLDER" if self.repo is None else f"fetch {self.name}"
        return f"python -m daemon models {verb}"


@dataclass(frozen=True, slots=True)
class Manifest:
    """All models, in the order of the file."""

    models: tuple[Model, ...]

    @classmethod
    def load(cls, path: Path) -> Manifest:
        """Reads the file.

        Raises:
            ConfigError: it is missing or wrong.
        """
        try:
            data = yaml.safe_load(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigError(path, None, "", "cannot be read", "restore it from the repository") from error
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 1 if mark is not None else None
            raise ConfigError(path, line, "", "not valid YAML", "mend the syntax") from error
        return cls(_Reader(path).models(data))

    def get(self, name: str) -> Model:
        """The model of that name.

        Raises:
            UsageError: there is none.
        """
        for model in self.models:
            if model.name == name:
                return model
        raise UsageError(f"no model is called {name!r}; there are {', '.join(model.name for model in self.models)}")

    def defaults(self) -> tuple[Model, ...]:
        """What `make models` fetches."""
        return tuple(model for model in self.models if model.default)

    def sentences(self) -> tuple[str, ...]:
        """The names of the encoders that a home file may name."""
        return tuple(model.name for model in self.models if model.style == "sentence")

    def of(self, engine: Engine) -> tuple[Model, ...]:
        """The models that an engine loads."""
        return tuple(model for model in self.models if model.engine == engine)


class _Reader:
    """Checks each value as it is taken."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def models(self, data: Any) -> tuple[Model, ...]:
        if not isinstance(data, dict) or data.get("version") != 1 or not isinstance(data.get("models"), list):
            self._fail("", "not a list of models", "begin with `version: 1` and `models:`")
        models = tuple(self._model(item, f"models[{index}]") for index, item in enumerate(data["models"]))
        names = [model.name for model in models]
        for name in names:
            if names.count(name) > 1:
                self._fail("models", f"{name} is there twice", "give each model its own name")
        return models

    def _model(self, data: Any, key: str) -> Model:
        allowed = {"name", "kind", "engine", "languages", "licence", "repo", "revision", "default", "style", "prefix"}
        allowed |= {"files"}
        data = self._mapping(data, key, allowed)
        repo, revision = data.get("repo"), data.get("revision")
        if repo is not None:
            self._match(repo, _REPO, f"{key}.repo", "owner/name")
            self._match(revision, _REVISION, f"{key}.revision", "a commit of 40 hex digits")
        languages, files = data.get("languages"), data.get("files")
        if not isinstance(languages, list) or not all(isinstance(item, str) for item in languages):
            self._fail(f"{key}.languages", "not a list of languages", "write such as [en, zh]")
        if not isinstance(files, list) or not files:
            self._fail(f"{key}.files", "no files", "list at least one")
        if not isinstance(data.get("default", False), bool):
            self._fail(f"{key}.default", "neither true nor false", "write true or leave it out")
        style, prefix = (
            self._one_of(data.get("style", "draft"), get_args(Style), f"{key}.style"),
            data.get("prefix", ""),
        )
        if style == "sentence" and (data.get("kind"), data.get("engine")) != ("encoder", "onnxruntime"):
            self._fail(f"{key}.style", "only an encoder reads sentences", "write kind: encoder, engine: onnxruntime")
        if not isinstance(prefix, str) or (prefix and style != "sentence"):
            self._fail(f"{key}.prefix", "is no text, or not that of an encoder of sentences", "leave it out")
        return Model(
            name=self._match(data.get("name"), _NAME, f"{key}.name", "lower case letters, digits, dots and dashes"),
            kind=self._one_of(data.get("kind"), get_args(Kind), f"{key}.kind"),
            engine=self._one_of(data.get("engine"), get_args(Engine), f"{key}.engine"),
            languages=tuple(languages),
            licence=self._match(data.get("licence"), re.compile(r".+"), f"{key}.licence", "a licence"),
            files=tuple(self._file(item, f"{key}.files[{index}]") for index, item in enumerate(files)),
            repo=repo,
            revision=revision,
            default=data.get("default", False),
            style=style,
            prefix=prefix,
        )

    def _file(self, data: Any, key: str) -> ModelFile:
        data = self._mapping(data, key, {"path", "size", "sha256"})
        path, size, sha256 = data.get("path"), data.get("size"), data.get("sha256")
        if (
            not isinstance(path, str)
            or not path
            or path.startswith("/")
            or not set(path.split("/")).isdisjoint({"", "..", "."})
        ):
            self._fail(f"{key}.path", f"{path!r} is not a path inside the repository", "write such as model.bin")
        if size is not None and (not isinstance(size, int) or isinstance(size, bool) or size <= 0):
            self._fail(f"{key}.size", f"{size!r} is not a number of bytes", "write a whole number, or leave it out")
        if sha256 is not None:
            self._match(sha256, _SHA256, f"{key}.sha256", "64 hex digits in lower case")
        return ModelFile(path, size, sha256)

    def _mapping(self, data: Any, key: str, allowed: set[str]) -> Mapping[str, Any]:
        if not isinstance(data, dict):
            self._fail(key, "not a mapping", f"write {', '.join(sorted(allowed))}")
        if unknown := set(data) - allowed:
            self._fail(key, f"unknown key {min(map(str, unknown))!r}", f"known are {', '.join(sorted(allowed))}")
        return data

    def _match(self, value: Any, pattern: re.Pattern[str], key: str, wanted: str) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            self._fail(key, f"{value!r} is wrong", f"write {wanted}")
        return str(value)

    def _one_of(self, value: Any, choices: tuple[Any, ...], key: str) -> Any:
        if value not in choices:
            self._fail(key, f"{value!r} is not known", f"write one of {', '.join(choices)}")
        return value

    def _fail(self, key: str, problem: str, remedy: str) -> NoReturn:
        raise ConfigError(self._path, None, key, problem, remedy)
