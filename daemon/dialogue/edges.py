"""Where a request really begins and ends beside the talk that a segmenter has cut from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from re import finditer
from typing import Final

from msgspec import Struct

from daemon.compiler.draft import pieces
from daemon.compiler.segmenter import ORDER, TALK, Segment
from daemon.core.ir import AboutAgenda
from daemon.core.values import replace
from daemon.dialogue.leaning import Read, is_revised, is_whole, waits
from daemon.resolve.comprehension import Comprehension

MOMENT: Final = 8
"""Words, or Chinese characters, that say when, or what is meant instead."""
_CALLS_OFF: Final = frozenset({"cancel", "cancel_all", "skip"})


class Weighs(Struct, frozen=True):
    """What words of a normalized text may change of what is said beside them."""

    bears: Callable[[str], bool]
    """Whether they could change what is done: "not", "only", "if"."""
    unsettles: Callable[[str], bool]
    """Whether a clause that nobody understands may take back, or limit, what stands before it."""
    names: Callable[[str], bool]
    """Whether they name something that what follows may be about."""
    concerns: Callable[[str], bool]
    """Whether they are about something of a home, or how much of it."""
    amounts: Callable[[str], frozenset[float]] = lambda _words: frozenset()
    """The numbers that say how much of anything."""
    depends: Callable[[str], bool] = lambda _words: False
    """Whether they say when, or on what condition."""
    hangs: Callable[..., bool] = lambda _words, **_how: False
    """Whether what stands beside words that nobody understands depends on them, of words that lead to a command
    (`leads`) or not; or on how they begin (`first`)."""
    sequels: Callable[[str], Iterable[int]] = lambda _words: ()
    """Where words end that say what comes of what was told: "so", "but"."""

    @classmethod
    def of(cls, known: Comprehension) -> Weighs:
        """What words may change in one home."""
        return cls(
            known.bears,
            known.unsettles,
            known.names_something,
            known.concerns,
            known.amounts,
            known.depends,
            known.hangs,
            known.sequels,
        )

    def leads(self, words: str) -> bool:
        """Whether a command that these words lead to depends on them."""
        return self.hangs(words, leads=True)

    def fronts(self, words: str) -> bool:
        """Whether what follows depends on how these words begin."""
        return self.hangs(words, first=True)


def called_off(text: str, segment: Segment, read: Read) -> Iterator[Segment]:
    """The segment, or what it falls into where something that was kept is called off in the middle of talk."""
    start = segment.start
    for part in finditer(r"[^,]+,?", text[segment.start : segment.end]) if segment.sort == TALK else ():
        said = read(part[0].strip(" ,"))[:1]
        if any(isinstance(item, AboutAgenda) and item.op in _CALLS_OFF for one in said for item in one.clauses):
            first, end = segment.start + part.start(), segment.start + part.end()
            yield from (replace(segment, start=start, end=first),) if start < first else ()
            yield Segment(first, end, ORDER, 1.0)
            start = end
    yield from (replace(segment, start=start),) if start < segment.end else ()


def timed(text: str, talk: Segment, segment: Segment, read: Read, weighs: Weighs) -> int:
    """Where a request begins behind talk, with its time: "we leave tomorrow, at ten to eight | turn it off".

    Behind a comma, or behind what says what comes of it: "my neck hurts so | in ten minutes | turn it off".

    Args:
        text: Normalized.
        talk: What was left out right before the request.
        segment: The request.
        read: The grammar's readings.
        weighs: What words may change.
    """
    if segment.sort == TALK or any(map(waits, read(text[segment.start : segment.end])[:1])):
        return segment.start
    start, told = talk.start, text[talk.start : segment.start]
    for at in (told.rfind(",") + 1, *reversed(tuple(weighs.sequels(told)))):
        tail = told[at:].strip(" ,")
        if not tail or len(pieces(tail)) > MOMENT:
            continue
        said = next(filter(is_whole, read(text[start + at : segment.end].strip(" ,"))), None)
        if said is not None and waits(said):
            return start + at
    return segment.start


def revised(text: str, segment: Segment, talk: Segment, read: Read, weighs: Weighs) -> int:
    """Where a request ends that talk behind it takes back, or says otherwise, at its beginning."""

    def may_revise(words: str) -> bool:
        return len(pieces(words)) <= MOMENT and bool(weighs.unsettles(words) or weighs.amounts(words))

    said = next(filter(is_whole, read(text[segment.start : segment.end].strip(" ,"))), None)
    pauses = [at for at in range(talk.start, talk.end) if text[at] == ","]
    ends = [end for end in (*pauses, talk.end) if may_revise(text[talk.start : end])]
    for end in reversed(ends if said is not None else []):
        instead = next(filter(is_whole, read(text[segment.start : end].strip(" ,"))), None)
        if said is not None and instead is not None and is_revised(said, instead):
            return end
    return segment.end
