"""The names of a home that the grammar is to know: of things and places, settings and their options, and sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from operator import attrgetter
from typing import Final

from daemon.home import settings
from daemon.home.names import key
from daemon.home.registry import Registry
from daemon.system.naming import plurals
from daemon.understand.names import NamedThing

_SHORT: Final = 4
"""Letters; what is no longer is a word like others."""


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


def _in_short(sources: Collection[str], registry: Registry) -> Iterator[str]:
    """What people call a source that has a longer name: "iplayer" of "BBC iPlayer", where nothing else is called so."""
    runs: Counter[str] = Counter()
    for name in sources:
        words = name.split()
        runs.update({" ".join(part) for at in range(1, len(words)) for part in (words[:at], words[at:])})
    called = {key(name) for item in registry for name in item.names} | {key(name) for name in sources}
    yield from (run for run, count in runs.items() if count == 1 and len(run) > _SHORT and key(run) not in called)
