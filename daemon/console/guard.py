"""What stands before every page: who may ask, how much, from where; and what a browser may do with the answer."""

from __future__ import annotations

import ipaddress
import math
import socket
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlsplit

from msgspec import Struct
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser

from daemon.console.sessions import LASTS_S, Guesses, Session, Sessions

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from daemon.console.view import View

MOST_BYTES: Final = 64 * 1024
"""Of the body of a request."""
_MOST_FIELDS: Final = 100
COOKIE: Final = "hearken"
OUTSIDE: Final = ("/login", "/healthz", "/static/")
"""What is answered to whoever has not shown the token; a path that ends in a slash stands for all below it."""
_READS: Final = ("GET", "HEAD")
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), payment=(), usb=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Visit(Struct, frozen=True):
    """One request that was let through: whose it is, and what its form says."""

    session: Session
    mark: str
    """What its forms have to bear."""
    form: Mapping[str, str]


class Refusal(Exception):
    """What is not let through, or can't be done.

    Args:
        status: Of HTTP.
        why: The key of its words, in the section `refused`.
        places: What fills those; `seconds`: when it may be tried again.
    """

    def __init__(self, status: int, why: str, **places: object) -> None:
        self.status = status
        self.why = why
        self.places = places
        super().__init__(why)


class Guard:
    """Lets only the pages' own requests through.

    Another page in the same browser is known by Origin and Host, which no page can forge, and by its forms, which
    bear no mark of ours; a name that was made to lead here is none of this machine's names (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, view: View, sessions: Sessions, names: Iterable[str], *, tls: bool) -> None:
        own = socket.gethostname().casefold()
        self._app = app
        self._view = view
        self._sessions = sessions
        self._names = {"localhost", own, f"{own}.local", *names}
        self._tls = tls
        self.guesses = Guesses()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        headers = Headers(scope=scope)
        known = self._sessions.known(cookie_parser(headers.get("cookie", "")).get(COOKIE, ""))
        session = known or self._sessions.begin()
        begun = [session] if known is None else []

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._dress(MutableHeaders(scope=message), scope, begun)
            await send(message)

        scope.setdefault("state", {})
        scope["state"] |= {"visit": Visit(session, self._sessions.mark(session), {}), "guard": self, "begun": begun}
        try:
            self._check_way(headers, begun)
            session = await self._let_in(scope, headers, session)
            form = await self._form(scope, headers, receive, session)
        except Refusal as refusal:
            await self._view.refused(scope, refusal)(scope, receive, guarded)
            return
        scope["state"]["visit"] = Visit(session, self._sessions.mark(session), form)
        await self._app(scope, receive, guarded)

    def sign_in(self, scope: Scope, token: str) -> bool:
        """Whether this is the token; where it is, the browser gets a session that is inside.

        Raises:
            Refusal: this peer was wrong too often.
        """
        peer = _peer(scope)
        if (wait_s := self.guesses.wait_s(peer)) > 0:
            raise Refusal(429, "guessing", seconds=math.ceil(wait_s))
        if not self._sessions.is_token(token):
            self.guesses.wrong(peer)
            return False
        self.guesses.right(peer)
        scope["state"]["begun"][:] = [self._sessions.begin(inside=True)]
        return True

    def sign_out(self, scope: Scope) -> None:
        """The browser gets a session that is not inside."""
        scope["state"]["begun"][:] = [self._sessions.begin()]

    def _check_way(self, headers: Headers, begun: list[Session]) -> None:
        """Whether it came here by a name of this machine, and not from another site."""
        if headers.get("sec-fetch-site") == "cross-site":
            # Its cookie is not sent along, and it must not be given another one in the place of that.
            begun.clear()
            raise Refusal(403, "elsewhere")
        try:
            name = urlsplit(f"//{headers.get('host', '')}").hostname or ""
        except ValueError:
            name = ""
        if name not in self._names and not _is_address(name):
            raise Refusal(421, "host")

    async def _let_in(self, scope: Scope, headers: Headers, session: Session) -> Session:
        """The session, if it may ask for this; one that lasts no longer than this request for a program's token."""
        if scope["method"] not in (*_READS, "POST"):
            raise Refusal(405, "method")
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.casefold() == "bearer":
            known = self.sign_in(scope, token.strip())
            begun: list[Session] = scope["state"]["begun"]
            session = begun.pop() if begun else session
            if not known:
                raise Refusal(401, "token")
            scope["state"]["program"] = True
        outside = any(scope["path"] == path or (path[-1] == "/" and scope["path"].startswith(path)) for path in OUTSIDE)
        if not (session.inside or outside):
            raise Refusal(401, "outside")
        return session

    async def _form(self, scope: Scope, headers: Headers, receive: Receive, session: Session) -> Mapping[str, str]:
        """What the form of a changing request says."""
        if scope["method"] in _READS:
            return {}
        body = await _body(headers, receive)
        try:
            form = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
        except ValueError:
            raise Refusal(400, "form") from None
        if scope["state"].get("program"):
            return form  # no browser adds such a token by itself
        origin, host = headers.get("origin"), headers.get("host", "")
        if origin is not None and urlsplit(origin).netloc != host:
            raise Refusal(403, "origin")
        if origin is None and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Refusal(403, "origin")
        if not self._sessions.bears(session, form.pop("mark", "")):
            raise Refusal(403, "mark")
        return form

    def _dress(self, headers: MutableHeaders, scope: Scope, begun: list[Session]) -> None:
        for name, value in _HEADERS.items():
            headers.setdefault(name, value)
        headers.setdefault("cache-control", "no-cache" if scope["path"].startswith("/static/") else "no-store")
        page = headers.get("content-type", "text/html").startswith("text/html")
        for session in begun if page else ():
            secure = "; Secure" if self._tls else ""
            headers.append(
                "set-cookie",
                f"{COOKIE}={self._sessions.cookie(session)}; Path=/; Max-Age={LASTS_S}; HttpOnly; "
                f"SameSite=Strict{secure}",
            )


async def _body(headers: Headers, receive: Receive) -> bytes:
    """The whole body.

    Raises:
        Refusal: it is too long, or no form.
    """
    told = headers.get("content-length", "0")
    if not told.isdecimal() or int(told) > MOST_BYTES:
        raise Refusal(413, "long")
    if headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise Refusal(415, "form")
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(400, "form")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MOST_BYTES:
            raise Refusal(413, "long")
    return bytes(body)


def _peer(scope: Scope) -> str:
    return scope["client"][0] if scope.get("client") else ""


def _is_address(name: str) -> bool:
    """Whether it is no name at all: nobody can make an address lead elsewhere."""
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
