"""`listen`: spoken commands from sound files, through end-pointing and a speech engine, all the way."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from daemon.commands.options import common, complain, printable, show
from daemon.commands.text import answer, exit_code, request
from daemon.commands.voice import heard_as, open_engine, with_hearing
from daemon.system.config import Paths


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser("listen", parents=[common(speech=True)], help="spoken commands from sound files")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="wav, flac, mp3, ogg at any rate")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """Plays each file to the pipeline; 1 where something could not be heard or done."""
    from daemon.commands.session import session
    from daemon.hear.audio import load
    from daemon.hear.detectors import SileroVad
    from daemon.hear.ears import Ears
    from daemon.hear.listener import Listener
    from daemon.hear.microphone import Recorded

    paths = Paths.of(args.home)
    # Every file is read before anything is done: a bad one must not leave half of the commands carried out.
    clips = [(file, await asyncio.to_thread(load, file)) for file in args.files]
    results: list[dict[str, Any]] = []
    async with session(paths) as house:
        pipeline = house.opened.pipeline
        lang = args.lang or pipeline.parts.languages[0]
        engine = await open_engine(lang, paths, pipeline)
        for file, samples in clips:
            listener = Listener(SileroVad())
            source = Recorded(samples)
            ears = Ears(
                source=source,
                listener=listener,
                transcriber=engine,
                lang=lang,
                incomplete=pipeline.parts.comprehension.incomplete,
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
