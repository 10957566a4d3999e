"""Lists that people keep, and what was done to one: values that cross stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SHOPPING: Final = "shopping"
TODO: Final = "todo"
USUAL: Final = (SHOPPING, TODO)
"""What every home has, whether there is anything on it or not; each language has words of its own for them."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one act did to a list: enough to take back that and nothing else."""

    name: str
    added: tuple[str, ...] = ()
    removed: tuple[tuple[int, str], ...] = ()
    """Each with its place, as it was before any of them was gone."""
    made: bool = False
    """Whether the list is new."""
    dropped: bool = False
    """Whether the list itself is gone."""

    @property
    def back(self) -> Change:
        """What takes it back."""
        at = tuple((place, item) for place, item in enumerate(self.added))
        return Change(self.name, tuple(item for _, item in self.removed), at, self.dropped, self.made)
