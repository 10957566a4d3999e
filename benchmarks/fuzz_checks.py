"""What must hold of every result, whatever was said: looked at from outside, in the object that is given away."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, get_args

from benchmarks.utterances import PHRASES, ROOT
from daemon.core.entities import Entity
from daemon.core.errors import IRError
from daemon.core.ir import Lang, validate
from daemon.core.result import ResultOutcome
from daemon.system.languages import LANGS
from daemon.understand.lexicon import Lexicon
from daemon.understand.normalize import plain_text
from daemon.understand.numbers import Numbers
from daemon.understand.tidy import Tidy

Fault = Literal["exception", "risk", "slow", "mention", "reply", "json"]
FAULTS: Final[dict[Fault, str]] = {
    "exception": "exceptions",
    "risk": "risky acts without a yes",
    "slow": "over 1 s of processor",
    "mention": "mentions that were not said",
    "reply": "replies that are no sentence",
    "json": "results that are no result",
}
SLOW_S: Final = 1.0
_OUTCOMES: Final = get_args(ResultOutcome)
_NO_WORDS: Final = re.compile(
    r"\b(?:None(?!\.| of them)|nan|inf|True|False)\b| [.,。，]|(?<!\.)\.\.(?!\.)|。。|\(\)|\[\]|  "
)
"""What comes out where something was put into a sentence that is no word."""


_MANY: Final = re.compile(r"\d(?:devices|more|个)")
_APART: Final = re.compile(r"[\s,.]+")
_NO_LETTERS: Final = re.compile("[\\W\\d_零〇一二两三四五六七八九十百千半]+")


def is_yes(text: str) -> bool:
    """Whether this is one of the sentences that say yes, and nothing else, or one of them joined to another command."""
    said = _bare(text)
    joined = _yes_and().fullmatch(said)
    leads = [_bare(word) for words in PHRASES["leads"].values() for word in words]
    return _yes().fullmatch(said) is not None or (joined is not None and joined["yes"] not in leads)


def asks_about(question: str, device: Entity) -> bool:
    """Whether a question is about a device, by its name or, of many, by their number."""
    asked = _bare(question)
    return any(_bare(name) in asked for name in device.names) or _MANY.search(asked) is not None


def faults(said: str, before: Sequence[str], result: dict[str, Any], names: Names) -> Iterator[tuple[Fault, str]]:
    """What is wrong with a result.

    Args:
        said: The utterance, with what may have been said instead.
        before: What was said in this conversation before, and how it was understood: an answer makes up a whole
            sentence of it.
        result: What became of it.
        names: Those of the home.
    """
    try:
        json.dumps(result, allow_nan=False)
        if result["ir"] is not None:
            validate(result["ir"])
    except (ValueError, TypeError, IRError) as error:
        yield "json", f"{type(error).__name__}: {error}"
    if result["outcome"] not in _OUTCOMES or result["lang"] not in LANGS:
        yield "json", f"{result['outcome']} in {result['lang']}"
    for why in _wrong_in(result):
        if why.strip().casefold() not in "".join((said, *before, names.text)).casefold():
            yield "reply", f"{why!r}: {result['reply'][:200]!r}"
    if mentions := [item for item in _mentions(result["ir"]) if plain_text(item) not in names.plain]:
        told = [said, *(tidy(plain_text(said)) for tidy in _tidies())]  # 哪盏灯 is 哪个灯
        heard = [_letters("".join((result["ir"]["text"], text, *before, text, *before))) for text in told]
        unsaid = (item for item in mentions if not any(_within(_letters(item), text) for text in heard))
        yield from (("mention", repr(item)) for item in unsaid)


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a home, for what is only repeated of them."""

    text: str
    plain: frozenset[str]

    @classmethod
    def of(cls, listed: Iterable[str]) -> Names:
        """Of names as they are written."""
        listed = list(listed)
        return cls("\n".join(listed), frozenset(map(plain_text, listed)))


def _wrong_in(result: dict[str, Any]) -> Iterator[str]:
    """What makes a reply no sentence."""
    reply = result["reply"]
    if not reply.strip():
        if result["outcome"] != "ignore":
            yield "(empty)"
        return
    yield from _placeholders().findall(reply)
    yield from _NO_WORDS.findall(reply)


def _mentions(program: Any) -> Iterator[str]:
    """Every name of a thing in a program."""
    if isinstance(program, dict):
        for key, value in program.items():
            if key == "mention" and isinstance(value, str):
                yield value
            else:
                yield from _mentions(value)
    elif isinstance(program, list):
        for item in program:
            yield from _mentions(item)


@cache
def _yes() -> re.Pattern[str]:
    one, around = (_any(PHRASES[name]) for name in ("yes", "around_yes"))
    return re.compile(f"(?:{around})*(?:{one})+(?:{around})*")


@cache
def _yes_and() -> re.Pattern[str]:
    return re.compile(f"(?P<yes>{_yes().pattern})(?:{_any(PHRASES['joined'])}).+")


def _any(phrases: Mapping[Lang, Sequence[str]]) -> str:
    return "|".join(re.escape(_bare(text)) for texts in phrases.values() for text in texts)


@cache
def _tidies() -> tuple[Tidy, ...]:
    lexicon = Lexicon.load(ROOT / "rules")
    return tuple(Tidy(lexicon, lang, Numbers(lexicon.numbers)) for lang in lexicon.fillers)


@cache
def _placeholders() -> re.Pattern[str]:
    """The gaps of the reply tables, as they look where nothing was put into them."""
    text = "".join((ROOT / "rules" / lang / "replies.yaml").read_text(encoding="utf-8") for lang in LANGS)
    return re.compile("|".join(map(re.escape, sorted(set(re.findall(r"\{[a-z_]+\}", text))))))


def _within(mention: str, heard: str) -> bool:
    """Whether the one is what is left of the other where some of it is passed over, such as fillers."""
    rest = iter(heard)
    return all(character in rest for character in mention)


def _letters(text: str) -> str:
    """A text without what sets its words apart, and without its numbers, which may be written otherwise."""
    return _NO_LETTERS.sub("", plain_text(text))


def _bare(text: str) -> str:
    """A text without what sets its words apart."""
    return _APART.sub("", plain_text(text))
