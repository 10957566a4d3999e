"""Numbers, truths and points in time, for foreign templates."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Any, Final, NoReturn

from jinja2 import Undefined

UNSET: Final = object()
"""Nothing was given."""


def fail(what: str, value: object) -> NoReturn:
    """Ends the rendering.

    Raises:
        ValueError: always.
    """
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
