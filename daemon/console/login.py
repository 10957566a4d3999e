"""Signing in with the token, and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from daemon.console.guard import Guard
from daemon.console.view import View

if TYPE_CHECKING:
    from starlette.requests import Request


def routes(view: View) -> Sequence[BaseRoute]:
    """The routes of signing in and out."""

    async def ask(request: Request) -> Response:
        return _asked(view, request)

    async def sign_in(request: Request) -> Response:
        known = _guard(request).sign_in(request.scope, view.form(request).get("token", "").strip())
        return RedirectResponse("/", status_code=303) if known else _asked(view, request, wrong=True)

    async def sign_out(request: Request) -> Response:
        _guard(request).sign_out(request.scope)
        return RedirectResponse("/login", status_code=303)

    return [
        Route("/login", ask),
        Route("/login", sign_in, methods=["POST"]),
        Route("/logout", sign_out, methods=["POST"]),
    ]


def _asked(view: View, request: Request, *, wrong: bool = False) -> Response:
    if view.visit(request).session.inside:
        return RedirectResponse("/", status_code=303)
    return view.page(request, "login.html", status=401 if wrong else 200, wrong=wrong)


def _guard(request: Request) -> Guard:
    found = request.scope["state"]["guard"]
    assert isinstance(found, Guard)
    return found
