"""Words of commands in any order, doubled, cut or cut short: nothing breaks, and nothing risky is done unasked."""

from functools import cache
from pathlib import Path

from hypothesis import given, seed, settings
from hypothesis import strategies as st

from daemon.core.ir import Order
from daemon.core.resolution import Context
from daemon.decide.gate import Gate
from daemon.home.loader import load_home
from daemon.home.registry import Registry
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.named import kinds_of
from daemon.resolve.resolver import Resolver
from daemon.understand.grammar import Grammar

ROOT = Path(__file__).resolve().parents[2]
LETS_IN = {"front_door_lock", "garage_door", "gas_valve"}
HARMLESS = {"lock", "close", "turn_off", "stop", "pause"}
LINES = {
    "en": """unlock the front door
        open the garage door
        open the gas valve and close the bedroom blinds
        turn on everything in the garage except the light
        don't open the garage door
        is the front door unlocked
        if the window is open lock the front door
        let me in please""",
    "zh": """解锁 大门
        把 大门 的 锁 打开
        打开 车库 门
        打开 燃气阀 然后 关上 百叶窗
        除了 灯 车库 里 的 东西 都 打开
        别 打开 车库门
        大门 锁 好 了 吗
        开 门 让 我 进 去""",
}
SENTENCES = [(lang, line.split()) for lang, lines in LINES.items() for line in lines.splitlines()]
WORDS = {lang: sorted({word for of, words in SENTENCES if of == lang for word in words}) for lang in LINES}
NOBODYS = {
    "en": ("the jacuzzi", "the pizza oven", "grandma's telescope", "a trampoline", "the disco ball", "a beehive"),
    "zh": ("按摩浴缸", "披萨炉", "奶奶的望远镜", "蹦床", "迪斯科球", "蜂箱"),
}  # fmt: skip
VERBS = {
    "en": ("turn on {}", "open {}", "switch {} off", "unlock {}", "please start {}"),
    "zh": ("打开{}", "把{}关了", "开一下{}", "解锁{}", "{}关掉"),
}


class Door:
    """What would be done, at once and unasked, after some words."""

    def __init__(self) -> None:
        grammar = Grammar.load(ROOT / "rules")
        home = load_home(ROOT / "devices.yaml")
        registry = Registry(home.entities, home.people)
        self._reading = Comprehension(grammar, registry)
        self._resolver = Resolver(
            registry,
            kinds_of(grammar.lexicon),
            home.thresholds,
            places=grammar.lexicon.place_words,
            contrasts=grammar.lexicon.contrasts,
        )
        self._gate = Gate(registry, home.thresholds)

    def done(self, text: str, lang: str) -> set[tuple[str, str]]:
        context = Context(lang=lang, area="hall")
        acts: set[tuple[str, str]] = set()
        for program in self._reading.read_text(text, lang)[:1]:
            for clause in program.clauses:
                found = self._resolver.resolve_clause(clause, context)
                decision = self._gate.decide(clause, found, program.confidence, 1.0, context)
                if decision.verdict == "act" and isinstance(clause, Order) and clause.action is not None:
                    acts |= {(clause.action, entity) for entity in decision.entities}
        return acts


@cache
def door() -> Door:
    return Door()


Change = tuple[str, int, int]


def jumbled(sentence: tuple[str, list[str]], changes: list[Change]) -> tuple[str, str]:
    """A sentence with words left out, put in, doubled or moved; and its language."""
    lang, words = sentence[0], list(sentence[1])
    for how, place, other in changes:
        at = place % (len(words) + 1)
        if how == "in":
            words.insert(at, WORDS[lang][other % len(WORDS[lang])])
        elif how == "out":
            words = words[:at] + words[at + 1 :]
        elif how == "again":
            words = words[:at] + words[max(0, at - 1) :]
        else:
            words = words[at:] + words[:at]
    return (" " if lang == "en" else "").join(words), lang


CHANGES = st.lists(
    st.tuples(st.sampled_from(["in", "out", "again", "around"]), st.integers(0, 9), st.integers(0, 99)), max_size=3
)


@seed(7)
@settings(max_examples=150, deadline=None, database=None)
@given(st.sampled_from(SENTENCES), CHANGES)
def test_jumbled_words_let_nobody_in(sentence: tuple[str, list[str]], changes: list[Change]) -> None:
    done = door().done(*jumbled(sentence, changes))
    assert not {(action, entity) for action, entity in done if entity in LETS_IN and action not in HARMLESS}


@seed(7)
@settings(max_examples=60, deadline=None, database=None)
@given(st.sampled_from(["en", "zh"]), st.integers(0, 5), st.integers(0, 4), st.integers(0, 2))
def test_what_nobody_has_moves_nothing_else(lang: str, thing: int, verb: int, cut: int) -> None:
    text = VERBS[lang][verb].format(NOBODYS[lang][thing])
    assert not door().done(text[: len(text) - cut], lang)


def test_the_words_do_something() -> None:
    assert door().done("turn off the hall light", "en") == {("turn_off", "hall_light")}
    assert door().done("锁上大门", "zh") == {("lock", "front_door_lock")}
    assert door().done("unlock the front door", "en") == set()
