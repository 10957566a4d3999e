"""What frozen values have in common, whether they are dataclasses or structs (`msgspec.Struct`); others' JSON.

What crosses stages is a frozen struct: made in a quarter of the time of a dataclass, and changed in a thirtieth of it.
It is a dataclass where a field counts in no comparison or hash, or is an array.
"""

from __future__ import annotations

import dataclasses
import json
import re
import threading
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from msgspec import Struct, structs

T = TypeVar("T")
_CONVERTING: Final = threading.Lock()

if TYPE_CHECKING:
    # The type checker knows the fields of a value by this name alone, those of structs as well.
    from dataclasses import replace  # noqa: TID251 - it is this one
else:

    def replace(value: Any, /, **changes: Any) -> Any:
        """The value with other fields; what `copy.replace` of Python 3.13 does."""
        if isinstance(value, Struct):
            return structs.replace(value, **changes)
        return dataclasses.replace(value, **changes)  # noqa: TID251 - here it is known to be none


__all__ = ["converted", "replace", "to_dict"]


def converted(data: object, wanted: type[T]) -> T:
    """Plain data as a value of a type. Any thread may ask.

    Raises:
        msgspec.ValidationError: it is no such value.
    """
    # What a type is made of is found out with its first value; a second thread that needs it meanwhile crashes.
    with _CONVERTING:
        return msgspec.convert(data, wanted)


def to_dict(value: object) -> Any:
    """A JSON-ready mirror of a value; fields at their defaults are left out, so that it reads short."""
    if isinstance(value, tuple):
        return [to_dict(item) for item in value]
    kind: type = value.__class__
    defaults = _defaults(kind)
    if defaults is None:
        return value
    told = {name: to_dict(got) for name, default in defaults if (got := getattr(value, name)) != default}
    config = kind.__struct_config__ if issubclass(kind, Struct) else None
    return told if config is None or config.tag is None else {config.tag_field: config.tag} | told


@cache
def _defaults(kind: type) -> tuple[tuple[str, object], ...] | None:
    """The fields of such values with their defaults; None where they are no values with fields."""
    if issubclass(kind, Struct):
        return tuple((item.name, item.default) for item in structs.fields(kind))
    if dataclasses.is_dataclass(kind):
        return tuple((item.name, item.default) for item in dataclasses.fields(kind))
    return None


_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")


def whole(text: str) -> str:
    """The text with a sign for what cannot be read in place of each half."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def loads(text: str) -> Any:
    """A text as JSON.

    Raises:
        ValueError: it is none.
        RecursionError: it is nested too deep.
    """
    return healed(json.loads(text), text)


def healed(found: Any, text: str) -> Any:
    """What was read in a text of JSON."""
    return json.loads(whole(json.dumps(found, ensure_ascii=False))) if _HALF.search(text) else found
