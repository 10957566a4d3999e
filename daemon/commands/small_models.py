"""Our own small models: which of them this home wants, and what is wrong with those."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from daemon.core.errors import ConfigError
from daemon.home.config import HomeConfig, ModelSettings
from daemon.home.nodes import nearest, quoted
from daemon.models.store import Store
from daemon.system.config import Paths

_ENCODER: Final = "encoder"
_TAGGER: Final = "tagger"
_DECODER: Final = "decoder"
_LLAMA: Final = "`make llama` builds llama-cpp-python; until then the tagger goes on alone"


@dataclass(frozen=True, slots=True)
class Standing:
    """How one model stands; `problem` says in one line what is wrong and what to do, and is empty where all is well."""

    name: str
    problem: str = ""
    wanted: bool = True
    """Whether this home uses it."""


def check_name(settings: ModelSettings | None, home: Path, models: Path) -> None:
    """Whether the model that the home file names can compile.

    Raises:
        ConfigError: there is none of that name, with the line and the names that there are; or the manifest is wrong.
    """
    if settings is None or settings.name is None:
        return
    listed = Store(models).manifest.models
    known = tuple(item.name for item in listed if item.kind == "compiler")
    if settings.name not in known:
        problem = f"unknown model {quoted(settings.name)}"
        remedy = f"{nearest(settings.name, known)}; known: {', '.join(known)}"
        raise ConfigError(home, settings.line, "model.name", problem, remedy)


def standings(home: HomeConfig | None, paths: Paths, *, deep: bool) -> Iterator[Standing]:
    """How each stands that is listed; `deep` reads every byte.

    Raises:
        ConfigError: the manifest is wrong.
        ModelCorrupt: the list of hashes is.
    """
    store = Store(paths.models)
    settings = home.model if home is not None else None
    second = (settings.name if settings is not None else None) or _DECODER
    for name in dict.fromkeys((_TAGGER, second, _ENCODER)):
        model = next((item for item in store.manifest.models if item.name == name), None)
        if model is None:
            continue
        wanted = name == _ENCODER or settings is not None
        status = store.status(model, deep=deep)
        if status.state == "missing":
            yield Standing(name, f"is not installed; `{model.command}` gets it", wanted)
        elif status.state == "corrupt":
            yield Standing(name, f"is damaged: {status.problem}; `{model.command}` mends it", wanted)
        elif model.engine == "llama-cpp" and importlib.util.find_spec("llama_cpp") is None:
            yield Standing(name, _LLAMA, settings is not None and settings.name == name)
        else:
            yield Standing(name, "", wanted)
