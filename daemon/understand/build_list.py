"""List parts -> `AboutList`: what is put on a list that people keep, taken off it, or asked about."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from daemon.core.ir import AboutList
from daemon.understand.parts import Parts, Reading


def build_list(parts: Parts, reading: Reading) -> AboutList:
    """What the parts of a clause that is about a list say."""
    op: Any = parts.mark("list")
    word, named = parts.word("LISTNAME"), parts.part("Listed")
    name = reading.lexicon.value("LISTNAME", reading.text(word)) if word is not None else None
    if name is None and named is not None:
        said = reading.text(named)
        usual = reading.lexicon.classes["LISTNAME"].values if "LISTNAME" in reading.lexicon.classes else {}
        name = usual.get(said, said)
    said_of = (reading.text(node).strip() for node in parts.parts.get("Item", ()))
    items = tuple(dict.fromkeys(item for one in said_of for item in _apart(one, reading)))
    return AboutList(op, name or parts.mark("listed"), items, implicit=parts.has("implicit"))


def _apart(item: str, reading: Reading) -> list[str]:
    """What is bought, where several things stand side by side with no pause: "milk eggs" are two, "egg noodles" one."""
    known, words = reading.lexicon.words("GROCERY"), item.split()
    if len(words) < 2 or not known.keys() >= set(words):  # noqa: PLR2004 - one is one
        return [item]
    return words if all("several" in (known[one], known[other]) for one, other in pairwise(words)) else [item]
