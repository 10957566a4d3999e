"""The default home for the tests of finding: its registry, resolver and gate, and what may be said about it."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_args

from daemon.core.ir import Clause, Kind, validate
from daemon.core.resolution import ClauseResolution, Context, Ruling, Spoken
from daemon.decide.gate import Gate
from daemon.home.config import HomeConfig
from daemon.home.kinds import KindWords
from daemon.home.loader import load_home
from daemon.home.registry import Registry
from daemon.resolve.resolver import Resolver

ROOT = Path(__file__).resolve().parents[2]

# A few generic words in the two languages; the real ones come from the lexicons.
_WORDS: dict[str, Kind] = {
    **{word: word for word in get_args(Kind) if word not in ("device", "scene", "group", "sensor")},
    "air conditioner": "air_conditioner",
    "ac": "air_conditioner",
    "television": "tv",
    "灯": "light",
    "台灯": "lamp",
    "风扇": "fan",
    "窗帘": "curtain",
    "百叶窗": "blind",
    "门": "door",
    "锁": "lock",
    "空调": "air_conditioner",
    "插座": "plug",
    "电视": "tv",
    "音箱": "speaker",
    "dishwasher": "appliance",
    "洗碗机": "appliance",
}
KIND_WORDS = KindWords(_WORDS)


@cache
def default_home() -> HomeConfig:
    return load_home(ROOT / "devices.yaml")


class House:
    """A home that can be spoken to in IR."""

    def __init__(self, home: HomeConfig) -> None:
        self.registry = Registry(home.entities, home.people)
        self.resolver = Resolver(self.registry, KIND_WORDS, home.thresholds)
        self.gate = Gate(self.registry, home.thresholds)

    def resolve(self, clause: Clause, context: Context) -> ClauseResolution:
        return self.resolver.resolve_clause(clause, context)

    def decide(
        self, clause: Clause, context: Context, *, read: float = 1.0, heard: float = 1.0
    ) -> tuple[ClauseResolution, Ruling]:
        found = self.resolve(clause, context)
        return found, self.gate.decide(clause, found, read, heard, context)


def clause_of(case: Mapping[str, Any]) -> Clause:
    """A clause from the short form of the tables: a `target` may be just its mention."""
    data = {"intent": case.get("intent", "act")}
    if data["intent"] == "query":
        data["query"] = "state"
    for field in ("action", "parameter", "conditions", "query", "implicit", "negated", "confidence"):
        if field in case:
            data[field] = case[field]
    for field, single in (("targets", "target"), ("excluded", "except")):
        given = case.get(field, [case[single]] if single in case else [])
        data[field] = [{"mention": item} if isinstance(item, str) else item for item in given]
    return validate({"clauses": [data], "source": "grammar", "lang": "en"}).clauses[0]


def context_of(case: Mapping[str, Any]) -> Context:
    """A context from the short form: `states` are the last known main states."""
    states = case.get("states", {})
    return Context(
        lang=case.get("lang", "en"),
        area=case.get("area"),
        speaker=case.get("speaker"),
        spoken=Spoken(tuple(case.get("last", ())), (tuple(case.get("before_last", ())),)),
        state_of=lambda entity, attribute: states.get(entity) if attribute == "state" else None,
    )
