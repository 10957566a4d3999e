"""All pages, in the order of the navigation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from daemon.console import health, history, home, later, login, metrics, talk
from daemon.console.view import View

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

PAGES: Final[Mapping[str, Callable[[View], Sequence[BaseRoute]]]] = {
    "talk": talk.routes,
    "home": home.routes,
    "later": later.routes,
    "history": history.routes,
    "health": health.routes,
}
"""By the first part of its path, under which all its routes lie. A new page is one more line here."""
OTHERS: Final = (login.routes, metrics.routes)
"""What is served and is in no navigation."""
