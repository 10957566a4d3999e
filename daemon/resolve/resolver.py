"""Which entities a clause means."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial

from daemon.core.ir import AboutList, Broadcast, Clause, Condition, Inquiry, Target, Timer
from daemon.core.resolution import ClauseResolution, Context, Resolution, less, union
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.home.config import RoundSettings
from daemon.home.kinds import KindWords
from daemon.home.registry import Registry
from daemon.home.sensing import AMBIENT
from daemon.resolve import sounds
from daemon.resolve.alike import Contrasts
from daemon.resolve.choosing import of_one_kind
from daemon.resolve.evidence import behind, of_told
from daemon.resolve.index import nearby
from daemon.resolve.members import nth, so_called
from daemon.resolve.passing import Passing, all_spoken_of, spoken_of
from daemon.resolve.places import Scope, inside_of, moved
from daemon.resolve.proposers import Meaning
from daemon.resolve.references import is_room_temperature, resolve_named, resolve_reference
from daemon.resolve.request import Need, Request, made, need_of, need_of_condition, nowhere
from daemon.resolve.search import Search
from daemon.resolve.sets import everything_of, of_group
from daemon.resolve.unnamed import PASSING, indoors, less_rooms, outspoken, passing_there, whatever_tells, witness
from daemon.system.languages import written_in_han
from daemon.system.worker import Derived

_REFERENCES = frozenset({"it", "that", "them", "again", "other", "rest"})
_ROOMS = frozenset({"here", "there"})
_ANYTHING = Need()


class Resolver:
    """Resolves the targets of clauses against one registry, and keeps the index up to date with it.

    Args:
        registry, kind_words: The home, and the words for kinds of all languages.
        thresholds, rounds: What counts as sure, and how long a name is looked for.
        meanings: For each, what proposes entities of a registry by their meaning.
        places, contrasts: Words for places, with the place that they say; words that tell two things apart.
    """

    def __init__(
        self,
        registry: Registry,
        kind_words: KindWords | None = None,
        thresholds: Thresholds | None = None,
        *,
        rounds: RoundSettings | None = None,
        meanings: Sequence[Callable[[Registry], Meaning]] = (),
        places: Mapping[str, str] | None = None,
        contrasts: Mapping[str, str] | None = None,
    ) -> None:
        self._registry = registry
        self.kind_words = kind_words or KindWords({})
        registry.imply(self.kind_words, places)
        self._thresholds, self._rounds = thresholds or Thresholds(), rounds or RoundSettings()
        self._house = Derived(
            lambda: registry.version,
            partial(made, registry, self.kind_words, tuple(meanings), Contrasts(contrasts)),
        )

    def resolve(self, target: Target, need: Need, context: Context) -> Resolution:
        """What one target means."""
        house = self._house.get()
        named = target.mention is not None or (target.kind is not None and target.reference == "it")
        if target.reference in _REFERENCES and not named:
            return resolve_reference(house, Request(target, need, context, house.places.scope(target, context)))
        if target.reference in ("it", "rest"):
            called = self.resolve(replace(target, reference=None), need, context)
            return resolve_named(house, Request(target, need, context, house.places.scope(target, context)), called)
        if target.reference == "there":
            target, context = house.places.there(target, context, self._room_of(context.last))
        if target.reference == "there" or (target.reference == "here" and context.area is None and not need.reads):
            return Resolution(target, "missing")
        request = Request(target, need, context, house.places.scope(target, context))
        if target.ordinal is not None:
            return nth(house, request, self.resolve(replace(target, ordinal=None, quantifier="all"), need, context))
        apart = len(target.areas) > 1 and target.quantifier == "one" and not target.cleans
        if apart and (each := self._in_each(target, need, context)):
            return each
        found = indoors(house, request, Search(house, request, self._thresholds, self._rounds).run())
        if not need.reads:
            return found
        return witness(house, found, need) if found.status == "unsupported" else outspoken(house, found, need)

    def proposed(self, target: Target, need: Need, context: Context) -> frozenset[str]:
        """The ids of all candidates for a target's mention, good enough or not: what the right one has to be among."""
        house = self._house.get()
        request = Request(target, need, context, house.places.scope(target, context))
        return frozenset(item.entity for item in Search(house, request, self._thresholds, self._rounds).proposed())

    def nearby(self, text: str, most: int) -> tuple[str, ...]:
        """Names of the entities that an utterance may be about, a name each, best first. Blocking; for any thread."""
        return nearby(self._registry, self._house.get().index, text, most)

    def is_room_temperature(self, value: float, ids: Sequence[str] = ()) -> bool:
        """Whether a bare number for a room may be meant as its temperature, by these or by any that can be set."""
        return is_room_temperature(self._house.get(), value, ids)

    def spoken_of(self, text: str, context: Context, *, plain: bool = False) -> Passing | None:
        """The only thing that a whole utterance (normalized) names, whatever else it says; None where there is none."""
        return spoken_of(self._house.get(), text, context.area, plain=plain)

    def named_in(self, text: str, context: Context) -> tuple[str, ...]:
        """The ids of all that an utterance (normalized) names exactly, whatever it says of them."""
        return all_spoken_of(self._house.get(), text, context.area)

    def scope(self, target: Target, context: Context) -> Scope:
        """The places that a target names."""
        return self._house.get().places.scope(target, context)

    def resolve_clause(self, clause: Clause, context: Context) -> ClauseResolution:
        """What all names of a clause mean; found out once in an utterance."""
        key = (self, clause, context)
        if (found := context.resolved.get(key)) is None:
            found = context.resolved[key] = self._resolved(clause, context)
        return found

    def _resolved(self, clause: Clause, context: Context) -> ClauseResolution:
        """What is excluded is resolved first and taken from every target; a reminder is about no device."""
        need = need_of(clause)
        spares = () if isinstance(clause, Inquiry) and not context.last else clause.excluded  # "what else is on"
        excluded = tuple(self._spared(target, clause.targets, context) for target in spares)
        gone = {entity for item in excluded for entity in item.entities}
        said = of_told(self._registry, clause.targets, gone, context)
        apart = isinstance(clause, Timer | AboutList | Broadcast)
        wanted: Sequence[Target] = said or (() if apart else (Target(),))
        told = any(item.reference is None for item in clause.excluded)  # "it" may be wherever he spoke of before
        elsewhere = told and bool(gone) and not any(self._room_of((item,)) in (None, context.area) for item in gone)
        if elsewhere or any(item.areas or item.floors or item.reference in _ROOMS for item in clause.excluded):
            context = replace(context, area=None)  # who spares a room, or a thing in one, speaks of more than his own
        if any(item.reference == "rest" for item in wanted):  # "leave the lamps on and the rest off"
            context = replace(context, spoken=context.spoken.then(tuple(gone)))
        named: list[Resolution] = []
        for target in wanted:
            named += [self._shared(target, wanted, named[-1:], need, behind(target, named, context))]
        same = isinstance(clause, Inquiry) and {item.entities for item in named[1:]} == {named[0].entities}
        if same and wanted[0].reference == "it":  # "how warm is the study? Is it warmer than the study": than here
            named[0] = self.resolve(replace(wanted[0], reference="here"), need, context)
        rounds = less_rooms(self._house.get(), need, named, excluded)
        targets, excluded = rounds or (less(named, gone), excluded)
        known = union(item.entities for item in targets if item.status == "resolved")
        left_out = union(item.left_out for item in targets)
        return ClauseResolution(targets, excluded, self.conditions(clause, targets, context), known, left_out)

    def room_of(self, clause: Clause, context: Context) -> str | None:
        """The one area that is named in a clause."""
        return self._house.get().places.only([target for target in clause.targets if target.areas], context)

    def conditions(self, clause: Clause, targets: Sequence[Resolution], context: Context) -> tuple[Resolution, ...]:
        """What the conditions of a clause are about; those of a question are what it asks of its own targets.

        A value of no place said is that of this room; else of whatever is acted on, then of the home.
        """
        tested = () if isinstance(clause, Inquiry) else clause.conditions
        return tuple(self._condition(item, targets, context) for item in tested)

    def chosen(
        self, resolution: Resolution, ids: Sequence[str], need: Need, context: Context, *, spared: bool = False
    ) -> Resolution:
        """The resolution after somebody chose among its candidates, or among what is called nearly so.

        Places and groups stand for their members; a place that is spared, for all that is in it.
        """
        house = self._house.get()
        known = self._registry.present(ids)
        if spared:
            inside = union(self._registry.expand(item.id) for item in known)
            return replace(resolution, status="resolved", entities=inside, confidence=1.0, nearest=())
        if resolution.status == "not_found" and len(known) == 1 and known[0].kind in ("area", "floor"):
            return self.resolve(moved(resolution.target, known[0], resolution.unknown), need, context)
        entities, left_out = list[str](), list[str]()
        for entity in known:
            request = Request(resolution.target, need, context, Scope())
            if entity.kind == "group":
                found = of_group(house, request, entity, 1.0)
            elif entity.kind in ("area", "floor"):
                kind = resolution.target.kind or need.implied_kind or "light"
                found = everything_of(house, replace(request, scope=inside_of(entity)), kind)
            else:
                found = Resolution(resolution.target, "resolved", (entity.id,))
            entities += found.entities
            left_out += found.left_out
        return replace(resolution, status="resolved" if entities else "empty", entities=union([entities]),
                       left_out=union([left_out]), candidates=(), confidence=1.0, assumed_scope=False)  # fmt: skip

    def _in_each(self, target: Target, need: Need, context: Context) -> Resolution | None:
        """One of each place, where each has one: "the desk lamp in the bedroom and the study"."""
        found = [self.resolve(replace(target, areas=(area,)), need, context) for area in target.areas]
        if any(item.status != "resolved" or item.confidence < self._thresholds.sure for item in found):
            return None
        sure = min(item.confidence for item in found)
        return replace(found[0], target=target, entities=union(item.entities for item in found), via=None,
                       confidence=sure, is_set=True, left_out=union(item.left_out for item in found))  # fmt: skip

    def _condition(self, condition: Condition, targets: Sequence[Resolution], context: Context) -> Resolution:
        house, target, need = self._house.get(), condition.target, need_of_condition(condition)
        if target.reference == "there" and self._room_of(context.last) is None:
            target = replace(target, reference=None)  # where that is which is acted on
        if need.attribute not in AMBIENT or not nowhere(target, context):
            found, acted_on = self.resolve(target, need, context), targets[0] if len(targets) == 1 else None
            if need.attribute in PASSING and nowhere(replace(target, kind=None), context):
                found = passing_there(self._registry, found, targets)
            itself = acted_on is not None and target.reference == "it" and found.status == "missing"
            return found if acted_on is None or not itself else acted_on  # "if it isn't locked, lock the door"
        if (own := witness(house, Resolution(target, "unsupported", context.last), need)).status == "resolved":
            return own  # "if it goes over eight", said of a fridge
        acted = union(item.entities or tuple(found.entity for found in item.candidates) for item in targets)
        beside = [area for item in acted if (area := house.index.area(item)) is not None]
        return whatever_tells(house, Request(target, need, context, Scope()), beside)

    def _shared(
        self, target: Target, among: Sequence[Target], before: Sequence[Resolution], need: Need, context: Context
    ) -> Resolution:
        """A target that names no place shares that of the last, if it is there: "the lamp and the fan in the study".

        What shares the place of the one before it is looked for there first: 书房的台灯和吸顶灯.
        """
        room = self._room_of(before[0].entities) if before and not (target.areas or target.floors) else None
        if target.shares and room and (there := self._within(target, need, context, room)):
            return there
        found = self.resolve(target, need, context)
        if found.status == "ambiguous" and room and any(item.areas for item in among):
            return self._within(target, need, context, room) or found  # "the study AC and the fan"
        if target.shares and (found.status != "resolved" or found.confidence < self._thresholds.sure):
            return self._only(replace(target, areas=(), floors=(), shares=False), need, context) or found
        last, house, sure = among[-1], self._house.get(), self._thresholds.sure
        if target is not last:
            again = partial(self.resolve, need=need, context=context)
            found = of_one_kind(house, Request(target, need, context, Scope()), last, found, again, sure)
        placed = target.areas or target.floors or not (last.areas or last.floors)
        if target is last or placed or found.status != "ambiguous":
            return found
        within = self.resolve(replace(target, areas=last.areas, floors=last.floors), need, context)
        return within if within.status == "resolved" else found

    def _within(self, target: Target, need: Need, context: Context, room: str) -> Resolution | None:
        """What is meant in a room; None where nothing there is."""
        there = self.resolve(replace(target, shares=False), need, replace(context, area=room))
        return there if there.status == "resolved" and self._room_of(there.entities) == room else None

    def _only(self, target: Target, need: Need, context: Context) -> Resolution | None:
        """The only thing that is meant, wherever anybody is; None where there are several, and a guess tells which."""
        found = self.resolve(target, need, replace(context, area=None))
        return found if found.status == "resolved" and not found.evidence and len(found.entities) == 1 else None

    def _spared(self, target: Target, among: Sequence[Target], context: Context) -> Resolution:
        """As `_excluded`; of 别关厨房的灯和小月亮, what is not in the kitchen is spared wherever it is."""
        there = self._excluded(replace(target, shares=False), among, context)
        if not target.shares or (there.entities and there.confidence >= self._thresholds.sure):
            return there
        return self._excluded(replace(target, areas=(), floors=(), shares=False), among, context)

    def _is_unsure(self, found: Resolution) -> bool:
        return found.status == "not_found" or found.confidence < self._thresholds.sure

    def _excluded(self, target: Target, among: Sequence[Target], context: Context) -> Resolution:
        """What is to be spared: a place with all that is in it, or whatever is so called, able or not."""
        house = self._house.get()
        if target.reference == "there":
            target, context = house.places.there(target, context, self._room_of(context.last))
        if target.reference == "here" and context.area is None:  # "elsewhere" is where what he spoke of is not
            context = replace(context, area=self._room_of(context.last))
        scope = house.places.scope(target, context)
        if target.mention is not None and not scope.spoken:
            places, sure = house.places.find(target.mention, context.area)
            if places and sure == 1.0:
                scope = house.places.scope(replace(target, areas=(target.mention,)), context)
                target = replace(target, mention=None)
        anything = target.kind is None or (target.kind == "device" and scope.spoken)
        if target.mention is not None or not anything or target.reference in _REFERENCES:
            return self._things_excluded(target, among, context)
        if scope.unknown is not None or not scope.spoken:
            return Resolution(target, "not_found" if scope.unknown else "missing", nearest=scope.nearest)
        inside = tuple(item.id for item in self._registry.devices if house.places.holds(scope, item))
        return Resolution(target, "resolved", inside, via=scope.via, confidence=scope.confidence, is_set=True)

    def _things_excluded(self, target: Target, among: Sequence[Target], context: Context) -> Resolution:
        """What is so called, or of that kind, and is to be spared."""
        # "All but the lamp" spares every lamp in question, and what that is here: more spared is never a wrong act.
        of = among[0] if among and not (target.areas or target.floors) else target
        sparing = replace(target, quantifier="all", plural=False, areas=of.areas, floors=of.floors)
        placed = sparing.areas or sparing.floors or sparing.reference == "here"
        anywhere = replace(context, area=None)
        found = self.resolve(sparing, _ANYTHING, context if placed else anywhere)
        if not placed and context.area is not None and found.status == "resolved":
            found = replace(found, entities=union((found.entities, self.resolve(target, _ANYTHING, context).entities)))
        if self._is_unsure(found) and sparing.areas != target.areas:
            found = self.resolve(replace(target, quantifier="all"), _ANYTHING, anywhere)
        unsure = self._is_unsure(found)
        if target.mention is not None and (unsure or target.kind is None):
            asked = union(self.resolve(replace(item, quantifier="all"), _ANYTHING, anywhere).entities for item in among)
            called = so_called(self._house.get(), asked, target.mention)
            if called and (unsure or set(asked).isdisjoint(found.entities)):
                return Resolution(target, "resolved", called, is_set=True)
        if target.mention is not None and unsure:
            # A place is as likely spared as a thing, and who is spared must be known.
            near = dict.fromkeys((*self._house.get().places.near(target.mention), *found.nearest, *found.entities[:1]))
            return replace(found, status="not_found", entities=(), nearest=tuple(near))
        if found.status == "ambiguous":
            every = union(self._registry.expand(item.entity) for item in found.candidates)
            return replace(found, status="resolved", entities=every)
        return replace(found, entities=union((found.entities, found.left_out)))

    def _room_of(self, ids: Sequence[str]) -> str | None:
        """The one area that all of these are in, if there is one."""
        area, *others = {self._house.get().index.area(item) for item in ids} or {None}
        return area if not others else None

    def warm(self, langs: Container[str] = ()) -> None:
        """Makes the index now, and what the `langs` of the home are read by. Blocking; may run beside the loop."""
        self._house.renewed().index.prepare()
        if any(lang in langs for lang in written_in_han()):
            sounds.prepare()
