"""`models/manifest.yaml`, read strictly."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from msgspec import Meta, Struct

from daemon.core.errors import UsageError
from daemon.system.nodes import read_yaml

Kind = Literal["transcriber", "voice", "encoder", "compiler", "segmenter"]
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
        if self.kind in ("compiler", "segmenter", "encoder") and self.repo is None:
            return f"git restore models/{self.name}"
        verb = f"add {self.name} FOLDER" if self.repo is None else f"fetch {self.name}"
        return f"python -m daemon models {verb}"


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
