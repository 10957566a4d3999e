"""How good the model of follow-ups is on banks that it has not learnt from, and the calibration that follows from it.

    python -m models.train.followups_score --data models/train/work --model models/followups

Writes `calibration.json` and the card. Half of the held-out phrases of a language fit the curve by which
the other half is scored; the curve that is kept is that of all.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from daemon.compiler.calibration import FILE, Calibration
from daemon.compiler.draft import Draft, parse
from daemon.compiler.followups import OPEN, FollowUps, Topic
from daemon.compiler.tagger import FILES, Tagger
from daemon.core.ir import Lang
from daemon.core.values import replace
from daemon.system.languages import LANGS
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize
from models.train.followups import FOLDER
from models.train.generate import SIZES
from models.train.score import logistic, lowest, told

_ROOT: Final = Path(__file__).resolve().parents[2]
_WRONG: Final = 0.01
"""So many of all utterances at most may be taken for something else, mostly for a word too many in a name, ..."""
_BOTHERED: Final = 0.03
"""... and so many of those that are no follow-ups may be asked about."""

_CARD: Final = """# The model of follow-ups

A small encoder that tells what goes on from what was just done, told, kept or asked, however it is put: which of
rules/followups.yaml is meant, and which words fill its slots. docs/models.md says what becomes of that. It goes on from
the tagger, and has its vocabulary. Licence: as the project; that of what it begins with is MIT, in
../tagger/LICENCE-multilingual-e5-small.

- Learnt from: {learnt_from}, as {pairs} generated pairs; seed {seed}.
- Scored on: {heldout}, written apart, and on held-out phrases that are no follow-ups.
- Trained: {minutes} minutes, {steps} steps ({passes} passes), on {device}.
- Size: {weights} weights; {size:.1f} MB, and the vocabulary of the tagger.
- Thresholds, taken as said and asked back: {bars}.
- Time on one thread of an x86 server: p50 {p50:.1f} ms, p95 {p95:.1f} ms an utterance.

Percent; each half of a language with a curve that was fitted on the other:

{rows}
"""


@dataclass(frozen=True, slots=True)
class Scored:
    """One held-out utterance."""

    text: str
    wanted: object
    """What its plain words say to the grammar, or, of an answer, they themselves; nothing where it is no follow-up."""
    got: object
    signs: tuple[float, ...]

    @property
    def right(self) -> bool:
        """Whether it was taken for what was meant."""
        return self.wanted == self.got


def scored(file: Path, tagger: Tagger, followups: FollowUps, grammar: Grammar, lang: Lang) -> list[Scored]:
    """What the model makes of each line of a language."""

    def said(draft: Draft | None, topic: Topic) -> object:
        if draft is None or draft.verdict is not None or not followups.fits(draft, topic):
            return None
        ways = followups.words(draft, lang)
        if topic.state in OPEN:
            return ways[0]
        each = ([grammar.read(normalize(one, lang), NameTable(())) for one in way.split("; ")] for way in ways)
        read = next((programs for programs in each if all(programs)), ())
        return tuple(program[0].clauses for program in read) or None

    found = []
    for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        if line["lang"] == lang:
            state, sort, _ = line["text"].split(" ", 2)
            topic, guess = Topic(state, sort), tagger.guess(line["text"])
            wanted = said(parse(line["out"], followups.meanings), topic)
            if wanted is not None or parse(line["out"], followups.meanings).verdict is not None:
                found.append(Scored(line["text"], wanted, said(guess.draft, topic), guess.signs))
    return found


def fitted(items: Sequence[Scored]) -> Calibration:
    """The curve and the thresholds for these."""
    drafted = [item for item in items if item.got]
    weights, bias = logistic(
        np.array([item.signs for item in drafted], np.float64), np.array([item.right for item in drafted], np.float64)
    )
    curve = Calibration(tuple(weights.tolist()), bias, 1.0, 1.0)
    ranked = sorted(((curve.chance(item.signs), item) for item in drafted), key=lambda pair: -pair[0])
    act = lowest([(chance, not item.right) for chance, item in ranked], _WRONG * len(items))
    strangers = sum(not item.wanted for item in items)
    ask = lowest([(chance, not item.wanted) for chance, item in ranked], _BOTHERED * strangers)
    return replace(curve, act=round(act, 4), ask=round(min(act, max(ask, 0.3)), 4))


def report(items: Sequence[Scored], curve: Calibration) -> dict[str, float]:
    """In percent."""
    ours, others = [item for item in items if item.wanted], [item for item in items if not item.wanted]
    chances = {id(item): curve.chance(item.signs) if item.got else 0.0 for item in items}

    def share(some: Sequence[Scored], whole: Sequence[Scored]) -> float:
        return round(100 * len(some) / len(whole), 1) if whole else 0.0

    acted = [item for item in items if chances[id(item)] >= curve.act]
    asked = [item for item in items if curve.ask <= chances[id(item)] < curve.act]
    return {
        "utterances": len(items),
        "right_ungated": share([item for item in ours if item.right], ours),
        "taken_right": share([item for item in acted if item.right], ours),
        "asked_right": share([item for item in asked if item.right], ours),
        "taken_wrong": share([item for item in acted if not item.right], items),
        "others_left_alone": share([item for item in others if chances[id(item)] < curve.ask], others),
    }


def _seconds(tagger: Tagger, text: str) -> float:
    began = time.thread_time()
    tagger.guess(text)
    return time.thread_time() - began


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for each language, the worst with --show; writes the calibration and the scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--show", type=int, default=0, help="so many of what goes wrong surest")
    args = parser.parse_args(arguments)
    followups, grammar = FollowUps.load(_ROOT / "rules"), Grammar.load(_ROOT / "rules")
    tagger = Tagger(args.model, followups.meanings, grammar.lexicon)
    curves, scores, every = {}, {}, []
    for lang in LANGS:
        items = scored(args.data / FOLDER / "heldout.jsonl", tagger, followups, grammar, lang)
        every += items[::10]
        halves = items[::2], items[1::2]
        rows = [report(mine, fitted(rest)) for mine, rest in (halves, halves[::-1])]
        scores[lang] = {name: round(sum(row[name] for row in rows) / len(rows), 1) for name in rows[0]}
        scores[lang]["utterances"] = len(items)
        curve = curves[lang] = fitted(items)
        print(lang, json.dumps(scores[lang]), f"act {curve.act} ask {curve.ask}")
        wrong = sorted((item for item in items if not item.right), key=lambda item: -curve.chance(item.signs))
        for item in wrong[: args.show]:
            print(f"  {curve.chance(item.signs):.2f} {item.text!r}: {item.got!r}, not {item.wanted!r}")
    (args.model / FILE).write_text(
        json.dumps({lang: told(item) for lang, item in curves.items()}) + "\n", encoding="utf-8"
    )
    seconds = sorted(_seconds(tagger, item.text) for item in every)
    trained = json.loads((args.data / f"{FOLDER}_training.json").read_text(encoding="utf-8"))
    sizes = json.loads((args.data / FOLDER / SIZES).read_text(encoding="utf-8"))
    head = "| | " + " | ".join(name.replace("_", " ") for name in scores[LANGS[0]]) + " |"
    rows = [f"| {lang} | " + " | ".join(str(value) for value in row.values()) + " |" for lang, row in scores.items()]
    line = "| --- " * (len(scores[LANGS[0]]) + 1) + "|"
    text = _CARD.format(
        **trained, heldout=sizes["heldout"], rows="\n".join((head, line, *rows)),
        size=sum((args.model / name).stat().st_size for name in FILES) / 1e6,
        bars="; ".join(f"{lang} {curve.act} and {curve.ask}" for lang, curve in curves.items()),
        p50=1000 * seconds[len(seconds) // 2], p95=1000 * seconds[len(seconds) * 19 // 20],
    )  # fmt: skip
    (args.model / "MODEL_CARD.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
