"""What pocketsphinx needs to know of a language: its acoustic model, and how its words are pronounced.

English words by the dictionary of the recogniser, then as compounds, as single letters, by rules.
"""

from __future__ import annotations

import re
import tempfile
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from daemon.core.errors import ModelCorrupt, ModelMissing
from daemon.hear.network import Token
from daemon.system.config import COMMAND, make
from daemon.system.languages import in_digits


class Tongue(Protocol):
    """One language."""

    lang: str
    phone_model: Path | None
    """Which phones follow which, where that is known."""
    caution: float
    """Taken off the score of every sentence: how much less this model is to be believed."""

    def tokens(self, phrase: str) -> Sequence[Token] | None:
        """A phrase as (heard word, text) pairs; None if it cannot be said in this language."""

    def joined(self, text: str) -> str:
        """The text of tokens, set apart by spaces, as it is written."""

    def phones(self, word: str) -> Sequence[str]:
        """The phones of a word that the last decoder knows."""

    def decoder(self, vocabulary: Collection[str]) -> Any:
        """A decoder for these words.

        Raises:
            ModelCorrupt: the model cannot be loaded.
        """


class English:
    """The model and the dictionary of the pocketsphinx wheel; what the dictionary lacks is spelled out.

    Raises:
        ModelMissing: pocketsphinx is not installed.
    """

    caution = 0.0

    def __init__(self, lang: str = "en") -> None:
        self.lang = lang
        spec = find_spec("pocketsphinx")
        if spec is None or spec.origin is None:
            raise ModelMissing("pocketsphinx", f"`{make('setup')}` installs it")
        self._folder = Path(spec.origin).parent / "model" / "en-us"
        self.phone_model: Path | None = self._folder / "en-us-phone.lm.bin"
        self._phones: dict[str, list[str]] = {}

    def tokens(self, phrase: str) -> Sequence[Token] | None:
        """Words as they are spoken, numbers in words."""
        words = spoken_words(phrase)
        return None if words is None else [(word, word) for word in words]

    def joined(self, text: str) -> str:
        """As it is."""
        return text

    def phones(self, word: str) -> Sequence[str]:
        """The first pronunciation of a word."""
        return self._phones.get(word, ())

    def decoder(self, vocabulary: Collection[str]) -> Any:
        """A decoder with a dictionary of these words alone."""
        found = self._dictionary(vocabulary)
        self._phones = {word: sounds[0].split() for word, sounds in found.items()}
        lines = [
            f"{word}{f'({number})' if number > 1 else ''} {sound}\n"
            for word, sounds in sorted(found.items())
            for number, sound in enumerate(sounds, 1)
        ]
        with tempfile.NamedTemporaryFile("w", suffix=".dict", encoding="ascii") as file:
            file.writelines(lines)
            file.flush()
            return _decoder(self._folder / "en-us", Path(file.name), beam=1e-40, pbeam=1e-36, wbeam=1e-24)

    def _dictionary(self, vocabulary: Collection[str]) -> dict[str, list[str]]:
        known = self._read(vocabulary)
        unknown = [word for word in vocabulary if word not in known]
        parts = {word.replace("'", "")[:cut] for word in unknown for cut in range(1, len(word) + 1)}
        parts |= {word.replace("'", "")[cut:] for word in unknown for cut in range(len(word))}
        parts |= {word.removesuffix("'s") for word in unknown}
        near = self._read(parts) if unknown else {}
        return known | {word: [pronunciation(word, lambda part: near.get(part, [None])[0])] for word in unknown}

    def _read(self, wanted: Collection[str]) -> dict[str, list[str]]:
        """These words of the dictionary, each with all its pronunciations."""
        found: dict[str, list[str]] = {}
        with (self._folder / "cmudict-en-us.dict").open(encoding="ascii", errors="replace") as file:
            for line in file:
                word, _, sounds = line.strip().partition(" ")
                word = word.split("(")[0]
                if word in wanted:
                    found.setdefault(word, []).append(sounds.strip())
        return found


class Mandarin:
    """Syllables without tones; the model is a folder with a dictionary `syllables.dic`.

    Raises:
        ModelMissing: the folder has no such model.
    """

    phone_model: Path | None = None
    caution = -0.8

    def __init__(self, folder: Path, lang: str = "zh") -> None:
        self.lang = lang
        dictionary = folder / "syllables.dic"
        if not dictionary.is_file():
            raise ModelMissing(f"{folder.name}/syllables.dic", f"`{COMMAND} models add pocketsphinx-zh FOLDER` gets it")
        self._folder = folder
        lines = (line.split() for line in dictionary.read_text(encoding="ascii").splitlines())
        self._phones = {word: sounds for word, *sounds in filter(None, lines)}

    def tokens(self, phrase: str) -> Sequence[Token] | None:
        """One token per character, read in its context; digits are spoken as a number and written as they are."""
        import pypinyin

        written: list[str] = []
        spoken = ""
        for part in _PARTS.findall(in_digits(phrase)):
            sounds = spoken_number(part) if part.isdecimal() else part
            spoken += sounds
            written += [part, *[""] * (len(sounds) - 1)]
        syllables = pypinyin.lazy_pinyin(spoken, errors="ignore")
        if len(syllables) != len(spoken) or not spoken or any(item not in self._phones for item in syllables):
            return None
        return list(zip(syllables, written, strict=True))

    def joined(self, text: str) -> str:
        """Without spaces."""
        return text.replace(" ", "")

    def phones(self, word: str) -> Sequence[str]:
        """Initial and final of a syllable."""
        return self._phones.get(word, ())

    def decoder(self, vocabulary: Collection[str]) -> Any:  # noqa: ARG002 - it has all syllables
        """A decoder with all syllables."""
        return _decoder(self._folder, self._folder / "syllables.dic", **_NARROW)


_SETTINGS = {"lw": 2.0, "silprob": 0.1}
"""Language weight and the cost of a pause between words, chosen on recordings; the rest is as pocketsphinx has it."""
_NARROW = {"beam": 1e-40, "pbeam": 1e-40, "wbeam": 1e-24}
"""With the Mandarin model, a narrower search is three times as fast and loses fewer last syllables."""
_PARTS = re.compile(r"[0-9]+|\w")
_NUMERALS = "零一二三四五六七八九"


def spoken_number(digits: str) -> str:
    """0 to 99 as a number, what is longer digit by digit: "12" is 十二, "108" is 一零八."""
    if len(digits) != 2 or digits.startswith("0"):  # noqa: PLR2004 - tens and units
        return "".join(_NUMERALS[int(digit)] for digit in digits)
    tens, units = (_NUMERALS[int(digit)] for digit in digits)
    return tens.removeprefix("一") + "十" + units.removeprefix("零")


def _decoder(model: Path, dictionary: Path, **settings: float) -> Any:
    import pocketsphinx

    try:
        return pocketsphinx.Decoder(
            hmm=str(model), dict=str(dictionary), lm=None, loglevel="FATAL", **_SETTINGS, **settings
        )
    except (RuntimeError, ValueError) as error:
        raise ModelCorrupt(f"{model}: not an acoustic model ({error})") from error


_LETTERS = {
    "a": "EY", "b": "B IY", "c": "S IY", "d": "D IY", "e": "IY", "f": "EH F", "g": "JH IY", "h": "EY CH", "i": "AY",
    "j": "JH EY", "k": "K EY", "l": "EH L", "m": "EH M", "n": "EH N", "o": "OW", "p": "P IY", "q": "K Y UW",
    "r": "AA R", "s": "EH S", "t": "T IY", "u": "Y UW", "v": "V IY", "w": "D AH B AH L Y UW", "x": "EH K S",
    "y": "W AY", "z": "Z IY",
}  # fmt: skip
_UNITS = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+")
_MIN_PART = 3
"""Letters of either part of a compound: shorter ones are found in anything."""

LookUp = Callable[[str], str | None]


def spoken_words(text: str) -> tuple[str, ...] | None:
    """The words of a phrase as spoken, lower case, numbers in words; None if it is not written in Latin letters.

    "Café lamp 2" is ("cafe", "lamp", "two").
    """
    plain = in_digits(unicodedata.normalize("NFKD", text.casefold())).replace("’", "'").replace("&", " and ")
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    if any(character.isalpha() and not "a" <= character <= "z" for character in plain):
        return None
    words: list[str] = []
    for word in _WORD.findall(plain):
        words += number_words(int(word)) if word.isdigit() else [word]
    return tuple(words) or None


def number_words(number: int) -> list[str]:
    """0 to 999 in words; what is longer is said digit by digit. 101 is one hundred one."""
    if number < len(_UNITS):
        return [_UNITS[number]]
    if number < 100:  # noqa: PLR2004 - tens and units
        return [_TENS[number // 10], *([_UNITS[number % 10]] if number % 10 else [])]
    if number < 1000:  # noqa: PLR2004 - hundreds
        return [_UNITS[number // 100], "hundred", *(number_words(number % 100) if number % 100 else [])]
    return [_UNITS[int(digit)] for digit in str(number)]


def pronunciation(word: str, look_up: LookUp) -> str:
    """The phones of a word, set apart by spaces: as the dictionary has it, else as it is spelled."""
    known = look_up(word)
    if known:
        return known
    if word.endswith("'s"):
        return f"{pronunciation(word[:-2], look_up)} Z"
    word = word.replace("'", "")
    known = look_up(word) or _compound(word, look_up)
    if known:
        return known
    if len(word) == 1 or not set(word) & set("aeiouy"):
        return " ".join(_LETTERS[letter] for letter in word)
    return by_letters(word)


def by_letters(word: str) -> str:
    """The phones of a word by the rules of `data/letters.en.txt`."""
    rules, longest = _rules()
    text = f"^{word}$"
    phones: list[str] = []
    at = 0
    while at < len(text):
        for size in range(min(longest, len(text) - at), 0, -1):
            sound = rules.get(text[at : at + size])
            if sound is not None:
                phones += sound
                at += size
                break
        else:
            at += 1  # the marks of beginning and end themselves
    return " ".join(_joined(phones)) or _LETTERS[word[0]]


def _compound(word: str, look_up: LookUp) -> str | None:
    """The two dictionary words that make this one up: the longest first part that leaves a second."""
    for cut in range(len(word) - _MIN_PART, _MIN_PART - 1, -1):
        first, second = look_up(word[:cut]), look_up(word[cut:])
        if first and second:
            return f"{first} {second}"
    return None


def _joined(phones: list[str]) -> list[str]:
    """Without the same sound twice in a row."""
    return [phone for index, phone in enumerate(phones) if index == 0 or phone != phones[index - 1]]


@cache
def _rules() -> tuple[Mapping[str, tuple[str, ...]], int]:
    path = Path(__file__).parent / "data" / "letters.en.txt"
    rules: dict[str, tuple[str, ...]] = {}
    for line in path.read_text(encoding="ascii").splitlines():
        if line.strip() and not line.startswith("#"):
            letters, *phones = line.split()
            rules[letters] = () if phones == ["-"] else tuple(phones)
    return rules, max(map(len, rules))
