"""The word lists of the grammar: `rules/<lang>/lexicon.yaml` -> classes of words, numbers, fillers.

words: {COLOR: {red: "red, crimson"}}   the class COLOR: its value `red` is said "red" or "crimson"
numbers:                                see `NumberWords`
rewrites: {gonna: going to}             said -> what the grammar knows
fillers: {anywhere: .., start: .., end: ..}   hedges: {words: .., behind: ..}: nothing before a number, behind these
stammers: {once: .., rightly: ..}      said twice, it is meant once; what may rightly be said twice
openings: {urn on: turn on}             only at the start of what is said: said -> meant
verbs: {turn: "turning, turned"}        a verb, then its forms for `requests`
requests: {doing: would you mind, done: id like it if you}   openings before such a form
misheard: {turn of: turn off}           the same where the verb itself is doubtful: asked back
unfinished: {more: "and, and then"}     at the end of what is said: what is missing behind it
whose: {sort: owners}                   rooms by whose they are; `room`: said behind the owner, else ROOMENDS
asked: {said: asked}                    at the end of what only a question mark makes a question
asking: "what, who"                     words that make it one by themselves; by_sound: 打开: are known by their sound
consent, answers: {said: .., ..}        what is a yes to a risky question; how an answer begins that says more
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from daemon.core.ir import KINDS, Kind
from daemon.system.languages import required
from daemon.system.nodes import Value, read_yaml
from daemon.understand.consent import AnswerWords, ConsentWords
from daemon.understand.matchers import LETTERS, WORD
from daemon.understand.normalize import plain_text
from daemon.understand.numbers import NumberWords
from daemon.understand.openings import END, PLACES, opening
from daemon.understand.spellings import rooms_of

_SECTIONS = (
    *("words", "numbers", "rewrites", "fillers", "openings", "verbs", "requests", "by_sound", "misheard"),
    *("unfinished", "asked", "asking", "consent", "answers", "stammers", "hedges", "whose"),
)
_FORMS = ("doing", "done")
_FEW_WORDS = 2  # "mind turning" means something else behind "I don't"
_NAMED = ("ROOM", "KIND", "KINDS", "NAMEKIND", "ATTR", "WHOLE")
"""Classes whose words may be known by their sound as well."""
_HINTS = ("KIND", "KINDS", "NAMEKIND", "NAMEKINDS", "ROOM")


class WordClass:
    """A terminal: the longest of many words. Each word has a value."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = dict(values)
        self.first: frozenset[str] | None = frozenset(map(opening, values))
        self._by_pair = _sizes((word[:2], word) for word in values)
        for word in values:
            if len(word) == 1:  # it may stand before anything
                for pair in self._by_pair:
                    if pair[0] == word and len(pair) > 1:
                        self._by_pair[pair] = (*self._by_pair[pair], 1)

    @cached_property
    def _by_place(self) -> dict[str, tuple[int, ...]]:
        return _sizes((PLACES.findall(word)[0], word) for word in self.values)

    def replaced(self, text: str) -> str:
        """The text with each of these words replaced by its value."""
        by_place = self._by_place
        parts: list[str] = []
        done = 0
        for place in PLACES.finditer(text):
            sizes = by_place.get(place[0])
            if sizes is not None and (at := place.start()) >= done:
                end = self._longest(text + END, at, sizes)
                if end > at:
                    parts += [text[done:at], self.values[text[at:end]]]
                    done = end
        return "".join([*parts, text[done:]]) if parts else text

    def match(self, text: str, at: int) -> int:
        """Where the longest word that begins at `at` ends, or -1; Latin words are matched whole."""
        sizes = self._by_pair.get(text[at : at + 2]) or self._by_pair.get(text[at])
        if sizes is None or (at and text[at] in LETTERS and text[at - 1] in LETTERS):
            return -1
        return self._longest(text, at, sizes)

    def _longest(self, text: str, at: int, sizes: tuple[int, ...]) -> int:
        values = self.values
        for size in sizes:
            end = at + size
            if text[at:end] in values and not (text[end] in WORD and text[end - 1] in WORD):
                return end
        return -1


def _sizes(words: Iterable[tuple[str, str]]) -> dict[str, tuple[int, ...]]:
    """The lengths of the words behind each key, the longest first."""
    found: dict[str, set[int]] = {}
    for key, word in words:
        found.setdefault(key, set()).add(len(word))
    return {key: tuple(sorted(sizes, reverse=True)) for key, sizes in found.items()}


@dataclass(frozen=True, slots=True)
class Fillers:
    """Words that mean nothing: anywhere, at the start, at the end; and starts that mean something else."""

    anywhere: tuple[str, ...] = ()
    start: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    openings: Mapping[str, str] = field(default_factory=dict)
    """Said at the start -> meant: "would you mind turning" is "turn", as is "urn"."""
    requests: Mapping[str, str] = field(default_factory=dict)
    """Those of them that mean the same wherever they stand: "... so would you mind turning ..."."""
    forms: Mapping[str, str] = field(default_factory=dict)
    """In which a verb may follow one of these, and the verb."""
    joints: tuple[str, ...] = ()
    """Behind which another verb follows in that form: "would you mind turning ... and closing"."""


@dataclass(frozen=True, slots=True)
class Stammers:
    """What is said twice by mistake: any Latin word but those of `rightly`, and these syllables of Chinese."""

    once: tuple[str, ...] = ()  # meant once, where something follows
    rightly: tuple[str, ...] = ()
    """What stays as it is: a word that is said twice ("on"), or a whole such run (空调调)."""


@dataclass(frozen=True, slots=True)
class Hedges:
    """What is said before an amount, `behind` some words: "to about forty"; the `loose` ones behind a thing too."""

    words: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    amounts: tuple[str, ...] = ()  # what begins one, beside numbers and shares


@dataclass(slots=True, eq=False)
class Lexicon:
    """The word lists of all languages together, so that a sentence may mix them; as they were loaded, for good."""

    classes: dict[str, WordClass] = field(default_factory=dict)
    hints: WordClass = field(default_factory=lambda: WordClass({}))
    """What a name may contain that tells of what it names: kinds and rooms."""
    numbers: list[NumberWords] = field(default_factory=list)
    rewrites: dict[str, str] = field(default_factory=dict)
    hedges: Hedges = Hedges()
    fillers: dict[str, Fillers] = field(default_factory=dict)
    """By language."""
    stammers: Stammers = Stammers()
    misheard: dict[str, str] = field(default_factory=dict)
    """Said at the start -> what may have been meant where the verb itself was heard wrong."""
    unfinished: dict[str, str] = field(default_factory=dict)
    """Said at the end -> what is missing behind it."""
    asked: dict[str, str] = field(default_factory=dict)
    """How a command ends -> how a question of the same words does."""
    asking: tuple[str, ...] = ()
    """Words that ask by themselves."""
    by_sound: list[str] = field(default_factory=list)
    """What may have been meant where a text sounds like it; names of things and places among it."""

    consent: list[ConsentWords] = field(default_factory=list)
    answers: list[AnswerWords] = field(default_factory=list)
    """What is a yes where something is at stake, and how an answer begins that says more, by language."""

    @classmethod
    def load(cls, rules: Path) -> Lexicon:
        """The lexicons of a folder of rules together.

        Raises:
            ConfigError: a language has none, or one cannot be read, or says what no lexicon says.
        """
        lexicon = cls()
        words: dict[str, dict[str, str]] = {}
        for lang, file in required(rules, "lexicon.yaml").items():
            data = read_yaml(file).mapping(_SECTIONS)
            for name, values in _section(data, "words").items():
                known = words.setdefault(name, {})
                for value, said in values.mapping().items():
                    known.update(dict.fromkeys(_split(said), value))
            whose = {sort: _split(said) for sort, said in _section(data, "whose").items()}
            ends = whose.pop("room", None) or tuple(words.get("ROOMENDS", ()))
            words.setdefault("ROOM", {}).update(rooms_of(whose, ends))
            lexicon.stammers = Stammers(**_added(lexicon.stammers, data, "stammers"))
            lexicon.numbers += [_numbers(data["numbers"])] if "numbers" in data else []
            lexicon.by_sound += _split(data["by_sound"]) if "by_sound" in data else ()
            lexicon.misheard |= _pairs(data, "misheard")
            lexicon.asked |= _pairs(data, "asked")
            lexicon.asking += _split(data["asking"]) if "asking" in data else ()
            for missing, said in _section(data, "unfinished").items():
                lexicon.unfinished |= dict.fromkeys(_split(said), missing)
            lexicon.rewrites |= _pairs(data, "rewrites")
            lexicon.hedges = Hedges(**_added(lexicon.hedges, data, "hedges"))
            lexicon.consent.append(ConsentWords(**_places(data, "consent", ("said", "before", "after", "told"))))
            lexicon.answers.append(AnswerWords(**_places(data, "answers", tuple(AnswerWords.__dataclass_fields__))))
            asking, forms = _requests(data)
            lexicon.fillers[lang] = Fillers(
                **_places(data, "fillers", ("anywhere", "start", "end")),
                openings=_pairs(data, "openings") | asking,
                requests={said: verb for said, verb in asking.items() if len(said.split()) > _FEW_WORDS},
                forms=forms,
                joints=_joints(data),
            )
        lexicon.classes = {name: WordClass(values) for name, values in words.items() if values}
        lexicon.hints = lexicon.together(*_HINTS)
        lexicon.by_sound += [word for name in _NAMED if name in words for word in words[name]]
        return lexicon

    @property
    def kind_words(self) -> dict[str, Kind]:
        """Every word for a kind of thing, in all languages, and the kind."""
        found = self.words("NAMEKINDS", "NAMEKIND", "KINDS", "KIND")
        return {word: cast("Kind", kind) for word, kind in found.items() if kind in KINDS}

    @property
    def particular_kinds(self) -> frozenset[str]:
        """Those of the words for kinds that say which one rather than only what: "chandelier", 床头灯."""
        return frozenset(self.words("NAMEKINDS", "NAMEKIND"))

    @property
    def marks(self) -> dict[str, frozenset[str]]:
        """Words in names, in all languages, that say to be careful: by the tag that they give."""
        tags = {"not_air": "NOTAIR", "vital": "VITAL", "hot": "HOT"}
        gas = frozenset(word for word, what in self.words("DETECTED").items() if what == "gas")
        return {tag: frozenset(self.words(words)) for tag, words in tags.items()} | {"gas": gas}

    @property
    def contrasts(self) -> dict[str, str]:
        """Words that tell two things apart, in all languages, and their side: "front" is "depth front"."""
        rooms = {word: f"place {place}" for word, place in self.words("ROOM").items()}
        return {**rooms, **self.words("CONTRAST")}

    @property
    def place_words(self) -> dict[str, str]:
        """Every word for a place that most homes have, in any language, and the place: "1st floor" is "first floor"."""
        return self.words("ROOM", "LEVEL")

    @property
    def around_places(self) -> frozenset[str]:
        """What stands between a thing and its place, in all languages: "in the", 的."""
        return frozenset(self.words("BETWEEN"))

    def words(self, *names: str) -> dict[str, str]:
        """The words of those of these classes that there are, and what they mean: in the last class that has them."""
        known = (self.classes[name].values for name in names if name in self.classes)
        return {word: value for values in known for word, value in values.items()}

    def together(self, *names: str) -> WordClass:
        """The words of several classes as one class."""
        return WordClass({word: name for name in names if name in self.classes for word in self.classes[name].values})

    def value(self, name: str, word: str) -> str:
        """What a word of this class means."""
        return self.classes[name].values[word]


def _section(data: Mapping[str, Value], name: str, known: Sequence[str] | None = None) -> Mapping[str, Value]:
    """What stands in a section; nothing where there is none."""
    return data[name].mapping(known) if name in data else {}


def _pairs(data: Mapping[str, Value], section: str) -> dict[str, str]:
    """What is said -> what is meant, in their plain form; what is empty means nothing."""
    return {
        plain_text(said): "" if meant.data in (None, "") else plain_text(meant.text())
        for said, meant in _section(data, section).items()
    }


def _places(data: Mapping[str, Value], section: str, known: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The words of a section, by where they stand."""
    return {place: _split(said) for place, said in _section(data, section, known).items()}


def _added(known: Stammers | Hedges, data: Mapping[str, Value], section: str) -> dict[str, tuple[str, ...]]:
    """The words of a section with those of the languages before."""
    said = _places(data, section, tuple(known.__dataclass_fields__))
    return {at: (*getattr(known, at), *said.get(at, ())) for at in known.__dataclass_fields__}


def _joints(data: Mapping[str, Value]) -> tuple[str, ...]:
    return tuple(word for said in _section(_section(data, "words"), "JOINT").values() for word in _split(said))


def _requests(data: Mapping[str, Value]) -> tuple[dict[str, str], dict[str, str]]:
    """Every polite request with every verb in the form that follows it, and the verb of each form."""
    found, verbs = dict[str, str](), dict[str, str]()
    requests = {kind: _split(said) for kind, said in _section(data, "requests", _FORMS).items()}
    for verb, said in _section(data, "verbs").items():
        forms = _split(said)
        if len(forms) != len(_FORMS):
            said.fail("does not have two forms", 'write turn: "turning, turned"')
        for kind, form in zip(_FORMS, forms, strict=True):
            verbs[form] = verb
            found |= {f"{request} {form}": verb for request in requests.get(kind, ())}
    return found, verbs


def _split(said: Value) -> tuple[str, ...]:
    """The words of "red, crimson", in their plain form."""
    if isinstance(said.data, bool | list | dict | None):
        said.fail("is not a list of words", 'write the words in quotes, with commas: "a, b"')
    words = (plain_text(word.strip()) for word in f"{said.data}".replace("，", ",").split(","))
    return tuple(word for word in words if word)


_NUMBERS = ("units", "tens", "multipliers")
_PARTS = ("point", "minus", "half", "share", "glue")
_HABITS = ("spaced", "short", "about")


def _numbers(section: Value) -> NumberWords:
    fields: dict[str, Any] = {}
    for key, value in section.mapping((*_NUMBERS, *_PARTS, *_HABITS)).items():
        if key in _NUMBERS:
            fields[key] = {word: item.whole(0, 1_000_000_000) for word, item in value.mapping().items()}
        else:
            fields[key] = _split(value) if key in _PARTS else value.flag()
    return NumberWords(**fields)
