"""The one place where it is decided whether to act, to ask or to refuse."""

from __future__ import annotations

import re
from typing import Final

from daemon.act.planner import Scenes
from daemon.core.ir import Chat, Clause, DialogueMove, Help, Order, Prohibition, Target, Timer, Unread
from daemon.core.resolution import ClauseResolution, Context, Resolution, Ruling
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.dialogue.options import dimension
from daemon.home.devices import is_risky_step
from daemon.home.registry import Registry
from daemon.resolve.request import Need, is_everything, need_of
from daemon.resolve.unnamed import CAPABILITY

_HARMLESS: Final = frozenset({"lock", "stop", "pause", "mute", "dock"})
"""What may be done to everything as to any other set."""
_SEVERAL: Final = 2
_NUMBER: Final = re.compile(r"\d")
_ONLY_LIKE: Final = frozenset({"fuzzy", "sound"})
"""Signals of a name that was not said: what was said is only written or spoken like it."""


class Gate:
    """Judges clauses by what they resolved to, how sure that is, and what could go wrong."""

    def __init__(self, registry: Registry, thresholds: Thresholds | None = None, scenes: Scenes | None = None) -> None:
        self._registry = registry
        self._scenes = scenes or {}
        self._thresholds = thresholds or Thresholds()

    def decide(
        self,
        clause: Clause,
        resolution: ClauseResolution,
        program_confidence: float,
        heard_confidence: float,
        context: Context,
    ) -> Ruling:
        """The verdict on one clause. Whatever is not clearly allowed is asked or refused."""
        sure = min(program_confidence, heard_confidence, clause.confidence)
        if clause.negated:
            return Ruling("refuse", "negated")
        if sure < self._thresholds.noise:
            return Ruling("refuse", "not_understood")
        if isinstance(clause, Help | Chat | DialogueMove | Unread):
            return Ruling("act", "no_targets")
        need = need_of(clause)
        if (stop := self._first_stop(resolution, context)) is not None:
            return self._told(stop, clause, sure)
        if isinstance(clause, Timer) or not resolution.entities:
            reminds = isinstance(clause, Timer)  # of no device
            return Ruling("act", "no_targets") if reminds else Ruling("refuse", "empty", left_out=resolution.left_out)
        if need.reads:
            # A question that was hardly heard is more likely the television's: silence is better than an answer.
            if heard_confidence < self._thresholds.reading:
                return Ruling("refuse", "not_understood")
            return self._answered(resolution)
        return self._weighed(clause, resolution, need, sure, context)

    def _told(self, stop: Ruling, clause: Clause, sure: float) -> Ruling:
        """The same, in words that are true: of what was hardly understood nobody says that there is no such thing."""
        if stop.reason != "empty":
            return stop
        if isinstance(clause, Order) and clause.implicit:
            return replace(stop, reason="no_help")
        return Ruling("refuse", "not_understood") if sure < self._thresholds.reading else stop

    def _answered(self, resolution: ClauseResolution) -> Ruling:
        """The verdict on a question: "is the iron on" is not answered with "no" by what only sounds like it."""
        doubtful = [
            item for item in resolution.targets if item.signal in _ONLY_LIKE and item.confidence < self._thresholds.sure
        ]
        if doubtful:
            return Ruling("ask", "confirm_name", resolution.entities, mention=_spoken(doubtful[0].target))
        return Ruling("act", "sure", resolution.entities)

    def _weighed(
        self, clause: Clause, resolution: ClauseResolution, need: Need, sure: float, context: Context
    ) -> Ruling:
        """The verdict on an act whose targets are all found."""
        limits, entities = self._thresholds, resolution.entities
        for item in (*resolution.excluded, *resolution.conditions):
            if item.confidence < limits.sure:
                # What is spared or tested by a doubtful name may be the wrong thing: no yes to the rest mends that.
                near = item.entities[:1] if item.via is None else (item.via,)
                return Ruling("refuse", "not_found", nearest=near, mention=_spoken(item.target))
        risky = [item for item in entities if need.risky(self._registry[item]) or self._has_risky_step(item, need)]
        # Where the room of the speaker is known, and nothing in it, a few elsewhere are a surprise too.
        several = 0 if context.area is not None else limits.ask_plural_from
        wide = any(item.assumed_scope and len(item.entities) >= several for item in resolution.targets)
        whole = any(item.target.whole_home or (item.is_set and item.via is None) for item in resolution.targets)
        limit = limits.ask_off_from if need.turns_off else limits.ask_from
        everything = any(is_everything(item.target) and item.via is None for item in resolution.targets)
        if everything and need.action not in _HARMLESS:
            limit = limits.ask_everything_from if need.turns_off else _SEVERAL
        reason = ""
        cleans = resolution.cleans
        forbids = isinstance(clause, Prohibition)
        """Nothing is done: neither risk nor scope is a reason to ask."""
        if risky and not forbids:
            reason = "confirm_risk"
        elif cleans and any(self._registry[item].capability(CAPABILITY) is None for item in entities):
            reason = "confirm_whole"
        elif (
            clause.implicit
            or self._is_of_what_is_off(clause, entities, context)
            or sure < limits.reading
            or _opens_everything(clause)
            or _plays_somewhere(clause, context)
        ):
            reason = "confirm_reading"
        elif need.action != "lock" and any(  # one lock too many that is locked harms nobody
            item.confidence < limits.sure and not self._is_at_hand(clause, item, context) for item in resolution.targets
        ):
            reason = "confirm_name"
        elif not forbids and (wide or (whole and (len(entities) >= limit or _turns_whatever(clause)))):
            reason = "confirm_everything" if everything else "confirm_scope"
        if reason:
            mention = _memorable(resolution.targets[0].target) if len(resolution.targets) == 1 else None
            return Ruling("ask", reason, entities, mention=mention, left_out=resolution.left_out, cleans=cleans,
                            everywhere=everything)  # fmt: skip
        return Ruling("act", "sure", entities, left_out=resolution.left_out, cleans=cleans, everywhere=everything)

    def _is_of_what_is_off(self, clause: Clause, entities: tuple[str, ...], context: Context) -> bool:
        """Whether something is complained of that is off: then something else is too loud."""
        told = isinstance(clause, Order) and clause.complaint
        return told and any(context.state_of(item, "state") == "off" for item in entities)

    def _is_at_hand(self, clause: Clause, item: Resolution, context: Context) -> bool:
        """Whether it is the one thing in the speaker's room, or in the room that was said, that may be called so.

        Who is beside it sees what is done, and takes it back: nothing that is risky, a scene, or for later comes here.
        What is only written or spoken like it must be more so: "red lamp" is no "bed lamp". By its kind alone, it is at
        hand whatever better fits the word elsewhere: "the radio", where a speaker is all that plays here.
        """
        limits = self._thresholds
        likely = item.confidence >= (limits.at_hand_alike if item.signal in _ONLY_LIKE else limits.at_hand)
        told = (item.target.mention or "").split()  # by a word beside its kind, it may be another one
        alone = not item.signal and item.evidence == "room" and item.target.kind is not None and len(told) <= 1
        if clause.when is not None or not (alone or (item.signal and likely)) or len(item.entities) != 1:
            return False
        if _NUMBER.search(item.target.mention or ""):
            return False
        area = self._registry[item.entities[0]].area
        if area is None:
            return False
        said = {name.casefold() for name in self._registry[area].names}
        here = context.area == area and not context.area_assumed and not item.target.areas
        return here or bool(said.intersection(item.target.areas))

    def _has_risky_step(self, scene: str, need: Need) -> bool:
        """Whether a scene does what needs a yes; what a thing is may be known only since the scene was written."""
        steps = self._scenes.get(scene, ()) if need.action != "turn_off" else ()
        return any(is_risky_step(self._registry[item.entity], item.attribute, item.value) for item in steps)

    def _first_stop(self, resolution: ClauseResolution, context: Context) -> Ruling | None:
        """What one of the names settles; nobody is asked about the one half of what can't be done for the other."""
        names = (*resolution.targets, *resolution.excluded, *resolution.conditions)
        stops = [self._stopped(item, context, spared=item in resolution.excluded) for item in names]
        found = (stop for verdict in ("refuse", "ask") for stop in stops if stop and stop.verdict == verdict)
        return next(found, None)

    def _stopped(self, item: Resolution, context: Context, *, spared: bool) -> Ruling | None:
        """The verdict that one target settles alone, or None."""
        match item.status:
            case "ambiguous":
                # What is in the speaker's room is offered first.
                options = tuple(
                    sorted(
                        (found.entity for found in item.candidates),
                        key=lambda entity: self._registry.room_of(entity) != context.area,
                    )
                )
                return Ruling(
                    "ask",
                    "which",
                    options=options,
                    dimension=dimension(options, self._registry),
                    mention=_memorable(item.target),
                )
            case "not_found":
                return Ruling("refuse", "not_found", nearest=item.nearest, mention=item.unknown or _spoken(item.target))
            case "unsupported":
                return self._unable(item)
            case "missing" if item.target.reference == "here":
                return Ruling("refuse", "no_here")
            case "missing" if item.target.reference is not None:
                return Ruling("refuse", "no_last")
            case "missing":
                return Ruling("ask", "target")
            case "empty" if not spared:
                return _nothing(item)
            case _:
                return None

    def _unable(self, item: Resolution) -> Ruling:
        """The verdict on what cannot do it; a group without members is nothing that could."""
        if not item.entities:
            return _nothing(item)
        hidden = all(not self._registry[entity].exposed for entity in item.entities)
        return Ruling("refuse", "not_controllable" if hidden else "unsupported", item.entities)


def _nothing(item: Resolution) -> Ruling:
    """That there is no such thing, where it was said to be."""
    target = item.target
    place = target.areas[0] if len(target.areas) == 1 and not target.floors else None
    return Ruling("refuse", "empty", lacks=target.kind, place=place, left_out=item.left_out)


def _turns_whatever(clause: Clause) -> bool:
    """Whether something is to go up or down, and nobody says what: "bring the house down"."""
    return clause.parameter is not None and clause.parameter.attribute == "value" and clause.parameter.op != "set"


def _opens_everything(clause: Clause) -> bool:
    """Whether it is as "open everything": curtains alone, or whatever can be switched too? The speaker must say."""
    return clause.action in ("open", "close") and any(
        target.kind == "device" and target.quantifier == "all" for target in clause.targets
    )


def _plays_somewhere(clause: Clause, context: Context) -> bool:
    """Whether something is to be played and nothing says where: "play chess" may be no title at all."""
    title = clause.parameter is not None and clause.parameter.attribute == "media"
    placed = context.area is not None or any(target.mention or target.areas for target in clause.targets)
    return title and not placed


def _spoken(target: Target) -> str | None:
    return target.mention or " ".join((*target.areas, *target.floors)) or None


def _memorable(target: Target) -> str | None:
    """The word for one thing, of which it could be remembered what is meant by it; None where there is none."""
    one = target.quantifier == "one" and not target.plural and target.reference is None
    return (target.mention or target.kind) if one else None
