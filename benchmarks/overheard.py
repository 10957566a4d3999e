"""What a home makes of talk that is not for it: `python -m benchmarks.overheard [HOME] [--no-model] [--show N]`.

The phrases of the held-out banks (`models/train/heldout`) that mean nothing for us, and our own lists
`not_for_us.*.txt`, which have what is nearest to commands; each by itself, in a conversation of its own.

| column   | per cent of the phrases                                            |
| -------- | ------------------------------------------------------------------ |
| acted    | something was sent                                                 |
| asked    | a question was put                                                 |
| what     | of these: what to do with a thing that was named, and nothing else |
| answered | an answer was given                                                |
| refused  | it was said why not                                                |
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from daemon.act.reader import Patience
from daemon.app import open_home
from daemon.compiler.compiler import Compiler
from daemon.compiler.loading import Wanted, compiler
from daemon.compiler.meanings import NOTHING, Meanings
from daemon.converse.replies import Replies
from daemon.core.errors import ModelError
from daemon.core.ir import Lang
from daemon.core.questions import DEED
from daemon.core.result import Result
from daemon.core.turn import Utterance
from daemon.evaluate.house import load_any
from daemon.evaluate.report import table
from daemon.home.config import HomeConfig
from daemon.pipeline import Pipeline
from daemon.simulate.actor import Timing
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.system.config import ROOT
from daemon.system.languages import LANGS
from daemon.understand.grammar import Grammar
from models.train.phrases import SLOT, load_all

_COLUMNS: Final = ("acted", "asked", "what", "answered", "refused")
_OUTCOMES: Final = {"execute": "acted", "mixed": "acted", "query": "answered", "reject": "refused", "clarify": "asked"}
_REPLIES: Final = Replies.load(ROOT / "rules")
_PATIENT_S: Final = 60.0
"""So long an utterance may take: the same is heard on a slow machine."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Something that is not for us."""

    text: str
    lang: Lang
    bank: str
    sort: str


def phrases(rules: Path) -> Iterator[Phrase]:
    """All held-out phrases that mean nothing. Those with slots are about commands, and are left out."""
    meanings = Meanings.load(rules)
    nothing = {item.id for item in meanings.all.values() if item.group == NOTHING}
    for bank in load_all(ROOT / "models" / "train" / "heldout", meanings):
        for sort in sorted(nothing & bank.phrases.keys()):
            for phrase in bank.phrases[sort]:
                if SLOT.search(phrase) is None:
                    yield Phrase(phrase, bank.lang, bank.name, sort)


def listed() -> Iterator[Phrase]:
    """Our own lists."""
    for lang in LANGS:
        file = ROOT / "benchmarks" / f"not_for_us.{lang}.txt"
        for line in file.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                yield Phrase(line, lang, "not_for_us.txt", "listed")


@asynccontextmanager
async def opened(home: HomeConfig, made: Compiler | None) -> AsyncIterator[Pipeline]:
    """The whole way, over a broker in memory."""
    broker = MemoryBroker()
    rules = ROOT / "rules"
    async with (
        SimulatedHome(broker.connect(), home.entities, home.simulation, Timing(travel_s=0.0)),
        open_home(
            home,
            broker.connect(),
            grammar=Grammar.load(rules),
            replies=_REPLIES,
            patience=Patience(deadline_s=0.4, mute_s=0.05, settle_s=0, slow_settle_s=0),
            compiler=made,
        ) as house,
    ):
        yield house.pipeline


async def heard(pipeline: Pipeline, said: Sequence[Phrase]) -> list[Result]:
    """The result of each, in conversations of their own."""
    return [
        await pipeline.handle(Utterance(item.text, lang=item.lang, satellite=f"{item.bank} {number}"))
        for number, item in enumerate(said)
    ]


def rates(results: Sequence[Result]) -> list[str]:
    """The cells of a row of the table."""
    seen = Counter(_OUTCOMES.get(result.outcome, "left alone") for result in results)
    seen["what"] = sum(result.reply.endswith(_REPLIES.say(f"ask.{DEED}", result.lang, word="")) for result in results)
    return [str(len(results)), *(f"{100 * seen[name] / len(results):.2f}" for name in _COLUMNS)]


async def measured(file: Path, show: int, *, model: bool) -> None:
    """Prints a row for each bank and sort of phrase, and what was not left alone."""
    home, rules = load_any(file), ROOT / "rules"
    said = [*phrases(rules), *listed()]
    made = compiler(ROOT / "models", rules, Grammar.load(rules), Wanted(limit_s=_PATIENT_S)) if model else None
    async with opened(home, made) as pipeline:
        pairs = list(zip(said, await heard(pipeline, said), strict=True))
    rows = [
        [group, *rates([result for item, result in pairs if group in _groups(item)])]
        for group in sorted({group for item in said for group in _groups(item)})
    ]
    print(table(("", "phrases", *_COLUMNS), rows))
    for item, result in [pair for pair in pairs if pair[1].outcome in _OUTCOMES][:show]:
        print(f"{_OUTCOMES[result.outcome]} {result.source} {item.sort}: {item.text!r}: {result.reply!r}")
    if made is not None:
        made.close()
        if (problem := made.problem or made.missing) is not None:
            raise ModelError(problem)  # what is to be measured must not be left out in silence


def _groups(item: Phrase) -> tuple[str, ...]:
    """The rows that a phrase counts in."""
    ours = (f"{item.lang} held out",) if item.sort != "listed" else ()
    return f"{item.lang} {item.bank}", f"{item.lang}, {item.sort}", *ours


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures with the small models, or without."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, nargs="?", default=ROOT / "devices.yaml")
    parser.add_argument("--no-model", action="store_true", help="the grammar alone")
    parser.add_argument("--show", type=int, default=0, help="so many of what is not left alone")
    args = parser.parse_args(arguments)
    asyncio.run(measured(args.home, args.show, model=not args.no_model))
    return 0


if __name__ == "__main__":
    sys.exit(main())
