"""The page of what was done and refused: the audit log, found through, page by page, and taken along."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, get_args
from urllib.parse import urlencode

from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from daemon.act.audit import Audit
from daemon.console.guard import Refusal
from daemon.console.rooms import folded, mark
from daemon.console.view import View
from daemon.core.outcomes import Status

if TYPE_CHECKING:
    from starlette.requests import Request

_SHOWN: Final = 50
"""Rows on a page."""
_TAKEN: Final = 500
"""Rows that are in memory at once while the log is taken along, however long it is."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""With what a cell begins that a spreadsheet would compute: what people say is no program of theirs."""
_ASKED: Final = ("device", "outcome", "day", "q")
_STATUSES: Final = get_args(Status)


def routes(view: View) -> Sequence[BaseRoute]:
    """The routes of the page."""
    history = History(view)
    return [
        Route("/history", history.show),
        Route("/history/acts.jsonl", history.taken(_as_json, "application/jsonl")),
        Route("/history/acts.csv", history.taken(_as_csv, "text/csv; charset=utf-8")),
    ]


class History:
    """Answers the requests of the page."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._audit = view.opened.inventory.audit
        self._registry = view.opened.inventory.registry
        self._clock = view.opened.later.clock

    async def show(self, request: Request) -> Response:
        """One page of what fits."""
        given, before = self._given(request), request.query_params.get("before", "")
        wanted = self._wanted(given) | ({"before": int(before)} if before.isdecimal() and len(before) < _LONG else {})
        rows = await self._audit.rows(**wanted, limit=_SHOWN + 1) if self._audit is not None else []
        shown, lang = rows[:_SHOWN], self._view.lang(request)
        values: dict[str, Any] = {
            "kept": self._audit is not None,
            "rows": [row | self._called(row["device"], lang) for row in shown],
            "given": {name: given.get(name, "") for name in _ASKED},
            "query": urlencode(given),
            "older": urlencode(given | {"before": shown[-1]["id"]}) if len(rows) > _SHOWN else None,
            "newest": before == "",
            "statuses": _STATUSES,
        }
        return self._view.page(request, "history.html", **values)

    def taken(self, form: Callable[[Sequence[Mapping[str, Any]], bool], str], media_type: str) -> Callable[..., object]:
        """What answers with all that fits, in this form."""

        async def take(request: Request) -> Response:
            audit, wanted = self._audit, self._wanted(self._given(request))
            if audit is None:
                raise Refusal(404, "gone")
            name = request.url.path.rpartition("/")[2]
            headers = {"content-disposition": f'attachment; filename="{name}"'}
            return StreamingResponse(self._all(audit, wanted, form), media_type=media_type, headers=headers)

        return take

    async def _all(
        self, audit: Audit, wanted: Mapping[str, Any], form: Callable[[Sequence[Mapping[str, Any]], bool], str]
    ) -> AsyncIterator[str]:
        before, first = None, True
        while rows := await audit.rows(**wanted, before=before, limit=_TAKEN):
            yield form(
                [row | {"at": self._moment(row["at"]).isoformat(timespec="milliseconds")} for row in rows], first
            )
            before, first = rows[-1]["id"], False

    def _given(self, request: Request) -> dict[str, str]:
        """What is looked for, as it was typed."""
        given = {name: request.query_params.get(name, "").strip() for name in _ASKED}
        return {name: text for name, text in given.items() if text}

    def _wanted(self, given: Mapping[str, str]) -> dict[str, Any]:
        """The same, as the log takes it."""
        since, until = self._day(given["day"]) if "day" in given else (None, None)
        status = given.get("outcome")
        return {
            "device": self._id(given["device"]) if "device" in given else None,
            "status": status if status in _STATUSES else None,
            "words": given.get("q"),
            "since": since,
            "until": until,
        }

    def _day(self, text: str) -> tuple[float | None, float | None]:
        """Where a day of the home begins and ends."""
        try:
            day = date.fromisoformat(text)
            return self._clock.moment(day, 0), self._clock.moment(day + timedelta(days=1), 0)
        except (ValueError, OverflowError):
            raise Refusal(400, "form") from None

    def _id(self, name: str) -> str:
        """The id of what is called so; what nothing is called any more may still be an id."""
        called = [item.id for item in self._registry if folded(name) in map(folded, (item.id, *item.names))]
        return called[0] if len(called) == 1 else name

    def _called(self, device: str | None, lang: str) -> dict[str, str | None]:
        """What it is called, and where more is told of it; for what has gone, its id."""
        found = self._registry.get(device or "")
        there = found is not None and found.kind == "device"
        return {
            "called": found.name(lang) if found is not None else device,
            "mark": mark(device or "") if there else None,
        }

    def _moment(self, at: float) -> datetime:
        return self._clock.local(at).astimezone()


_LONG: Final = 18
"""Digits of a number that is none of a row's."""


def _as_json(rows: Sequence[Mapping[str, Any]], _: bool) -> str:  # noqa: FBT001 - one form of several
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _as_csv(rows: Sequence[Mapping[str, Any]], first: bool) -> str:  # noqa: FBT001 - one form of several
    out = io.StringIO()
    table = csv.writer(out)
    if first:
        table.writerow(rows[0])
    table.writerows([_cell(value) for value in row.values()] for row in rows)
    return out.getvalue()


def _cell(value: object) -> str:
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if text.startswith(_FORMULA) else text
