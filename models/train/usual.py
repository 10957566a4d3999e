"""The words that usually stand in commands of a meaning, from the phrase banks: the tagger's `words.npy`.

python -m models.train.usual --out models/tagger
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from daemon.compiler.meanings import Meanings
from daemon.compiler.tagger import ANYWHERE, Usual
from daemon.system.languages import LANGS
from daemon.system.nodes import read_yaml
from daemon.understand.normalize import normalize
from models.train.phrases import SLOT, load_all, merged
from models.train.words import HERE

_POLITE = "polite"
_AROUND = ("fillers", "ends")
"""Tables of words that are said around anything."""


def phrases(banks: Path, meanings: Meanings) -> Iterator[tuple[str, str]]:
    """What stands beside the slots of each phrase, with its meaning."""
    for bank in merged(load_all(banks, meanings), meanings):
        for meaning, said in bank.phrases.items():
            for phrase in said:
                parts = SLOT.split(phrase)[:: SLOT.groups + 1]
                yield (
                    ANYWHERE if meaning == _POLITE else meaning,
                    " | ".join(normalize(part, bank.lang).text for part in parts),
                )


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the tagger")
    parser.add_argument("--banks", type=Path, default=HERE / "banks")
    args = parser.parse_args(arguments)
    said = list(phrases(args.banks, Meanings.load(HERE.parents[1] / "rules")))
    for lang in LANGS:
        file = HERE / f"words.{lang}.yaml"
        tables = read_yaml(file).mapping()
        said += [(ANYWHERE, words.text()) for table in _AROUND for words in tables[table].sequence()]
    args.out.mkdir(parents=True, exist_ok=True)
    Usual.of(said).save(args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
