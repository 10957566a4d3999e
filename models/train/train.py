"""Trains both models on generated pairs, and exports them.

    python -m models.train.train --data models/train/work --out models/tagger --minutes 25

Takes the pairs of `models.train.generate`. Uses a GPU where there is one. Each model is saved now and then under the
data folder, and goes on from there with --resume.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from daemon.compiler.draft import led
from daemon.compiler.meanings import Meanings
from models.train.data import Example, Examples
from models.train.export import to_gguf, to_onnx, weights_of
from models.train.nets import Decoder, Shape, Tagger
from models.train.tokens import SIZE, trained

_ROOT = Path(__file__).resolve().parents[2]
_WARM = 0.04
"""The share of the time in which the step size rises."""


def fit(
    model: nn.Module,
    examples: Examples,
    loss_of: Callable[[list[Example]], Tensor],
    minutes: float,
    *,
    rate: float,
    tokens: int,
    seed: int,
    save: Path,
    answers: bool,
    passes: float,
) -> dict[str, Any]:
    """Trains for so many minutes or passes over the pairs, whichever ends first; returns what the card tells."""
    rng = random.Random(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.05, betas=(0.9, 0.98))
    began = saved = time.monotonic()
    seen, steps, shown, smooth = 0, 0, began, 0.0
    while True:
        for batch in examples.batches(rng, tokens, answers=answers):
            spent = time.monotonic() - began
            done = max(spent / (60 * minutes), seen / (passes * len(examples.all)))
            if done >= 1:
                torch.save(model.state_dict(), save)
                return {"pairs_seen": seen, "steps": steps, "minutes": round(spent / 60, 1), "loss": round(smooth, 4)}
            pace = min(done / _WARM, 1.0) * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * done)))
            for group in optimizer.param_groups:
                group["lr"] = rate * max(pace, 0.01)
            loss = loss_of(batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            seen, steps = seen + len(batch), steps + 1
            smooth = loss.item() if steps == 1 else 0.98 * smooth + 0.02 * loss.item()
            now = time.monotonic()
            if now - shown > 20:
                shown = now
                print(f"  {done:5.1%}  {seen} pairs  loss {smooth:.4f}  {seen / spent:.0f} pairs/s", flush=True)
            if now - saved > 120:
                saved = now
                torch.save(model.state_dict(), save)


def train_decoder(args: argparse.Namespace, examples: Examples, device: str) -> tuple[Decoder, dict[str, Any]]:
    """The model that compiles."""
    shape = Shape(
        args.vocabulary,
        width=args.width,
        layers=args.layers,
        heads=args.width // 32,
        shared=args.width // 64,
        inner=args.width * 5 // 2,
    )
    model = Decoder(shape).to(device)
    save = args.data / "decoder.pt"
    if args.resume and save.exists():
        model.load_state_dict(torch.load(save, map_location=device))
    half = torch.bfloat16 if args.half else torch.float32

    def loss_of(batch: list[Example]) -> Tensor:
        inputs, targets, weights = (item.to(device) for item in examples.whole(batch, args.prompt_weight))
        with torch.autocast(device, dtype=half, enabled=args.half):
            at = weights.flatten().nonzero().squeeze(1)
            x = model.hidden(inputs).flatten(0, 1)[at]
            logits = x @ model.token_embd.weight.T
        losses = F.cross_entropy(logits.float(), targets.flatten()[at], reduction="none")
        chosen = weights.flatten()[at]
        return (losses * chosen).sum() / chosen.sum()

    model.train()
    told = fit(
        model,
        examples,
        loss_of,
        args.minutes,
        rate=args.rate,
        tokens=args.tokens,
        seed=args.seed,
        save=save,
        answers=True,
        passes=args.passes,
    )
    return model.cpu().eval(), told | {"weights": weights_of(model)}


def train_tagger(args: argparse.Namespace, examples: Examples, device: str) -> tuple[Tagger, dict[str, Any]]:
    """The model that tells the meaning of an utterance, and which of its words fill what."""
    labels = examples.labels
    wide = args.tagger_width
    shape = Shape(
        args.vocabulary, wide, args.tagger_layers, wide // 32, wide // 32, wide * 5 // 2, context=128, dropout=0.1
    )
    sizes = [len(getattr(labels, head)) for head in ("meaning", "frame", "second", "tag", "kind")]
    model = Tagger(shape, sizes).to(device)
    save = args.data / "tagger.pt"
    if args.resume and save.exists():
        model.load_state_dict(torch.load(save, map_location=device))

    def loss_of(batch: list[Example]) -> Tensor:
        tokens, present, heads, tags, kinds = (item.to(device) for item in examples.prompts(batch))
        # A token may be lost in hearing: whoever looks at one word alone is to be wrong now and then.
        kept = present * (torch.rand(tokens.shape, device=device) >= args.lose).float()
        kept[:, 0] = 1.0
        found = model(tokens, kept)
        loss = 0.3 * F.cross_entropy(found[3].flatten(0, 1), tags.flatten(), ignore_index=-1)
        for at in range(3):
            loss = loss + (0.3, 0.1, 0.1)[at] * F.cross_entropy(
                found[at], heads[:, at], ignore_index=-1, label_smoothing=0.03
            )
        if (kinds >= 0).any():
            loss = loss + 0.1 * F.cross_entropy(found[4].flatten(0, 1), kinds.flatten(), ignore_index=-1)
        return loss

    model.train()
    told = fit(
        model,
        examples,
        loss_of,
        args.minutes_tagger,
        rate=args.rate,
        tokens=args.tokens,
        seed=args.seed,
        save=save,
        answers=False,
        passes=args.passes,
    )
    return model.cpu().eval(), told | {"weights": weights_of(model)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains, exports, and writes what was done to `training.json`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=25, help="for the decoder, at most")
    parser.add_argument("--minutes-tagger", type=float, default=20)
    parser.add_argument("--tagger-width", type=int, default=128)
    parser.add_argument("--tagger-layers", type=int, default=3)
    parser.add_argument("--vocabulary", type=int, default=SIZE, help="tokens")
    parser.add_argument("--passes", type=float, default=12, help="over the pairs, at most")
    parser.add_argument("--only", choices=("decoder", "tagger"))
    parser.add_argument("--threads", type=int, default=0, help="0: as many as torch likes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=5)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--tokens", type=int, default=768, help="in a batch")
    parser.add_argument("--prompt-weight", type=float, default=0.1, help="how much guessing the utterance counts")
    parser.add_argument("--lose", type=float, default=0.12, help="the share of tokens that the tagger does not get")
    parser.add_argument("--half", action="store_true", help="bfloat16, where the processor is good at it")
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args(arguments)
    torch.manual_seed(args.seed)
    if args.threads:
        torch.set_num_threads(args.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    meanings = Meanings.load(_ROOT / "rules")
    args.out.mkdir(parents=True, exist_ok=True)
    vocabulary = args.out / "tokenizer.json"
    if not (args.resume and vocabulary.exists()):
        lines = (json.loads(line) for line in (args.data / "train.jsonl").read_text(encoding="utf-8").splitlines())
        trained((led(line["text"]) for line in lines), meanings.words, args.vocabulary).save(str(vocabulary))
    tokenizer = Tokenizer.from_file(str(vocabulary))
    examples = Examples(args.data / "train.jsonl", tokenizer, meanings)
    print(f"{len(examples.all)} pairs, {tokenizer.get_vocab_size()} tokens, on {device}", flush=True)
    told: dict[str, Any] = {"pairs": len(examples.all), "seed": args.seed, "device": device}
    if args.only != "decoder":
        tagger, told["tagger"] = train_tagger(args, examples, device)
        to_onnx(tagger, args.out / "tagger.onnx")
        print(told["tagger"], flush=True)
    if args.only != "tagger":
        decoder, told["decoder"] = train_decoder(args, examples, device)
        to_gguf(decoder, tokenizer, vocabulary, args.out / "compiler.gguf", list(meanings.words))
        print(told["decoder"], flush=True)
    before = json.loads((args.data / "training.json").read_text()) if (args.data / "training.json").exists() else {}
    (args.data / "training.json").write_text(json.dumps(before | told, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
