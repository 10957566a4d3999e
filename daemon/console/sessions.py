"""Who is at a page: signed cookies, the mark of a page's own forms, and how guessing the token is slowed down."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

from msgspec import Struct

from daemon.home.secrets import Secret

LASTS_S = 30 * 24 * 3600
"""How long one stays signed in."""
SHORTEST = 12
"""Characters of a token: of fewer, patience would find it."""
_FREE = 5
"""Wrong tokens after which one has to wait; twice as long after each further one, up to the longest."""
_LONGEST_S = 300.0
_FORGOTTEN_S = 3600.0
_MOST_PEERS = 1000


class Session(Struct, frozen=True):
    """One browser. What it was told to keep says all of this, so that a restart signs nobody out."""

    id: str
    began: int
    """Seconds since the epoch."""
    inside: bool
    """Whether it has shown the token, or none is asked for."""


class Sessions:
    """Makes cookies and knows its own again. Without a token everybody is inside, and the cookies last as this does."""

    def __init__(self, token: Secret | None, clock: Callable[[], float] = time.time) -> None:
        self._token = token
        self._clock = clock
        secret = token.reveal().encode() if token is not None else secrets.token_bytes(32)
        self._key = hmac.digest(secret, b"hearken console", "sha256")

    @property
    def open(self) -> bool:
        """Whether no token is asked for."""
        return self._token is None

    def begin(self, *, inside: bool = False) -> Session:
        """A new one."""
        return Session(secrets.token_hex(16), int(self._clock()), inside or self.open)

    def is_token(self, said: str) -> bool:
        """Whether this is the token; takes as long for a nearly right one as for any other."""
        return self._token is not None and hmac.compare_digest(
            hashlib.sha256(said.encode()).digest(), hashlib.sha256(self._token.reveal().encode()).digest()
        )

    def cookie(self, session: Session) -> str:
        """What its browser is told to keep."""
        said = f"{session.id}.{session.began}.{int(session.inside)}"
        return f"{said}.{self._signed('cookie', said)}"

    def known(self, cookie: str) -> Session | None:
        """The session of a cookie; None where it is not ours, or too old."""
        said, _, mark = cookie.rpartition(".")
        if not hmac.compare_digest(self._signed("cookie", said).encode(), mark.encode()):
            return None
        name, began, inside = said.split(".")
        session = Session(name, int(began), inside == "1")
        return session if self._clock() - session.began < LASTS_S else None

    def mark(self, session: Session) -> str:
        """What a form of this session's pages bears, and no other page can know."""
        return self._signed("form", session.id)

    def bears(self, session: Session, mark: str) -> bool:
        """Whether a form is of this session's pages."""
        return hmac.compare_digest(self.mark(session).encode(), mark.encode())

    def _signed(self, what: str, said: str) -> str:
        return hmac.new(self._key, f"{what}:{said}".encode(), "sha256").hexdigest()


class Guesses:
    """Counts the wrong tokens of each peer (of IPv6 each network), and makes it wait."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._peers: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """Peer -> how often it was wrong, and when last."""

    def wait_s(self, peer: str) -> float:
        """So many seconds nothing that this peer says is looked at; 0: it is."""
        wrong, last = self._peers.get(_network(peer), (0, 0.0))
        if wrong < _FREE:
            return 0.0
        return max(0.0, last + min(_LONGEST_S, 2.0 ** (wrong - _FREE + 1)) - self._clock())

    def wrong(self, peer: str) -> None:
        """It said a wrong token."""
        name, now = _network(peer), self._clock()
        wrong, last = self._peers.pop(name, (0, now))
        self._peers[name] = (wrong + 1 if now - last < _FORGOTTEN_S else 1, now)
        if len(self._peers) > _MOST_PEERS:
            self._peers.popitem(last=False)

    def right(self, peer: str) -> None:
        """It said the right one."""
        self._peers.pop(_network(peer), None)


def _network(peer: str) -> str:
    """The peer, or all that one subscriber has of IPv6."""
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return peer
    if isinstance(address, ipaddress.IPv4Address):
        return peer
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), 64), strict=False))
