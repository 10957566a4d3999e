"""Target parts -> `Target`: who is meant, as spoken, and how sure that is."""

from __future__ import annotations

from typing import Literal, cast, get_args

from daemon.core.ir import KINDS, Attribute, Kind, Order, Quantifier, Reference, Target
from daemon.core.values import replace
from daemon.understand.confidence import Confidences
from daemon.understand.matchers import WORD, Node
from daemon.understand.openings import END, PLACES
from daemon.understand.parts import Parts, Reading, parts_of

_KIND_CLASSES = ("NAMEKINDS", "NAMEKIND", "KINDS", "KIND")
_PLURAL = ("NAMEKINDS", "KINDS")
_NAMED = ("DEVICE", "GROUP", "ROW", "SCENE", "PERSON")
_PLACES = {"AREA": "areas", "ROOM": "areas", "FLOOR": "floors", "LEVEL": "floors", "THERE": "floors"}

_SEEN = frozenset({"movie", "show", "video"})
"""Sorts of media that want a screen."""
_PAIR = 2
_REFERENCES = frozenset(get_args(Reference))
_SHORT = 3
_LONG = 5
"""A free name of more words is less sure; two characters of Chinese count as one."""


def build_target(node: Node, reading: Reading) -> Target:
    """The target of a `Target`, `Scope` or `Choice` node."""
    return target_from(parts_of(node), reading)


def target_from(parts: Parts, reading: Reading) -> Target:
    """The target that these parts describe."""
    areas, floors, sure_place = _places(parts, reading)
    kind, plural = _kind(parts, reading)
    mention, sure = _mention(parts, reading)
    senses = _senses(parts, reading)
    if senses is not None and (sensor := parts.word("SENSOR")) is not None:
        kind, sure = "sensor", min(sure, reading.sure.kind)
        plural = reading.lexicon.value("SENSOR", reading.text(sensor)) == "many"
        several = plural or parts.mark("quantifier") not in (None, "one")
        mention = None if several else reading.between(senses[0].start, sensor.end)
    quantifier = cast("Quantifier | None", parts.mark("quantifier")) or _everywhere(parts, mention, reading)
    if mention is not None and quantifier not in (None, "one") and parts.word("KIND") and not _named(parts):
        mention = None  # "every light" is no name, though something may be called "light"
    if mention is not None and quantifier == "all" and (named := reading.lexicon.words("KINDS", "KIND").get(mention)):
        # nor is "all the curtains", where one is called "Curtain"
        mention, kind, sure = None, kind or cast("Kind", named), reading.sure.kind
    if mention is not None and (kind is None or parts.word("NAMEKIND")):
        hinted, inner = _hints(mention, reading)
        head = _head(parts, reading)
        kind = kind or (_hints(head, reading)[0] if head else None) or hinted
        areas = areas or _told_by(mention, inner, reading)
    if kind is not None and sure == reading.sure.unknown:
        sure = reading.sure.described
    count = None
    if quantifier == "n" and not parts.has("nth") and (number := parts.word("INTEGER")) is not None:
        count = int(reading.numbers.value(reading.text(number)))
        if count == _PAIR:
            quantifier, count = "both", None
        elif count == 1:
            quantifier, count = "any", None
    ordinal = _ordinal(parts, reading)
    if ordinal is not None:
        quantifier, count = "one", None
    is_name = _is_name(mention, reading)
    bare = quantifier is None and not is_name
    several = bare and _means_all(parts, mention, reading, plural=plural)
    state = parts.word("STATE")
    reference = parts.mark("reference")
    assert reference is None or reference in _REFERENCES
    return Target(
        mention=mention,
        kind=kind,
        areas=areas,
        floors=floors,
        quantifier=quantifier or ("all" if several else "one"),
        plural=plural and bare,
        numberless=parts.has("numberless") and bare and not plural,
        count=count,
        ordinal=ordinal,
        reference=cast("Reference | None", reference),
        mine=parts.has("mine"),
        whole_home=parts.has("whole"),
        state=reading.lexicon.value("STATE", reading.text(state)).split()[-1] if state else None,
        senses=senses[1] if senses else None,
        plays=plays_of(parts, reading),
        cleans=parts.mark("kind") == "vacuum" and bool(areas or floors or reference == "here"),
        confidence=min(sure, sure_place),
    )


def _senses(parts: Parts, reading: Reading) -> tuple[Node, Attribute] | None:
    """What a sensor is said to sense, with the words for it."""
    node = parts.part("Senses")
    if node is None:
        return None
    inner = parts_of(node)
    for name in ("DETECTED", "MEASURE", "ATTR"):
        if (word := inner.word(name)) is not None:
            return inner.node, reading.meaning(name, word)
    return None


def _ordinal(parts: Parts, reading: Reading) -> int | None:
    """Which of several: "the second", "number 2"."""
    if parts.has("nth") and (number := parts.word("INTEGER")) is not None:
        return int(reading.numbers.value(reading.text(number)))
    said = parts.word("ORDINAL")
    return int(reading.lexicon.value("ORDINAL", reading.text(said))) if said is not None else None


def elsewhere(place: Target, said: Target, reading: Reading) -> Target:
    """What was said before, in another place: by its name too, less the place that this tells of; or on its side."""
    mention = said.mention
    if place.mention is not None and mention is not None:  # "the right one" of the left bedside lamp
        side = next((word for word in reading.lexicon.words("SIDE") if word in mention), mention)
        return replace(said, mention=mention.replace(side, place.mention), confidence=reading.sure.leaning)
    for area in (*said.areas, *said.floors, *(_contained(mention, reading)[1] if mention else ())):
        if mention is not None and area in mention:
            rest = mention.replace(area, "").strip()
            plain = rest in reading.lexicon.words("KIND", "KINDS")
            mention = None if plain or len(rest) < 2 else rest  # noqa: PLR2004 - a letter is no name
    return replace(place, kind=said.kind, mention=mention)


def hardly_there(clause: Order, before: Order, meant: Target, reading: Reading) -> Order:
    """The clause, doubtful where it would do the same to one that is called as a whole like another, at its own time.

    "Lock the front door at ten, the garage at eleven" is hardly about the front door of the garage.
    """
    [said] = before.targets
    same = said.mention is not None and meant.mention == said.mention and _is_name(said.mention, reading)
    doubtful = same and clause.when is not None and before.when is not None
    return replace(clause, confidence=reading.sure.either) if doubtful else clause


def plays_of(parts: Parts, reading: Reading) -> Literal["audio", "video"] | None:
    """Whether it is about what is heard or what is seen, where that was said: "the music", "the film"."""
    words = [*parts.words.get("MEDIA", ()), *parts.words.get("NAMEKIND", ())]
    if not words:
        return cast('Literal["audio", "video"] | None', parts.mark("plays"))
    known = reading.lexicon.classes["MEDIA"].values if "MEDIA" in reading.lexicon.classes else {}
    sorts = [known[text] for node in words if (text := reading.text(node)) in known]
    if sorts:
        return "video" if sorts[-1] in _SEEN else "audio"
    return cast('Literal["audio", "video"] | None', parts.mark("plays"))


def scoped(target: Target, scope: Target | None) -> Target:
    """The target within the place that was named for the whole clause, unless it names its own."""
    if scope is None or target.floors or (target.areas and scope.areas):
        return target
    if target.areas:
        return replace(target, floors=scope.floors)  # "the bathroom light, upstairs"
    if target.whole_home and not (scope.areas or scope.floors):
        return target  # "every room" of a floor is in that floor
    if target.reference is not None:
        # "turn them off in the kitchen": those of them that are there
        return replace(target, areas=scope.areas, floors=scope.floors)
    return replace(
        target, areas=scope.areas, floors=scope.floors, whole_home=scope.whole_home, reference=scope.reference
    )


def _places(parts: Parts, reading: Reading) -> tuple[tuple[str, ...], tuple[str, ...], float]:
    if parts.words.keys().isdisjoint(_PLACES):
        return (), (), reading.sure.name
    found: dict[str, list[str]] = {"areas": [], "floors": []}
    sure = reading.sure.name
    for name, field in _PLACES.items():
        for node in parts.words.get(name, ()):
            text = reading.lexicon.value(name, reading.text(node)) if name == "THERE" else reading.text(node)
            if text not in found[field]:
                found[field].append(text)
            if name == "ROOM":
                sure = reading.sure.room
    return tuple(found["areas"]), tuple(found["floors"]), sure


def _kind(parts: Parts, reading: Reading) -> tuple[Kind | None, bool]:
    if (node := _last_kind(parts)) is not None:
        return cast("Kind", reading.lexicon.value(node.rule, reading.text(node))), node.rule in _PLURAL
    marked = parts.mark("kind") or ("device" if parts.mark("ones") == "yes" else None)  # "the one downstairs"
    assert marked is None or marked in KINDS
    return cast("Kind | None", marked), False


def _mention(parts: Parts, reading: Reading) -> tuple[str | None, float]:
    """The words that may be a name, and how sure it is that they are one."""
    for name in _NAMED:
        if (node := parts.word(name)) is not None:
            if name == "PERSON" and (owned := _last_kind(parts)) is not None:
                if parts.has("owned"):
                    return f"{reading.text(node)} {reading.text(owned)}", reading.sure.kind
                return reading.between(node.start, owned.end), reading.sure.kind
            return reading.text(node), reading.sure.name
    kind = _last_kind(parts)
    span = parts.part("Span")
    if (charged := parts.word("VEHICLE")) is not None:  # "charge the car" by the car charger
        return _free_name(reading.lexicon.value("VEHICLE", reading.text(charged)), reading.sure)
    if span is not None:
        whole = reading.between(span.start, kind.end if kind and kind.start >= span.end else span.end)
        theirs = parts.has("owned")  # "has anna got her lamp on"
        return _free_name(f"{reading.text(span)} {reading.text(kind)}" if kind and theirs else whole, reading.sure)
    places = [node for name in _PLACES for node in parts.words.get(name, ())]
    if kind is None:
        # An area whose name is also a device's: the home tries that first.
        if len(places) == 1 and {"device", "group"} & set(reading.names.roles(reading.text(places[0]))):
            return reading.text(places[0]), reading.sure.name
        return None, reading.sure.place if places else reading.sure.name
    return _kind_as_name(kind, places, reading)


def _head(parts: Parts, reading: Reading) -> str | None:
    """What comes before "by the window" in a free name: that says what it is."""
    span = parts.part("Span")
    tail = parts_of(span).part("Tail") if span is not None else None
    return reading.between(span.start, tail.start) if span is not None and tail is not None else None


def _free_name(text: str, sure: Confidences) -> tuple[str, float]:
    if len(text) == 1:
        return text, sure.syllable
    length = len(text.split()) if text.isascii() else len(text.replace(" ", "")) / 2
    return text, sure.unknown if length <= _SHORT else sure.unknown_long if length <= _LONG else sure.unknown_longest


def _kind_as_name(kind: Node, places: list[Node], reading: Reading) -> tuple[str | None, float]:
    """The name that a kind may be, with the place right before it: "bedroom lamp"."""
    text = reading.text(kind)
    before = [node for node in places if node.end <= kind.start]
    if len(before) == 1 and not reading.between(before[0].end, kind.start):
        whole = reading.between(before[0].start, kind.end)
        known = bool(reading.names.roles(whole))
        if known or kind.rule != "KINDS" or text[-1] not in WORD:
            return whole, reading.sure.name if known else reading.sure.kind
    if not places and reading.names.roles(text):
        return text, reading.sure.name
    return (text if kind.rule in ("NAMEKIND", "NAMEKINDS") else None), reading.sure.kind


def _everywhere(parts: Parts, mention: str | None, reading: Reading) -> Literal["all"] | None:
    """All of a kind, where "in every room" is said of it, whatever is called as the kind: 全家的风扇."""
    whole = parts.word("WHOLE")
    if whole is None or reading.lexicon.value("WHOLE", reading.text(whole)) != "every":
        return None
    kind = (
        (parts.word("KIND") or parts.word("KINDS"))
        if mention is None
        else mention in reading.lexicon.words("KIND", "KINDS")
    )
    return "all" if kind else None


def _means_all(parts: Parts, mention: str | None, reading: Reading, *, plural: bool) -> bool:
    """Whether what is no name means several though nobody says so: a plural, or "the light" of a whole room."""
    if plural:
        return True
    node = parts.word("KIND")
    if node is None or mention is not None or parts.words.keys().isdisjoint(_PLACES):
        return False
    return reading.lexicon.value("KIND", reading.text(node)) == "light"


def _is_name(mention: str | None, reading: Reading) -> bool:
    return mention is not None and bool(reading.names.roles(mention))


def _named(parts: Parts) -> bool:
    return not parts.words.keys().isdisjoint(_NAMED) or "Span" in parts.parts


def _last_kind(parts: Parts) -> Node | None:
    for name in _KIND_CLASSES:
        if name in parts.words:
            return parts.words[name][-1]
    return None


def _hints(mention: str, reading: Reading) -> tuple[Kind | None, tuple[str, ...]]:
    """The kind and the area that a name contains: "lamp by the sofa", 爸爸的台灯."""
    known = reading.names.hints.get(mention)
    if known is None:
        known = _contained(mention, reading)
        if reading.names.roles(mention):
            reading.names.hints[mention] = known
    return known


def _told_by(mention: str, inner: tuple[str, ...], reading: Reading) -> tuple[str, ...]:
    """The rooms of those in a mention that say where it is: not what has a lock (the shed), nor a name's own words."""
    named = _is_name(mention, reading)
    return tuple(area for area in inner if area != mention and not (named and "area" not in reading.names.roles(area)))


def _contained(mention: str, reading: Reading) -> tuple[Kind | None, tuple[str, ...]]:
    text = mention + END
    kind: Kind | None = None
    areas: list[str] = []
    done = 0
    for place in PLACES.finditer(mention):
        at, end = place.start(), -1
        if at < done or reading.lexicon.hints.match(text, at) < 0:
            continue
        for name in _KIND_CLASSES:
            classes = reading.lexicon.classes
            if name in classes and (end := classes[name].match(text, at)) > 0:
                kind = cast("Kind", reading.lexicon.value(name, mention[at:end]))
                break
        if end < 0 and "ROOM" in reading.lexicon.classes:
            end = reading.lexicon.classes["ROOM"].match(text, at)
            if end > 0:
                areas.append(mention[at:end])
        done = max(done, end)
    return kind, tuple(areas)
