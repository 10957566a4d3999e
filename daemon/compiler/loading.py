"""The compiler of this installation: its models are loaded when they are first needed, or told to be."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.compiler.adviser import Beside, Second
from daemon.compiler.calibration import FILE as CALIBRATION
from daemon.compiler.calibration import Curves, curves
from daemon.compiler.compiler import LIMIT_S, Compiler, Model
from daemon.compiler.decoder import SIGNS, Bare, Chat, Conversation, Decoder, Prompt
from daemon.compiler.drafting import Conditions, Drafting
from daemon.compiler.filling import Filling
from daemon.compiler.followups import Follower, FollowUps
from daemon.compiler.gbnf import DraftGrammar
from daemon.compiler.llama import Llama
from daemon.compiler.meanings import Meanings
from daemon.compiler.segmenter import Segmenter
from daemon.compiler.tagger import NO_SIGNS, Tagger
from daemon.core.errors import ModelCorrupt, UsageError
from daemon.models.store import Store
from daemon.understand.grammar import Grammar

NAME: Final = "tagger"
"""The name of the first model in the manifest."""
SEGMENTER: Final = "segmenter"
"""That of the one that cuts long utterances."""
FOLLOWER: Final = "followups"
"""That of the one that knows what goes on from what was before."""
DECODER: Final = "decoder"
"""The name of the second, where it is ours."""


class Wanted(Struct, frozen=True):
    """Which models compile, and how long they may take."""

    second: str | None = None
    """The name in the manifest of what drafts second; `NAME`: nothing does; None: our own decoder, if it is there."""
    limit_s: float = LIMIT_S


def compiler(models: Path, rules: Path, grammar: Grammar, wanted: Wanted | None = None) -> Compiler:
    """The compiler, its models not yet loaded.

    Raises:
        ConfigError: `rules/meanings.yaml` or `followups.yaml` is missing or wrong, or a `conditions.yaml` is wrong.
    """
    wanted = wanted if wanted is not None else Wanted()
    meanings = Meanings.load(rules)
    filling = Filling(meanings, grammar)

    def load() -> Model:
        folder = _verified(Store(models), NAME)
        return Model(Tagger(folder, meanings, grammar.lexicon), _curves(folder, len(NO_SIGNS)))

    second = None
    if wanted.second != NAME:
        second = partial(_second, models, rules, wanted.second, meanings, filling)
    store = Store(models)
    followups = FollowUps.load(rules)

    def with_vocabulary(name: str) -> Path:
        _verified(store, NAME)  # the vocabulary lies beside the tagger
        return _verified(store, name)

    def follower_of() -> Follower:
        folder = with_vocabulary(FOLLOWER)
        tagger = Tagger(folder, followups.meanings, grammar.lexicon)
        return Follower(tagger, _curves(folder, len(NO_SIGNS)), followups)

    listed = {model.name for model in store.manifest.models}
    cutter, follower = None, None
    if SEGMENTER in listed:
        long = "long sentences are read without it"
        cutter = Beside(lambda: Segmenter(with_vocabulary(SEGMENTER)), "the segmenter", long, wanted.limit_s)
    if FOLLOWER in listed:
        alone = "what goes on from what was before is read by the grammar alone"
        follower = Beside(follower_of, "the model of follow-ups", alone, wanted.limit_s)
    return Compiler(load, Drafting(filling, Conditions.load(rules)), wanted.limit_s, second, cutter, follower)


def decoder_of(file: Path, rules: Path, meanings: Meanings, filling: Filling, *, chat: bool) -> Decoder:
    """The decoder in a GGUF file: ours, or a model for conversation.

    Raises:
        ConfigError: `rules/chat.yaml` is missing or wrong.
        ModelError: the file is no such model, or what loads it is not installed.
    """
    llama = Llama(file)
    prompt: Prompt = Chat(llama, Conversation.load(rules, meanings)) if chat else Bare(llama, meanings, file)
    return Decoder(llama, prompt, DraftGrammar(meanings, filling), meanings)


def _second(models: Path, rules: Path, name: str | None, meanings: Meanings, filling: Filling) -> Second | None:
    """The second model; None where none was asked for by name, and ours is not listed."""
    store = Store(models)
    if name is None and all(model.name != DECODER for model in store.manifest.models):
        return None
    listed = store.manifest.get(name or DECODER)
    if listed.kind != "compiler" or listed.engine != "llama-cpp":
        raise UsageError(f"{listed.name} is no model that compiles; `model: {{name: {DECODER}}}` names ours")
    folder = _verified(store, listed.name)
    file = folder / listed.files[0].name
    decoder = decoder_of(file, rules, meanings, filling, chat=listed.style == "chat")
    signs = len(NO_SIGNS) + SIGNS + 1  # and whether both say the same
    return Second(decoder, _curves(folder, signs) if (folder / CALIBRATION).exists() else None)


def _curves(folder: Path, signs: int) -> Curves:
    """The curves of a model, made for so many signs; one that believes nothing has none."""
    found = curves(folder)
    for curve in found.values():
        if curve.weights and len(curve.weights) != signs:
            file = folder / CALIBRATION
            raise ModelCorrupt(f"{file}: {len(curve.weights)} weights for {signs} signs; fit it anew")
    return found


def _verified(store: Store, name: str) -> Path:
    """The folder of the model, every byte of it read.

    Raises:
        UsageError: no model is called so.
        ModelMissing: it is not there.
        ModelCorrupt: it is not what the manifest says.
    """
    folder = store.require(name)
    status = store.status(store.manifest.get(name), deep=True)
    if status.state != "installed":
        raise ModelCorrupt(f"{folder}: {status.problem}; `{status.model.command}` mends it")
    return folder
