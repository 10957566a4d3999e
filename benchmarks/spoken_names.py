"""Names of a made home as somebody says them and an engine hears them, and what came of each."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from benchmarks.made_homes import Device, MadeHome, made_home
from benchmarks.mishearing import Mishearing, mishearing
from daemon.core.ir import Lang, Order, Target
from daemon.core.resolution import Context, Resolution, Ruling
from daemon.core.thresholds import Thresholds
from daemon.decide.gate import Gate
from daemon.home.registry import Registry
from daemon.resolve.named import kinds_of
from daemon.resolve.request import Need
from daemon.resolve.resolver import Resolver
from daemon.resolve.sounds import sound_keys
from daemon.understand.grammar import Grammar

RULES: Final = Path(__file__).resolve().parent.parent / "rules"

How = Literal["name", "area", "bare"]
"""The whole name; what it is called in its area, and the area; the same without the area."""
Verdict = Literal["right", "asked", "wrong", "refused"]


@dataclass(frozen=True, slots=True)
class Spoken:
    """One mention as it was heard."""

    target: Target
    meant: str | None
    """A device's id; None where nothing in the home is meant."""
    equal: frozenset[str] = frozenset()
    """All devices that the words as they were spoken fit."""
    said: str = ""


@dataclass(frozen=True, slots=True)
class House:
    """A made home that can be asked."""

    home: MadeHome
    registry: Registry = field(hash=False)
    resolver: Resolver
    gate: Gate
    mishears: Mishearing = field(hash=False)

    @classmethod
    def made(cls, size: int, lang: Lang, grammar: Grammar, limits: Thresholds | None = None, seed: int = 1) -> House:
        """A home of so many devices, with its index built."""
        home = made_home(size, lang, seed)
        registry = Registry(home.entities)
        resolver = Resolver(registry, kinds_of(grammar.lexicon), limits)
        made = cls(home, registry, resolver, Gate(registry, limits), mishearing(lang))
        made.judged(Spoken(Target(mention=home.devices[0].name), None))
        return made

    def spoken(self, count: int, how: How, errors: float | None, rng: random.Random) -> Iterator[Spoken]:
        """So many mentions; fewer where few names can be misheard so.

        Args:
            count: How many.
            how: What is said of a device.
            errors: Sounds gone wrong in each name: a number, or a share of its sounds; None for a slip of another sort.
            rng: What decides.
        """
        by_words: dict[str, set[str]] = {}
        by_sound: dict[str, str] = {}
        for device in self.home.devices:
            for words in {device.name.casefold(), device.short.casefold()}:
                by_words.setdefault(words, set()).add(device.id)
                by_sound[sound_keys(words)[0]] = words
        for device in rng.choices(self.home.devices, k=count):
            words = device.name if how == "name" else device.short
            heard = self._heard(words, errors, rng)
            if heard is None or by_sound.get(sound_keys(heard)[0], words.casefold()) != words.casefold():
                continue  # what sounds like the name of something else was not misheard: it was said
            target = Target(mention=heard, areas=(device.area,) if how == "area" else ())
            equal = frozenset(by_words[words.casefold()])
            if how == "area":
                equal &= self._in(device)
            yield Spoken(target, device.id, equal, words)

    def judged(self, spoken: Spoken) -> tuple[Resolution, Ruling]:
        """What the home makes of "turn on ...", or "open ...", of one mention."""
        clause = Order("open" if self._opens(spoken.meant) else "turn_on", targets=(spoken.target,))
        context = Context(lang=self.home.lang)
        found = self.resolver.resolve_clause(clause, context)
        return found.targets[0], self.gate.decide(clause, found, 1.0, 1.0, context)

    def proposed(self, spoken: Spoken) -> frozenset[str]:
        """All candidates that two rounds, made in any case, have for a mention."""
        return self.resolver.proposed(spoken.target, self._need(spoken), Context(lang=self.home.lang))

    def _need(self, spoken: Spoken) -> Need:
        return Need(action="open" if self._opens(spoken.meant) else "turn_on")

    def _heard(self, words: str, errors: float | None, rng: random.Random) -> str | None:
        if errors is None:
            return self.mishears.slipped(words, rng)
        sounds = self.mishears.sounds(words)
        if not sounds:
            return None
        count = errors if isinstance(errors, int) else sum(rng.random() < errors for _ in range(sounds))
        return self.mishears.misheard(words, count, rng) if count else words

    def _in(self, device: Device) -> frozenset[str]:
        return frozenset(item.id for item in self.home.devices if item.area == device.area)

    def _opens(self, entity: str | None) -> bool:
        return entity is not None and self.home.devices[int(entity.split("_")[1])].kind in (
            "curtain",
            "blind",
            "shutter",
        )


def verdict(spoken: Spoken, decision: Ruling) -> Verdict:
    """What came of it: acting on all or one of what was meant is right where the words fit nothing else."""
    match decision.verdict:
        case "act":
            return "right" if spoken.meant in decision.entities and set(decision.entities) <= spoken.equal else "wrong"
        case "ask":
            return "asked"
        case _:
            return "refused"
