"""How likely a draft is right, by the signs that speak for it: for each language a logistic curve.

Fitted on held-out banks (`models/train/score.py`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

from daemon.core.errors import ModelCorrupt
from daemon.core.ir import Lang
from daemon.system.languages import LANGS

FILE: Final = "calibration.json"
Prefers = Literal["tagger", "decoder"]


class Calibration(Struct, frozen=True):
    """The curve, and from where on something is done."""

    weights: tuple[float, ...]
    bias: float
    act: float
    """From this chance on a draft is taken as said."""
    ask: float
    """From this one on it is asked back; below, nothing was understood."""
    prefers: Prefers = "tagger"
    """Of two models that say different things, the one that is right more often."""

    def chance(self, signs: Sequence[float]) -> float:
        """How likely it is right, 0 to 1; 0 where nothing speaks for it."""
        if len(signs) != len(self.weights):
            return 0.0
        height = self.bias + sum(weight * sign for weight, sign in zip(self.weights, signs, strict=True))
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, height))))


Curves = Mapping[Lang, Calibration]
"""One for each language."""


def curves(folder: Path) -> Curves:
    """The curves of the model in a folder.

    Raises:
        ModelCorrupt: the file is missing or wrong.
    """
    file = folder / FILE
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return {lang: _curve(data[lang]) for lang in LANGS}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelCorrupt(f"{file}: cannot be read ({error})") from error


def _curve(data: Any) -> Calibration:
    weights = tuple(float(item) for item in data["weights"])
    prefers: Prefers = "decoder" if data.get("prefers") == "decoder" else "tagger"
    return Calibration(weights, float(data["bias"]), float(data["act"]), float(data["ask"]), prefers)
