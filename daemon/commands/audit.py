"""`audit`: what was done and refused, when, for whom, and what was seen of it."""

from __future__ import annotations

import argparse
import re
from datetime import datetime, timedelta
from typing import Any, get_args

from daemon.act.audit import Audit
from daemon.commands.options import common, emit, load_any, printable
from daemon.core.errors import HearkenError, UsageError
from daemon.core.outcomes import Status
from daemon.system.config import Paths

_SPAN = re.compile(r"([0-9]{1,6})\s*([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MOST = 1_000_000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
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
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
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
            print(_line(row, now))
    return 0


def _line(row: dict[str, Any], now: datetime) -> str:
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
