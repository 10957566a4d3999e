"""The options of a question: what tells them apart, and how they are recognised again in an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from rapidfuzz import fuzz

from daemon.core.entities import Entity
from daemon.core.ir import Target
from daemon.home.names import contains, has_han, key, spares
from daemon.home.registry import Registry

_CLOSE = 84.0
"""From this ratio (0 to 100) on, a label that was not heard exactly still counts; measured on misheard room names."""
_MISHEARD = 1.6
"""So many times as long as a label is an answer that may be nothing but that label, misheard."""

_LONGEST_LABEL = 4
"""So many times as long as an answer is a label that cannot sound like it, however its syllables are written."""


def dimension(options: Sequence[str], registry: Registry) -> str:
    """What tells the options apart best: the first of area, floor, kind and name with the most different values."""

    def floor(entity: str) -> object:
        found = registry.floor_of(entity)
        return found.id if found is not None else None

    def area(entity: str) -> object:
        # Two rooms of one name tell nothing apart.
        found = registry.area_of(entity)
        return found.names[:1] if found is not None else None

    values: dict[str, Callable[[str], object]] = {
        "area": area,
        "floor": floor,
        "kind": lambda entity: registry[entity].type or registry[entity].kind,
        "name": lambda entity: registry[entity].names[:1],
    }
    if all(registry[entity].kind == "area" for entity in options):
        # Places of one name differ by their floor only.
        same = len({registry[entity].names[:1] for entity in options}) < len(options)
        return "floor" if same else "area"
    return max(values, key=lambda name: _split(values[name](entity) for entity in options))


def recognise(text: str, ids: Sequence[str], registry: Registry, kinds: Sequence[str] = ()) -> tuple[str, ...]:
    """The options that an answer names: by name, area, floor or a part of them, or by the `kinds` that were offered.

    Empty where it names none.

    A label that all options share tells nothing. A label within a longer one is no evidence beside it, so "desk lamp"
    beats "lamp"; an option that is named as well as another is returned beside it. What an answer only says that it
    does not mean is not guessed at: "not the bedroom" names nothing.
    """
    labels = {item: _labels(registry[item], registry) for item in ids}
    for item, kind in zip(ids, kinds, strict=False):
        labels[item].add(kind.casefold())
    shared = set.intersection(*labels.values()) if labels else set()
    said = {item: {label for label in words - shared if contains(text, label)} for item, words in labels.items()}
    rest = text
    for label in sorted({label for words in labels.values() for label in words}, key=len, reverse=True):
        rest = rest.replace(label, " ")
    if spares(rest):
        return ()
    if any(said.values()):
        return tuple(item for item in ids if said[item] and not _outdone(item, said))
    scores = {
        item: max((_sounds_like(label, text) for label in words - shared), default=0.0)
        for item, words in labels.items()
    }
    best = max(scores.values(), default=0.0)
    return tuple(item for item in ids if best > 0 and scores[item] == best)


def nth(options: Sequence[str], place: int | None) -> tuple[str, ...]:
    """The option with this number, 1-based; of -1, the last one; nothing where there is no such."""
    known = place is not None and (place == -1 or 1 <= place <= len(options))
    return (options[place - 1 if place > 0 else -1],) if known and place is not None else ()


def is_another(target: Target, ids: Sequence[str], registry: Registry) -> bool:
    """Whether it can be none of these: it has the whole name of something else, or says a kind of another place."""
    if target.mention is not None:
        wanted = key(target.mention)
        if any(wanted in key(label) for item in ids for label in _labels(registry[item], registry)):
            return False
        if any(wanted == key(name) for entity in registry for name in entity.names):
            return True
    if target.kind in (None, "device") or not target.areas:
        return False
    places = {key(name) for item in ids if (area := registry.area_of(item)) is not None for name in area.names}
    return places.isdisjoint(map(key, target.areas))


def partly(core: str, ids: Sequence[str], registry: Registry) -> tuple[str, ...]:
    """The options whose name holds what an answer says, where it is written without spaces: 绿的 is the 绿台灯."""
    if not has_han(core) or " " in core:
        return ()
    found = tuple(item for item in ids if any(core in name for name in registry[item].names))
    return found if len(found) < len(ids) else ()


def besides(
    text: str, chosen: Sequence[str], registry: Registry, kinds: Sequence[str] = (), *, misheard: bool = True
) -> str:
    """What an answer says besides the names of what it chose; all of it where it names none of them, or none well.

    Unless it may not be `misheard`, what is about as long as such a name is nothing but that.
    """
    rest = text
    labels = {label for item in chosen for label in _labels(registry[item], registry)} | {*map(str.casefold, kinds)}
    for label in sorted(labels, key=len, reverse=True):
        rest = rest.replace(label, " ")
    longest = max((len(label) for label in labels), default=0)
    return "" if misheard and rest == text and len(text) <= longest * _MISHEARD else rest


def _outdone(item: str, said: Mapping[str, set[str]]) -> bool:
    """Whether another option is named by all that names this one, and by more."""
    return any(
        found > said[item] or all(any(mine != label and mine in label for label in found) for mine in said[item])
        for other, found in said.items()
        if other != item
    )


def _labels(entity: Entity, registry: Registry) -> set[str]:
    """Everything an answer may call this option by, folded; parts of a name as well as the whole."""
    places = [place for place in (registry.area_of(entity.id), registry.floor_of(entity.id)) if place is not None]
    whole = [name.casefold() for item in (entity, *places) for name in item.names]
    parts = [part for name in whole for part in name.split() if len(part) > 2]  # noqa: PLR2004 - no "of", "in"
    return {*whole, *parts, *(registry.levels.called(places[-1].id) if places else ())}


def _sounds_like(label: str, text: str) -> float:
    """The ratio (0 to 100) of the label to the part of the text that is most like it; 0 where that is not enough."""
    if has_han(label):
        if len(label) < 2:  # noqa: PLR2004 - one syllable is found in anything
            return 0.0
        if len(label) > _LONGEST_LABEL * len(text):
            return 0.0
        label, text = _syllables(label), _syllables(text)
        # A text that is shorter than the label is no part to look in: a mere "o" is somewhere in every room.
        ratio = fuzz.partial_ratio(label, text) if len(text) >= len(label) else fuzz.ratio(label, text)
    elif len(label) <= 3:  # noqa: PLR2004 - short words fit anywhere
        return 0.0
    else:
        # Whole words, though one may be heard as two: a part of one is like much ("right" like the end of "light").
        said, count = text.split(), len(label.split())
        runs = (said[at : at + size] for size in (count - 1, count, count + 1) for at in range(len(said) - size + 1))
        ratio = max((fuzz.ratio(label, " ".join(run)) for run in runs if run), default=0.0)
    return ratio if ratio >= _CLOSE else 0.0


@lru_cache(maxsize=512)
def _syllables(text: str) -> str:
    from pypinyin import lazy_pinyin  # 55 MiB: not for a home in which nobody speaks Chinese

    return "".join(lazy_pinyin(text))


def _split(values: Iterable[object]) -> int:
    """How many groups these values make; a missing value tells nothing, so then it is none."""
    found = list(values)
    return 0 if None in found else len(set(found))
