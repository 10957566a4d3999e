"""Points in time, for foreign templates."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from daemon.mqtt.dialects.template_values import UNSET, fail, is_number


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
