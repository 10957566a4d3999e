"""The names of a home that the grammar is to know: of things and places, settings and their options, and sources.

Of some the language says something else: "the second one", "the light". What means something by itself in every home
is nobody's name (`Phrases.own`). A word for a kind of thing is no name of a thing of quite another kind where there are
such things: "the light" is none of a kettle's. Groups and scenes are what somebody called so on purpose, and what is
only measured takes no command over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Final

from daemon.core.entities import Entity
from daemon.core.ir import Kind
from daemon.home import settings
from daemon.home.kinds import KIN, KindWords, fit, related, says_little
from daemon.home.names import contains, has_han, key, owner, tokens
from daemon.home.registry import Registry
from daemon.system.languages import naming, plurals
from daemon.system.worker import Derived
from daemon.understand.grammar import Grammar
from daemon.understand.lexicon import Lexicon, WordClass
from daemon.understand.names import NamedThing, NameTable, Nearby
from daemon.understand.normalize import plain_text
from daemon.understand.openings import END, PLACES
from daemon.understand.spotting import HOME, Phrases

KINDS: Final = ("KIND", "KINDS", "NAMEKIND", "NAMEKINDS")
"""The classes of words for kinds of things."""
_SMALL: Final = ("AROUND", *KINDS, "ORDINAL")
"""Classes of words that say little about which one is meant."""
_SHORT: Final = 4
"""Letters; what is no longer is a word like others."""
_LIT: Final = frozenset({"light", "lamp"})
_FEW: Final = 2
"""Characters, the same in Mandarin."""


class HomeNames:
    """The names of one home, made anew when that changes.

    Args:
        grammar: Reads them.
        registry: The home.
        nearby: Names of at most so many things that a text may be about, for the models.
    """

    def __init__(self, grammar: Grammar, registry: Registry, nearby: Nearby) -> None:
        self._grammar = grammar
        self._registry = registry
        self._all = Derived(lambda: registry.version, lambda: grammar.names(self._things(), nearby))
        self._in_short = Derived(lambda: registry.version, lambda: self._shorter(nearby))
        lexicon = grammar.lexicon
        fillers = {word for item in lexicon.fillers.values() for word in (*item.anywhere, *item.start, *item.end)}
        self._owners = Derived(lambda: registry.version, lambda: WordClass(owners(registry)))
        self._theirs = WordClass(lexicon.words("THEIRS"))
        self._telling = fillers & lexicon.words("CONTRAST").keys()
        self._kinds = lexicon.words(*KINDS)
        self._kind = words_of(lexicon, *KINDS)

    @property
    def all(self) -> NameTable:
        """As they are given."""
        return self._all.get()

    @property
    def in_short(self) -> NameTable:
        """As they are given, and what people say in short for them."""
        return self._in_short.get()

    def with_owner(self, text: str) -> str:
        """The text with the one owner of things who is named in it where "her" stands: "nana sleeps, her lamp off"."""
        owners = self._owners.get()
        places = [place.start() for place in PLACES.finditer(text)]
        at = next((place for place in places if self._theirs.match(text + END, place) > 0), 0)
        ends = ((place, owners.match(text + END, place)) for place in places if place < at)
        named = {owners.values[text[place:end]] for place, end in ends if end > 0}
        if len(named) != 1:
            return text
        [owner_] = named
        said = WordClass({word: way.replace("x", owner_) for word, way in self._theirs.values.items()})
        return text[:at] + said.replaced(text[at:])

    def is_somebodys(self, text: str) -> bool:
        """Whether it speaks of somebody's thing and says only "her": "her light", 她那盏."""
        found = ((at.start(), self._theirs.match(text + END, at.start())) for at in PLACES.finditer(text))
        return any(
            end > at
            and (
                self._theirs.values[text[at:end]] != "x"
                or self._kind.match(text + END, end + (text[end : end + 1] == " ")) > 0
            )
            for at, end in found
        )

    def warm(self) -> None:
        """Takes them now, which the next command would otherwise wait for. Blocking; may run beside the loop."""
        self._all.renewed()
        self._in_short.renewed()

    def _things(self) -> list[NamedThing]:
        """The names of the home, less those that would take over what is said of all of it, or of a kind of thing."""
        usurped = usurping(self._registry, self._grammar.fragments.spotter.phrases)
        taken = {*usurped, *self._list()}
        named = [item for item in named_things(self._registry) if item.role != "device" or item.text not in taken]
        return [*named, *self._told_apart()]

    def _list(self) -> Iterator[str]:
        """The names of the only list that the home has: what is said of it is said of a list, as of those kept here."""
        lists = [item for item in self._registry.devices if item.reads("todo")]
        names = (plain_text(name) for item in lists for name in item.names if len(lists) == 1)
        return filter(self._grammar.fragments.is_list, names)

    def _shorter(self, nearby: Nearby) -> NameTable:
        grammar = self._grammar
        shorter, several = in_short(self._registry, grammar.lexicon.kind_words, grammar.reserved)
        return grammar.names([*self._things(), *several], nearby, shorter)

    def _told_apart(self) -> Iterator[NamedThing]:
        """What is said of things that a filler tells apart: "right, the lamp", but "right lamp" beside a left one."""
        for item in self._registry.devices:
            for said in {word for name in item.names for word in tokens(name.casefold())} & self._telling:
                yield from (
                    NamedThing(f"{said} {kind}", "device") for name in item.names for kind in self._of_kind(name)
                )

    def _of_kind(self, name: str) -> Iterator[str]:
        """The words for kinds in a name."""
        return (word for word in tokens(name.casefold()) if word in self._kinds)


def owners(registry: Registry) -> dict[str, str]:
    """Who owns something here, by how he is spoken of -> as whose it is said to be: nana -> nanas; 奶奶 -> 奶奶的."""
    marks = [mark for told in naming().values() for mark in told.of]
    persons = [name for item in registry.persons for name in item.names]
    whose = [(key(name), key(name) + mark) for name in persons for mark in marks if has_han(name) == has_han(mark)]
    whose += [found for item in registry for name in item.names if (found := owner(name)) is not None]
    return {said: by for found, by in whose for said in (found, by)}


def named_things(registry: Registry) -> list[NamedThing]:
    """The names of a home, as the grammar takes them."""
    things = [NamedThing(text, role) for text, role in registry.named()]
    able = {item for entity in registry if entity.exposed for item in entity.capabilities if item.name == settings.NAME}
    called = dict.fromkeys(name for item in sorted(able, key=attrgetter("attribute")) for name in settings.spoken(item))
    things += [NamedThing(text, "setting", meaning, settings.known(text)) for text, meaning in called]
    several = ((more, text, meaning) for text, meaning in called if " " in text for more in plurals(text))
    things += [NamedThing(more, "setting", meaning, settings.known(text)) for more, text, meaning in several]
    options: dict[str, dict[str, None]] = {}
    for item in able:
        for word in item.options if not {"on", "off"}.issuperset(item.options) else ():
            if len(spaced := settings.spaced(word)) > 1 and settings.NUMERIC.fullmatch(spaced) is None:
                options.setdefault(spaced, {}).update(dict.fromkeys(name for _, name in settings.spoken(item)))
    players = (item for entity in registry if entity.exposed for item in entity.capabilities)
    sources = dict.fromkeys(name.casefold() for item in players if item.attribute == "source" for name in item.options)
    things += [NamedThing(name, "input") for name in (*sources, *_in_short(sources, registry)) if len(name) > 1]
    return [*things, *(NamedThing(text, "option", " ".join(of), common=True) for text, of in options.items())]


def in_short(
    registry: Registry, kinds: Mapping[str, Kind], reserved: Callable[[str], object]
) -> tuple[dict[str, list[str]], list[NamedThing]]:
    """What people call a thing that has a longer name: "shelves" of "Alcove shelves", "porch" of "Porch light".

    That is how it ends, behind a word or a place (炖锅 of 灶间炖锅), or of a light what stands before its kind (描金 of
    描金灯): who says the fish tank does not mean its heater.

    Args:
        registry: The home.
        kinds: The words for kinds of things.
        reserved: Whether a text is a word of the grammar.

    Returns:
        Of a name, what may stand for it; and what may stand for those of several things.
    """
    called = {key(name): item.id for item in registry for name in item.names}
    places = {name for item in registry if item.kind in ("area", "floor") for name in item.names if has_han(name)}
    meant: dict[str, str] = {}
    for item in registry.devices:
        for name in item.names:
            for text in _shortened(key(name), kinds, places):
                long = len(text) >= (_FEW if has_han(text) else _SHORT)
                if long and not (text in called or text in kinds or reserved(text)):
                    meant.setdefault(text, name)
    lines = "\n".join((*called, ""))
    shorter: dict[str, list[str]] = {}
    several: list[NamedThing] = []
    for text, name in meant.items():
        one = len({called[other] for other in _lines_with(text, lines) if contains(other, text)}) == 1
        for more in (text, *(() if has_han(text) else plurals(text))):
            if one:
                shorter.setdefault(plain_text(name), []).append(more)
            else:
                several.append(NamedThing(more, "device"))
    return shorter, several


def _lines_with(text: str, lines: str) -> Iterator[str]:
    """The lines that have a text in them: of thousands of names, in one go."""
    at = lines.find(text)
    while at >= 0:
        end = lines.find("\n", at)
        yield lines[lines.rfind("\n", 0, at) + 1 : end]
        at = lines.find(text, end)


def _shortened(name: str, kinds: Mapping[str, Kind], places: Collection[str]) -> Iterator[str]:
    """A name less its first words or its place, and less its kind."""
    han, whose = has_han(name), tuple(word for told in naming().values() for word in told.of if has_han(word))
    cuts = range(1, len(name)) if han else [gap for gap, letter in enumerate(name) if letter == " "]
    for before, behind in ((name[:cut].strip(), name[cut:].strip()) for cut in cuts):
        if before in places if han else " " not in behind:
            yield behind
        if behind in kinds:
            lit = kinds[behind] in _LIT and not before.endswith(whose)
            yield from (before,) if lit else ()
            return


def _in_short(sources: Collection[str], registry: Registry) -> Iterator[str]:
    """What people call a source that has a longer name: "iplayer" of "BBC iPlayer", where nothing else is called so."""
    runs: Counter[str] = Counter()
    for name in sources:
        words = name.split()
        runs.update({" ".join(part) for at in range(1, len(words)) for part in (words[:at], words[at:])})
    called = {key(name) for item in registry for name in item.names} | {key(name) for name in sources}
    yield from (run for run, count in runs.items() if count == 1 and len(run) > _SHORT and key(run) not in called)


@lru_cache(maxsize=2)
def kinds_of(lexicon: Lexicon) -> KindWords:
    """The words for kinds of all languages, as a home takes them; made once for all homes."""
    return KindWords(
        lexicon.kind_words,
        lexicon.particular_kinds,
        lexicon.marks,
        lexicon.around_places,
        mains=lexicon.words("MAINLIGHT"),
        beside=lexicon.words("STANDS"),
    )


@lru_cache(maxsize=32)
def words_of(lexicon: Lexicon, *names: str) -> WordClass:
    """Where a word of these classes stands, whatever it means; made once for all homes."""
    return WordClass(dict.fromkeys(lexicon.words(*names), ""))


@lru_cache(maxsize=2)
def saying_little(lexicon: Lexicon) -> tuple[WordClass, WordClass, WordClass]:
    """What says little about which one is meant, what is only polite, and what opens a request; made once for all."""
    small = [word for name in _SMALL if name in lexicon.classes for word in lexicon.classes[name].values]
    small += [word for item in lexicon.fillers.values() for word in (*item.anywhere, *item.start, *item.end)]
    polite = [word for item in lexicon.fillers.values() for word in (*item.anywhere, *item.end)]
    opening = [word for item in lexicon.fillers.values() for word in item.anywhere]
    some = (small, polite, [*lexicon.words("HENCE"), *opening])
    first, second, third = (WordClass(dict.fromkeys(words, "")) for words in some)
    return first, second, third


def unsayable(registry: Registry, phrases: Phrases) -> Mapping[str, tuple[str, ...]]:
    """Each such name of the home's devices, with the ids of what bears it."""
    others = {plain_text(name) for name, role in registry.named() if role != "device"}
    own = {name for name in _bearers(registry) if phrases.own(plain_text(name)) and plain_text(name) not in others}
    return {
        name: tuple(item.id for item in bearers)
        for name, bearers in _bearers(registry).items()
        if name in own or _usurps(plain_text(name), bearers, registry, phrases)
    }


def usurping(registry: Registry, phrases: Phrases) -> frozenset[str]:
    """The names that would take over what is said of the home, or of a kind of thing."""
    found = _bearers(registry).items()
    return frozenset(name for name, bearers in found if _usurps(plain_text(name), bearers, registry, phrases))


def _bearers(registry: Registry) -> dict[str, list[Entity]]:
    bears: dict[str, list[Entity]] = {}
    for item in registry:
        for name in item.names if item.kind == "device" else ():
            bears.setdefault(name, []).append(item)
    return bears


def _usurps(name: str, bearers: Iterable[Entity], registry: Registry, phrases: Phrases) -> bool:
    kind = phrases.alone(name)
    if kind == HOME:
        return not all(item.type == "sensor" or not item.capabilities for item in bearers)
    if kind is None or any(map(_may_be(kind), bearers)):
        return False
    return any(item.kind == "device" and fit(item, kind) >= KIN for item in registry)


def _may_be(kind: str) -> Callable[[Entity], bool]:
    """Whether people may call it by the word for a kind; a plug may well have the lights on it."""

    def so(item: Entity) -> bool:
        return fit(item, kind) > 0.0 or says_little(item.type) or related(item.type or kind, kind)

    return so
