"""The page on which one types what one would say, and sees what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from daemon.console.chat import READING_S, Chat, Chats, Line
from daemon.console.guard import Refusal
from daemon.console.story import story
from daemon.console.view import View
from daemon.core.errors import HearkenError
from daemon.core.values import replace

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

_LONGEST: Final = 500
"""Characters that the field takes."""


def routes(view: View) -> Sequence[BaseRoute]:
    """The routes of the page."""
    talk = Talk(view)
    view.opened.pipeline.parts.announcements.listen(talk.chats.announce)
    return [
        Route("/talk", talk.show),
        Route("/talk/say", talk.say, methods=["POST"]),
        Route("/talk/undo", talk.undo, methods=["POST"]),
        Route("/talk/events", talk.events),
        Route("/talk/{number:int}", talk.story),
    ]


class Talk:
    """Answers the requests of the page."""

    def __init__(self, view: View) -> None:
        self.chats = Chats()
        self._view = view
        self._conversations = view.opened.pipeline.parts.conversations

    async def show(self, request: Request) -> Response:
        """The conversation so far."""
        chat, lang = self.chats.look(self._session(request)), self._view.lang(request)
        areas = [(item.id, item.name(lang)) for item in self._view.opened.inventory.registry.areas]
        values = self._drawn(chat, tuple(chat.lines))
        return self._view.page(request, "talk.html", areas=areas, area=chat.area, longest=_LONGEST, **values)

    async def say(self, request: Request) -> Response:
        """Something was typed, or an answer was chosen."""
        chat, form = self._chat(request), self._view.form(request)
        answers = form.get("answers")
        if answers is not None and not self._waits(chat, answers):
            raise Refusal(409, "lapsed")
        chat.area = form.get("area", chat.area)
        text = form.get("text", "").strip()
        changed = await self._said(chat, text, None) if text else ()
        return self._shown(request, chat, changed)

    async def undo(self, request: Request) -> Response:
        """The last act was wrong: it is taken back, as if that had been said."""
        chat, number = self._chat(request), self._view.form(request).get("line")
        line = chat.undoable
        if line is None or str(line.id) != number:
            raise Refusal(409, "lapsed")
        line.undone = True
        changed = await self._said(chat, self._view.words.say("talk.undo_that", line.lang), line.lang)
        return self._shown(request, chat, (line, *(item for item in changed if item is not line)))

    async def events(self, request: Request) -> Response:
        """What is said in this conversation from now on, wherever it comes from."""
        chat = self._chat(request)
        return self._view.feeds.feed(lambda put: chat.follow(put, lambda lines: self._part(request, chat, lines)))

    async def story(self, request: Request) -> Response:
        """What happened between one sentence and its reply."""
        line = self.chats.look(self._session(request)).line(request.path_params["number"])
        if line is None or line.result is None:
            raise Refusal(404, "unknown")
        values: dict[str, Any] = {"line": line, "steps": tuple(story(line.result, self._named(line.lang)))}
        if self._view.wants_part(request):
            return PlainTextResponse(self._view.part(request, "talk_story.html", **values))
        return self._view.page(request, "talk_one.html", **values)

    async def _said(self, chat: Chat, text: str, lang: str | None) -> tuple[Line, ...]:
        """The lines that look otherwise once this was said."""
        asked: dict[str, Any] = {"op": "text", "text": text, "satellite": chat.satellite}
        asked |= {name: value for name, value in (("lang", lang), ("area", chat.area)) if value}
        try:
            result = await self._view.handle(asked)
        except HearkenError:
            chat.area = ""  # the room may be gone
            raise
        dialogue, now = self._conversations.of(chat.satellite), self._conversations.now()
        question, options = dialogue.question(now), list[str]()
        if question is not None:
            dialogue.ask(replace(question, expires_at=now + READING_S), now)
            options = self._view.opened.pipeline.parts.speech.options(question, result["lang"])
        acted = (dialogue.undoable or dialogue.fresh) and _did(result)
        return chat.add(self.chats.said(result, question, options, acted=acted))

    def _waits(self, chat: Chat, number: str) -> bool:
        """Whether the question of this line still waits for its answer."""
        dialogue, line = self._conversations.of(chat.satellite), chat.asking
        return line is not None and str(line.id) == number and dialogue.question(self._conversations.now()) is not None

    def _shown(self, request: Request, chat: Chat, lines: tuple[Line, ...]) -> Response:
        if self._view.wants_part(request):
            return PlainTextResponse(self._part(request, chat, lines))
        return RedirectResponse(f"/talk#line-{lines[-1].id}" if lines else "/talk", status_code=303)

    def _part(self, request: Request, chat: Chat, lines: tuple[Line, ...]) -> str:
        return self._view.part(request, "talk_lines.html", **self._drawn(chat, lines))

    def _drawn(self, chat: Chat, lines: tuple[Line, ...]) -> dict[str, Any]:
        return {"lines": lines, "asking": chat.asking, "undoable": chat.undoable, "words": self._view.words.say}

    def _chat(self, request: Request) -> Chat:
        return self.chats.of(self._session(request))

    def _session(self, request: Request) -> str:
        return self._view.visit(request).session.id

    def _named(self, lang: str) -> Callable[[str], str]:
        registry = self._view.opened.inventory.registry

        def named(entity: str) -> str:
            found = registry.get(entity)
            return entity if found is None else found.name(lang)

        return named


def _did(result: dict[str, Any]) -> bool:
    """Whether this utterance did something: a question about the act before it did not."""
    return result["outcome"] not in ("query", "clarify", "reject", "ignore")
