"""The one thing, or the one kind in one place, that a whole utterance names, whatever else it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from daemon.core.resolution import union
from daemon.home import kinds
from daemon.home.names import has_han, key, spelt, tokens
from daemon.resolve.index import Hit
from daemon.resolve.request import House
from daemon.resolve.scoring import name_signals

_MOST: Final = 10
"""Words, or Chinese characters, that a name may have here."""
_NEARLY: Final = 0.83
"""From this likeness on, words are a name that was not heard or typed exactly."""
_CLEARLY: Final = 0.1
"""By so much the most alike name has to lead."""
_SHORTEST: Final = 2
"""Letters of the shortest name that is looked for: less is in every sentence."""
_SHORTEST_NEARLY: Final = {True: 3, False: 6}
"""The same of what is only nearly a name, by whether it is Chinese."""
_NEAREST: Final = 8
"""So many names are compared with each run of words."""
_SPELT: Final = 2 * _NEARLY - 1
"""What is spelt less alike than this is not nearly a name, however much it sounds so."""
_MOST_NEARLY: Final = {True: 14, False: 8}
"""Words, or Chinese characters, of the longest utterance in which names are looked for that are only nearly said."""


class Passing(Struct, frozen=True):
    """What is named in passing."""

    words: str
    """As they were said."""
    entities: tuple[str, ...]
    """The ids of all that they mean: one, or all of a kind in a place."""
    share: float
    """How much of the utterance they are, 0 to 1."""


class _Span(Struct, frozen=True):
    start: int
    end: int
    words: str


def spoken_of(house: House, text: str, area: str | None, *, plain: bool = False) -> Passing | None:
    """The only thing that an utterance names clearly; None where it names none, or several.

    Names count where they are said exactly, else nearly; a kind where its place is said beside it, or (`plain`) where
    just one thing is called so. Nothing is guessed from meanings or descriptions, and rooms, scenes and people are no
    things. Of two desk lamps it is the one in the area where it was said.
    """
    spans = tuple(_spans(text))
    size = max((span.end for span in spans), default=0)
    places = {span: ids for span in spans if (ids := _places(house, span.words))}
    named = {span: ids for span in spans if (ids := _bearers(house, span.words))}
    of_kinds = {span: ids for span in spans if (ids := _of_kind(house, span.words))}
    things = _apart(named)
    found = (*things, *_apart(span for span in of_kinds if all(_clear(span, other) for other in things)))
    if not found and size <= _MOST_NEARLY[has_han(text)]:
        return _nearest(house, [span for span in spans if span not in places], size)
    if len(found) != 1:
        return None
    [span] = found
    share = (span.end - span.start) / size
    if not (plain and len(named.get(span, ())) == 1) and house.kind_words.said(tokens(span.words)) is not None:
        return None  # "the window" is said of any window, whatever here is called just so
    if span not in named:
        return Passing(span.words, of_kinds[span], share)
    return _placed(
        house, span, named[span], {item: ids for item, ids in places.items() if _clear(item, span)}, area, share
    )


def all_spoken_of(house: House, text: str, area: str | None) -> tuple[str, ...]:
    """All that an utterance names exactly: of what is called alike, what is here or where it was said, else all."""
    spans = tuple(_spans(text))
    places = {span: ids for span in spans if (ids := _places(house, span.words))}
    named = {span: ids for span in spans if (ids := _bearers(house, span.words) or _of_kind(house, span.words))}
    found: list[Iterable[str]] = []
    for span in _apart(named):
        beside = {item: ids for item, ids in places.items() if _clear(item, span)}
        placed = _placed(house, span, named[span], beside, area, 0.0)
        found.append(placed.entities if placed is not None else named[span])
    return union(found)


def _placed(
    house: House,
    span: _Span,
    ids: tuple[str, ...],
    places: Mapping[_Span, tuple[str, ...]],
    area: str | None,
    share: float,
) -> Passing | None:
    """Who bears a name: of several the one in the place that was said, else in this room."""
    if len(ids) == 1:
        return Passing(span.words, ids, share)
    for said, where in places.items():
        if len(there := _inside(house, ids, where)) == 1:
            joint = "" if has_han(span.words) else " "
            return Passing(f"{said.words}{joint}{span.words}", there, share)
    here = _inside(house, ids, (area,)) if area is not None and not places else ()
    return Passing(span.words, here, share) if len(here) == 1 else None


def _nearest(house: House, spans: Iterable[_Span], size: int) -> Passing | None:
    """What a run of words nearly names: its name, and not what was heard in its place."""
    found = {span: hit for span in spans if (hit := _nearly(house, span.words)) is not None}
    for span in _apart(found)[:1]:
        return Passing(key(found[span].name), (found[span].entity,), (span.end - span.start) / size)
    return None


def _spans(text: str) -> Iterator[_Span]:
    """All runs of words, the longest first."""
    words = spelt(text)
    for length in range(min(_MOST, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            han = any(map(has_han, run))
            yield _Span(start, start + length, ("" if han else " ").join(run))


def _apart(spans: Iterable[_Span]) -> tuple[_Span, ...]:
    """Those that lie in no longer one, the longest first."""
    taken: list[_Span] = []
    for span in sorted(set(spans), key=lambda item: (item.start - item.end, item.start)):
        if all(_clear(span, other) for other in taken):
            taken.append(span)
    return tuple(taken)


def _clear(one: _Span, other: _Span) -> bool:
    return one.end <= other.start or other.end <= one.start


def _is_thing(house: House, entity: str) -> bool:
    item = house.registry[entity]
    return item.exposed and item.kind in ("device", "group")


def _bearers(house: House, words: str) -> tuple[str, ...]:
    """Who is called so. A mere word for a kind names only what is called just that."""
    if len(words) < _SHORTEST:
        return ()
    hits = [hit for hit in house.index.exact(words) if _is_thing(house, hit.entity) and not hit.end]
    bare = house.kind_words.known(tokens(words))
    return union([hit.entity] for hit in hits if not (bare and hit.relative))


def _of_kind(house: House, words: str) -> tuple[str, ...]:
    """All of a kind in a place, where the words say both and nothing else."""
    said = house.kind_words.placed(tokens(words))
    if said is None:
        return ()
    kind, place = said
    inside = {item for where in _places(house, place) for item in house.registry.expand(where)}
    things = (item for item in inside if _is_thing(house, item))
    return tuple(sorted(item for item in things if kinds.fit(house.registry[item], kind) >= kinds.MEMBER))


def _places(house: House, words: str) -> tuple[str, ...]:
    found = (hit.entity for hit in house.index.exact(words))
    return tuple(item for item in found if house.registry[item].kind in ("area", "floor"))


def _nearly(house: House, words: str) -> Hit | None:
    """Whose name these words almost are, and no other's."""
    if len(words) < _SHORTEST_NEARLY[has_han(words)] or house.kind_words.known(tokens(words)):
        return None
    best: dict[str, tuple[float, Hit]] = {}
    # Word for word: "desk" is said of desks, and "does a light" is not "downlight".
    for hits in house.index.close(words, _SPELT, _NEAREST):
        signals = name_signals(words, hits[0].name, house.index.words)
        alike = (signals.get("fuzzy", 0.0) + signals.get("sound", 0.0)) / 2
        for hit in hits:
            if hit.entity not in best or best[hit.entity][0] < alike:
                best[hit.entity] = (alike, hit)
    ranked = sorted(best.values(), key=lambda item: -item[0])
    if not ranked or ranked[0][0] < _NEARLY or any(other > ranked[0][0] - _CLEARLY for other, _ in ranked[1:]):
        return None
    hit = ranked[0][1]
    return hit if _is_thing(house, hit.entity) else None


def _inside(house: House, ids: Iterable[str], places: Iterable[str]) -> tuple[str, ...]:
    """Those of them that are in one of these places."""
    inside = {item for place in places for item in house.registry.expand(place)}
    return tuple(item for item in ids if item in inside)
