"""Text that a voice can say: no markup, no control characters, no emoji, no endless names."""

from __future__ import annotations

import re
import unicodedata

MAX_CHARACTERS = 400
"""Nobody listens to a longer reply."""
MAX_WORD = 40
"""A longer run without a space, in a script that has spaces, is no word."""

_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_TAG = re.compile(r"</?[A-Za-z!?][^<>]*>")
_ADDRESS = re.compile(r"\b(?:https?|ftp|mqtt)s?://\S+", re.IGNORECASE)
_MARKUP = re.compile(r"[*_`#~|<>\[\]{}\\^=]+")
_SPACE = re.compile(r"\s+")
_LONG = re.compile(rf"[!-\u02ff]{{{MAX_WORD + 1},}}")
_REPEATED = re.compile(r"([^\w\s])\1{2,}")
_WRITTEN = str.maketrans({"℃": "°C", "℉": "°F", "µ": "μ"})
_KEPT = "°"


def speakable(text: str) -> str:
    """The text to say; empty if nothing in it can be said. Doing it twice changes nothing more."""
    text = unicodedata.normalize("NFC", text).translate(_WRITTEN)
    text = "".join(_plain(character) for character in text)
    text = _LINK.sub(r"\1", text)
    text = _TAG.sub(" ", _ADDRESS.sub(" ", text))
    text = _MARKUP.sub(" ", text)
    text = _REPEATED.sub(r"\1", text)
    text = _LONG.sub(lambda run: run[0][:MAX_WORD], text)
    text = _SPACE.sub(" ", text).strip()
    text = _shortened(text)
    return text if any(character.isalnum() for character in text) else ""


def _plain(character: str) -> str:
    """The character, a space, or nothing."""
    if character in _KEPT:
        return character
    match unicodedata.category(character):
        case "Cc" | "Zl" | "Zp" | "Zs":
            return " "
        case "Cf" | "Cs" | "Co" | "Cn" | "So" | "Sk" | "Me":
            return ""
        case "Mn" if unicodedata.name(character, "").startswith("VARIATION SELECTOR"):
            return ""
    return character


def _shortened(text: str) -> str:
    """At most `MAX_CHARACTERS`, cut at the end of a sentence or a word."""
    if len(text) <= MAX_CHARACTERS:
        return text
    head = text[:MAX_CHARACTERS]
    ends = [head.rfind(mark) + 1 for mark in ".!?;。！？；"]
    if (end := max(ends)) > MAX_CHARACTERS // 2:
        return head[:end].strip()
    return (head[: head.rfind(" ")] if head.rfind(" ") > MAX_CHARACTERS // 2 else head).strip()
