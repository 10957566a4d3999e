"""What was said on the page of each browser, and what became of it, as long as the daemon runs."""

from __future__ import annotations

import itertools
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from daemon.console.feed import Put
from daemon.converse.conclusion import Announcement
from daemon.core.questions import Question

READING_S: Final = 120.0
"""So long a question on a page waits: who reads it needs more time than who hears it."""
_MOST_KEPT: Final = 50
"""Utterances of one conversation ..."""
_MOST: Final = 64
"""... and conversations. Of more, the oldest are forgotten."""

Answering = Literal["choose", "confirm", "half", "free"]
_ANSWERED: Final[dict[str, Answering]] = {"choose": "choose", "confirm": "confirm", "half": "half"}


@dataclass(slots=True)
class Line:
    """One utterance with its result, or what was announced."""

    id: int
    at: float
    """Seconds since the epoch."""
    lang: str
    reply: str
    result: dict[str, Any] | None = None
    """As `Result.to_dict` gives it, with its trace; None: nobody asked for it."""
    asks: Answering | None = None
    """How the question that it ended with is answered."""
    options: tuple[str, ...] = ()
    """What that offers, in words that are answers."""
    acted: bool = False
    """Whether something was done that can be taken back."""
    undone: bool = False


@dataclass(slots=True)
class Chat:
    """The conversation of one browser."""

    satellite: str
    lines: deque[Line] = field(default_factory=lambda: deque(maxlen=_MOST_KEPT))
    area: str = ""
    """The room that its reader says he is in."""
    _open: dict[Put, Callable[[tuple[Line, ...]], str]] = field(default_factory=dict)

    def add(self, line: Line) -> tuple[Line, ...]:
        """Keeps it, and shows it to the pages that are open; gives all lines that look otherwise now."""
        before = tuple(item for item in (self.asking, self.undoable) if item is not None)
        self.lines.append(line)
        changed = (*sorted({item.id: item for item in before}.values(), key=lambda item: item.id), line)
        self.show(changed)
        return changed

    def show(self, lines: tuple[Line, ...]) -> None:
        """Shows these to the pages that are open."""
        for put, drawn in tuple(self._open.items()):
            put(drawn(lines))

    def follow(self, put: Put, drawn: Callable[[tuple[Line, ...]], str]) -> Callable[[], None]:
        """Calls `put` with what is new, as `drawn`; gives what ends that."""
        self._open[put] = drawn
        return lambda: self._open.pop(put, None) and None

    def line(self, number: int) -> Line | None:
        """One of them by its id."""
        return next((item for item in self.lines if item.id == number), None)

    @property
    def asking(self) -> Line | None:
        """The last utterance, where it ended with a question."""
        said = next((item for item in reversed(self.lines) if item.result is not None), None)
        return said if said is not None and said.asks is not None else None

    @property
    def undoable(self) -> Line | None:
        """The one that "undo that" is about: the last act that was not taken back."""
        return next((item for item in reversed(self.lines) if item.acted and not item.undone), None)


class Chats:
    """The conversations of all browsers. One event loop."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._chats: OrderedDict[str, Chat] = OrderedDict()
        self._numbers: Iterator[int] = itertools.count(1)

    def of(self, session: str) -> Chat:
        """The conversation of one browser; a new one is kept from now on."""
        found = self._chats[session] = self.look(session)
        self._chats.move_to_end(session)
        if len(self._chats) > _MOST:
            self._chats.popitem(last=False)
        return found

    def look(self, session: str) -> Chat:
        """The same for who only looks: a program that asks for the page again and again drives out no conversation."""
        return self._chats.get(session) or Chat(f"page-{session[:12]}")

    def said(self, result: dict[str, Any], question: Question | None, options: list[str], *, acted: bool) -> Line:
        """The line of an utterance and its result, with the question that is open behind it."""
        return Line(
            next(self._numbers),
            self._clock(),
            result["lang"],
            result["reply"],
            result,
            _ANSWERED.get(question.kind, "free") if question is not None else None,
            tuple(options),
            acted,
        )

    def announce(self, announcement: Announcement) -> None:
        """Shows what is said without having been asked for on the pages that it is for."""
        for chat in tuple(self._chats.values()):
            if announcement.satellite == chat.satellite:
                chat.add(Line(next(self._numbers), self._clock(), announcement.lang, announcement.reply))
