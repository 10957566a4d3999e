"""Normalized text + the home's names -> readings, best first."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Literal

from daemon.core.errors import ConfigError
from daemon.core.ir import DialogueMove, Fix, Lang, Order, Program
from daemon.core.values import replace
from daemon.system.languages import optional, required, told
from daemon.system.worker import resting
from daemon.understand import peg, supposing
from daemon.understand.alternatives import as_sure, begins_named, is_clear, less_sure, measured, spread_place
from daemon.understand.assembly import Assembled, Assembly, explained
from daemon.understand.build import build_program
from daemon.understand.confidence import FILE, Confidences
from daemon.understand.corrections import is_step, names_only
from daemon.understand.dated import dated
from daemon.understand.fragments import Fragments
from daemon.understand.lexicon import Lexicon, WordClass
from daemon.understand.moments import Halves
from daemon.understand.names import NAMELESS, Mention, NamedThing, NameTable, Nearby, Spotted
from daemon.understand.normalize import MAX_LENGTH, Normalized, as_said, asked, rejoined
from daemon.understand.numbers import Numbers
from daemon.understand.openings import END
from daemon.understand.parser import MOST_HELD, Parser
from daemon.understand.parts import Reading
from daemon.understand.spellings import Homophones, Spellings
from daemon.understand.spotting import Phrases, Spotter
from daemon.understand.terminals import terminals_of
from daemon.understand.tidy import Tidy
from daemon.understand.unable import Unable, Unfinished, left_open

_MOST_MISHEARD = 60
"""Characters; what is longer is no command that was only misspelt."""
_SCRIPTS = {"latin": re.compile("[a-z]"), "han": re.compile("[\u4e00-\u9fff]")}
"""What a text has at least one of where it may be in this language; words alone would fit any grammar."""


@dataclass(slots=True, repr=False)
class Grammar:
    """The grammar of all languages, ready to read. Safe to use from any thread once it is loaded."""

    lexicon: Lexicon
    numbers: Numbers
    sure: Confidences
    halves: Halves
    rules: Mapping[str, peg.Expression]
    langs: tuple[Lang, ...]
    fragments: Fragments
    unable: Unable
    _parser: Parser
    _spotter: Spotter
    _homophones: Homophones
    _half_heard: WordClass
    _unfinished: Unfinished
    assembly: Assembly
    _tidy: dict[str, Tidy] = field(default_factory=dict)

    @classmethod
    def load(cls, rules: Path, held: int = MOST_HELD) -> Grammar:  # `held` of what it makes: more is faster
        """What this folder says: `confidence.yaml`, `grammar.peg`, and of each language its own and `lexicon.yaml`.

        Raises:
            ConfigError: one of them is missing or wrong; names the file and the line.
        """
        with resting():
            loaded = cls._loaded(rules, held)
        gc.freeze()  # it stays: the collector need not look through it again and again
        return loaded

    @classmethod
    def _loaded(cls, rules: Path, held: int) -> Grammar:
        entry = rules / "grammar.peg"
        if not entry.is_file():
            raise ConfigError(entry, None, "", "is missing", "restore it: it has the marks that all languages share")
        lexicon = Lexicon.load(rules)
        numbers, parts = Numbers(lexicon.numbers), required(rules, "grammar.peg")
        definitions, where = peg.load([entry, *parts.values(), *optional(rules, "parts.peg").values()])
        for lang, part in parts.items():
            if lang not in definitions:
                raise ConfigError(part, None, "", "has no rule to start from", f"call it {lang}")
        supposing.add_conditions(rules, parts, definitions, where)
        terminals = terminals_of(lexicon, numbers)
        parser = Parser(definitions, terminals, where, held)
        tidy = {lang: Tidy(lexicon, lang, numbers) for lang in lexicon.fillers}
        spotter = Spotter(lexicon, parser.survey.literals, Phrases(parser, parts, lexicon, tidy.values()))
        sure = Confidences.load(rules / FILE)
        return cls(
            lexicon=lexicon,
            numbers=numbers,
            sure=sure,
            halves=Halves.load(rules, lexicon),
            rules=definitions,
            langs=tuple(parts),
            unable=Unable.load(rules),
            fragments=Fragments(lexicon, numbers, sure, parser, spotter, tidy),
            _parser=parser,
            _tidy=tidy,
            _homophones=Homophones(lexicon.by_sound),
            _half_heard=WordClass(lexicon.misheard),
            _unfinished=Unfinished(lexicon.unfinished),
            _spotter=spotter,
            assembly=Assembly.load(rules, parts, lexicon, parser, terminals),
        )

    def reserved(self, text: str) -> Literal["word", "place", "kind"] | None:
        """What a normalized text is to the grammar: a word of its own, a room, a kind of thing; None where nothing."""
        if text in self.lexicon.words("ROOM", "LEVEL", "WHOLE"):
            return "place"
        kind = text in self.lexicon.words("KINDS", "KIND")
        return "kind" if kind else "word" if self._spotter.quotes(text) else None

    def names(
        self,
        things: list[NamedThing],
        nearby: Nearby = lambda _text, _most: (),
        shorter: Mapping[str, Sequence[str]] | None = None,
    ) -> NameTable:
        """A name table that also knows the names with their numbers in the other spelling, and what is `shorter`."""
        own = [item for item in things if item.role in ("option", "input") and not item.common]
        # An "eco" may be a setting; the "TV" that a set can be switched to is the thing itself.
        words = {
            item for item in own if self._spotter.quotes_but_modes(item.text) or item.text in self.lexicon.kind_words
        }
        spelt = Spellings(self.numbers, self.lexicon.words("ROOMENDS"), shorter)
        return NameTable([item for item in things if item not in words], spelt, self.numbers.goes_on, nearby)

    def times(self, text: str) -> list[tuple[int, int]]:
        """From where to where a normalized text tells a time by the sun or the clock: "an hour before dawn start"."""
        return [(node.start, node.end) for lang in self.langs for node in self.assembly.times(lang)(text)]

    def dated(self, program: Program, talk: str) -> Program:
        """The program on the day that normalized `talk` beside it tells, where it says none."""
        reading = Reading(Spotted(talk, {}), NAMELESS, self.lexicon, self.numbers, self.sure)
        return dated(program, self.assembly.days(talk, program.lang), reading)

    def asked(self, said: Normalized) -> Normalized:
        """The text, where a question mark alone says that some of it is a question in the words of one."""
        return asked(said, self.lexicon.asked, self.lexicon.asking, within=True)

    def read(self, normalized: Normalized, names: NameTable) -> tuple[Program, ...]:
        """The readings of a text, the surest first; none where it is not understood or not for us."""
        if not normalized.text or len(normalized.text) > MAX_LENGTH:
            return ()
        normalized = asked(normalized, self.lexicon.asked, self.lexicon.asking)
        for lang, told_in in self._tongues(normalized.text, normalized.lang):
            found = self._read(rejoined(replace(normalized, lang=lang), self.lexicon.words), names)
            if said := [as_said(replace(program, lang=told_in), normalized.original) for program in found]:
                return tuple(map(self.halves.told, said))
        return ()

    def _read(self, normalized: Normalized, names: NameTable) -> list[Program]:
        """The readings of a text in its own language."""
        text = normalized.text
        mentions = self._spotter.found(text, names)
        found = self._programs(self._spotter.first(text, mentions), normalized, names)
        if not found or found[0].confidence == self.sure.room or self.sure.guessed(found[0].confidence):
            plain = self._spotter.plain(text, mentions)
            read = self._understood if plain is not None and len(plain.text) == 1 else self._programs  # a scene's name
            found += read(plain, normalized, names) if plain is not None else []
        if not found or found[0].missing is not None:
            shorter = self._spotter.shorter(text, mentions)
            found = (self._programs(shorter, normalized, names) if shorter is not None else []) or found
        elif isinstance(move := found[0].clauses[0], DialogueMove):
            if not isinstance(move, Fix) or (move.move != "back" and is_step(move)):  # 恢复 undoes, or plays on
                said = [program for program in self._assembled(normalized, names) if not program.is_partial]
                found += [less_sure(program, self.sure.other) for program in said]
            found += self._commands_in(text, mentions, normalized, names)
        if not found:
            found = self._broken_off(self._spotter.first(text, mentions), normalized, names)
        found = self._improved(found, normalized, names)
        if not found or found[0].is_partial:
            found = self._misheard(self._spotter.first(text, mentions), normalized, names) or found
        if found and (apart := self._spotter.apart(text, mentions)) is not None:
            found += [less_sure(program, self.sure.other) for program in self._understood(apart, normalized, names)]
        if (common := self._spotter.common(text, mentions)) is not None:
            found += [less_sure(program, self.sure.common) for program in self._understood(common, normalized, names)]
        others = [another(item, self.sure.other) for item in found for another in (spread_place, measured)]
        found += [other for other in others if other is not None]
        return list(dict.fromkeys(sorted(found, key=lambda program: -program.confidence)))

    def _improved(self, found: list[Program], normalized: Normalized, names: NameTable) -> list[Program]:
        """What was read, with what the parts say where that may be more: of a sentence that no rule knows."""
        if not found:
            return self._assembled(normalized, names)
        known, broken = found[0].confidence, found[0].missing not in (None, "value") or found[0].is_beyond
        improvable = self.sure.improvable(known) and not found[0].is_decided
        if not (improvable or broken or names_only(found[0])):  # "to 30, I mean the other" answers no question
            return found
        assembled = [item for item in self._assembled(normalized, names) if not item.is_partial]
        if improvable:
            return found + [item for item in assembled if item.confidence > known]
        return [item for item in assembled if not item.needs_fallback] or found if broken else found + assembled

    def covers(self, normalized: Normalized, names: NameTable) -> Iterator[tuple[Assembled, Spotted]]:
        """The ways in which a text falls into parts, the likeliest first, with the text that they are of."""
        return chain.from_iterable(self._covers(item, normalized.lang) for item in self._segmented(normalized, names))

    def _covers(self, text: Spotted, lang: str) -> Iterator[tuple[Assembled, Spotted]]:
        return ((item, text) for item in self.assembly.read(text.text, lang))

    def explain(self, normalized: Normalized, names: NameTable) -> list[str]:
        """Lines that tell which parts a text has, and what they come to."""
        return list(explained(next(self._segmented(normalized, names)), normalized.lang, self.assembly))

    def _segmented(self, normalized: Normalized, names: NameTable) -> Iterator[Spotted]:
        """The text, tidied, with its names; then with plain or shorter ones, and less those that tell a value."""
        spotter, mentions = self._spotter, self._spotter.found(normalized.text, names)
        scene = any(item.start == 0 and item.roles[0] == "scene" for item in mentions)  # "good night" may be one
        nearest = (spotter.plain, spotter.first) if scene else (spotter.first, spotter.plain)
        for segmented in (*nearest, spotter.shorter, spotter.apart):
            if (spotted := segmented(normalized.text, mentions)) is not None:
                yield Spotted(self._tidied(spotted, normalized.lang), spotted.mentions)

    def _assembled(self, normalized: Normalized, names: NameTable) -> list[Program]:
        """What a text says by its parts, in any of its segmentations."""
        return self._put_together(self.covers(normalized, names), normalized.lang, names)

    def _understood(self, spotted: Spotted, normalized: Normalized, names: NameTable) -> list[Program]:
        """What one segmentation says, as a whole or else by its parts."""
        tidied, lang = Spotted(self._tidied(spotted, normalized.lang), spotted.mentions), normalized.lang
        return self._programs(spotted, normalized, names) or self._put_together(self._covers(tidied, lang), lang, names)

    def _put_together(self, covers: Iterable[tuple[Assembled, Spotted]], lang: Lang, names: NameTable) -> list[Program]:
        """What the parts of a text say, where each of its words has a place in them; else what is clear of it."""
        found, left, strange = list[Program](), Spotted("", {}), list[Program]()
        for item, text in covers:
            if left is text and (found or not item.is_partial):
                continue
            reading = Reading(text, names, self.lexicon, self.numbers, self.sure, self.assembly.times(lang))
            if (program := build_program(item.tree, reading, lang, text.restore(text.text))) is not None:
                program = self.dated(program, item.talk(text.text))
            left = text if program is not None and not item.is_whole else left
            if program is not None and item.is_whole and (not item.is_partial or is_clear(program)):
                found.append(program if item.is_plain else as_sure(program, self.sure.assembled))
                if item.is_partial:
                    left = text  # cut otherwise, all of it may be known: <大门锁>没锁
                elif item.is_strange:
                    strange, left = [*strange, found[-1]], text  # and so may what it names
                elif not found[-1].needs_fallback:
                    return [found[-1], *strange]
        return strange if strange and found[0] is strange[0] else found[:1]

    def _programs(self, spotted: Spotted, normalized: Normalized, names: NameTable) -> list[Program]:
        """What one segmentation says as a whole; one program at most."""
        tidied = self._tidied(spotted, normalized.lang)
        bare: list[Program] = []
        for text in self._tidy[normalized.lang].less(tidied, spotted) if normalized.lang in self._tidy else (tidied,):
            reading = Reading(Spotted(text, spotted.mentions), names, self.lexicon, self.numbers, self.sure)
            found = self._said(reading, normalized.lang)
            if found and (names_only(found[0]) or found[0].clauses[0].elliptic):
                bare = bare or found  # what looks like a filler may say what it is for: "and the fan too"
            # What looks like a filler may be all of an answer: "you choose", 就这个. A command has more in it.
            elif found and (text == tidied or isinstance(found[0].clauses[0], DialogueMove)):
                return found
        return bare

    def _tongues(self, text: str, lang: Lang) -> Iterator[tuple[Lang, Lang]]:
        """The languages that a text may be read in, its own first, and the one that it is then said in."""
        script = told(lang).script
        for other in (lang, *(other for other in self.langs if other != lang)):
            if other == lang or _SCRIPTS[told(other).script].search(text):
                # A third language may be written as the first: then it is the one that was spoken.
                yield other, other if told(other).script == script else lang

    def _said(self, reading: Reading, lang: Lang) -> list[Program]:
        """What the grammar of one language makes of a tidied text; one program at most."""
        text = reading.spotted.text
        tree = self._parser.parse(lang, text) if text else None
        return list(filter(None, [build_program(tree, reading, lang, reading.spotted.restore(text)) if tree else None]))

    def _commands_in(
        self, text: str, mentions: list[Mention], normalized: Normalized, names: NameTable
    ) -> list[Program]:
        """What seems to be nothing but a name, as a command: something may be called 关灯; 大门锁一下 is no name."""
        more = len(self._spotter.first(text, mentions).text) > 1
        segmented = (self._spotter.headless(text, mentions), self._spotter.shorter(text, mentions) if more else None)
        read = (self._understood(item, normalized, names) for item in segmented if item is not None)
        sound = [item for item in chain(*read) if item.missing is None and isinstance(item.clauses[0], Order)]
        named = more or not any(item.roles[0] == "device" for item in mentions)  # 入户门锁 alone locks no 入户门
        return [item for item in sound if not item.clauses[0].is_scene and (named or not begins_named(item, text))]

    def _broken_off(self, spotted: Spotted, normalized: Normalized, names: NameTable) -> list[Program]:
        """What was said before a word that leads on to something that did not come."""
        text = self._tidied(spotted, normalized.lang)
        for rest, missing in self._unfinished.cuts(text):
            cut = replace(normalized, text=spotted.restore(rest))
            whole = self._programs(Spotted(rest, spotted.mentions), normalized, names)
            for program in (whole or self._assembled(cut, names))[:1]:
                open_ = left_open(program, spotted.restore(text), missing)
                if open_ is not None and not self.sure.guessed(program.confidence):
                    return [open_]
        return []

    def _misheard(self, spotted: Spotted, normalized: Normalized, names: NameTable) -> list[Program]:
        """What was said if its words were written as they sound: believed only of known things, and asked back."""
        text = spotted.text
        if len(text) > _MOST_MISHEARD:
            return []
        if (end := self._half_heard.match(text + END, 0)) > 0:
            mended: str | None = self._half_heard.values[text[:end]] + text[end:]
        else:
            mended = self._homophones.mended(text) if told(normalized.lang).script == "han" else None
        if mended is None:
            return []
        heard = replace(normalized, text=spotted.restore(mended))
        programs = self._programs(Spotted(mended, spotted.mentions), normalized, names) or self._assembled(heard, names)
        known = [item for item in programs if item.missing is None and not self.sure.guessed(item.confidence)]
        said = [item for item in known if not (isinstance(item.clauses[0], DialogueMove) or item.is_partial)]
        return [less_sure(program, self.sure.misheard) for program in said]

    def _tidied(self, spotted: Spotted, lang: str) -> str:
        return self._tidy[lang](spotted.text, spotted.restore) if lang in self._tidy else spotted.text
