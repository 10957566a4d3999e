"""The words that a device has for what it can be set to, and which of them was said."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, process

from daemon.act.values import same

_CLOSE_ENOUGH = 60.0


def option_of(word: str, options: Sequence[str]) -> str | None:
    """The option that is so called, however it is written; None where none is."""
    return next((option for option in options if same("option", _run_on(option), _run_on(word))), None)


def nearest_option(word: str, options: Sequence[str]) -> str | None:
    """The option that is called most like it; None where none is like it."""
    near = process.extractOne(word.casefold(), options, scorer=fuzz.WRatio, score_cutoff=_CLOSE_ENOUGH)
    return near[0] if near else None


def swinging(word: str, options: Sequence[str]) -> str:
    """The word that a device has for swinging at all, or both ways, where it has none for just that."""
    if word not in ("on", "both") or option_of(word, options) is not None:
        return word
    return next((option for option in options if plain(option) not in ("off", "stop", "stopped")), word)


def plain(word: str) -> str:
    """A word as it is compared: in small letters, with single blanks for what joins its parts."""
    return " ".join(word.casefold().replace("_", " ").replace("-", " ").split())


def _run_on(word: str) -> str:
    """A word without its gaps: what one device calls "colorloop" is another's "Color Loop"."""
    return plain(word).replace(" ", "")
