"""How good the models are on held-out banks, and the calibration that follows from it.

    python -m models.train.score --data models/train/work --model models/tagger [--second models/decoder] --fit

With --fit, writes `calibration.json`: the curve from signs to the chance of being right, and the thresholds; to the
folder of the tagger for the tagger alone, to that of the second model for both together. What is printed for a bank is
measured with a curve fitted on the other banks of its language. Banks called untouched are those by which nothing was
ever chosen; they are measured with the curve of all others.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daemon.compiler.calibration import FILE, Calibration, Prefers
from daemon.compiler.draft import Draft, parse
from daemon.compiler.drafting import Conditions, Drafted, Drafting, Tagging, Writing, followed, signs_of
from daemon.compiler.filling import Filling
from daemon.compiler.loading import decoder_of
from daemon.compiler.meanings import NOTHING, UNSURE, Meanings
from daemon.compiler.tagger import Guess, Tagger
from daemon.core.ir import Lang
from daemon.core.values import replace
from daemon.evaluate.summary import Quantiles
from daemon.system.languages import LANGS
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized
from models.train.effects import does_harm, same_effect

_ROOT = Path(__file__).resolve().parents[2]
_WRONG = 0.005
"""So many of all utterances at most may lead to something else than was wanted, with nobody asked."""
TOGETHER = "both: "
"""What the lines of both models together begin with."""
_BOTHERED = 0.02
"""So many of those that are not for us may lead to a question."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One held-out utterance, what it says, and what each model made of it."""

    text: str
    lang: Lang
    bank: str
    wanted: Drafted
    tagged: Drafted
    written: Drafted | None
    """By the second model, where there is one."""
    tagged_ms: float
    written_ms: float


@dataclass(frozen=True, slots=True)
class Scored:
    """One held-out utterance, and whether the draft that one goes by is right."""

    text: str
    lang: Lang
    bank: str
    wanted: str
    """The meaning, or a verdict."""
    got: str
    exact: bool
    """Whether it is what was wanted, to the last slot."""
    right: bool
    """Whether it comes to the same (`models.train.effects`)."""
    harm: bool
    """Whether something else would be done, with nobody asked."""
    command: bool
    """Whether it is a command, of which a program can be made."""
    signs: tuple[float, ...]
    timid: bool = False
    """Whether it is asked back at most."""
    asks: bool = False
    """Whether it is taken for a question: answered from the threshold for asking back on, it does nothing."""


Score = Callable[[Sequence[Heard], Calibration], list[Scored]]


def heard(
    file: Path, tagger: Tagging, second: Writing | None, drafting: Drafting, meanings: Meanings
) -> Iterator[Heard]:
    """Every held-out utterance with what the models make of it."""
    nobody = NameTable(())
    for text in file.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        said = Normalized(line["text"], LANGS[LANGS.index(line["lang"])], line["text"])
        wanted = drafting.drafted(_guess(parse(line["out"], meanings)), said, nobody)
        began = time.perf_counter()
        tagged = drafting.tagged(tagger, said, nobody)
        between = time.perf_counter()
        written = drafting.written(second, said, nobody, math.inf) if second is not None else None
        ended = time.perf_counter()
        spent = ((between - began) * 1000, (ended - between) * 1000)
        yield Heard(said.text, said.lang, line["bank"], wanted, tagged, written, *spent)


def alone(items: Sequence[Heard]) -> list[Scored]:
    """The score of the tagger."""
    return [_scored(item, item.tagged, item.tagged.guess.signs) for item in items]


def together(items: Sequence[Heard], prefers: Prefers) -> list[Scored]:
    """The score of both; what the second could say nothing of has no signs, and is never taken as said."""
    out = []
    for item in items:
        assert item.written is not None
        chosen = followed(item.tagged, item.written, prefers)
        same = item.tagged.same(item.written)
        signs = () if item.written.draft is None else signs_of(item.tagged, item.written, same=same)
        out.append(_scored(item, chosen, signs))
    return out


def curves_of(items: Sequence[Heard], fit: Callable[[Sequence[Heard]], Calibration]) -> dict[Lang, Calibration]:
    """The curve for each language."""
    return {lang: fit([item for item in items if item.lang == lang]) for lang in LANGS}


def preferred(items: Sequence[Heard]) -> Prefers:
    """Which model is right more often where they differ."""
    ahead = 0
    for item in items:
        if item.written is not None:
            ahead += item.written.same(item.wanted) - item.tagged.same(item.wanted)
    return "decoder" if ahead > 0 else "tagger"


def fitted_together(items: Sequence[Heard]) -> Calibration:
    """As `fitted`, for both."""
    prefers = preferred(items)
    return replace(fitted(together(items, prefers)), prefers=prefers)


def _guess(draft: Draft) -> Guess:
    return Guess(draft, draft.verdict or draft.parts[0].meaning)


def _scored(item: Heard, chosen: Drafted, signs: tuple[float, ...]) -> Scored:
    meaning, command = chosen.guess.meaning, chosen.program is not None
    return Scored(
        item.text,
        item.lang,
        item.bank,
        item.wanted.guess.meaning,
        meaning,
        chosen.same(item.wanted),
        same_effect(item.wanted, chosen),  # that it is vague, or not for us: either way nothing is done
        does_harm(item.wanted, chosen),
        command,
        signs,
        chosen.timid,
        chosen.asks,
    )


def fitted(items: Sequence[Scored]) -> Calibration:
    """The curve and the thresholds for these; a curve that believes nothing where no program was made of any."""
    commands = [item for item in items if item.command and item.signs]
    if not commands:
        return Calibration((), 0.0, 1.0, 1.0)  # it has learnt nothing yet, and is never taken at its word
    signs = np.array([item.signs for item in commands], np.float64).reshape(len(commands), -1)
    right = np.array([item.right for item in commands], np.float64)
    weights, bias = logistic(signs, right)
    curve = Calibration(tuple(weights.tolist()), bias, 1.0, 1.0)
    ranked = sorted(((curve.chance(item.signs), item) for item in commands), key=lambda pair: -pair[0])
    acts = [(chance, item.harm) for chance, item in ranked if not item.timid and not item.asks]
    act = lowest(acts, _WRONG * len(items))
    strangers = sum(item.wanted in (NOTHING, UNSURE) for item in items)
    ask = lowest([(chance, item.wanted in (NOTHING, UNSURE)) for chance, item in ranked], _BOTHERED * strangers)
    return Calibration(curve.weights, curve.bias, round(act, 4), round(min(act, max(ask, 0.3)), 4))


def lowest(ranked: Sequence[tuple[float, bool]], allowed: float) -> float:
    """The lowest chance from which on no more than so many are bad."""
    bad, lowest = 0, 1.0
    for chance, group in groupby(ranked, key=lambda pair: pair[0]):
        bad += sum(wrong for _, wrong in group)  # what is as sure is taken or left together
        if bad > allowed:
            break
        lowest = chance
    return lowest


def logistic(signs: NDArray[np.float64], right: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Logistic regression by Newton's steps, with a little pull towards zero.

    No sign speaks against what it speaks for: those whose weight would be below zero are left out, the lowest first, so
    that a model that has nothing to say never makes anything surer.
    """
    kept = list(range(signs.shape[1]))
    while True:
        x = np.concatenate([signs[:, kept], np.ones((len(signs), 1))], 1)
        weights = np.zeros(x.shape[1])
        pull = np.diag([0.5] * len(kept) + [0.0])
        for _ in range(40):
            p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
            slope = x.T @ (right - p) - pull @ weights
            bend = (x * (p * (1 - p))[:, None]).T @ x + pull + 1e-6 * np.eye(x.shape[1])
            weights = weights + np.linalg.solve(bend, slope)
        if not kept or weights[:-1].min() >= 0:
            break
        kept.pop(int(weights[:-1].argmin()))
    every = np.zeros(signs.shape[1])
    every[kept] = weights[:-1]
    return every, float(weights[-1])


def report(items: Sequence[Scored], curve: Calibration) -> dict[str, float]:
    """The numbers of the model card, in percent."""
    ours = [item for item in items if item.wanted not in (NOTHING, UNSURE)]
    others = [item for item in items if item.wanted in (NOTHING, UNSURE)]
    likely = [item for item in items if item.command and curve.chance(item.signs) >= curve.ask]
    told = [item for item in likely if item.asks]
    acts = [item for item in likely if not item.asks and not item.timid and curve.chance(item.signs) >= curve.act]
    kept, done = ({id(item) for item in some} for some in (likely, (*told, *acts)))
    asks = [item for item in likely if id(item) not in done]

    def share(part: int, whole: int) -> float:
        return round(100 * part / whole, 1) if whole else 0.0

    return {
        "utterances": len(items),
        "exact_ungated": share(sum(item.exact for item in ours), len(ours)),
        "meaning_right": share(sum(item.got == item.wanted for item in ours), len(ours)),
        "acted_right": share(sum(item.right for item in (*acts, *told)), len(ours)),
        "asked_right": share(sum(item.right for item in asks), len(ours)),
        "wrong_acts": share(sum(item.harm for item in acts), len(items)),
        "wrong_answers": share(sum(not item.right for item in told), len(items)),
        "needless_questions": share(sum(item.wanted in (NOTHING, UNSURE) for item in asks), len(others)),
        "not_for_us_left_alone": share(sum(id(item) not in kept for item in others), len(others)),
    }


def numbers_of(
    items: Sequence[Heard],
    score: Score,
    fit: Callable[[Sequence[Heard]], Calibration],
    title: str,
) -> dict[str, dict[str, float]]:
    """The lines of the model card: each bank, with the curve of the others of its language, and each language."""
    found = {}
    for lang, bank in sorted({(item.lang, item.bank) for item in items}):
        mine, rest = (
            [item for item in items if item.lang == lang and (item.bank == bank) is same] for same in (True, False)
        )
        curve = fit(rest or mine)
        found[f"{title}{lang} {bank}"] = report(score(mine, curve), curve)
    for lang, curve in curves_of(items, fit).items():
        found[f"{title}{lang}"] = report(score([item for item in items if item.lang == lang], curve), curve)
    return found


def _apart(
    items: Sequence[Heard],
    score: Score,
    curves: Mapping[Lang, Calibration],
    title: str,
) -> dict[str, dict[str, float]]:
    """The lines of banks by which nothing was chosen."""
    by_lang = {lang: [item for item in items if item.lang == lang] for lang in LANGS}
    return {
        f"{title}untouched {lang}": report(score(mine, curves[lang]), curves[lang])
        for lang, mine in by_lang.items()
        if mine
    }


def told(curve: Calibration) -> dict[str, Any]:
    """A curve as its file has it."""
    weights = [round(item, 5) for item in curve.weights]
    return {
        "weights": weights,
        "bias": round(curve.bias, 5),
        "act": curve.act,
        "ask": curve.ask,
        "prefers": curve.prefers,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for each bank and language, the worst confusions with --show; writes the calibration with --fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the folder of the tagger")
    parser.add_argument("--second", type=Path, help="the folder of the second model")
    parser.add_argument("--chat", action="store_true", help="it is one for conversation")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--show", type=int, default=0, help="so many of what goes wrong surest")
    args = parser.parse_args(arguments)
    meanings, grammar = Meanings.load(_ROOT / "rules"), Grammar.load(_ROOT / "rules")
    filling = Filling(meanings, grammar)
    second = None
    if args.second is not None:
        file = next(iter(sorted(args.second.glob("*.gguf"))))
        second = decoder_of(file, _ROOT / "rules", meanings, filling, chat=args.chat)
    tagger = Tagger(args.model, meanings, grammar.lexicon)
    drafting = Drafting(filling, Conditions.load(_ROOT / "rules"))
    items, untouched = (
        list(heard(args.data / f"{name}.jsonl", tagger, second, drafting, meanings))
        for name in ("heldout", "untouched")
    )
    by_tagger: Score = lambda some, _curve: alone(some)  # noqa: E731 - beside its twin
    by_both: Score = lambda some, curve: together(some, curve.prefers)  # noqa: E731
    curves = {args.model: curves_of(items, lambda some: fitted(alone(some)))}
    numbers = numbers_of(items, by_tagger, lambda some: fitted(alone(some)), "")
    numbers |= _apart(untouched, by_tagger, curves[args.model], "")
    final, last = alone(items), curves[args.model]
    spent = {"tagger": [item.tagged_ms for item in items]}
    if second is not None:
        last = curves[args.second] = curves_of(items, fitted_together)
        numbers |= numbers_of(items, by_both, fitted_together, TOGETHER)
        numbers |= _apart(untouched, by_both, last, TOGETHER)
        final = [item for lang in LANGS for item in by_both([one for one in items if one.lang == lang], last[lang])]
        spent["second"] = [item.written_ms for item in items]
        same = sum(item.signs[-1] for item in final if item.signs) / len(final)
        print(f"where they differ: {', '.join(curve.prefers for curve in last.values())}; the same: {same:.1%}")
    for name, row in numbers.items():
        print(name, json.dumps(row))
    for name, times in spent.items():
        quantiles = Quantiles.of(times)
        print(f"{name}: ms p50 {quantiles.p50:.2f} p95 {quantiles.p95:.2f}")
    wrong = [(last[item.lang].chance(item.signs), item) for item in final if item.command and not item.right]
    for chance, item in sorted(wrong, key=lambda pair: -pair[0])[: args.show]:
        print(f"{chance:.3f} {item.bank}: {item.text!r} is {item.wanted}, not {item.got}")
    if args.show:
        print(Counter((item.wanted, item.got) for item in final if item.wanted != item.got).most_common(25))
    if args.fit:
        for folder, found in curves.items():
            data = {lang: told(curve) for lang, curve in found.items()}
            (folder / FILE).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        (args.data / "scores.json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
