"""The compiler of this installation: its model is ours, and looked at only when it is first needed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from daemon.compiler.calibration import Calibration
from daemon.compiler.compiler import LIMIT_S, Compiler, Judge, Model
from daemon.compiler.filling import Filling
from daemon.compiler.meanings import Meanings
from daemon.compiler.tagger import Tagger
from daemon.errors import ModelCorrupt
from daemon.models.store import Store
from daemon.understand.grammar import Grammar

NAME: Final = "tagger"
"""Its name in the manifest."""


def compiler(
    models: Path, rules: Path, grammar: Grammar, judge: Judge | None = None, limit_s: float = LIMIT_S
) -> Compiler:
    """The compiler, its model not yet loaded; `limit_s` as for `Compiler`.

    Raises:
        ConfigError: `rules/meanings.yaml` is missing or wrong.
    """
    meanings = Meanings.load(rules)

    def load() -> Model:
        folder = _verified(models)
        return Model(Tagger(folder, meanings, grammar.lexicon), Calibration.load(folder))

    return Compiler(load, Filling(meanings, grammar), judge, limit_s)


def _verified(models: Path) -> Path:
    """The folder of the model, every byte of it read.

    Raises:
        ConfigError: the manifest is missing or wrong.
        ModelMissing: it is not there.
        ModelCorrupt: it is not what the manifest says.
    """
    store = Store(models)
    folder = store.require(NAME)
    status = store.status(store.manifest.get(NAME), deep=True)
    if status.state != "installed":
        raise ModelCorrupt(f"{folder}: {status.problem}; `{status.model.command}` mends it")
    return folder
