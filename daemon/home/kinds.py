"""What counts as which kind. A kind is a hint: a capability decides what can be done."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from daemon.core.entities import Entity
from daemon.core.ir import Kind
from daemon.core.values import replace
from daemon.home.names import has_run, joined, tokens, without

MEMBER: Final = 0.8
"""From this fit on, an entity belongs to the kind; below it, it is only taken where nothing else fits."""
KIN: Final = 0.7
"""From this fit on, people call it by the word for the kind: a shutter may be somebody's blinds."""

DISTANT: Final = 0.55
"""Up to this fit, it may as well be something else: what only "covers" may be a drying rack, or blinds."""

# For each kind as spoken, the types and tags that fit it, 0 to 1, beside the kind itself (1).
_FITS: Final[Mapping[str, Mapping[str, float]]] = {
    "light": {"lamp": 1.0},
    "lamp": {"light": 0.75},
    "switch": {"plug": 0.9},
    "plug": {"switch": 0.6},
    "cover": {
        "curtain": 1.0,
        "blind": 1.0,
        "shade": 1.0,
        "shutter": 1.0,
        "awning": 1.0,
        "window": 0.8,
        "garage_door": 0.8,
        "gate": 0.8,
    },
    "curtain": {"cover": 0.55, "shade": 0.6, "blind": 0.6, "shutter": 0.5},
    "blind": {"shade": 0.77, "cover": 0.55, "shutter": 0.7, "curtain": 0.6},
    "shade": {"blind": 0.77, "cover": 0.55, "shutter": 0.7, "curtain": 0.6},
    "shutter": {"blind": 0.7, "cover": 0.55, "shade": 0.7, "curtain": 0.5},
    "awning": {"cover": 0.55, "shade": 0.5},
    "garage_door": {"gate": 0.5},
    "gate": {"garage_door": 0.5},
    "door": {"lock": 0.8, "garage_door": 0.6, "gate": 0.5},
    "window": {},
    "climate": {"thermostat": 1.0, "air_conditioner": 1.0, "heater": 1.0},
    "thermostat": {"climate": 1.0, "heater": 0.6, "air_conditioner": 0.5},
    "air_conditioner": {"climate": 0.9, "thermostat": 0.5},
    "heater": {"climate": 0.7, "thermostat": 0.7},
    "fan": {"air_purifier": 0.6},
    "media_player": {"tv": 1.0, "speaker": 1.0},
    "tv": {"media_player": 0.6},
    "speaker": {"media_player": 0.8},
    "valve": {},
}


_SETTING: Final = "setting"
"""The tag of what is a part of a device rather than a thing of the house: its status LED is no light."""
_SCREENS: Final = frozenset({"tv", "projector"})


def fit(entity: Entity, kind: str | None) -> float:
    """How well an entity fits a kind as spoken, 0 to 1; 1 where no kind was said.

    Its tags are its owner's words: a plug tagged "lamp" is a lamp.
    """
    if kind is None or (kind == "device" and entity.kind == "device"):
        return 1.0
    if entity.kind != "device":
        return 1.0 if kind == entity.kind else 0.0
    if _SETTING in entity.tags:
        return 0.0
    table = _FITS.get(kind, {})
    labels = {entity.type, *entity.tags}
    return 1.0 if kind in labels else max((table.get(label, 0.0) for label in labels if label), default=0.0)


def shows(entity: Entity) -> bool:
    """Whether it has a picture, of things that play."""
    return not _SCREENS.isdisjoint((entity.type, *entity.tags))


def related(one: str, other: str) -> bool:
    """Whether the same thing may be called both: a lamp is a light, a curtain may be somebody's blinds."""
    return one == other or other in _FITS.get(one, {}) or one in _FITS.get(other, {})


def belongs(entity: Entity, kind: str) -> bool:
    """Whether an entity is a member of "all the <kind>s"."""
    return fit(entity, kind) >= MEMBER


def akin(one: Entity, other: Entity) -> bool:
    """Whether both are of one sort: of the same type, or a heater and an air conditioner."""
    return one.type == other.type or any(belongs(one, kind) and belongs(other, kind) for kind in _BROAD)


_BROAD: Final = ("cover", "media_player", "climate")
_VAGUE: Final = frozenset({None, "switch", "plug", "appliance", "sensor", "cover", "media_player", "climate"})
"""Types that say so little that a name may say more: a switch called "Porch light" is a light."""
_PASSED_OFF_AS: Final[Mapping[str, frozenset[Kind]]] = {"fan": frozenset({"air_purifier"})}
"""What has no type of its own where it is announced, by the type that it is given: its name says what it is."""


def says_little(type_: str | None) -> bool:
    """Whether a device's type leaves open what it is."""
    return type_ in _VAGUE or type_ == "device"


NOT_AIR: Final = "not_air"
"""The tag of what is set to, or measures, a temperature that is not that of a room: water, a sauna, a fridge."""
VITAL: Final = "vital"
"""The tag of what somebody relies on: a fridge, the router, an alarm. Switching it off needs a yes; no set does it."""
HOT: Final = "hot"
"""The tag of what burns where nobody stands by: an oven, an iron. Switching it on needs a yes; no set does it."""
_MARKED: Final[Mapping[str, frozenset[str | None]]] = {
    "gas": frozenset({None, "valve", "switch", "plug", "cover", "appliance"}),
    NOT_AIR: frozenset({"climate", "thermostat", "air_conditioner", "heater", "sensor"}),
    VITAL: frozenset({None, "switch", "plug", "appliance", "alarm"}),
    HOT: frozenset({None, "switch", "plug", "appliance", "heater"}),
}
"""Tag -> the types of devices that get it for a word of theirs, whoever told of them."""
_STAND_FOR: Final = frozenset({"plug", "switch", "lock", "valve", "sensor", "appliance", "device"})


class KindWords:
    """The words for kinds, as token runs.

    Args:
        words: A word in any language ("lamp", "灯") and the kind that it says.
        particular: Those of them that also say which one ("chandelier", 床头灯).
        marks: A tag that says to be careful ("gas", `NOT_AIR`, `VITAL`, ...), and the words in a name that give it.
        around: Words that stand between a thing and its place ("in the", 的).
        mains: Words for the light of a room that all its others are beside, and whether they are said or written:
            "the big light" is `said`, a "Ceiling light" is `called` so.
        beside: Words that stand between a thing and another that it is told apart by ("next to the", 边上那个), and
            whether each does so by itself ("by") or only behind such a one ("then": 边上那个小).
    """

    def __init__(
        self,
        words: Mapping[str, Kind],
        particular: Collection[str] = (),
        marks: Mapping[str, Collection[str]] | None = None,
        around: Collection[str] = (),
        mains: Mapping[str, str] | None = None,
        beside: Mapping[str, str] | None = None,
    ) -> None:
        self._mains = {run: sort for word, sort in (mains or {}).items() if (run := tokens(word))}
        self._beside = {run: role for word, role in (beside or {}).items() if (run := tokens(word))}
        self._around = frozenset(run for word in around if (run := tokens(word)))
        self._marks = {tag: tuple(run for word in said if (run := tokens(word))) for tag, said in (marks or {}).items()}
        runs = {run: kind for word, kind in words.items() if (run := tokens(word))}
        # "Front door" says which door: a name that ends with its kind. "Door lock" only says what locks are on.
        self._kinds = {
            run: kind
            for run, kind in runs.items()
            if all(runs.get(run[at:]) != kind or run[:at] in runs for at in range(1, len(run)))
        }
        self._particular = frozenset(map(tokens, particular))
        self._words = frozenset(runs)
        self._runs = frozenset(self._kinds)
        self._longest = max((len(run) for run in self._runs), default=0)

    def said(self, words: tuple[str, ...]) -> Kind | None:
        """The kind that these tokens say, where they say one and nothing else."""
        return self._kinds.get(words)

    def known(self, words: tuple[str, ...]) -> bool:
        """Whether these tokens are a word for a kind, whether or not it also says which."""
        return words in self._words

    def plain(self, words: tuple[str, ...]) -> Kind | None:
        """The kind, where these tokens say only what it is and not which: "light", but not "chandelier"."""
        return None if words in self._particular else self.said(words)

    def says_main(self, words: tuple[str, ...]) -> bool:
        """Whether one says these words for the main light of a room."""
        return self._mains.get(words) == "said"

    def is_main(self, name: tuple[str, ...]) -> bool:
        """Whether a name ends with what the main light of a room is called: 公主灯 does not, whatever 主灯 is."""
        return any(self._mains.get(name[at:]) == "called" for at in range(len(name)))

    def words(self, kind: str) -> tuple[str, ...]:
        """The words that say this kind and nothing more, in any language."""
        return tuple(joined(run) for run, said in self._kinds.items() if said == kind and run not in self._particular)

    def last(self, words: tuple[str, ...]) -> Kind | None:
        """The kind that a name ends with: what it is, as opposed to which."""
        head = self._head(words)
        return next((kind for start in range(len(head)) if (kind := self._kinds.get(head[start:]))), None)

    def _head(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """A name less the place behind it: "lamp" of "lamp at the front door"."""
        around = [word.isascii() and (word,) in self._around for word in words]
        return next((words[:at] for at in range(1, len(words) - 1) if around[at] and around[at + 1]), words)

    def says(self, words: tuple[str, ...], kind: str) -> bool:
        """Whether a word for this kind is anywhere in a name."""
        return any(said == kind and has_run(words, run) for run, said in self._kinds.items())

    def telling(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """The word that a name ends with, where that says which one of a kind ("reading lamp") and more precedes.

        What only tells the main light of a room is none: 公主灯 is not a 主灯.
        """
        head = self._head(words)
        ends = (head[at:] for at in range(1, len(head)))
        return next((run for run in ends if run in self._particular and not self.says_main(run)), ())

    def lacks_head(self, said: tuple[str, ...], name: tuple[str, ...]) -> bool:
        """Whether some words of a name leave out what the thing is: "car" of "Car charger", 手机 of 手机充电器.

        What is plugged in, switched or locked is called by itself: "radio" of "Radio plug" is the thing.
        """
        if not name or name[-1] in said or self.last(said) is not None:
            return False
        return self.last(name) not in _STAND_FOR

    def core(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """The tokens less a word for a kind, the one they end with if they do: what is special about a name."""
        for length in range(min(self._longest, len(words)), 0, -1):
            if words[-length:] in self._runs:
                return words[:-length]
        return without(words, self._runs, self._longest)

    def inside(self, name: tuple[str, ...], words: tuple[str, ...]) -> bool:
        """Whether a name has these words in it, side by side, and in no longer word for a kind: 灯 is not in 灯带."""
        size = len(words)
        for at in (at for at in range(len(name) - size + 1) if name[at : at + size] == words):
            end = at + size
            longer = (name[start:after] for start in range(at, end) for after in range(end + 1, len(name) + 1))
            if self._runs.isdisjoint(longer):
                return True
        return False

    def place(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """What may be the place in a name: the tokens less the word for a kind and what stands around a place."""
        left = self.core(words)
        while run := next((run for run in self._around if left[: len(run)] == run), None):
            left = left[len(run) :]
        while run := next((run for run in self._around if left[-len(run) :] == run), None):
            left = left[: -len(run)]
        return left

    def placed(self, words: tuple[str, ...]) -> tuple[Kind, str] | None:
        """The kind and the place of "kitchen lights" or "lights in the kitchen", where nothing else is said."""
        for at in range(1, len(words)):
            for run, rest in ((words[at:], words[:at]), (words[:at], words[at:])):
                if (kind := self._kinds.get(run)) is not None and (place := self.place((*rest, *run))):
                    return kind, joined(place)
        return None

    def apart(self, words: tuple[str, ...]) -> list[tuple[str, ...]]:
        """A thing and what it stands by, less what stands between them: 沙发 and 灯 of 沙发边上那盏灯."""
        said: list[tuple[str, ...]] = [()]
        longest, at = max(map(len, self._beside), default=0), 0
        while at < len(words):
            roles = ("by", "then") if at and not said[-1] else ("by",)
            size = next((n for n in range(longest, 0, -1) if self._beside.get(words[at : at + n]) in roles), 0)
            if size:
                said.append(())
            else:
                said[-1] = (*said[-1], words[at])
            at += size or 1
        return [part for part in said if part]

    def tagged(self, entities: Iterable[Entity]) -> Iterator[Entity]:
        """The entities; devices of a vague type with what their names say: a cover called "Garage door" is one."""
        given = list(entities)
        rooms = {item.id: frozenset(map(tokens, item.names)) for item in given if item.kind == "area"}
        for item in (self._warned(item, rooms.get(item.area or "", frozenset())) for item in given):
            said = {kind for name in item.names if (kind := self.last(tokens(name))) is not None} - {item.type}
            if item.kind != "device" or item.type not in _VAGUE:
                of_no_type = said & _PASSED_OFF_AS.get(item.type or "", frozenset())
                yield replace(item, type=next(iter(of_no_type))) if of_no_type else item
                continue
            # A curtain is a cover.
            narrower = [kind for kind in sorted(said) if item.type in _BROAD and kind in _FITS.get(item.type, {})]
            own = narrower[0] if len(narrower) == 1 else _less_vague(item)
            yield replace(item, type=own, tags=item.tags | (said - {own})) if said or own != item.type else item

    def _warned(self, item: Entity, room: frozenset[tuple[str, ...]]) -> Entity:
        """The entity with the tags that its names ask to be careful by; a sensor in a cellar measures that room."""
        if item.kind != "device":
            return item
        names = tuple(map(tokens, item.names))
        if item.type == "sensor":
            names = tuple(without(name, room, max(map(len, room), default=0)) for name in names)
        given = {
            tag
            for tag, runs in self._marks.items()
            if item.type in _MARKED[tag] and any(has_run(name, run) for name in names for run in runs)
        }
        return replace(item, tags=item.tags | given) if given - item.tags else item


def is_of_air(item: Entity) -> bool:
    """Whether what it measures may be that of its room: what heats water, or keeps food cold, says nothing of that."""
    return item.type != "water_heater" and NOT_AIR not in item.tags


def _less_vague(item: Entity) -> str | None:
    """What something is by what it can do: no air conditioner where it neither cools nor blows."""
    if item.type != "climate":
        return item.type
    mode = item.capability("mode")
    cools = "cool" in mode.options or not mode.options if mode is not None else item.capability("fan_speed") is not None
    return "climate" if cools else "thermostat"
