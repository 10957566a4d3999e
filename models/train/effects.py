"""Whether a reading does what was wanted: by what would come of it in a home, not by how it is written down.

"The light in the larder" is the same with the larder in the name or beside it; "stop the fan" switches it off; a name
that was heard a letter short is found or asked about; and what is asked about in any case does nothing by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from rapidfuzz.fuzz import ratio

from daemon.compiler.drafting import Drafted
from daemon.core.ir import Clause, Inquiry, Order, Prohibition
from daemon.core.values import to_dict

_SAME: Final = (
    frozenset({"turn_on", "open", "start", "play"}),
    frozenset({"turn_off", "close"}),
    frozenset({"turn_off", "stop"}),
    frozenset({"stop", "pause"}),
)
"""Actions of which a thing can do one: a lamp is not opened, a fan not paused."""
_BOTH: Final = frozenset({"cover", "curtain", "blind", "shutter", "shade", "vacuum", "tv", "speaker", "media_player"})
"""Kinds that stop otherwise than they are switched off, or closed."""
_ALIKE: Final = 60.0
"""Of 100: names so alike are found, or asked about."""
_INFLECTED: Final = 85.0
"""Of 100: so alike are a word and its plural."""
_DOORS: Final = frozenset({"door", "lock", "gate"})
"""What is locked, by what is locked there."""
_AMOUNTS: Final = frozenset({"brightness", "position", "volume", "speed", "humidity"})
"""In percent: of these, most things have one."""
_ASKED: Final = frozenset({"unlock", "disarm"})
_PLAYING: Final = frozenset({"play", "pause", "resume", "stop", "next", "previous", "mute", "unmute"})
"""Of these, what plays is meant where nothing is named."""
_MEDIA: Final = frozenset({"tv", "speaker", "media_player"})
_OF_MEDIA: Final = frozenset({"volume", "source"})
_OPTIONS: Final = frozenset({"mode", "source", "effect", "media"})
"""Of these there are a few by name: what was heard is looked for among them, a word more or less."""
_OWN_WORDS: Final = frozenset({"targets", "excluded", "target", "confidence", "wish", "name", "reminds"})
"""What is compared otherwise, or named in the speaker's words."""


def same_effect(wanted: Drafted, got: Drafted) -> bool:
    """Whether what was read comes to the same as what was wanted."""
    if wanted.program is None or got.program is None:
        return wanted.program is got.program and got.draft is not None
    first, second = wanted.program.clauses, got.program.clauses
    return len(first) == len(second) and all(map(_same, first, second))


def does_harm(wanted: Drafted, got: Drafted) -> bool:
    """Whether something else would be done than was wanted, with nobody asked."""
    return got.program is not None and not _does_nothing(got.program.clauses) and not same_effect(wanted, got)


def _does_nothing(clauses: Iterable[Clause]) -> bool:
    """Whether nothing is done before somebody says yes."""
    return all(
        clause.negated
        or isinstance(clause, Inquiry | Prohibition)
        or (isinstance(clause, Order) and (clause.implicit or clause.action in _ASKED))
        for clause in clauses
    )


def _same(wanted: Clause, got: Clause) -> bool:
    first, second = to_dict(wanted), to_dict(got)
    actions = {str(item.pop("action", None)) for item in (first, second)}
    if len(actions) > 1 and not _one_deed(actions, wanted):
        return False
    _level(first.get("parameter"), second.get("parameter"))
    if actions <= _PLAYING or (first.get("parameter") or {}).get("attribute") in _OF_MEDIA:
        for item in (first, second):
            if all(map(_plays, _listed(item, "targets"))):
                item.pop("targets", None)
    return _alike(first, second)


def _one_deed(actions: set[str], wanted: Clause) -> bool:
    kinds = {target.kind for target in getattr(wanted, "targets", ())}
    return any(actions <= same and not ("stop" in same and "turn_off" in same and kinds & _BOTH) for same in _SAME)


def _plays(target: dict[str, Any]) -> bool:
    """Whether it is what plays, whatever it is called and wherever nobody says: "the film", "the telly"."""
    return target.get("kind") in _MEDIA and not (target.get("areas") or target.get("floors"))


def _level(first: Any, second: Any) -> None:
    """What is said in percent of a thing is of the one amount that it has."""
    if isinstance(first, dict) and isinstance(second, dict):
        for item in (first, second):
            if item.get("attribute") in _AMOUNTS:
                item["attribute"] = "amount"


def _alike(first: Any, second: Any) -> bool:
    """Whether two values are the same, less what things are called."""
    if isinstance(first, dict) and isinstance(second, dict):
        if first.get("attribute") == second.get("attribute") and first.get("attribute") in _OPTIONS:
            return _called_alike(str(first.get("value")), str(second.get("value")))
        keys = (first.keys() | second.keys()) - _OWN_WORDS
        if any(not _alike(first.get(key), second.get(key)) for key in keys):
            return False
        spared = len(_listed(first, "excluded")) <= len(_listed(second, "excluded"))
        return spared and all(_no_wider(_listed(first, key), _listed(second, key)) for key in ("targets", "target"))
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(_alike, first, second))
    return bool(first == second)


def _listed(item: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = item.get(key) or []
    return [found] if isinstance(found, dict) else list(found)


def _no_wider(wanted: list[dict[str, Any]], got: list[dict[str, Any]]) -> bool:
    """Whether nothing is reached that was not meant.

    A name is found, or asked about where it was heard wrong: the home has what was meant, and nothing else that is
    called nearly so. What names nothing, or only a kind, reaches for more.
    """
    if not got:
        return not any(map(_is_told, wanted))
    if not wanted:
        return len(got) == 1 and _is_only_a_kind(got[0])
    return len(got) <= len(wanted) and all(any(_reaches(said, heard) for said in wanted) for heard in got)


def _is_told(target: dict[str, Any]) -> bool:
    """Whether it says more than a kind."""
    return bool(target.get("mention") or target.get("areas") or target.get("floors"))


def _is_only_a_kind(target: dict[str, Any]) -> bool:
    """Whether it is one thing of a kind, where what is to be done says that already: "*the AC* to 26 degrees"."""
    return not _is_told(target) and target.get("reference") is None and target.get("quantifier") in (None, "one")


def _reaches(said: dict[str, Any], heard: dict[str, Any]) -> bool:
    name, other = said.get("mention"), heard.get("mention")
    if other is not None:
        return name is None or _called_alike(name, other)
    kinds = {said.get("kind"), heard.get("kind")}
    narrower = said.get("kind") is None or len(kinds) == 1 or kinds <= _DOORS
    there = all(_places_alike(said.get(key) or (), heard.get(key) or ()) for key in ("areas", "floors"))
    return name is None and narrower and there and said.get("reference") == heard.get("reference")


def _places_alike(said: Sequence[str], heard: Sequence[str]) -> bool:
    """Whether they are the same places, by the same names but for an ending: "the cellar's warmer"."""
    return len(said) == len(heard) and all(map(_inflected, said, heard))


def _inflected(one: str, other: str) -> bool:
    return ratio(one, other) >= _INFLECTED


def _called_alike(name: str, other: str) -> bool:
    return name in other or other in name or ratio(name, other) >= _ALIKE
