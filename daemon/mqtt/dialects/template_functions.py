"""What a foreign template may use: filters, functions, tests and methods.

The names are Jinja's and Home Assistant's ("Templating"), those that firmware has in its discovery payloads. All are
pure but for `now` and `utcnow`.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import statistics
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from jinja2 import Undefined
from jinja2.filters import FILTERS as _JINJA_FILTERS
from jinja2.tests import TESTS as _JINJA_TESTS

from daemon.mqtt.dialects.template_values import (
    UNSET,
    boolean,
    default_of,
    fail,
    iif,
    integer,
    is_number,
    iso,
    moment,
    number,
    rounded,
    strptime,
    time_text,
    timestamp,
)

_TEXT: Final = frozenset(
    {"lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "startswith", "endswith", "find"}
    | {"rfind", "index", "count", "title", "capitalize", "isdigit", "isnumeric", "isdecimal", "isalpha", "replace"}
    | {"join", "format", "zfill", "ljust", "rjust", "center", "removeprefix", "removesuffix", "partition"}
)
METHODS: Final[Mapping[type, frozenset[str]]] = MappingProxyType(
    {
        str: _TEXT,
        dict: frozenset({"get", "items", "keys", "values"}),
        list: frozenset({"index", "count"}),
        tuple: frozenset({"index", "count"}),
        float: frozenset({"is_integer"}),
        datetime: frozenset(
            {"timestamp", "isoformat", "strftime", "year", "month", "day", "hour", "minute", "second", "weekday"}
        ),
    }
)
"""Type -> what may be looked up on it."""


def _from_json(value: str, default: object = UNSET) -> Any:
    try:
        return json.loads(value)
    except (TypeError, ValueError, RecursionError):
        return fail("JSON", value) if default is UNSET else default


def _to_json(value: object, *_: object, **__: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _decoded(value: str, encoding: str | None = "utf-8") -> Any:
    try:
        raw = base64.b64decode(value, validate=False)
    except (TypeError, binascii.Error):
        return fail("base64", value)
    return raw.decode("utf-8", "replace") if encoding else raw


def _replace(value: object, old: object, new: object, count: int | None = None) -> str:
    return str(value).replace(str(old), str(new), -1 if count is None else count)


def _join(value: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
    items = list(value)
    if attribute is not None:
        items = [item.get(attribute, "") if isinstance(item, dict) else "" for item in items]
    return str(d).join(str(item) for item in items)


def _format(value: object, *args: Any) -> str:
    return str(value) % tuple(args)


def _pattern(find: object, *, ignorecase: bool) -> re.Pattern[str]:
    return re.compile(str(find), re.IGNORECASE if ignorecase else 0)


def _regex_match(value: object, find: str = "", ignorecase: bool = False) -> bool:  # noqa: FBT001, FBT002
    return _pattern(find, ignorecase=ignorecase).match(str(value)) is not None


def _regex_search(value: object, find: str = "", ignorecase: bool = False) -> bool:  # noqa: FBT001, FBT002
    return _pattern(find, ignorecase=ignorecase).search(str(value)) is not None


def _regex_replace(value: object = "", find: str = "", replace: str = "", ignorecase: bool = False) -> str:  # noqa: FBT001, FBT002
    return _pattern(find, ignorecase=ignorecase).sub(str(replace), str(value))


def _regex_findall(value: object, find: str = "", ignorecase: bool = False) -> list[Any]:  # noqa: FBT001, FBT002
    return _pattern(find, ignorecase=ignorecase).findall(str(value))


def _regex_index(value: object, find: str = "", index: int = 0, ignorecase: bool = False) -> Any:  # noqa: FBT001, FBT002
    return _regex_findall(value, find, ignorecase)[index]


def _of(function: Callable[[Any], float]) -> Callable[..., Any]:
    """A function of one or more numbers as Home Assistant has it: max(1, 2) and [1, 2] | max."""

    def apply(*args: Any) -> Any:
        items = args[0] if len(args) == 1 and not isinstance(args[0], str | int | float) else args
        return function([number(item) if isinstance(item, str) else item for item in items])

    return apply


def _slug(value: object, separator: str = "_") -> str:
    return re.sub(r"\W+", lambda _: separator, str(value).lower()).strip(separator)


_MATHS: Final[Mapping[str, Callable[..., Any]]] = {
    "max": _of(max),
    "min": _of(min),
    "average": _of(statistics.fmean),
    "median": _of(statistics.median),
    "sqrt": lambda value, default=UNSET: math.sqrt(number(value, default)),
    "log": lambda value, base=math.e: math.log(number(value), number(base)),
    "sin": lambda value: math.sin(number(value)),
    "cos": lambda value: math.cos(number(value)),
    "tan": lambda value: math.tan(number(value)),
}
_BOTH: Final[Mapping[str, Callable[..., Any]]] = {
    **_MATHS,
    "float": number,
    "int": integer,
    "bool": boolean,
    "iif": iif,
    "is_number": is_number,
    "as_timestamp": timestamp,
    "as_datetime": moment,
    "strptime": strptime,
    "slugify": _slug,
}
"""Filters that are functions as well."""

GLOBALS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        **_BOTH,
        "range": lambda *args: list(range(*args)),
        "now": lambda: datetime.now().astimezone(),
        "utcnow": lambda: datetime.now(UTC),
    }
)
_PLAIN: Final = (
    *("abs", "attr", "capitalize", "count", "dictsort", "escape", "e", "first", "items", "last", "length", "list"),
    *("lower", "map", "reject", "rejectattr", "reverse", "safe", "select", "selectattr", "sort", "string", "sum"),
    *("title", "trim", "unique", "upper", "wordcount"),
)
FILTERS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        **{name: _JINJA_FILTERS[name] for name in _PLAIN if name != "attr"},
        **_BOTH,
        "default": default_of,
        "d": default_of,
        "round": rounded,
        "is_defined": lambda value: fail("value", "") if isinstance(value, Undefined) else value,
        "from_json": _from_json,
        "to_json": _to_json,
        "tojson": _to_json,
        "base64_decode": _decoded,
        "replace": _replace,
        "join": _join,
        "format": _format,
        "timestamp_custom": time_text,
        "timestamp_local": lambda value: iso(value, local=True),
        "timestamp_utc": lambda value: iso(value, local=False),
        "regex_match": _regex_match,
        "regex_search": _regex_search,
        "regex_replace": _regex_replace,
        "regex_findall": _regex_findall,
        "regex_findall_index": _regex_index,
        "add": lambda value, amount, default=UNSET: number(value, default) + number(amount),
        "multiply": lambda value, amount, default=UNSET: number(value, default) * number(amount),
        "bitwise_and": lambda one, other: int(one) & int(other),
        "bitwise_or": lambda one, other: int(one) | int(other),
        "bitwise_xor": lambda one, other: int(one) ^ int(other),
        "ord": ord,
        "contains": lambda value, item: item in value,
    }
)
_JINJAS: Final[Mapping[str, Any]] = _JINJA_TESTS
TESTS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        **{name: _JINJAS[name] for name in _JINJAS.keys() - {"filter", "test", "escaped"}},
        "match": _regex_match,
        "search": _regex_search,
        "is_number": is_number,
        "contains": lambda value, item: item in value,
    }
)
