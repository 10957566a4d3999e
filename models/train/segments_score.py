"""How well the segmenter cuts what it never learnt from; writes its card.

    python -m models.train.segments_score --data models/train/work --model models/segmenter

A *word* is a Latin word or a Chinese character. What leans on an order counts as of that order, and whether it begins a
clause of its own is not counted.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from daemon.compiler.draft import pieces
from daemon.compiler.segmenter import CORRECTS, FILE, GOES_ON, ORDER, TALK, WAITS, Segment, Segmenter
from daemon.core.thresholds import Thresholds
from daemon.system.languages import LANGS
from models.train.segments import FILES
from models.train.viterbi import segments as cut

_CARD: Final = """\
# The segmenter

A small encoder that tells the clauses of an utterance: where each begins, and whether it is an order, a question,
talk, what an order waits for, or what takes one back. docs/models.md says what becomes of that. It begins with six of
the twelve layers of multilingual-e5-small, and has the tagger's vocabulary. Licence: as the project; that of what it
begins with is MIT, in ../tagger/LICENCE-multilingual-e5-small.

- Learnt from: {pairs_seen} utterances, composed of phrases of the banks and of what people say around orders
  (models/train/remarks); seed {seed}.
- Scored on: {total} utterances composed of held-out phrases, banks and remarks.
- Trained: {minutes} minutes, {steps} steps ({passes} passes), on {device} (x86_64, 2 cores).
- Size: {weights} weights; {size:.1f} MB, and the vocabulary of the tagger.
- Time on one thread of an x86 server: p50 {p50:.1f} ms, p95 {p95:.1f} ms an utterance.

Percent, of words, of beginnings and of whole utterances:

| | number | sorts | begins | begun right | all right | talk out | orders out | waits | held up | corrects | amiss |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

Begins: the beginnings of orders and questions behind something else that were found. Out is what is surely
talk (`talk` in daemon/core/thresholds.py): of the words of talk, and of those of orders and questions. Waits: of the
utterances in which an order waits for something, or depends on it, those of which that was found (`waits` there). Held
up: of the others, those that were taken for such. Corrects: of the words that take something back, those that were
found (`corrects` there); amiss: such that were found where there are none, by utterances.
"""


def scored(segmenter: Segmenter, lines: Sequence[dict[str, Any]]) -> Counter[str]:
    """What becomes of the utterances, counted; `ms` is a list of its own."""
    found: Counter[str] = Counter()
    sure = Thresholds().talk
    for line in lines:
        text, clauses = line["text"], [(start, sort) for start, sort in line["clauses"]]
        segments = cut(segmenter, text)
        if not segments:
            continue
        found["utterances"] += 1
        begun = {item.start for item in segments[1:]}
        loose = {start for at, (start, _) in enumerate(clauses) if at and WAITS in (clauses[at - 1][1], clauses[at][1])}
        wanted = {start for at, (start, sort) in enumerate(clauses) if at and sort not in (TALK, GOES_ON)} - loose
        leaning = {start for start, sort in clauses if sort == GOES_ON} | loose
        found["wanted"] += len(wanted)
        found["found"] += len(wanted & begun)
        said = {item.start for item in segments[1:] if item.sort != TALK} - leaning
        found["begun"] += len(said)
        found["right"] += len(said & wanted)
        whole = True
        for low, _ in pieces(text):
            true = next(sort for start, sort in reversed(clauses) if start <= low)
            true = ORDER if true == GOES_ON else true
            told = next(item for item in reversed(segments) if item.start <= low)
            found["words"] += 1
            found["sorted"] += told.sort == true
            whole = whole and told.sort == true
            found["talk"] += true == TALK
            found["lost"] += true != TALK and _is_left(told, sure)
            found["left"] += true == TALK and _is_left(told, sure)
        found["whole"] += whole
        waits = any(sort == WAITS for _, sort in clauses)
        standing = segmenter.standing(text)
        heard = standing.waits is not None and standing.waits.chance >= Thresholds().waits
        found["waiting"] += waits
        found["waited"] += waits and heard
        found["at once"] += not waits
        found["held up"] += heard and not waits
        bounds = [*(start for start, _ in clauses), len(text)]
        marks = [(start, end) for (start, sort), end in zip(clauses, bounds[1:], strict=True) if sort == CORRECTS]
        told_back = [item for item in standing.corrects if item.chance >= Thresholds().corrects]
        found["marks"] += len(marks)
        found["marked"] += sum(any(_overlap(mark, item) for item in told_back) for mark in marks)
        found["mismarked"] += sum(not any(_overlap(mark, item) for mark in marks) for item in told_back)
    return found


def _overlap(mark: tuple[int, int], segment: Segment) -> bool:
    return min(mark[1], segment.end) > max(mark[0], segment.start)


def _is_left(segment: Segment, sure: float) -> bool:
    return segment.sort == TALK and segment.chance >= sure


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table, and writes it into the card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    args = parser.parse_args(arguments)
    segmenter = Segmenter(args.model)
    every = [json.loads(line) for line in (args.data / FILES[True]).read_text(encoding="utf-8").splitlines()]
    rows = []
    for lang in LANGS:
        found = scored(segmenter, [line for line in every if line["lang"] == lang])
        shares = (
            found["sorted"] / found["words"],
            found["found"] / found["wanted"],
            found["right"] / found["begun"],
            found["whole"] / found["utterances"],
            found["left"] / found["talk"],
            found["lost"] / (found["words"] - found["talk"]),
            found["waited"] / found["waiting"],
            found["held up"] / found["at once"],
            found["marked"] / found["marks"],
            found["mismarked"] / found["utterances"],
        )
        rows.append(
            f"| {lang} | {found['utterances']} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |"
        )
    times = sorted(_seconds(segmenter, line["text"]) for line in every[:: max(1, len(every) // 400)])
    told = json.loads((args.data / "segmenter_training.json").read_text(encoding="utf-8"))
    size = (args.model / FILE).stat().st_size / 1e6
    card = _CARD.format(
        **told, total=len(every), size=size, rows="\n".join(rows),
        p50=1000 * times[len(times) // 2], p95=1000 * times[len(times) * 19 // 20],
    )  # fmt: skip
    print(card)
    (args.model / "MODEL_CARD.md").write_text(card, encoding="utf-8")
    return 0


def _seconds(segmenter: Segmenter, text: str) -> float:
    began = time.thread_time()
    cut(segmenter, text)
    return time.thread_time() - began


if __name__ == "__main__":
    raise SystemExit(main())
