"""`text`: one or more typed commands, in one conversation."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from daemon import control
from daemon.commands.options import common, show
from daemon.commands.session import session
from daemon.config import Paths

if TYPE_CHECKING:
    from daemon.pipeline import Pipeline


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        "text",
        parents=[common(speech=True)],
        help="a typed command, as if it had been spoken",
        description="Understands and carries out typed commands, one after the other in the same conversation: "
        "an answer to a question is just the next one.",
    )
    parser.add_argument("sentences", nargs="+", metavar="TEXT")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """Asks the running daemon, or a home of its own where none runs; 1 where something could not be done."""
    paths = Paths.of(args.home)
    requests = [request(args, sentence) for sentence in args.sentences]
    # A home that was named is meant, whatever daemon may be running with another one.
    answers = None if args.home else await control.ask(paths.socket, requests)
    if answers is None:
        async with session(paths) as pipeline:
            answers = [await answer(pipeline, item) for item in requests]
    for result in answers:
        show(result, as_json=args.json, trace=args.trace)
    return exit_code(answers)


def request(args: argparse.Namespace, sentence: str, **extra: Any) -> dict[str, Any]:
    """A request of the control socket, with what the options say."""
    given = {"lang": args.lang, "area": args.area, "speaker": args.speaker}
    return {"op": "text", "text": sentence} | {key: value for key, value in given.items() if value} | extra


async def answer(pipeline: Pipeline, request: dict[str, Any]) -> dict[str, Any]:
    """The result of one request, with its trace."""
    from daemon.turn import Utterance

    result = await pipeline.handle(
        Utterance(
            text=str(request.get("text", "")),
            lang=request.get("lang"),
            area=request.get("area"),
            speaker=request.get("speaker"),
            satellite=str(request.get("satellite", "console")),
            heard=float(request.get("heard", 1.0)),
        )
    )
    return result.to_dict(trace=True)


def exit_code(results: list[dict[str, Any]]) -> int:
    """0 where everything that was asked was done, answered or asked back; else 1."""
    bad = {"failed", "unconfirmed", "refused", "not_found"}
    for result in results:
        if result["outcome"] in ("reject", "ignore"):
            return 1
        if any(outcome["status"] in bad for outcome in result.get("outcomes", ())):
            return 1
    return 0
