"""What resolving and gating one clause yields: who is meant, how sure that is, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from msgspec import Struct

from daemon.core.entities import Value
from daemon.core.ir import Clause, Target
from daemon.core.trace import Trace
from daemon.core.values import replace, to_dict

Verdict = Literal["act", "ask", "refuse"]
_MOST_EARLIER: Final = 8
_ONE_DEED: Final[dict[str | None, str]] = {"turn_on": "open", "turn_off": "close"}
"""One word for what has two: 打开 says "open" of one thing and "turn on" of another."""


def deed_of(clause: Clause) -> str:
    """What is done, or said, in one word."""
    return _ONE_DEED.get(clause.action, clause.action or type(clause).__name__)


class Spoken(Struct, frozen=True):
    """What was spoken of in a conversation, by entity ids."""

    last: tuple[str, ...] = ()
    """The entities mentioned or acted on last ("it", "them")."""
    earlier: tuple[tuple[str, ...], ...] = ()
    """Those before, the latest first ("the other one")."""
    run: tuple[str, ...] = ()
    """All to which the same was done one after the other, the last among them ("them")."""
    deed: str | None = None
    """What that was."""
    on: tuple[str, ...] = ()
    """What else was done in the same turn, where what was spoken of last was only switched off ("a bit dimmer")."""

    @property
    def before(self) -> tuple[str, ...]:
        """What was spoken of before that."""
        return self.earlier[0] if self.earlier else ()

    def then(self, entities: Sequence[str], clause: Clause | None = None) -> Spoken:
        """With what was spoken of next, and in which clause; as it is, where that was nothing."""
        if not entities:
            return self
        deed = deed_of(clause) if clause is not None else None
        goes_on = deed is not None and deed == self.deed
        run = tuple(dict.fromkeys((*(self.run if goes_on else ()), *entities)))
        same = tuple(entities) == self.last
        earlier = self.earlier if same or not self.last else (self.last, *self.earlier)[:_MOST_EARLIER]
        return Spoken(tuple(entities), earlier, run, deed)

    def so_many(self, count: int) -> tuple[str, ...]:
        """The last that were spoken of, where they are exactly so many: "both", "all three"; else nothing."""
        found: dict[str, None] = {}
        for group in (self.last, *self.earlier):
            found |= dict.fromkeys(group)
            if len(found) >= count:
                break
        return tuple(found) if len(found) == count else ()


NOTHING_SPOKEN: Final = Spoken()


@dataclass(frozen=True, slots=True)
class Context:
    """What is known around the utterance. Ids, not names."""

    lang: str
    area: str | None = None
    """Where the microphone is, or where the clause before was about."""
    here: str | None = None
    """Where the microphone is, if `area` is only where the clause before was about."""
    speaker: str | None = None
    spoken: Spoken = NOTHING_SPOKEN
    """What was spoken of before in this conversation."""
    state_of: Callable[[str, str], Value | None] = lambda _entity, _attribute: None
    """The last known value of (entity id, attribute), however old; only ever used to choose among candidates."""
    resolved: dict[tuple[object, Clause, Context], ClauseResolution] = field(
        default_factory=dict, compare=False, hash=False, repr=False
    )
    """What clauses were resolved to in this utterance: what ranks its readings is what is judged."""

    @property
    def area_assumed(self) -> bool:
        """Whether `area` is only where the clause before was about."""
        return self.here not in (None, self.area)

    @property
    def last(self) -> tuple[str, ...]:
        """The entities spoken of last."""
        return self.spoken.last


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity proposed for a mention."""

    entity: str
    score: float
    """0 to 1, the documented formula of `daemon.resolve.scoring`."""
    features: dict[str, float] = field(default_factory=dict, hash=False)


class Quality(Struct, frozen=True):
    """What a round of retrieval was worth, each part 0 to 1; `daemon.resolve.rounds` says what they are."""

    similarity: float = 0.0
    richness: float = 0.0
    novelty: float = 0.0
    evidence: float = 0.0


class Round(Struct, frozen=True):
    """One round of retrieval, or one thing found out from the structure of what was said; for the trace."""

    name: str
    candidates: int
    quality: float
    decision: Literal["stop", "continue"]
    reason: str
    sufficiency: float = 0.0
    """The best quality so far; 0 where no names were looked up."""
    parts: Quality | None = None
    """What the quality is made of; None where no names were looked up."""


class Step(Struct, frozen=True):
    """One look at what is known before anybody is asked, for the trace; what cannot tell anything here is left out."""

    evidence: str
    """"room", "preference", "last", "state", "plays", "option", "kind"."""
    found: str | None
    """The id of the one that it tells; None where it tells none apart."""
    known: tuple[str, ...] = ()
    """What was looked at: ids, for "state" each with its state."""


class Resolution(Struct, frozen=True):
    """What one target means in this home.

    `resolved`: `entities` are meant, all of them. `ambiguous`: one of `candidates` is. `not_found`: nothing has such
    a name. `unsupported`: it was found, and cannot do what was asked (`entities` names it). `empty`: the name of a
    set was understood, and nothing in it fits. `missing`: the utterance names no target.
    """

    target: Target
    status: Literal["resolved", "ambiguous", "not_found", "unsupported", "empty", "missing"]
    entities: tuple[str, ...] = ()
    """Device, scene or person ids, groups and areas expanded, excluded members gone."""
    via: str | None = None
    """The group, area or floor that was named, where one was."""
    candidates: tuple[Candidate, ...] = ()
    """Best first."""
    confidence: float = 1.0
    left_out: tuple[str, ...] = ()
    """Risky members that a set would have contained; they must be named to be acted on."""
    rounds: tuple[Round, ...] = ()
    is_set: bool = False
    """The words meant several: a plural, "all", an area, a group."""
    assumed_scope: bool = False
    """A set of the whole home, although nobody said so: to be asked back."""
    evidence: str = ""
    """What told one of several apart: "preference", "state", "last", "room"; empty where nothing had to."""
    steps: tuple[Step, ...] = ()
    """The chain of evidence, as far as it was needed."""
    nearest: tuple[str, ...] = ()
    """For what was not found: the ids of what is called something like it."""
    cleans: tuple[str, ...] = ()
    """Of a vacuum: the ids of the areas that it is to clean."""
    unknown: str | None = None
    """For what was not found: the words for a place that is not here, of all that were said."""
    signal: str = ""
    """What the name of one thing rests on: "exact", "part", "sound" ... (`daemon.resolve.scoring`); empty for a set."""

    def open_to(self, status: str) -> bool:
        """Whether a choice could settle this: it means one of several, or nothing is called so but something nearly."""
        return self.status == status and (status == "ambiguous" or bool(self.nearest))


class ClauseResolution(Struct, frozen=True):
    """What all names of one clause mean.

    `entities` is the union of the targets less the excluded ones, each once, in order; `conditions` has one
    resolution for each condition of the clause.
    """

    targets: tuple[Resolution, ...] = ()
    excluded: tuple[Resolution, ...] = ()
    conditions: tuple[Resolution, ...] = ()
    entities: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def cleans(self) -> tuple[str, ...]:
        """The areas that are to be cleaned."""
        return tuple(dict.fromkeys(area for item in self.targets for area in item.cleans))


class Ruling(Struct, frozen=True):
    """The gate's verdict on one clause.

    `reason` is a key of the reply tables. For `ask`: `options` are the ids to choose among and `dimension` what tells
    them apart best ("area", "floor", "kind", "name"); where the question is a yes/no, `reason` is "confirm_risk",
    "confirm_reading", "confirm_scope", "confirm_everything", "confirm_whole" or "confirm_name" and `entities` are what
    a yes would act on.
    """

    verdict: Verdict
    reason: str
    entities: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    dimension: str | None = None
    nearest: tuple[str, ...] = ()
    """For a refusal: the nearest names, as a help."""
    mention: str | None = None
    """For a refusal: the words that nothing is called by. For a question: the word that may mean several."""
    lacks: str | None = None
    """For a refusal: the kind of which there is nothing."""
    place: str | None = None
    """Where that was said to be."""
    left_out: tuple[str, ...] = ()
    cleans: tuple[str, ...] = ()
    """The ids of the areas that a vacuum is to clean."""
    everywhere: bool = False
    """Whether it is "everything" in the whole home: whoever said so should hear it."""


def without(resolution: Resolution, gone: set[str]) -> Resolution:
    """The resolution less what is to be spared; `empty` where nothing is left of it."""
    if not gone:
        return resolution
    kept = tuple(item for item in resolution.entities if item not in gone)
    candidates = tuple(item for item in resolution.candidates if item.entity not in gone)
    if resolution.status == "ambiguous" and len(candidates) == 1:
        return replace(resolution, status="resolved", entities=(candidates[0].entity,), candidates=candidates)
    nothing = not (kept if resolution.status == "resolved" else candidates)
    return replace(
        resolution,
        status="empty" if nothing and resolution.status in ("resolved", "ambiguous") else resolution.status,
        entities=kept,
        candidates=candidates,
        left_out=tuple(item for item in resolution.left_out if item not in gone),
    )


def less(named: Sequence[Resolution], gone: set[str]) -> tuple[Resolution, ...]:
    """What each of several names means, less what is spared; a name of which nothing is left is none of them."""
    pairs = [(without(item, gone), item.status) for item in named]
    kept = tuple(left for left, status in pairs if left.status != "empty" or status == "empty")
    return kept or tuple(left for left, _ in pairs)


def union(parts: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """All of these ids, each once, in their order."""
    return tuple(dict.fromkeys(entity for part in parts for entity in part))


def note(trace: Trace, resolution: ClauseResolution, ruling: Ruling) -> None:
    """Notes in a trace what each name of a clause means, by what evidence, and the gate's ruling."""
    for found in resolution.targets:
        trace.note(
            "resolve",
            target=to_dict(found.target),
            status=found.status,
            via=found.via,
            entities=list(found.entities),
            candidates=[
                {"entity": item.entity, "score": round(item.score, 3), "features": item.features}
                for item in found.candidates[:5]
            ],
            rounds=[to_dict(item) for item in found.rounds],
            evidence=found.evidence,
            steps=[to_dict(item) for item in found.steps] or "none needed",
        )
    trace.note(
        "gate",
        verdict=ruling.verdict,
        reason=ruling.reason,
        entities=list(ruling.entities),
        options=list(ruling.options),
        dimension=ruling.dimension,
    )
