"""What a text says, for one home: the grammar with the home's own names, and what an ear should know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, overload

from daemon.core.ir import Chat, DialogueMove, Inquiry, Lang, Order, Program, Target, Timer, Unread
from daemon.core.values import replace
from daemon.home import settings
from daemon.home.names import has_han, has_run, is_written, tokens
from daemon.home.registry import Registry
from daemon.home.sensing import AMBIENT
from daemon.resolve.named import KINDS, HomeNames, saying_little, unsayable, words_of
from daemon.system.languages import LANGS, MAIN
from daemon.understand.alternatives import asked_why
from daemon.understand.build_places import of_one_place
from daemon.understand.confidence import Confidences
from daemon.understand.consent import Consent, Heads
from daemon.understand.grammar import Grammar
from daemon.understand.lexicon import WordClass
from daemon.understand.names import NameTable, Nearby
from daemon.understand.normalize import Normalized, any_of, in_question, normalize, paused, untagged
from daemon.understand.openings import END, PLACES
from daemon.understand.sequence import hanging

_ORDER = {"area": 0, "device": 1, "group": 2, "scene": 3, "floor": 4, "person": 5}
"""What is said most goes first where an engine takes only so many names."""

_TERSE = 16
"""Words, or characters, of what is said so shortly that things are, too."""
_BEARING = ("BENDS", "TAKES_BACK", "LIMITS", "DEPENDS", "DEPENDS_FIRST", "UNBROKEN")
"""Classes of words that may change what is said beside them; of those of the last, what follows is told, not asked."""
_SHORT, _A_FEW = 6, 3
"""What has no more words, or Chinese characters, and a number that is larger, is most likely an amount."""
_MUCH = 3
"""What is so many times as long as the name of a scene in it only mentions that."""
_MEANT = 0.2
"""From this confidence on, a text says something by itself."""


class Comprehension:
    """Reads texts; follows the registry when the home changes.

    A model is told the names of at most so many things `nearby` that a text may be about.
    """

    def __init__(
        self,
        grammar: Grammar,
        registry: Registry,
        nearby: Nearby = lambda _text, _most: (),
    ) -> None:
        self._grammar = grammar
        self._registry, self.asked, self.dated = registry, grammar.asked, grammar.dated
        self._names = HomeNames(grammar, registry, nearby)
        lexicon = grammar.lexicon
        self.consent = Consent(lexicon.consent)
        """What is a yes where something is at stake."""
        self.heads = Heads(lexicon.answers)
        """How an answer begins that says more than yes or no."""
        self._joints = any_of(word for word in lexicon.words("JOINT") if word.isascii())
        self._so = any_of(lexicon.words("SO"))
        self._small, self._polite, self._opening = saying_little(lexicon)
        self._kinds = words_of(lexicon, *KINDS)
        self._states = words_of(lexicon, "STATE")
        self._rings = words_of(lexicon, "RINGS")
        self.ways = WordClass(lexicon.words("WAYS"))  # which way something is turned
        self.contrasts = words_of(lexicon, "CONTRAST")  # what tells one of two from the other
        self.pronouns = words_of(lexicon, "PRONOUN")
        self.instead = {lang: word for word, lang in lexicon.words("INSTEAD").items()}  # what takes back what was said
        self._spares = tuple(lexicon.words("SPARES"))
        self._bends, self._takes_back, self._limits, self._depends, self._depends_first, self._unbroken = (
            words_of(lexicon, name) for name in _BEARING
        )

    def unsayable(self) -> Mapping[str, tuple[str, ...]]:
        """The names by which no device can be called, and what bears them."""
        return unsayable(self._registry, self._grammar.fragments.spotter.phrases)

    @property
    def sure(self) -> Confidences:
        """How sure each kind of evidence makes a reading."""
        return self._grammar.sure

    @property
    def names(self) -> NameTable:
        """The home's own names; made anew when the home changes."""
        return self._names.all

    def warm(self) -> None:
        """Takes the names now, which the next command would otherwise wait for. Blocking; may run beside the loop."""
        self._names.warm()

    def read(self, normalized: Normalized) -> tuple[Program, ...]:
        """The readings of a text, best first; none where it says nothing for us."""
        if (owned := self._names.with_owner(normalized.text)) != normalized.text:
            theirs = self.read(replace(normalized, text=owned))
            if theirs and not (theirs[0].is_partial or self.sure.guessed(theirs[0].confidence)):
                return theirs
        found: Sequence[Program] = asked_why(normalized, self._grammar.lexicon, self._grammar.read, self.names)
        found = found or self._grammar.read(normalized, self.names)
        slower = paused(normalized) if not found or self.sure.guessed(found[0].confidence) else None
        found = (self._grammar.read(slower, self.names) or found) if slower is not None else found
        if not found or found[0].is_partial or (found[0].confidence < self.sure.some and not found[0].is_decided):
            found = self._read_in_short(normalized, found) or found
        return tuple(map(self._hanging, self._questioned(found, normalized) or found))

    def _read_in_short(self, said: Normalized, before: Sequence[Program]) -> Sequence[Program]:
        """The readings with things called by the end of their names: "shelves off"; none where that helps nothing."""
        names = self._names.in_short
        if len(PLACES.findall(said.text)) > _TERSE:
            return ()
        if len(names.find(said.text)) == len(self.names.find(said.text)):
            return ()
        found = self._grammar.read(said, names)
        unread = _unread(before[0]) if before else 0
        return found if found and _unread(found[0]) <= unread and not self.sure.guessed(found[0].confidence) else ()

    def _questioned(self, found: Sequence[Program], said: Normalized) -> Sequence[Program]:
        """What is an order, or nothing, but for its question mark, as a question: "front door locked?".

        What only names something measured is a question without one: "humidity in the bathroom".
        """
        order = not found or isinstance(found[0].clauses[0], Order) or self.sure.guessed(found[0].confidence)
        marked, lexicon = said.original.rstrip().endswith(("?", "？")), self._grammar.lexicon
        text, marked = untagged(said.text, lexicon.words("TAGS"), marked=marked)
        measured = {word: "" for word, what in lexicon.words("MEASURE", "ATTR").items() if what in AMBIENT}
        begins = not found and (WordClass(measured).match(said.text + END, 0) > 0 or said.text.endswith((*measured,)))
        wanted = found and self._states.match(found[0].text + END, 0) > 0  # "could you open the blind?"
        if not order or wanted or not (marked or begins):
            return ()
        asked = [way.replace("x", text) for way, sort in lexicon.words("ASKS").items() if marked or sort == "value"]
        turned = [*in_question(text, lexicon.words("JOINT"), lexicon.words("TURNED"))] if marked else []
        ways = (self._grammar.read(replace(said, text=way), self.names) for way in (*turned, *asked))
        asks = (way for way in ways if way and all(isinstance(clause, Inquiry) for clause in way[0].clauses))
        return next((way for way in asks if not self.sure.guessed(way[0].confidence)), ())

    def _hanging(self, program: Program) -> Program:
        """The same; what stands beside words that nobody understands, and on which it depends, is marked so."""
        program = replace(program, clauses=of_one_place(program.clauses)) if len(program.clauses) > 1 else program
        if not any(isinstance(clause, Unread) for clause in program.clauses):
            return program
        return replace(program, clauses=hanging(program.clauses, self.hangs))

    def read_text(self, text: str, lang: str | None = None) -> Sequence[Program]:
        """The readings of a text as it was said."""
        return self.read(normalize(text, language(lang)))

    def named(self, text: str, lang: str) -> tuple[Target, ...]:
        """What a normalized text names, where it does nothing else: "the bedroom one and the hall light"."""
        return self._grammar.fragments.answer(Normalized(text, language(lang) or MAIN, text), self.names)

    def essence(self, text: str) -> str:
        """A normalized text less the words that may stand around any name: what it says besides."""
        return " ".join(self._small.replaced(text).replace(",", " ").split())

    def bears(self, text: str) -> bool:
        """Whether words of a normalized text may change what is said beside them: "not", "only", "if", "forty"."""
        return any(words.replaced(text) != text for words in (self._bends, self._takes_back)) or self.says_amount(text)

    def unsettles(self, text: str) -> bool:
        """Whether a clause may take back, limit or correct what was said before: "no, wait", "but not me", 四十吧."""
        takes_back = self._takes_back.replaced(text) != text or self._bends.match(text + END, 0) > 0
        return takes_back or (len(PLACES.findall(text)) <= _SHORT and self.says_amount(text))

    def depends(self, text: str) -> bool:
        """Whether a text says on what something is to depend, or when: "every time", "as soon as"."""
        plain = self._polite.replaced(text).strip(" ,") if text else text  # "when you get a minute"
        return self._depends.replaced(plain) != plain or self._depends_first.match(plain + END, 0) > 0

    def hangs(self, text: str, *, leads: bool = False, first: bool = False) -> bool:
        """Whether what stands beside a text that nobody understands depends on it: when, on what, or less what.

        Of what `leads` to a command also what ends with a time: "so at eight tomorrow". `first`: it begins so.
        """
        times, begins = self._grammar.times(text), (self._depends, self._depends_first)
        if first or any(at == 0 for at, _ in times):
            return any(at == 0 for at, _ in times) or any(words.match(text + END, 0) > 0 for words in begins)
        limited = self._limits.replaced(text) != text  # "Ella's stays"
        return limited or self.depends(text) or (leads and any(end == len(text) for _, end in times))

    def names_something(self, text: str) -> bool:
        """Whether a text has a word for a kind of thing, or a name of this home's things."""
        return self._kinds.replaced(text) != text or any(
            item.roles[0] in ("device", "group") for item in self.names.find(text)
        )

    def spans(self, text: str) -> set[tuple[int, int]]:
        """Where in a text no other request begins: in names of this home, in how it was left ("left the lights")."""
        left = ((at.start(), self._unbroken.match(text + END, at.start())) for at in PLACES.finditer(text))
        return {*((item.start, item.end) for item in self.names.find(text)), *(span for span in left if span[1] > 0)}

    def concerns(self, text: str) -> bool:
        """Whether a text is about something that a home may have, or how much of it; or may limit what is done."""
        return self._limits.replaced(text) != text or self.names_something(text) or self.says_amount(text)

    def spares(self, beside: str) -> bool:
        """Whether words before a bar, where a name stood, say that just that is not meant: "not | though"."""
        before = f" {beside.partition('|')[0].rstrip()}" if "|" in beside else ""
        return any(before.endswith(word if has_han(word) else f" {word}") for word in self._spares)

    def says_amount(self, text: str) -> bool:
        """Whether a text has a number that counts more than a few."""
        return bool(self.amounts(text))

    def amounts(self, text: str) -> frozenset[float]:
        """The numbers of a text that count more than a few."""
        numbers, closed = self._grammar.numbers, text + END
        found, at = set[float](), 0
        for place in PLACES.finditer(text):
            end = numbers.match(closed, place.start()) if place.start() >= at else 0
            if end > place.start():
                found.add(float(numbers.value(text[place.start() : end])))
                at = end
        return frozenset(item for item in found if item > _A_FEW)

    def points(self, name: str) -> bool:
        """Whether a name (normalized) says by itself what is meant, whatever is called so: "all of them"."""
        return self.names.roles(name) == ("device",) and self._grammar.fragments.spotter.phrases.own(name)

    def overlooks(self, text: str, program: Program) -> bool:
        """Whether a normalized text speaks of a setting of this home that the program, a model's, is not about.

        Or of somebody's lamp, and nobody was named: "her light" is not just any.
        """
        if self._names.is_somebodys(self._names.with_owner(text)):
            return True
        names = self.names
        if not names.meanings or any(isinstance(item, Timer) for item in program.clauses):
            return False  # a countdown may be a timer
        meant = {names.meanings[item.text] for item in names.find(text) if item.roles[0] == "setting"}
        heeded = {item.parameter.attribute for item in program.clauses if item.parameter is not None}
        heeded |= {condition.attribute for item in program.clauses for condition in item.conditions}
        return any(item not in heeded and settings.ALSO.get(item) not in heeded for item in meant)

    def joined(self, text: str) -> Iterator[tuple[str, str]]:
        """What stands before and behind each word of a normalized text that joins two requests."""
        for match in self._joints.finditer(text):
            yield text[: match.start()].strip(" ,"), text[match.end() :].strip(" ,")

    def sequels(self, text: str) -> Iterator[int]:
        """Where words in a normalized text end that say what comes of what was told: "so", "but", 所以."""
        return (match.end() for match in self._so.finditer(text))

    def opens(self, text: str, at: int) -> bool:
        """Whether a request opens at a place of a normalized text: with "so", "please" or 麻烦你."""
        return self._opening.match(text + END, at) > 0

    def rings(self, text: str) -> bool:
        """Whether a normalized text says that somebody is to be told, or called, when a time is over."""
        return self._rings.replaced(text) != text

    def incomplete(self, text: str) -> bool:
        """Whether a sentence breaks off, so that its speaker should get more time."""
        return any(program.missing is not None for program in self.read_text(text)[:1])

    def complete(self, text: str) -> bool:
        """Whether a sentence surely says something by itself, so that nobody need wait for more of it."""
        ways = self.read_text(text)[:1]
        return any(way.missing is None and not (way.is_partial or way.needs_fallback) for way in ways)

    def reserved(self, text: str) -> Literal["word", "place", "kind"] | None:
        """What a text means by itself, to everybody: a word of commands or one of them, a room, a kind of thing."""
        said = self._grammar.reserved(normalize(text).text)
        if said is not None:
            return said
        for program in self.read_text(text):
            first = program.clauses[0]
            bare = isinstance(first, DialogueMove) and first.move == "select"
            if not bare and (not isinstance(first, DialogueMove | Chat) or program.confidence >= _MEANT):
                return "word"
        return None

    def unable(self, text: str, lang: str, said: str) -> str | None:
        """The sort of wish or small talk that a normalized text is, of those that ask nothing of a home; or None."""
        slower = paused(Normalized(text, language(lang) or MAIN, said))
        named = max((item.end for item in self.names.find(text) if item.start == 0), default=0)
        ways = (text, slower.text if slower else "", text[named:].strip(), self._polite.replaced(text).strip(" ,"))
        return next(filter(None, map(self._grammar.unable.of, filter(None, ways))), None)

    def scene_for(self, sort: str, text: str, lang: str) -> Program | None:
        """The one scene of this home that is for what somebody tells, as what he may need; None where there is none."""
        called = {run for word, what in self._grammar.lexicon.words("OCCASION").items() if what == sort
                  if (run := tokens(word))}  # fmt: skip
        return self._offered(text, lang, lambda name: any(has_run(name, run) for run in called))

    def scene_in(self, text: str, lang: str) -> Program | None:
        """The one scene that somebody names who says little else, as what he may want; None where there is none."""
        said = tokens(text)
        return self._offered(text, lang, lambda name: has_run(said, name) and len(said) < _MUCH * len(name))

    def _offered(self, text: str, lang: str, fits: Callable[[tuple[str, ...]], bool]) -> Program | None:
        scenes = (item for item in self._registry if item.kind == "scene" and item.exposed)
        fitting = [item for item in scenes if any(fits(tokens(name)) for name in item.names)]
        if len(fitting) != 1:
            return None
        order = Order("activate", (Target(fitting[0].names[0], kind="scene"),), implicit=True)
        return Program((order,), "grammar", language(lang), text=text, confidence=self.sure.name)

    def spoken_names(self, lang: str) -> list[str]:
        """The names that a speech engine should know, in one language; those said most go first."""
        entities = sorted(self._registry, key=lambda item: _ORDER[item.kind])
        names = [name for item in entities for name in item.names if is_written(name, lang)]
        return list(dict.fromkeys(names))


def _unread(program: Program) -> int:
    return sum(isinstance(clause, Unread) for clause in program.clauses)


@overload
def language(lang: str) -> Lang: ...
@overload
def language(lang: None) -> None: ...
def language(lang: str | None) -> Lang | None:
    """A language tag ("zh-TW") as one of our languages; None stays None."""
    if lang is None:
        return None
    return next((known for known in LANGS if lang.lower().startswith(known)), MAIN)
