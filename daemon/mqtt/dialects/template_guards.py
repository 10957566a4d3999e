"""The measure for what foreign templates make: nothing large, nothing that takes long."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from daemon.errors import TemplateError

MAX_WEIGHT: Final = 64 * 1024
"""Characters and elements of one value, with all that is in it."""
_MAX_BITS: Final = 256
_MAX_POWER: Final = 64
_MAX_WIDTH: Final = 100
_UNCOUNTED: Final = 4_096
"""How many elements something is taken to have that cannot be counted; what it comes from has been measured."""
_MAX_PATTERN: Final = 200
_MAX_WORK: Final = 2_000_000
"""Steps that a regular expression may take at worst."""
_OPERATORS: Final = frozenset({"+", "*", "**", "%"})
_PADS: Final = frozenset({"ljust", "rjust", "center", "zfill"})
_LARGE: Final = "needs too much"
_WIDE: Final = re.compile(r"\d{3,}|\*")


def measured(value: Any) -> Any:
    """The value itself.

    Raises:
        TemplateError: it is too large.
    """
    if isinstance(value, bool | float) or value is None:
        return value
    if isinstance(value, int):
        if value.bit_length() > _MAX_BITS:
            raise TemplateError(_LARGE)
        return value
    left = MAX_WEIGHT
    queue: list[Any] = [value]
    while queue:
        item = queue.pop()
        left -= 1
        if isinstance(item, str | bytes):
            left -= len(item)
        elif isinstance(item, Mapping):
            left -= len(item)
            queue += [*item.keys(), *item.values()] if left > 0 else ()
        elif isinstance(item, list | tuple | set | frozenset):
            left -= len(item)
            queue += item if left > 0 else ()
        if left < 0:
            raise TemplateError(_LARGE)
    return value


def guard_call(name: str, owner: Any, args: tuple[Any, ...]) -> None:
    """Looks at a method call or an operation before it is done.

    Args:
        name: Of the method, or the operator.
        owner: What it is called on, or the left side.
        args: What it is given, or the right side.

    Raises:
        TemplateError: its result could be too large.
    """
    first = args[0] if args else None
    if name in _OPERATORS:
        large = _grows(name, owner, first)
    elif name == "replace":
        large = len(owner) * len(str(args[1] if len(args) > 1 else "")) > MAX_WEIGHT * 4
    elif name == "join":
        large = isinstance(first, Iterable) and _size(first) * max(1, len(owner)) > MAX_WEIGHT
    elif name == "format":
        # No widths of thousands, no fields in fields, no attributes.
        large = bool(_WIDE.search(owner)) or "{" in re.sub(r"\{[^{}]*\}", "", owner) or "." in _fields(owner)
    elif name == "strftime":
        large = bool(_WIDE.search(str(first)))
    elif name in _PADS:
        large = not isinstance(first, int) or first > _MAX_WIDTH
    else:
        large = False
    if large:
        raise TemplateError(_LARGE)


def _grows(operator: str, left: Any, right: Any) -> bool:
    listed = (str, list, tuple)
    match operator:
        case "+":
            return isinstance(left, listed) and isinstance(right, listed) and len(left) + len(right) > MAX_WEIGHT
        case "*":
            pairs = ((left, right), (right, left))
            return any(isinstance(a, listed) and isinstance(b, int) and len(a) * b > MAX_WEIGHT for a, b in pairs)
        case "**":
            return not all(isinstance(item, int | float) and abs(item) <= _MAX_POWER for item in (left, right))
        case _:
            return isinstance(left, str) and bool(_WIDE.search(left))


def _fields(text: str) -> str:
    """The names in a format string: what is before the colons; a dot there reaches for attributes."""
    return "".join(part.partition(":")[0] for part in re.findall(r"\{([^{}]*)\}", text))


def _size(value: Iterable[Any]) -> int:
    return len(value) if isinstance(value, str | list | tuple | dict | set | frozenset) else _UNCOUNTED


def pattern(find: object, subject: str, *, ignorecase: bool = False) -> re.Pattern[str]:
    """A regular expression that this subject can't keep busy: nothing repeated within something repeated."""
    source = str(find)
    if len(source) > _MAX_PATTERN:
        raise TemplateError(_LARGE)
    repeats = len(re.findall(r"(?<!\\)(?:[*+]|\{\d*,?\d*\})|(?<!\\|\()\?", source))
    if re.search(r"\)\s*(?:[*+?]|\{)|\\[1-9]|\(\?(?!:|=|!|<=|<!|i\))", source):
        raise TemplateError(_LARGE)
    if (len(subject) + 1) ** min(repeats + 1, 8) > _MAX_WORK:
        raise TemplateError(_LARGE)
    return re.compile(source, re.IGNORECASE if ignorecase else 0)
