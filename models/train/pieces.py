"""The tagger's vocabulary: those of the teacher's pieces that the language of homes needs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from daemon.compiler.draft import led, parse
from daemon.compiler.meanings import Meanings
from models.train.data import placed
from models.train.encoder_words import of_wordnet, signs
from models.train.teacher import PIECE, Teacher
from models.train.tokens import ASK, END, PAD, START

_UNKNOWN: Final = "<unknown>"
_NEVER: Final = -90.0
"""The log chance of what no text is cut into."""
_OVER: Final = 0.01
"""A Chinese piece that runs over the edge of what fills a slot more often than this is no piece here."""
_WORD: Final = re.compile(f"{PIECE}?(?:[a-z']+|[0-9])|{PIECE}?[\u3400-\u9fff]+|{PIECE}")
_LATIN: Final = "abcdefghijklmnopqrstuvwxyz0123456789'"


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces, and where each stands in the teacher's table."""

    texts: tuple[str, ...]
    chances: tuple[float, ...]
    rows: tuple[int, ...]

    @classmethod
    def chosen(cls, teacher: Teacher, lines: Sequence[dict[str, str]], meanings: Meanings, wordnet: Path) -> Pieces:
        """Those that the pairs, the words of WordNet and the Chinese characters in use are cut into.

        Args:
            teacher: Whose they are.
            lines: Of `models.train.generate`.
            meanings: What can be meant.
            wordnet: The folder with cntlist.rev.
        """
        every = cls._of(teacher, (at for at, text in enumerate(teacher.pieces) if _WORD.fullmatch(text)))
        tokenizer = every.tokenizer()
        used: set[int] = set()
        for texts in (
            (led(line["text"]) for line in lines),
            of_wordnet(wordnet),
            signs(),
            (f"x{sign}" for sign in _LATIN),
        ):
            for coded in tokenizer.encode_batch(list(texts)):
                used.update(coded.ids)
        used -= _running_over(tokenizer, [line for line in lines if line["lang"] != "en"], meanings)
        own = len(cls._of(teacher, ()).texts)
        return cls._of(teacher, (every.rows[at] for at in sorted(used) if at >= own))

    @classmethod
    def _of(cls, teacher: Teacher, rows: Iterable[int]) -> Pieces:
        kept = list(rows)
        # An utterance begins and ends as the teacher's texts do.
        own = {PAD: teacher.pad, _UNKNOWN: teacher.unknown, START: teacher.begin, END: teacher.end, ASK: teacher.end}
        return cls(
            (*own, *(teacher.pieces[at] for at in kept)),
            (*[_NEVER] * len(own), *(float(teacher.chances[at]) for at in kept)),
            (*own.values(), *kept),
        )

    def tokenizer(self) -> Tokenizer:
        """Cuts texts into these pieces."""
        unknown = self.texts.index(_UNKNOWN)
        made = Tokenizer(models.Unigram(list(zip(self.texts, self.chances, strict=True)), unk_id=unknown))
        # Angle brackets go too: no text can say a word of control.
        made.normalizer = normalizers.Sequence([
            normalizers.NFKC(),
            normalizers.Lowercase(),
            normalizers.Replace(Regex(r"[^\p{L}\p{N}' ]"), " "),
            normalizers.Replace(Regex(r"\s+"), " "),
            normalizers.Strip(),
        ])  # fmt: skip
        made.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.Metaspace(prepend_scheme="always", split=True),
        ])  # fmt: skip
        return made


def _running_over(tokenizer: Tokenizer, lines: Sequence[dict[str, str]], meanings: Meanings) -> set[int]:
    seen: Counter[int] = Counter()
    over: Counter[int] = Counter()
    for line, coded in zip(lines, tokenizer.encode_batch([led(line["text"]) for line in lines]), strict=True):
        seen.update(coded.ids)
        places = placed(line["text"], coded.offsets)
        for part in parse(line["out"], meanings).parts:
            for said in part.said:
                start = line["text"].find(said.words)
                edges = (start, start + len(said.words))
                over.update(
                    number
                    for number, (low, high) in zip(coded.ids, places, strict=True)
                    if any(low < edge < high for edge in edges)
                )
    return {number for number, times in over.items() if times > _OVER * seen[number]}
