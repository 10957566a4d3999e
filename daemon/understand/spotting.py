"""Which of the names in a text are meant as names: one text may have several segmentations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, lru_cache

from daemon.system.languages import naming
from daemon.understand.lexicon import Lexicon
from daemon.understand.matchers import Node
from daemon.understand.names import OWN, Mention, NameTable, Spotted
from daemon.understand.openings import END
from daemon.understand.parser import Parser

_NAMELIKE = frozenset({"ROOM", "LEVEL", "NAMEKIND", "NAMEKINDS", "BLOWN", "BUTTON", "ADDED"})
"""Classes whose words are names rather than grammar."""
_ATTRIBUTES = ("ATTR", "MEASURE")
_VALUES = ("STEPPED", "COLOR", "WHITE", "MAX", "MIN", "STATE")
_SWITCHED = ("on", "off")
_KINDS = ("KIND", "KINDS", "NAMEKIND", "NAMEKINDS")
_THINGS = ("device", "group", "row")
_SHORT_HAN = 2
"""A Chinese word of so many characters may well not be meant as a name."""


class Spotter:
    """Finds the names of a home in texts.

    Args:
        lexicon: The words of the languages.
        quoted: All that the grammar quotes.
        phrases: What says by itself what is meant ("all the lights"): that is nobody's name.
    """

    def __init__(self, lexicon: Lexicon, quoted: set[str], phrases: Phrases) -> None:
        self.phrases = phrases
        words = {word for name, words in lexicon.classes.items() if name not in _NAMELIKE for word in words.values}
        self._plain = words | quoted
        self._kinds = lexicon.together(*_KINDS)
        self._values = {*lexicon.words(*_VALUES), *_SWITCHED}
        self._modes = frozenset(lexicon.words("MODE", "GENRE"))
        self._attributes = lexicon.together(*_ATTRIBUTES)
        self._by_last: dict[str, tuple[str, ...]] = {}
        for word in self._attributes.values:
            self._by_last[word[-1]] = (*self._by_last.get(word[-1], ()), word)

    def found(self, text: str, names: NameTable) -> list[Mention]:
        """The names in a text, less those that only begin a word for a kind: "garage" in "garage door"."""
        closed = text + END

        settings = {item.start for item in names.find(text) if item.roles[0] == "setting"} if names.meanings else ()

        def owned(at: int) -> bool:
            return at < len(closed) and (at in settings or self._attributes.match(closed, at) > at)

        found = names.find(text, owned)
        about = {names.meanings[item.text] for item in found if item.roles[0] == "setting"}
        return [
            item
            for item in found
            if not (self._begins_kind(closed, item) or self._is_plural(closed, item) or self.is_own(item))
            and (item.roles[0] != "option" or self._is_option(item, names.options[item.text] & about))
            and (item.roles[0] != "setting" or item.text in names.common or self._is_its_own(item, text, found))
        ]

    def _is_its_own(self, item: Mention, text: str, found: list[Mention]) -> bool:
        """Whether a word that is also one for something else stands beside a thing as what is its own.

        "The hall sensor's alarm", "the alarm of the hall sensor", "its alarm".
        """
        if item.text not in self._plain or item.text in self._modes:
            return True
        if item.text in self._values:
            return False
        if _is_belonging(text, item):
            return True
        article = text[: item.start].split()[-1:]
        for thing in (other for other in found if other.roles[0] in _THINGS):
            before, between = text[thing.end : item.start].strip(), text[item.end : thing.start].split()
            if thing.end <= item.start and (not before or before in _belonging()):
                return True
            if thing.start >= item.end and len(between) == _OF_THE and between[1:] == article:
                return True
        return False

    def is_own(self, mention: Mention) -> bool:
        """Whether the language says this by itself; what somebody calls a group or a scene so is that."""
        return mention.roles == ("device",) and self.phrases.own(mention.text)

    def quotes(self, text: str) -> bool:
        """Whether a text is a word of the grammar or of its lexicon that is no name."""
        return text in self._plain

    def quotes_but_modes(self, text: str) -> bool:
        """Whether it is such a word, and none for a mode or a sort of music, which a player may be switched to."""
        return text in self._plain and text not in self._modes

    def first(self, text: str, found: list[Mention]) -> Spotted:
        """The likeliest segmentation: long names are names, short ones that are also plain words are not."""
        return NameTable.replace(text, [item for item in found if self._is_meant(item, text, found)])

    def common(self, text: str, found: list[Mention]) -> Spotted | None:
        """Without the settings that are words for something else, too: a countdown may be a timer.

        None where there are none.
        """
        kept = [item for item in found if self._is_meant(item, text, found)]
        left = [item for item in kept if item.roles[0] not in OWN or item.text not in self._plain]
        return NameTable.replace(text, left) if len(left) < len(kept) else None

    def plain(self, text: str, found: list[Mention]) -> Spotted | None:
        """With the plain words as names ("stop" may be a scene); None where there are none."""
        return NameTable.replace(text, found) if any(self._is_plain(item.text) for item in found) else None

    def apart(self, text: str, found: list[Mention]) -> Spotted | None:
        """Without names that say a place and an attribute ("bedroom temperature"); None where there are none."""
        measured = [item for item in found if item.roles[0] == "device" and self._says_attribute(item.text)]
        left_out = [item for item in measured if not self._is_plain(item.text)]
        if not left_out:
            return None
        return NameTable.replace(
            text, [item for item in found if self._is_meant(item, text, found) and item not in left_out]
        )

    def shorter(self, text: str, found: list[Mention]) -> Spotted | None:
        """Without names that a shorter one, or a kind, and a word of the grammar make up: 大门锁了吗 asks of the 大门.

        None where there are none, and where nothing but a name is said: 大门锁 locks nothing.
        """

        def made_up(whole: Mention) -> bool:
            ends = {part.end for part in found if part.start == whole.start}
            ends.update(at for at in range(whole.start + 1, whole.end) if self._says_kind(text[whole.start : at]))
            return any(end < whole.end and text[end : whole.end] in self._plain for end in ends)

        kept = [item for item in found if not made_up(item)]
        if len(kept) == len(found) or any(item.end - item.start == len(text) for item in found):
            return None
        return NameTable.replace(
            text, [item for item in kept if item.roles[0] not in OWN or self._is_meant(item, text, found)]
        )

    def headless(self, text: str, found: list[Mention]) -> Spotted | None:
        """Without the name that the text begins with: something may be called 关灯, or "Lights out".

        None where it begins with none.
        """
        kept = [item for item in found if item.start > 0]
        return NameTable.replace(text, kept) if len(kept) < len(found) else None

    def _says_kind(self, name: str) -> bool:
        """Whether a name that is written without spaces ends with a kind: 前门, which is one."""
        return not name.isascii() and any(name[at:] in self._kinds.values for at in range(1, len(name)))

    def _begins_kind(self, text: str, mention: Mention) -> bool:
        if mention.roles[0] not in ("area", "floor"):
            return False
        return self._kinds.match(text, mention.start) > mention.end

    def _is_plural(self, text: str, mention: Mention) -> bool:
        """Whether the name with its "s" only says a kind: "lamps" where there is one called "Lamp"."""
        with_s = mention.end - mention.start > len(mention.text) and mention.roles[0] in ("device", "group", "scene")
        return with_s and self._kinds.match(text, mention.start) >= mention.end

    def _is_meant(self, item: Mention, text: str, found: list[Mention]) -> bool:
        """Whether it is likely to be meant as a name.

        What is also a word for something else is a setting where a thing is spoken of that may have it.
        """
        role = item.roles[0]
        if role not in OWN:
            return not self._is_plain(item.text)
        if role == "option" or item.text not in self._plain:
            return True
        there = any(other.roles[0] in _THINGS for other in found) or self._kinds.replaced(text) != text
        return there or _is_belonging(text, item)

    def _is_option(self, item: Mention, about: Collection[str]) -> bool:
        """Whether it is what a setting that is spoken of may be set to, and no value that everybody knows.

        What is no other word at all is that anyway: "set the cooker to porridge".
        """
        return item.text not in (self._values if about else self._plain)

    def _is_plain(self, name: str) -> bool:
        word = name in self._plain and (len(name) <= _SHORT_HAN or name.isascii()) and " " not in name
        return word or self.phrases.measures(name)

    def _says_attribute(self, name: str) -> bool:
        return name[1:].endswith(self._by_last.get(name[-1], ()))


def _is_belonging(text: str, item: Mention) -> bool:
    """Whether it is said to be of what was named before: "its pump"."""
    return text[: item.start].rstrip().endswith(tuple(word for one in naming().values() for word in one.its))


_OF_THE = 2
"""Words between what is a thing's own and its name, the second of them that before it: "the alarm of the sensor"."""


@cache
def _belonging() -> frozenset[str]:
    """What stands between a thing and what is its own, in any language."""
    return frozenset(word for one in naming().values() for word in one.of)


_FREE = "Span"
"""A part that is no word of the language."""
_SAYS = ("quantifier__", "reference__")
HOME = "home"
"""What "the whole house" says."""
_OF_A_KIND = ("Target_", "article__", "mine__", "WHOLE", "whole__", "KIND")
"""The parts of what says no more than the home, or a kind of thing in it: "the lights", "the light", 全屋灯."""
_NTH = {"ORDINAL", "move__select"}
"""The parts of an answer that says which one of several by its place in the row, and nothing else."""
_AMOUNTS = ("move__value", "move__time")
_ANSWERS = ("move__select", *_AMOUNTS)
"""Moves that hold somebody's words."""
_NUMBERS = ("NUMBER", "INTEGER", "FRACTION")
_MOST = 80
"""Characters; what is longer is no such phrase."""


class Phrases:
    """Knows them. Safe to use from any thread.

    Args:
        parser: The grammar of all languages.
        langs: These languages; those that have no such rule say nothing by themselves.
        lexicon: Their words.
        plainly: What makes plain words of a text, for each language.
    """

    def __init__(
        self, parser: Parser, langs: Iterable[str], lexicon: Lexicon, plainly: Iterable[Callable[[str], str]]
    ) -> None:
        self._parser = parser
        self._lexicon = lexicon
        self._plainly = tuple(plainly)
        self._targets = parser.known(f"{lang}_targets" for lang in langs)
        self._moves = parser.known(f"Move_{lang}" for lang in langs)
        self.own = lru_cache(maxsize=1024)(self._own)
        """Whether a normalized text says by itself of how many, or of what that was spoken of before, or answers."""
        self.measures = lru_cache(maxsize=8192)(self._measures)
        """Whether a normalized text is a number, a length of time or a moment, and nothing else."""
        self._last = tuple(lexicon.words("WHOLE", *_KINDS[:2]))
        self.alone = lru_cache(maxsize=8192)(self._alone)
        """The kind of thing that a normalized text says, or `HOME`, where it says nothing else: "the light", 全屋."""

    def _own(self, text: str) -> bool:
        if len(text) > _MOST:
            return False
        texts = dict.fromkeys((text, *(plainly(text) for plainly in self._plainly)))
        trees = (self._parser.parse(rule, item) for item in texts for rule in self._targets)
        if any(tree is not None and _of_a_set(tree) for tree in trees):
            return True
        moves = [tree for rule in self._moves if (tree := self._parser.parse(rule, text)) is not None]
        return any(map(_answers, moves)) or (any(map(_counts, moves[:1])) and not self._is_thing(text))

    def _measures(self, text: str) -> bool:
        trees = (self._parser.parse(rule, text) for rule in self._moves if len(text) <= _MOST)
        said = ({node.rule for node in _inside(tree)} for tree in trees if tree is not None)
        return any(not marks.isdisjoint(_AMOUNTS) and not marks.isdisjoint(_NUMBERS) for marks in said)

    def _is_thing(self, text: str) -> bool:
        """Whether a kind of thing is said: "second lamp" may well be one's name."""
        return any(item.rule in _KINDS for said in self._said(text) for item in said)

    def _alone(self, text: str) -> str | None:
        if not text.endswith(self._last):
            return None
        for said in self._said(text):
            words = [item for item in said if item.rule in ("WHOLE", *_KINDS[:2])]
            kinds = [item for item in words if item.rule != "WHOLE"]
            if words and len(kinds) <= 1 and all(item.rule.startswith(_OF_A_KIND) for item in said):
                return self._lexicon.words(kinds[0].rule).get(text[kinds[0].start : kinds[0].end]) if kinds else HOME
        return None

    def _said(self, text: str) -> Iterator[list[Node]]:
        """What a text says of things, as the languages read it."""
        for rule in self._targets if len(text) <= _MOST else ():
            if (tree := self._parser.parse(rule, text)) is not None:
                yield list(_inside(tree))


def _of_a_set(tree: Node) -> bool:
    said = [node.rule for node in _inside(tree)]
    return any(rule.startswith(_SAYS) for rule in said) and not any(rule.startswith(_FREE) for rule in said)


def _answers(tree: Node) -> bool:
    marks = {node.rule for node in _inside(tree) if node.rule.startswith("move__")}
    return bool(marks) and marks.isdisjoint(_ANSWERS)


def _counts(tree: Node) -> bool:
    return {node.rule for node in _inside(tree) if not node.rule.startswith("Move_")} == _NTH


def _inside(tree: Node) -> Iterator[Node]:
    for child in tree.children:
        yield child
        yield from _inside(child)
