"""The cards of the trained models, and their entries in models/manifest.yaml.

    python -m models.train.card --data models/train/work [--model models/tagger] [--second models/decoder]
                                [--encoder models/encoder]

Writes MODEL_CARD.md beside each model's files, and the sizes and hashes of all of ours into the manifest.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import mentions
from daemon.compiler.calibration import curves
from daemon.compiler.decoder import FILE as GGUF
from daemon.compiler.tagger import FILES
from daemon.compiler.vocabulary import TABLE, TOKENIZER
from daemon.models.store import digest
from models.train import encoder_card
from models.train.score import TOGETHER

_ROOT = Path(__file__).resolve().parents[2]
_CARD = "MODEL_CARD.md"
_OWN = ("encoder", "tagger", "segmenter", "followups", "decoder")
_ENTRY = re.compile(r"^(  - name: \S+)$", re.MULTILINE)
_FILE = re.compile(r"^      - \{path: ([\w.]+), size: .*\}$", re.MULTILINE)
_COLUMNS = {
    "utterances": "utterances",
    "meaning_right": "meaning right",
    "exact_ungated": "IR exact",
    "acted_right": "acted, right",
    "asked_right": "asked back, right",
    "wrong_acts": "wrong acts (of all)",
    "wrong_answers": "wrong answers (of all)",
    "needless_questions": "questions to what is not for us",
    "not_for_us_left_alone": "not for us, left alone",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """What is told of one of the two models."""

    name: str
    """Of what was told of its training: NAME_training.json."""
    files: tuple[str, ...]
    scores: str
    """What its lines in scores.json begin with."""
    intro: tuple[str, ...]


TAGGER = Kind(
    "tagger", (*FILES, TOKENIZER, TABLE), "",
    (
        "# The tagger",
        "",
        "A small encoder, trained on the phrase banks of models/train: it tells what an utterance means, and which of",
        "its words fill what. It begins with four of the twelve layers of multilingual-e5-small, and with what that",
        "knows of those pieces of words that the language of homes needs; what an utterance means is learnt here.",
        "docs/models.md says what becomes of that. Licence: as the project; that of what it begins with is MIT, in",
        "LICENCE-multilingual-e5-small beside it.",
    ),
)  # fmt: skip
DECODER = Kind(
    "decoder", (GGUF,), TOGETHER,
    (
        "# The decoder",
        "",
        "A small language model, trained from nothing on the phrase banks of models/train: it writes what an utterance",
        "means, within a grammar, as a second opinion beside the tagger. docs/models.md says what becomes of that.",
        "Licence: as the project. The scores are those of both together.",
    ),
)  # fmt: skip


def card(
    kind: Kind,
    told: Mapping[str, Any],
    sizes: Mapping[str, str],
    scores: Mapping[str, Mapping[str, float]],
    folder: Path,
) -> str:
    """The text of a card.

    Args:
        kind: Of what.
        told: What its training told.
        sizes: Of what the pairs were made that it is scored on.
        scores: How it did.
        folder: Where it is.
    """
    found = curves(folder).items()
    act, ask = (", ".join(f"{getattr(curve, name)} ({lang})" for lang, curve in found) for name in ("act", "ask"))
    size = sum((folder / name).stat().st_size for name in kind.files)
    machine = f"{told['device']} ({_machine()})"
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
        f"- Learnt from: {told['learnt_from']}, as {told['pairs']} generated pairs; seed {told['seed']}.",
        f"- Scored on: {sizes['heldout']}, written apart from the others and with names of their own; and, untouched",
        f"  by any choice, on {sizes['untouched']}.",
        f"- Trained: {length} ({told['passes']} passes), on {machine}.",
        f"- Size: {told['weights']} weights; {size / 1e6:.1f} MB of files.",
        f"- Thresholds: taken as said from a chance of {act} on, asked back from {ask} on.",
        "",
        "Percent; each bank with a curve fitted on the other of its language, the languages with that of both:",
        "",
        *rows,
        "",
        "Limits: phrasings that are unlike all that it has learnt from are mostly left alone, now and then misread. It",
        "knows English and Mandarin, one command with at most one time or condition around it, or two commands.",
        "",
    ])  # fmt: skip


def listed(manifest: str, models: Path) -> str:
    """The text of the manifest, with the sizes and hashes of the files of our own models as they are now.

    Args:
        manifest: Its text until now; nothing else of it changes.
        models: The folder of the models.
    """
    parts = _ENTRY.split(manifest)
    for at in range(1, len(parts), 2):
        folder = models / parts[at].split()[-1]
        if folder.name in _OWN:
            parts[at + 1] = _FILE.sub(lambda found, folder=folder: _measured(folder / found[1]), parts[at + 1])
    return "".join(parts)


def _measured(file: Path) -> str:
    return f"      - {{path: {file.name}, size: {file.stat().st_size}, sha256: {digest(file)}}}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the cards and the manifest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, help="the folder of the tagger")
    parser.add_argument("--second", type=Path, help="the folder of the decoder")
    parser.add_argument("--encoder", type=Path, help="the folder of the encoder")
    args = parser.parse_args(arguments)
    for kind, folder in ((TAGGER, args.model), (DECODER, args.second)):
        if folder is not None:
            training = _read(args.data, f"{kind.name}_training")
            text = card(kind, training, _read(args.data, "sizes"), _read(args.data, "scores"), folder)
            (folder / _CARD).write_text(text, encoding="utf-8")
    manifest = _ROOT / "models" / "manifest.yaml"
    manifest.write_text(listed(manifest.read_text(encoding="utf-8"), manifest.parent), encoding="utf-8")
    if args.encoder is not None:
        # It is measured as it is used: once the manifest knows it.
        found = mentions.rows(manifest.parent)
        text = encoder_card.card(_read(args.data, "encoder_training"), found, args.encoder, _machine())
        (args.encoder / _CARD).write_text(text, encoding="utf-8")
    return 0


def _read(data: Path, name: str) -> Any:
    return json.loads((data / f"{name}.json").read_text(encoding="utf-8"))


def _machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores"


if __name__ == "__main__":
    sys.exit(main())
