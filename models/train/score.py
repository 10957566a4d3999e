"""How good a model is on held-out banks, and the calibration that follows from it.

    python -m models.train.score --data models/train/work --model models/tagger --fit

With --fit, writes `calibration.json`: the curve from signs to the chance of being right, and the thresholds. What is
printed for a bank is measured with a curve fitted on the other banks of its language and on the banks of the other one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from daemon.compiler.calibration import FILE, Calibration
from daemon.compiler.draft import Draft, parse
from daemon.compiler.filling import Filling
from daemon.compiler.meanings import NOTHING, UNSURE, Meanings
from daemon.compiler.tagger import Tagger
from daemon.errors import IRError
from daemon.ir import LANGS, Clause, Lang
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized

_ROOT = Path(__file__).resolve().parents[2]
_WRONG = 0.01
"""So many of all utterances at most may be taken for another command than they are."""
_BOTHERED = 0.02
"""So many of those that are not for us may lead to a question."""
_SIGNS = 6


@dataclass(frozen=True, slots=True)
class Scored:
    """One held-out utterance, and what the model made of it."""

    text: str
    lang: str
    bank: str
    wanted: str
    """The meaning, or a verdict."""
    got: str
    exact: bool
    command: bool
    """Whether the model drafted a command, of which a program can be made."""
    signs: tuple[float, ...]
    ms: float


class Judge:
    """Compares drafts by the programs that become of them."""

    def __init__(self, meanings: Meanings, grammar: Grammar) -> None:
        self._filling = Filling(meanings, grammar)

    def clauses(self, draft: Draft, text: str, lang: Lang) -> tuple[Clause, ...] | None:
        """What a draft does; nothing where it is a verdict, None where no program can be made of it."""
        if draft.verdict is not None:
            return ()
        try:
            return self._filling.program(draft, Normalized(text, lang, text), NameTable(())).clauses
        except IRError:
            return None


def scored(file: Path, tagger: Tagger, judge: Judge, meanings: Meanings) -> list[Scored]:
    """Every held-out utterance with its score."""
    out = []
    for text in file.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        wanted = parse(line["out"], meanings)
        lang: Lang = LANGS[LANGS.index(line["lang"])]
        began = time.perf_counter()
        guess = tagger.guess(line["text"])
        ms = (time.perf_counter() - began) * 1000
        made = judge.clauses(guess.draft, line["text"], lang) if guess.draft is not None else None
        name = wanted.verdict or wanted.parts[0].meaning
        same = made is not None and made == judge.clauses(wanted, line["text"], lang)
        if guess.draft is not None and guess.draft.verdict is not None and wanted.verdict is not None:
            same = True  # that it is vague, or not for us: either way nothing is done
        out.append(Scored(line["text"], lang, line["bank"], name, guess.meaning, same, bool(made), guess.signs, ms))
    return out


def fitted(items: Sequence[Scored]) -> Calibration:
    """The curve and the thresholds for these."""
    commands = [item for item in items if item.command]
    signs = np.array([item.signs for item in commands], np.float64).reshape(len(commands), _SIGNS)
    right = np.array([item.exact for item in commands], np.float64)
    weights, bias = _logistic(signs, right)
    curve = Calibration(tuple(weights.tolist()), bias, 1.0, 1.0)
    ranked = sorted(((curve.chance(item.signs), item) for item in commands), key=lambda pair: -pair[0])
    act = _lowest([(chance, not item.exact) for chance, item in ranked], _WRONG * len(items))
    strangers = sum(item.wanted in (NOTHING, UNSURE) for item in items)
    ask = _lowest([(chance, item.wanted in (NOTHING, UNSURE)) for chance, item in ranked], _BOTHERED * strangers)
    return Calibration(curve.weights, curve.bias, round(act, 4), round(min(act, max(ask, 0.3)), 4))


def _lowest(ranked: Sequence[tuple[float, bool]], allowed: float) -> float:
    """The lowest chance from which on no more than so many are bad."""
    bad, lowest = 0, 1.0
    for chance, group in groupby(ranked, key=lambda pair: pair[0]):
        bad += sum(wrong for _, wrong in group)  # what is as sure is taken or left together
        if bad > allowed:
            break
        lowest = chance
    return lowest


def _logistic(signs: NDArray[np.float64], right: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Logistic regression by Newton's steps, with a little pull towards zero."""
    x = np.concatenate([signs, np.ones((len(signs), 1))], 1)
    weights = np.zeros(x.shape[1])
    pull = np.diag([0.5] * signs.shape[1] + [0.0])
    for _ in range(40):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (right - p) - pull @ weights
        bend = (x * (p * (1 - p))[:, None]).T @ x + pull + 1e-6 * np.eye(x.shape[1])
        weights = weights + np.linalg.solve(bend, slope)
    return weights[:-1], float(weights[-1])


def report(items: Sequence[Scored], curve: Calibration) -> dict[str, float]:
    """The numbers of the model card, in percent."""
    ours = [item for item in items if item.wanted not in (NOTHING, UNSURE)]
    others = [item for item in items if item.wanted in (NOTHING, UNSURE)]
    acts = [item for item in items if item.command and curve.chance(item.signs) >= curve.act]
    asks = [item for item in items if item.command and curve.ask <= curve.chance(item.signs) < curve.act]
    kept = {id(item) for item in (*acts, *asks)}

    def share(part: int, whole: int) -> float:
        return round(100 * part / whole, 1) if whole else 0.0

    return {
        "utterances": len(items),
        "exact_ungated": share(sum(item.exact for item in ours), len(ours)),
        "meaning_right": share(sum(item.got == item.wanted for item in ours), len(ours)),
        "acted_right": share(sum(item.exact for item in acts), len(ours)),
        "asked_right": share(sum(item.exact for item in asks), len(ours)),
        "wrong_acts": share(sum(not item.exact for item in acts), len(items)),
        "needless_questions": share(sum(item.wanted in (NOTHING, UNSURE) for item in asks), len(others)),
        "not_for_us_left_alone": share(sum(id(item) not in kept for item in others), len(others)),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for each bank and language, the worst confusions with --show; writes the calibration with --fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--show", type=int, default=0, help="so many of what goes wrong surest")
    args = parser.parse_args(arguments)
    meanings, grammar = Meanings.load(_ROOT / "rules"), Grammar.load(_ROOT / "rules")
    items = scored(
        args.data / "heldout.jsonl", Tagger(args.model, meanings, grammar.lexicon), Judge(meanings, grammar), meanings
    )
    banks = sorted({(item.lang, item.bank) for item in items})
    numbers = {}
    for lang, bank in banks:
        mine = [item for item in items if (item.lang, item.bank) == (lang, bank)]
        rest = [item for item in items if (item.lang, item.bank) != (lang, bank)]
        numbers[f"{lang} {bank}"] = report(mine, fitted(rest or mine))
    for lang in LANGS:
        numbers[lang] = report([item for item in items if item.lang == lang], fitted(items))
    for name, row in numbers.items():
        print(name, json.dumps(row))
    spent = sorted(item.ms for item in items)
    print(f"ms p50 {spent[len(spent) // 2]:.2f} p95 {spent[len(spent) * 95 // 100]:.2f}")
    curve = fitted(items)
    wrong = sorted(
        (item for item in items if item.command and not item.exact), key=lambda item: -curve.chance(item.signs)
    )
    for item in wrong[: args.show]:
        print(f"{curve.chance(item.signs):.3f} {item.bank}: {item.text!r} is {item.wanted}, not {item.got}")
    if args.show:
        print(Counter((item.wanted, item.got) for item in items if item.wanted != item.got).most_common(25))
    if args.fit:
        data = {"weights": [round(item, 5) for item in curve.weights], "bias": round(curve.bias, 5)}
        data |= {"act": curve.act, "ask": curve.ask}
        (args.model / FILE).write_text(json.dumps(data) + "\n", encoding="utf-8")
        (args.data / "scores.json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
