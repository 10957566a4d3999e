"""What the small model says: meanings, and words of the utterance for their slots. As values, and as text.

The text of a draft is made of closed words in angle brackets, which no utterance has, and of words of the utterance:

    pop the desk lamp on for me in ten minutes
    <turn_on><target> the desk lamp<delayed><duration> ten minutes
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, cast

from msgspec import Struct

from daemon.compiler.meanings import AND, NOTHING, NOUNS, SLOTS, UNSURE, Meanings
from daemon.core.errors import DraftRefused, IRError
from daemon.core.ir import KINDS, Kind

_WORD: Final = re.compile(r"<([^<>]*)>([^<>]*)")
IS: Final = "is:"


@dataclass(frozen=True, slots=True)
class Said:
    """The words for one slot, and what kind of thing they mean where the model has an idea."""

    slot: str
    words: str
    kind: Kind | None = None
    at: int | None = field(default=None, compare=False)
    """Where they begin in the normalized utterance; None where the model does not tell."""


class Part(Struct, frozen=True):
    """One meaning with its slots; around a command, frames that add to it."""

    meaning: str
    said: tuple[Said, ...] = ()
    frames: tuple[Part, ...] = ()


class Draft(Struct, frozen=True):
    """What an utterance may say."""

    parts: tuple[Part, ...] = ()
    """Commands and questions in the order they were said; none where `verdict` says why."""
    verdict: Literal["nothing", "unsure"] | None = None


def parse(text: str, meanings: Meanings) -> Draft:
    """The draft of a text.

    Raises:
        IRError: it is none.
    """
    words = [(match[1], match[2].strip()) for match in _WORD.finditer(text)]
    if "".join(f"<{word}>{said}" for word, said in words) != re.sub(r"> +|(?<=[^<>]) +(?=<)", _tight, text.strip()):
        raise IRError(f"no draft: {text[:60]!r}")
    if len(words) == 1 and words[0][0] in (NOTHING, UNSURE):
        return Draft(verdict=cast("Literal['nothing', 'unsure']", words[0][0]))
    parts: list[Part] = []
    fresh = True
    for word, said in words:
        if word == AND and not fresh and not said:
            fresh = True
        elif word in SLOTS and not fresh:
            parts[-1] = _with(parts[-1], Said(word, said))
        elif word.startswith(IS) and not fresh and not said:
            parts[-1] = _of_kind(parts[-1], word.removeprefix(IS))
        else:
            known = meanings.all.get(word)
            if known is None or known.template is None or said or (known.group == "frames") is fresh:
                raise IRError(f"no draft: <{word}> may not stand there")
            if fresh:
                parts.append(Part(word))
            else:
                parts[-1] = Part(parts[-1].meaning, parts[-1].said, (*parts[-1].frames, Part(word)))
            fresh = False
    if fresh:
        raise IRError("no draft: it breaks off")
    return Draft(tuple(parts))


def placed(draft: Draft, text: str) -> Draft:
    """A draft with the place of all its words in the normalized utterance `text`: a word fills one slot at most.

    Raises:
        DraftRefused: words were not said, or not as often as the draft has them.
    """
    taken = [False] * len(text)
    every = [item for part in draft.parts for piece in (part, *part.frames) for item in piece.said]
    found: dict[int, int] = {}
    # What the model knows the place of comes first, then the longest: a number is not looked for inside a name.
    for number, item in sorted(enumerate(every), key=lambda one: (one[1].at is None, -len(one[1].words))):
        at = _place(item, text, taken)
        if at is None:
            raise DraftRefused(item.slot, item.words, f"{item.slot}: {item.words!r} was not said so often")
        found[number] = at
        taken[at : at + len(item.words)] = [True] * len(item.words)
    places = iter(found[number] for number in range(len(every)))

    def settled(part: Part) -> Part:
        said = tuple(Said(item.slot, item.words, item.kind, next(places)) for item in part.said)
        return Part(part.meaning, said, tuple(settled(frame) for frame in part.frames))

    return Draft(tuple(settled(part) for part in draft.parts), draft.verdict)


def joined(text: str, at: int) -> bool:
    """Whether a Latin word or a number goes on here."""
    edge = text[at - 1 : at + 1] if at > 0 else ""
    return len(edge) == 2 and edge.isascii() and edge.isalnum()  # noqa: PLR2004 - one character on each side


def _place(item: Said, text: str, taken: Sequence[bool]) -> int | None:
    """Where a slot's words stand and nothing else does: whole words, or else a part of some."""
    starts = [item.at] if item.at is not None else range(len(text))
    free = [at for at in starts if text.startswith(item.words, at) and not any(taken[at : at + len(item.words)])]
    whole = (at for at in free if not joined(text, at) and not joined(text, at + len(item.words)))
    return next(whole, free[0] if free else None)


def outside(draft: Draft, text: str) -> str:
    """What was said beside the words for slots; where those stood, a bar. All of it, where they were not said."""
    try:
        parts = placed(draft, text).parts
    except DraftRefused:
        return text
    said = [item for part in parts for piece in (part, *part.frames) for item in piece.said]
    for item in sorted(said, key=lambda one: -(one.at or 0)):
        at = item.at or 0
        text = f"{text[:at]} | {text[at + len(item.words) :]}"
    return text


def _tight(match: re.Match[str]) -> str:
    return match[0].strip()


def led(text: str) -> str:
    """The utterance as the model gets it: a Latin word at the start has a space before it, as any other."""
    return f" {text}" if text[:1].isascii() else text


def _with(part: Part, said: Said) -> Part:
    if not said.words:
        raise IRError(f"no draft: <{said.slot}> without words")
    if part.frames:
        return Part(part.meaning, part.said, (*part.frames[:-1], _with(part.frames[-1], said)))
    return Part(part.meaning, (*part.said, said))


def _of_kind(part: Part, kind: str) -> Part:
    if part.frames:
        return Part(part.meaning, part.said, (*part.frames[:-1], _of_kind(part.frames[-1], kind)))
    if kind not in KINDS or not part.said or part.said[-1].slot not in NOUNS or part.said[-1].kind is not None:
        raise IRError(f"no draft: <{IS}{kind}> may not stand there")
    last = part.said[-1]
    return Part(part.meaning, (*part.said[:-1], Said(last.slot, last.words, cast("Kind", kind), last.at)))
