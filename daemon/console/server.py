"""The server of the pages, in the daemon's own event loop. Whatever becomes of it, the house goes on."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from starlette.applications import Starlette
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn import Config
from uvicorn.server import Server as Uvicorn

from daemon.console.connection import Connection
from daemon.console.guard import Guard, Refusal
from daemon.console.pages import OTHERS, PAGES
from daemon.console.sessions import SHORTEST, Sessions
from daemon.console.view import HERE, View
from daemon.core.errors import ConfigError, HearkenError, UsageError
from daemon.core.values import replace
from daemon.home.config import Console as Settings
from daemon.home.config import Server
from daemon.home.secrets import Secret, read_secret

if TYPE_CHECKING:
    from starlette.requests import Request

_LOG = logging.getLogger(__name__)
_KEPT_ALIVE_S: Final = 15
_GRACE_S: Final = 1
_MOST_OF_HEADERS: Final = 16 * 1024


class Console:
    """The pages of one home."""

    def __init__(self, settings: Settings, view: View) -> None:
        self._settings = settings
        self._view = replace(view, pages=tuple(PAGES))

    async def serve(self) -> None:
        """Serves until it is cancelled; says so once where it can't, and never raises for that."""
        try:
            async with self.running() as port:
                where = replace(self._settings.server, port=port)
                _LOG.info("the console is at %s://%s", "https" if self._settings.key else "http", where)
                await asyncio.get_running_loop().create_future()
        except (HearkenError, OSError) as error:
            _LOG.warning("there is no console: %s", error)
        except Exception:  # noqa: BLE001 - a fault of a page's must not end the house's voice
            _LOG.exception("there is no console")

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[int]:
        """Serves while the block runs; gives the port.

        Raises:
            HearkenError: it can't be served: the port is taken, the token or the certificate is not there.
        """
        listening = _listening(self._settings.server)
        with listening:
            config = self._config()
            server = Uvicorn(config)
            server.lifespan = config.lifespan_class(config)
            await server.startup(sockets=[listening])
            try:
                yield int(listening.getsockname()[1])
            finally:
                self._view.feeds.end()
                await server.shutdown(sockets=[listening])

    def _config(self) -> Config:
        settings, tls = self._settings, self._settings.certificate is not None
        sessions = Sessions(self._token())
        guard = Guard(_app(self._view), self._view, sessions, (settings.server.host, *settings.names), tls=tls)
        config = Config(
            guard,
            http=Connection,
            ws="none",
            lifespan="off",
            # What is wrong with a request is for whoever made it, not for the log.
            log_config=None,
            log_level=logging.ERROR,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            h11_max_incomplete_event_size=_MOST_OF_HEADERS,
            timeout_keep_alive=_KEPT_ALIVE_S,
            timeout_graceful_shutdown=_GRACE_S,
            ssl_certfile=settings.certificate,
            ssl_keyfile=settings.key,
        )
        try:
            config.load()
        except OSError as error:
            named = f"{settings.certificate} and {settings.key}"
            raise UsageError(f"{named} can't be used for TLS: {error.strerror or error}") from None
        # Not uvicorn's own TLS: its connections would be counted only once they have agreed on the encryption.
        config.http_protocol_class = cast("type[asyncio.Protocol]", partial(Connection, tls=config.ssl))
        config.ssl = None
        return config

    def _token(self) -> Secret | None:
        if self._settings.token is None:
            return None
        home, key = self._view.paths.home, "console.token"
        token = read_secret(self._settings.token, home, key)
        if len(token.reveal()) < SHORTEST:
            raise ConfigError(home, None, key, "the token is too short", f"take {SHORTEST} characters or more")
        return token


def _app(view: View) -> Starlette:
    async def first(_: Request) -> Response:
        return RedirectResponse(f"/{view.pages[0]}", status_code=303)

    def answering(refusal: Callable[[Exception], Refusal]) -> Callable[[Request, Exception], Response]:
        return lambda request, error: view.refused(request.scope, refusal(error))

    routes = [route for page in (*PAGES.values(), *OTHERS) for route in page(view)]
    app = Starlette(
        routes=[Route("/", first), *routes, Mount("/static", StaticFiles(directory=HERE / "static"))],
        exception_handlers={
            404: answering(lambda _: Refusal(404, "unknown")),
            405: answering(lambda _: Refusal(405, "method")),
            HearkenError: answering(lambda error: Refusal(400, "request", problem=error)),
            Refusal: answering(lambda error: cast("Refusal", error)),
            Exception: answering(lambda _: Refusal(500, "failed")),
        },
    )
    app.router.redirect_slashes = False
    return app


def _listening(server: Server) -> socket.socket:
    """A socket at this address.

    Raises:
        UsageError: it can't be had.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind)
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(address)
        except OSError:
            found.close()
            raise
    except OSError as error:
        remedy = "set another port: in the section console of the home file, or console: false"
        raise UsageError(f"{server} can't be served ({error.strerror or error}); {remedy}") from None
    found.setblocking(False)  # noqa: FBT003 - the name of it says what it takes
    return found
