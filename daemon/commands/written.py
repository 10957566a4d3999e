"""How a home file is written: ids that can be typed, names on one line, strings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from daemon.system.nodes import CONTROL


def slug(name: str) -> str:
    """An id that can be typed: the name's own letters, where they are plain."""
    typed = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name.lower())
    return typed.strip("_")[:40] or "device"


def free(wanted: str, own: str, ids: set[str], numbers: Counter[str]) -> str:
    """An id that nothing else has: that of something else would take its place."""
    while True:
        numbers[wanted] += 1
        found = wanted if numbers[wanted] == 1 else f"{wanted}_{numbers[wanted]}"
        if found == own or found not in ids:
            ids.add(found)
            return found


def plain(text: str, most: int) -> str:
    """The text without what a home file refuses, on one line."""
    shown = "".join(letter if letter.isprintable() else " " for letter in CONTROL.sub("", text))
    return " ".join(shown.split())[:most].strip()


def size(lines: Iterable[str]) -> int:
    """Bytes that these lines take."""
    return sum(len(line.encode()) + 1 for line in lines)


def as_string(text: str) -> str:
    """A YAML string: JSON's are."""
    return json.dumps(text, ensure_ascii=False)
