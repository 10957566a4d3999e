"""What a few words say that are no sentence: who is meant, a value, a time. What fills the slots of a draft is such."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.core.ir import Lang, Target, When
from daemon.understand.build_target import build_target
from daemon.understand.build_value import Said, build_value
from daemon.understand.build_when import build_when
from daemon.understand.confidence import Confidences
from daemon.understand.lexicon import Lexicon
from daemon.understand.matchers import Node
from daemon.understand.names import NameTable, Spotted
from daemon.understand.normalize import MAX_LENGTH, Normalized
from daemon.understand.numbers import Numbers
from daemon.understand.parser import Parser
from daemon.understand.parts import Reading, parts_of
from daemon.understand.spotting import Spotter
from daemon.understand.tidy import Tidy


@dataclass(frozen=True, slots=True)
class Fragments:
    """Reads parts of sentences by the rules of the grammar."""

    lexicon: Lexicon
    numbers: Numbers
    sure: Confidences
    parser: Parser
    spotter: Spotter
    tidy: Mapping[str, Tidy]
    """By language."""

    def target(self, normalized: Normalized, names: NameTable) -> Target | None:
        """Who is meant by some words alone: "all the lamps upstairs"; None where they are no such phrase."""
        return next(iter(self._targets(f"Target_{normalized.lang}", normalized, names)), None)

    def answer(self, normalized: Normalized, names: NameTable) -> tuple[Target, ...]:
        """What is named in answer to "which one?": "the bedroom one and the hall light"; nothing where it says more."""
        return self._targets(f"{normalized.lang}_answer", normalized, names)

    def _targets(self, rule: str, normalized: Normalized, names: NameTable) -> tuple[Target, ...]:
        text = normalized.text[:MAX_LENGTH]
        spotted = self.spotter.first(text, self.spotter.found(text, names))
        tidy = self.tidy.get(normalized.lang)
        tidied = tidy(spotted.text, spotted.restore) if tidy is not None else spotted.text
        for said in dict.fromkeys((tidied, spotted.text)):
            if nodes := self._parts("Target", rule, said):
                reading = Reading(Spotted(said, spotted.mentions), names, self.lexicon, self.numbers, self.sure)
                return tuple(build_target(node, reading) for node in nodes)
        return ()

    def is_list(self, text: str) -> bool:
        """Whether a text is how people call a list that they keep, in any language: "grocery list", 买菜清单."""
        rules = self.parser.known(f"{lang}_the_list" for lang in self.tidy)
        return any(self.parser.parse(rule, text) is not None for rule in rules)

    def value(self, text: str, lang: Lang) -> Said | None:
        """What some words alone say of a value: "75 fahrenheit", 百分之三十; None where they are no such words."""
        node = self._part("Value", f"Value_{lang}", text)
        parts = parts_of(node) if node is not None else None
        if parts is None or parts.word("TIMEUNIT") is not None:
            return None
        try:
            return build_value(parts, self._nameless(text), None)
        except ValueError:  # more than anything has
            return None

    def moment(self, text: str, lang: Lang) -> When | None:
        """The time that some words alone say: "six in the evening", 一个半小时; None where they are no such words."""
        rules = (f"When_answer_{lang}", f"When_{lang}")  # "ten minutes"; "at six"
        node = next((found for rule in rules if (found := self._part("When", rule, text)) is not None), None)
        try:
            return build_when([node], self._nameless(text), trigger=False) if node is not None else None
        except ValueError:  # no such time of day
            return None

    def _part(self, name: str, rule: str, text: str) -> Node | None:
        return next(iter(self._parts(name, rule, text)), None)

    def _parts(self, name: str, rule: str, text: str) -> Sequence[Node]:
        known = self.parser.known((rule,))  # a language need not have all of them
        tree = self.parser.parse(rule, text) if text and known else None
        return parts_of(tree).parts.get(name, ()) if tree is not None else ()

    def _nameless(self, text: str) -> Reading:
        return Reading(Spotted(text, {}), NameTable(()), self.lexicon, self.numbers, self.sure)
