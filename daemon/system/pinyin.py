"""How Chinese characters are read, without tones, and which syllables are taken for one another."""

from __future__ import annotations

from typing import Final

_INITIALS: Final = (("zh", "z"), ("ch", "c"), ("sh", "s"))
_FINALS: Final = (("ang", "an"), ("eng", "en"), ("ing", "in"))


def syllables(text: str, *, every: bool = False) -> list[list[str]]:
    """The readings of each character as it stands there; with `every`, all that it has, the most usual first."""
    from pypinyin import Style, pinyin  # 55 MiB: not for a home in which nobody speaks Chinese

    found = pinyin(text, style=Style.NORMAL, heteronym=every)
    return [[reading.replace("ü", "v") for reading in readings] for readings in found]


def folded(syllable: str) -> str:
    """A syllable less what many speakers do not tell apart: zh and z, -ng and -n."""
    for written, plain in _INITIALS:
        if syllable.startswith(written):
            syllable = plain + syllable.removeprefix(written)
    for written, plain in _FINALS:
        if syllable.endswith(written):
            syllable = syllable.removesuffix(written) + plain
    return syllable
