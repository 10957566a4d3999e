"""Limits that cut something off say so, once."""

from __future__ import annotations

import logging


class Limit:
    """What is said of one limit.

    Args:
        log: Where.
        message: What is cut off, and from where on; a logging format.
    """

    def __init__(self, log: logging.Logger, message: str) -> None:
        self._log = log
        self._message = message
        self._told = False

    def cuts(self, *args: object) -> None:
        """Something is cut off now; `args` are the message's."""
        if not self._told:
            self._told = True
            self._log.warning(self._message, *args)
