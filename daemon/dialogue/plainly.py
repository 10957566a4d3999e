"""What goes on from what was before, in free words: said again in plain ones, which are read as ever."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from daemon.compiler.compiler import Compiler, as_sure
from daemon.compiler.draft import pieces
from daemon.compiler.followups import OF_NO_DEVICE, OPEN, REFUSED, THANKS, Sort, State, Topic
from daemon.compiler.followups import Plain as Found
from daemon.core.entities import Entity
from daemon.core.ir import (
    AboutAgenda,
    AboutList,
    Chat,
    DialogueMove,
    Fix,
    Inquiry,
    Lang,
    Move,
    Order,
    Program,
    Timer,
    When,
)
from daemon.core.questions import Question
from daemon.core.resolution import Context
from daemon.core.thresholds import Thresholds
from daemon.core.trace import Trace
from daemon.core.values import replace
from daemon.dialogue.dialogue import Dialogue
from daemon.dialogue.leaning import is_whole
from daemon.dialogue.moves import at_stake
from daemon.home import kinds
from daemon.home.registry import Registry
from daemon.resolve.comprehension import Comprehension, language
from daemon.resolve.readings import Heard, Readings
from daemon.understand.lexicon import WordClass
from daemon.understand.normalize import Normalized
from daemon.understand.openings import END, PLACES

_SORTS: Final[Mapping[Sort, tuple[str, ...]]] = {
    "light": ("light",),
    "cover": ("cover", "window", "valve"),
    "climate": ("climate", "heater", "humidifier", "water_heater"),
    "player": ("media_player",),
    "fan": ("fan", "air_purifier"),
    "cleaner": ("vacuum", "lawn_mower"),
    "lock": ("lock",),
    "sensor": ("sensor", "binary_sensor"),
}
"""The kinds of each sort of thing; all other things are devices."""
_LEANING: Final[frozenset[Move]] = frozenset({"value", "time", "select", "follow", "correct"})
"""Moves that say nothing by themselves."""
_EMPTY: Final[frozenset[Move]] = frozenset({"yes", "no", "thank"})
"""Moves that change nothing of what is said beside them."""
_HARMLESS: Final = (AboutAgenda, AboutList, Chat, Inquiry, Timer)
"""What does nothing to any device."""
_MOST: Final = 30
"""Words, or characters, of what goes on from what was before."""
_MOST_PARTS: Final = 5
"""Between commas; more are a story."""
_THEN: Final = "; "
"""Between sentences of which one is done after the other."""
_ASKS: Final = re.compile("[?？]")
_NO_WAY: Final = "none"
"""What is said of a way that is not to be taken: "don't turn it off"."""
_ASKED: Final[Mapping[str, State]] = {"confirm": "whether", "choose": "which"}


class Plain(Struct, frozen=True):
    """What goes on from what was before, said again in plain words."""

    heard: Heard
    sure: bool
    """Whether it is taken as said before anything else is tried, and not asked back."""
    slight: bool = False
    """Whether it needs no yes though it may be something else: what it does is little, and likely."""


@dataclass(frozen=True, slots=True)
class Plainly:
    """Says in plain words what goes on from what was before, in one home.

    Args:
        registry: The home.
        comprehension: Reads texts.
        readings: What this home makes of readings.
        thresholds: How sure a reading must be.
        compiler: The small models, where there are any.
    """

    _registry: Registry
    _comprehension: Comprehension
    _readings: Readings
    _thresholds: Thresholds
    _compiler: Compiler | None

    async def of(
        self, first: Heard, dialogue: Dialogue, question: Question | None, context: Context, now: float, trace: Trace
    ) -> Plain | None:
        """The plain words, where the grammar reads no command for this home, nor what it hangs on; None where none are.

        Of answers to a question only what is sure; while anything is at stake, nothing but a no.
        """
        topic = topic_of(dialogue, question, self._registry, now)
        if topic is None or self._stands_alone(first, context) or self._thresholds.is_doubtful(first.confidence):
            return None
        if self._compiler is None or len(pieces(first.text)) > _MOST:
            return None
        lang = language(first.lang)
        assert lang is not None
        # What was asked about is there, too: "turn it red" while it is asked whether it shall be dimmed.
        beside = Topic("did", topic.sort) if question is not None and not at_stake(question, self._registry) else None
        with trace.timed("model"):
            found = await self._likeliest(self._compiler, first, lang, topic)
            if found is None and beside is not None:
                found = await self._likeliest(self._compiler, first, lang, beside)
                found = found if found is not None and found.is_certain else None
        if found is None or self._is_less(found, first.said):
            return None
        ways = [(words, self._read(words.split(_THEN), lang)) for words in found.words]
        words, read = next((way for way in ways if way[1] and not _breaks_off(way[1][0])), ways[0])
        of_no_device = topic.state in OF_NO_DEVICE or (
            read and all(isinstance(one, _HARMLESS) for one in read[0].clauses)
        )
        sure = found.sure or (bool(of_no_device) and topic.state not in OPEN)  # that is easily said again
        sure = sure and not (read and _is_of_another(first.readings, read[0]))
        goes_on = question is None and found.meaning and not found.of_talk and topic.state not in OF_NO_DEVICE
        if goes_on and (self._names_more if of_no_device else self._gainsays)(first.text, words):
            return None
        trace.note("plain", words=words, meaning=found.meaning, chance=round(found.chance, 3), sure=sure)
        if question is not None:
            allowed = found.meaning == REFUSED or not at_stake(question, self._registry)
            return (
                Plain(Heard(words, first.lang, read, first.confidence, words), sure=True) if sure and allowed else None
            )
        if not read:
            return None
        slight = self._is_slight(read[0], first.text, found) and not _is_of_another(first.readings, read[0])
        if not (sure or slight):
            read = tuple(as_sure(reading, self._thresholds.asked) for reading in read)
        return Plain(Heard(words, first.lang, read, first.confidence, words), sure, slight)

    def _is_less(self, found: Found, said: str) -> bool:
        """Whether what was said says more: "not the heating though", or a question behind mere praise."""
        known = self._comprehension
        more = (found.of_talk and known.concerns(found.beside)) or (found.wants and known.spares(found.beside))
        return more or (found.meaning == THANKS and _ASKS.search(said) is not None)

    def _is_slight(self, read: Program, said: str, found: Found) -> bool:
        """Whether so likely a reading needs no yes: it does little, and of just that which was spoken of.

        That is another one where one of two is told from the other: "and hers down to fifteen".
        """
        limits, contrasts = self._thresholds, self._comprehension.contrasts
        enough = limits.slight_value if found.says_value else limits.slight
        return read.is_slight and found.chance >= enough and contrasts.replaced(said) == said

    def _gainsays(self, said: str, plain: str) -> bool:
        """Whether more is said than its plain words say: another way, another number, a thing and they none."""
        known = self._comprehension
        if _values(known.ways, said) - _values(known.ways, plain) - {_NO_WAY}:
            return True
        told = known.amounts(plain)
        return (bool(told) and not known.amounts(said) <= told) or self._names_more(said, plain)

    def _names_more(self, said: str, plain: str) -> bool:
        """Whether a thing is named and its plain words name none: "what's it set to" is no "put my speaker on 30"."""
        known = self._comprehension
        return known.names_something(known.ways.replaced(said)) and not known.names_something(plain)

    async def _likeliest(self, compiler: Compiler, first: Heard, lang: Lang, topic: Topic) -> Found | None:
        """What all of it is, or surely the longest run of what stands between its commas; of equals the later one.

        What is left out says nothing to the grammar, and nothing hangs on it: "ach no, too loud, she'll be round".
        """
        if (found := await compiler.plainly(Normalized(first.text, lang, first.said), topic)) is not None:
            return found
        parts = first.text.split(",")
        if not 1 < len(parts) <= _MOST_PARTS:
            return None
        bears = [self._comprehension.hangs(part) or self._says_something(part, lang) for part in parts]
        told = [part for part, says in zip(parts, bears, strict=True) if says]
        if len(told) == 1 and self._leans(told[0], lang):
            return Found((told[0].strip(),), "", 1.0, sure=True)  # "that's a bit much, maybe half"
        for size in range(len(parts) - 1, 0, -1):
            for start in range(len(parts) - size, -1, -1):
                if any(bears[:start]) or any(bears[start + size :]):
                    continue
                words = ",".join(parts[start : start + size]).strip()
                found = await compiler.plainly(Normalized(words, lang, words), topic)
                if found is not None and found.sure:
                    return found
        return None

    def _leans(self, words: str, lang: Lang) -> bool:
        """Whether these words are a value or a time, of what was spoken of."""
        read = next(iter(self._comprehension.read_text(words.strip(), lang)), None)
        move = read.sole if read is not None else None
        if not isinstance(move, DialogueMove) or move.when is None:
            return isinstance(move, DialogueMove) and move.move == "value"
        return replace(move.when, daytime=None) != When()  # "night night" is no time

    def _says_something(self, words: str, lang: Lang) -> bool:
        """Whether the grammar reads more in these words than a yes, a no, thanks or talk."""
        read = next(iter(self._comprehension.read_text(words.strip(), lang)), None)
        said = read.clauses if read is not None else ()
        return any(not isinstance(item, Chat) and getattr(item, "move", None) not in _EMPTY for item in said)

    def _stands_alone(self, first: Heard, context: Context) -> bool:
        """Whether the grammar reads a command that names what it is about, or a move that needs nothing before."""
        read = first.readings[0] if first.readings else None
        if read is None or read.confidence < self._thresholds.sure:  # a guess, or about a name that nobody knows
            return False
        said = read.clauses[0]
        move = said.move if isinstance(said, DialogueMove) else None
        if isinstance(said, Fix) and move == "correct" and (said.targets or said.action):
            return True  # it says what is wanted instead
        return (move is not None and move not in _LEANING) or (
            is_whole(read) and self._readings.possible(read, context)
        )

    def _read(self, sentences: Sequence[str], lang: Lang) -> tuple[Program, ...]:
        """What sentences say one after the other; nothing where one of them says nothing."""
        if len(sentences) == 1:
            return tuple(self._comprehension.read_text(sentences[0], lang))
        each = [next(iter(self._comprehension.read_text(text, lang)), None) for text in sentences]
        said = [program for program in each if program is not None]
        if len(said) < len(each):
            return ()
        clauses = tuple(clause for program in said for clause in program.clauses)
        return (replace(said[0], clauses=clauses, text=_THEN.join(sentences)),)


def _is_of_another(heard: Sequence[Program], plain: Program) -> bool:
    """Whether a need was heard, and the plain words are about something else: the light may be cold, or the air."""
    need, said = heard[0].clauses[0] if heard else None, plain.clauses[0].parameter
    if not isinstance(need, Order) or not need.implicit or need.parameter is None or said is None:
        return False
    return said.attribute not in ("value", need.parameter.attribute)


def _breaks_off(read: Program) -> bool:
    """Whether something is missing that would have to be asked for: other words for the same say more."""
    starts = (item for item in read.clauses if isinstance(item, Timer) and item.op == "start")
    return read.missing is not None or any(item.seconds is None and item.when is None for item in starts)


def _values(words: WordClass, text: str) -> set[str]:
    """What these words, found in a text, stand for; of what overlaps, the first and longest."""
    found, done = set[str](), 0
    for place in PLACES.finditer(text):
        end = words.match(text + END, place.start()) if place.start() >= done else -1
        if end > 0:
            found.add(words.values[text[place.start() : end]])
            done = end
    return found


def topic_of(dialogue: Dialogue, question: Question | None, registry: Registry, now: float) -> Topic | None:
    """What may be gone on from now; None where nothing was spoken of just before.

    Args:
        dialogue: What was done, told and kept.
        question: What was asked, and is not answered.
        registry: The home.
        now: `time.monotonic()` seconds.
    """
    if question is not None:
        return Topic(_ASKED.get(question.kind, "what"), _sort(_named(question.about, registry)))
    state, last = _state(dialogue, now), _named(dialogue.last, registry)
    if state == "did" and last and all(item.kind == "scene" for item in last):
        return None  # of which nothing is more or less
    return Topic(state, _sort(last)) if state is not None else None


def _state(dialogue: Dialogue, now: float) -> State | None:
    timed = dialogue.just_timed(now)
    if timed is not None and timed.reminds is None:
        return "timer"
    if timed is not None or dialogue.just_planned(now) is not None:
        return "planned"
    last = dialogue.tried or dialogue.program
    if last is None or not dialogue.just_spoken(now):
        return None
    if dialogue.listed is not None and dialogue.tried is None:
        return "list"
    return "told" if isinstance(last.clauses[-1], Inquiry) else "did"


def _named(ids: Iterable[str], registry: Registry) -> list[Entity]:
    return [registry[item] for item in ids if item in registry]


def _sort(entities: Iterable[Entity]) -> Sort:
    """The sort of most of them."""
    counted = Counter(_sort_of(item) for item in entities)
    return counted.most_common(1)[0][0] if counted else "device"


def _sort_of(item: Entity) -> Sort:
    found = (sort for sort, known in _SORTS.items() if any(kinds.fit(item, kind) >= kinds.MEMBER for kind in known))
    return next(found, "device")
