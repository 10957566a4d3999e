"""Text as it was heard or typed -> one plain form: lower case, half width, simplified script, single spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from daemon.core.ir import AboutList, Broadcast, Clause, Fix, Lang, Order, Program, Timer
from daemon.core.values import replace
from daemon.system.languages import MAIN, in_digits, shortened, telling, testing, written_in_han

MAX_LENGTH = 600
"""Characters of normalized text that the grammar still reads. No command is longer."""

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_HAN_PER_WORD = 1.5
"""So many Chinese characters say as much as an English word."""
_LATIN_WORD = re.compile(r"[a-z]+")
_CLIPPED = re.compile(r"(?<=[a-z]in)['’‘ʼ`](?![a-z])", re.IGNORECASE)
"""What is left off in writing as it is in speech: "goin'"."""
_APOSTROPHES = re.compile(r"(?<=\w)['’‘ʼ`](?=\w)")
_PUNCTUATION = re.compile(r"(?<!\d)[.:](?!\d)|(?<=\d)[.:](?!\d)|(?<!\d)[.:](?=\d)|[,;!?、。，；！？：…]+")
_ASKED = re.compile("([^,;!?。，；！？…]+)[?？]")
_MINUS = re.compile(r"(?<![a-z\d%])[-−–](?=\d)")
_HALF_DAY = re.compile(r"(?<![a-z])([ap])\. ?m\b\.?")
_CHANGING = r"(?![<>≤≥≠±√] ?\d|(?:(?<=\d)|(?<=\d ))[‰‱])"
"""No sign that makes another number of the one beside it: who reads "≤ 40" as "40" has not understood it."""
_NOT_TEXT = re.compile(rf"{_CHANGING}[^\w%°.:,\-&+]|_")
_LONE_SIGN = re.compile(r"(?<!\d)[.:]|[.:](?!\d)|\+(?!\d)|-(?!\d)|(?<=[a-z\d%])-")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_COMMAS = re.compile(r"[ ,]*,[ ,]*")
_PLAIN = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*")
_PLAIN_HAN = re.compile(r"[\u4e00-\u9fff]+")
_SPACES = re.compile(r"\s+")
_BETWEEN_HAN = re.compile(f"(?<=[{_HAN}]) | (?=[{_HAN}])")
_PAUSE = re.compile(f"(?<=[{_HAN}]) +(?=[{_HAN}])")
_COMMA_HAN = re.compile(f"(?<=[{_HAN}]), |, (?=[{_HAN}])")


class Normalized(Struct, frozen=True):
    """An utterance in its plain form; `original` is what came in."""

    text: str
    lang: Lang
    original: str


def normalize(text: str, lang: Lang | None = None) -> Normalized:
    """The plain form of any text. Idempotent: normalizing the result's text changes nothing.

    Fillers and number words stay: they may be part of a name, which only the grammar's spotting can know.
    The script decides the language, and `lang` only where the script leaves it open.
    """
    plain = plain_text(_in_full(_CLIPPED.sub("g", text)))
    return Normalized(plain, _language(plain, lang), text)


def _in_full(text: str) -> str:
    """The text with the verbs that only an apostrophe stands for: "if the lamp's on"."""
    if not _APOSTROPHES.search(text):
        return text
    low = text.lower()
    for short, verb in telling():
        low = short.sub(verb, low)
    if (tested := testing().search(low)) is None:
        return low
    rest = low[tested.end() :]
    for short, verb in shortened():
        rest = short.sub(verb, rest)
    return low[: tested.end()] + rest


def paused(said: Normalized) -> Normalized | None:
    """The text with a comma where a space stands between Chinese words, as ears write a pause; None where none does."""
    text = _PAUSE.sub(",", said.original)
    return replace(said, text=plain_text(text), original=text) if text != said.original else None


def asked(said: Normalized, endings: Mapping[str, str], asking: Iterable[str], *, within: bool = False) -> Normalized:
    """The text in the words of a question, where a question mark alone says that it is one (门锁了): no word does.

    With `within`, in the midst of it as well: "the lamp is off? put it on again".
    """
    text, asking, pieces = said.text, tuple(asking), _ASKED.findall(said.original)
    whole = said.original.rstrip().endswith(("?", "？"))
    for piece in pieces if within else pieces[-1:] * whole:
        plain = plain_text(piece)
        if not plain or plain not in text or any(word in plain for word in asking):
            continue
        ending = next((ending for ending in endings if plain.endswith(ending)), "")
        text = text.replace(plain, plain.removesuffix(ending) + endings.get(ending, ""), 1)
    return replace(said, text=text)


def rejoined(said: Normalized, words: Callable[[str], Mapping[str, str]]) -> Normalized:
    """The text with each verb and its object (`PARTED`) together where a length of time parts them: 浇十分钟水."""
    units = words("PARTING")
    for whole, verb in words("PARTED").items():
        if verb in said.text and any(unit in said.text for unit in units):
            thing, length = whole.removeprefix(verb), f"([^,{verb}]{{1,5}}(?:{'|'.join(units)}))"
            apart = re.compile(f"{verb}(?:{length}{thing}|{thing}{verb}{length})")
            said = replace(said, text=apart.sub(lambda found: f"{whole}{found[1] or found[2]}", said.text))  # noqa: B023
    return said


def untagged(text: str, tags: Mapping[str, str], *, marked: bool) -> tuple[str, bool]:
    """A normalized text without the tag at its end, and whether it asks: "its locked, isnt it".

    Args:
        text: Normalized.
        tags: Each with `heard`, where it needs no question mark.
        marked: Whether there is one.
    """
    for tag, sort in tags.items():
        rest = text.removesuffix(f" {tag}")
        if rest != text and (marked or sort == "heard"):
            return rest.rstrip(" ,"), True
    return text, marked


def in_question(text: str, joints: Iterable[str], turned: Mapping[str, str], led_by: str = "") -> Iterator[str]:
    """What tells how something is, in the words of a question: "x is y" -> "is x y", as `turned` says; or back.

    What begins as the expression `led_by` says is left out.
    """
    for joint in joints:
        text = text.removeprefix(f"{joint} ")
    for told, asks in turned.items():
        said = "".join(_FILLED.get(part, re.escape(part)) for part in _PLACES.split(told))
        if (found := re.compile(led_by + said).fullmatch(text)) is not None:
            yield "".join(found.groupdict().get(part, part) for part in _PLACES.split(asks))


_PLACES = re.compile("(?<![a-z])(xs|x|y)(?![a-z])")
_FILLED = {"x": "(?P<x>.+?)", "xs": "(?P<x>.+?)s", "y": "(?P<y>.+)"}
"""What stands for words in `TURNED`; of "the lamps not on" (the lamp's) the last letter is a verb."""


@lru_cache(maxsize=1024)
def plain_text(text: str) -> str:
    """As `normalize`, the text alone. Names of the home go through the same, so that both can be compared."""
    if _PLAIN.fullmatch(text):
        return text
    if _PLAIN_HAN.fullmatch(text):
        return text.translate(_simplified())
    text = unicodedata.normalize("NFKC", text).lower()
    text = in_digits(unicodedata.normalize("NFKC", text.translate(_simplified())))
    text = _APOSTROPHES.sub("", text)
    text = _HALF_DAY.sub(r"\1m", _MINUS.sub("-", text))
    text = _THOUSANDS.sub("", text)
    text = _PUNCTUATION.sub(", ", text)
    text = _LONE_SIGN.sub(" ", _NOT_TEXT.sub(" ", text))
    text = _COMMAS.sub(", ", _SPACES.sub(" ", text))
    text = _SPACES.sub(" ", _COMMA_HAN.sub(",", _BETWEEN_HAN.sub("", text)))
    return text.strip(" ,")


def _language(text: str, lang: Lang | None) -> Lang:
    han = written_in_han()
    latin_language: Lang = lang if lang is not None and lang not in han else MAIN
    han_language: Lang = lang if lang in han else han[0] if han else MAIN
    if text.isascii() and _LATIN_WORD.search(text):
        return latin_language
    if _HAN_CHARACTER.match(text):
        return han_language  # 打开 desk lamp: the verb comes first and decides
    characters = len(_HAN_CHARACTER.findall(text))
    latin = len(_LATIN_WORD.findall(text))
    weight = characters - _HAN_PER_WORD * latin
    if weight:
        return han_language if weight > 0 else latin_language
    return lang or MAIN


@cache
def _simplified() -> dict[int, str]:
    """Traditional character -> simplified, from OpenCC's table; the first choice where it gives several."""
    table = {}
    found = find_spec("opencc")  # for its table alone: importing it would load its library as well
    assert found is not None
    assert found.origin is not None
    lines = (Path(found.origin).parent / "dictionary" / "TSCharacters.txt").read_text(encoding="utf-8")
    for line in lines.splitlines():
        traditional, _, choices = line.partition("\t")
        simplified = choices.split(" ")[0]
        if len(traditional) == 1 and simplified and simplified != traditional:
            table[ord(traditional)] = simplified
    # The table keeps these apart, as they are two words in classical text; in speech about a home they are one.
    return table | {
        ord("著"): "着",
        ord("妳"): "你",
        ord("它"): "它",
        ord("牠"): "它",
        ord("裏"): "里",
        ord("臺"): "台",
    }


_PIECE = re.compile(r"[A-Za-z0-9\u00c0-\u024f][^\s\u3400-\u9fff]*|[^\s]")
"""A word, or a single character of another script."""
_AROUND = " ,.!?;:，。！？；：\"“”‘’'《》「」"
_LONGEST = 24
"""Pieces of a title; a longer one stays plain."""


def as_said(program: Program, original: str) -> Program:
    """The program with its titles as they stand in what came in."""
    clauses = tuple(_clause(item, original) for item in program.clauses)
    return program if clauses == program.clauses else replace(program, clauses=clauses)


def _clause(clause: Clause, original: str) -> Clause:
    if isinstance(clause, Timer):
        return replace(clause, reminds=_found(clause.reminds, original)) if clause.reminds else clause
    if isinstance(clause, Broadcast):
        return replace(clause, message=_found(clause.message, original))
    if isinstance(clause, AboutList):
        name = clause.name if clause.name is None else _found(clause.name, original)
        return replace(clause, name=name, items=tuple(_found(item, original) for item in clause.items))
    parameter = clause.parameter
    if not isinstance(clause, Order | Fix) or parameter is None or parameter.attribute != "media":
        return clause
    if not isinstance(parameter.value, str):
        return clause
    return replace(clause, parameter=replace(parameter, value=_found(parameter.value, original)))


def _found(title: str, original: str) -> str:
    """The part of the original whose plain form is the title; the title itself where none is."""
    pieces = list(_PIECE.finditer(original))
    for first, piece in enumerate(pieces):
        begun = plain_text(piece.group())
        if not (begun and title.startswith(begun)):
            continue
        for last in pieces[first : first + _LONGEST]:
            part = original[piece.start() : last.end()]
            if plain_text(part) == title:
                return part.strip(_AROUND)
    return title


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Finds any of these words, the longest that fits; Latin ones as words of their own."""
    edged = (rf"(?<!\w){re.escape(word)}(?!\w)" if word.isascii() else word for word in sorted(words, key=len)[::-1])
    return re.compile("|".join(edged) or "(?!)")
