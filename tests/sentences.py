"""Whether a reply is whole sentences, by its letters alone."""

import re

ENDS = ".!?…。！？"


def faults(text: str) -> list[str]:
    """What is wrong with a reply."""
    found = {
        "a place is left": re.search(r"[{}]", text),
        "a value is missing": re.search(r"\b(None(?! of them)|nan|True|False)\b", text),
        "two spaces": re.search(r"\s\s|^\s|\s$", text),
        "nothing before a mark": re.search(r"\s[.,;!?]|[:：,，、]\s*[.!?。！？，、]|^[.,:;!?。，：；！？、]", text),
        "a sentence ends twice": re.search(r"[.!?。！？]\s*[.!?。！？]", text),
        "no end": not text.endswith(tuple(ENDS)),
        "no capital": re.search(r"(^|[.!?] )[a-z]", text),
    }
    return [fault for fault, is_so in found.items() if is_so]
