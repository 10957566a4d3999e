"""Which listeners a topic reaches: a trie of topic filters, walked once per message."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from daemon.mqtt.bus import LONGEST, Listener, Message

_log = logging.getLogger(__name__)

_MOST_NAMED = 100


def valid_filter(topic_filter: str) -> bool:
    """Whether it may be subscribed to (MQTT 3.1.1, section 4.7): `+` and `#` fill a level, `#` is the last one."""
    levels = topic_filter.split("/")
    return (
        0 < len(topic_filter.encode("utf-8", "replace")) <= 65535  # noqa: PLR2004 - the size of the length field
        and "\0" not in topic_filter
        and all(level in ("+", "#") or not {"+", "#"}.intersection(level) for level in levels)
        and "#" not in levels[:-1]
    )


def valid_topic(topic: str) -> bool:
    """Whether it may be published to: a filter without wildcards."""
    return valid_filter(topic) and not {"+", "#"}.intersection(topic)


class _Route:
    __slots__ = ("faulty", "listener", "longest")

    def __init__(self, listener: Listener, longest: int) -> None:
        self.listener = listener
        self.longest = longest
        self.faulty = False


class _Node:
    __slots__ = ("children", "routes")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.routes: list[_Route] = []


class Routes:
    """Topic filters and their listeners. The cost of a message grows with its levels, not with the filters."""

    def __init__(self) -> None:
        self._root = _Node()
        self._counts: dict[str, int] = {}
        self._oversized: set[str] = set()

    @property
    def filters(self) -> tuple[str, ...]:
        """The filters that have a listener, in the order in which they came."""
        return tuple(self._counts)

    def add(self, topic_filter: str, listener: Listener, longest: int = LONGEST) -> Callable[[], bool]:
        """Adds a listener for messages of at most `longest` bytes.

        Calling what is returned takes it away, once, and says whether it was the filter's last.
        """
        node = self._root
        for level in topic_filter.split("/"):
            node = node.children.setdefault(level, _Node())
        route = _Route(listener, longest)
        # A new list, not an append: a listener may subscribe or leave while a message is being delivered.
        node.routes = [*node.routes, route]
        self._counts[topic_filter] = self._counts.get(topic_filter, 0) + 1

        def remove() -> bool:
            if route not in node.routes:
                return False
            node.routes = [item for item in node.routes if item is not route]
            self._counts[topic_filter] -= 1
            if self._counts[topic_filter]:
                return False
            del self._counts[topic_filter]
            self._prune(topic_filter)
            return True

        return remove

    def matches(self, topic: str) -> bool:
        """Whether anybody listens to this topic."""
        return next(self._find(topic), None) is not None

    def deliver(self, message: Message) -> None:
        """Calls each listener of the message's topic that takes one of this length.

        One that raises is logged once and does not stop the others.
        """
        for route in list(self._find(message.topic)):
            if len(message.payload) > route.longest:
                self._ignore(message, route.longest)
                continue
            try:
                route.listener(message)
            except Exception:  # noqa: BLE001 - whatever it is, the other listeners get their message
                if not route.faulty:
                    route.faulty = True
                    _log.exception(
                        "a listener failed on a message of %r; its further failures are not logged", message.topic
                    )

    def _find(self, topic: str) -> Iterator[_Route]:
        levels = topic.split("/")
        # Wildcards on the first level do not match topics of the broker itself, such as $SYS/...
        wild = not topic.startswith("$")
        nodes = [self._root]
        for level in levels:
            following = []
            for node in nodes:
                if wild and (rest := node.children.get("#")) is not None:
                    yield from rest.routes
                following += [
                    child for name in ((level, "+") if wild else (level,)) if (child := node.children.get(name))
                ]
            nodes, wild = following, True
        for node in nodes:
            yield from node.routes
            # "a/#" matches "a" too.
            if (rest := node.children.get("#")) is not None:
                yield from rest.routes

    def _ignore(self, message: Message, longest: int) -> None:
        if message.topic not in self._oversized and len(self._oversized) < _MOST_NAMED:
            self._oversized.add(message.topic)
            _log.warning("ignoring messages of %r above %d bytes", message.topic, longest)

    def _prune(self, topic_filter: str) -> None:
        path = [self._root]
        levels = topic_filter.split("/")
        for level in levels:
            path.append(path[-1].children[level])
        for parent, level in zip(reversed(path[:-1]), reversed(levels), strict=True):
            child = parent.children[level]
            if child.routes or child.children:
                return
            del parent.children[level]
