"""Where the grammar alone is sure and a phrase bank says otherwise: the best source of what it reads wrongly.

    python -m benchmarks.misreadings [--lang en] [--bank NAME ...] [--folder banks] [--show N] [--only talk]

Each phrase of the banks (`models/train/banks`) is filled once, the same way every time, and read for a home that has
the things and rooms that fill it. A phrase may stand under the wrong heading, too: what is printed is to be looked at.
Both languages take some minutes; `--lang` and `--bank` do a part.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.contradicting import CONTRADICTIONS, VERDICTS, Verdict, judged
from daemon.compiler.draft import Draft, parse
from daemon.compiler.filling import Filling
from daemon.compiler.meanings import NOUNS, Meanings
from daemon.core.errors import IRError
from daemon.core.ir import Lang, Program
from daemon.evaluate.report import table
from daemon.system.config import ROOT
from daemon.system.languages import LANGS
from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable
from daemon.understand.normalize import Normalized, normalize
from models.train.generate import Generator, Pair
from models.train.phrases import load_all
from models.train.words import HERE, Words


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase with its slots filled, and what the grammar alone made of it."""

    text: str
    lang: Lang
    bank: str
    meant: str
    """The draft that a perfect model would write."""
    read: Program | None
    verdict: Verdict


class Reader:
    """Reads pairs of an utterance and what it says."""

    def __init__(self, grammar: Grammar, meanings: Meanings) -> None:
        self._grammar = grammar
        self._meanings = meanings
        self._filling = Filling(meanings, grammar)

    def read(self, pair: Pair) -> Phrase:
        """What the grammar makes of one, in a home that has what is named in it."""
        draft, said = parse(pair.out, self._meanings), Normalized(pair.text, pair.lang, pair.text)
        names = self._grammar.names(list(self._things(draft, said)))
        meant = None
        if draft.verdict is None:
            try:
                meant = self._filling.program(draft, said, names)
            except IRError:  # as a name of this home, a word is read otherwise
                meant = self._filling.program(draft, said, NameTable())
        readings = self._grammar.read(normalize(pair.text, pair.lang), names)
        read = readings[0] if readings else None
        sure = read is not None and self._is_sure(read)
        vague = draft.verdict == "unsure"
        return Phrase(pair.text, pair.lang, pair.bank, pair.out, read, judged(meant, read, sure=sure, vague=vague))

    def _things(self, draft: Draft, said: Normalized) -> Iterator[NamedThing]:
        for part in draft.parts:
            for item in (item for piece in (part, *part.frames) for item in piece.said):
                if item.slot == "name":
                    yield NamedThing(item.words, "person" if part.meaning == "who_home" else "scene")
                elif item.slot == "room":
                    yield NamedThing(item.words, "area")
                elif item.slot in NOUNS:
                    target = self._filling.target(item, said, NameTable())
                    yield from (NamedThing(area, "area") for area in target.areas)
                    if target.mention is not None:
                        yield NamedThing(target.mention, "device")

    def _is_sure(self, read: Program) -> bool:
        """Whether it is acted on as it is: nothing is asked, no name is a guess."""
        if (
            read.needs_fallback
            or read.missing is not None
            or any(item.implicit or item.either for item in read.clauses)
        ):
            return False
        return not self._grammar.sure.guessed(read.confidence)


def phrases(grammar: Grammar, langs: Sequence[Lang], folder: str, only: Sequence[str]) -> Iterator[Pair]:
    """Every phrase of some banks, filled once."""
    meanings = Meanings.load(ROOT / "rules")
    for lang in langs:
        banks = [bank for bank in load_all(HERE / folder, meanings) if bank.lang == lang]
        banks = [bank for bank in banks if not only or bank.name in only]
        words = Words.load(lang, grammar, held=folder != "banks")
        for bank in banks:
            yield from Generator([bank], words, meanings).once(random.Random(f"{lang} {bank.name}"))


def told(found: Sequence[Phrase]) -> str:
    """One row for each bank, and one for each language: how many per cent became what."""
    rows = []
    for lang, bank in [*sorted({(item.lang, item.bank) for item in found}), *((lang, "") for lang in LANGS)]:
        mine = [item for item in found if item.lang == lang and bank in ("", item.bank)]
        if mine:
            seen = Counter(item.verdict for item in mine)
            shares = (f"{100 * seen[verdict] / len(mine):.2f}" for verdict in VERDICTS)
            rows.append([f"{lang} {bank or 'together'}", str(len(mine)), *shares])
    return table(("% of the phrases", "phrases", *VERDICTS), rows)


def shown(item: Phrase) -> str:
    """One phrase on one line: what it is, what was meant, and what was read."""
    clauses = item.read.clauses if item.read is not None else ()
    read = "; ".join(
        " ".join(
            filter(
                None,
                (
                    type(clause).__name__.lower(),
                    clause.action,
                    *(target.mention or target.kind or target.reference for target in clause.targets),
                    *(area for target in clause.targets for area in target.areas),
                    f"{clause.parameter.attribute} {clause.parameter.op} {clause.parameter.value}"
                    if clause.parameter
                    else None,
                    "if" if clause.conditions else None,
                    "later" if clause.when else None,
                    "not" if clause.negated else None,
                ),
            )
        )
        for clause in clauses
    )
    return f"{item.verdict} {item.lang} {item.bank}: {item.text!r} means {item.meant}, read as {read}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table, and with --show the contradictions, the worst kinds first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lang", choices=LANGS, help="one language alone")
    parser.add_argument("--bank", nargs="+", default=(), help="these banks alone")
    parser.add_argument(
        "--folder", choices=("banks", "heldout"), default="banks", help="which banks (default: %(default)s)"
    )
    parser.add_argument("--show", type=int, default=0, help="so many of the contradictions")
    parser.add_argument("--only", choices=CONTRADICTIONS, nargs="+", default=CONTRADICTIONS, help="show only such")
    args = parser.parse_args(arguments)
    grammar = Grammar.load(ROOT / "rules")
    reader = Reader(grammar, Meanings.load(ROOT / "rules"))
    found = [
        reader.read(pair) for pair in phrases(grammar, [args.lang] if args.lang else LANGS, args.folder, args.bank)
    ]
    print(told(found))
    worst = sorted((item for item in found if item.verdict in args.only), key=lambda item: VERDICTS.index(item.verdict))
    for item in worst[: args.show]:
        print(shown(item))
    return 0


if __name__ == "__main__":
    sys.exit(main())
