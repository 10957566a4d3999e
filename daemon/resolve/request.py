"""One look-up: what was said of a target, what it must be able to do to be meant, and what is known around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from daemon.core.entities import Entity
from daemon.core.ir import Action, Attribute, Clause, Condition, Inquiry, Kind, Op, Order, Parameter, Target
from daemon.core.resolution import ClauseResolution, Context
from daemon.core.values import replace
from daemon.core.vocabulary import PRONOUNS
from daemon.home import settings
from daemon.home.actions import capability_for, member_for, readable_for, risk_of
from daemon.home.kinds import KindWords
from daemon.home.registry import Registry
from daemon.home.verbs import ACTIONS
from daemon.resolve.alike import Contrasts
from daemon.resolve.index import Index
from daemon.resolve.places import Places, Scope
from daemon.resolve.proposers import Meaning

_CERTAIN: Final = 0.6
_VALUED: Final = frozenset({"set", "increase", "decrease", "play"})

# A word for a state tells what kind of thing is asked about: only a lock is locked.
_STATE_CAPABILITIES: Final[Mapping[object, frozenset[str]]] = {
    "locked": frozenset({"lock"}),
    "unlocked": frozenset({"lock"}),
    "open": frozenset({"open_close", "contact"}),
    "closed": frozenset({"open_close", "contact"}),
    "on": frozenset({"on_off", "read", "open_close"}),
    "off": frozenset({"on_off", "read", "open_close"}),
    "playing": frozenset({"media_transport"}),
    "paused": frozenset({"media_transport", "start_stop"}),
    "cleaning": frozenset({"start_stop"}),
    "docked": frozenset({"start_stop", "dock"}),
}

# What is meant where no target is named, by what is to be changed or done.
IMPLIED: Final[Mapping[str, Kind]] = {
    "brightness": "light",
    "color": "light",
    "color_temp": "light",
    "temperature": "climate",
    "set_point": "climate",
    "humidity": "humidifier",
    "volume": "media_player",
    "source": "media_player",
    "shuffle": "media_player",
    "repeat": "media_player",
    "position": "cover",
    "speed": "fan",
    "fan_mode": "climate",
    "swing": "climate",
    "mode": "climate",
    "next": "media_player",
    "previous": "media_player",
    "pause": "media_player",
    "resume": "media_player",
    "play": "media_player",
    "mute": "media_player",
    "unmute": "media_player",
    "dock": "vacuum",
    "lock": "lock",
    "unlock": "lock",
}


_WARMED: Final = frozenset({"heater", "appliance"})
"""Kinds of things that are warm where they are on."""
_MEASURED: Final = frozenset({"temperature", "humidity"})
"""What a condition is about as it is measured, never as it was set."""
ONE_AT_A_TIME: Final = frozenset(
    {"switch", "plug", "appliance", "media_player", "tv", "speaker", "vacuum", "lawn_mower"}
)
"""Kinds of which one is meant where a language leaves open how many: nobody turns on every socket of the kitchen."""


class Need(Struct, frozen=True):
    """What is wanted of an entity. All None: anything will do."""

    action: str | None = None
    parameter: Parameter | None = None
    attribute: str | None = None
    """What is asked about, for questions and conditions."""
    state: object = None
    """The state that is asked about ("locked"), where one is."""
    condition: bool = False
    """Whether an act depends on it, so that all who can tell are heard."""
    certain: bool = True
    """Whether the reading is sure enough for the capability to be a hard filter."""

    @property
    def reads(self) -> bool:
        """Whether nothing is to be changed."""
        return self.attribute is not None

    @property
    def turns_off(self) -> bool:
        """Whether the act only ends something: switching off, closing, locking, stopping."""
        return self.action in ("turn_off", "close", "lock", "stop", "pause", "mute", "dock")

    @property
    def implied_kind(self) -> Kind | None:
        """The kind that is meant where nothing is named: "set the brightness" is about a light."""
        if self.reads:
            return None
        attribute = self.parameter.attribute if self.parameter is not None else None
        if attribute is not None and settings.is_setting(attribute):
            return "device"
        return IMPLIED.get(attribute or "") or IMPLIED.get(self.action or "")

    @property
    def way(self) -> str | None:
        """How a temperature is to be reached ("cool", "heat"), where that was said."""
        return self.parameter.by if self.parameter is not None else None

    def fits(self, entity: Entity) -> bool:
        """Whether an entity can do it. Of a group, an area or a floor its members must be asked."""
        if not entity.exposed:
            return False
        if self.reads:
            return self._tells(entity)
        if entity.kind == "scene":
            return self.action is None or self.action in ("activate", "turn_on", "start", "open")
        if self.parameter is not None and (self.action in _VALUED or self.parameter.value is not None):
            if capability_for(entity, self.parameter) is not None:
                return True
            if self.action in _VALUED:
                return False
        if self.parameter is not None and settings.is_setting(self.parameter.attribute):
            return False
        if self.action is None or self.action not in ACTIONS:
            return True
        return member_for(entity, self.action) is not None

    def risky(self, entity: Entity) -> bool:
        """Whether doing it to this entity needs a yes."""
        return not self.reads and self.action is not None and risk_of(entity, self.action, self.parameter) == "confirm"

    def _tells(self, entity: Entity) -> bool:
        assert self.attribute is not None
        if entity.kind == "scene":
            return self.attribute == "state" and self.state is None  # what it does, it can be asked
        if self.attribute == "location" and self.state is None and entity.kind == "device":
            return True  # where a thing stands, the home itself knows
        told = readable_for(entity, self.attribute, self.state)
        if told is None or (self.condition and self.attribute in _MEASURED and told.name != "read"):
            return False  # what it is set to says nothing about how warm it is
        wanted = _STATE_CAPABILITIES.get(self.state) if self.attribute == "state" else None
        if wanted is None or any(item.name in wanted or item.attribute in wanted for item in entity.capabilities):
            return True
        # A sensor of nobody knows what is taken at its name: the one called skylight tells whether that is open.
        return self.state in ("open", "closed") and any(
            item.name == "read" and item.attribute == "state" for item in entity.capabilities
        )


def need_of(clause: Clause) -> Need:
    """What a clause wants of its targets."""
    parameter = clause.parameter
    if isinstance(clause, Inquiry):
        if clause.query == "can" and parameter is None:
            return Need(attribute="location")  # what a thing can be set to needs no answer of it
        if parameter is not None:
            return Need(attribute=parameter.attribute, state=parameter.value)
        if clause.conditions:
            return replace(need_of_condition(clause.conditions[0]), condition=False)
        return Need(attribute="state")
    if (
        clause.action == "increase"
        and parameter is not None
        and parameter.attribute == "brightness"
        and isinstance(clause, Order)
        and clause.implicit
    ):
        # "It's pitch black in here": whatever gives light helps, whether or not it can be dimmed.
        return Need(action="turn_on", certain=clause.confidence >= _CERTAIN)
    return Need(action=clause.action, parameter=parameter, certain=clause.confidence >= _CERTAIN)


def need_of_condition(condition: Condition) -> Need:
    """What a condition wants of its target: that it tells the attribute."""
    return Need(attribute=condition.attribute, state=condition.value, condition=True)


class House(Struct, frozen=True):
    """What there is, by id, by name and by place."""

    registry: Registry
    index: Index
    places: Places
    kind_words: KindWords
    contrasts: Contrasts

    def another(self, said: str, entity: Entity) -> bool:
        """Whether these words can only be meant for something else than this: the front door is not the back door."""
        area = self.registry.get(self.index.area(entity.id) or "")
        return self.contrasts.another(said, entity, area.names if area is not None else ())


class Request(Struct, frozen=True):
    """What is looked for."""

    target: Target
    need: Need
    context: Context
    scope: Scope

    @property
    def plural(self) -> bool:
        """Whether several are meant: "the heating everywhere" too."""
        every = self.target.whole_home and self.target.kind not in ONE_AT_A_TIME
        return every or self.target.plural or self.target.quantifier in ("all", "both", "n")

    @property
    def takes_any(self) -> bool:
        """Whether any one will do: to turn on "one of the lamps"."""
        return self.target.quantifier == "any" and not self.need.turns_off

    @property
    def asks_which(self) -> bool:
        """Whether it is one of several, and not just any: which of the lamps goes off, people do care."""
        return self.target.quantifier == "any" and self.need.turns_off


def is_everything(target: Target) -> bool:
    """Whether it is "everything", of no place: the whole home, wherever it is said."""
    placed = target.areas or target.floors or target.reference is not None
    return target.kind == "device" and target.quantifier == "all" and target.mention is None and not placed


def nowhere(target: Target, context: Context) -> bool:
    """Whether a target says neither who nor where."""
    named = target.mention or target.kind or target.areas or target.floors or target.whole_home
    elsewhere = target.reference is not None and (target.reference != "here" or context.area is not None)
    return not named and not elsewhere


def another_sense(clause: Clause, found: ClauseResolution) -> Order | None:
    """The clause in its other sense; None where it has none.

    A lamp is not heated: "warmer" of one, by whatever name, is a warmer white, which is fewer kelvin, and of one that
    has colours and no whites a warm colour. Only of what was named or spoken of before; a room that is to be warmer is
    not to be lit otherwise.
    """
    parameter = clause.parameter
    if not isinstance(clause, Order) or clause.action not in ("increase", "decrease"):
        return None
    if parameter is None or parameter.attribute not in ("temperature", "color_temp"):
        return None
    if parameter.unit not in (None, "step") or any(item.status != "unsupported" for item in found.targets):
        return None
    if any(target.mention is None and target.reference not in PRONOUNS for target in clause.targets):
        return None
    return toned(clause, parameter) if parameter.attribute == "temperature" else tinted(clause, parameter)


def heated(clause: Clause) -> Order | None:
    """The clause as one to switch something on that warms up by that: a towel rail on a plug has no degrees.

    None where it is no wish for more warmth, of things that are named and heat.
    """
    parameter = clause.parameter
    if not isinstance(clause, Order) or clause.action != "increase" or parameter is None or not clause.targets:
        return None
    plain = parameter.attribute == "temperature" and parameter.value is None
    warm = all(target.mention is not None and target.kind in _WARMED for target in clause.targets)
    return replace(clause, action="turn_on", parameter=None) if plain and warm else None


_HELP: Final[Mapping[tuple[Attribute, Op], tuple[Action, Kind]]] = {
    ("temperature", "decrease"): ("turn_on", "fan"),
    ("humidity", "decrease"): ("turn_on", "fan"),
    ("brightness", "increase"): ("open", "cover"),
    ("brightness", "decrease"): ("close", "cover"),
}
"""What else helps where a need ("it's boiling in here") is about something that nothing there does."""


def other_help(clause: Clause) -> Order | None:
    """A need as something else that helps against it in the same place; None where nothing does."""
    wished = clause.parameter
    if not isinstance(clause, Order) or not clause.implicit or wished is None:
        return None
    if (help_ := _HELP.get((wished.attribute, wished.op))) is None or any(item.mention for item in clause.targets):
        return None
    targets = tuple(replace(item, kind=help_[1], quantifier="one", plural=False) for item in clause.targets)
    return replace(clause, action=help_[0], parameter=None, targets=targets or (Target(kind=help_[1]),))


def toned(clause: Order, parameter: Parameter) -> Order:
    """What is to be warmer or cooler, as a warmer or a cooler white."""
    op: Literal["increase", "decrease"] = "decrease" if parameter.op == "increase" else "increase"
    return replace(clause, action=op, parameter=replace(parameter, attribute="color_temp", op=op))


def tinted(clause: Order, parameter: Parameter) -> Order:
    """What is to be a warmer or a cooler white, as a warm or a cool colour."""
    tint = "orange" if parameter.op == "decrease" else "light blue"
    return replace(clause, action="set", parameter=Parameter("color", value=tint, confidence=parameter.confidence))


def made(
    registry: Registry, words: KindWords, meanings: Sequence[Callable[[Registry], Meaning]], contrasts: Contrasts
) -> House:
    """The home as it is now."""
    index = Index(registry, words, [meaning(registry) for meaning in meanings], contrasts)
    return House(registry, index, Places(registry, index, contrasts), words, contrasts)
