"""The sorts of parts that a sentence is read from (`rules/frames.yaml`), and which of them belong together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

Needs = Literal[
    "subject", "target", "thing", "place", "moment", "subject_or_start", "target_or_value", "target_or_setting", "timed"
]
"""What a command is about (`frames.Command`)."""
FILLER: Final = "filler"
LEFT_OVER: Final = "left over"
"""A word that stands in no part."""
TALK: Final = "talk"
EITHER: Final = "either"
"""What joins things of which one is meant: "the lamp or the fan"."""
UNREAD: Final = "unread"
"""What stands apart in a sentence, and nobody understands."""
CORRECTION: Final = "oops"
INSTEAD: Final = frozenset({"number", "moment"})
"""What says a value or a time only in place of another."""
BROKEN: Final = "broken"
"""A name that is broken off to say another."""
OPENING: Final = "opening"
"""What only begins a sentence."""
NOTHING: Final = "nothing"
"""What takes a sentence back."""

ASKING: Final = frozenset(
    (
        *("asks", "asks_on", "did", "which", "whatever", "finds", "tells", "how", "where"),
        *("since", "about", "tag", "graded", "any", "rooms"),
    )
)
"""What makes a question of what stands beside it."""
ABOUT_ONE: Final = frozenset({"asks", "asks_on", "did", "tells", "how", "since", "about", "tag"})
"""What may ask about a thing that nobody knows."""
ASKED: Final = frozenset({"unknown", "stands", "compared", "grade", "felt", "measure", "settled", "rest", "follow"})
"""What only a question has."""
WITH: Final = {
    **dict.fromkeys(ASKED, ASKING),
    "begged": frozenset({"begs"}),
    "hence": frozenset({"if"}),
    **dict.fromkeys((BROKEN, *INSTEAD), frozenset({CORRECTION})),
    "hours": frozenset({"negation", "sole", "if"}),
}
"""What is only looked for where one of these is in the text."""
THEME: Final = "theme"
"""What "it" is, as of what it is too much: "it's too loud"."""
LEADING: Final = frozenset({"deed", "moved", "way", "do", "keep"})
"""What says, before what it is done to, that something is to be done."""
VERBS: Final = ASKING | LEADING | {"sole", "listed", "particle", "state", "course"}
SWITCHING: Final = frozenset({"deed", "moved", "particle", "state"})
CHANGING: Final = frozenset({"way", "course", "more"})
VALUES: Final = frozenset(
    {"level", "value", "degrees", "shaded", "bare", "manner", "limit", "partway", "utmost", "amount", "more"}
    | {"span", "extent", "chosen"}
)
FRAMED: Final = (VERBS | VALUES | INSTEAD | ASKED | {"stress"}) - {"unknown"}
"""What decides which frame it is."""
STRANGER: Final = "stranger"
"""A thing that nobody knows, and that something is done to."""
TOPIC: Final = "topic"
"""A thing of which something is told, which what is done is done to: "the TV is on again, switch it off"."""
NAMING: Final = frozenset({"target", "selected", "described", "unknown", STRANGER, TOPIC})
LISTED: Final = NAMING | {"place"}
"""What "and" and commas may join inside of one command."""
FRONT: Final = frozenset({"when", "if", "ending"})
TIMED: Final = frozenset({"target", "place", "spared", "every", "when"})
"""What stands in "the heater for an hour", where nothing else is said."""

_ANY = 99


class Use(Struct, frozen=True):
    """Where in a command a sort is said, and beside what."""

    most: int = 1
    """How often; what decides the frame is said once anyway."""
    first: bool | None = None
    """Whether it is only said first of all, or never."""
    behind: frozenset[str] = frozenset()
    """One of these is said before it, whatever these are."""
    beside: frozenset[str] = frozenset()
    """One of these is said, too."""
    never: frozenset[str] = frozenset()
    """None of these is."""
    where: frozenset[str] = frozenset()
    """One of these marks, or sorts, is said with it."""


_ORDERED = Use(never=ASKING)
USES: Final[Mapping[str, Use]] = {
    OPENING: Use(first=True),
    **dict.fromkeys(("ask", "contrast", "every", "purpose"), Use()),
    "spared": Use(most=2),
    **dict.fromkeys(("permit", "standing", "dropped"), _ORDERED),
    "when": Use(most=2),
    "if": Use(most=2, never=ASKING),
    "ending": Use(beside=LEADING | VERBS | VALUES, never=ASKING),
    "say": Use(beside=ASKING),
    # "Don't ..., only the hall one" is of two commands; "don't leave it on" is the opposite of "leave it on".
    "negation": Use(never=ASKING | {"contrast", "keep", "every"}),
    "hours": Use(most=2, where=frozenset({"negated__yes", "if"})),
    # Who switches a lamp's colour off does not mean the lamp.
    "attribute": Use(never=ASKING | SWITCHING),
    # But who switches the child lock of a plug off does not mean the plug.
    "setting": Use(beside=SWITCHING | {"stands", "tag", "which"}),
    # Only what a home calls so is so long: "the interval to 40 minutes".
    **dict.fromkeys(
        ("span", "extent", "chosen"), Use(beside=frozenset({"attribute"}), where=frozenset({"setting__yes"}))
    ),
    # "It's too loud, turn it down to 20", but not "it's too hot, turn the fan up".
    THEME: Use(first=True, beside=VALUES | CHANGING, never=ASKING | SWITCHING | NAMING | {"attribute"}),
    # "Any lights on" asks.
    "selected": Use(most=_ANY, behind=LEADING, never=ASKING),
    "unknown": Use(most=_ANY, beside=ABOUT_ONE),
    # 灯亮着，电视关了: only where nothing else is named.
    TOPIC: Use(first=True, never=ASKING | LISTED - {TOPIC}),
    # 打开灯 is told; "but not the lamp" is said of something before it.
    **dict.fromkeys(("stands", "kept", "further"), Use(first=False)),
}
"""Of what else a command may have, and of what it may not have everywhere."""
SILENT: Final = frozenset({FILLER, LEFT_OVER, "link", "begged", "hence"})
GAPS: Final = {
    **{sort: sort for sort in ("comma", EITHER, "joint", "mark", "begs")},
    "else": "next",
    TALK: "comma",
}
"""What stands between parts, and how it sets them apart."""
ORDER: Final = (
    *(OPENING, "permit", "negation", "standing", "every", "keep"),
    *("deed", "sole", "listed", "moved", "way", "do", "particle", "state", "course"),
    *sorted(ASKING - {"any"}),
    "any",
    *("measure", "stands", "compared", "grade", "felt", "settled", "rest", "follow"),
    *("attribute", "setting", THEME, "more", "level", "value", "degrees", "shaded", "bare", "manner"),
    *("limit", "partway", "utmost", "amount", "span", "extent", "chosen", "number"),
)
"""Verbs first: what is said of a value says more than a verb."""
