"""Which speech engine hears a language here, from what is installed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from daemon.core.errors import HearkenError, ModelMissing
from daemon.hear.sphinx import Sphinx
from daemon.hear.tongues import English, Mandarin
from daemon.hear.transcript import Transcriber
from daemon.hear.whisper import Whisper
from daemon.models.store import Store
from daemon.system.languages import languages
from daemon.system.speech import engines


@dataclass(frozen=True, slots=True)
class Ability:
    """How well one language is heard: `note` is one line for a person, with the command that gets what is missing."""

    lang: str
    available: bool
    engine: str | None
    note: str


def choose(lang: str, models: Path, rules: Path, *, prefer: str | None = None) -> Transcriber:
    """The best engine for a language: Whisper where its weights are, the largest first, else pocketsphinx.

    Args:
        lang: What is spoken.
        models: The folder with `manifest.yaml` and the installed models.
        rules: The folder with the languages.
        prefer: A model's name, or `pocketsphinx`, to be taken instead.

    Raises:
        ModelMissing: nothing here hears this language, or not the model that was asked for.
        ConfigError: the manifest is wrong.
        UsageError: `prefer` is no model.
    """
    store = Store(models)
    if prefer not in (None, "pocketsphinx"):
        model = store.manifest.get(str(prefer))
        folder = store.require(model.name)
        if model.engine == "faster-whisper":
            return Whisper(folder, name=model.name)
    elif prefer is None:
        for model in store.installed("faster-whisper", lang):
            return Whisper(store.folder(model), name=model.name)
    return _sphinx(lang, store, rules)


def survey(models: Path, rules: Path) -> tuple[Ability, ...]:
    """How each language is heard here.

    Raises:
        ConfigError: the manifest is wrong.
    """
    store = Store(models)
    return tuple(_ability(lang, store, rules) for lang in languages(rules))


def _sphinx(lang: str, store: Store, rules: Path) -> Sphinx:
    grammar = rules / lang / "speech.peg"
    known = engines(rules).get(lang)
    sounds = known.sphinx if known is not None and grammar.is_file() else None
    if sounds == "words":
        return Sphinx(English(lang), grammar)
    for model in store.installed("pocketsphinx", lang) if sounds == "syllables" else ():
        return Sphinx(Mandarin(store.folder(model), lang), grammar, name=model.name)
    raise ModelMissing(f"for speech in {lang!r}", _remedy(store, lang))


def _ability(lang: str, store: Store, rules: Path) -> Ability:
    for model in store.installed("faster-whisper", lang):
        return Ability(lang, available=True, engine=model.name, note=f"{lang}: {model.name}")
    try:
        engine = _sphinx(lang, store, rules)
    except HearkenError as error:
        return Ability(lang, available=False, engine=None, note=f"{lang}: {error}")
    note = f"{lang}: {engine.name}, which knows only the sentences of rules/{lang}/speech.peg; {_remedy(store, lang)}"
    return Ability(lang, available=True, engine=engine.name, note=note)


def _remedy(store: Store, lang: str) -> str:
    better = [model.name for model in store.manifest.defaults() if lang in model.languages]
    return f"`make models` gets {better[0]}" if better else "`python -m daemon models` lists what can be had"
