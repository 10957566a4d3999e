"""Numbers that are only about so: 两三, 二十五六, 七八十. Two units in a row, the second one more, are no digits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_MOST = 9


class About:
    """Finds such numbers in a language that is not set apart by spaces.

    Args:
        units: Words for 0 to 9 and their values.
        multipliers: Words for ten, a hundred, ...
        point: What comes before decimals: 二三点五 is none of these.
    """

    def __init__(self, units: Mapping[str, int], multipliers: Mapping[str, int], point: Sequence[str] = ()) -> None:
        pairs = [a + b for a, low in units.items() for b, high in units.items() if 0 < low < high == low + 1 <= _MOST]
        unit, factor = _any(units), _any(multipliers)
        digit = f"(?!{unit}|[0-9]|{_any(point)}{unit})"
        self._found = re.compile(f"(?P<front>(?:{unit}?{factor})*)(?P<pair>{_any(pairs)})(?P<factor>{factor}?){digit}")
        self._first = re.compile(unit)

    def match(self, text: str, at: int) -> int:
        """Where the one at `at` ends, or -1."""
        found = self._found.match(text, at)
        return found.end() if found else -1

    def least(self, text: str) -> str:
        """The lower of the two, in words: 七十 of 七八十.

        Raises:
            ValueError: `match` did not accept this.
        """
        found = self._found.fullmatch(text)
        lower = self._first.match(found["pair"]) if found else None
        if found is None or lower is None:
            raise ValueError(text)
        return found["front"] + lower.group() + found["factor"]


def _any(words: Mapping[str, int] | Sequence[str]) -> str:
    return "(?:" + "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) + ")" if words else "(?!)"
