"""The card of a trained model, and its entry for models/manifest.yaml.

    python -m models.train.card --data models/train/work --model models/tagger

Writes MODEL_CARD.md beside the model's files; prints the entry, to be put into the manifest.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from daemon.compiler.calibration import FILE as CALIBRATION
from daemon.compiler.calibration import Calibration
from daemon.compiler.meanings import Meanings
from daemon.compiler.tagger import FILES
from daemon.models.store import digest
from models.train.phrases import load_all

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


def card(training: Mapping[str, Any], scores: Mapping[str, Mapping[str, float]], curve: Calibration, size: int) -> str:
    """The text of the card."""
    meanings = Meanings.load(_ROOT / "rules")
    sizes = {}
    for folder in ("banks", "heldout"):
        banks = load_all(Path(__file__).resolve().parent / folder, meanings)
        sizes[folder] = f"{sum(bank.size for bank in banks)} phrases in {len(banks)} banks"
    told = training["tagger"]
    machine = f"{training['device']} ({platform.machine()}, {os.cpu_count()} cores)"
    length = f"{told['minutes']} minutes, {told['pairs_seen']} pairs in {told['steps']} steps"
    rows = ["| bank | " + " | ".join(_COLUMNS.values()) + " |", "| --- " * (len(_COLUMNS) + 1) + "|"]
    rows += [f"| {name} | " + " | ".join(str(row[key]) for key in _COLUMNS) + " |" for name, row in scores.items()]
    return "\n".join([
        "# The tagger",
        "",
        "A small encoder, trained from nothing on the phrase banks of models/train: it tells what an utterance means,",
        "and which of its words fill what. docs/models.md says what becomes of that. Licence: as the project.",
        "",
        f"- Learnt from: {sizes['banks']}, as {training['pairs']} generated pairs; seed {training['seed']}.",
        f"- Scored on: {sizes['heldout']}, written apart from the others and with names of their own.",
        f"- Trained last: {length}, on {machine}.",
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


def entry(folder: Path) -> str:
    """The lines for the manifest."""
    files = [folder / name for name in (*FILES, CALIBRATION)]
    lines = [f"      - {{path: {file.name}, size: {file.stat().st_size}, sha256: {digest(file)}}}" for file in files]
    head = [f"  - name: {folder.name}", "    kind: compiler", "    engine: onnxruntime", "    languages: [en, zh]"]
    return "\n".join([*head, "    licence: Apache-2.0", "    files:", *lines])


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the card, prints the entry."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    args = parser.parse_args(arguments)
    training, scores = (
        json.loads((args.data / name).read_text(encoding="utf-8")) for name in ("training.json", "scores.json")
    )
    size = sum((args.model / name).stat().st_size for name in FILES)
    text = card(training, scores, Calibration.load(args.model), size)
    (args.model / "MODEL_CARD.md").write_text(text, encoding="utf-8")
    print(entry(args.model))
    return 0


if __name__ == "__main__":
    sys.exit(main())
