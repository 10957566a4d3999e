"""The page on which one types what one would say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.routing import BaseRoute, Route

from daemon.console.view import View

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


def routes(view: View) -> Sequence[BaseRoute]:
    """The routes of the page."""

    async def show(request: Request) -> Response:
        return view.page(request, "talk.html")

    return [Route("/talk", show)]
