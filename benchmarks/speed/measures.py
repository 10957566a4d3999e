"""Benchmarks: how fast, beside the grammar of Home Assistant (hassil) on the same sentences. See docs/evaluation.md."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from benchmarks.speed.sample import sample_home
from benchmarks.speed.stopwatch import Stopwatch
from daemon.act.reader import Patience
from daemon.app import open_home
from daemon.converse.replies import Replies
from daemon.core.errors import ConfigError
from daemon.core.ir import Lang, Target
from daemon.core.resolution import Context
from daemon.core.turn import Utterance
from daemon.evaluate.summary import Quantiles
from daemon.home.foreign import load_foreign
from daemon.home.registry import Registry
from daemon.mqtt.bus import Bus
from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from daemon.pipeline import Pipeline
from daemon.resolve.named import kinds_of, named_things
from daemon.resolve.request import Need
from daemon.resolve.resolver import Resolver
from daemon.simulate.broker import HOST, EmbeddedBroker
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.understand.grammar import Grammar
from daemon.understand.normalize import normalize, plain_text

Recognize = Callable[[str], bool]
"""One sentence; whether it was understood."""

_LANGUAGES: dict[Lang, str] = {"en": "en", "zh": "zh-CN"}


def load_peer(home: dict[str, Any], lang: Lang) -> tuple[str, Recognize]:
    """Its name with versions, and its recognizer for this home, called as Home Assistant calls it.

    Raises:
        ModuleNotFoundError: it is not installed; it is a dependency of development only.
    """
    from importlib.metadata import version

    from hassil import Intents, TextSlotList, recognize_best
    from home_assistant_intents import get_intents

    language = _LANGUAGES[lang]
    data = get_intents(language)
    assert data is not None, language
    intents = Intents.from_dict(data)
    lists = {
        "name": TextSlotList.from_tuples(
            [
                (name, name, {"domain": device["domain"]})
                for device in home["devices"]
                for name in (device["name"], *device["aliases"])
            ],
            allow_template=False,
            name="name",
        ),
        "area": _names(TextSlotList, home["areas"], "area"),
        "floor": _names(TextSlotList, home["floors"], "floor"),
    }

    def recognize(text: str) -> bool:
        found = recognize_best(text, intents, slot_lists=lists, language=language, best_slot_name="name")
        return found is not None

    label = f"hassil {version('hassil')} + home-assistant-intents {version('home-assistant-intents')}"
    return label, recognize


def _names(slot_list: Any, things: list[dict[str, Any]], name: str) -> Any:
    return slot_list.from_tuples(
        [(text, text) for thing in things for text in (thing["name"], *thing.get("aliases", ()))],
        allow_template=False,
        name=name,
    )


_GRAMMAR_SIZES = (100, 1_000)
_RESOLVE_SIZES = (100, 1_000, 10_000)
_PASSING_SIZES = (1_000, 10_000)
_PUBLISH_SIZE = 100
_HASTY = Patience(grace_s=0.05, settle_s=0.0, slow_settle_s=0.0)
"""What is measured ends where the command is published: for the answers behind it nobody waits."""

_MENTIONS: dict[Lang, tuple[Target, ...]] = {
    "en": (
        Target(mention="kitchen ceiling light"),
        Target(mention="desk lamp", kind="lamp", areas=("bedroom",)),
        Target(mention="kichen sealing light"),
        Target(mention="the lamp on the desk in the office"),
        Target(kind="light", quantifier="all", areas=("living room",)),
    ),
    "zh": (
        Target(mention="厨房顶灯"),
        Target(mention="台灯", kind="lamp", areas=("卧室",)),
        Target(mention="除房顶登"),
        Target(mention="书房桌上的灯"),
        Target(kind="light", quantifier="all", areas=("客厅",)),
    ),
}
"""A known name, a name in a room, a misspelt or misheard name, a description, and a kind in a room."""

COMMANDS: dict[Lang, tuple[str, str]] = {
    "en": ("turn on the kitchen ceiling light", "turn off the kitchen ceiling light"),
    "zh": ("打开厨房顶灯", "关闭厨房顶灯"),
}
"""What works in every sample home, again and again."""


class Timing(Struct, frozen=True):
    """Milliseconds of one thing, and what else is worth saying about it."""

    what: str
    ms: Quantiles
    note: str = ""
    ratio: float | None = None
    """For a peer: how many times as long as Hearken it takes, at p50."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"what": self.what, "ms": self.ms.to_dict(), "note": self.note, "ratio": self.ratio}


def read_sentences(path: Path) -> tuple[str, ...]:
    """One sentence a line; empty lines and those that start with # are skipped.

    Raises:
        ConfigError: the file cannot be read, or holds none.
    """
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except OSError as error:
        raise ConfigError(path, None, "", f"cannot be read ({error.strerror})", "run it from the repository") from None
    found = tuple(line for line in lines if line and not line.startswith("#"))
    if not found:
        raise ConfigError(path, None, "", "holds no sentences", "write one a line")
    return found


def time_understanding(grammar: Grammar, sentences: Path, rounds: int) -> Iterator[Timing]:
    """Text to IR by our grammar, and by the peer where it is installed, in turns, each sentence once to warm up."""
    for lang in COMMANDS:
        texts = read_sentences(sentences / f"sentences.{lang}.txt")
        for size in _GRAMMAR_SIZES:
            home = sample_home(size, lang)
            names = grammar.names(named_things(Registry(load_foreign(home).entities)))
            what = f"text to IR, {lang}, {size} devices"

            def ours(text: str, lang: Lang = lang, names: Any = names) -> bool:
                return bool(grammar.read(normalize(text, lang), names))

            sides: dict[str, Recognize] = {f"{what}: hearken": ours}
            with suppress(ModuleNotFoundError):
                label, theirs = load_peer(home, lang)
                sides[f"{what}: {label}"] = theirs
            yield from _side_by_side(sides, texts, rounds)


def time_resolving(grammar: Grammar, rounds: int, sizes: Sequence[int] = _RESOLVE_SIZES) -> Iterator[Timing]:
    """One mention to its entities, in homes of growing size."""
    for lang in COMMANDS:
        for size in sizes:
            resolver = _resolver(grammar, lang, size)
            need, context = Need(action="turn_on"), Context(lang=lang)
            statuses = [resolver.resolve(target, need, context).status for target in _MENTIONS[lang]]
            ms = [_ms(resolver.resolve, target, need, context) for _ in range(rounds) for target in _MENTIONS[lang]]
            yield Timing(f"resolve, {lang}, {size} devices", Quantiles.of(ms), ", ".join(statuses))


def time_passing(grammar: Grammar, sentences: Path, sizes: Sequence[int] = _PASSING_SIZES) -> Iterator[Timing]:
    """Whether a whole utterance names one thing, or nearly one: for talk, each once, so that nothing is remembered."""
    for lang in COMMANDS:
        said = [normalize(text, lang).text for text in read_sentences(sentences / f"not_for_us.{lang}.txt")]
        for size in sizes:
            resolver = _resolver(grammar, lang, size)
            resolver.warm((lang,))
            context = Context(lang=lang)
            ms = [_ms(resolver.spoken_of, text, context) for text in said]
            named = sum(resolver.spoken_of(text, context) is not None for text in said)
            yield Timing(
                f"what talk names, {lang}, {size} devices", Quantiles.of(ms), f"{named} of {len(said)} one thing"
            )


async def time_publishing(grammar: Grammar, replies: Replies, rounds: int) -> AsyncIterator[Timing]:
    """Text to published command, in memory and over loopback."""
    for lang, commands in COMMANDS.items():
        home = load_foreign(sample_home(_PUBLISH_SIZE, lang))
        for where, buses in (("in memory", _memory_buses), ("embedded broker", _loopback_buses)):
            async with buses() as (ours, theirs), SimulatedHome(theirs, home.entities, home.simulation):
                stopwatch = Stopwatch(ours, lambda topic: topic.endswith("/set"))
                async with open_home(home, stopwatch, grammar=grammar, replies=replies, patience=_HASTY) as opened:
                    handed, acknowledged = await _publish(opened.pipeline, stopwatch, commands, rounds)
            what = f"text to published command, {lang}, {_PUBLISH_SIZE} devices, {where}"
            yield Timing(f"{what}: handed over", Quantiles.of(handed))
            yield Timing(f"{what}: acknowledged", Quantiles.of(acknowledged))


async def _publish(
    pipeline: Pipeline, stopwatch: Stopwatch, commands: Sequence[str], rounds: int
) -> tuple[list[float], list[float]]:
    handed, acknowledged = [], []
    for number in range(-1, rounds):
        for text in commands:
            stopwatch.reset()
            start = time.perf_counter()
            await pipeline.handle(Utterance(text))
            if stopwatch.handed is None or stopwatch.acknowledged is None:
                raise ConfigError("benchmarks", None, text, "sent nothing", "this command must work in the sample home")
            if number >= 0:  # the first round only warms up
                handed.append((stopwatch.handed - start) * 1000)
                acknowledged.append((stopwatch.acknowledged - start) * 1000)
    return handed, acknowledged


@asynccontextmanager
async def _memory_buses() -> AsyncIterator[tuple[Bus, Bus]]:
    broker = MemoryBroker()
    yield broker.connect(), broker.connect()


@asynccontextmanager
async def _loopback_buses() -> AsyncIterator[tuple[Bus, Bus]]:
    broker = EmbeddedBroker()
    await broker.start()
    try:
        async with Connection(Broker(HOST, broker.port)) as ours, Connection(Broker(HOST, broker.port)) as theirs:
            await ours.ready(5)
            await theirs.ready(5)
            yield ours, theirs
    finally:
        await broker.stop()


def _resolver(grammar: Grammar, lang: Lang, size: int) -> Resolver:
    home = load_foreign(sample_home(size, lang))
    return Resolver(Registry(home.entities), kinds_of(grammar.lexicon), home.thresholds)


def _side_by_side(sides: Mapping[str, Recognize], texts: Sequence[str], rounds: int) -> Iterator[Timing]:
    """Rounds in turns, so that whatever else the machine does slows all of them alike. The first is the measure."""
    understood = {what: sum(map(understand, texts)) for what, understand in sides.items()}
    ms: dict[str, list[float]] = {what: [] for what in sides}
    for _ in range(rounds):
        for what, understand in sides.items():
            for text in texts:
                plain_text.cache_clear()  # no text is known from the round before
                ms[what].append(_ms(understand, text))
    first: Quantiles | None = None
    for what, values in ms.items():
        quantiles = Quantiles.of(values)
        ratio = None if first is None else quantiles.p50 / first.p50
        first = first or quantiles
        yield Timing(what, quantiles, f"{understood[what]} of {len(texts)} understood", ratio)


def _ms(call: Callable[..., object], *args: object) -> float:
    # Processor time of this thread: what else runs on the machine would otherwise decide the upper quantiles.
    start = time.thread_time()
    call(*args)
    return (time.thread_time() - start) * 1000
