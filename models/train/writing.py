"""A draft as a model is trained to say it: as text, and as labels. What reads them is in `daemon/compiler`."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.compiler.draft import BEGINS, FRAMED, GOES_ON, IS, NONE, SECOND, Draft, Part, Tagged, joined, led
from daemon.compiler.meanings import AND
from daemon.core.ir import Kind


def write(draft: Draft, text: str) -> str:
    """The text of a draft of the normalized utterance `text`."""
    if draft.verdict is not None:
        return f"<{draft.verdict}>"
    return f"<{AND}>".join(_part(part, text) for part in draft.parts)


def _part(part: Part, text: str) -> str:
    said = "".join(f"<{item.slot}>{_spaced(item.words, text)}{_kind(item.kind)}" for item in part.said)
    return f"<{part.meaning}>{said}" + "".join(_part(frame, text) for frame in part.frames)


def _spaced(words: str, text: str) -> str:
    """The words as they stand in the utterance, with the space before them: so are their tokens the same."""
    return f" {words}" if f" {words}" in led(text) else words


def _kind(kind: Kind | None) -> str:
    return f"<{IS}{kind}>" if kind is not None else ""


def tagged(draft: Draft, text: str, tokens: Sequence[tuple[int, int]]) -> Tagged | None:
    """The labels of a draft of `text`, whose tokens stand at `tokens`; None where they cannot say it."""
    if draft.verdict is not None:
        return Tagged(draft.verdict, NONE, NONE, (NONE,) * len(tokens), (NONE,) * len(tokens))
    if len(draft.parts) > 2 or any(len(part.frames) > 1 for part in draft.parts) or any(
        part.frames for part in draft.parts[1:]
    ):  # fmt: skip
        return None
    first = draft.parts[0]
    frame = first.frames[0] if first.frames else None
    second = draft.parts[1] if len(draft.parts) > 1 else None
    tags, kinds = [NONE] * len(tokens), [NONE] * len(tokens)
    taken = [False] * len(text)
    # The longest words first: a number is not looked for inside a name.
    every = [("", item) for item in first.said]
    every += [(FRAMED, item) for item in (frame.said if frame else ())]
    every += [(SECOND, item) for item in (second.said if second else ())]
    for prefix, item in sorted(every, key=lambda pair: -len(pair[1].words)):
        start = _place(item.words, text, taken)
        if start is None:
            return None
        end = start + len(item.words)
        taken[start:end] = [True] * (end - start)
        inside = [at for at, (low, high) in enumerate(tokens) if low < end and high > start and high > low]
        if not inside:
            return None
        for at in inside:
            tags[at] = f"{GOES_ON}{prefix}{item.slot}"
        tags[inside[0]] = f"{BEGINS}{prefix}{item.slot}"
        kinds[inside[0]] = item.kind or NONE
    return Tagged(
        first.meaning, frame.meaning if frame else NONE, second.meaning if second else NONE, tuple(tags), tuple(kinds)
    )


def _place(words: str, text: str, taken: Sequence[bool]) -> int | None:
    """Where some words stand whole and are not yet something else."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        apart = not joined(text, start) and not joined(text, end)
        if apart and not any(taken[start:end]):
            return start
        start = text.find(words, start + 1)
    return None
