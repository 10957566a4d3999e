"""A reply in sentences, so that the first is heard while the next is still being made."""

from __future__ import annotations

import re
from typing import Final

_BETWEEN: Final = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；])\s*")
"""Behind the end of one; "20.5" has none."""


def sentences(text: str) -> list[str]:
    """Its sentences in order; at least one, where there is any text."""
    return [item for item in _BETWEEN.split(text) if any(letter.isalnum() for letter in item)] or [text]
