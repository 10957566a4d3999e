"""Whatever the form of the exception, what it spares is never acted on, and everything else is."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.resolution import Context
from daemon.home.registry import Registry
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.named import kinds_of
from daemon.resolve.resolver import Resolver
from tests.home.houses import default_home
from tests.rules import GRAMMAR

RULES = Path(__file__).parents[2] / "rules"
ENGLISH = (
    "turn off all the lights except {}",
    "turn off all the lights but {}",
    "turn off all lights but not {}",
    "turn all the lights except {} off",
    "turn off every light apart from {}",
    "switch off all the lights other than {}",
    "except for {} turn off all the lights",
    "all the lights off except {}",
    "turn off all the lights, not {}",
    "turn off all the lights but leave {} on",
    "turn off all the lights, leave {} on",
    "turn off all the lights, dont turn off {}",
    "turn off all the lights, dont touch {}",
    "turn off all the lights but leave {} alone",
)
CHINESE = (
    "关掉所有灯，除了{}",
    "除了{}，所有灯都关掉",
    "除了{}以外所有灯都关掉",
    "把除了{}以外的灯都关掉",
    "关掉{}以外的所有灯",
    "所有灯都关掉，{}除外",
    "把所有灯都关了，别动{}",
    "把所有灯都关了，不要关{}",
    "把所有灯都关了，{}别关",
    "把所有灯都关了，别管{}",
    "把所有灯都关了，留着{}",
    "除了{}，其他灯都关掉",
    "所有灯都关掉，但是{}不要关",
)
# What is said, and the devices that it means: a name, a kind, an area, a floor, a group.
SPARED = {
    "en": {
        "the hall light": {"hall_light"},
        "the old friend": {"old_friend"},
        "the counter light": {"kitchen_counter"},
        "the moon": {"night_light"},
        "the kitchen lights": {"kitchen_ceiling", "kitchen_counter"},
        "the lamps in the bedroom": {"bedroom_lamp", "bedroom_desk_lamp"},
        "the reading corner": {"old_friend", "living_strip"},
        "the shower spots": {"bathroom_spots_1", "bathroom_spots_2"},
    },
    "zh": {
        "门厅灯": {"hall_light"},
        "老伙计": {"old_friend"},
        "台面灯": {"kitchen_counter"},
        "小月亮": {"night_light"},
        "厨房的灯": {"kitchen_ceiling", "kitchen_counter"},
        "阅读角": {"old_friend", "living_strip"},
        "淋浴射灯": {"bathroom_spots_1", "bathroom_spots_2"},
    },
}
JOINED = {"en": " and ", "zh": "和"}


@cache
def made() -> tuple[Comprehension, Resolver]:
    home, grammar = default_home(), GRAMMAR
    registry = Registry(home.entities, home.people)
    resolver = Resolver(registry, kinds_of(grammar.lexicon), home.thresholds)
    return Comprehension(grammar, registry), resolver


def acted_on(sentence: str, lang: str) -> set[str]:
    comprehension, resolver = made()
    clauses = comprehension.read_text(sentence, lang)[0].clauses
    assert len(clauses) == 1, sentence
    return set(resolver.resolve_clause(clauses[0], Context(lang)).entities)


@pytest.mark.parametrize(
    ("form", "lang"), [*((form, "en") for form in ENGLISH), *((form, "zh") for form in CHINESE)], ids=lambda item: item
)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_what_is_spared_is_spared_and_nothing_else(form: str, lang: str, data: st.DataObject) -> None:
    known = SPARED[lang]
    names = data.draw(st.lists(st.sampled_from(sorted(known)), min_size=1, max_size=2, unique=True))
    everything = acted_on("turn off all the lights" if lang == "en" else "关掉所有灯", lang)
    spared = set().union(*(known[name] for name in names))
    assert acted_on(form.format(JOINED[lang].join(names)), lang) == everything - spared
