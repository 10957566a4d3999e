"""Trains the tagger and the decoder on generated pairs, and exports them.

    python -m models.train.train --data models/train/work --out models/tagger --only tagger

Takes the pairs of `models.train.generate`. The tagger begins with layers of a public teacher
(`models.train.teacher`), the decoder with nothing. Uses a GPU where there is one. The length of a run is told in passes
over the pairs, so that a seed gives the same weights on the same machine.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from daemon.compiler.draft import Labels, led
from daemon.compiler.followups import FollowUps
from daemon.compiler.meanings import Meanings
from daemon.compiler.vocabulary import TABLE, TOKENIZER
from models.train.data import Example, Examples
from models.train.export import segmenter_to_onnx, to_gguf, to_onnx, weights_of
from models.train.followups import FOLDER
from models.train.generate import SIZES
from models.train.nets import Decoder, Shape
from models.train.pieces import Pieces
from models.train.segmenter_net import Example as SegmentExample
from models.train.segmenter_net import Examples as Segments
from models.train.segmenter_net import Segmenter, rows_of
from models.train.tagger_net import Tagger
from models.train.teacher import Teacher
from models.train.tokens import SIZE, trained

_ROOT = Path(__file__).resolve().parents[2]
_WARM: Final = 0.04
"""The share of the time in which the step size rises."""
_NEW: Final = 2.5
"""So many times faster is learnt what the teacher knows nothing of."""
_SHOWN_S: Final = 60

Told: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """How something is learnt."""

    passes: float
    """Over the pairs."""
    rate: float
    """Of learning, at its highest."""
    tokens: int
    """In a batch."""
    seed: int
    half: bool
    """Whether it is computed in bfloat16, where the processor is good at it."""
    device: str


def fit(
    model: nn.Module,
    examples: Examples,
    loss_of: Callable[[list[Example]], Tensor],
    plan: Plan,
    *,
    answers: bool,
    new: Sequence[nn.Parameter] = (),
) -> dict[str, Any]:
    """Trains for the plan's passes; returns what the card tells.

    Args:
        model: What learns.
        examples: From what.
        loss_of: How wrong it is on a batch.
        plan: How.
        answers: Whether the answers are in its batches.
        new: What learns faster than the rest, which somebody taught before.
    """
    rng = random.Random(plan.seed)
    fast = {id(item) for item in new}
    known = [item for item in model.parameters() if item.requires_grad and id(item) not in fast]
    groups = [{"params": known, "rate": plan.rate}, {"params": list(new), "rate": plan.rate * _NEW}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.05, betas=(0.9, 0.98))
    total = plan.passes * len(examples.all)
    began = shown = time.monotonic()
    seen, steps, smooth = 0, 0, 0.0
    model.train()
    while seen < total:
        for batch in examples.batches(rng, plan.tokens, answers=answers):
            done = seen / total
            if done >= 1:
                break
            pace = min(done / _WARM, 1.0) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * done)))
            for group in optimizer.param_groups:
                group["lr"] = group["rate"] * max(pace, 0.01)
            with torch.autocast(plan.device, dtype=torch.bfloat16, enabled=plan.half):
                loss = loss_of(batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            seen, steps = seen + len(batch), steps + 1
            smooth = loss.item() if steps == 1 else 0.98 * smooth + 0.02 * loss.item()
            if not math.isfinite(smooth):
                raise FloatingPointError(f"the loss is {smooth} after {steps} steps")
            now = time.monotonic()
            if now - shown > _SHOWN_S:
                shown = now
                print(f"  {done:5.1%}  {seen} pairs  loss {smooth:.4f}  {seen / (now - began):.0f} pairs/s", flush=True)
    minutes = round((time.monotonic() - began) / 60, 1)
    model.cpu().eval()
    return {
        "pairs_seen": seen,
        "steps": steps,
        "minutes": minutes,
        "loss": round(smooth, 4),
        "weights": weights_of(model),
    }


def train_decoder(args: argparse.Namespace, plan: Plan, lines: Sequence[dict[str, str]], meanings: Meanings) -> Told:
    """The model that writes a draft as text."""
    tokenizer = trained((led(line["text"]) for line in lines), meanings.words, args.vocabulary)
    vocabulary = args.data / "decoder.tokenizer.json"
    tokenizer.save(str(vocabulary))
    examples = Examples(lines, tokenizer, meanings)
    width = args.width
    shape = Shape(args.vocabulary, width, args.layers, width // 32, width // 64, width * 5 // 2)
    model = Decoder(shape).to(plan.device)

    def loss_of(batch: list[Example]) -> Tensor:
        inputs, targets, weights = (item.to(plan.device) for item in examples.whole(batch))
        at = weights.flatten().nonzero().squeeze(1)
        logits = model.hidden(inputs).flatten(0, 1)[at] @ model.token_embd.weight.T
        losses = F.cross_entropy(logits.float(), targets.flatten()[at], reduction="none")
        chosen = weights.flatten()[at]
        return (losses * chosen).sum() / chosen.sum()

    told = fit(model, examples, loss_of, plan, answers=True)
    torch.save(model.state_dict(), args.data / "decoder.pt")
    to_gguf(model, tokenizer, vocabulary, args.out / "compiler.gguf", list(meanings.words))
    return told


def train_tagger(args: argparse.Namespace, plan: Plan, lines: Sequence[dict[str, str]], meanings: Meanings) -> Told:
    """The model that tells the meaning of an utterance, and which of its words fill what."""
    teacher = Teacher.load()
    pieces = Pieces.chosen(teacher, lines, meanings, args.wordnet)
    tokenizer = pieces.tokenizer()
    tokenizer.save(str(args.out / TOKENIZER), pretty=False)
    (args.out / TABLE).unlink(missing_ok=True)
    examples = Examples(lines, tokenizer, meanings)
    model = Tagger(teacher, pieces.rows, args.layers, _sizes(examples.labels)).to(plan.device)
    told = fit(
        model, examples, partial(_tagger_loss, args, plan, examples, model), plan, answers=False, new=model.new()
    )
    torch.save(model.state_dict(), args.data / "tagger.pt")
    to_onnx(model, examples.labels, args.out / "tagger.onnx", args.out)
    return told


def train_followups(args: argparse.Namespace, plan: Plan, lines: Sequence[dict[str, str]], meanings: Meanings) -> Told:
    """The tagger of follow-ups: its vocabulary is the tagger's, and it goes on from what that has learnt."""
    teacher = Teacher.load()
    tokenizer = Tokenizer.from_file(str(args.vocabulary_of / TOKENIZER))
    examples = Examples(lines, tokenizer, meanings)
    model = Tagger(teacher, rows_of(tokenizer, teacher), args.layers, _sizes(examples.labels)).to(plan.device)
    known = torch.load(args.data / "tagger.pt", map_location=plan.device)
    own = ("words.", "heads.")
    model.load_state_dict({name: value for name, value in known.items() if not name.startswith(own)}, strict=False)
    told = fit(
        model, examples, partial(_tagger_loss, args, plan, examples, model), plan, answers=False, new=model.new()
    )
    torch.save(model.state_dict(), args.data / "followups.pt")
    to_onnx(model, examples.labels, args.out / "tagger.onnx", args.vocabulary_of)
    return told


def _sizes(labels: Labels) -> list[int]:
    return [len(getattr(labels, head)) for head in ("meaning", "frame", "second", "tag", "kind")]


def _tagger_loss(
    args: argparse.Namespace, plan: Plan, examples: Examples, model: Tagger, batch: list[Example]
) -> Tensor:
    tokens, present, heads, tags, kinds = (item.to(plan.device) for item in examples.prompts(batch))
    # A token may be lost in hearing: whoever looks at one word alone is to be wrong now and then.
    kept = present * (torch.rand(tokens.shape, device=plan.device) >= args.lose).float()
    kept[:, 0] = 1.0
    found = [item.float() for item in model(tokens, kept)]
    loss = 0.3 * _error(found[3].flatten(0, 1), tags.flatten())
    loss = loss + 0.1 * _error(found[4].flatten(0, 1), kinds.flatten())
    for at, weight in enumerate((0.3, 0.1, 0.1)):
        loss = loss + weight * _error(found[at], heads[:, at], smoothed=0.03)
    return loss


def train_segmenter(args: argparse.Namespace, plan: Plan, lines: Sequence[dict[str, str]], meanings: Meanings) -> Told:
    """The model that tells the clauses of a long utterance; its vocabulary is the tagger's."""
    del lines, meanings
    teacher = Teacher.load()
    tokenizer = Tokenizer.from_file(str(args.vocabulary_of / TOKENIZER))
    examples = Segments(args.data / "segments.jsonl", tokenizer)
    model = Segmenter(teacher, rows_of(tokenizer, teacher), args.layers, examples.pad).to(plan.device)

    def loss_of(batch: list[SegmentExample]) -> Tensor:
        tokens, paused, sorts, begins = (item.to(plan.device) for item in examples.tensors(batch))
        lost = torch.rand(tokens.shape, device=plan.device) < args.lose / 2
        unknown = torch.full_like(tokens, examples.unknown)
        kept = torch.where(lost & (begins >= 0), unknown, tokens)
        sort, begin = (item.float().flatten(0, 1) for item in model(kept, paused))
        return _error(sort, sorts.flatten()) + _error(begin, begins.flatten())

    told = fit(model, examples, loss_of, plan, answers=False, new=model.new())
    torch.save(model.state_dict(), args.data / "segmenter.pt")
    segmenter_to_onnx(model, args.out / "segmenter.onnx", args.vocabulary_of)
    return told


def _error(logits: Tensor, wanted: Tensor, *, smoothed: float = 0.0) -> Tensor:
    """Cross entropy over what is wanted somewhere (-1: nothing is); none at all where nothing is."""
    every = F.cross_entropy(logits, wanted, ignore_index=-1, label_smoothing=smoothed, reduction="sum")
    return every / (wanted >= 0).sum().clamp_min(1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains, exports, and writes what was done to `NAME_training.json`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", choices=sorted(_TRAINERS), required=True)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), help="words that the tagger keeps")
    parser.add_argument("--passes", type=float, help="over the pairs")
    parser.add_argument("--width", type=int, default=192, help="of the decoder")
    parser.add_argument("--layers", type=int, help="of the decoder; of the teacher that the others keep")
    parser.add_argument("--vocabulary", type=int, default=SIZE, help="tokens of the decoder")
    parser.add_argument(
        "--vocabulary-of", type=Path, default=_ROOT / "models" / "tagger", help="the tagger, for the others"
    )
    parser.add_argument("--threads", type=int, default=0, help="0: as many as torch likes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--tokens", type=int, help="in a batch")
    parser.add_argument("--lose", type=float, default=0.12, help="the share of tokens that the tagger does not get")
    parser.add_argument("--half", action=argparse.BooleanOptionalAction, default=True, help="compute in bfloat16")
    args = parser.parse_args(arguments)
    torch.manual_seed(args.seed)
    if args.threads:
        torch.set_num_threads(args.threads)
    passes, tokens, rate, layers = _PLANS[args.only]
    args.layers = args.layers or layers
    plan = Plan(
        args.passes or passes,
        args.rate or rate,
        args.tokens or tokens,
        args.seed,
        args.half,
        "cuda" if torch.cuda.is_available() else "cpu",
    )
    args.out.mkdir(parents=True, exist_ok=True)
    follows, rules = args.only == FOLDER, _ROOT / "rules"
    made = args.data / FOLDER if follows else args.data
    lines = [json.loads(line) for line in (made / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    print(f"{len(lines)} pairs, on {plan.device}", flush=True)
    told = _TRAINERS[args.only](args, plan, lines, FollowUps.load(rules).meanings if follows else Meanings.load(rules))
    sizes = json.loads((made / SIZES).read_text(encoding="utf-8"))
    told |= {
        "learnt_from": sizes["train"],
        "pairs": len(lines),
        "passes": plan.passes,
        "seed": plan.seed,
        "device": plan.device,
    }
    print(told, flush=True)
    (args.data / f"{args.only}_training.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 0


_PLANS: Final = {
    "decoder": (0.9, 2048, 1.5e-3, 4),
    "tagger": (1.0, 1024, 4e-4, 4),
    "segmenter": (1.0, 2048, 4e-4, 6),
    FOLDER: (1.0, 1024, 2e-4, 4),
}
"""Passes over the pairs, tokens in a batch, the rate of learning and layers: what a slow machine has the time for."""
_TRAINERS: Final[dict[str, Callable[[argparse.Namespace, Plan, Sequence[dict[str, str]], Meanings], Told]]] = {
    "decoder": train_decoder,
    "tagger": train_tagger,
    "segmenter": train_segmenter,
    FOLDER: train_followups,
}


if __name__ == "__main__":
    sys.exit(main())
