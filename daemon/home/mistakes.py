"""Several mistakes of one file, told together."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

from daemon.core.errors import ConfigError

_MOST: Final = 10


class Mistakes:
    """Collects what is wrong in parts of a file that do not depend on each other."""

    def __init__(self) -> None:
        self._found: list[ConfigError] = []

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Goes on after a mistake in the block, unless there are ten already.

        Raises:
            ConfigError: the tenth mistake, with those before it.
        """
        try:
            yield
        except ConfigError as error:
            self._found.append(error)
            if len(self._found) >= _MOST:
                self.settle()

    def settle(self) -> None:
        """Raises what was found, if anything: whatever comes next would only repeat it.

        Raises:
            ConfigError: the first mistake of the file, with the others.
        """
        if self._found:
            first, *others = sorted(self._found, key=lambda item: item.line or 0)
            raise ConfigError(first.file, first.line, first.key, first.problem, first.remedy, tuple(others))
