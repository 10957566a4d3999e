"""`models/manifest.yaml`, read strictly; what is installed: a folder per model, `lock.json` with hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from daemon.core.errors import ModelCorrupt, ModelMissing, UsageError
from daemon.system.config import COMMAND
from daemon.system.nodes import read_yaml

Kind = Literal["transcriber", "voice", "encoder", "compiler", "segmenter", "followups"]
_OURS: Final = ("compiler", "segmenter", "followups", "encoder")
"""Those of which there are some in the repository."""
Engine = Literal["faster-whisper", "pocketsphinx", "piper", "onnxruntime", "llama-cpp"]
Style = Literal["draft", "chat", "sentence"]

MANIFEST = "manifest.yaml"
"""The file in the folder of models."""
_UP = r"\.{0,2}(?:/|\Z)"
"""A part of a path that leads nowhere below."""


class ModelFile(Struct, frozen=True, forbid_unknown_fields=True):
    """One file: its path in the repository, and what it must be where that is known."""

    path: Annotated[str, Meta(pattern=rf"^(?!{_UP})([^/]|/(?!{_UP}))+\Z")]
    size: Annotated[int, Meta(gt=0)] | None = None
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}\\Z")] | None = None

    @property
    def name(self) -> str:
        """Its name in the model's folder."""
        return PurePosixPath(self.path).name


class Model(Struct, frozen=True, forbid_unknown_fields=True):
    """One model; without a `repo` its files are brought by hand.

    Raises:
        ValueError: what is said of it does not go together.
    """

    name: Annotated[str, Meta(pattern="^[a-z0-9][a-z0-9.-]*\\Z")]
    kind: Kind
    engine: Engine
    languages: tuple[str, ...]
    licence: Annotated[str, Meta(min_length=1)]
    files: Annotated[tuple[ModelFile, ...], Meta(min_length=1)]
    repo: Annotated[str, Meta(pattern=r"^[\w.-]+/[\w.-]+\Z")] | None = None
    revision: Annotated[str, Meta(pattern="^[0-9a-f]{40}\\Z")] | None = None
    default: bool = False
    style: Style = "draft"
    """Of a compiler: trained to write drafts (`draft`), or a model for conversation that is told how (`chat`). Of an
    encoder: `sentence` where it is a public one, whose last layer is averaged over a text."""
    prefix: str = ""
    """Of an encoder of sentences: what it wants before each text."""

    def __post_init__(self) -> None:
        if self.repo is not None and self.revision is None:
            raise ValueError("a repo needs a revision, a commit of 40 hex digits")
        if self.style == "sentence" and (self.kind, self.engine) != ("encoder", "onnxruntime"):
            raise ValueError("only an encoder of onnxruntime has the style sentence")
        if self.prefix and self.style != "sentence":
            raise ValueError("only an encoder of sentences has a prefix")

    @property
    def size(self) -> int | None:
        """Bytes of all files, or None where one is not known."""
        sizes = [file.size for file in self.files]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def command(self) -> str:
        """The command that gets it."""
        if self.kind in _OURS and self.repo is None:
            return f"git restore models/{self.name}"
        verb = f"add {self.name} FOLDER" if self.repo is None else f"fetch {self.name}"
        return f"{COMMAND} models {verb}"


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """All models, in the order of the file.

    Raises:
        ValueError: two have the same name.
    """

    models: tuple[Model, ...]
    version: Literal[1] = 1

    def __post_init__(self) -> None:
        names = [model.name for model in self.models]
        if again := [name for at, name in enumerate(names) if name in names[:at]]:
            raise ValueError(f"{again[0]} is there twice")

    @classmethod
    def load(cls, path: Path) -> Manifest:
        """Reads the file.

        Raises:
            ConfigError: it is missing or wrong.
        """
        return read_yaml(path).into(cls)

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


State = Literal["installed", "missing", "corrupt"]
CHUNK = 1 << 20


class Status(Struct, frozen=True):
    """How a model stands; `problem` is empty where it is installed or simply not there."""

    model: Model
    state: State
    problem: str = ""


class Store:
    """The models under one folder.

    Raises:
        ConfigError: `manifest.yaml` in it is missing or wrong.
        ModelCorrupt: `lock.json` in it cannot be read.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.manifest = Manifest.load(root / MANIFEST)

    def folder(self, model: Model) -> Path:
        """Where a model lies, or would."""
        return self.root / model.name

    def require(self, name: str) -> Path:
        """The folder of an installed model. Looks at sizes alone: hashes are for `verify`.

        Raises:
            UsageError: no model is called that.
            ModelMissing: it is not there.
            ModelCorrupt: some of it is not there, or not of the size that it should have.
        """
        model = self.manifest.get(name)
        status = self.status(model, deep=False)
        if status.state == "missing":
            raise ModelMissing(name, f"`{model.command}` gets it")
        if status.state == "corrupt":
            raise ModelCorrupt(f"the model {name} is damaged: {status.problem}; `{model.command}` mends it")
        return self.folder(model)

    def installed(self, engine: str, lang: str) -> tuple[Model, ...]:
        """The models of an engine that are here and know a language, the largest first."""
        here = [
            model
            for model in self.manifest.models
            if model.engine == engine
            and lang in model.languages
            and self.status(model, deep=False).state == "installed"
        ]
        return tuple(sorted(here, key=lambda model: -sum(path.stat().st_size for path in self.folder(model).iterdir())))

    def verify(self) -> tuple[Status, ...]:
        """Reads every byte of every model that is here."""
        return tuple(self.status(model, deep=True) for model in self.manifest.models)

    def list(self) -> tuple[Status, ...]:
        """A glance at every model: sizes, no hashes."""
        return tuple(self.status(model, deep=False) for model in self.manifest.models)

    def status(self, model: Model, *, deep: bool) -> Status:
        """How a model stands; `deep` also checks the hashes."""
        folder = self.folder(model)
        if not folder.is_dir():
            return Status(model, "missing")
        for file in model.files:
            if problem := self.problem(model, file, folder / file.name, deep=deep):
                return Status(model, "corrupt", f"{file.name}: {problem}")
        return Status(model, "installed")

    def problem(self, model: Model, file: ModelFile, path: Path, *, deep: bool) -> str:
        """What is wrong with a file that should be this one; an empty string if nothing."""
        size, sha256 = self.expected(model, file)
        try:
            if not path.is_file():
                return "not there"
            if size is not None and path.stat().st_size != size:
                return f"{path.stat().st_size} bytes instead of {size}"
            if deep and sha256 is not None and (found := digest(path)) != sha256:
                return f"its hash is {found[:12]}... instead of {sha256[:12]}..."
        except OSError as error:  # a disk that fails
            return f"cannot be read ({error.strerror})"
        return ""

    def expected(self, model: Model, file: ModelFile) -> tuple[int | None, str | None]:
        """Size and hash by the manifest, else as first seen for this revision, else None."""
        size, sha256 = self._lock().get(_key(model, file), (None, None))
        return file.size or size, file.sha256 or sha256

    def record(self, model: Model, file: ModelFile, path: Path) -> None:
        """Notes the hash of a file that is seen for the first time."""
        seen = self._lock() | {_key(model, file): (path.stat().st_size, digest(path))}
        data = {key: {"size": size, "sha256": sha256} for key, (size, sha256) in sorted(seen.items())}
        part = self._lock_path.with_suffix(".part")
        part.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        part.replace(self._lock_path)

    @property
    def _lock_path(self) -> Path:
        return self.root / "lock.json"

    def _lock(self) -> dict[str, tuple[int, str]]:
        try:
            data = json.loads(self._lock_path.read_text(encoding="utf-8"))
            return {str(key): (int(item["size"]), str(item["sha256"])) for key, item in data.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
            raise ModelCorrupt(f"{self._lock_path}: cannot be read; restore it or delete it with the models") from error


def _key(model: Model, file: ModelFile) -> str:
    return f"{model.name}@{model.revision or 'local'}/{file.path}"


def digest(path: Path) -> str:
    """SHA-256 of a file, as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def onnx_weights(values: Any) -> Any:
    """Weights, an array of numpy, as an `onnxruntime.OrtValue` that sessions can share."""
    from onnxruntime import OrtValue

    return OrtValue.ortvalue_from_numpy(values)


def onnx_session(model: Path, shared: Mapping[str, Any] | None = None) -> Any:
    """An `onnxruntime.InferenceSession` of a model file on one core, without an arena, that logs nothing.

    Args:
        model: The file.
        shared: Weights that the file leaves out, by name, as of `onnx_weights`; they have to stay.

    Raises:
        Exception: as the engine likes, where the file is missing or no such model.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = options.intra_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    if shared:
        options.add_external_initializers(list(shared), list(shared.values()))
    return onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"], sess_options=options)
