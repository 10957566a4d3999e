"""A draft as the tagger says it: one meaning, a frame around it, a second command; and for each token what it fills.

The tagger is read by these labels; `models/train/writing.py` has the other side, by which it is trained.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from daemon.compiler.draft import Draft, Part, Said
from daemon.compiler.meanings import NOTHING, NOUNS, SLOTS, UNSURE, Meanings
from daemon.core.ir import KINDS
from daemon.core.values import replace

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
