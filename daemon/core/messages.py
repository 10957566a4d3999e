"""What is to be said, as data: a key of the reply tables, and what fills its places.

Only `daemon.converse` makes words of it. Whoever finds something out says it as a `Message`; the stages define messages
of their own beside their facts. A message is rendered once, at the very end, in the language of whom it is for.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from daemon.core.ir import When
from daemon.core.questions import Question
from daemon.core.resolution import Ruling


class Message(Struct, frozen=True):
    """Something to say."""


Said = tuple[Message, ...]
"""Messages in the order in which they are said; none: nothing."""


class Names(Message, frozen=True):
    """The names of entities, as a list."""

    entities: tuple[str, ...]
    joint: str = "and"
    """"and", or "or" for alternatives."""
    located: bool = False
    """With the room, where the name does not say it and something else is called the same."""


class Words(Message, frozen=True):
    """Words that somebody said or wrote: a title, a name that nothing has."""

    text: str


class Listing(Message, frozen=True):
    """Several messages as one list: "names", "items", "choices", "facts" or "sentences"."""

    items: Said
    how: str = "names"


class ListName(Message, frozen=True):
    """What a list is called."""

    name: str


class AttributeWord(Message, frozen=True):
    """The word for an attribute."""

    name: str


class Topic(Message, frozen=True):
    """What a preference is about: a kind or an attribute by its own name, else the word itself."""

    word: str


class Amount(Message, frozen=True):
    """A value with its unit."""

    value: object
    attribute: str = "state"
    unit: str | None = None


class Length(Message, frozen=True):
    """A length of time."""

    seconds: float
    exact: bool = False


class Moment(Message, frozen=True):
    """A moment, in seconds since the epoch: one that is over ("past"), the time that it is, the day, or of the sun."""

    at: float
    how: str = "past"


class Due(Message, frozen=True):
    """When something is to be done: as it was said, and the moment that it comes to."""

    when: When | None
    at: float | None


Filling = str | int | float | Message


class Say(Message, frozen=True):
    """A sentence, or a part of one, of the reply tables. `n` picks between the forms of one and of many."""

    key: str
    values: Mapping[str, Filling] = field(default_factory=dict)
    n: int = 1

    def __hash__(self) -> int:
        return hash((self.key, self.n))


class Asked(Message, frozen=True):
    """A question."""

    question: Question


class Refused(Message, frozen=True):
    """Why nothing was done: the gate's verdict, and what would have been asked or changed."""

    ruling: Ruling
    asked: str | None = None
    action: str | None = None
    attribute: str | None = None


def say(key: str, n: int = 1, **values: Filling) -> Say:
    """A sentence with its places filled."""
    return Say(key, values, n)
