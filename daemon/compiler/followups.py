"""What goes on from what was just done, told, kept or asked, in free words -> the plain words for it.

`rules/followups.yaml` says what can be meant. A tagger of its own (models/followups) tells which of it is, and which
words fill its slots; what comes of it is a sentence, and whatever reads sentences reads that. Nothing is done that
could not be said plainly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, Protocol

from msgspec import Struct

from daemon.compiler.calibration import Curves
from daemon.compiler.draft import Draft, outside
from daemon.compiler.meanings import NOUNS, SLOTS, Meaning, Meanings
from daemon.compiler.tagger import Guess
from daemon.core.ir import Lang
from daemon.system.languages import LANGS
from daemon.system.nodes import Value, read_yaml

FILE: Final = "followups.yaml"
OWN: Final = "own"
"""The group of what has no plain words."""
State = Literal["did", "told", "planned", "timer", "list", "whether", "which", "what"]
STATES: Final[tuple[State, ...]] = ("did", "told", "planned", "timer", "list", "whether", "which", "what")
"""What was before: an act, an answer, something kept for later, a timer, a list; or a question is open."""
OPEN: Final = frozenset[State](("whether", "which", "what"))
"""Those in which a question is open."""
OF_NO_DEVICE: Final = frozenset[State](("timer", "list"))
"""Those in which nothing is done to any device."""
_LIKELY: Final = 0.5
"""How likely it must be there: it is easily said again."""
AGREED: Final = "agreed"
"""A yes, and nothing more."""
_YES: Final = 0.95
"""How likely that must be to be one: "fine like that" is none."""
_VALUES: Final = frozenset({"n", "duration"})
"""Slots of which a word too many is left away."""
_OF_TALK: Final = frozenset({"answer", "planned", "remark", "watch"})
THANKS: Final = "thanks"
"""Praise, and nothing more."""
REFUSED: Final = "refused"
"""A no, which is one whatever is at stake."""
Sort = Literal["light", "cover", "climate", "player", "fan", "cleaner", "lock", "device", "sensor"]
SORTS: Final[tuple[Sort, ...]] = (
    "light", "cover", "climate", "player", "fan", "cleaner", "lock", "device", "sensor",
)  # fmt: skip
"""Of what it was."""
_OR: Final = " | "
"""Between two ways to say it."""
_SLOT: Final = re.compile(r"\{(\w+)\}")


class Topic(Struct, frozen=True):
    """What an utterance may go on from."""

    state: State
    sort: Sort = "device"

    def before(self, text: str) -> str:
        """The utterance as the model gets it."""
        return f"{self.state} {self.sort} : {text}"


class FollowUp(Struct, frozen=True):
    """One thing that may be meant."""

    plain: Mapping[Lang, tuple[str, ...]]
    """The plain words for it, with "{slot}" for what was said; of several, the first that can be read."""
    after: frozenset[State]
    of: frozenset[Sort]


class FollowUps(Struct, frozen=True):
    """All that may be meant, by identifier."""

    meanings: Meanings
    all: Mapping[str, FollowUp]

    @classmethod
    def load(cls, rules: Path) -> FollowUps:
        """What the file in this folder says.

        Raises:
            ConfigError: it is missing or wrong.
        """
        meanings: dict[str, Meaning] = {}
        found: dict[str, FollowUp] = {}
        plain = {lang: words for lang in LANGS if (words := _plain(rules / lang / FILE)) is not None}
        for group, members in read_yaml(rules / FILE).mapping().items():
            for name, data in members.mapping().items():
                if name in meanings:
                    data.fail("is there twice", "give it a name of its own")
                ways = {lang: words[name] for lang, words in plain.items() if name in words}
                if (group == OWN) is bool(ways) or (ways and len(ways) < len(plain)):
                    data.fail("needs plain words in each language, or in none", f"see <lang>/{FILE}")
                meanings[name], followup = _followup(group, name, data, ways)
                if group != OWN:
                    found[name] = followup
        return cls(Meanings(meanings), found)

    def words(self, draft: Draft, lang: Lang) -> tuple[str, ...]:
        """What a draft says, in plain words; behind that with a value less a word at either end: "half is enough"."""
        part = draft.parts[0]
        said = {item.slot: item.words for item in part.said}
        less = [
            {**said, slot: shorter}
            for slot in _VALUES.intersection(said)
            if len(each := said[slot].split()) > 1
            for shorter in (" ".join(each[:-1]), " ".join(each[1:]))
        ]
        return tuple(words.format_map(way) for way in (said, *less) for words in self.all[part.meaning].plain[lang])

    @property
    def langs(self) -> frozenset[Lang]:
        """Those in which there are plain words."""
        return frozenset(lang for item in self.all.values() for lang in item.plain)

    def fits(self, draft: Draft, topic: Topic) -> bool:
        """Whether a draft is of something that may be said after this."""
        return topic.state in self.all[draft.parts[0].meaning].after


class Plain(Struct, frozen=True):
    """What goes on from what was before, in plain words."""

    words: tuple[str, ...]
    """One way to say it or more: the first that can be read counts."""
    meaning: str
    chance: float
    sure: bool
    """Whether it is taken as said; else it is asked back."""
    beside: str = ""
    """What was said beside the words for its slots, where those stood a bar."""
    of_talk: bool = False
    """Whether what it says is of the talk, or of when, and no deed: then none is named beside it."""
    wants: bool = False
    """Whether what it names is wanted, not spared."""
    says_value: bool = False
    """Whether a value of what it names was said: words for a slot that is no name of a thing."""

    @property
    def is_certain(self) -> bool:
        """Whether it is as sure as a yes must be."""
        return self.chance >= _YES


class Tagging(Protocol):
    """A tagger that was trained for follow-ups."""

    def guess(self, text: str) -> Guess:
        """What a normalized utterance may say."""


class Follower:
    """Says in plain words what goes on from what was before.

    Args:
        tagger: Trained for `followups`.
        curves: How likely it is right.
        followups: What can be meant.
    """

    def __init__(self, tagger: Tagging, curves: Curves, followups: FollowUps) -> None:
        self._tagger = tagger
        self._curves = curves
        self._followups = followups

    def plainly(self, text: str, lang: Lang, topic: Topic) -> Plain | None:
        """The plain words for a normalized utterance; None where it says all of it itself, or nothing to us."""
        if lang not in self._followups.langs:
            return None
        guess, curve = self._tagger.guess(topic.before(text)), self._curves[lang]
        draft = guess.draft
        if draft is None or draft.verdict is not None or not self._followups.fits(draft, topic):
            return None
        chance = curve.chance(guess.signs)
        if chance < (min(curve.ask, _LIKELY) if topic.state in OF_NO_DEVICE else curve.ask):
            return None
        meaning, bar = draft.parts[0].meaning, max(curve.act, _YES if draft.parts[0].meaning == AGREED else 0.0)
        of_talk = self._followups.meanings.all[meaning].group in _OF_TALK
        words, beside = self._followups.words(draft, lang), outside(draft, topic.before(text))
        slots = {item.slot for item in draft.parts[0].said}
        beside, valued = beside.removeprefix(topic.before("")), bool(slots - NOUNS)
        return Plain(words, meaning, chance, chance >= bar, beside, of_talk, "target" in slots, valued)


class _Told(Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    after: str
    of: str = " ".join(SORTS)


def _plain(file: Path) -> Mapping[str, tuple[str, ...]] | None:
    """The plain words of one language by identifier; None where it has none."""
    if not file.exists():
        return None
    return {name: tuple(data.text().split(_OR)) for name, data in read_yaml(file).mapping().items()}


def _followup(group: str, name: str, data: Value, plain: Mapping[Lang, tuple[str, ...]]) -> tuple[Meaning, FollowUp]:
    told = data.into(_Told)
    after, of = frozenset(told.after.split()), frozenset(told.of.split())
    for wrong in sorted((after - set(STATES)) | (of - set(SORTS))):
        data.fail(f"has an unknown word {wrong}", f"known: {', '.join((*STATES, *SORTS))}")
    every = [frozenset(_SLOT.findall(way)) for words in plain.values() for way in words]
    slots = every[0] if every else frozenset()
    if any(other != slots for other in every) or not slots <= set(SLOTS):
        data.fail("needs the same slots in each language", f"known: {', '.join(SLOTS)}")
    ordered = tuple(slot for slot in SLOTS if slot in slots)
    states, sorts = frozenset(item for item in STATES if item in after), frozenset(item for item in SORTS if item in of)
    template: dict[str, object] | None = {} if plain else None
    return Meaning(name, group, template, ordered, slots, about=told.about), FollowUp(plain, states, sorts)
