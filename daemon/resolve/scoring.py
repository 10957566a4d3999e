"""The one score by which candidates are compared.

    name  = max(SIGNALS[s] * s  for each signal s of the mention against the name)
    score = sum(WEIGHTS[f] * f  for f in name, capability, kind, area, history)

All features and the score are 0 to 1.

| feature    | 1                                         | 0                                                           |
| ---------- | ----------------------------------------- | ----------------------------------------------------------- |
| exact      | the mention is the name or an alias       |                                                             |
| relative   | ... less the name of the area that it is in | ("ceiling light" for "Kitchen ceiling light")             |
| core       | ... but for the word for its kind         | ("reading light" for "Reading lamp")                        |
| part       | every word of the mention is in the name  | some are not                                                |
| fuzzy      | the same letters                          | none in common (normalized indel similarity)                |
| sound      | the same toneless pinyin, or English sounds | nothing alike (`daemon.resolve.alike`)                    |
| described  | every word is in its names, tags, description or place | none is (the rarer a word, the more it counts) |
| meaning    | what a model of meaning calls the same | nothing alike (`daemon.resolve.meaning.index`)   |
| capability | it can do what was asked, or that is not known | it cannot                                              |
| kind       | it is of the kind, or none was said       | it is not                                                   |
| area       | where was said, or nothing is known       | elsewhere; 0.4 where only the microphone's area says so     |
| history    | the speaker prefers it, 0.5: mentioned last | neither                                                   |

Two candidates of equal names in two rooms are told apart by the room of the microphone (0.06), not by history (0.03),
unless the margin of the gate is set lower.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from daemon.home.names import fold, has_han, key, tokens
from daemon.resolve.alike import compare
from daemon.resolve.sounds import phones

SIGNALS: Final[Mapping[str, float]] = {
    "exact": 1.0,
    "relative": 0.985,
    "core": 0.96,
    "part": 0.96,
    "sound": 0.95,
    "fuzzy": 0.90,
    "meaning": 0.80,
    "described": 0.75,
}
WEIGHTS: Final[Mapping[str, float]] = {
    "name": 0.72,
    "capability": 0.10,
    "kind": 0.05,
    "area": 0.10,
    "history": 0.03,
}

ELSEWHERE: Final = 0.4
"""The area feature of what is not in the microphone's room, where no room was said."""
_SHORT_LATIN: Final = 5
_SHORT_HAN: Final = 2
_SHORT_CAP: Final = 0.8
_WHOLE_WORD: Final = 3
"""From so many letters on, a word more is no slip of the ear."""
_SAME_SOUND: Final = 0.85
"""From here on two short words sound alike: "wreck", "rec"."""
_ANOTHER: Final = 0.85
"""What is left of a likeness where something else was said than this name: enough to ask, never to act."""
_PARTLY: Final = 0.8
_MOST: Final = 0.85
_PART_FLOOR: Final = 0.94


def name_signals(mention: str, name: str, words: frozenset[str] = frozenset()) -> dict[str, float]:
    """How alike a mention and a name are by letters, words and sound, each 0 to 1.

    `words`, the Latin ones of all names of this home, are taken at their word.
    """
    if key(mention) == key(name):
        return {"exact": 1.0}
    said, known = fold(mention), fold(name)
    if not said or not known:
        return {}
    if said == known:
        return {"exact": 0.99}
    alike = compare(mention, name, words)
    signals = {"fuzzy": alike.letters, "sound": alike.sound}
    # A short name is soon like another: likeness alone may propose it, never settle it.
    short = min(len(said), len(known))
    if short < (_SHORT_HAN if has_han(known) else _SHORT_LATIN) or _differ_shortly(mention, name):
        signals = {signal: min(value, _SHORT_CAP) for signal, value in signals.items()}
    if alike.another:
        signals = {signal: _ANOTHER * value for signal, value in signals.items()}
    if (part := _part(mention, name, said, known)) > 0:
        signals["part"] = part
    return signals


def name_value(signals: Mapping[str, float]) -> float:
    """The `name` feature of a candidate's signals."""
    return max((SIGNALS[signal] * value for signal, value in signals.items() if signal in SIGNALS), default=0.0)


def score(features: Mapping[str, float]) -> float:
    """The score of a candidate, rounded so that equals compare equal."""
    total = 0.0
    for feature, weight in WEIGHTS.items():
        total += weight * features.get(feature, 0.0)
    return round(total, 4)


def _differ_shortly(mention: str, name: str) -> bool:
    """Whether what two names do not share is short and sounds another: "pool light", "ball light", 射灯, 夜灯.

    So too where something was said that the name does not have: nobody hears the "blue" of "blue fan" by mistake.
    """
    said, known = tokens(mention), tokens(name)
    if has_han(mention) or has_han(name):
        return _differ_in_han(said, known)
    if len(said) == 1 or len(known) == 1:
        return False
    apart = "".join(word for word in said if word not in known), "".join(word for word in known if word not in said)
    if not apart[1]:
        return len(apart[0]) >= _WHOLE_WORD
    if not 0 < min(map(len, apart)) <= _SHORT_LATIN:
        return False
    return Indel.normalized_similarity(phones(apart[0]), phones(apart[1])) < _SAME_SOUND


def _differ_in_han(said: tuple[str, ...], known: tuple[str, ...]) -> bool:
    shorter = min(len(said), len(known))
    begin = next((at for at in range(shorter) if said[at] != known[at]), shorter)
    rest = shorter - begin
    end = next((at for at in range(rest) if said[-1 - at] != known[-1 - at]), rest)
    apart = "".join(said[begin : len(said) - end]), "".join(known[begin : len(known) - end])
    if not apart[1]:
        stuttered = begin > 0 and set(apart[0]) <= {said[begin - 1]}
        return bool(apart[0]) and not stuttered
    return 0 < len(apart[0]) <= _SHORT_HAN and compare(*apart, frozenset()).sound < _SAME_SOUND


def _part(mention: str, name: str, said: str, known: str) -> float:
    inside = said in known if has_han(said) else _in_order(tokens(mention), tokens(name))
    return _PART_FLOOR + (1 - _PART_FLOOR) * len(said) / len(known) if inside else 0.0


def _in_order(said: tuple[str, ...], known: tuple[str, ...]) -> bool:
    """Whether all words are in a name; with a number among them, in its order: "13 desks" are no "Desk 13"."""
    if any(word.isdigit() for word in said):
        rest = iter(known)
        return all(word in rest for word in said)
    return set(said) <= set(known)


def ceiling(name: float) -> float:
    """The highest score that a candidate of this `name` feature can have, less its history."""
    return score({feature: 1.0 for feature in WEIGHTS if feature != "history"} | {"name": name})


def likeness(mention: str, name: str, words: frozenset[str] = frozenset()) -> float:
    """How near a name is, 0 to 1, for "did you mean": also where only a part of it was said or heard.

    Both letters and sounds have to be near: English vowels that are only guessed make "popcorn" sound like "speaker".
    """
    signals = name_signals(mention, name, words)
    said, known = fold(mention), fold(name)
    alike = (signals.pop("fuzzy", 0.0) + signals.pop("sound", 0.0)) / 2
    if min(len(said), len(known)) >= (_SHORT_HAN if has_han(known) else _SHORT_LATIN):
        partial = fuzz.partial_ratio(said, known) / 100
        alike = max(alike, _PARTLY * partial if partial >= _MOST else 0.0)
    return max(alike, name_value(signals))
