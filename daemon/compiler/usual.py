"""Words as they usually stand in commands of a meaning, beside what fills its slots.

What nobody was ever heard to say in such a command may be what makes it another: then it is better asked back.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from daemon.compiler.draft import Draft, outside
from daemon.compiler.meanings import AND
from daemon.core.errors import ModelCorrupt

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILE: Final = "words.npy"
ANYWHERE: Final = ""
"""In the place of a meaning: of words that may be said around every command."""
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
        if (
            not isinstance(codes, np.ndarray)
            or codes.dtype != np.uint32
            or codes.ndim != 1
            or (codes[1:] <= codes[:-1]).any()
        ):
            raise ModelCorrupt(f"{file}: no ascending list of numbers; train the tagger again (`make train`)")
        return cls(codes)

    @classmethod
    def of(cls, phrases: Iterable[tuple[str, str]]) -> Usual:
        """The words of phrases, each with its meaning; `ANYWHERE` for what may be said in all of them."""
        codes = {_code(meaning, word) for meaning, said in phrases for word in _words(said)}
        return cls(np.array(sorted(codes), np.uint32))

    def save(self, folder: Path) -> None:
        """Writes `FILE`."""
        np.save(folder / FILE, self._codes)

    def share(self, text: str, draft: Draft) -> float:
        """How usual an utterance is for what it is taken for: 0; -1 with four unusual words or more."""
        meanings = [piece.meaning for part in draft.parts for piece in (part, *part.frames)]
        if not meanings:
            return 0.0
        meanings += [ANYWHERE, *([AND] if len(draft.parts) > 1 else [])]
        words = sorted(_words(outside(draft, text)))
        codes = np.array([[_code(meaning, word) for meaning in meanings] for word in words], np.uint32)
        unusual = int((~self._known(codes)).all(axis=1).sum()) if words else 0
        return -min(unusual, _MOST) / _MOST

    def _known(self, codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
        if not self._codes.size:
            return np.zeros(codes.shape, np.bool_)
        at = np.minimum(np.searchsorted(self._codes, codes), self._codes.size - 1)
        return np.asarray(self._codes[at] == codes)


def _words(text: str) -> set[str]:
    """The words of a text; of Chinese, that has no spaces, every two characters in a row."""
    found: set[str] = set()
    for run in _WORDS.findall(text):
        if run[0] < "\u4e00" or len(run) == 1:
            found.add(run)
        else:
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return found


def _code(meaning: str, word: str) -> int:
    return zlib.crc32(f"{meaning} {word}".encode())
