"""The sorts of parts that a sentence is read from (`rules/frames.yaml`), and which of them belong together."""

from __future__ import annotations

from typing import Final

CLAUSE: Final = "clause"
"""A whole command that the grammar reads by itself."""
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
    {
        "asks",
        "did",
        "which",
        "whatever",
        "finds",
        "tells",
        "how",
        "where",
        "since",
        "about",
        "tag",
        "graded",
        "any",
        "rooms",
    }
)
"""What makes a question of what stands beside it."""
ABOUT_ONE: Final = frozenset({"asks", "did", "tells", "how", "since", "about", "tag"})
"""What may ask about a thing that nobody knows."""
ASKED: Final = frozenset({"unknown", "stands", "compared", "grade", "felt", "measure", "settled", "rest", "follow"})
"""What only a question has."""
WITH: Final = {
    **dict.fromkeys(ASKED, ASKING),
    "begged": frozenset({"begs"}),
    **dict.fromkeys((BROKEN, *INSTEAD), frozenset({CORRECTION})),
    "hours": frozenset({"negation", "sole"}),
}
"""What is only there where one of these is."""
VERBS: Final = ASKING | {"deed", "sole", "moved", "way", "do", "keep", "particle", "state", "course"}
SWITCHING: Final = frozenset({"deed", "moved", "particle", "state"})
CHANGING: Final = frozenset({"way", "course", "more"})
VALUES: Final = frozenset(
    {"level", "value", "degrees", "shaded", "bare", "manner", "limit", "partway", "utmost", "amount", "more"}
)
FRAMED: Final = (VERBS | VALUES | INSTEAD | ASKED | {"stress"}) - {"unknown"}
"""What decides which frame it is."""
STRANGER: Final = "stranger"
"""A thing that nobody knows, and that something is done to."""
NAMING: Final = frozenset({"target", "selected", "described", "unknown", STRANGER})
LISTED: Final = NAMING | {"place"}
"""What "and" and commas may join inside of one command."""
FRONT: Final = frozenset({"when", "if"})
NEVER_ASKED: Final = frozenset({"if", "negation", "attribute", "permit", "standing", "dropped", "selected"})
"""What no question has."""
_ONCE: Final = (
    "ask",
    "further",
    "contrast",
    "say",
    "attribute",
    "spared",
    "kept",
    "negation",
    "every",
    "permit",
    "standing",
    "dropped",
    "purpose",
    OPENING,
)
AT_MOST: Final = {**dict.fromkeys(_ONCE, 1), "when": 2, "if": 2, "hours": 2}
"""What else a command may have, and how often."""
SILENT: Final = frozenset({FILLER, LEFT_OVER, "link", "begged"})
GAPS: Final = {
    **{sort: sort for sort in ("comma", EITHER, "joint", "mark")},
    "else": "next",
    TALK: "comma",
    "begs": "mark",
}
"""What stands between parts, and how it sets them apart."""
ORDER: Final = (
    *(
        OPENING,
        "permit",
        "negation",
        "standing",
        "every",
        "keep",
        "deed",
        "sole",
        "moved",
        "way",
        "do",
        "particle",
        "state",
        "course",
    ),
    *sorted(ASKING - {"any"}),
    "any",
    *("measure", "stands", "compared", "grade", "felt", "settled", "rest", "follow"),
    *("attribute", "more", "level", "value", "degrees", "shaded", "bare", "manner"),
    *("limit", "partway", "utmost", "amount", "number"),
)
"""Verbs first: what is said of a value says more than a verb."""
