"""The page of what is kept: timers, plans, rules and prohibitions with what is left of them; and the lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from daemon.console.feed import Put
from daemon.console.guard import Refusal
from daemon.console.view import View
from daemon.core.ir import AboutList, Program
from daemon.core.messages import ListName
from daemon.core.questions import Settled
from daemon.core.resolution import Context
from daemon.core.result import Occasion
from daemon.core.trace import Trace
from daemon.core.turn import Turn, Utterance
from daemon.lists.lists import LONGEST, LONGEST_NAME
from daemon.schedule.entries import Entry, Kept, Sort

if TYPE_CHECKING:
    from starlette.requests import Request

_SORTS: Final[tuple[Sort, ...]] = ("timer", "time", "end", "rule", "ban")
"""In the order of the page."""
Change = Literal["add", "remove", "make", "clear", "drop"]


class Waiting(Struct, frozen=True):
    """One thing that is kept for later."""

    id: int
    text: str
    left_s: float | None
    """None: it waits for something to happen, or forbids."""
    due: float | None
    paused: bool


def routes(view: View) -> Sequence[BaseRoute]:
    """The routes of the page."""
    later = Later(view)
    changes: Sequence[Change] = ("add", "remove", "make", "clear", "drop")
    return [
        Route("/later", later.show),
        Route("/later/events", later.events),
        Route("/later/{number:int}", later.one),
        Route("/later/{number:int}/cancel", later.cancel, methods=["POST"]),
        Route("/later/really", later.really),
        *(Route(f"/later/{change}", later.changing(change), methods=["POST"]) for change in changes),
    ]


class Later:
    """Answers the requests of the page."""

    def __init__(self, view: View) -> None:
        parts = view.opened.pipeline.parts
        self._view = view
        self._agenda = view.opened.later.agenda
        self._lists = view.opened.later.lists
        self._speech = parts.speech
        self._connected = parts.access.connected

    async def show(self, request: Request) -> Response:
        """All of it."""
        return self._shown(request)

    async def events(self, request: Request) -> Response:
        """What is kept, whenever that has changed."""

        def subscribe(put: Put) -> Callable[[], None]:
            def tell() -> None:
                put(self._view.part(request, "later_kept.html", **self._kept(request)))

            tell()  # it may have changed since the page was made
            return self._agenda.on_change(tell)

        return self._view.feeds.feed(subscribe)

    async def one(self, request: Request) -> Response:
        """One thing that is to be cancelled, as it is now."""
        entry = self._asked(request)
        return self._view.page(request, "later_one.html", item=self._waiting(entry, self._view.lang(request)))

    async def cancel(self, request: Request) -> Response:
        """It is cancelled, as the command line does it."""
        await self._view.handle({"op": "later", "do": "cancel", "ids": [self._asked(request).id]})
        return RedirectResponse("/later", status_code=303)

    async def really(self, request: Request) -> Response:
        """A list that is to be emptied, or to go, as it is now."""
        name = self._list(request.query_params.get("list", ""))
        items, called = self._lists.contents[name], self._called(name, self._view.lang(request))
        does = "drop" if "drop" in request.query_params else "clear"
        return self._view.page(request, "later_list.html", name=name, called=called, items=items, does=does)

    def changing(self, change: Change) -> Callable[[Request], object]:
        """What answers a change of a list: it goes the way of what is said, and so is refused in the same words."""

        async def change_it(request: Request) -> Response:
            form, lang = self._view.form(request), self._view.lang(request)
            name = form.get("list", "").strip()
            name = self._lists.named(name) or name if change in ("add", "make") else self._list(name)
            clause = AboutList(change, name, tuple(item for item in (form.get("item", ""),) if item.strip()))
            turn = Turn(
                Program((clause,), "dialogue", lang),
                at=0,
                context=Context(lang=lang),
                # Whoever sends the form has seen what it is about.
                settled=Settled(confirmed=(name,)),
                heard=1.0,
                trace=Trace(),
                satellite=Utterance("").satellite,
            )
            report = await self._view.opened.pipeline.fire(turn, Occasion("", lang, turn.satellite, source="console"))
            if report.outcome != "assistant":
                return self._shown(request, problem=self._speech.reply(report.said, lang), status=409)
            return RedirectResponse(f"/later#{_mark(name)}", status_code=303)

        return change_it

    def _shown(self, request: Request, *, problem: str = "", status: int = 200) -> Response:
        lang = self._view.lang(request)
        lists = [(name, _mark(name), self._called(name, lang), items) for name, items in self._lists.contents.items()]
        limits = {"longest": LONGEST, "longest_name": LONGEST_NAME}
        values = self._kept(request) | {"lists": lists, "problem": problem} | limits
        return self._view.page(request, "later.html", status=status, **values)

    def _kept(self, request: Request) -> dict[str, object]:
        """What is kept, by its sort."""
        return {"kept": dict(self._sorted(self._view.lang(request)))}

    def _sorted(self, lang: str) -> Iterator[tuple[Sort, list[Waiting]]]:
        for sort in _SORTS:
            if found := [self._waiting(item, lang) for item in self._agenda.entries if item.sort == sort]:
                yield sort, found

    def _waiting(self, entry: Entry, lang: str) -> Waiting:
        due = self._agenda.due(entry)
        known, paused = not math.isinf(due), entry.left is not None
        left = entry.left if paused else max(0.0, due - self._agenda.clock.wall()) if known else None
        text = self._speech.words(Kept((self._agenda.as_now(entry),)), lang)
        return Waiting(entry.id, text, left, due if known and not paused else None, paused)

    def _called(self, name: str, lang: str) -> str:
        return self._speech.words(ListName(name), lang)

    def _asked(self, request: Request) -> Entry:
        found = self._agenda.get(request.path_params["number"])
        if found is None:
            raise Refusal(404, "gone")
        return found

    def _list(self, name: str) -> str:
        """The list of this name that there is."""
        found = self._lists.named(name)
        if found is None:
            raise Refusal(404, "gone")
        return found


def _mark(name: str) -> str:
    """What the element of a list is called on the page: its name may hold anything."""
    return f"list-{name.encode(errors='replace').hex()[:80]}"
