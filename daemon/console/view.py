"""What every page is made of: the home at work, the words of the reader's language, the layout around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct, field
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from daemon.app import Opened
from daemon.console.feed import Feeds
from daemon.console.guard import COOKIE, Visit
from daemon.console.words import Words
from daemon.home.config import HomeConfig
from daemon.system.config import Paths

if TYPE_CHECKING:
    from starlette.types import Scope

from daemon.console.guard import Refusal

HERE: Final = Path(__file__).parent
_LANG: Final = f"{COOKIE}-lang"
_YEAR_S: Final = 365 * 24 * 3600
_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
FRAGMENT: Final = "x-fragment"
"""The header by which our own script asks for what is new alone, and not for the page around it."""

Handle = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
Listen = Callable[[Callable[[dict[str, Any]], None]], Callable[[], None]]


class Wakes(Protocol):
    """How often a place was woken."""

    @property
    def wakes(self) -> int:
        """How often its wake word was heard ..."""

    @property
    def in_vain(self) -> int:
        """... and how often for nothing."""


class Place(Protocol):
    """A satellite, as far as pages tell of it."""

    @property
    def there(self) -> bool:
        """Whether it is connected."""

    @property
    def listens(self) -> bool:
        """Whether what is said there would be taken as a command now."""

    @property
    def tally(self) -> Wakes:
        """How often it was woken."""


class View(Struct, frozen=True):
    """What a page shows, and what it shows it with. One event loop.

    A page is a module with `routes(view)`, listed in `daemon.console.pages`; a template that extends `layout.html`;
    and a section of its own in `rules/<lang>/console.yaml`.
    """

    home: HomeConfig
    """What the home file says."""
    opened: Opened
    """The home at work: pipeline, inventory, ledger, what is for later."""
    paths: Paths
    handle: Handle
    """Carries out one request, as those of the control socket; may raise HearkenError."""
    listen: Listen
    """Has a listener called with the result of whatever is said, wherever it is; gives what ends that."""
    words: Words
    places: Mapping[str, Place] = field(default_factory=dict)
    """The satellites, by name."""
    feeds: Feeds = field(default_factory=Feeds)
    """Tells pages that are open what happens."""
    pages: tuple[str, ...] = ()
    """The paths of the navigation, in its order, without their slash; `<path>.title` are their words."""

    def page(self, request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page in the reader's language. A template sees `values`, and what `_around` adds."""
        around = self._around(request, **values)
        response = HTMLResponse(_TEMPLATES.get_template(template).render(around), status_code=status)
        if request.query_params.get("lang") == around["lang"]:
            response.set_cookie(_LANG, around["lang"], max_age=_YEAR_S, samesite="strict", httponly=True)
        return response

    def part(self, request: Request, template: str, **values: Any) -> str:
        """A part of a page, to be put into one that is open."""
        return _TEMPLATES.get_template(template).render(self._around(request, **values))

    def say(self, request: Request, key: str, **places: object) -> str:
        """Words in the reader's language."""
        return self.words.say(key, self.lang(request), **places)

    def lang(self, request: Request) -> str:
        """The language that the reader has chosen, or that his browser asks for."""
        wished = request.query_params.get("lang") or request.cookies.get(_LANG)
        return self.words.chosen(wished, request.headers.get("accept-language", ""), self.home.languages[0])

    def when(self, at: float) -> str:
        """A moment, in seconds since the epoch, by the clock of the home."""
        return f"{self.opened.later.clock.local(at):%Y-%m-%d %H:%M:%S}"

    def visit(self, request: Request) -> Visit:
        """Whose request it is, and what its form says."""
        found = request.scope["state"]["visit"]
        assert isinstance(found, Visit)
        return found

    def form(self, request: Request) -> dict[str, str]:
        """What the form of a changing request says. The guard has seen to it that it is a form of ours."""
        return dict(self.visit(request).form)

    def wants_part(self, request: Request) -> bool:
        """Whether our own script asks, which shows what is new in the page that is open."""
        return FRAGMENT in request.headers

    def refused(self, scope: Scope, refusal: Refusal) -> Response:
        """The answer to what is not let through."""
        request = Request(scope)
        if refusal.why == "outside" and request.method == "GET" and not self.wants_part(request):
            return RedirectResponse("/login", status_code=303)
        why = self.say(request, f"refused.{refusal.why}", **refusal.places)
        response = self.page(request, "refused.html", status=refusal.status, why=why)
        if "seconds" in refusal.places:
            response.headers["retry-after"] = str(refusal.places["seconds"])
        return response

    def _around(self, request: Request, **values: Any) -> dict[str, Any]:
        lang, visit = self.lang(request), self.visit(request)

        def say(key: str, **places: object) -> str:
            return self.words.say(key, lang, **places)

        return {
            "say": say,
            "when": self.when,
            "lang": lang,
            "languages": [(item, self.words.say("language", item)) for item in self.words.languages],
            "elsewhere": lambda code: request.url.include_query_params(lang=code).query,
            "marked": lambda: Markup('<input type="hidden" name="mark" value="{}">').format(visit.mark),
            "let_in": visit.session.inside,
            "locked": self.home.console is not None and self.home.console.token is not None,
            "pages": self.pages,
            "here": request.url.path.strip("/").partition("/")[0],
        } | values
