"""Words as they usually stand in commands of a meaning, beside what fills its slots.

What nobody was ever heard to say in such a command may be what makes it another: then it is better asked back.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from daemon.compiler.draft import Draft, Part
from daemon.errors import ModelCorrupt

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILE: Final = "words.npy"
_OFTEN: Final = 2
"""So many utterances at least make a word usual."""
_MOST: Final = 4
_WORDS: Final = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]+")


class Usual:
    """The usual words of every meaning.

    Args:
        codes: What `code` says of each, uint32, ascending. So few of all numbers are taken that a word is rarely
            mistaken for another.
    """

    def __init__(self, codes: NDArray[np.uint32]) -> None:
        self._codes = codes

    @classmethod
    def load(cls, folder: Path) -> Usual:
        """Those of the tagger in a folder.

        Raises:
            ModelCorrupt: the file is missing or no such list.
        """
        file = folder / FILE
        try:
            codes = np.load(file, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise ModelCorrupt(f"{file}: cannot be read ({error})") from error
        if codes.dtype != np.uint32 or codes.ndim != 1 or (codes[1:] <= codes[:-1]).any():
            raise ModelCorrupt(f"{file}: no ascending list of numbers; train the tagger again (`make train`)")
        return cls(codes)

    @classmethod
    def of(cls, utterances: Iterable[tuple[str, Draft]]) -> Usual:
        """The usual words of what was said so."""
        counts = Counter(
            _code(piece.meaning, word)
            for text, draft in utterances
            for word in _around(text, draft)
            for piece in _pieces(draft)
        )
        return cls(np.array(sorted(item for item, count in counts.items() if count >= _OFTEN), np.uint32))

    def save(self, folder: Path) -> None:
        """Writes `FILE`."""
        np.save(folder / FILE, self._codes)

    def share(self, text: str, draft: Draft) -> float:
        """How usual an utterance is for what it is taken for: 0; -1 with four unusual words or more."""
        meanings = [piece.meaning for piece in _pieces(draft)]
        if not meanings:
            return 0.0
        words = sorted(_around(text, draft))
        codes = np.array([[_code(meaning, word) for meaning in meanings] for word in words], np.uint32)
        if not (words and self._codes.size):
            return -min(len(words), _MOST) / _MOST
        at = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        unusual = int((self._codes[at] != codes).all(axis=1).sum())
        return -min(unusual, _MOST) / _MOST


def _pieces(draft: Draft) -> Iterator[Part]:
    for part in draft.parts:
        yield part
        yield from part.frames


def _around(text: str, draft: Draft) -> set[str]:
    """The words that fill no slot; of Chinese, that has no spaces, every two characters in a row."""
    for piece in _pieces(draft):
        for said in piece.said:
            words = re.escape(said.words.strip())
            text = re.sub(rf"(?<![a-z0-9']){words}(?![a-z0-9'])", " | ", text, count=1)
    found: set[str] = set()
    for run in _WORDS.findall(text):
        if run[0] < "\u4e00" or len(run) == 1:
            found.add(run)
        else:
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return found


def _code(meaning: str, word: str) -> int:
    return zlib.crc32(f"{meaning} {word}".encode())
