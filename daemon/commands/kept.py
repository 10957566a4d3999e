"""`later`, `learnt` and `audit`: what is kept for later, what was learnt of words, and what was done and refused."""

from __future__ import annotations

import argparse
import contextlib
import functools
import re
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, get_args

from daemon.act.audit import Audit
from daemon.commands.options import common, emit, load_any, printable
from daemon.core.errors import HearkenError, UsageError
from daemon.core.outcomes import Status
from daemon.memory.ledger import Ledger
from daemon.schedule.entries import Entry, Kept
from daemon.system import control
from daemon.system.config import Paths

if TYPE_CHECKING:
    from daemon.app import Later

_FIELDS = ("word", "meaning", "speaker")
_SPAN = re.compile(r"([0-9]{1,6})\s*([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MOST = 1_000_000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommands."""
    _add_later(subparsers)
    _add_learnt(subparsers)
    _add_audit(subparsers)


def _add_later(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "later",
        parents=[common()],
        help="list and cancel timers, planned commands and rules",
        description="Lists what is kept for later, the next first, or cancels some of it by its number.",
    )
    what = parser.add_subparsers(dest="do", metavar="WHAT")
    parser.set_defaults(run=run_later, do="list", ids=[])
    what.add_parser("list", help="everything (this is what happens where nothing is said)")
    cancel = what.add_parser("cancel", help="drop what has this number")
    cancel.add_argument("ids", metavar="ID", nargs="+", type=int)


def _add_learnt(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "learnt",
        parents=[common()],
        help="list and edit the names and preferences that were learnt",
        description="Lists what was learnt of words, with its origin; adds, renames and removes it. A running daemon "
        "knows it at once.",
    )
    what = parser.add_subparsers(dest="do", metavar="WHAT")
    parser.set_defaults(run=run_learnt, do="list", yes=False)
    what.add_parser("list", help="everything (this is what happens where nothing is said)")
    add = what.add_parser("add", help="give a thing one name more")
    add.add_argument("word", metavar="NAME")
    add.add_argument("meaning", metavar="DEVICE", help="its id or name")
    add.add_argument("--yes", action="store_true", help="also for what is asked about before it acts")
    prefer = what.add_parser("prefer", help="say what a word means to somebody")
    prefer.add_argument("word", metavar="WORD")
    prefer.add_argument("meaning", metavar="MEANING", help="a device, or a value such as a programme")
    prefer.add_argument("--speaker", help="whose word it is (default: everybody's)")
    rename = what.add_parser("rename", help="put another name in the place of a learnt one")
    rename.add_argument("word", metavar="OLD")
    rename.add_argument("meaning", metavar="NEW")
    remove = what.add_parser("remove", help="forget a word")
    remove.add_argument("word", metavar="WORD")
    remove.add_argument("--speaker", help="only what is theirs")


def _add_audit(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "audit",
        parents=[common()],
        help="what was done and refused",
        description="Lists acts and refusals, oldest first: when, who, what was said, why it was allowed, what was "
        "sent and what was seen. --json gives them whole, one object a line.",
    )
    parser.add_argument("--since", metavar="WHEN", help="from then on: 2h, 3d, 2026-11-21 or 2026-11-21T18:30")
    parser.add_argument("--until", metavar="WHEN", help="until then")
    parser.add_argument("--device", metavar="NAME", help="only what was asked of this device (an id or a name)")
    parser.add_argument("--outcome", choices=get_args(Status), help="only what ended so")
    parser.add_argument("--speaker", metavar="NAME", help="only what this person said")
    parser.add_argument("--limit", type=_count, default=100, metavar="N", help="the newest N at most (100)")
    parser.set_defaults(run=run_audit)


async def run_later(args: argparse.Namespace) -> int:
    """Asks the running daemon, or reads what is kept where none runs."""
    from daemon.commands.session import kept

    async def here(paths: Paths) -> control.Handler:
        return functools.partial(answer_later, await kept(paths))

    told = await _told(args, {"op": "later", "do": args.do, "ids": args.ids}, here)
    _show(told["later"], _later_line, "nothing is kept for later", as_json=args.json)
    return 0


async def run_learnt(args: argparse.Namespace) -> int:
    """Asks the running daemon, or edits what is kept where none runs."""
    from daemon.commands.session import reading

    async def here(paths: Paths) -> control.Handler:
        return functools.partial(answer_learnt, await reading(paths))

    given = {name: value for name in _FIELDS if (value := getattr(args, name, None)) is not None}
    told = await _told(args, {"op": "learnt", "do": args.do, "yes": args.yes} | given, here)
    _show(told["learnt"], _learnt_line, "nothing has been learnt", as_json=args.json)
    return 0


async def _told(
    args: argparse.Namespace, asked: dict[str, Any], here: Callable[[Paths], Awaitable[control.Handler]]
) -> dict[str, Any]:
    """The answer of the running daemon, or of this process where none runs, or another home is meant."""
    paths = Paths.of(args.home)
    async with contextlib.nullcontext(None) if args.home else control.asking(paths.socket) as running:
        handle = await here(paths) if running is None else running
        return await handle(asked)


def _show(listed: list[dict[str, Any]], line: Callable[[dict[str, Any]], str], none: str, *, as_json: bool) -> None:
    for facts in listed:
        if as_json:
            emit(facts)
        else:
            print(printable(line(facts)))
    if not listed and not as_json:
        print(none)


async def answer_later(later: Later, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request `{"op": "later", "do": "list" | "cancel", "ids": [...]}`: what is kept then.

    Raises:
        UsageError: it is not a request.
        HearkenError: there is nothing with such a number.
    """
    ids = asked.get("ids", [])
    if asked.get("do") == "cancel":
        if not isinstance(ids, list) or not all(isinstance(item, int) for item in ids):
            raise UsageError("ids is no list of numbers")
        if (unknown := next((item for item in ids if later.agenda.get(item) is None), None)) is not None:
            raise HearkenError(f"nothing that is kept has the number {unknown}")
        await later.agenda.drop(ids)
    elif asked.get("do") != "list":
        raise UsageError(f"there is nothing to do as {asked.get('do')!r}")
    return {"later": facts(later)}


def facts(later: Later) -> list[dict[str, object]]:
    """Everything that is kept, JSON-ready; what does not apply is left out."""
    return [_facts(later, item) for item in later.agenda.entries]


def _facts(later: Later, entry: Entry) -> dict[str, object]:
    entry = later.agenda.as_now(entry)
    told: dict[str, object] = {
        "id": entry.id,
        "sort": entry.sort,
        "due": None if entry.due is None else later.clock.local(entry.due).astimezone().isoformat(timespec="seconds"),
        "standing": entry.standing,
        "text": later.speech.reply((Kept((entry,)),), entry.origin.lang),
        "said": entry.origin.said,
        "satellite": entry.origin.satellite,
        "entities": list(entry.entities),
        "name": entry.name,
        "paused": True if entry.left is not None else None,
    }
    return {name: value for name, value in told.items() if value not in (None, [])}


def _later_line(facts: dict[str, Any]) -> str:
    return f"{facts['id']:>4}  {facts.get('due', ''):<25}  {facts['text']}"


async def answer_learnt(ledger: Ledger, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request `{"op": "learnt", "do": "list" | "add" | "prefer" | "rename" | "remove", ...}`.

    Raises:
        UsageError: it is not a request.
        HearkenError: it cannot be done.
    """
    do = asked.get("do")
    word, meaning, speaker = (asked.get(name) for name in _FIELDS)
    if do != "list" and not isinstance(word, str):
        raise UsageError("a request to learn needs a word")
    if do not in ("list", "remove") and not isinstance(meaning, str):
        raise UsageError("a request to learn needs a meaning")
    if not isinstance(speaker, str | None):
        raise UsageError("speaker is not a word")
    match do:
        case "add":
            await ledger.name(str(word), str(meaning), agreed=asked.get("yes") is True)
        case "prefer":
            await ledger.prefer(str(word), str(meaning), speaker)
        case "rename":
            await ledger.rename(str(word), str(meaning))
        case "remove":
            await ledger.forget(str(word), speaker)
        case "list":
            pass
        case _:
            raise UsageError(f"there is nothing to do as {do!r}")
    return {"learnt": ledger.facts()}


def _learnt_line(facts: dict[str, Any]) -> str:
    origin = facts["origin"]
    when = datetime.fromtimestamp(origin["at"]).astimezone().strftime("%Y-%m-%d")
    whose = facts.get("speaker") or "everybody"
    means = f"{facts['meaning']} {facts.get('unit', '')}".strip()
    gone = "" if facts["applies"] else "  (there is no such device)"
    head = f"{facts['word']:<24} {facts['kind']:<11} {means:<24} {whose:<10}"
    return f"{head} {origin['how']:<8} {when}  {facts['uses']}x{gone}"


async def run_audit(args: argparse.Namespace) -> int:
    """Prints the rows that fit; 1 where there is no log or a name is not known."""
    paths = Paths.of(args.home)
    file = paths.state / "audit.db"
    if not file.exists():
        raise HearkenError(f"there is no audit log at {file}: nothing was done yet")
    now = datetime.now().astimezone()
    rows = await Audit(file).rows(
        since=_moment(args.since, now),
        until=_moment(args.until, now),
        device=_id(args.device, paths, "device"),
        speaker=_id(args.speaker, paths, "person"),
        status=args.outcome,
        limit=args.limit,
    )
    for row in reversed(rows):
        if args.json:
            emit(row | {"at": datetime.fromtimestamp(row["at"], now.tzinfo).isoformat(timespec="milliseconds")})
        else:
            print(_audit_line(row, now))
    return 0


def _audit_line(row: dict[str, Any], now: datetime) -> str:
    at = datetime.fromtimestamp(row["at"], now.tzinfo)
    who = " ".join(str(row[key]) for key in ("speaker", "satellite") if row[key]) or "-"
    what = f"{row['device'] or '-'} {row['action'] or ''}".strip()
    why = f" ({row['reason']})" if row["reason"] else ""
    return printable(f"{at:%Y-%m-%d %H:%M:%S}  {row['status'] + why:<24} {what:<32} {who:<16} {row['said']}")


def _id(name: str | None, paths: Paths, kind: str) -> str | None:
    """The id of what is called so in the home file; a name that it does not know is taken for an id."""
    if name is None:
        return None
    plain = name.casefold()
    entities = [item for item in load_any(paths.home).entities if item.kind == kind]
    found = [item.id for item in entities if plain in {item.id.casefold(), *(one.casefold() for one in item.names)}]
    if len(found) > 1:
        raise UsageError(f"{len(found)} are called {name!r}: {', '.join(found)}; give one of these ids")
    return found[0] if found else name


def _moment(text: str | None, now: datetime) -> float | None:
    """Seconds since the epoch."""
    if text is None:
        return None
    span = _SPAN.fullmatch(text.strip())
    if span is not None:
        return (now - timedelta(**{_UNITS[span[2]]: int(span[1])})).timestamp()
    try:
        return datetime.fromisoformat(text).astimezone(now.tzinfo).timestamp()
    except ValueError:
        raise UsageError(f"{text!r} is no time; write for example 2h, 3d, 2026-11-21 or 2026-11-21T18:30") from None


def _count(text: str) -> int:
    number = int(text)
    if not 0 < number <= _MOST:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and {_MOST}")
    return number
