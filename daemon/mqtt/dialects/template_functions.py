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
from typing import Any, Final, NoReturn

from jinja2 import Undefined
from jinja2.filters import FILTERS as _JINJA_FILTERS
from jinja2.tests import TESTS as _JINJA_TESTS

UNSET: Final = object()
"""Nothing was given."""


def fail(what: str, value: object) -> NoReturn:
    """Ends the rendering."""
    raise ValueError(f"{str(value)[:20]!r} is no {what}")


def number(value: object, default: object = UNSET) -> Any:
    """A number; the default, or an error where there is none, for anything else."""
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return fail("number", value) if default is UNSET else default
    return found if math.isfinite(found) or default is UNSET else default


def integer(value: object, default: object = UNSET, base: int = 10) -> Any:
    """A whole number, cut off; the default, or an error where there is none, for anything else."""
    try:
        return int(value, base) if isinstance(value, str) and base != 10 else int(float(value))  # type: ignore[arg-type]  # noqa: PLR2004
    except (TypeError, ValueError, OverflowError):
        return fail("number", value) if default is UNSET else default


def boolean(value: object, default: object = UNSET) -> Any:
    """A truth, from the words that Home Assistant takes for one."""
    word = str(value).strip().lower()
    if word in ("1", "true", "yes", "on", "enable"):
        return True
    if word in ("0", "false", "no", "off", "disable"):
        return False
    return fail("truth", value) if default is UNSET else default


def rounded(value: object, precision: Any = 0, method: str = "common", default: object = UNSET) -> Any:
    """A number rounded as Home Assistant does it; whole where no digits are kept."""
    if not isinstance(precision, int) or not -15 <= precision <= 15:  # noqa: PLR2004 - digits of a float
        fail("number of digits", precision)
    found = number(value, default)
    if found is default:
        return default
    scale = 10**precision
    match method:
        case "ceil":
            found = math.ceil(found * scale) / scale
        case "floor":
            found = math.floor(found * scale) / scale
        case "half":
            found = round(found * 2) / 2
        case _:
            found = round(found, precision)
    return int(found) if precision == 0 else found


def default_of(value: Any, default_value: Any = "", boolean: bool = False) -> Any:  # noqa: FBT001, FBT002 - as in Jinja
    """As in Jinja."""
    return default_value if isinstance(value, Undefined) or (boolean and not value) else value


def iif(value: Any, if_true: Any = True, if_false: Any = False, if_none: Any = UNSET) -> Any:  # noqa: FBT002
    """One of two values, or of three."""
    if value is None and if_none is not UNSET:
        return if_none
    return if_true if value else if_false


def is_number(value: object) -> bool:
    """Whether it is a finite number, or reads as one."""
    try:
        return math.isfinite(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False


def moment(value: object, default: object = UNSET) -> Any:
    """A point in time, from a timestamp or ISO 8601."""
    try:
        if isinstance(value, datetime):
            return value
        if is_number(value):
            return datetime.fromtimestamp(float(value), UTC)  # type: ignore[arg-type]
        found = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        return fail("time", value) if default is UNSET else default
    return found if found.tzinfo is not None else found.astimezone()


def timestamp(value: object, default: object = UNSET) -> Any:
    """Seconds since 1970."""
    found = moment(value, default)
    return found.timestamp() if isinstance(found, datetime) else found


def time_text(
    value: object,
    format_string: str = "%Y-%m-%d %H:%M:%S",
    local: bool = True,  # noqa: FBT001, FBT002 - as Home Assistant has it
    default: object = UNSET,
) -> Any:
    """A point in time in a format of one's own."""
    found = moment(value, default)
    if not isinstance(found, datetime):
        return found
    return (found.astimezone() if local else found).strftime(format_string)


def iso(value: object, *, local: bool) -> str:
    """A point in time as ISO 8601."""
    found: datetime = moment(value)
    return (found.astimezone() if local else found.astimezone(UTC)).isoformat()


def strptime(value: object, format_string: str, default: object = UNSET) -> Any:
    """A point in time, from text in this format."""
    try:
        return datetime.strptime(str(value), format_string)  # noqa: DTZ007 - as Home Assistant has it
    except (ValueError, re.error):
        return fail("time", value) if default is UNSET else default


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


_BOTH: Final[Mapping[str, Callable[..., Any]]] = {
    "max": _of(max),
    "min": _of(min),
    "average": _of(statistics.fmean),
    "median": _of(statistics.median),
    "sqrt": lambda value, default=UNSET: math.sqrt(number(value, default)),
    "log": lambda value, base=math.e: math.log(number(value), number(base)),
    "sin": lambda value: math.sin(number(value)),
    "cos": lambda value: math.cos(number(value)),
    "tan": lambda value: math.tan(number(value)),
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
    *("abs", "capitalize", "count", "dictsort", "escape", "e", "first", "items", "last", "length", "list"),
    *("lower", "map", "reject", "rejectattr", "reverse", "safe", "select", "selectattr", "sort", "string", "sum"),
    *("title", "trim", "unique", "upper", "wordcount"),
)
FILTERS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        **{name: _JINJA_FILTERS[name] for name in _PLAIN},
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
TESTS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        **{name: _JINJA_TESTS[name] for name in _JINJA_TESTS.keys() - {"filter", "test", "escaped"}},
        "match": _regex_match,
        "search": _regex_search,
        "is_number": is_number,
        "contains": lambda value, item: item in value,
    }
)
