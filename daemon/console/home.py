"""The page of the home: its rooms, each device with what is known of it, and what it may be called."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from daemon.act.answers import Able
from daemon.act.states import Sighting, States
from daemon.console.feed import Put
from daemon.console.guard import Refusal
from daemon.console.rooms import Rooms, mark
from daemon.console.view import View
from daemon.core.entities import Entity
from daemon.core.messages import Names, Words, say
from daemon.home.names import fold

if TYPE_CHECKING:
    from starlette.requests import Request

_BEAT_S: Final = 0.5
"""Between two looks at what has changed: a page that is told of each state by itself would be told of nothing else."""
_MOST: Final = 100
"""So many devices one beat tells of; of more, the others wait for the next."""


def routes(view: View) -> Sequence[BaseRoute]:
    """The routes of the page."""
    home = Home(view)
    return [
        Route("/home", home.show),
        Route("/home/events", home.events),
        Route("/home/settle", home.settle),
        Route("/home/{mark}", home.device),
        Route("/home/{mark}/events", home.device_events),
        Route("/home/{mark}/name", home.named),
        Route("/home/{mark}/name", home.name, methods=["POST"]),
        Route("/home/{mark}/forget", home.forgotten),
        Route("/home/{mark}/forget", home.forget, methods=["POST"]),
    ]


class Home:
    """Answers the requests of the page."""

    def __init__(self, view: View) -> None:
        parts = view.opened.pipeline.parts
        self._view = view
        self._registry = view.opened.inventory.registry
        self._ledger = view.opened.ledger
        self._speech = parts.speech
        self._states = parts.access.states
        self._help = parts.help
        self._rooms = Rooms(self._registry, self._states, parts.speech)

    async def show(self, request: Request) -> Response:
        """All devices, or those that are looked for."""
        wanted = request.query_params.get("q", "")
        floors = self._rooms.floors(self._view.lang(request), wanted)
        return self._view.page(request, "home.html", floors=floors, wanted=wanted, devices=len(self._registry.devices))

    async def events(self, request: Request) -> Response:
        """What devices tell from now on."""

        def part(ids: Sequence[str]) -> str:
            lines = self._rooms.lines(ids, self._view.lang(request))
            return self._view.part(request, "home_states.html", lines=lines)

        return self._view.feeds.feed(lambda put: Beat(self._states, part, put).end)

    async def device(self, request: Request) -> Response:
        """One device."""
        return await self._shown(request, self._asked(request))

    async def device_events(self, request: Request) -> Response:
        """What one device tells from now on."""
        device = self._asked(request)

        def part(_: Sequence[str]) -> str:
            told = self._rooms.told(self._registry[device.id], self._view.lang(request))
            return self._view.part(request, "device_told.html", told=told)

        return self._view.feeds.feed(lambda put: Beat(self._states, part, put, device.id).end)

    async def named(self, request: Request) -> Response:
        """What changes where a device bears one name more; or why it can't."""
        device, word = self._asked(request), request.query_params.get("word", "").strip()
        if (problem := self._ledger.problem(word, device)) is not None:
            bearers = Names(tuple(item.id for item in problem.bearers))
            why = say(f"learn_{problem.reason}", len(problem.bearers), word=Words(word), names=bearers)
            problem_said = self._speech.words(why, self._view.lang(request))
            return await self._shown(request, device, problem=problem_said, word=word)
        return self._difference(request, device, word, (*device.names, word))

    async def name(self, request: Request) -> Response:
        """A device bears one name more; what is risky too, for its owner has looked at the change."""
        device = self._asked(request)
        return await self._learnt(device, {"do": "add", "word": self._word(request), "meaning": device.id, "yes": True})

    async def forgotten(self, request: Request) -> Response:
        """What changes where what was learnt of a word is forgotten."""
        device, word = self._asked(request), request.query_params.get("word", "")
        gone = [item for item in self._ledger.facts() if fold(item["word"]) == fold(word)]
        if not gone:
            raise Refusal(404, "unknown")
        after = tuple(name for name in device.names if name not in device.learnt or fold(name) != fold(word))
        return self._difference(request, device, word, after, gone)

    async def forget(self, request: Request) -> Response:
        """What was learnt of a word is forgotten."""
        return await self._learnt(self._asked(request), {"do": "remove", "word": self._word(request)})

    async def settle(self, request: Request) -> Response:
        """In what the home file and the broker differ, and what nobody can say."""
        found = await self._view.handle({"op": "devices", "what": "diff"})
        return self._view.page(request, "settle.html", found={what: told for what, told in found.items() if told})

    async def _learnt(self, device: Entity, asked: dict[str, Any]) -> Response:
        """Asks it of what was learnt, as the command line does."""
        await self._view.handle({"op": "learnt"} | asked)
        return RedirectResponse(f"/home/{mark(device.id)}?kept=1", status_code=303)

    def _difference(
        self, request: Request, device: Entity, word: str, after: Sequence[str], gone: Sequence[dict[str, Any]] = ()
    ) -> Response:
        values: dict[str, Any] = {"device": device, "mark": mark(device.id), "word": word, "after": after, "gone": gone}
        return self._view.page(request, "name.html", do="forget" if gone else "name", **values)

    async def _shown(self, request: Request, device: Entity, *, problem: str = "", word: str = "") -> Response:
        lang = self._view.lang(request)
        values: dict[str, Any] = {
            "device": device,
            "mark": mark(device.id),
            "facts": await self._view.opened.inventory.describe(device, acts=True),
            "area": self._registry.area_of(device.id),
            "floor": self._registry.floor_of(device.id),
            "told": self._rooms.told(device, lang),
            "away": self._states.online(device.id) is False,
            "able": self._speech.words(Able((device.id,)), lang),
            "examples": self._help.examples(device, lang),
            "kept": "kept" in request.query_params,
        }
        status = 409 if problem else 200
        return self._view.page(request, "device.html", status=status, problem=problem, word=word, **values)

    def _asked(self, request: Request) -> Entity:
        """The device of this page."""
        wanted = request.path_params["mark"]
        found = next((item for item in self._registry.devices if mark(item.id) == wanted), None)
        if found is None:
            raise Refusal(404, "unknown")
        return found

    def _word(self, request: Request) -> str:
        return self._view.form(request).get("word", "").strip()


class Beat:
    """Tells one page, now and then, which devices have told something since."""

    def __init__(
        self, states: States, part: Callable[[Sequence[str]], str], put: Put, device: str | None = None
    ) -> None:
        """Begins; with a `device`, of that alone."""
        self._part = part
        self._put = put
        self._waiting: dict[str, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._ended = states.on_change(self._saw, device)

    def end(self) -> None:
        """The page is gone."""
        self._ended()
        if self._timer is not None:
            self._timer.cancel()

    def _saw(self, sighting: Sighting) -> None:
        self._waiting[sighting.entity] = None
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_BEAT_S, self._tell)

    def _tell(self) -> None:
        told = tuple(islice(self._waiting, _MOST))
        for device in told:
            del self._waiting[device]
        again = bool(self._waiting)
        self._timer = asyncio.get_running_loop().call_later(_BEAT_S, self._tell) if again else None
        self._put(self._part(told))
