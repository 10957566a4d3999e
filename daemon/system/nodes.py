"""YAML values that know where they stand, so that every complaint can name file, line and key. All YAML is read here.

Scalars are read as YAML 1.2 does: only `true` and `false` are booleans, so `on`, `off` and `no` stay words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NoReturn, TypeVar

import yaml
from msgspec import Struct, ValidationError
from rapidfuzz import fuzz, process

from daemon.core.errors import ConfigError
from daemon.core.values import converted

MAX_BYTES: Final = 1_000_000
LONGEST_TEXT: Final = 200
LONGEST_NAME: Final = 80
_MAX_DEPTH: Final = 24
_MAX_VALUES: Final = 200_000
"""Of all values, with repeated aliases counted each time: a few lines of YAML can stand for billions."""

_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,15}")
_NUMBER: Final = re.compile(r"[-+]?([0-9]{1,15}(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,2})?")
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_PLACE: Final = re.compile(r"\.(\w+)|\[([0-9]+|\.\.\.)\]")
_FIELD: Final = re.compile(r"unknown field `(.*)`")
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Scalar = str | float | bool | None
T = TypeVar("T")


class Value(Struct, frozen=True):
    """One value of a file, with its place."""

    data: Scalar | list[Value] | dict[str, Value]
    file: Path
    line: int
    """1-based."""
    key: str
    """Dotted path, such as `devices.hall_lamp.area`; empty for the whole file."""

    def fail(self, problem: str, remedy: str) -> NoReturn:
        """Raises the ConfigError that points here."""
        raise ConfigError(self.file, self.line, self.key, problem, remedy)

    def mapping(self, allowed: Iterable[str] | None = None) -> dict[str, Value]:
        """The entries of a mapping; with `allowed`, any other key is an error. An empty value is an empty mapping."""
        if self.data is None:
            return {}
        if not isinstance(self.data, dict):
            self.fail(f"this is {self._what()}", "write a mapping (key: value)")
        if allowed is not None:
            known = tuple(allowed)
            for key, value in self.data.items():
                if key not in known:
                    value.fail(f"unknown key {quoted(key)}", nearest(key, known))
        return self.data

    def sequence(self) -> list[Value]:
        """The items of a list; a single scalar stands for a list of one, an empty value for none."""
        if self.data is None:
            return []
        if isinstance(self.data, dict):
            self.fail(f"this is {self._what()}", "write a list ([a, b])")
        return self.data if isinstance(self.data, list) else [self]

    def text(self, maximum: int = LONGEST_TEXT) -> str:
        """A word or a sentence without control characters. Numbers count as text: a room may be called 12."""
        if isinstance(self.data, bool) or self.data is None or isinstance(self.data, list | dict):
            self.fail(f"this is {self._what()}", "write text, in quotes where YAML would read it otherwise")
        found = f"{self.data:g}" if isinstance(self.data, float) else self.data.strip()
        if not found:
            self.fail("this text is empty", "write something or leave the key out")
        if len(found) > maximum:
            self.fail(f"this text has {len(found)} characters", f"at most {maximum} are allowed")
        if CONTROL.search(found):
            self.fail("this text has control characters", "write it without them")
        return found

    def word(self, known: Iterable[str], what: str) -> str:
        """One of a closed set of words."""
        found = self.text()
        words = tuple(known)
        if found not in words:
            self.fail(f"unknown {what} {quoted(found)}", nearest(found, words))
        return found

    def number(self, minimum: float | None = None, maximum: float | None = None) -> float:
        """A number within bounds."""
        if not isinstance(self.data, float):
            self.fail(f"this is {self._what()}", "write a number")
        if (minimum is not None and self.data < minimum) or (maximum is not None and self.data > maximum):
            low = "any" if minimum is None else f"{minimum:g}"
            high = "any" if maximum is None else f"{maximum:g}"
            self.fail(f"{self.data:g} is out of range", f"write a number from {low} to {high}")
        return self.data

    def whole(self, minimum: int, maximum: int) -> int:
        """A whole number within bounds."""
        found = self.number(minimum, maximum)
        if found != int(found):
            self.fail(f"{found:g} is not a whole number", f"write a whole number from {minimum} to {maximum}")
        return int(found)

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.data, bool):
            self.fail(f"this is {self._what()}", "write true or false")
        return self.data

    def scalar(self) -> str | float | bool:
        """A number, a word, true or false."""
        return self.text() if isinstance(self.data, list | dict | str | None) else self.data

    def into(self, wanted: type[T], remedy: str = "see the head of the file") -> T:
        """The value as a type that msgspec converts to; what does not fit fails with its own line."""
        try:
            return converted(self.plain(), wanted)
        except ValidationError as error:
            problem, _, path = str(error).partition(" - at ")
            entry = "[...]" if path.startswith("`key`") else ""
            place = self._at(path.partition("$")[2] + entry, wanted)
            field = _FIELD.search(problem)
            if field is not None and isinstance(place.data, dict) and field[1] in place.data:
                place.data[field[1]].fail("is not known", remedy)
            place.fail(problem[:1].lower() + problem[1:], remedy)

    def plain(self, only: Mapping[int, str] = MappingProxyType({})) -> Any:
        """The value as plain data, without places; of a mapping whose id is in `only`, that entry alone."""
        if isinstance(self.data, dict):
            kept = only.get(id(self.data))
            return {key: value.plain(only) for key, value in self.data.items() if kept in (None, key)}
        if isinstance(self.data, list):
            return [value.plain(only) for value in self.data]
        whole = isinstance(self.data, float) and self.data.is_integer()
        return int(self.data) if whole and isinstance(self.data, float) else self.data

    def _at(self, path: str, wanted: Any) -> Value:
        """The value that a complaint of msgspec is about; it names no key of a mapping, so each is tried alone."""
        place, only = self, dict[int, str]()
        for name, index in _PLACE.findall(path):
            if isinstance(place.data, list):
                place = place.data[int(index)]
            elif isinstance(place.data, dict) and name:
                place = place.data[name]
            elif isinstance(place.data, dict):
                inside = id(place.data)
                wrong = next(key for key in place.data if not self._fits({**only, inside: key}, wanted))
                only[inside] = wrong
                place = place.data[wrong]
        return place

    def _fits(self, only: Mapping[int, str], wanted: Any) -> bool:
        try:
            converted(self.plain(only), wanted)
        except ValidationError:
            return False
        return True

    def _what(self) -> str:
        match self.data:
            case None:
                return "empty"
            case bool():
                return "true or false"
            case float():
                return "a number"
            case str():
                return "text"
            case list():
                return "a list"
            case dict():
                return "a mapping"


def read_yaml(path: Path) -> Value:
    """The one document of a YAML file.

    Raises:
        ConfigError: the file cannot be read, is no YAML, has a key twice, or is unreasonably large or deep.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        problem = f"cannot be read ({error.strerror or error})"
        raise ConfigError(path, None, "", problem, "give a file that exists and may be read") from None
    if len(raw) > MAX_BYTES:
        raise ConfigError(path, None, "", f"is larger than {MAX_BYTES} bytes", "keep it smaller")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(path, place, "", "is not UTF-8 text", "save the file as UTF-8") from None
    try:
        _bounded(text, path)
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else None
        raise ConfigError(path, line, "", f"is not YAML: {error.problem or error.context}", "correct it here") from None
    except (yaml.YAMLError, ValueError) as error:
        problem = str(error).splitlines()[0]
        raise ConfigError(path, None, "", f"is not YAML: {problem}", "correct the file") from None
    if root is None:
        raise ConfigError(path, 1, "", "is empty", "write key: value")
    return _Converter(path).convert(root, "", ())


def nearest(word: str, known: Iterable[str], limit: int = 8) -> str:
    """The remedy for an unknown word: what it may have meant, or what there is."""
    words = tuple(known)
    best = process.extractOne(word, words, scorer=fuzz.WRatio, score_cutoff=70)
    if best is not None:
        return f"did you mean {quoted(best[0])}?"
    if not words:
        return "nothing is known here"
    more = f" and {len(words) - limit} more" if len(words) > limit else ""
    return f"known are {', '.join(sorted(words)[:limit])}{more}"


def quoted(word: str) -> str:
    """Someone's word as a message may show it: short, on one line, without control characters."""
    shown = CONTROL.sub("?", word.replace("\n", " "))
    return f'"{shown[:60]}…"' if len(shown) > 60 else f'"{shown}"'  # noqa: PLR2004 - a line stays readable


def _bounded(text: str, path: Path) -> None:
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            line = event.start_mark.line + 1 if event.start_mark else None
            raise ConfigError(path, line, "", "is nested too deeply", f"nest at most {_MAX_DEPTH} levels")
        if count > _MAX_VALUES:
            raise ConfigError(path, None, "", "has too many values", f"keep it under {_MAX_VALUES}")


class _Converter:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = 0

    def convert(self, node: yaml.Node, key: str, above: tuple[int, ...]) -> Value:
        line = node.start_mark.line + 1
        self._count += 1
        if self._count > _MAX_VALUES:
            raise ConfigError(self._path, line, key, "stands for too many values", "use fewer aliases (*name)")
        if id(node) in above:
            raise ConfigError(self._path, line, key, "contains itself", "don't use an alias (*name) inside its anchor")
        inside = (*above, id(node))
        data: Scalar | list[Value] | dict[str, Value]
        if isinstance(node, yaml.MappingNode):
            data = dict(self._entries(node, key, inside))
        elif isinstance(node, yaml.SequenceNode):
            data = [self.convert(item, f"{key}[{index}]", inside) for index, item in enumerate(node.value)]
        else:
            data = self._scalar(node, line, key)
        return Value(data, self._path, line, key)

    def _entries(self, node: yaml.MappingNode, key: str, above: tuple[int, ...]) -> Iterator[tuple[str, Value]]:
        lines: dict[str, int] = {}
        for name_node, value_node in node.value:
            line = name_node.start_mark.line + 1
            if not isinstance(name_node, yaml.ScalarNode):
                raise ConfigError(self._path, line, key, "has a key that is no word", "write key: value")
            name = name_node.value
            shown = CONTROL.sub("?", name)[:60]
            path = f"{key}.{shown}" if key else shown
            if name == "<<":
                raise ConfigError(self._path, line, path, "merging is not supported", "write the keys out")
            if name in lines:
                problem = f"the key {quoted(name)} stands here twice, first in line {lines[name]}"
                raise ConfigError(self._path, line, path, problem, "remove one of them")
            lines[name] = line
            found = self.convert(value_node, path, above)
            # The key's own line is what a person looks for, also where its value starts on the next.
            yield name, Value(found.data, found.file, line, path)

    def _scalar(self, node: yaml.Node, line: int, key: str) -> Scalar:
        assert isinstance(node, yaml.ScalarNode)
        text: str = node.value
        if node.tag.startswith("!") or node.tag.startswith("tag:yaml.org,2002:python"):
            raise ConfigError(self._path, line, key, f"has a tag {quoted(node.tag)}", "write the value without a tag")
        if node.style in ("'", '"', "|", ">"):
            return text
        if text in _NULLS:
            return None
        if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
            return text.lower() == "true"
        if _INTEGER.fullmatch(text) and len(text.lstrip("+-")) > 1 and text.lstrip("+-").startswith("0"):
            return text
        return float(text) if _NUMBER.fullmatch(text) else text
