"""A draft -> a program: the words for the slots are read by the grammar, and put into the templates of the meanings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from daemon.compiler.draft import Draft, Part, Said, outside, placed
from daemon.compiler.meanings import Meanings
from daemon.compiler.reach import Reach
from daemon.core.errors import DraftRefused, IRError
from daemon.core.ir import Program, Target, validate
from daemon.core.values import replace, to_dict
from daemon.understand.grammar import Grammar
from daemon.understand.moments import at_each_time
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized, as_said
from daemon.understand.openings import END

_SLOT: Final = re.compile(r"\$(\w+)(?:\|(\w+))?")
_VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    "color": ("COLOR",),
    "mode": ("MODE", "STEPPED"),
    "source": ("SOURCE",),
}
"""The word classes in which a slot's words are looked up."""
_TARGET: Final = "$target"
_OPEN: Final = frozenset({"mode", "source"})
"""Slots whose words may be others than those that the lexicon knows: devices have modes of their own."""


class Filling:
    """Makes programs of drafts, with the grammar of the daemon."""

    def __init__(self, meanings: Meanings, grammar: Grammar) -> None:
        self._meanings = meanings
        self._grammar = grammar

    def is_timid(self, draft: Draft, said: Normalized) -> bool:
        """Whether it is asked back at most: for one of its meanings, or where a length alone is to put it off.

        That rather tells how long something took: 上班八个小时，把灯打开.
        """
        if any(self._meanings.all[part.meaning].timid for part in draft.parts):
            return True
        draft = placed(draft, said.text)
        reach = Reach(self._grammar, said, draft)
        later = (piece for part in draft.parts for piece in (part, *part.frames) if self._waits(piece.meaning))
        return any(item.slot == "duration" and not reach.waits(item) for piece in later for item in piece.said)

    def _waits(self, meaning: str) -> bool:
        """Whether a meaning puts off what is to be done by so long."""
        template = self._meanings.all[meaning].template
        return template is not None and "delay_s" in template.get("when", {})

    def program(self, draft: Draft, said: Normalized, names: NameTable) -> Program:
        """The program of a draft of what was said.

        Raises:
            DraftRefused: words for a slot say no such thing, or were not said; or a slot that is needed is empty.
            IRError: the draft is a verdict.
        """
        if draft.verdict is not None or not draft.parts:
            raise IRError("the draft says nothing")
        draft = placed(draft, said.text)
        reach = Reach(self._grammar, said, draft)
        clauses = [self._clause(part, said, names, reach) for part in draft.parts]
        data = {
            "clauses": clauses,
            "source": "model",
            "lang": said.lang,
            "text": said.text,
        }
        try:
            program = validate(data)
            return as_said(replace(program, clauses=at_each_time(program.clauses)), said.original)
        except IRError as error:
            raise DraftRefused(draft.parts[0].meaning, None, str(error)) from error

    def numeral(self, words: str) -> str | None:
        """The number alone in words that say one, with or without a unit: "45" of "45%"; None where they say more."""
        end = self._grammar.numbers.match(words + END, 0)
        if end <= 0:
            return None
        units, behind = self._grammar.lexicon.classes.get("UNIT"), words[end:].strip()
        if behind and (units is None or behind not in units.values):
            return None
        return words[:end]

    def overlooks(self, draft: Draft, said: Normalized) -> bool:
        """Whether another colour was said beside the one that a slot has: "green and red"."""
        meant = {
            self.value(item.slot, item.words) for part in draft.parts for item in part.said if item.slot == "color"
        }
        if not meant:
            return False
        words, rest = self._grammar.lexicon.classes["COLOR"], outside(draft, said.text) + END
        found = {rest[at:end] for at in range(len(rest)) if (end := words.match(rest, at)) > at}
        return any(words.values[word] not in meant for word in found)

    def value(self, slot: str, words: str) -> str | None:
        """The value of the lexicon that some words say."""
        classes = self._grammar.lexicon.classes
        for name in _VALUES.get(slot, ()):
            if name in classes and words in classes[name].values:
                return classes[name].values[words]
        return words if slot in _OPEN else None

    def whole(self, item: Said, said: Normalized, names: NameTable) -> str | None:
        """The value of the lexicon that a slot's words say; None where they are half of another word: 青 of 青椒."""
        end = (item.at or 0) + len(item.words)
        torn = self._grammar.assembly.is_torn(said.text, said.lang, end)
        torn = torn and all(found.start != end for found in names.find(said.text))
        return None if torn else self.value(item.slot, item.words)

    def _clause(self, part: Part, said: Normalized, names: NameTable, reach: Reach) -> dict[str, Any]:
        clause: dict[str, Any] = {}
        for piece in (part, *part.frames):
            template = self._meanings.all[piece.meaning].template
            assert template is not None
            slots = _Slots(self, piece, said, names, reach)
            for key, value in template.items():
                filled = slots.filled(value)
                clause[key] = [*clause.get(key, []), *filled] if isinstance(value, list) else (
                    clause.get(key, {}) | filled if isinstance(value, dict) else filled
                )  # fmt: skip
        return clause

    def says_kind(self, found: Mapping[str, Any]) -> bool:
        """Whether what a target is called is a word for its kind: 空调."""
        words = self._grammar.lexicon.classes["KIND"].values
        return "kind" in found and words.get(found.get("mention", "")) == found["kind"]

    def target(self, item: Said, said: Normalized, names: NameTable) -> Target:
        """Whom the words of a noun phrase mean; what is no such phrase is a name."""
        found = self._grammar.fragments.target(Normalized(item.words, said.lang, item.words), names)
        target = found if found is not None else Target(mention=item.words)
        return target if target.kind is not None or item.kind is None else replace(target, kind=item.kind)


class _Slots:
    """Fills the template of one meaning."""

    def __init__(self, filling: Filling, part: Part, said: Normalized, names: NameTable, reach: Reach) -> None:
        self._filling = filling
        self._reach = reach
        self._part = part
        self._said = {item.slot: item for item in part.said}
        if len(self._said) != len(part.said):
            raise DraftRefused(part.meaning, None, f"{part.meaning}: a slot is filled twice")
        self._text = said
        self._names = names

    def filled(self, value: Any) -> Any:
        """A template with its slots filled; targets of which nothing was said are left out."""
        if isinstance(value, list):
            items = [self._target(item) for item in value]
            return [item for item in items if item]
        if isinstance(value, dict):
            if "time" in value or "delay_s" in value or "duration_s" in value:
                return self._when(value)
            filled = {key: self.filled(item) for key, item in self._measured(value).items()}
            return {key: item for key, item in filled.items() if item is not None}
        return self._value(value)

    def _target(self, template: Any) -> Any:
        """A target, or a condition with one."""
        if isinstance(template, dict) and "target" in template:
            rest = {key: self._value(item) for key, item in self._measured(template).items() if key != "target"}
            return {"target": self._target(template["target"]), **rest}
        if not isinstance(template, dict):
            found = self._phrase(template)
            return found | self._places(found) if template == _TARGET else found
        found = self._phrase(template.get("slot"))
        if (kind := template.get("kind")) is not None and "kind" not in found and "mention" not in found:
            found["kind"] = kind
        if "areas" in template or template.get("slot") == _TARGET:
            found |= self._places(found)
        for key, value in template.items():
            if key == "mention":
                found[key] = self._words(value)
            elif key == "cleans":
                found |= {"cleans": True} if "areas" in found or "floors" in found else {}
            elif key not in ("slot", "kind", "areas"):
                found[key] = value
        if found.get("quantifier") == "all" and self._filling.says_kind(found):
            del found["mention"]  # one of them may be called nothing but that; all are meant
        return found

    def _phrase(self, slot: Any) -> dict[str, Any]:
        item = self._said.get(str(slot).removeprefix("$"))
        if item is None:
            return {}
        found = dict(to_dict(self._filling.target(item, self._text, self._names)))
        found.pop("confidence", None)
        return found

    def _places(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """The place that was said apart from the noun phrase, unless that has its own."""
        item = self._said.get("room")
        if item is None or "areas" in found or "floors" in found:
            return {}
        place = self._filling.target(item, self._text, self._names)
        if place.reference == "here" or place.whole_home:
            return {"reference": place.reference} if place.reference else {"whole_home": True}
        places = {key: list(value) for key in ("areas", "floors") if (value := getattr(place, key))}
        return places or {"areas": [item.words]}

    def _words(self, value: Any) -> str:
        match = _SLOT.fullmatch(str(value))
        if match is None:
            return str(value)
        item = self._said.get(match[1])
        if item is None:
            raise self._empty(match[1])
        return item.words

    def _value(self, value: Any) -> Any:
        match = _SLOT.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            return value
        for slot in match.groups():
            item = self._said.get(slot) if slot is not None else None
            if item is not None:
                return self._said_value(item)
        raise self._empty(match[1])

    def _measured(self, template: Mapping[str, Any]) -> Mapping[str, Any]:
        """A template with the number that was said for {n}, in its unit."""
        item = self._said.get("n")
        match = _SLOT.fullmatch(str(template.get("value", "")))
        if item is None or match is None or "n" not in match.groups():
            return template
        amount = self._reach.amount(item, template["attribute"])
        if amount is None or (amount.value < 0 and template.get("op") == "increase"):
            raise self._other(item)
        # "down, minus 20 percent" says twice which way it goes.
        value = abs(amount.value) if template.get("op") == "decrease" else amount.value
        return {**template, "value": value, "unit": amount.unit}

    def _said_value(self, item: Said) -> Any:
        found: Any
        match item.slot:
            case "duration":
                found = self._reach.duration(item)
            case "color" | "mode" | "source":
                found = self._filling.whole(item, self._text, self._names)
            case _:
                found = item.words
        if found is None:
            raise self._other(item)
        return found

    def _when(self, template: Mapping[str, Any]) -> dict[str, Any]:
        if "time" not in template:
            return {key: self._value(item) for key, item in template.items()}
        item = self._said.get("time")
        when = self._reach.time(item) if item is not None else None
        if when is None:
            raise self._other(item) if item is not None else self._empty("time")
        return dict(to_dict(when))

    def _empty(self, slot: str) -> DraftRefused:
        meaning = self._part.meaning
        return DraftRefused(meaning, None, f"{meaning}: {slot} is empty")

    def _other(self, item: Said) -> DraftRefused:
        return DraftRefused(item.slot, item.words, f"{self._part.meaning}: {item.words!r} is no {item.slot}")
