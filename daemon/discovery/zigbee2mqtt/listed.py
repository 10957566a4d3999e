"""Reads a long list in small steps, so that whatever else the process does gets its turn between two of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Item:
    """One object of a list."""

    content: Mapping[str, Any]
    digest: bytes
    """Of its text: who has seen it before need not look at it again."""


def items(payload: bytes) -> tuple[Item, ...] | None:
    """The objects of a JSON list, none of an empty payload; None where it is no list of objects.

    `json.loads` would hold the interpreter's lock for as long as all of it takes: too long for 10 MB.
    """
    try:
        return tuple(_items(payload.decode()))
    except (ValueError, RecursionError):
        return None


def _items(text: str) -> list[Item]:
    found: list[Item] = []
    if not text.strip():
        return found
    at = _after(text, _past(text, 0), "[")
    while text[at : at + 1] != "]":
        if found:
            at = _after(text, at, ",")
        content, end = _DECODER.raw_decode(text, at)
        if not isinstance(content, dict):
            raise ValueError("no object")  # noqa: TRY004 - no mistake of the caller
        found.append(Item(content, hashlib.blake2b(text[at:end].encode(), digest_size=16).digest()))
        at = _past(text, end)
    if _past(text, at + 1) != len(text):
        raise ValueError("more than a list")
    return found


def _past(text: str, at: int) -> int:
    """Where the white space ends that begins here."""
    found = _SPACE.match(text, at)
    return found.end() if found is not None else at


def _after(text: str, at: int, mark: str) -> int:
    if text[at : at + 1] != mark:
        raise ValueError(f"no {mark}")
    return _past(text, at + 1)
