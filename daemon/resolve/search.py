"""One target -> its resolution, in rounds: the exact name first, then what is alike, then what is told of things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.core.ir import Kind
from daemon.core.resolution import Candidate, Resolution
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.home import kinds
from daemon.home.config import RoundSettings
from daemon.home.names import tokens, without
from daemon.resolve.candidates import LIKENESS, beside_a_kind, by_name, nearest, one_of, signal_of
from daemon.resolve.choosing import STRONG, decide, less_room, owned
from daemon.resolve.evidence import told_apart
from daemon.resolve.members import are_lights, kind_goes_before, like_last
from daemon.resolve.places import Scope
from daemon.resolve.request import House, Request
from daemon.resolve.rounds import CATCH_ALL, LookUps, Rounds, joined
from daemon.resolve.sets import everything_of, in_place
from daemon.resolve.unnamed import (
    UNKNOWN_PART,
    cleaned,
    everybody,
    going,
    kind_alone,
    less_others,
    main_light,
    whatever_tells,
)

_FEW: Final = 3
_ELSEWHERE: Final = 0.7
"""How sure a name is that was only found outside the place that was said: never enough to act."""
_PLACE: Final = 0.95
"""How sure a place must be to be taken out of a name."""


class Search:
    """One look-up. Notes its rounds as it goes."""

    def __init__(
        self,
        house: House,
        request: Request,
        thresholds: Thresholds,
        settings: RoundSettings | None = None,
    ) -> None:
        self._house = house
        self._request = request
        self._thresholds = thresholds
        self._rounds = Rounds(request.target.mention or "", settings or RoundSettings(), house.registry)
        self._look_ups = LookUps(house, thresholds, self._rounds)

    def run(self) -> Resolution:
        """The resolution, with the rounds that led to it."""
        if (found := owned(self._house, self._request) or told_apart(self._house, self._request)) is not None:
            return found
        self._request = less_room(self._house, self._request)
        found = self._cleaned()
        if found is None:
            found = self._mentioned() if self._request.target.mention else self._unnamed()
        return replace(found, rounds=(*self._rounds.notes, *found.rounds))

    def proposed(self) -> tuple[Candidate, ...]:
        """All that the look-ups by exact and by similar names propose, best first, whatever would come of it."""
        mention = self._request.target.mention or ""
        words = tokens(mention)
        for look_up in ("exact", "alike"):
            self._look_ups.make(self._request, look_up, mention, words, self._less_places(words))
        return tuple(self._rounds.pool)

    def _cleaned(self) -> Resolution | None:
        """The vacuum that is to clean the place that was said, where one is meant."""
        words = tokens(self._request.target.mention or "")
        if self._less_places(words) != words:
            return None  # "the kitchen vacuum" is a name
        return cleaned(self._house, self._request)

    def _unnamed(self) -> Resolution:
        request = self._request
        if (unknown := self._unknown_place()) is not None:
            return unknown
        if (people := everybody(self._house, request)) is not None:
            return people
        if request.target.kind is not None:
            return self._like_last() or everything_of(self._house, request, request.target.kind)
        if request.scope.spoken and not request.scope.whole:
            return in_place(self._house, request)
        if request.scope.whole:
            every = replace(request, target=replace(request.target, quantifier="all"))
            return everything_of(self._house, every, request.need.implied_kind or "device")
        if request.need.reads and request.need.attribute != "state":
            return whatever_tells(self._house, request)
        if (kind := request.need.implied_kind) is not None:
            return going(self._house, request) or everything_of(self._house, request, kind)
        return Resolution(request.target, "missing")

    def _like_last(self) -> Resolution | None:
        """What is of the sort that was spoken of last, in the place that was said: "the one downstairs"."""
        house, request = self._house, self._request
        if request.target.kind != "device":
            return None
        return like_last(house, request) or (in_place(house, request) if are_lights(house, request) else None)

    def _mentioned(self) -> Resolution:
        mention = self._request.target.mention or ""
        said = self._house.kind_words
        words = tokens(mention)
        rest = self._less_places(words)
        kind = self._request.target.kind or said.last(rest)
        self._request = replace(self._request, target=replace(self._request.target, kind=kind))
        sensing = self._request.target.senses is not None
        only_kind = said.said(rest) is not None and not beside_a_kind(self._house, self._request.target)
        pure = not rest or sensing or (only_kind and (kind not in CATCH_ALL or self._asks_sensor()))
        if not rest and kind is None:
            return self._unnamed()
        named = by_name(self._house, self._request, mention)
        self._look_ups.take(self._request, "exact", named)
        # A place that is only part of the name says nothing about where it is: "kitchen clock", in the hall.
        part_of_name = rest != words
        within = [
            item
            for item in named
            if (item.features["area"] > 0 or (part_of_name and "exact" in item.features))
            and not (pure and "relative" in item.features and not self._is_there(item))
        ]
        if (main := main_light(self._house, self._request, rest, within)) is not None:
            self._rounds.note("kind", (), stop=True, reason="the main light of a room is its own, or the one above")
            return main
        if within and not (pure and kind_goes_before(self._house, self._request, within, rest)):
            decided = self._decide(within)
            if decided is not None:
                return self._instead(decided, words, rest, kind) or decided
        elif not named and (place := self._place_alone(mention)) is not None:
            return place
        if (unknown := self._unknown_place()) is not None:
            return unknown
        if pure and kind is not None:
            self._rounds.note("kind", within, stop=False, reason="the words only say a kind")
            return self._called_so(mention, words) or kind_alone(self._house, self._request, self._rounds, rest, kind)
        return self._placed(words, rest, kind) or self._alike(mention, words, rest, kind)

    def _asks_sensor(self) -> bool:
        """Whether what a sensor of a place tells is asked for: "the battery of the hall sensor"."""
        need, target = self._request.need, self._request.target
        return target.kind == "sensor" and need.reads and need.attribute != "state" and self._request.scope.spoken

    def _instead(
        self, decided: Resolution, words: tuple[str, ...], rest: tuple[str, ...], kind: Kind | None
    ) -> Resolution | None:
        """What else is meant where only a sensor has this name: "lock the front door"."""
        request, registry = self._request, self._house.registry
        if decided.status != "unsupported" or any(registry[item].type != "sensor" for item in decided.entities):
            return None
        found = self._alike(request.target.mention or "", words, rest, kind)
        settled = found.status in ("resolved", "ambiguous")
        if not settled and request.scope.spoken and request.need.implied_kind is not None:
            found = in_place(self._house, replace(request, target=replace(request.target, kind=None)))
        return found if found.status in ("resolved", "ambiguous") else None

    def _called_so(self, mention: str, words: tuple[str, ...]) -> Resolution | None:
        """Those of a kind whose names have these very words in them: "front door" in "Front door lock", "spotlight"."""
        if len(words) == 1 and self._house.kind_words.plain(words):  # "light" is in the names of half the house
            return None
        found, inside = self._look_ups.alike(self._request, mention), self._house.kind_words.inside
        called = [
            item
            for item in found
            if item.features["area"] > 0
            and item.features["capability"] * item.features["kind"] > 0
            and any(inside(tokens(name), words) for name in self._house.registry[item.entity].names)
        ]
        if not called or kind_goes_before(self._house, self._request, called, self._less_places(words)):
            return None
        return self._decide(called)

    def _placed(self, words: tuple[str, ...], rest: tuple[str, ...], kind: Kind | None) -> Resolution | None:
        """A kind in a place that was said as a part of the name: "lab light", where there are two labs."""
        core = self._house.kind_words.core(rest)
        request = self._request
        if kind is None or not core or core == words or request.scope.spoken:
            return None
        if self._house.kind_words.known(rest):
            return None  # 大灯 is one of the lights, and none of 大厅
        place = joined(core)
        places, sure = self._house.places.find(place, self._request.context.area)
        if not places and len(several := self._house.places.in_a_row(core)) > 1:
            self._rounds.note("place", (), stop=False, reason="what is special about it are places in a row")
            target = replace(request.target, mention=None, kind=kind, areas=several, quantifier="all")
            scope = self._house.places.scope(target, request.context)
            return everything_of(self._house, replace(request, target=target, scope=scope), kind)
        if not places or sure < _PLACE or (sure < 1 and self._called(words)):
            return None
        self._rounds.note("place", (), stop=False, reason="what is special about it is a place")
        scope = self._house.places.scope(replace(request.target, areas=(place,)), request.context)
        found = everything_of(self._house, replace(request, scope=scope), kind)
        return found if found.status in ("resolved", "ambiguous") else None

    def _misheard_place(self, words: tuple[str, ...], kind: Kind | None, *, sure: bool) -> Resolution | None:
        """A kind in a place that was not heard rightly: "the lights in the kitchn", 出房的灯.

        Where it is sure which place, that is meant; else those that are called something like it are named.
        """
        request, places = self._request, self._house.places
        said = () if self._house.kind_words.known(words) else self._house.kind_words.place(words)
        if kind is None or kind in CATCH_ALL or not said or said == words or request.scope.spoken:
            return None
        name = joined(said)
        target = replace(request.target, mention=None, kind=kind, areas=(name,))
        scope = places.scope(target, request.context)
        if scope.unknown is not None:
            near = () if sure else scope.nearest
            return Resolution(target, "not_found", nearest=near) if near else None
        if not sure:
            return None
        self._rounds.note("place", (), stop=True, reason="what is special about it is like a place")
        found = everything_of(self._house, replace(request, target=target, scope=scope), kind)
        return found if found.status in ("resolved", "ambiguous") else None

    def _called(self, words: tuple[str, ...]) -> bool:
        """Whether something here has all but this very name, rather than being of a kind in a place."""
        found = self._look_ups.alike(self._request, self._request.target.mention or joined(words))
        return any(
            item.features["name"] >= STRONG and item.features["area"] > 0 and signal_of(item) in LIKENESS
            for item in found[:_FEW]
        )

    def _alike(self, mention: str, words: tuple[str, ...], rest: tuple[str, ...], kind: Kind | None) -> Resolution:
        request = self._request
        for look_up in self._look_ups.left():
            if not self._look_ups.make(request, look_up, mention, words, rest):
                break
        found = self._rounds.pool
        within = [item for item in found if item.features["area"] > 0]
        decided = self._decide(within) or self._told_by_name(words, kind)
        if decided is not None:
            return decided
        if (place := self._misheard_place(words, kind, sure=True)) is not None:
            return place
        outside = [item for item in found if item.features["area"] == 0 and item.features["capability"] > 0]
        elsewhere = outside[0] if outside and outside[0].features["name"] >= STRONG else None
        # The light of the TV is no other light because there is only one.
        other = beside_a_kind(self._house, request.target) and bool(self._house.index.exact(mention))
        if kind is not None and kind not in CATCH_ALL and not request.plural and not other:
            structural = everything_of(self._house, request, kind)
            structural = less_others(self._house, request, self._rounds, structural)
            here = structural.candidates if structural.status == "ambiguous" else ()
            if structural.status == "resolved" and not structural.is_set:
                reason = "the description says nothing, but only one is of the kind"
                self._rounds.note("kind", (), stop=True, reason=reason)
                if elsewhere is None:
                    return replace(structural, confidence=min(structural.confidence, UNKNOWN_PART), evidence="")
                # Either the place or the name was wrong.
                only = [self._house.registry[item] for item in structural.entities]
                here = one_of(self._house, request, only).candidates
            if here and len(here) <= _FEW:
                reason = "the description says nothing, but only a few are of the kind"
                self._rounds.note("kind", here, stop=True, reason=reason)
                options = here if elsewhere is None else (elsewhere, *here)
                return Resolution(request.target, "ambiguous", via=structural.via, candidates=options)
        if elsewhere is not None:
            self._rounds.note("elsewhere", outside, stop=True, reason="so called, but not in this place")
            return Resolution(
                request.target, "resolved", (elsewhere.entity,), candidates=tuple(outside[:3]), confidence=_ELSEWHERE
            )
        place = self._misheard_place(words, kind, sure=False)
        return place or Resolution(request.target, "not_found", nearest=nearest(self._house, request, mention))

    def _told_by_name(self, words: tuple[str, ...], kind: Kind | None) -> Resolution | None:
        """The one of a kind whose name has a word of the description: "the light by the sofa" is the sofa lamp."""
        house, request = self._house, self._request
        if kind is None or kind in CATCH_ALL or request.plural or beside_a_kind(house, request.target):
            return None
        special = {word for word in words if house.kind_words.said((word,)) is None}
        near = [item for item, fit in house.index.of_kind(kind) if fit >= kinds.MEMBER and request.need.fits(item)]
        near = [item for item in near if item.exposed and house.places.holds(request.scope, item)]
        told = [item.id for item in near if any(not special.isdisjoint(tokens(name)) for name in item.names)]
        if len(told) != 1 or len(near) == 1:
            return None
        self._rounds.note("kind", (), stop=True, reason="one of the kind has a word of it in its name")
        return Resolution(request.target, "resolved", (told[0],), confidence=UNKNOWN_PART)

    def _decide(self, found: Sequence[Candidate]) -> Resolution | None:
        """What candidates mean, or None where nothing is good enough."""
        decided, reason = decide(self._house, self._request, self._thresholds, found)
        able = [item for item in found if item.features["capability"] > 0]
        self._rounds.note("decide", able or found, stop=decided is not None, reason=reason)
        return decided

    def _is_there(self, item: Candidate) -> bool:
        """Whether "the light" may be short for its name: one was said, in the very area that its name has, too."""
        request = self._request
        area = request.scope.via if request.scope.spoken else request.context.area
        return not request.plural and area is not None and self._house.index.area(item.entity) == area

    def _place_alone(self, mention: str) -> Resolution | None:
        places = self._house.places
        if self._request.scope.spoken or not any(
            self._house.registry[hit.entity].kind in ("area", "floor") for hit in self._house.index.exact(mention)
        ):
            return None
        target = replace(self._request.target, areas=(mention,))
        scope = places.scope(target, self._request.context)
        self._rounds.note("place", (), stop=True, reason="the words name a place")
        return in_place(self._house, replace(self._request, scope=scope))

    def _unknown_place(self) -> Resolution | None:
        scope: Scope = self._request.scope
        if scope.unknown is None:
            return None
        self._rounds.note("place", (), stop=True, reason="there is no such place")
        return Resolution(self._request.target, "not_found", nearest=scope.nearest, unknown=scope.unknown)

    def _less_places(self, words: tuple[str, ...]) -> tuple[str, ...]:
        spoken = frozenset(tokens(place) for place in (*self._request.target.areas, *self._request.target.floors))
        return without(words, spoken, max((len(run) for run in spoken), default=0)) if spoken else words
