"""What the small model says: meanings, and words of the utterance for their slots. As values, as text, and as labels.

The text of a draft is made of closed words in angle brackets, which no utterance has, and of words of the utterance:

    pop the desk lamp on for me in ten minutes
    <turn_on><target> the desk lamp<delayed><duration> ten minutes

The tagger tells one meaning, a frame around it, a second command, and for each token which slot it fills.
`models/train/writing.py` has the other side, by which models are trained.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from msgspec import Struct

from daemon.compiler.meanings import AND, NOTHING, NOUNS, SLOTS, UNSURE, Meanings
from daemon.core.errors import DraftRefused, IRError
from daemon.core.ir import KINDS, Kind
from daemon.core.values import replace

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


NONE: Final = "-"
"""No frame, no second command, no kind, no slot."""
FRAMED: Final = "f:"
SECOND: Final = "2:"
BEGINS, GOES_ON = "B ", "I "
_THINGS: Final = NOUNS | {"room"}
_PIECE: Final = re.compile(r"[a-z0-9%°.:+&-]+|[^\sa-z0-9]")


class Labels(Struct, frozen=True):
    """What the tagger tells apart; the place in a list is the number of an output."""

    meaning: tuple[str, ...]
    """The first or only command, or a verdict."""
    frame: tuple[str, ...]
    second: tuple[str, ...]
    tag: tuple[str, ...]
    kind: tuple[str, ...]

    @classmethod
    def of(cls, meanings: Meanings) -> Labels:
        """The labels of these meanings."""
        commands = [item.id for item in meanings.commands]
        frames = list(meanings.frames)
        framed = [slot for slot in SLOTS if any(slot in item.slots for item in frames)]
        said = [*SLOTS, *(f"{FRAMED}{slot}" for slot in framed), *(f"{SECOND}{slot}" for slot in SLOTS)]
        tags = [tag for slot in said for tag in tags_of(slot)]
        return cls(
            meaning=(NOTHING, UNSURE, *commands),
            frame=(NONE, *(item.id for item in frames)),
            second=(NONE, *commands),
            tag=(NONE, *tags),
            kind=(NONE, *sorted(KINDS)),
        )

    @property
    def digest(self) -> str:
        """Another one for other labels, or for the same in another order."""
        every = [self.meaning, self.frame, self.second, self.tag, self.kind]
        return hashlib.sha256(json.dumps(every).encode()).hexdigest()

    def slots(self, meanings: Meanings, meaning: str, frame: str, second: str) -> tuple[str, ...]:
        """The slots of this meaning, this frame and this second command, as tags name them."""
        parts = (("", meaning), (FRAMED, frame), (SECOND, second))
        return tuple(
            f"{mark}{slot}" for mark, name in parts if name in meanings.all for slot in meanings.all[name].slots
        )


class Tagged(Struct, frozen=True):
    """One draft in labels; `tags` and `kinds` have one entry for each token."""

    meaning: str
    frame: str
    second: str
    tags: tuple[str, ...]
    kinds: tuple[str, ...]


def tags_of(slot: str) -> tuple[str, str]:
    """How a slot's first token is tagged, and how the others."""
    return f"{BEGINS}{slot}", f"{GOES_ON}{slot}"


def pieces(text: str) -> list[tuple[int, int]]:
    """Where the words (of Latin letters) and characters (of others) of a normalized utterance stand."""
    return [match.span() for match in _PIECE.finditer(text)]


def drafted(
    said: Tagged,
    text: str,
    tokens: Sequence[tuple[int, int]],
    meanings: Meanings,
    words: Sequence[tuple[int, int]] = (),
) -> Draft | None:
    """The draft that labels say; None where they contradict each other: a slot that the meaning does not have.

    None of `words`, the spans of words for things and places, is cut in two.
    """
    if said.meaning in (NOTHING, UNSURE):
        nothing = said.frame == said.second == NONE
        return Draft(verdict="nothing" if said.meaning == NOTHING else "unsure") if nothing else None
    spans: dict[str, list[Said]] = {"": [], FRAMED: [], SECOND: []}
    for slot, low, high, kind in _spans(said, text, tokens):
        prefix = next((mark for mark in (FRAMED, SECOND) if slot.startswith(mark)), "")
        name = slot.removeprefix(prefix)
        start, end = _whole(low, high, words) if name in _THINGS else (low, high)
        known: Any = kind if kind in KINDS and name in NOUNS else None
        item = Said(name, text[start:end], known, start)
        if any(other.slot == name for other in spans[prefix]):
            return None
        spans[prefix].append(item)
    first = _part(said.meaning, spans[""], meanings)
    frame = _part(said.frame, spans[FRAMED], meanings)
    second = _part(said.second, spans[SECOND], meanings)
    if first is None or (frame is None and said.frame != NONE) or (second is None and said.second != NONE):
        return None
    if (said.frame == NONE and spans[FRAMED]) or (said.second == NONE and spans[SECOND]):
        return None
    if frame is not None:
        first = replace(first, frames=(frame,))
    return Draft((first, second) if second is not None else (first,))


def _part(meaning: str, said: Sequence[Said], meanings: Meanings) -> Part | None:
    known: Mapping[str, object] = meanings.all
    if meaning not in known:
        return None
    item = meanings.all[meaning]
    slots = {said.slot for said in said}
    if not slots <= set(item.slots) or not item.needed <= slots or (item.either and not item.either & slots):
        return None
    return Part(meaning, tuple(sorted(said, key=lambda one: SLOTS.index(one.slot))))


def _spans(said: Tagged, text: str, tokens: Sequence[tuple[int, int]]) -> Iterator[tuple[str, int, int, str]]:
    """Slots with their place in the text, widened to whole words."""
    words = pieces(text)
    at = 0
    while at < len(tokens):
        tag = said.tags[at]
        if tag == NONE:
            at += 1
            continue
        slot, kind, first = tag[2:], said.kinds[at], at
        at += 1
        while at < len(tokens) and said.tags[at] == f"{GOES_ON}{slot}":
            at += 1
        low, high = tokens[first][0], tokens[at - 1][1]
        inside = [(start, end) for start, end in words if start < high and end > low]
        if inside:
            yield slot, inside[0][0], inside[-1][1], kind


def _whole(start: int, end: int, words: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """A span with the rest of the words that it cuts."""
    for low, high in words:
        if low < start < high <= end:
            start = low
        if start <= low < end < high:
            end = high
    return start, end
