"""Sentences that no rule knows as a whole, read from their parts: the cheapest rows of them, and their frames.

What stands apart in one and nobody understands is set off, so that the rest of it can be done and this be told.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from pathlib import Path

from msgspec import Struct

from daemon.system.nodes import Value, read_yaml
from daemon.understand.asides import Asides
from daemon.understand.frames import CLAUSE_COST, Command, Frames
from daemon.understand.lattice import Finder, Lattice, Left, Part, Passed, Row, cover, stuck
from daemon.understand.lexicon import Lexicon, WordClass
from daemon.understand.matchers import Node, Terminal
from daemon.understand.names import Spotted
from daemon.understand.openings import END
from daemon.understand.parser import Parser
from daemon.understand.pieces import Known
from daemon.understand.sorts import CORRECTION, LEFT_OVER, LISTED, SILENT, STRANGER, TALK, UNREAD, VERBS

FILE = "frames.yaml"
_SECTIONS = ("costs", "left_over", "names", "hazards", "commands", "leaning", "conditions")
_CLASSES = ("SMALL", "RESTRICTS", "TAKES_BACK", "BENDS", "STANDS_IN")
_TALK = ("OPENERS", "REASONS", "SO", "CLOSING", "POINTS", "VAGUE")
_PLACES = ("AREA", "ROOM", "FLOOR", "LEVEL")
_THINGS = ("DEVICE", "GROUP")
_BESIDES = frozenset({CORRECTION, LEFT_OVER, TALK, UNREAD})
_LONGEST = 1000
"""Characters; what is longer is no request."""


class Assembled(Struct, frozen=True):
    """One way in which a sentence falls into commands."""

    cost: float
    tree: Node
    """As the grammar would have made it."""
    parts: tuple[Part, ...]

    def talk(self, text: str) -> str:
        """What of the text is talk."""
        return ", ".join(text[part.start : part.end] for part in self.parts if part.sort == TALK)

    @property
    def is_partial(self) -> bool:
        """Whether some of it is unread."""
        return is_partial(self.parts)

    @property
    def is_strange(self) -> bool:
        """Whether it is about a thing, or a scene, that nobody knows."""
        named = (child for part in self.parts for node in part.nodes for child in node.children)
        return any(part.sort in (STRANGER, "unknown") for part in self.parts) or any(
            child.rule.startswith("Span_scene") for child in named
        )

    @property
    def is_plain(self) -> bool:
        """Whether it is one command and nothing besides."""
        return len(self.tree.children) == 1 and _BESIDES.isdisjoint(part.sort for part in self.parts)

    @property
    def is_whole(self) -> bool:
        """Whether every word that says something is in a part."""
        return all(part.sort != LEFT_OVER or is_small(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Assembly:
    """Reads by parts. Safe to use from any thread.

    Args:
        finders: Find the parts, by language.
        asides: Tells talk.
        concludes: What says, right behind it, that it was none: 大家都不在家*就*关灯.
        strange: Finds what nobody understands.
        frames: Makes commands of the parts.
    """

    _finders: Mapping[str, Finder]
    _asides: Asides
    _concludes: Terminal
    _strange: Strange
    _frames: Frames

    @classmethod
    def load(
        cls, rules: Path, langs: Iterable[str], lexicon: Lexicon, parser: Parser, terminals: Mapping[str, Terminal]
    ) -> Assembly:
        """What `frames.yaml` says, for each language that has part rules.

        Raises:
            ConfigError: the file is missing or wrong; names the line.
        """
        root = read_yaml(rules / FILE).mapping(_SECTIONS)
        costs = {sort: value.number(0, 10) for sort, value in root["costs"].mapping().items()}
        names = [terminals[item.text()] for item in root["names"].sequence() if item.text() in terminals]
        numbers = terminals["NUMBER"]
        hazards = [*names, *(terminals[item.text()] for item in root["hazards"].sequence())]
        small, restricting, taking_back, bending, standing_in = (WordClass(lexicon.words(name)) for name in _CLASSES)
        passed = Passed(root["left_over"].into(Left), small, _together((restricting, numbers, *hazards)))
        finders = {}
        for lang in langs:
            if said := {sort: rule for sort in costs for rule in parser.known([f"part_{sort}_{lang}"])}:
                words = lexicon.fillers[lang]
                fillers = {*words.anywhere, *words.start, *words.end} - restricting.values.keys()
                finders[lang] = Finder(
                    parser, said, f"told_{lang}", f"timed_{lang}", f"dated_{lang}", costs, fillers, passed
                )
        asides = Asides(
            **{name.lower(): WordClass(lexicon.words(name)) for name in _TALK},
            takes_back=taking_back,
            bends=bending,
            hazards=_together(hazards),
            names=_together(names),
            places=_together(terminals[name] for name in _PLACES),
            things=[terminals[name] for name in _THINGS],
            numbers=numbers,
        )
        strange = Strange(costs[UNREAD], _together((taking_back, bending)), (standing_in,))
        concludes = WordClass(lexicon.words("CONCLUDES"))
        return cls(finders, asides, concludes, strange, Frames(_commands(root["commands"]), _commands(root["leaning"])))

    def lattice(self, text: str, lang: str) -> Lattice:
        """All the parts of a text; nothing where it is no request or the language has no parts."""
        finder = self._finders.get(lang)
        if finder is None or not text or len(text) > _LONGEST:
            return {}
        lattice = finder.found(text)
        asides = list(self._asides.found(text, lattice, finder.told(text, lattice)))
        suns = {node.start for node in finder.times(text) if _of_the_sun(node)} if asides else set()
        for aside in asides:
            if aside.topic is None and aside.start in suns:
                continue  # "once it is dark do what you do" says when
            if self._concludes.match(text + END, aside.end) > 0:
                continue
            part = finder.aside(aside.start, aside.end, aside.topic)
            if part not in lattice[aside.start]:  # what a rule knows as talk already
                lattice[aside.start].append(part)
        return lattice

    def is_torn(self, text: str, lang: str, at: int) -> bool:
        """Whether a word that nobody knows goes on at this place of a text that is written without spaces: 青|椒."""
        parts = self.lattice(text, lang).get(at, ())
        return at < len(text) and bool(parts) and all(part.sort == LEFT_OVER and not is_small(part) for part in parts)

    def times(self, lang: str) -> Callable[[str], tuple[Node, ...]]:
        """Finds what a text tells of times, wherever it does."""
        finder = self._finders.get(lang)
        return finder.times if finder is not None else lambda _text: ()

    def days(self, text: str, lang: str) -> tuple[Node, ...]:
        """What a text tells of days, wherever it does."""
        finder = self._finders.get(lang)
        return finder.days(text) if finder is not None and text else ()

    def rows(self, lattice: Lattice, lang: str, known: Known) -> list[Row]:
        """The rows of a lattice that are tried as commands, the cheapest first."""
        return cover(lattice, lambda parts: self._frames.tree(Row(0.0, parts), lang, known) is not None)

    def read(self, text: str, lang: str) -> Iterator[Assembled]:
        """The ways in which a text falls into commands, the likeliest first; each is only looked for when asked for.

        Behind them come those in which something is unread that stands apart.
        """
        lattice = self.lattice(text, lang)
        if lattice:
            known = Known()
            rows = self.rows(lattice, lang, known)
            yield from self._framed((row for row in rows if not _is_nobodys(row.parts)), lang, known)
            passed = self.rows(self._strange.passed(text, lattice), lang, known)
            yield from self._framed((row for row in passed if is_partial(row.parts) and orders(row.parts)), lang, known)

    def _framed(self, rows: Iterable[Row], lang: str, known: Known) -> Iterator[Assembled]:
        found: list[Assembled] = []
        for row in rows:
            while found and found[0].cost <= row.cost + CLAUSE_COST:
                yield found.pop(0)
            tree = self._frames.tree(row, lang, known)
            if tree is not None:
                insort(found, Assembled(*tree, row.parts), key=attrgetter("cost"))
        yield from found


def is_small(part: Part) -> bool:
    """Whether a word that is left over says little about anything."""
    return part.cost < 1.0


def _of_the_sun(time: Node) -> bool:
    return time.rule.startswith("time__") or any(map(_of_the_sun, time.children))


def _together(terminals: Iterable[Terminal]) -> tuple[Terminal, ...]:
    """As many terminals as are needed to find what any of these does: all classes of words are one."""
    terminals = tuple(terminals)
    words = {word: "" for item in terminals if isinstance(item, WordClass) for word in item.values}
    return (WordClass(words), *(item for item in terminals if not isinstance(item, WordClass)))


def _commands(listed: Value) -> list[Command]:
    return listed.into(list[Command], "write {of: [verbs and values], needs: subject, adds: [marks]}")


def _is_nobodys(parts: Iterable[Part]) -> bool:
    """Whether it is talk beside a command about something that nobody knows: then all of it is talk."""
    parts = tuple(parts)
    talk = any(part.sort == TALK and not part.nodes for part in parts)
    return talk and any(part.sort == STRANGER for part in parts)


_MOST_ROWS = 2
"""The best, and the next best."""


def explained(spotted: Spotted, lang: str, assembly: Assembly) -> Iterator[str]:
    """The text, its names in angle brackets; its best rows of parts, each with what it costs; or where it has none."""
    text = spotted.text
    yield "".join(f"<{spotted.mentions[char].text}>" if char in spotted.mentions else char for char in text)
    lattice = assembly.lattice(text, lang)
    if not lattice:
        return
    if (at := stuck(lattice)) is not None:
        yield f"  no part fits at {_said(spotted, at, len(text))!r}, and it may not be left over"
        return
    read = 0
    for item in islice(assembly.read(text, lang), _MOST_ROWS):
        read += 1
        verdict = "" if item.is_whole else "  (too much is left over)"
        yield f"  {item.cost:.2f} = {_drawn(item.parts, spotted)}{verdict}"
    for row in assembly.rows(lattice, lang, Known())[: 0 if read else _MOST_ROWS]:
        yield f"  {row.cost:.2f} = {_drawn(row.parts, spotted)}  (no frame has these)"


def _drawn(parts: tuple[Part, ...], spotted: Spotted) -> str:
    return " | ".join(f'"{_said(spotted, part.start, part.end)}" {part.sort} {part.cost:g}' for part in parts)


def _said(spotted: Spotted, start: int, end: int) -> str:
    return spotted.restore(spotted.text[start:end]).strip()


_SETTING_APART = frozenset({"comma", "joint"})
_BEGINNING = VERBS - {"particle", "course"} | {"mark"}
_NAMED = LISTED - {STRANGER}
_CLOSELY = "closely__yes"
"""Of a joint: what is behind it tells which things are meant, or how: "the plugs *with* the child lock on"."""
_SHORTEST = 2
"""A single word may be anything."""


def is_partial(parts: Iterable[Part]) -> bool:
    """Whether some of a row is unread."""
    return any(part.sort == UNREAD for part in parts)


def orders(parts: Iterable[Part]) -> bool:
    """Whether a row begins as a command: what somebody tells ("the door opened and she walked in") is not for us.

    Nor is what is done to a thing that nobody knows, behind a remark that nobody understands.
    """
    said = [part for part in parts if part.sort not in (*SILENT, TALK, "comma")]
    known = [part for part in said if part.sort != UNREAD]
    if not known or (known[0] is not said[0] and any(part.sort == STRANGER for part in said)):
        return False
    joined = any(part.sort == "joint" for part in said)
    switched = [part.sort for part in known[:2]] == ["target", "particle"]
    return known[0].sort in _BEGINNING or (switched and not joined)  # "hall light off, moonbeam off"


class Strange(Struct, frozen=True):
    """Finds words that stand between joints and commas, whatever they say; never what may bear on the rest."""

    cost: float
    taking_back: Sequence[Terminal]
    """Take back what is said beside it, or make it depend on something."""
    standing_in: Sequence[Terminal]
    """Stand for what was named before: "the ones by the sofa" may say which of it."""

    def passed(self, text: str, lattice: Lattice) -> dict[int, list[Part]]:
        """The lattice, with each such stretch as a part in the place of words that are left over."""
        said = {place: [part for part in parts if part.sort != LEFT_OVER] for place, parts in lattice.items()}
        for part in self._found(text, lattice):
            said[part.start].append(part)
        return said

    def _found(self, text: str, lattice: Lattice) -> Iterator[Part]:
        closed = text + END
        gaps = [part for parts in lattice.values() for part in parts if part.sort in _SETTING_APART]
        starts = sorted({0, *(part.end for part in gaps)} - {len(text), *(part.start for part in gaps)})
        closely = {part.end for part in gaps if _CLOSELY in _rules(part)}
        joined = {part.end for part in gaps if part.sort == "joint"}
        ends = sorted({len(text), *(part.start for part in gaps)})
        for start in starts:
            end = next((end for end in ends if end > start), start)
            inside = [place for place in lattice if start <= place < end]
            if start in closely:
                continue
            if start not in joined and any(part.sort in _NAMED for place in inside for part in lattice[place]):
                continue  # "..., the greenish ones downstairs" may say which of what was named
            bearing = self.taking_back if start in joined else (*self.taking_back, *self.standing_in)
            if any(item.match(closed, place) > 0 for place in inside for item in bearing):
                continue
            if sum(closed[place].isalpha() for place in inside) >= _SHORTEST:
                yield Part(UNREAD, start, end, (Node("Unread", start, end, ()),), self.cost)


def _rules(part: Part) -> set[str]:
    return {item.rule for node in part.nodes for item in (node, *node.children)}
