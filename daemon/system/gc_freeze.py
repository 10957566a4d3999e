"""What is made in one go and then kept for long: the garbage collector need not look for garbage in it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def lasting() -> Iterator[None]:
    """Whatever is made during the block is never looked through: it goes when nothing refers to it any more.

    Looking through a home of ten thousand devices takes a tenth of a second, in the midst of a sentence, again and
    again; and a third of the time in which it is made. What is made here should hold no cycle that is ever dropped.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def renew() -> None:
    """To be called before something that lasts is made again: what has become garbage meanwhile is let go.

    Freezing spares all there is at that moment, also what is only under way: an answer that is awaited, an error with
    its stack. Without this, what of it goes round in circles would stay for good, a little more with each change.
    """
    gc.unfreeze()
    gc.collect()
