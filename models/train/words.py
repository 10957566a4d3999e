"""What is put into the slots of phrases: hand-written tables, the lexicon's words, numbers."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from daemon.core.ir import Lang, Target
from daemon.system.nodes import read_yaml
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized, plain_text

HERE: Final = Path(__file__).resolve().parent
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_HELD: Final = 5
"""Every fifth name is kept for held-out phrases."""
_SPLIT: Final = (
    *("names", "things", "people", "titles", "scenes", "adjectives"),
    *("tints", "nouns", "genres", "moods", "artists"),
)
_PART: Final = re.compile(r"\{([a-z]+)\}")
_TABLE_OF: Final = {"adj": "adjectives", "person": "people"}

KINDS_FOR: Final[Mapping[str, tuple[str, ...]]] = {
    "open": ("curtain", "blind", "shade", "shutter", "awning", "garage_door", "gate", "window", "valve", "cover"),
    "lock": ("lock", "door"),
    "light": ("light", "lamp"),
    "heat": ("thermostat", "climate", "air_conditioner", "heater"),
    "mode": ("air_conditioner", "air_purifier", "humidifier", "dehumidifier", "climate", "fan"),
    "fan": ("fan",),
    "moist": ("humidifier", "dehumidifier"),
    "player": ("tv", "speaker", "media_player"),
    "robot": ("vacuum", "lawn_mower"),
    "start": ("vacuum", "lawn_mower", "appliance"),
    "stop": ("curtain", "blind", "vacuum", "fan", "shutter", "lawn_mower", "garage_door"),
    "battery": ("vacuum", "lock", "sensor", "lawn_mower", "camera"),
    "power": ("plug", "appliance", "tv", "air_conditioner", "heater", "light"),
    "any": ("light", "lamp", "tv", "fan", "heater", "switch", "plug", "speaker", "air_conditioner", "humidifier",
            "air_purifier", "dehumidifier", "appliance", "light", "lamp", "light"),
}  # fmt: skip
SUITS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("open", "close", "half_open", "position_to", "is_open", "negated_open"), "open"),
    **dict.fromkeys(("negated_close", "close_except", "any_open", "which_open", "if_open"), "open"),
    **dict.fromkeys(("lock", "unlock", "is_locked"), "lock"),
    **dict.fromkeys(("brighter", "dimmer", "brightness_to", "brightness_by_up", "brightness_by_down"), "light"),
    **dict.fromkeys(("brightest", "dimmest", "color_to", "light_warmer", "light_cooler", "brightness_of"), "light"),
    **dict.fromkeys(("temperature_to", "warmer", "cooler"), "heat"),
    **dict.fromkeys(("faster", "slower", "speed_to"), "fan"),
    **dict.fromkeys(("louder", "quieter", "volume_to", "mute", "unmute", "play", "play_title"), "player"),
    **dict.fromkeys(("next", "previous", "source_to"), "player"),
    **dict.fromkeys(("dock", "where_is", "clean"), "robot"),
    "mode_to": "mode", "humidity_to": "moist", "pause": "player", "start": "start", "stop": "stop",
    "battery_of": "battery", "power_of": "power",
}  # fmt: skip
"""What kind of thing the {target} of a meaning is; of the others, `any`."""
_RANGES: Final[Mapping[str, tuple[int, int, int]]] = {
    "temperature_to": (14, 30, 1),
    "if_hot": (18, 35, 1),
    "if_cold": (5, 24, 1),
    "speed_to": (1, 100, 1),
    "volume_to": (1, 100, 1),
}
"""Lowest, highest, step of the {n} of a meaning; of the others 5 to 100 by fives, now and then any."""


@dataclass(frozen=True, slots=True)
class Words:
    """The tables of one language, for phrases that are learnt from or for those that are held out."""

    lang: Lang
    tables: Mapping[str, tuple[str, ...]]
    kind: Mapping[str, tuple[str, ...]]
    """Words for one of a kind, from the lexicon."""
    kinds: Mapping[str, tuple[str, ...]]
    """Words for several."""
    grammar: Grammar

    @classmethod
    def load(cls, lang: Lang, grammar: Grammar, *, held: bool) -> Words:
        """The words of one language.

        Args:
            lang: Which.
            grammar: Whose lexicon has the words for kinds, and which reads the noun phrases that are made.
            held: Whether the names are those of held-out phrases; no name is of both sorts.
        """
        file = HERE / f"words.{lang}.yaml"
        tables = {}
        for name, items in read_yaml(file).mapping().items():
            if isinstance(items.data, list):
                listed = [item.text() for item in items.data]
                split = name in _SPLIT
                tables[name] = tuple(word for at, word in enumerate(listed) if not split or (at % _HELD == 0) is held)
        one, several = (
            _kind_words(grammar, lang, ("KIND", "NAMEKIND")),
            _kind_words(grammar, lang, ("KINDS", "NAMEKINDS")),
        )
        return cls(lang, tables, one, several or one, grammar)

    def pick(self, rng: random.Random, table: str) -> str:
        """Any entry of a table; {noun} in it is any of the nouns, and so on."""

        def part(match: re.Match[str]) -> str:
            named = _TABLE_OF.get(match[1], match[1] + "s")
            return self.pick(rng, named) if named in self.tables else match[0]

        return _PART.sub(part, rng.choice(self.tables[table]))

    def noun(self, rng: random.Random, kinds: Sequence[str], *, several: float = 0.25, named: float = 0.2) -> str:
        """A noun phrase for something of one of these kinds."""
        draw = rng.random()
        kind = rng.choice([item for item in kinds if item in self.kind] or ["light"])
        if draw < named:
            return self._phrase(rng, "named", kind)
        return self._phrase(rng, "many" if draw < named + several else "one", kind)

    def place(self, rng: random.Random) -> str:
        """A place, or all that is there."""
        return self._phrase(rng, "places", "light")

    def number(self, rng: random.Random, meaning: str) -> str:
        """A number that suits a meaning, in digits or in words."""
        low, high, step = _RANGES.get(meaning, (5, 100, 5))
        value = rng.randrange(low, high + 1, step) if rng.random() < 0.8 else rng.randint(low, high)
        return self._spelled(rng, value)

    def moment(self, rng: random.Random, table: str) -> str:
        """A time of day or a length of time."""
        said = self.pick(rng, table)
        said = said.replace("{h}", self.pick(rng, "hours")).replace("{m}", self.pick(rng, "minutes"))
        return said.replace("{s}", self._spelled(rng, rng.choice((10, 15, 20, 30, 40, 45, 90))))

    def color(self, rng: random.Random) -> str:
        """A colour as the lexicon has it."""
        return rng.choice(self._of_class("COLOR"))

    def target(self, phrase: str) -> Target | None:
        """What the grammar makes of a noun phrase."""
        return self.grammar.fragments.target(Normalized(phrase, self.lang, phrase), NameTable(()))

    def _phrase(self, rng: random.Random, table: str, kind: str) -> str:
        said = self.pick(rng, table)
        for slot, words in (
            ("{kind}", self.kind.get(kind, ("light",))),
            ("{kinds}", self.kinds.get(kind) or self.kind.get(kind, ("lights",))),
        ):
            if slot in said:
                said = said.replace(slot, rng.choice(words))
        return plain_text(said)

    def _spelled(self, rng: random.Random, value: int) -> str:
        words = [
            item
            for item in self.grammar.numbers.spellings(str(value))
            if (_HAN.search(item) is not None) == (self.lang == "zh")
        ]
        return rng.choice(words) if words and rng.random() < 0.55 else str(value)

    def _of_class(self, name: str) -> tuple[str, ...]:
        return _spoken(self.grammar.lexicon.classes[name].values, self.lang)


def _kind_words(grammar: Grammar, lang: Lang, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in names:
        if name in grammar.lexicon.classes:
            values = grammar.lexicon.classes[name].values
            for word in _spoken(values, lang):
                found.setdefault(values[word], []).append(word)
    return {kind: tuple(words) for kind, words in found.items()}


def _spoken(words: Mapping[str, str], lang: Lang) -> tuple[str, ...]:
    return tuple(word for word in words if (_HAN.search(word) is not None) == (lang == "zh"))
