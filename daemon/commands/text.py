"""`text`, `listen` and `parse`: sentences that are typed, spoken in sound files, or only read."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.commands.options import common, complain, emit, load_any, printable, show
from daemon.core.errors import UsageError
from daemon.core.values import to_dict
from daemon.system import control
from daemon.system.config import COMMAND, Paths
from daemon.system.languages import LANGS

if TYPE_CHECKING:
    from daemon.app import Later
    from daemon.core.turn import Utterance
    from daemon.pipeline import Pipeline

_LONGEST = 2000
"""Characters. Three times what the grammar still reads: whatever is longer was not meant as a command."""
_MOST_ALTERNATIVES = 10


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommands."""
    parser = subparsers.add_parser(
        "text",
        parents=[common(speech=True)],
        help="a typed command, as if it had been spoken",
        description="Understands and carries out typed commands, one after the other in the same conversation: "
        "an answer to a question is just the next one.",
    )
    parser.add_argument("sentences", nargs="+", metavar="TEXT")
    parser.set_defaults(run=run)
    parser = subparsers.add_parser("listen", parents=[common(speech=True)], help="spoken commands from sound files")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="wav, flac, mp3, ogg at any rate")
    parser.set_defaults(run=listen)
    parser = subparsers.add_parser(
        "parse", parents=[common()], help="show how a sentence is understood; nothing is done"
    )
    parser.add_argument("sentences", nargs="+", metavar="TEXT")
    parser.add_argument("--lang", choices=LANGS, help="the language (default: told from the text)")
    parser.add_argument("--explain", action="store_true", help="its parts, what each costs, and what they come to")
    parser.add_argument("--all", action="store_true", help="every reading, not only the best")
    parser.set_defaults(run=parse)


async def run(args: argparse.Namespace) -> int:
    """Asks the running daemon, or a home of its own where none runs; 1 where something could not be done."""
    paths = Paths.of(args.home)
    results = []
    async with contextlib.AsyncExitStack() as stack:
        # A home that was named is meant, whatever daemon may be running with another one.
        handle = None if args.home else await stack.enter_async_context(control.asking(paths.socket))
        if handle is None:
            # Slow to load, and not needed where a daemon runs: it then answers in a tenth of the time.
            from daemon.commands.session import session

            house = await stack.enter_async_context(session(paths))
            handle = functools.partial(answer, house.opened.pipeline)
            stack.callback(_remind, house.opened.later)
        for sentence in args.sentences:
            results.append(await handle(request(args, sentence)))
            show(results[-1], as_json=args.json, trace=args.trace)
    return exit_code(results)


async def listen(args: argparse.Namespace) -> int:
    """Plays each file to the pipeline; 1 where something could not be heard or done."""
    from daemon.commands.session import session
    from daemon.commands.voice import open_engine
    from daemon.hear.audio import load
    from daemon.hear.detectors import SileroVad
    from daemon.hear.ears import Ears
    from daemon.hear.engine import Engine
    from daemon.hear.listener import Listener
    from daemon.hear.microphone import Recorded
    from daemon.satellites.satellite import heard_as, with_hearing

    paths = Paths.of(args.home)
    # Every file is read before anything is done: a bad one must not leave half of the commands carried out.
    clips = [(file, await asyncio.to_thread(load, file)) for file in args.files]
    results: list[dict[str, Any]] = []
    async with session(paths) as house:
        pipeline = house.opened.pipeline
        lang = args.lang or pipeline.parts.languages[0]
        engine = Engine(await open_engine(lang, paths, pipeline, house.home.wyoming))
        for file, samples in clips:
            listener = Listener(SileroVad())
            source = Recorded(samples)
            ears = Ears(
                source=source,
                listener=listener,
                engine=engine,
                lang=lang,
                incomplete=pipeline.parts.comprehension.incomplete,
                complete=pipeline.parts.comprehension.complete,
            )
            found = [heard async for heard in ears.utterances()]
            for heard in found or (None,):
                text, sure = (heard.transcript.text, heard.transcript.confidence) if heard is not None else ("", 0.0)
                how = heard_as(heard.transcript) if heard is not None else {"heard": 0.0}
                asked = request(args, text, satellite="file", **how)
                result = await answer(pipeline, {**asked, "lang": lang}) | {"file": str(file)}
                if heard is not None:
                    result = with_hearing(result, heard)
                    if heard.problem is not None:
                        complain(f"{file}: {heard.problem}")
                if not args.json:
                    print(printable(f'{file.name}: heard "{text}" ({sure:.2f}, {engine.name})'))
                show(result, as_json=args.json, trace=args.trace)
                results.append(result)
    return exit_code(results)


async def parse(args: argparse.Namespace) -> int:
    """Prints the readings; 1 where a sentence has none."""
    from daemon.home.registry import Registry
    from daemon.resolve.named import named_things
    from daemon.understand.grammar import Grammar
    from daemon.understand.normalize import normalize

    paths = Paths.of(args.home)
    grammar = Grammar.load(paths.rules)
    names = grammar.names(named_things(Registry(load_any(paths.home).entities)))
    code = 0
    for sentence in args.sentences:
        normalized = normalize(sentence, args.lang)
        readings = grammar.read(normalized, names)
        code = code if readings else 1
        if args.explain and not args.json:
            print(*grammar.explain(normalized, names), sep="\n")
        shown = readings if args.all else readings[:1]
        for program in shown:
            emit(to_dict(program))
        if not readings:
            emit({"text": normalized.text, "lang": normalized.lang, "clauses": []})
    return code


def _remind(later: Later) -> None:
    """Says so where something was kept, and this process, which ends now, will not do it."""
    if len(later.agenda):
        print(f"hearken: what is kept for later is done only while a daemon runs ({COMMAND} run)", file=sys.stderr)


def request(args: argparse.Namespace, sentence: str, **extra: Any) -> dict[str, Any]:
    """A request of the control socket, with what the options say."""
    given = {"lang": args.lang, "area": args.area, "speaker": args.speaker}
    return {"op": "text", "text": sentence} | {key: value for key, value in given.items() if value} | extra


async def answer(pipeline: Pipeline, request: dict[str, Any]) -> dict[str, Any]:
    """The result of one request, with its trace."""
    said = utterance(request)
    pipeline.parts.conversations.check(said)
    result = await pipeline.handle(said)
    return result.to_dict(trace=True)


def utterance(request: dict[str, Any]) -> Utterance:
    """What a request says.

    Raises:
        UsageError: the request is not one.
    """
    from daemon.core.turn import Utterance

    lang = _word(request, "lang")
    if lang is not None and lang not in LANGS:
        raise UsageError(f"{lang!r} is no language that is spoken here; there are {' and '.join(LANGS)}")
    return Utterance(
        text=_sentence(request),
        lang=lang,
        area=_word(request, "area"),
        speaker=_word(request, "speaker"),
        satellite=_word(request, "satellite") or "console",
        heard=_confidence(request.get("heard", 1.0)),
        alternatives=_alternatives(request),
    )


def exit_code(results: list[dict[str, Any]]) -> int:
    """0 where everything that was asked was done, answered or asked back; else 1."""
    bad = {"failed", "unconfirmed", "refused", "not_found"}
    for result in results:
        if result["outcome"] in ("reject", "ignore"):
            return 1
        if any(outcome["status"] in bad for outcome in result.get("outcomes", ())):
            return 1
    return 0


def _sentence(request: dict[str, Any]) -> str:
    text = request.get("text")
    if not isinstance(text, str):
        raise UsageError("a request needs a text")
    if len(text) > _LONGEST:
        raise UsageError(f"that is too long for a command: {len(text)} characters, at most {_LONGEST}")
    return _whole(text, "text")


def _word(request: dict[str, Any], key: str) -> str | None:
    value = request.get(key)
    if value is None or (isinstance(value, str) and len(value) <= _LONGEST):
        return None if value is None else _whole(value, key)
    raise UsageError(f"{key} is not a word")


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError("heard is not a number from 0 to 1")
    return float(value)


def _alternatives(request: dict[str, Any]) -> tuple[tuple[str, float], ...]:
    """What may have been said instead: pairs of a text and how sure that is."""
    listed = request.get("alternatives", [])
    if not isinstance(listed, list) or len(listed) > _MOST_ALTERNATIVES:
        raise UsageError(f"alternatives is no list of at most {_MOST_ALTERNATIVES} pairs")
    found = []
    for item in listed:
        if not isinstance(item, list | tuple) or len(item) != 2:  # noqa: PLR2004 - a pair
            raise UsageError("alternatives has something that is no pair of a text and a number")
        text, sure = item
        found.append((_sentence({"text": text}), _confidence(sure)))
    return tuple(found)


def _whole(text: str, key: str) -> str:
    """The text, unless it has half characters: they come from bytes that are no text, and cannot be stored."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError(f"{key} is not UTF-8 text")
    return text
